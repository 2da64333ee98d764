"""What a view may name: everything that would leave the page blank, wrong or dead is refused here, by name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from widgets.figure import colours
from widgets.figure.panels import (
    BarChart,
    CaptionCase,
    CurveChart,
    FieldRef,
    HeatMap,
    Panel,
    Simplex,
    Tiles,
    TimeChart,
    TruthMap,
    View,
    name_of,
    plain,
)
from widgets.figure.scenes import Cards, Graph, Ladder, Landscape, Net, Sentences, Strip, Tables
from widgets.figure.validate_program import entries
from widgets.figure.verdict import ITEMS, LISTS, SENTENCES, names
from widgets.words import check_card, quoted

Sizes = Mapping[str, Mapping[str, int]]
"""How many numbers each field has, of the "report" and of the "watch"."""


def check_type(where: str, value: Any, wanted: Any) -> None:
    """Refuse what annotations do not allow, in a panel or deep inside: ``where`` is its place.

    Raises:
        ValueError: the place, what is there, and what must be.
    """
    within = get_args(wanted)
    if isinstance(wanted, UnionType):
        fitting = [one for one in within if _is(value, one)]
        return check_type(where, value, fitting[0]) if fitting else _wrong(where, value, wanted)
    if not _is(value, wanted):
        return _wrong(where, value, wanted)
    if get_origin(wanted) is tuple:
        each = within[:1] * len(value) if within[-1] is ... else within
        if len(each) != len(value):
            raise ValueError(f"{where} has {len(value)} entries: must have {len(each)}")
        for place, (item, kind) in enumerate(zip(value, each, strict=True)):
            check_type(f"{where}[{place}]", item, kind)
    elif get_origin(wanted) is dict:
        for name, item in value.items():
            check_type(f"{where}[{name!r}]", item, within[1])
    elif hasattr(wanted, "_fields"):
        at = f"{type(value).__name__} {value.title!r}: " if hasattr(value, "title") else f"{where}."
        for name, kind in get_type_hints(wanted).items():
            check_type(f"{at}{name}", getattr(value, name), kind)
    return None


def _is(value: Any, wanted: Any) -> bool:
    """Whether a value is of a type, whatever is inside it; a NamedTuple is no plain tuple."""
    kind = get_origin(wanted) or wanted
    if kind in (int, float):
        return isinstance(value, int | kind) and value == value
    if kind is tuple:
        return type(value) is tuple
    if kind is Literal:
        return value in get_args(wanted)
    return kind is Any or isinstance(value, kind)


def _wrong(where: str, value: Any, wanted: Any) -> None:
    raise ValueError(f"{where} = {repr(value)[:80]}: must be {_named(wanted)}")


def _named(wanted: Any) -> str:
    """A type in words."""
    if get_origin(wanted) is Literal:
        return f"one of {', '.join(map(repr, get_args(wanted)))}"
    within = [_named(one) for one in get_args(wanted) if one not in (..., NoneType)]
    if isinstance(wanted, UnionType):
        return " or ".join(within)
    if get_origin(wanted) is tuple:
        return f"a tuple of {', '.join(within)}"
    return (
        "a dict of numbers"
        if within
        else {"int": "a whole number", "float": "a number", "str": "a text"}.get(
            wanted.__name__, wanted.__name__
        )
    )


def check_view(
    view: View, sizes: Sizes, parameters: Mapping[str, Mapping[str, Any]], stages: int = 0
) -> None:
    """Refuse a view that names what is not there.

    Args:
        view: charts, rows, sentences and statements.
        sizes: of the program's fields.
        parameters: what the page knows of each parameter, ``fixed`` where it has no control, ``track`` where the
            control has a range.
        stages: how many the program has.

    Raises:
        ValueError: the panel or part, and what it names.
    """
    _check_scene(view)
    _check_place("scene", "since", view.scene.since, max(stages, 1))
    for stop in view.scene.stops:
        _check_place(f"stop {stop.name!r}", "stage", stop.stage, stages)
        for need in stop.needs():
            _check_field(f"stop {stop.name!r}", need, sizes)
        if stop.passes:
            field, component = stop.passes
            _check_component(f"stop {stop.name!r}", field, component, sizes)
        for field, component in quoted(f"stop {stop.name!r}", stop.says):
            _check_component(f"stop {stop.name!r}", field, component, sizes)
    if (prediction := view.scene.predict) is not None:
        for need in prediction.needs():
            _check_field(f"predict {prediction.question!r}", need, sizes)
        _check_component(f"predict {prediction.question!r}", prediction.field, prediction.component, sizes)
        _check_ends(f"predict {prediction.question!r}", "domain", prediction.domain)
    _check_why(view)
    for panel in view.drawn:
        where = f"{type(panel).__name__} {panel.title!r}"
        for need in panel.needs():
            _check_field(where, need, sizes)
        _check_panel(where, panel, sizes)
        _check_parts(where, panel, sizes, max(stages, 1))
        _check_colours(where, panel)
        for name in _moved(panel):
            _check_parameter(where, name, parameters)
        if not _moved(panel) and not any(panel.needs()):
            raise ValueError(f"{where} shows nothing")
    _check_readout(view, sizes)
    for place, sheet in enumerate(view.statements):
        _check_sheet(place, sheet, sizes["report"])
    controls = sorted(name for name, entry in parameters.items() if not entry.get("fixed"))
    if view.map:
        _check_map(view.map, sizes, controls)
    described = {"scene": plain(view.scene), "parameters": list(parameters.values())}
    for card in view.story:
        check_card(f"the card {card.title!r}", card.values, card.stop, card.lights, described)


def _check_map(truth_map: TruthMap, sizes: Sizes, controls: list[str]) -> None:
    """The axes of a map are two controls."""
    x, y = truth_map.x, truth_map.y
    if x == y or not {x, y} <= set(controls):
        raise ValueError(f"map = {x!r}, {y!r}: must be two of the controls, {controls}")
    for need in truth_map.needs():
        _check_field("map", need, sizes)


def _check_why(view: View) -> None:
    """Steps of an argument have different names, which a class of the page can be, and moments that there are."""
    names_of = [step.name for step in view.why]
    if len(set(names_of)) < len(names_of) or not all(
        re.fullmatch(r"[a-z][a-z-]*", name) for name in names_of
    ):
        raise ValueError(
            f"steps are called {names_of}: must be different words of lower-case letters and hyphens"
        )
    for step in view.why:
        _check_moment(f"the step {step.name!r} shows", step.stop, view)


def _check_moment(where: str, stop: str, view: View) -> None:
    """A moment of the run is a stop of the scene, its start or its end."""
    moments = ["", "start", *(one.name for one in view.scene.stops)]
    if stop not in moments:
        raise ValueError(f"{where} {stop!r}: must be one of {moments}")


def _check_field(where: str, need: FieldRef, sizes: Sizes) -> None:
    there, field = sizes[need.among], need.name
    if field not in there:
        raise ValueError(f"{where} shows {field!r}: the program's {need.among} has only {list(there)}")
    wanted = {**sizes["report"], **there}.get(need.size) if isinstance(need.size, str) else need.size
    if wanted is not None and there[field] != wanted:
        as_many = f", as {need.size!r} has" if isinstance(need.size, str) else ""
        raise ValueError(
            f"{where} shows {field!r}, which has {there[field]} numbers: must have {wanted}{as_many}"
        )


def _check_scene(view: View) -> None:
    """A scene of small parts has a main one; no two stops have one name."""
    scene, stops = view.scene, [stop.name for stop in view.scene.stops]
    if scene.main is None and scene.parts:
        raise ValueError("scene: main = None: must be a part, with others below or beside it")
    if len(set(stops)) < len(stops) or "" in stops:
        raise ValueError(f"stops are called {stops}: must be different names")


def _check_place(where: str, name: str, place: int, count: int) -> None:
    if not 0 <= place < count:
        raise ValueError(f"{where}: {name} = {place}: must be 0{f' to {count - 1}' * (count > 1)}")


def _check_ends(where: str, name: str, ends: tuple[float, float], scale: str = "linear") -> None:
    low, high = ends
    if not (0 if scale == "log" else -math.inf) < low < high < math.inf:
        raise ValueError(
            f"{where}: {name} = {ends}: must lead from a number{' above 0' * (scale == 'log')} to a larger one"
        )


def _check_parts(where: str, panel: Any, sizes: Sizes, stages: int) -> None:
    """What kinds of panels and parts have in common: ends, stages, lines, and tokens by their number."""
    scales = {"domain": "y_scale", "x_domain": "x_scale", "reach": ""}
    for name, scale in scales.items():
        if isinstance(ends := getattr(panel, name, None), tuple):
            _check_ends(where, name, ends, getattr(panel, scale, "linear"))
    _check_place(where, "since", getattr(getattr(panel, "questions", panel), "since", 0), stages)
    if isinstance(share := getattr(panel, "share", None), tuple):
        _check_component(where, share[0], share[1], sizes)
    if isinstance(panel, Strip):
        for name, token in (("origin", panel.origin), ("below", panel.below[1] if panel.below else 0)):
            _check_place(where, name, token, len(panel.tokens))
    elif isinstance(panel, Net):
        for link in panel.links:
            _check_place(where, "left", link.left, len(panel.left))
            _check_place(where, "right", link.right, len(panel.right))
    elif isinstance(panel, Cards):
        for card in panel.cards:
            for word in card.holds:
                _check_place(where, "holds", word, len(panel.words))
    elif isinstance(panel, Sentences):
        for _, (field, component) in panel.models:
            _check_component(where, field, component, sizes)


def _check_panel(where: str, panel: Panel, sizes: Sizes) -> None:
    """What is peculiar to a kind of panel."""
    if isinstance(panel, TimeChart):
        for line in panel.series:
            _check_component(where, line.field, line.component, sizes)
    elif isinstance(panel, CurveChart):
        for trace in panel.traces:
            _check_component(where, trace.y, trace.component, sizes)
        for points in panel.points:
            if bool(points.low) != bool(points.high):
                raise ValueError(f"{where}: whiskers need both low and high")
    elif isinstance(panel, Tiles):
        shape = [len(row) for row in panel.texts]
        if shape != [len(panel.columns)] * len(panel.rows):
            raise ValueError(
                f"{where}: texts has rows of {shape}: must be {len(panel.rows)} of {len(panel.columns)}"
            )
    elif isinstance(panel, Simplex):
        _check_simplex(where, panel, sizes["report"])
    elif isinstance(panel, Graph | Ladder):
        most = len(panel.questions.facts) - 1
        if not 0 <= panel.questions.first <= most:
            raise ValueError(
                f"{where}: first = {panel.questions.first}: must be a fact's number, from 0 to {most}"
            )
    elif isinstance(panel, (BarChart, HeatMap)):
        labels = panel.labels if isinstance(panel, BarChart) else panel.rows and panel.columns
        if not labels:
            raise ValueError(f"{where} has no labels")


def _check_colours(where: str, panel: Panel) -> None:
    """Colours are roles, and no two of one drawing look the same."""
    seen: dict[str, str] = {}
    for name in colours.inside(panel):
        if name not in colours.ROLES:
            raise ValueError(f"{where}: {colours.unknown(name)}")
        if seen.setdefault(colours.HUES[name], name) != name:
            raise ValueError(f"{where}: {name!r} and {seen[colours.HUES[name]]!r} are one colour")


def _check_component(where: str, field: str, component: int, sizes: Sizes) -> None:
    size = sizes["watch"][field]
    if not 0 <= component < size:
        raise ValueError(f"{where}: component = {component}: {field} has components 0 to {size - 1}")


def _check_simplex(where: str, panel: Simplex, report: Mapping[str, int]) -> None:
    if panel.total == panel.share:
        raise ValueError(f"{where}: total and share must be two parameters")
    if panel.field:
        size = report[name_of(panel.field)]
        side = (math.isqrt(8 * size + 1) - 3) // 2
        if side < 1 or (side + 1) * (side + 2) != 2 * size:
            raise ValueError(
                f"{where} shows {panel.field!r}, which has {size} numbers: must have one for each row of simplex_grid"
            )


def _moved(panel: Panel) -> list[str]:
    """The parameters that a hand in the panel sets."""
    if isinstance(panel, Simplex):
        return [panel.total, panel.share]
    if isinstance(panel, CurveChart) and panel.pick:
        return [name for name in (panel.pick.x, panel.pick.y) if name]
    if isinstance(panel, Ladder) and panel.toggles:
        return [panel.toggles]
    if isinstance(panel, Landscape):
        return [panel.parameter]
    if isinstance(panel, Tables):
        return [choices.parameter for choices in (panel.rows, panel.blocks, panel.bars)]
    return []


def _check_parameter(where: str, name: str, parameters: Mapping[str, Mapping[str, Any]]) -> None:
    if name not in parameters:
        raise ValueError(f"{where} sets {name!r}: the parameters are {list(parameters)}")
    if "track" not in parameters[name]:
        raise ValueError(f"{where} sets {name!r}: it must have a slider, or another control with a range")


def _check_readout(view: View, sizes: Sizes) -> None:
    """Rows and caption."""
    for row in view.rows:
        if not (row.predicted or row.measured):
            raise ValueError(f"row {row.label!r} shows nothing")
    single = {name_of(row.of) for row in view.rows if row.of}
    seen = {name_of(field) for row in view.rows for field in (row.predicted, row.measured, row.of) if field}
    if view.caption:
        single |= _caption_fields(view.caption)
    seen |= single
    if unknown := seen - set(sizes["report"]):
        raise ValueError(
            f"view names {sorted(unknown)}: the program's report has only {list(sizes['report'])}"
        )
    for field in sorted(single):
        _check_field("a sentence", FieldRef(field, 1), sizes)


def _caption_fields(caption: tuple[CaptionCase, ...]) -> set[str]:
    """The fields that a caption's texts quote; a caption that could fall silent, or a case never shown, is refused."""
    unconditional = [place for place, case in enumerate(caption) if case.condition is None]
    if unconditional != [len(caption) - 1]:
        raise ValueError(
            f"the cases {unconditional} of a caption have no condition: the last, and no other, must have none"
        )
    quotes = [quote for case in caption for quote in quoted("a caption", case.text)]
    if component := [quote for quote in quotes if quote[1]]:
        field, place = component[0]
        raise ValueError(f"a caption reads '{field}[{place}]': must be a field with a single number")
    return {field for field, _ in quotes}


def _check_sheet(place: int, sheet: Mapping[str, Any], report: Mapping[str, int]) -> None:
    """A word for every number of a verdict, and a sentence for every outcome."""
    if set(sheet["sentences"]) != set(SENTENCES):
        raise ValueError(
            f"{sheet['id']}: sentences = {sorted(sheet['sentences'])}: must be {', '.join(sorted(SENTENCES))}"
        )
    for key, words in LISTS.items():
        size = report[names(place)[key]]
        if size != len(sheet[words]):
            raise ValueError(
                f"{sheet['id']}: {len(sheet[words])} {words} named: must be {size}, as {key!r} has"
            )
    for item, words in ITEMS.items():
        if (failures := len(sheet["failures"][item])) != len(sheet[words]):
            raise ValueError(
                f"{sheet['id']}: {failures} failures of a {item}: must be {len(sheet[words])}, as it has {words}"
            )


def reject_all_nan_panels(view: View, report: Any, watched: Any) -> None:
    """Refuse a panel whose fields are all NaN, which would be blank.

    ``report`` is None for a program with stages: what it reports after one step of many is no sign of that.
    """
    leaves = {("report", name): leaf for name, leaf in entries(report)}
    leaves |= {("watch", name): leaf for name, leaf in entries(watched)}
    blank = {field for (among, field), leaf in leaves.items() if bool(leaf.isnan().all())}
    for panel in view.drawn:
        needs = [need for need in panel.needs() if (need.among, need.name) in leaves]
        across = {need.size for need in needs}
        drawn = {need.name for need in needs} - across
        if blank & across or (drawn and drawn <= blank):
            silent = blank & across or drawn
            raise ValueError(f"{', '.join(sorted(silent))}: nothing but NaN where the controls stand")
