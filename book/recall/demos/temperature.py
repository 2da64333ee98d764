"""How cold must it be? Three subjects: where training ends at each temperature, beside the slice's turning points."""

from __future__ import annotations

import math

from lib.recall.dynamics.temperature import COLDEST, DEFAULTS, FLOOR, HOTTEST, NEAR, cooling, thresholds
from widgets import Live, controls, live
from widgets.panels import (
    Area,
    Caption,
    Curve,
    CurveChart,
    Level,
    Light,
    LiveVerdict,
    Path,
    Pick,
    Points,
    Row,
    Try,
    View,
)

PICK = Pick(x="temperature", hint="Click or drag to set T")
KNOWN = thresholds()

ATTENTION = CurveChart(
    title="Attention a on each token of the lesser pair",
    x="temperature T",
    x_domain=(0.0, HOTTEST),
    domain=(0.0, 0.29),
    areas=(
        Area("proved_T", "band_low", "band_high", "theorem and proof hold", "good"),
        Area("kept_T", "band_low", "band_high", "", "accent"),
        Area("local_T", "band_low", "band_high", "", "warn"),
        Area("none_T", "band_low", "band_high", "no minimum", "bad"),
    ),
    series=(
        Curve("wide_T", "law", "law", "faint", "5 3"),
        Curve("branch_T", "maximum", "maximum", "ink", "2 3"),
        Curve("branch_T", "minimum", "minimum of the slice", "ink"),
    ),
    points=(
        Points("settled_T", "settled", "trained", "accent", "ring"),
        Points("settled_T", "unsettled", "still moving", "eos", "cross"),
        Points("now_T", "measured_a", "this run", "run"),
    ),
    pick=PICK,
)
SLICE = CurveChart(
    title="Loss on the pairwise slice at this T; dotted, the run",
    x="x, for attention (x, x, ½ − x, ½ − x, 0, 0)",
    series=(Curve("slice_x", "slice_loss", "", "accent"),),
    path=Path("position", "loss", "the run"),
    points=(
        Points("low_x", "low_loss", "minimum", "good", "ring"),
        Points("high_x", "high_loss", "maximum", "bad", "ring"),
        Points("saddle_x", "saddle_loss", "saddle", "ink", "cross"),
    ),
    levels=(Level(math.log(2), "log 2"),),
)
LOSSES = CurveChart(
    title="Where the minimum loses: L₁ around the thresholds",
    x="temperature T",
    x_domain=NEAR,
    series=(
        Curve("near_T", "near_minimum", "minimum", "ink"),
        Curve("near_T", "near_maximum", "maximum", "ink", "2 3"),
        Curve("around_T", "around_end", "end, x = 0", "second"),
    ),
    levels=(
        Level(math.log(2), "log 2"),
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
        Curve("error_T", "law_error", "law", "faint", "5 3"),
        Curve("error_T", "minimum_error", "minimum of the slice", "ink"),
        Curve("error_T", "end_error", "end, x = 0", "second"),
    ),
    points=(
        Points("settled_T", "runs_error", "trained", "accent", "ring"),
        Points("now_T", "shown_error", "this run", "run"),
    ),
    levels=(Level(0.01, "p = 0.99"), Level(0.001, "p = 0.999")),
    pick=PICK,
)
LIGHTS = (
    Light("exists", "a minimum exists inside the slice: T < T₃"),
    Light("lowest", "it is the lowest point of the slice: T < T₂"),
    Light("below", "its loss is below log 2, as the proof wants: T < T₁"),
    Light("perturbed", "the perturbation has a part along the way out"),
    Light("small_steps", "learning rate small enough: the loss never rises"),
    Light("finished", "stage 2 runs to convergence", other="not yet"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: the hypotheses hold, and training ends at the optimum a(T).",
        "Contradicted: the hypotheses hold, yet training does not end at the optimum.",
        "Outside the theorem: a hypothesis is broken, and training does not end at the optimum.",
        "Beyond the theorem: a hypothesis is broken, yet training ends at the optimum.",
        "Not finished: training is on its way to a(T). Allow more steps, or raise c₂.",
    ),
    tones=("good", "bad", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "Cold enough. The lesser pair ends with {measured_a} on each token, and the theory says {predicted_a}. The "
        "true relation has probability {measured_p}.",
        "The theorem holds, its proof does not: the loss at the minimum, {measured_loss}, is the lowest on the slice, "
        "but above log 2.",
        "Training still ends in the minimum, at loss {measured_loss}. But the end of the slice, one pair alone, is "
        "lower: {end_loss}.",
        "Too hot. Minimum and maximum have met, and attention drifts to one pair alone: a = {measured_a} so far, at "
        "loss {measured_loss}.",
        "Still moving: the lesser pair has {measured_a} so far, the theory says {predicted_a}. The true relation has "
        "probability {measured_p}.",
        "Still at the saddle: both pairs have the same attention, and the true relation has probability {measured_p}, "
        "no more than the confusing one.",
    ),
)
CODE = (
    "from lib.recall.dynamics.temperature import cooling\nfrom lib.solve import run\n\n"
    "print(run(cooling(), {arguments}).report)"
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
        "The third light goes out, and the proof with it. The theorem still holds.",
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


def demo() -> Live:
    """The demo of the thresholds: final attention and loss against temperature."""
    view = View(
        panels=(ATTENTION, SLICE, LOSSES, ERROR),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("attention a of the lesser pair", "predicted_a", "measured_a"),
            Row("the same by the law", "foretold_a", ""),
            Row("loss L₁", "predicted_loss", "measured_loss"),
            Row("loss at the end of the slice, x = 0", "end_loss", ""),
            Row("loss of the maximum above the minimum", "barrier", ""),
            Row("p(r*)", "predicted_p", "measured_p"),
            Row("1 − p(r*)", "predicted_error", "measured_error"),
            Row("the same by the law", "foretold_error", ""),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        cooling(),
        view,
        name="temperature",
        more=("perturbation_radius", "seed"),
        temperature=controls.linear(DEFAULTS["temperature"], COLDEST, HOTTEST, 0.0002, "temperature T"),
        rate_2=controls.learning_rate(DEFAULTS["rate_2"], 1, 1000, "c₂ in η₂ = c₂T²"),
        steps=controls.steps(int(DEFAULTS["steps"]), 2000, "steps, at most"),
        perturbation_radius=controls.perturbation_radius(DEFAULTS["perturbation_radius"]),
        seed=controls.seed(int(DEFAULTS["seed"])),
    )
