"""Lemma 6, live: stage 2 of Algorithm 1 from the saddle, with three subjects."""

from __future__ import annotations

import math

from book.recall.demos.saddle import ANSWER
from lib.recall.claims.escape import ESCAPE
from lib.recall.dynamics import ESCAPED
from lib.recall.dynamics.escape import escape
from widgets import Live, controls, live
from widgets.panels import (
    Bar,
    BarChart,
    Caption,
    Curve,
    CurveChart,
    Level,
    Light,
    Line,
    LiveVerdict,
    Pick,
    Points,
    Row,
    TimeChart,
    Try,
    View,
)

ATTENTION = TimeChart(
    title="Attention from EoS, from the saddle on",
    series=(
        Line("attention", 0, "v₁  s₁", "first"),
        Line("attention", 1, "v₂  a₁", "first", ANSWER),
        Line("attention", 2, "v₃  s₂", "second"),
        Line("attention", 3, "v₄  a₂", "second", ANSWER),
    ),
    domain=(0.0, 0.55),
)
DISTANCE = TimeChart(
    title="log₁₀ of the distance from the saddle along ε̃",
    series=(
        Line("distance", 1, "foretold", "ink", "5 3"),
        Line("distance", 0, "measured", "accent"),
    ),
    domain=(-4.0, 0.5),
)
CURVATURE = CurveChart(
    title="Curvature along ε̃ at the saddle, times 8T",
    x="temperature T",
    x_scale="log",
    x_domain=(0.01, 10.0),
    series=(
        Curve("grid_T", "right", "right", "good"),
        Curve("grid_T", "printed", "as printed", "bad", "5 3"),
    ),
    points=(Points("now_T", "measured", "measured", "run"),),
    domain=(-1.05, -0.7),
    pick=Pick(x="temperature"),
)
SPECTRUM = BarChart(
    title="Curvature at the saddle in four directions, times 8T",
    labels=("½(1,1,−1,−1) = ε̃", "½(1,1,1,1)", "½(1,−1,1,−1)", "½(1,−1,−1,1)"),
    bars=(Bar("spectrum", "", "accent"),),
    x="eigenvalue of the Hessian, times 8T",
)
TIMES = CurveChart(
    title="Steps until the saddle is left",
    x="perturbation radius r",
    y="steps",
    x_scale="log",
    x_domain=(1e-10, 1.0),
    series=(Curve("grid_r", "predicted", "foretold", "ink", "5 3"),),
    points=(
        Points("runs_r", "runs", "measured", "accent", "ring"),
        Points("now_r", "measured_escape", "this run", "run"),
    ),
    domain=(0.0, 10.0),
    pick=Pick(x="perturbation_radius"),
)
LOSS = TimeChart(
    title="Loss L₁",
    series=(Line("loss", 0, "L₁", "accent"),),
    levels=(Level(math.log(2), "log 2"),),
)
LIGHTS = (
    Light("cold", "T small enough: the loss at the inner minimum is below log 2"),
    Light("perturbed", "the perturbation has a part along the way out, ⟨ξ, ε̃⟩ ≠ 0"),
    Light("small_steps", "learning rate small enough: the loss never rises"),
    Light("enough", "steps enough for stage 2 to converge", other="not yet"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: the hypotheses hold, and the loss falls below log 2.",
        "Contradicted: the hypotheses hold, yet the loss stays above log 2.",
        "Outside the lemma: a hypothesis is broken, and the loss ends above log 2.",
        "Beyond the lemma: a hypothesis is broken, yet the loss falls below log 2.",
        "Not finished: the loss is still above log 2. Allow more steps, or raise c₂.",
    ),
    tones=("good", "bad", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "The run leaves the saddle after {measured_escape} steps; the curvature foretells {predicted_escape}. "
        "After {fallen} steps the loss is below log 2, and it ends at {end_loss}.",
        "The run is still at the saddle; the curvature foretells {predicted_escape} steps.",
        "The run leaves the saddle after {measured_escape} steps ({predicted_escape} foretold), but settles at loss "
        "{end_loss}, above log 2: it is too hot, or the steps are too large.",
        "The run leaves the saddle after {measured_escape} steps ({predicted_escape} foretold). It is still moving, "
        "at loss {end_loss}, above log 2.",
    ),
)
CODE = (
    "from lib.recall.dynamics.escape import escape\nfrom lib.solve import run\n\n"
    "print(run(escape(), {arguments}).report)"
)
PAIRS = ("none", "first", "second")
TRIES = (
    Try(
        "Start a million times closer to the saddle.",
        {"perturbation_radius": 1e-9},
        "The straight line gets longer, and the run ends where it did.",
    ),
    Try(
        "Draw another perturbation.",
        {"seed": 2},
        "Its part along ε̃ has the other sign, and the second pair wins.",
    ),
    Try(
        "Raise the temperature to 0.087.",
        {"temperature": 0.087},
        "The run escapes as before, but not below log 2: the first light is out, and the lemma fails.",
    ),
    Try(
        "Remove the perturbation.",
        {"perturbation_radius": 0},
        "Nothing is left to grow. The run stays at the saddle.",
    ),
    Try(
        "Raise c₂ to 500.",
        {"rate_2": 500},
        "The saddle is left sooner, but the steps overshoot: the loss rises, and the third light goes out.",
    ),
)


def demo() -> Live:
    """The demo of Lemma 6: stage 2 alone, its escape foretold by the curvature at the saddle."""
    view = View(
        panels=(ATTENTION, LOSS, DISTANCE, TIMES, CURVATURE, SPECTRUM),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row(f"steps until |v₁ + v₂ − v₃ − v₄| > {ESCAPED:g}", "predicted_escape", "measured_escape"),
            Row("steps until L₁ < log 2", "", "fallen"),
            Row("curvature along ε̃", "right_curvature", "curvature"),
            Row("the same as printed", "printed_curvature", "curvature"),
            Row("pair that wins", "predicted_winner", "measured_winner", PAIRS),
            Row("⟨ξ, ε̃⟩", "", "overlap"),
            Row("L₁ at the end", "lowest", "end_loss"),
            Row("L₁ − log 2 at the saddle", "", "gap"),
            Row("drop of L₁ since the saddle", "", "gain"),
            Row("largest c₂ with η₂ ≤ 1/ℓ, as T falls", "rate_limit", ""),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        escape(),
        view,
        name="escape",
        more=("steps",),
        temperature=controls.temperature(ESCAPE["temperature"]),
        perturbation_radius=controls.perturbation_radius(ESCAPE["perturbation_radius"]),
        seed=controls.seed(int(ESCAPE["seed"])),
        rate_2=controls.learning_rate(ESCAPE["rate_2"], 1, 1000, "stage 2: c₂ in η₂ = c₂T²"),
        steps=controls.steps(int(ESCAPE["steps"]), 4000),
    )
