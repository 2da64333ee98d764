"""``live``: a torch function and some sliders become a figure that reruns it, in Jupyter and in the static page.

The function is traced to JavaScript (:mod:`widgets.translate`) and drawn by ``src/view/figure.js`` wherever the figure
is shown. Where a kernel is alive, torch runs the same configuration and the figure says how far the two are apart.
"""

from __future__ import annotations

import base64
import inspect
import keyword
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import anywidget
import ipywidgets as ipw
import traitlets
from ipywidgets.embed import dependency_state, embed_data
from torch import nn
from torch.utils import _pytree as pytree

from lib.program import Program, Run, defaults, parameters, run
from widgets import bundle, picture, words
from widgets.figure import one_file
from widgets.figure.colours import VARIANTS
from widgets.figure.compiled import Compiled, compile_program, fields, flatten
from widgets.figure.derived import Derive, Derived
from widgets.figure.loop import Loop
from widgets.figure.one_sentence import refusing_in_one_sentence
from widgets.figure.own_data import OwnData, expanded, with_numbers
from widgets.figure.panels import (
    CaptionCase,
    Cases,
    Curve,
    CurveChart,
    Panel,
    Row,
    StoryCard,
    TruthMap,
    View,
    name_of,
    plain,
)
from widgets.figure.registry import Opening, is_registered, note_opening, pages_of_words
from widgets.figure.scenes import Scene, Step, scene_of
from widgets.figure.settings import (
    check_controls,
    linked_trait,
    number_of,
    parameter_entry,
    program_of,
    raw_value,
    settings_of,
)
from widgets.figure.training import of_module
from widgets.figure.usual import usual
from widgets.figure.validate_program import entries, validate_program
from widgets.figure.validate_view import check_type, check_view, reject_all_nan_panels
from widgets.figure.verdict import Judge, call, judged, names

FRONT = 3
"""The number of controls beside a figure; the others are folded."""


class Figure(anywidget.AnyWidget):
    """The figure itself: traits ``spec``, ``kernels`` and ``constants``, and one for each parameter."""

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    spec = traitlets.Dict().tag(sync=True)
    kernels: traitlets.List[Any] = traitlets.List().tag(sync=True)
    constants = traitlets.Bytes().tag(sync=True)

    def __init__(self, program: Program, spec: dict[str, Any], compiled: Compiled, raw: dict[str, Any]):
        super().__init__(
            _esm=(bundle.ensure() / "figure.js").read_text(),
            _css=bundle.style_sheet(),
            spec=spec,
            kernels=compiled.kernels,
            constants=compiled.constants.numpy().tobytes(),
        )
        self.add_traits(**{name: traitlets.Any(value).tag(sync=True) for name, value in raw.items()})
        self.program = program
        self.on_msg(self._answer)

    def check(self, values: Sequence[float]) -> Run:
        """Run the program in torch at the parameters' ``values``, in order."""
        names = [domain.name for domain in self.program.domains]
        return run(self.program, **dict(zip(names, values, strict=True)))

    def _answer(self, _widget: Any, message: dict[str, Any], _buffers: Any) -> None:
        """The page asks whether a kernel is there, and what torch gets for a configuration."""
        if message["kind"] == "ping":
            self.send({"kind": "pong"})
        elif message["kind"] == "check":
            try:
                numbers = flatten(self.check(message["values"])).numpy().tobytes()
            except Exception as error:
                self.send({"kind": "failed", "round": message["round"], "message": str(error)})
                raise
            self.send({"kind": "checked", "round": message["round"]}, [numbers])


@refusing_in_one_sentence
def live(
    what: Program | Loop | nn.Module | Callable[..., Any],
    /,
    *statements: Any,
    scene: Scene | None = None,
    panels: tuple[Panel, ...] = (),
    caption: tuple[CaptionCase, ...] | Cases = (),
    rows: tuple[Row, ...] = (),
    story: tuple[StoryCard, ...] = (),
    why: tuple[Step, ...] = (),
    plays: bool = False,
    map: TruthMap | None = None,
    numbers: Mapping[str, Derive] | None = None,
    name: str = "",
    prefix: str = "",
    more: Sequence[str] = (),
    only: Sequence[str] | None = None,
    **settings: ipw.Widget | OwnData | float,
) -> Live:
    """Controls and the figure they rerun.

    ``live(escape(), LEMMA_6, panels=(LOSS, DISTANCE), only=("temperature",))`` has a slider for the temperature, as
    its domain says, and a verdict, lights and a table for the lemma. ``live(module, optimizer, loss, data)`` is a loop
    of gradient descent, with ``batch=`` on batches and with ``scheduler=`` on a schedule: see
    :func:`widgets.figure.training.training`.

    Args:
        what: a :class:`~lib.program.Program`, a :class:`~widgets.figure.loop.Loop`, or a pure torch function of 0-d
            tensors (named like the controls) that returns a NamedTuple or dict of tensors; a tensor alone is called
            ``result``, those of a tuple ``result_1``, ``result_2`` and so on.
        *statements: what is said of a run, each a :class:`~widgets.figure.verdict.Judge` with its own code: lights,
            bounds and a sentence. In captions and panels their verdicts are fields like any other: see
            :func:`widgets.figure.verdict.names`.
        scene: what stands beside the controls, moving with the run; the first two panels, if not said.
        why: small figures for the steps of the page's argument, where the page names them.
        panels, caption, rows, story: what else to show. The caption of a figure of the book is a dict of conditions
            by the names of their cases, the last of which has None, and it has no story: its page has the words, see
            :mod:`widgets.words`. Without panels, scene and statements all that is returned is
            shown: numbers as rows, matrices as heat maps, curves against the first if it is an axis, else against
            their index. Panels that are not in the scene are folded below it.
        plays: whether the first run plays by itself; else it waits at its start until the reader trains. Readers who
            want no motion are shown its start in any case.
        map: the axes of the map of where the statements are true; the first two controls of numbers, if not said.
        numbers: functions of report and parameters by name: more fields for the page's words to quote.
        name: of the figure, for prose that follows it: ``<span data-live="NAME.FIELD">``.
        prefix: of its parameters in the page's address, needed where a page has several figures.
        more: names of the controls to fold away under "more settings", where all but the first three go, too.
        only: the parameters that get a control, in this order; all that their domains offer one for, if not said.
        **settings: a control for a parameter, in place of its domain's, or a number at which it stays; for the data of
            a function or a :class:`~widgets.figure.loop.Loop` also an :class:`~widgets.figure.own_data.OwnData`.

    Returns:
        The figure with its controls beside it. ``.figure`` is the :class:`Figure`, ``.controls`` the controls by name.

    Raises:
        ValueError: a parameter is unknown, or has neither a setting nor a default; a default lies outside its domain;
            something shown names what is not there; or the report has a field that a statement writes.
        TypeError: a control that has no number.
        UnsupportedOperation: the function uses an operation that the page cannot run.
    """
    cases = tuple(caption) if isinstance(caption, dict) else ()
    if isinstance(caption, dict):
        caption = tuple(CaptionCase(condition, "", case) for case, condition in caption.items())
    given = {
        "scene": scene,
        "panels": panels,
        "caption": caption,
        "rows": rows,
        "story": story,
        "why": why,
        "plays": plays,
        "map": map,
    }
    if isinstance(what, nn.Module):
        name = name or type(what).__name__
        how: dict[str, Any] = {key: settings.pop(key) for key in ("batch", "scheduler") if key in settings}
        what, statements = of_module(what, *statements, steps=settings.get("steps"), **how), ()
    hints = {**get_type_hints(live), "caption": tuple[CaptionCase, ...]}
    for key, item in {**given, "name": name, "prefix": prefix}.items():
        check_type(key, item, hints[key])
    numbers = numbers or {}
    bound = _bind(what, statements, given, numbers, settings, only, more)
    ids = [statement.id for statement in statements]
    note_opening(Opening(bound.program, bound.values, tuple(ids), numbers))
    watched, report = _validate(bound)
    view = _view(bound, statements, report)
    entries_of_parameters = _parameter_entries(bound, view)
    goals = _check_described(bound, view, entries_of_parameters, watched, report)
    begun = time.perf_counter()
    compiled = compile_program(bound.program, bound.values, bound.moved, " ".join([name, *ids]))
    fields = {name: own.control() for name, own in bound.own.items()}
    shown = {**bound.moved, **fields}
    seconds = time.perf_counter() - begun
    named = {"name": name or getattr(what, "__name__", "figure"), "parameters": entries_of_parameters}
    spec = _described(bound, view, compiled, named) | {"goals": goals}
    if (pages := pages_of_words()) and len(cases) == len(caption) and not story:
        spec = words.joined({**spec, "words": {"pages": list(pages), "cases": list(cases)}}, compiled.kernels)
    elif cases:
        raise ValueError(
            f"caption = {list(cases)}: must have texts, as the figure is none that a page has words for"
        )
    figure = Figure(
        bound.program, spec, compiled, {key: raw_value(control) for key, control in shown.items()}
    )
    for key, control in shown.items():
        ipw.jslink((control, linked_trait(control)), (figure, key))
        control.add_class(f"url-{prefix}{key}")
    return Live(figure, shown, more, view, seconds, bound.own)


class Binding(NamedTuple):
    """The arguments of :func:`live`, bound to each other."""

    program: Program
    """With the verdicts, and with the numbers that only the view reads, in its report."""
    view: dict[str, Any]
    """Scene, panels, caption, rows and story, with a field's name in the place of each function."""
    derived: Derived
    settings: dict[str, Any]
    """A control or a number for each parameter."""
    values: dict[str, float]
    """Where each parameter stands."""
    own: dict[str, OwnData]
    """The fields for data of a reader's own."""

    @property
    def moved(self) -> dict[str, ipw.Widget]:
        """The parameters that have a control."""
        return {key: item for key, item in self.settings.items() if isinstance(item, ipw.Widget)}


def _bind(
    what: Program | Loop | Callable[..., Any],
    statements: Sequence[Judge],
    view: dict[str, Any],
    numbers: Mapping[str, Derive],
    given: dict[str, Any],
    only: Sequence[str] | None,
    more: Sequence[str],
) -> Binding:
    """The program with all that it reports, a setting for each parameter, and the view by names of fields."""
    if strange := [statement for statement in statements if not hasattr(statement, "judge")]:
        raise ValueError(f"{strange[0]!r}: must be a statement")
    own = {key: setting for key, setting in given.items() if isinstance(setting, OwnData)}
    if own and isinstance(what, Program):
        raise ValueError(f"{next(iter(own))}: data of a reader's own are for a function or a Loop")
    plain_program = _program(what, given)
    _check_names(plain_program)
    plain_program = expanded(plain_program, own)
    settings = settings_of(plain_program, with_numbers(given, own), only)
    values = {key: number_of(key, getattr(item, "value", item)) for key, item in settings.items()}
    if not (statements or view["panels"] or view["scene"]):
        watched, report = validate_program(plain_program, values)
        panels, rows = usual(report, watched)
        view = {**view, "panels": panels, "rows": view["rows"] or rows}
    derived = Derived(view["caption"], numbers)
    named = {key: derived.named(item) for key, item in view.items()}
    program = derived.joined(judged(plain_program, statements))
    bound = Binding(program, named, derived, settings, values, own)
    if unknown := sorted(set(more) - set(bound.moved) - set(own)):
        raise ValueError(f"more = {unknown}: must be among the controls, {', '.join([*bound.moved, *own])}")
    return bound


def _program(what: Any, given: dict[str, Any]) -> Program:
    """The program itself, or that of a loop, or of a function without a loop."""
    if isinstance(what, Loop):
        return what.program(given)
    return what if isinstance(what, Program) else program_of(what, given)


def _validate(bound: Binding) -> tuple[Any, Any]:
    """Refuse what a page could not go on with; returns what is watched and reported after a step of each stage."""
    parameters(bound.program, bound.values)  # raises for a bad default
    check_controls(bound.program, bound.moved, bound.values)
    return validate_program(bound.program, bound.values)


def _check_names(program: Program) -> None:
    """Refuse parameters that are called like a keyword of :func:`live` or like a trait of the figure."""
    arguments = inspect.signature(live).parameters.values()
    keywords = [argument.name for argument in arguments if argument.kind is argument.KEYWORD_ONLY]
    for domain in program.domains:
        name = domain.name
        if keyword.iskeyword(name) or name in keywords or hasattr(Figure, name) or name == "program":
            raise ValueError(f"control name = {name!r}: taken by the figure itself")


def _view(bound: Binding, statements: Sequence[Judge], report: Any) -> View:
    """All that is shown: without panels every curve, without a scene the first two panels."""
    p = parameters(bound.program, bound.values)
    sheets = tuple(statement.sheet(report, p) for statement in statements)
    panels = bound.view["panels"] or _everything(report, len(sheets), bound.derived)
    scene = bound.view["scene"] or scene_of(panels)
    rows, caption = bound.view["rows"], bound.view["caption"]
    if not (scene.parts or rows or caption or bound.program.stages):
        raise ValueError(
            f"{fields(report)}: nothing is drawn: must be numbers, curves or matrices, or say what to show"
        )
    folded = tuple(panel for panel in panels if panel not in scene.parts)
    shown = {key: bound.view[key] for key in ("story", "why", "plays")}
    truth_map = bound.view["map"] or _usual_map(bound.moved) if sheets else None
    return View(scene, folded, caption, rows, **shown, map=truth_map, statements=sheets)


def _usual_map(moved: Mapping[str, ipw.Widget]) -> TruthMap | None:
    """A map over the first two controls of numbers; None if there are fewer."""
    axes = [key for key, control in moved.items() if key != "seed" and not isinstance(control, ipw.Checkbox)]
    return TruthMap(*axes[:2]) if len(axes) > 1 else None


def _parameter_entries(bound: Binding, view: View) -> list[dict[str, Any]]:
    """The parameters as plain data, for the page."""
    program, sheets = bound.program, view.statements
    usual = {**defaults(program), **(sheets[0].get("holds_at", {}) if sheets else {})}
    return [
        parameter_entry(domain, bound.settings[domain.name], bound.values[domain.name], usual)
        for domain in program.domains
    ]


def _described(bound: Binding, view: View, compiled: Compiled, named: dict[str, Any]) -> dict[str, Any]:
    """The figure as plain data, for the page; ``named`` are its name and its parameters."""
    program, sheets = bound.program, view.statements
    names_of = [domain.name for domain in program.domains]
    own = [item.described(key, names_of.index(f"{key}_rows")) for key, item in bound.own.items()]
    return {
        **plain(view),
        **({"own": own} if own else {}),
        "caption": [case.text for case in view.caption],
        "verdicts": [names(place) for place in range(len(sheets))],
        "code": call(sheets[0]) if sheets else "",
        **named,
        "stages": [
            {"name": stage.name, "limit": names_of.index(stage.limit), "step": step}
            for stage, step in zip(program.stages, compiled.steps, strict=True)
        ],
        "watch": compiled.watch,
        "report": compiled.report,
    }


def _check_described(
    bound: Binding, view: View, parameters: list[dict[str, Any]], watched: Any, report: Any
) -> dict[str, str]:
    """Refuse a view that names what is not there, before anything is translated; returns what may be a challenge."""
    records = {"report": report, "watch": watched}
    sizes = {among: {name: leaf.numel() for name, leaf in entries(r)} for among, r in records.items()}
    by_name = {entry["name"]: entry for entry in parameters}
    check_view(view, sizes, by_name, len(bound.program.stages))
    reject_all_nan_panels(view, report if not bound.program.stages else None, watched)
    of_the_program = {
        name: size for name, size in sizes["report"].items() if name not in bound.derived.functions
    }
    return _goals(parameters, view.rows, of_the_program)


class Live(ipw.VBox):
    """A figure with the controls that rerun it beside it, on a phone below it."""

    seconds: float
    """How long the translation took; next to nothing where it was on disk."""
    registered: bool
    """Whether it is a figure of the book, see :mod:`widgets.figure.registry`."""

    def __init__(
        self,
        figure: Figure,
        controls: dict[str, ipw.Widget],
        more: Sequence[str],
        view: View,
        seconds: float,
        own: dict[str, OwnData],
    ):
        front = [key for key in controls if key not in more][:FRONT]
        folded = [*(key for key in controls if key not in (*front, *more)), *more]
        side: list[ipw.Widget] = [ipw.VBox([controls[key] for key in front]).add_class("fim-front")]
        if folded:
            side.append(
                ipw.Accordion([ipw.VBox([controls[key] for key in folded])], titles=("⚙ more settings",))
            )
        super().__init__([figure, ipw.VBox(side).add_class("fim-side")])
        self.add_class("fim-live")
        self.figure = figure
        self.controls = controls
        self.view = view
        self.seconds = seconds
        self.own = own
        self.registered = is_registered()

    @property
    def report(self) -> Any:
        """What the program reports where the controls stand, run in torch."""
        values = {entry["name"]: entry["default"] for entry in self.figure.spec["parameters"]}
        moved = {name: control.value for name, control in self.controls.items() if name not in self.own}
        pasted = with_numbers({}, self.own, {name: self.controls[name].value for name in self.own})
        numbers = {name: number_of(name, value) for name, value in {**moved, **pasted}.items()}
        return self.figure.check(list({**values, **numbers}.values())).report

    @property
    def kilobytes(self) -> float:
        """The size of the code and of the numbers that the page loads, uncompressed."""
        return (
            sum(len(kernel["source"]) for kernel in self.figure.kernels) / 1000
            + len(self.figure.constants) / 1000
        )

    def still(self) -> picture.Picture:
        """The figure as a PNG where its controls stand, and what it shows in words.

        Raises:
            RuntimeError: Node could not draw it.
        """
        manager_state = embed_data(self, state=dependency_state(self, drop_defaults=False))["manager_state"]
        positions = (
            f"{control.description or name} = {_words_of_setting(control)}"
            for name, control in self.controls.items()
        )
        return picture.of_figure(manager_state["state"], self.figure.model_id, ", ".join(positions))

    def save(self, place: str | Path, title: str = "") -> Path:
        """Write the figure, where its controls stand, into one file that needs no kernel and no network.

        Args:
            place: of the file: a page if its name ends in .html, a module of JavaScript if in .mjs or .js.
            title: of the page; by default the words of the file's name.

        Raises:
            ValueError: the file is of another kind; something in the figure cannot be driven without a kernel.
            RuntimeError: what is written would not run as torch does.
        """
        path = Path(place)
        one_file.save(self, [path], title)
        return path

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """What a notebook stores of the figure: its view and, for readers without a kernel, its still.

        A figure of the book has its still in the built page, and its notebook is stored without.
        """
        data = super()._repr_mimebundle_(**kwargs)
        if self.registered or data is None:
            return data
        try:
            png, alt = self.still()
        except RuntimeError as error:
            warnings.warn(f"the notebook has no picture of this figure: {error}", UserWarning, stacklevel=2)
            return data
        width, height = picture.size(png)
        look = {"alt": alt, "width": width, "height": height}
        return {**data, "image/png": base64.b64encode(png).decode()}, {"image/png": look}

    def __repr__(self) -> str:
        return f"Live({self.figure.spec['name']!r}: {', '.join(self.controls)})"


def _words_of_setting(control: ipw.Widget) -> str:
    """Where a control stands, as its reader sees it."""
    if isinstance(control, ipw.Textarea):
        return f"{len(control.value.split(chr(10)))} lines"
    if linked_trait(control) == "index":
        return str(control._options_labels[control.index])
    return ("off", "on")[control.value] if isinstance(control.value, bool) else f"{control.value:.4g}"


def _goals(
    entries: Sequence[dict[str, Any]], rows: Sequence[Row], sizes: Mapping[str, int]
) -> dict[str, str]:
    """What a challenge may ask for, with labels: what controls set, and single numbers that the table measures."""
    moved = {entry["name"]: entry["label"] for entry in entries if "label" in entry}
    measured = {name_of(row.measured): row.label for row in rows}
    return {**moved, **{field: label for field, label in measured.items() if sizes.get(field) == 1}}


def _everything(report: Any, judges: int, derived: Derived) -> tuple[Panel, ...]:
    """Every 1-d output of the program itself against the first one."""
    added = {name for place in range(judges) for name in names(place).values()} | set(derived.functions)
    leaves = list(zip(fields(report), pytree.tree_leaves(report), strict=True))
    curves = [name for name, leaf in leaves if leaf.dim() == 1 and name not in added]
    lines = tuple(Curve(curves[0], y, y, VARIANTS[i % len(VARIANTS)]) for i, y in enumerate(curves[1:]))
    return (CurveChart("", x=curves[0], series=lines),) if lines else ()
