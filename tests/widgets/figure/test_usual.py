"""The view of a figure whose author names no panels: all that is returned is shown, or named in a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import ipywidgets as ipw
import pytest
import torch
from torch import Tensor

from lib.program import Program, record
from tests.widgets import showcase
from widgets import controls, live
from widgets.figure.live import Live
from widgets.figure.panels import CurveChart, HeatMap, Panel, TimeChart

T = torch.linspace(0, 1, 6, dtype=torch.float64)


def shown(**fields: Tensor) -> Live:
    """A figure of a function of one control that returns these."""
    return live(
        lambda a: {name: a * field for name, field in fields.items()}, a=controls.linear(1.0, 0, 3, 0.5, "a")
    )


def panels(figure: Live) -> list[Panel]:
    return [*figure.view.scene.parts, *figure.view.panels]


def drawn(figure: Live) -> list[tuple[str, list[str]]]:
    """The horizontal axis of each chart, and the curves in it."""
    charts = [panel for panel in panels(figure) if isinstance(panel, CurveChart)]
    return [(chart.x, [str(curve.y) for curve in chart.series]) for chart in charts]  # type: ignore[misc]


def test_curves_are_drawn_against_a_first_one_that_rises_or_one_that_is_called_like_an_axis():
    assert drawn(shown(width=T, height=1 - T)) == [("width", ["height"])]
    assert drawn(shown(loss=1 - T, time=T, accuracy=T * T)) == [("time", ["loss", "accuracy"])]


def test_curves_without_an_axis_are_drawn_against_their_index():
    figure = shown(loss=1 - T, accuracy=T * (1 - T))
    assert drawn(figure) == [("index", ["loss", "accuracy"])]
    assert drawn(shown(loss=1 - T)) == [("index", ["loss"])]
    (chart,) = panels(figure)
    report = figure.figure.check([1.0]).report
    assert report[chart.series[0].x].tolist() == [0, 1, 2, 3, 4, 5]  # type: ignore[union-attr]


def test_curves_of_another_length_have_a_chart_of_their_own():
    assert drawn(shown(t=T, y=T, other=T[:3])) == [("t", ["y"]), ("index", ["other"])]


def test_numbers_are_rows_and_matrices_heat_maps():
    figure = shown(t=T, y=T, final_loss=T[3], weights=torch.outer(T, T[:4]))
    assert [(row.label, row.measured) for row in figure.view.rows] == [("final loss", "final_loss")]
    (heat,) = [panel for panel in panels(figure) if isinstance(panel, HeatMap)]
    assert (heat.field, len(heat.rows), len(heat.columns)) == ("weights", 6, 4)


def test_what_is_watched_is_drawn_against_the_step():
    figure = live(watches(lambda x: {"x": x, "both": torch.stack([x, -x])}))
    charts = [panel for panel in panels(figure) if isinstance(panel, TimeChart)]
    assert [[line.label for line in chart.series] for chart in charts] == [["x"], ["both 0", "both 1"]]


def test_what_is_watched_and_has_no_drawing_is_named():
    with pytest.warns(
        UserWarning, match=r"many of shape \(9,\) is not drawn: must be at most 6 numbers"
    ) as said:
        live(watches(lambda x: {"many": x * torch.ones(9, dtype=torch.float64)}))
    assert said[0].filename == __file__


def watches(watch: Callable[[Tensor], dict[str, Tensor]]) -> Program:
    """The descent of the showcase, with something else to watch."""
    program = showcase.descent()

    def watched(state: Any, p: Any) -> Any:
        fields = watch(state.x)
        return record("Watched", fields)(*fields.values())

    return program._replace(watch=watched)


@pytest.mark.parametrize("shape", [(2, 2, 2), (70, 70), (0,)])
def test_what_has_no_drawing_is_named(shape):
    with pytest.warns(UserWarning, match=r"cube of shape \(.*\) is not drawn") as said:
        shown(t=T, y=T, cube=torch.ones(shape, dtype=torch.float64))
    assert said[0].filename == __file__


def test_a_slider_whose_steps_lead_past_its_end_says_so():
    slider = ipw.FloatSlider(value=0.7, min=0, max=3, step=0.7, description="a")
    with pytest.warns(UserWarning, match=r"a: steps of 0.7 from 0 do not reach 3: the last one is 2.8"):
        live(lambda a: {"t": T, "y": a * T}, a=slider)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        live(lambda a: {"t": T, "y": a * T}, a=controls.linear(0.3, 0, 0.9, 0.1, "a"))


def test_results_without_names_are_called_result():
    slider = controls.linear(1.0, 0, 3, 0.5, "a")
    assert drawn(live(lambda a: a * (1 - T), a=slider)) == [("index", ["result"])]
    assert drawn(live(lambda a: (T, a * (1 - T)), a=slider)) == [("result 1", ["result_2"])]


@pytest.mark.parametrize("kind", [ipw.Play, ipw.FloatProgress, ipw.IntProgress, ipw.Valid, ipw.Button])
def test_what_a_page_cannot_move_is_refused_in_one_sentence(kind):
    with pytest.raises(
        (ValueError, TypeError), match=rf"a = {kind.__name__}.*: (must be a slider|a live control)"
    ):
        live(lambda a: {"y": a * T}, a=kind())


@pytest.mark.parametrize("kind", [ipw.Checkbox, ipw.ToggleButton])
def test_a_switch_is_a_number(kind):
    figure = live(lambda a: {"y": a * T}, a=kind(value=True, description="on"))
    assert torch.equal(figure.report.y if hasattr(figure.report, "y") else figure.report["y"], T)
