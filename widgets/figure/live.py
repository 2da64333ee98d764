"""``live``: a torch function and some sliders become a figure that reruns it, in Jupyter and in the static page.

The function is traced to JavaScript (``tojs``) and drawn by ``src/view/figure.js`` wherever the figure is shown. Where
a kernel is alive, torch runs the same configuration and the figure says how far the two are apart.
"""

from __future__ import annotations

import inspect
import keyword
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, get_type_hints

import anywidget
import ipywidgets as ipw
import torch
import traitlets
from torch import Tensor
from torch.utils import _pytree as pytree

from lib.domain import Domain
from lib.program import Program, Run, defaults, parameters, record, run
from widgets import bundle
from widgets.figure import controls
from widgets.figure.colours import VARIANTS
from widgets.figure.derived import Derived
from widgets.figure.panels import CaptionCase, Curve, CurveChart, Panel, Row, Try, View, name_of, plain
from widgets.figure.registry import being_made
from widgets.figure.scenes import Scene, scene_of
from widgets.figure.validate_program import entries, validate_program
from widgets.figure.validate_view import check_type, check_view
from widgets.figure.verdict import Judge, call, judged, names
from widgets.translate import cache, trace
from widgets.translate.verify import verify

CHANGING = "comes out otherwise each time it is traced: chance, time and counters must be arguments"
MOST_STEPS = 1_000_000
"""Of a stage, that a page takes in good time."""
MOST_NUMBERS = 2**18
"""That a program may bake in, or show at once: a page has to load and to draw them."""
FRONT = 3
"""So many controls stand beside a figure; the others are folded."""
LINKED_BY_INDEX = (ipw.Dropdown, ipw.SelectionSlider, ipw.ToggleButtons, ipw.RadioButtons)


class Figure(anywidget.AnyWidget):
    """The figure itself: traits ``spec``, ``kernels`` and ``constants``, and one for each parameter."""

    _esm = traitlets.Unicode().tag(sync=True)
    spec = traitlets.Dict().tag(sync=True)
    kernels: traitlets.List[Any] = traitlets.List().tag(sync=True)
    constants = traitlets.Bytes().tag(sync=True)

    def __init__(self, program: Program, spec: dict[str, Any], compiled: Compiled, raw: dict[str, Any]):
        super().__init__(
            _esm=(bundle.ensure() / "figure.js").read_text(),
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


class Compiled(NamedTuple):
    """A program as JavaScript: what is sent to the page."""

    kernels: list[dict[str, Any]]
    constants: Tensor
    watch: list[str]
    report: list[str]
    steps: list[str]
    """For each stage its step's kernel; stages with the same function share one, which so gets fast only once."""


def live(
    what: Program | Callable[..., Any],
    /,
    *statements: Judge,
    scene: Scene | None = None,
    panels: tuple[Panel, ...] = (),
    caption: tuple[CaptionCase, ...] = (),
    rows: tuple[Row, ...] = (),
    tries: tuple[Try, ...] = (),
    name: str = "",
    prefix: str = "",
    more: Sequence[str] = (),
    only: Sequence[str] | None = None,
    **settings: ipw.Widget | float,
) -> Live:
    """Controls and the figure they rerun.

    ``live(escape(), LEMMA_6, panels=(LOSS, DISTANCE), only=("temperature",))`` has a slider for the temperature, as
    its domain says, and chips, lights and a table for the lemma.

    Args:
        what: a :class:`~lib.program.Program`, or a pure torch function of 0-d tensors (named like the controls)
            that returns a NamedTuple or dict of tensors.
        *statements: what is said of a run, each judged by its own code: chips, lights, bounds and a sentence. In
            captions and panels their verdicts are fields like any other: see :func:`widgets.figure.verdict.names`.
        scene: what stands beside the controls, moving with the run; the first two panels, if not said.
        panels, caption, rows, tries: what else to show. Without panels, every 1-d output is drawn against the first.
            Panels that are not in the scene are folded below it.
        name: of the figure, for prose that follows it: ``<span data-live="NAME.FIELD">``.
        prefix: of its parameters in the page's address, needed where a page has several figures.
        more: names of the controls to fold away under "more settings", where all but the first three go, too.
        only: the parameters that get a control, in this order; all that their domains offer one for, if not said.
        **settings: a control for a parameter, in place of its domain's, or a number at which it stays.

    Returns:
        The figure with its controls beside it. ``.figure`` is the :class:`Figure`, ``.controls`` the controls by name.

    Raises:
        ValueError: a parameter is unknown, or has neither a setting nor a default; a default lies outside its domain;
            something shown names what is not there; or the report has a field that a statement writes.
        TypeError: a control that has no number.
        tojs.UnsupportedOperation: the function uses an operation that the page cannot run.
    """
    given = {"scene": scene, "panels": panels, "caption": caption, "rows": rows, "tries": tries}
    hints = get_type_hints(live)
    for key, item in {**given, "name": name, "prefix": prefix}.items():
        check_type(key, item, hints[key])
    bound = _bind(what, statements, given, settings, only, more)
    watched, report = _validate(bound)
    ids = [statement.id for statement in statements]
    compiled = _compiled(bound, " ".join([name, *ids]))
    view = _view(bound, statements, report)
    spec = _described(bound, view, compiled, name or getattr(what, "__name__", "figure"))
    _check_described(bound, view, spec, watched, report)
    figure = Figure(
        bound.program, spec, compiled, {key: _raw(control) for key, control in bound.moved.items()}
    )
    for key, control in bound.moved.items():
        ipw.jslink((control, _trait(control)), (figure, key))
        control.add_class(f"url-{prefix}{key}")
    return Live(figure, bound.moved, more, view)


class Bound(NamedTuple):
    """What :func:`live` was given, brought together."""

    program: Program
    """With the verdicts, and with the numbers that only the view reads, in its report."""
    view: dict[str, Any]
    """Scene, panels, caption, rows and tries, with a field's name in the place of each function."""
    derived: Derived
    settings: dict[str, Any]
    """A control or a number for each parameter."""
    values: dict[str, float]
    """Where each parameter stands."""

    @property
    def moved(self) -> dict[str, ipw.Widget]:
        """The parameters that have a control."""
        return {key: item for key, item in self.settings.items() if isinstance(item, ipw.Widget)}


def _bind(
    what: Program | Callable[..., Any],
    statements: Sequence[Judge],
    view: dict[str, Any],
    given: dict[str, Any],
    only: Sequence[str] | None,
    more: Sequence[str],
) -> Bound:
    """The program with all that it reports, a setting for each parameter, and the view by names of fields."""
    if strange := [statement for statement in statements if not hasattr(statement, "judge")]:
        raise ValueError(f"{strange[0]!r}: must be a statement")
    derived = Derived(view["caption"])
    named = {key: derived.named(item) for key, item in view.items()}
    program = derived.joined(judged(what if isinstance(what, Program) else _program(what, given), statements))
    _check_names(program)
    settings = _settings(program, given, only)
    values = {key: _value(key, getattr(item, "value", item)) for key, item in settings.items()}
    bound = Bound(program, named, derived, settings, values)
    if unknown := sorted(set(more) - set(bound.moved)):
        raise ValueError(f"more = {unknown}: must be among the controls, {', '.join(bound.moved)}")
    return bound


def _validate(bound: Bound) -> tuple[Any, Any]:
    """Refuse settings and programs that a page could not go on with; what is watched and reported after a step each."""
    parameters(bound.program, bound.values)  # raises for a bad default
    _check_controls(bound.program, bound.moved, bound.values)
    return validate_program(bound.program, bound.values)


def _compiled(bound: Bound, name: str) -> Compiled:
    """The program in JavaScript, from the cache if it is there."""
    compiled = _translation(bound.program, bound.values, name)
    _check_read(bound.program, bound.moved, compiled)
    _check_size(compiled)
    return compiled


def _translation(program: Program, values: dict[str, float], name: str) -> Compiled:
    """The translation of a registered figure, from disk if it is there; any other is translated anew, and twice."""
    registered = being_made()
    if registered is None:
        return steady(program, values)
    figure, place = registered
    compiled: Compiled = cache.translation(
        Compiled, lambda: translate(program, values), figure.file, figure.name, place, name, values
    )
    return compiled


def _view(bound: Bound, statements: Sequence[Judge], report: Any) -> View:
    """All that is shown: without panels every curve, without a scene the first two panels."""
    p = parameters(bound.program, bound.values)
    sheets = tuple(statement.sheet(report, p) for statement in statements)
    panels = bound.view["panels"] or _everything(report, len(sheets), bound.derived)
    scene = bound.view["scene"] or scene_of(panels)
    rows, caption = bound.view["rows"], bound.view["caption"]
    if not (scene.parts or rows or caption or bound.program.stages):
        raise ValueError(
            f"{fields(report)}: nothing is drawn: must be two 1-d tensors or more, or say what to show"
        )
    folded = tuple(panel for panel in panels if panel not in scene.parts)
    return View(scene, folded, caption, rows, bound.view["tries"], sheets)


def _described(bound: Bound, view: View, compiled: Compiled, name: str) -> dict[str, Any]:
    """The figure as plain data, for the page."""
    program, sheets = bound.program, view.statements
    usual = {**defaults(program), **(sheets[0].get("holds_at", {}) if sheets else {})}
    names_of = [domain.name for domain in program.domains]
    return {
        **plain(view),
        "caption": [case.text for case in view.caption],
        "verdicts": [names(place) for place in range(len(sheets))],
        "code": call(sheets[0]) if sheets else "",
        "name": name,
        "parameters": [
            _parameter(domain, bound.settings[domain.name], bound.values[domain.name], usual)
            for domain in program.domains
        ],
        "stages": [
            {"name": stage.name, "limit": names_of.index(stage.limit), "step": step}
            for stage, step in zip(program.stages, compiled.steps, strict=True)
        ],
        "watch": compiled.watch,
        "report": compiled.report,
    }


def _check_described(bound: Bound, view: View, spec: dict[str, Any], watched: Any, report: Any) -> None:
    """Refuse a view that names what is not there, and enter what a challenge may ask for."""
    records = {"report": report, "watch": watched}
    sizes = {among: {name: leaf.numel() for name, leaf in entries(r)} for among, r in records.items()}
    parameters = {entry["name"]: entry for entry in spec["parameters"]}
    check_view(view, sizes, parameters, len(bound.program.stages))
    reject_all_nan_panels(view, report if not bound.program.stages else None, watched)
    of_the_program = {
        name: size for name, size in sizes["report"].items() if name not in bound.derived.functions
    }
    spec["goals"] = _goals(spec["parameters"], view.rows, of_the_program)


class Live(ipw.VBox):
    """A figure with the controls that rerun it beside it, on a phone below it."""

    def __init__(self, figure: Figure, controls: dict[str, ipw.Widget], more: Sequence[str], view: View):
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

    def __repr__(self) -> str:
        return f"Live({self.figure.spec['name']!r}: {', '.join(self.controls)})"


def translate(program: Program, values: dict[str, float]) -> Compiled:
    """Trace every function of ``program`` to JavaScript, and try it out a little off ``values``.

    Raises:
        UnsupportedOperation: an operation has no JavaScript, or the two engines do not agree.
    """
    chosen = parameters(program, {d.name: _beside(d, values[d.name]) for d in program.domains})
    kernels: list[trace.Kernel] = []
    trials: list[tuple[list[Tensor], Callable[..., list[Tensor]]]] = []

    def emit(name: str, function: Callable[..., Any], *examples: Any, state: int = 0) -> Any:
        leaves, shape = pytree.tree_flatten(examples)

        def flat(*inputs: Tensor) -> list[Tensor]:
            return pytree.tree_leaves(function(*pytree.tree_unflatten(list(inputs), shape)))

        kernels.append(trace.compile(flat, leaves, name, state))
        trials.append((leaves, flat))
        return function(*examples)

    state: Any = emit("start", program.start, chosen) if program.stages else ()
    ends, steps = [], {}
    for i, stage in enumerate(program.stages):
        state = emit(f"enter {i}", stage.enter, state, chosen)
        if stage.step not in steps:
            steps[stage.step] = f"step {i}"
            leaves = len(pytree.tree_leaves(state))
            state, _done = emit(f"step {i}", stage.step, state, chosen, state=leaves)
        ends.append(state)
    watch = emit("watch", program.watch, state, chosen) if program.stages else None
    report = emit("report", program.report, tuple(ends), chosen)
    pieces, begin = [], 0
    for kernel in kernels:
        end = begin + kernel.constants.numel()
        first = len(kernel.inputs) - len(program.domains)  # the parameters come last
        pieces.append(
            {
                "name": kernel.name,
                "source": kernel.source,
                "outputs": [list(shape) for shape in kernel.outputs],
                "constants": [begin, end - begin],
                "reads": [place - first for place in kernel.reads if place >= first],
                "stays": list(kernel.stays),
            }
        )
        begin = end
    verify(kernels, trials)
    pool = torch.cat([torch.empty(0, dtype=torch.float64), *(kernel.constants for kernel in kernels)])
    return Compiled(pieces, pool, fields(watch), fields(report), [steps[s.step] for s in program.stages])


def _beside(domain: Domain, value: float) -> float:
    """A value near by, where what a run at ``value`` left behind shows; the same if it must be a whole number."""
    near = [value * 1.001 + 1e-9, value * 0.999 - 1e-9]
    return next((one for one in near if not domain.integer and domain.low < one < domain.high), value)


def steady(program: Program, values: dict[str, float]) -> Compiled:
    """:func:`translate`, twice: what chance, the time or a counter has a part in differs, and is refused."""
    first, second = translate(program, values), translate(program, values)
    for one, other in zip(first.kernels, second.kernels, strict=True):
        if one != other:
            raise trace.UnsupportedOperation(f"kernel {one['name']!r}: {CHANGING}")
    if first.constants.numpy().tobytes() != second.constants.numpy().tobytes():
        raise trace.UnsupportedOperation(f"a constant: {CHANGING}")
    return first


def fields(record: Any) -> list[str]:
    """The names of a NamedTuple's or dict's fields."""
    if record is None:
        return []
    return list(record) if isinstance(record, dict) else list(record._fields)


def flatten(outcome: Run) -> Tensor:
    """Every number of a run, in the order in which the page lines them up: rows stage by stage, then the report."""
    pieces = []
    for history in outcome.histories:
        for row in zip(*history.rows, strict=True):
            pieces += [leaf.flatten() for leaf in row]
    pieces += [leaf.flatten() for leaf in pytree.tree_leaves(outcome.report)]
    return torch.cat([piece.to(torch.float64) for piece in pieces])


def _program(function: Callable[..., Any], settings: dict[str, Any]) -> Program:
    """A plain function as a program without stages; its parameters may be what their controls offer."""
    try:
        arguments = [one for one in inspect.signature(function).parameters.values() if _asked(one)]
    except (TypeError, ValueError):
        arguments = []
    if any(one.kind not in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in arguments) or (
        settings and not arguments
    ):
        raise ValueError(
            f"{function!r}: must be a Program, or a function with a plain argument for each control"
        )
    names = [one.name for one in arguments]
    return Program(
        parameters=record("Parameters", names),
        domains=tuple(_offered(name, settings.get(name)) for name in names),
        start=lambda p: (),
        stages=(),
        watch=lambda s, p: None,
        report=lambda ends, p: function(*p),
    )


def _asked(argument: inspect.Parameter) -> bool:
    """Whether a function's argument has to be given; :func:`functools.partial` leaves some that have not."""
    return argument.kind is not argument.KEYWORD_ONLY or argument.default is argument.empty


def _offered(name: str, setting: Any) -> Domain:
    """The range of a control."""
    if not isinstance(setting, ipw.Widget):
        return Domain(name)
    low, high = getattr(setting, "min", -math.inf), getattr(setting, "max", math.inf)
    if isinstance(setting, ipw.FloatLogSlider):
        # powers differ in the last digit
        low, high = setting.base**low * (1 - 1e-12), setting.base**high * (1 + 1e-12)
    return Domain(name, low=low, high=high, integer=isinstance(setting, ipw.IntSlider))


def _settings(program: Program, given: dict[str, Any], only: Sequence[str] | None) -> dict[str, Any]:
    """A control or a number for each parameter: as given, else as its domain says."""
    offered = {domain.name: domain for domain in program.domains if domain.offered}
    if unknown := set(only or ()) - set(offered) - set(given):
        raise ValueError(f"only = {sorted(unknown)}: must be among {', '.join(offered)}")
    moved = [name for name in (offered if only is None else only) if name not in given]
    made = {name: controls.of(offered[name]) for name in moved}
    values = {**defaults(program), **made, **given}
    wanted = [domain.name for domain in program.domains]
    if sorted(wanted) != sorted(values):
        raise ValueError(f"settings = {sorted(values)}: must be exactly {sorted(wanted)}")
    order = [*(only or ()), *given, *(domain.name for domain in program.domains)]
    return {name: values[name] for name in dict.fromkeys(order) if name in values}


def _check_names(program: Program) -> None:
    """A parameter is a keyword of :func:`live`, beside its own, and a trait of the figure."""
    own = [name for name, one in inspect.signature(live).parameters.items() if one.kind is one.KEYWORD_ONLY]
    for domain in program.domains:
        key = domain.name
        if keyword.iskeyword(key) or key in own or hasattr(Figure, key) or key == "program":
            raise ValueError(f"control name = {key!r}: taken by the figure itself")


def _check_controls(program: Program, moved: Mapping[str, ipw.Widget], values: dict[str, float]) -> None:
    """Controls that can be told apart lead only to where their parameters may be, in steps that a page can take."""
    labels: dict[str, str] = {}
    for name, control in moved.items():
        if isinstance(control, ipw.Select):  # its choice is no trait that follows another
            raise ValueError(f"{name}: a Select cannot be linked: must be a Dropdown or a slider")
        label = control.description or name
        if labels.setdefault(label, name) != name:
            raise ValueError(
                f"controls {labels[label]!r} and {name!r} are both called {label!r}: must differ"
            )
    limits = {stage.limit for stage in program.stages}
    for domain in program.domains:
        offers = _offers(moved[domain.name]) if domain.name in moved else []
        for number in offers:
            try:
                domain.check(number)
            except ValueError as error:
                raise ValueError(f"a control offers {error}") from None
        most = max([*offers, values[domain.name]])
        if domain.name in limits and most > MOST_STEPS:
            raise ValueError(
                f"{domain.name} = {most:g}: must be at most {MOST_STEPS:,} steps, for the page's sake"
            )


def _offers(control: ipw.Widget) -> list[float]:
    """The ends of what a control offers, and a step; all that it offers, if these are only some."""
    if isinstance(control, LINKED_BY_INDEX):
        return [value for _, value in control._options_full]
    if not hasattr(control, "min") or not hasattr(control, "max"):
        return []
    ends = [control.min, control.min + (control.step or 0), control.max]
    if isinstance(control, ipw.FloatLogSlider):  # powers differ in the last digit
        return [float(f"{control.base**end:.12g}") for end in ends]
    return ends


def _check_read(program: Program, moved: Mapping[str, Any], compiled: Compiled) -> None:
    """A control that nothing reads would be dead."""
    places = {place for kernel in compiled.kernels for place in kernel["reads"]}
    read = {program.domains[place].name for place in places} | {stage.limit for stage in program.stages}
    if idle := sorted(set(moved) - read):
        raise ValueError(f"controls = {idle}: nothing that is computed depends on them")


def _check_size(compiled: Compiled) -> None:
    """A page loads every number that is baked in, and keeps all that a kernel returns."""
    outputs = [(kernel["name"], sum(map(math.prod, kernel["outputs"]))) for kernel in compiled.kernels]
    for what, size in [("what is baked in", compiled.constants.numel()), *outputs]:
        if size > MOST_NUMBERS:
            raise ValueError(f"{what}: {size:,} numbers: must be at most {MOST_NUMBERS:,}")


def reject_all_nan_panels(view: View, report: Any, watched: Any) -> None:
    """A panel of nothing but NaN would be blank; what is reported after one step of many is no sign of that."""
    found = {("report", name): leaf for name, leaf in entries(report)}
    found |= {("watch", name): leaf for name, leaf in entries(watched)}
    blank = {field for (among, field), leaf in found.items() if bool(leaf.isnan().all())}
    for panel in (*view.scene.parts, *view.panels):
        needs = [need for need in panel.needs() if (need.among, need.name) in found]
        across = {need.size for need in needs}
        drawn = {need.name for need in needs} - across
        if blank & across or (drawn and drawn <= blank):
            silent = blank & across or drawn
            raise ValueError(f"{', '.join(sorted(silent))}: nothing but NaN where the controls stand")


def _goals(
    entries: Sequence[dict[str, Any]], rows: Sequence[Row], sizes: Mapping[str, int]
) -> dict[str, str]:
    """What a challenge may ask for, with labels: what controls set, and single numbers that the table measures."""
    moved = {entry["name"]: entry["label"] for entry in entries if "label" in entry}
    measured = {name_of(row.measured): row.label for row in rows}
    return {**moved, **{field: label for field, label in measured.items() if sizes.get(field) == 1}}


def _trait(control: ipw.Widget) -> str:
    return "index" if isinstance(control, LINKED_BY_INDEX) else "value"


def _raw(control: ipw.Widget) -> Any:
    """What the control's linked trait holds."""
    return getattr(control, _trait(control))


def _value(key: str, value: Any) -> float:
    """The number a control stands for."""
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, (int, float)):
        raise TypeError(f"{key} = {value!r}: a live control must hold a number, a whole number or a switch")
    return value


def _parameter(
    domain: Domain, setting: ipw.Widget | float, default: float, usual: dict[str, float]
) -> dict[str, Any]:
    """What the page knows of a parameter; JSON has no infinity, so an open end is None.

    ``usual`` is where the code that the page copies leaves parameters of which it says nothing.
    """
    entry: dict[str, Any] = {
        "name": domain.name,
        "low": None if math.isinf(domain.low) else domain.low,
        "high": None if math.isinf(domain.high) else domain.high,
        "low_open": domain.low_open,
        "high_open": domain.high_open,
        "integer": domain.integer,
        "must": domain.must,
        "default": default,
        "usual": usual.get(domain.name),
    }
    if not isinstance(setting, ipw.Widget):
        return {**entry, "fixed": True}
    entry["label"] = setting.description or domain.name
    if isinstance(setting, LINKED_BY_INDEX):
        entry["choices"] = [value for _, value in setting._options_full]
        entry["track"] = {"choices": True}
    elif isinstance(setting, ipw.Checkbox):
        entry["boolean"] = True
    elif hasattr(setting, "min") and hasattr(setting, "max"):
        entry["track"] = {end: getattr(setting, end) for end in ("min", "max", "step")}
        if isinstance(setting, ipw.FloatLogSlider):
            entry["track"]["base"] = setting.base
    return entry


def _everything(report: Any, judges: int, derived: Derived) -> tuple[Panel, ...]:
    """Every 1-d output of the program itself against the first one."""
    added = {name for place in range(judges) for name in names(place).values()} | set(derived.functions)
    leaves = list(zip(fields(report), pytree.tree_leaves(report), strict=True))
    curves = [name for name, leaf in leaves if leaf.dim() == 1 and name not in added]
    lines = tuple(Curve(curves[0], y, y, VARIANTS[i % len(VARIANTS)]) for i, y in enumerate(curves[1:]))
    return (CurveChart("", x=curves[0], series=lines),) if lines else ()
