"""How cold must it be? Three subjects: where training ends at each temperature, beside the slice's turning points."""

from __future__ import annotations

from book.recall.charts import LOG_2, SLICE
from book.recall.temperature.program import COLDEST, FLOOR, HOTTEST, NEAR, cooling
from book.recall.temperature.scene import SCENE, cooled
from book.recall.temperature.statements import sharp_thresholds
from lib.recall.phases import thresholds
from widgets import Live, live, live_figure
from widgets.figure.panels import Area, CaptionCase, Curve, CurveChart, Level, Pick, Points, Row, Try

PICK = Pick(x="temperature", hint="Click or drag to set T")
KNOWN = thresholds()

ATTENTION = CurveChart(
    title="Attention a on each token of the lesser pair",
    x="temperature T",
    x_domain=(0.0, HOTTEST),
    domain=(0.0, 0.29),
    areas=(
        Area("proved_T", "band_low", "band_high", "theorem and proof hold", "good"),
        Area("kept_T", "band_low", "band_high", "", "pairwise"),
        Area("local_T", "band_low", "band_high", "", "warn"),
        Area("none_T", "band_low", "band_high", "no minimum", "bad"),
    ),
    series=(
        Curve("wide_T", "law", "law", "predicted", "5 3"),
        Curve("branch_T", "maximum", "maximum", "predicted", "2 3"),
        Curve("branch_T", "minimum", "minimum of the slice", "predicted"),
    ),
    points=(
        Points("settled_T", "settled", "trained", "measured", "ring"),
        Points("settled_T", "unsettled", "still moving", "measured", "cross"),
        Points("now_T", "measured_a", "this run", "run"),
    ),
    pick=PICK,
)
TURNS = SLICE._replace(
    title="Loss on the pairwise slice at this T; dotted, the run",
    points=(
        Points("low_x", "low_loss", "minimum", "good", "ring"),
        Points("high_x", "high_loss", "maximum", "bad", "ring"),
        Points("saddle_x", "saddle_loss", "saddle", "warn", "cross"),
    ),
)
LOSSES = CurveChart(
    title="Where the minimum loses: L₁ around the thresholds",
    x="temperature T",
    x_domain=NEAR,
    series=(
        Curve("near_T", "near_minimum", "minimum", "predicted"),
        Curve("near_T", "near_maximum", "maximum", "predicted", "2 3"),
        Curve("around_T", "around_end", "end, x = 0", "alone"),
    ),
    levels=(
        LOG_2,
        Level(KNOWN.below_log_2, "T₁", axis="x"),
        Level(KNOWN.lowest, "T₂", axis="x"),
        Level(KNOWN.exists, "T₃", axis="x"),
    ),
    points=(Points("now_T", "near_loss", "this run", "run"),),
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
        Curve("error_T", "law_error", "law", "predicted", "5 3"),
        Curve("error_T", "minimum_error", "minimum of the slice", "predicted"),
        Curve("error_T", "end_error", "end, x = 0", "alone"),
    ),
    points=(
        Points("settled_T", "runs_error", "trained", "measured", "ring"),
        Points("now_T", "shown_error", "this run", "run"),
    ),
    levels=(Level(0.01, "p = 0.99"), Level(0.001, "p = 0.999")),
    pick=PICK,
)
CAPTION = (
    CaptionCase(
        lambda r, p: ~r.left & ~r.perturbed,
        "Nothing was pushed along the way out: both pairs keep the same attention, and the true relation has "
        "probability {measured_p}, no more than the confusing one.",
    ),
    CaptionCase(
        lambda r, p: ~r.left,
        "Near the saddle: both pairs have almost the same attention. The true relation has probability {measured_p}.",
    ),
    CaptionCase(
        lambda r, p: ~r.exists,
        "Too hot. Minimum and maximum have met, and nothing holds attention back from one pair alone: the lesser pair "
        "has {measured_a}, at loss {measured_loss}; one pair alone has {end_loss}.",
    ),
    CaptionCase(
        lambda r, p: r.undecided & ~r.small_steps,
        "The steps are too large to settle: the loss rose on the way and is now {measured_loss}. The lowest is "
        "{lowest_loss}.",
    ),
    CaptionCase(
        lambda r, p: r.undecided,
        "Still moving: the lesser pair has {measured_a} so far, the theory says {predicted_a}. The true relation has "
        "probability {measured_p}.",
    ),
    CaptionCase(
        lambda r, p: r.concluded & r.below,
        "Cold enough. The lesser pair ends with {measured_a} on each token, and the theory says {predicted_a}. The "
        "true relation has probability {measured_p}.",
    ),
    CaptionCase(
        lambda r, p: r.concluded,
        "The theorem holds, its proof does not: the loss at the minimum, {measured_loss}, is the lowest on the slice, "
        "but above log 2.",
    ),
    CaptionCase(
        lambda r, p: ~r.lowest,
        "Training still ends in a minimum, at loss {measured_loss}. But the end of the slice, one pair alone, is "
        "lower: {end_loss}.",
    ),
    CaptionCase(None, "The run comes to rest at loss {measured_loss}; the lowest is {lowest_loss}."),
)
RANGES = (
    "below T₁: the minimum is the lowest point, below log 2",
    "T₁ to T₂: the lowest point, above log 2",
    "T₂ to T₃: a minimum, but not the lowest point",
    "above T₃: no minimum inside",
)
ROWS = (
    Row("where T lies", "", "range", RANGES),
    Row("attention a of the lesser pair", "predicted_a", "measured_a"),
    Row("the same by the law", "foretold_a", ""),
    Row("loss L₁", "predicted_loss", "measured_loss"),
    Row("loss at the end of the slice, x = 0", "end_loss", ""),
    Row("loss of the maximum above the minimum", "barrier", ""),
    Row("p(r*)", "predicted_p", "measured_p"),
    Row("1 − p(r*)", "predicted_error", "measured_error"),
    Row("the same by the law", "foretold_error", ""),
)
TRIES = (
    Try(
        "Cool down to 0.01.",
        {"temperature": 0.01},
        "Attention nears one sixth and one third, and the true relation gets 0.99. Training slows down.",
    ),
    Try(
        "Heat up to 0.0868.",
        {"temperature": 0.0868},
        "The loss at the minimum is above log 2, and the proof ends. The theorem still holds.",
    ),
    Try(
        "Heat up to 0.0896.",
        {"temperature": 0.0896, "steps": 1500},
        "Training still finds the minimum, but the end of the slice is lower: the theorem fails.",
    ),
    Try(
        "Heat up to 0.1.",
        {"temperature": 0.1},
        "The minimum is gone. The curve slides down to one pair alone, ever more slowly.",
    ),
    Try(
        "Cool down to 0.004.",
        {"temperature": 0.004},
        "The optimum is almost perfect, but the loss is so flat that training does not get there.",
    ),
)


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
        tries=TRIES,
        name="temperature",
        more=("perturbation_radius", "seed"),
    )
