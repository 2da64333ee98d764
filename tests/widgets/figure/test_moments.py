"""What belongs to a run's end waits for it, what is watched follows the run, and axes have room for all of it."""

import pytest

from tests.widgets.program import called
from widgets.figure.panels import (
    Bar,
    BarChart,
    Curve,
    CurveChart,
    HeatMap,
    Line,
    Points,
    TimeChart,
    Trace,
    plain,
)

NAN = float("nan")
RUN = {"histories": [{"steps": [0, 5, 10], "rows": [[[k], [k, 2 * k, NAN]] for k in (0, 1, 4)]}]}
SPEC = {"watch": ["time", "seen"], "stages": [{"name": "learning"}], "scene": {"since": 1}}
REPORT = {"three": [10, 20, NAN], "low": [9, 19, 29], "high": [11, 21, 31], "x": [1, 2, 3], "step": [5]}
SHARES = (0, 0.5, 1)


def drawn(module: str, name: str, panel) -> list[dict]:
    """A panel at the start of the run, half-way and at its end."""
    return called(f"view/{module}", name, *((plain(panel), REPORT, SPEC, RUN, share) for share in SHARES))


def test_bars_follow_the_run_or_wait_for_its_end():
    bars = (Bar("seen", "now", "measured", "now"), Bar("three", "end", "predicted", "end"))
    drawings = drawn("bars", "barsDrawing", BarChart("B", ("a", "b", "c"), bars))
    rows = [{row["label"]: row["values"] for row in drawing["rows"]} for drawing in drawings]
    assert [row["a"][0] for row in rows] == [0, 1, 4]
    assert [row["b"][0] for row in rows] == [0, 2, 8]
    assert [row["b"][1] for row in rows] == [None, None, 20], "JSON has no NaN"
    assert not any("c" in row for row in rows), "what never gets a number has no row"
    assert {(min(drawing["reached"]), max(drawing["reached"])) for drawing in drawings} == {(0, 20)}


def test_a_table_says_the_sums_that_there_are_and_what_is_given():
    table = HeatMap(
        "H", "three", ("a",), ("x", "y", "z"), below="x", right="none", given_rows="step", total="sum"
    )
    (drawing,) = called("view/heat", "heatDrawing", (plain(table), {**REPORT, "none": [NAN]}))
    assert drawing["sums"] == {"rows": [], "columns": [1, 2, 3]}
    assert drawing["given"] == {"rows": [5], "columns": []}
    assert drawing["text"].endswith("sum: x 1, y 2, z 3.")


def test_a_bar_chart_of_predictions_alone_is_there_from_the_start():
    first, _, last = drawn(
        "bars", "barsDrawing", BarChart("B", ("a", "b", "c"), (Bar("three", "", "rough"),))
    )
    assert first["rows"] == last["rows"] != []


def test_points_and_curves_wait_for_the_end_and_whiskers_do_too():
    chart = CurveChart(
        "C",
        "x",
        series=(Curve("x", "seen", "", "measured", when="now"), Curve("x", "three", "", "predicted")),
        points=(
            Points("x", "seen", "", "measured", low="low", high="high", when="now"),
            Points("x", "three", "", "rough", when="end"),
        ),
    )
    start, _, end = drawn("curve_chart", "curveChartDrawing", chart)
    assert [series["y"][1] for series in start["series"]] == [0, 20]
    assert [series["y"][1] for series in end["series"]] == [8, 20]
    assert [points["y"][:2] for points in start["points"]] == [[0, 0], []]
    assert [points["y"][:2] for points in end["points"]] == [[4, 8], [10, 20]]
    assert not start["points"][0].get("low")
    assert end["points"][0]["low"] == REPORT["low"]
    for drawing in (start, end):
        assert [whole["y"][:2] for whole in drawing["whole"]] == [[4, 8], [4, 8], [10, 20]], (
            "the axes have room"
        )


@pytest.mark.parametrize(
    ("module", "name", "panel"),
    [
        ("time_chart", "timeChartDrawing", TimeChart("T", (Line("seen", 1, "", "run"),))),
        (
            "curve_chart",
            "curveChartDrawing",
            CurveChart("C", "x", traces=(Trace("time", "seen", 1, "", "run"),)),
        ),
    ],
)
def test_the_axes_know_the_whole_run_from_its_start(module, name, panel):
    for drawing, shown in zip(drawn(module, name, panel), (1, 2, 3), strict=True):
        assert len(drawing["series"][0]["y"]) == shown
        assert drawing["whole"][0]["y"] == [0, 2, 8]


def test_a_line_that_never_gets_a_number_has_no_name_at_any_moment():
    chart = TimeChart("T", (Line("seen", 1, "some", "run"), Line("seen", 2, "none", "other")))
    for drawing in drawn("time_chart", "timeChartDrawing", chart):
        assert [series["label"] for series in drawing["series"]] == ["some", ""]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-4.8e-51, "0"), (4.8e-6, "≈\u00a00"), (-7.5e-9, "≈\u00a00"), (-0.02, "−0.02"), (0.5, "0.5")],
)
def test_a_number_in_a_drawing_that_nobody_could_see_is_nothing(value, text):
    assert called("run/format", "onScale", (value, 0.6)) == [text]
