"""How cold must it be? Three subjects: where training ends at each temperature, beside the slice's turning points."""

from __future__ import annotations

import torch

from book.recall.charts import LOG_2, SLICE, constant, temperature
from book.recall.common import is_perturbed, is_too_hot, never_rises
from book.recall.temperature import curves
from book.recall.temperature.program import COLDEST, FLOOR, HOTTEST, NEAR, TEMPERATURES, cooling
from book.recall.temperature.scene import SCENE, VALLEY, cooled
from book.recall.temperature.statements import (
    is_below_log_2,
    is_lowest,
    is_unequal,
    sharp_thresholds,
)
from lib.recall.phases import thresholds
from widgets import Live, live, live_figure
from widgets.figure.panels import Area, Cases, Curve, CurveChart, Level, Pick, Points, Row
from widgets.figure.scenes import Step

PICK = Pick(x="temperature", hint="Drag to set the temperature")
KNOWN = thresholds()

_BRANCHES = curves.branches()
BRANCH_T = constant(_BRANCHES.temperature)
_NEAR = curves.near_branches()
NEAR_T = constant(_NEAR.temperature)
OFFERED_T = constant(curves.offered_temperatures())
AROUND_T = constant(curves.temperatures_around())
_ERRORS = curves.errors()
ERROR_T = constant(_ERRORS.temperature)
OTHER_RUNS_T = constant(torch.tensor(TEMPERATURES, dtype=torch.float64))
PROVED_T, THEOREM_T, MINIMUM_T, NO_MINIMUM_T = map(constant, curves.bands())
BAND_LOW = constant(torch.zeros(2, dtype=torch.float64))
BAND_HIGH = constant(torch.full((2,), 0.3, dtype=torch.float64))
"""The height of the chart, over which the ranges of temperature are coloured."""
ONE_PAIR = torch.zeros((), dtype=torch.float64)
SADDLE = constant(torch.tensor(0.25, dtype=torch.float64))

ATTENTION = CurveChart(
    title="Attention on each word of the weaker pair",
    x="temperature T",
    x_domain=(0.0, HOTTEST),
    domain=(0.0, 0.3),
    areas=(
        Area(PROVED_T, BAND_LOW, BAND_HIGH, "theorem holds", "good"),
        Area(THEOREM_T, BAND_LOW, BAND_HIGH, "", "pairwise"),
        Area(MINIMUM_T, BAND_LOW, BAND_HIGH, "", "warn"),
        Area(NO_MINIMUM_T, BAND_LOW, BAND_HIGH, "no valley", "bad"),
    ),
    series=(
        Curve(OFFERED_T, constant(curves.drawn_law()), "law", "predicted", "5 3"),
        Curve(BRANCH_T, constant(_BRANCHES.maximum), "ridge", "predicted", "2 3"),
        Curve(BRANCH_T, constant(_BRANCHES.minimum), "valley", "predicted"),
    ),
    points=(
        Points(OTHER_RUNS_T, "settled", "trained", "measured", "ring"),
        Points(OTHER_RUNS_T, "unsettled", "still moving", "measured", "cross"),
        Points(temperature, "measured_a", "this run", "run"),
    ),
    pick=PICK,
)
TURNS = SLICE._replace(
    title="Loss on the pairwise slice at this T (dotted: the run)",
    points=(
        Points("low_x", "low_loss", "minimum", "good", "ring"),
        Points("high_x", "high_loss", "maximum", "bad", "ring"),
        Points(SADDLE, "saddle_loss", "saddle", "warn", "cross"),
    ),
)
LOSSES = CurveChart(
    title="Three thresholds: proof, theorem, valley",
    x="temperature T",
    y="loss",
    x_domain=NEAR,
    series=(
        Curve(
            NEAR_T, constant(curves.loss_at(_NEAR.minimum, _NEAR.temperature)), "valley floor", "predicted"
        ),
        Curve(
            NEAR_T, constant(curves.loss_at(_NEAR.maximum, _NEAR.temperature)), "ridge", "predicted", "2 3"
        ),
        Curve(
            AROUND_T, constant(curves.loss_at(ONE_PAIR, curves.temperatures_around())), "one pair", "alone"
        ),
    ),
    levels=(
        LOG_2,
        Level(KNOWN.below_log_2, "T₁", axis="x"),
        Level(KNOWN.lowest, "T₂", axis="x"),
        Level(KNOWN.exists, "T₃", axis="x"),
    ),
    points=(Points(temperature, "near_loss", "this run", "run", when="end"),),
    pick=PICK,
)
ERROR = CurveChart(
    title="How unsure: 1 − p(r*) after training",
    x="temperature T",
    x_scale="log",
    x_domain=(COLDEST, HOTTEST),
    y_scale="log",
    domain=(FLOOR, 1.0),
    series=(
        Curve(ERROR_T, constant(_ERRORS.law), "law", "predicted", "5 3"),
        Curve(ERROR_T, constant(_ERRORS.minimum), "minimum of the slice", "predicted"),
        Curve(ERROR_T, constant(_ERRORS.end), "one pair alone", "alone"),
    ),
    points=(
        Points(OTHER_RUNS_T, "runs_error", "trained", "measured", "ring"),
        Points(temperature, "shown_error", "this run", "run"),
    ),
    levels=(Level(0.01, "p = 0.99"), Level(0.001, "p = 0.999")),
    pick=PICK,
)
CAPTION: Cases = {
    "not unequal, not perturbed": lambda r, p: ~is_unequal(r, p) & ~is_perturbed(r, p),
    "not unequal": lambda r, p: ~is_unequal(r, p),
    "too warm": is_too_hot,
    "too early to tell, loss rises": lambda r, p: r.undecided & ~never_rises(r, p),
    "too early to tell": lambda r, p: r.undecided,
    "concluded, below log 2": lambda r, p: r.concluded & is_below_log_2(r, p),
    "concluded": lambda r, p: r.concluded,
    "not lowest": lambda r, p: ~is_lowest(r, p),
    "otherwise": None,
}
RANGES = (
    "below T₁: the minimum is the lowest point, below log 2",
    "T₁ to T₂: the lowest point, above log 2",
    "T₂ to T₃: a minimum, but not the lowest point",
    "above T₃: no minimum inside",
)
ROWS = (
    Row("where T lies", "", "range", RANGES),
    Row("attention a of the lesser pair", "predicted_a", "measured_a"),
    Row("attention a by the law", "foretold_a", ""),
    Row("loss L₁", "predicted_loss", "measured_loss"),
    Row("loss with attention on one pair alone", "end_loss", ""),
    Row("loss of the maximum above the minimum", "barrier", ""),
    Row("p(r*)", "predicted_p", "measured_p"),
    Row("1 − p(r*)", "predicted_error", "measured_error"),
    Row("1 − p(r*) by the law", "foretold_error", ""),
)
WHY = (
    Step("slice", TURNS._replace(x="x: attention on each word of one pair")),
    Step("valley", VALLEY),
    Step("law", ATTENTION),
    Step("thresholds", LOSSES),
    Step("sure", ERROR),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """The thresholds: final attention and loss against temperature."""
    return live(
        cooled(cooling()),
        sharp_thresholds,
        scene=SCENE,
        panels=(ATTENTION, TURNS, LOSSES, ERROR),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        name="temperature",
        more=("rate_2", "steps", "seed"),
    )
