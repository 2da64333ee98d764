"""What a view may name: everything that would leave the page blank, wrong or dead is refused here, by name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from widgets.panels import BarChart, CurveChart, HeatMap, Need, Panel, Simplex, Tiles, TimeChart, View

Sizes = Mapping[str, Mapping[str, int]]
"""How many numbers each field has, of the "report" and of the "watch"."""

SCALES = ("linear", "log")
SHAPES = ("dot", "ring", "cross")


def check_view(view: View, sizes: Sizes, parameters: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a view that names what is not there.

    Args:
        view: charts, lights, rows and sentences.
        sizes: of the program's fields.
        parameters: what the page knows of each parameter, ``fixed`` where it has no control, ``track`` where the
            control has a range.

    Raises:
        ValueError: the panel or part, and what it names.
    """
    for panel in view.panels:
        where = f"{type(panel).__name__} {panel.title!r}"
        for need in panel.needs():
            _check_field(where, need, sizes)
        _check_panel(where, panel, sizes)
        for name in _moved(panel):
            _check_parameter(where, name, parameters)
    _check_readout(view, sizes)
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
    elif isinstance(panel, (BarChart, HeatMap)):
        labels = panel.labels if isinstance(panel, BarChart) else panel.rows and panel.columns
        if not labels:
            raise ValueError(f"{where} has no labels")


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
    if isinstance(panel, Tiles) and panel.toggles:
        return [panel.toggles]
    return []


def _check_parameter(where: str, name: str, parameters: Mapping[str, Mapping[str, Any]]) -> None:
    if name not in parameters:
        raise ValueError(f"{where} sets {name!r}: the parameters are {list(parameters)}")
    if "track" not in parameters[name]:
        raise ValueError(f"{where} sets {name!r}: it must have a slider, or another control with a range")


def _check_readout(view: View, sizes: Sizes) -> None:
    """Lights, rows, verdict and caption."""
    seen = {light.field for light in view.lights}
    seen |= {field for row in view.rows for field in (row.predicted, row.measured) if field}
    seen |= {chooser.field for chooser in (view.verdict, view.caption) if chooser}
    for text in view.caption.texts if view.caption else ():
        seen |= set(re.findall(r"{(\w+)}", text))
    if unknown := seen - set(sizes["report"]):
        raise ValueError(
            f"view names {sorted(unknown)}: the program's report has only {list(sizes['report'])}"
        )
    if view.verdict and len(view.verdict.texts) != len(view.verdict.tones):
        raise ValueError(
            f"{len(view.verdict.tones)} tones: must be {len(view.verdict.texts)}, one for each verdict"
        )
