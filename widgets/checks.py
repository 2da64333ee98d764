"""What a view may name: everything that would leave the page blank, wrong or dead is refused here, by name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from widgets import colours
from widgets.judged import LISTS, SENTENCES, names
from widgets.panels import (
    BarChart,
    CurveChart,
    HeatMap,
    Need,
    Panel,
    Said,
    Simplex,
    Tiles,
    TimeChart,
    View,
)
from widgets.scenes import Graph, Ladder

Sizes = Mapping[str, Mapping[str, int]]
"""How many numbers each field has, of the "report" and of the "watch"."""

SCALES = ("linear", "log")
SHAPES = ("dot", "ring", "cross")
PLACES = re.compile(r"{(.*?)}")
"""Where a caption holds a number."""
NUMBER = re.compile(r"(\w+)(?::[%n])?")
CONDITION = re.compile(r"!?(\w+)")


def check_view(view: View, sizes: Sizes, parameters: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a view that names what is not there.

    Args:
        view: charts, rows, sentences and statements.
        sizes: of the program's fields.
        parameters: what the page knows of each parameter, ``fixed`` where it has no control, ``track`` where the
            control has a range.

    Raises:
        ValueError: the panel or part, and what it names.
    """
    for stop in view.scene.stops:
        for need in stop.needs():
            _check_field(f"stop {stop.name!r}", need, sizes)
        if stop.passes:
            field, component = stop.passes
            _check_component(f"stop {stop.name!r}", field, component, sizes)
    if (asked := view.scene.predict) is not None:
        for need in asked.needs():
            _check_field(f"predict {asked.question!r}", need, sizes)
        _check_component(f"predict {asked.question!r}", asked.field, asked.component, sizes)
    for panel in (*view.scene.parts, *view.panels):
        where = f"{type(panel).__name__} {panel.title!r}"
        for need in panel.needs():
            _check_field(where, need, sizes)
        _check_panel(where, panel, sizes)
        _check_colours(where, panel)
        for name in _moved(panel):
            _check_parameter(where, name, parameters)
    _check_readout(view, sizes)
    for place, sheet in enumerate(view.statements):
        _check_sheet(place, sheet, sizes["report"])
    controls = sorted(name for name, entry in parameters.items() if not entry.get("fixed"))
    for sentence in view.tries:
        if unknown := set(sentence.values) - set(controls):
            raise ValueError(f"a sentence to try sets {sorted(unknown)}: the controls are {controls}")


def _check_field(where: str, need: Need, sizes: Sizes) -> None:
    there = sizes[need.among]
    if need.field not in there:
        raise ValueError(f"{where} shows {need.field!r}: the program's {need.among} has only {list(there)}")
    wanted = there.get(need.size) if isinstance(need.size, str) else need.size
    if wanted is not None and there[need.field] != wanted:
        as_many = f", as {need.size!r} has" if isinstance(need.size, str) else ""
        raise ValueError(
            f"{where} shows {need.field!r}, which has {there[need.field]} numbers: must have {wanted}{as_many}"
        )


def _check_panel(where: str, panel: Panel, sizes: Sizes) -> None:
    """What is peculiar to a kind of panel."""
    if isinstance(panel, TimeChart):
        for line in panel.series:
            _check_component(where, line.field, line.component, sizes)
    elif isinstance(panel, CurveChart):
        for trace in panel.traces:
            _check_component(where, trace.y, trace.component, sizes)
        for name, scale in (("x_scale", panel.x_scale), ("y_scale", panel.y_scale)):
            _check_word(where, name, scale, SCALES)
        for points in panel.points:
            _check_word(where, "shape", points.shape, SHAPES)
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
        most = len(panel.asked.facts) - 1
        if not 0 <= panel.asked.first <= most:
            raise ValueError(
                f"{where}: first = {panel.asked.first}: must be a fact's number, from 0 to {most}"
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
    if len(panel.corners) != 3:
        raise ValueError(f"{where} has {len(panel.corners)} corners: must be 3")
    if panel.total == panel.share:
        raise ValueError(f"{where}: total and share must be two parameters")
    if panel.field:
        size = report[panel.field]
        side = (math.isqrt(8 * size + 1) - 3) // 2
        if side < 1 or (side + 1) * (side + 2) != 2 * size:
            raise ValueError(
                f"{where} shows {panel.field!r}, which has {size} numbers: must have one for each row of simplex_grid"
            )


def _check_word(where: str, name: str, word: str, words: tuple[str, ...]) -> None:
    if word not in words:
        raise ValueError(f"{where}: {name} = {word!r}: must be one of {', '.join(words)}")


def _moved(panel: Panel) -> list[str]:
    """The parameters that a hand in the panel sets."""
    if isinstance(panel, Simplex):
        return [panel.total, panel.share]
    if isinstance(panel, CurveChart) and panel.pick:
        return [name for name in (panel.pick.x, panel.pick.y) if name]
    if isinstance(panel, Ladder) and panel.toggles:
        return [panel.toggles]
    return []


def _check_parameter(where: str, name: str, parameters: Mapping[str, Mapping[str, Any]]) -> None:
    if name not in parameters:
        raise ValueError(f"{where} sets {name!r}: the parameters are {list(parameters)}")
    if "track" not in parameters[name]:
        raise ValueError(f"{where} sets {name!r}: it must have a slider, or another control with a range")


def _check_readout(view: View, sizes: Sizes) -> None:
    """Rows and caption."""
    seen = {field for row in view.rows for field in (row.predicted, row.measured, row.of) if field}
    if view.caption:
        seen |= _caption_fields(view.caption)
    if unknown := seen - set(sizes["report"]):
        raise ValueError(
            f"view names {sorted(unknown)}: the program's report has only {list(sizes['report'])}"
        )


def _caption_fields(caption: tuple[Said, ...]) -> set[str]:
    """The fields that a caption reads; one that could fall silent, or never be said in part, is refused."""
    asked = [said.when for said in caption]
    if asked.count("") != 1 or asked[-1]:
        raise ValueError(f"a caption is said when {asked}: the last, and no other, must be ''")
    conditions = [part.strip() for when in asked[:-1] for part in when.split("&")]
    places = [place for said in caption for place in PLACES.findall(said.text)]
    found = [(CONDITION, part) for part in conditions] + [(NUMBER, place) for place in places]
    fields = set()
    for pattern, text in found:
        match = pattern.fullmatch(text)
        if not match:
            raise ValueError(f"a caption reads {text!r}: must be a field, as a number also with :% or :n")
        fields.add(match[1])
    return fields


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
