"""Theorem 2, live: Algorithm 1 with three subjects."""

from __future__ import annotations

import math

from lib.recall.claims import DEFAULTS
from lib.recall.dynamics import ESCAPED, warm_up
from widgets import Live, controls, live
from widgets.panels import (
    Caption,
    Curve,
    CurveChart,
    Level,
    Light,
    Line,
    LiveVerdict,
    Path,
    Row,
    TimeChart,
    Try,
    View,
)

ANSWER = "5 3"
"""Dashes for answer tokens; subjects are drawn in full, the two of a pair in one colour."""

ATTENTION = TimeChart(
    title="Attention from EoS",
    series=(
        Line("attention", 0, "v₁  s₁", "first"),
        Line("attention", 1, "v₂  a₁", "first", ANSWER),
        Line("attention", 2, "v₃  s₂", "second"),
        Line("attention", 3, "v₄  a₂", "second", ANSWER),
        Line("attention", 4, "v₅  s₃", "query"),
        Line("attention", 5, "v₆  EoS", "eos"),
    ),
    domain=(0.0, 0.55),
)
PROBABILITY = TimeChart(
    title="Probability of the relations",
    series=(
        Line("shares", 0, "true r*", "relation"),
        Line("shares", 1, "confusing", "confusing", "7 4"),
        Line("shares", 2, "other four", "mismatched"),
    ),
    domain=(0.0, 1.0),
)
LOSS = TimeChart(
    title="Loss L₁",
    series=(Line("loss", 0, "L₁", "accent"),),
    levels=(Level(math.log(2), "log 2"),),
)
LANDSCAPE = CurveChart(
    title="Loss on the pairwise slice; dotted, the run",
    x="x, for attention (x, x, ½ − x, ½ − x, 0, 0)",
    series=(Curve("slice_x", "slice_loss", "", "accent"),),
    path=Path("position", "loss", "the run"),
    levels=(
        Level(math.log(2), "log 2"),
        Level("predicted_a", "a", axis="x"),
        Level("predicted_rest", "½ − a", axis="x"),
    ),
)
LIGHTS = (
    Light("cold", "T below T₀: the inner minimum of the slice is its lowest point"),
    Light("perturbed", "the perturbation does not keep the two examples equal"),
    Light("small_steps", "learning rates small enough: the loss never rises"),
    Light("converged", "both stages run to convergence (t₁ = t₂ = ∞)", other="not yet"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: the hypotheses hold, and so does Theorem 2.",
        "Contradicted: the hypotheses hold, yet the run does not end at the optimum.",
        "Outside the theorem: a hypothesis is broken, and the conclusion fails.",
        "Beyond the theorem: a hypothesis is broken, yet the conclusion holds.",
        "Not finished: stage 2 has not converged. Allow more steps, or raise c₂.",
    ),
    tones=("good", "bad", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "Stage 1 spreads attention evenly over both examples, a saddle of the loss. The perturbation tips it over: "
        "one pair ends with {measured_a} on each of its tokens (the theory says {predicted_a}), the other with the "
        "rest. "
        "The true relation then has probability {probability}, the confusing one {confusing}.",
        "The run is still at the saddle: the two examples share attention evenly, and the true relation is as likely "
        "as the confusing one ({probability} against {confusing}).",
        "Too hot: the slice has no inner minimum, and the theorem predicts nothing. The lesser pair has {measured_a} "
        "on average, the true relation probability {probability}.",
        "The run has not settled: the lesser pair has {measured_a} on average, the theory says {predicted_a}.",
    ),
)
CODE = "from lib.recall.dynamics import warm_up\nfrom lib.solve import run\n\nprint(run(warm_up(), {arguments}).report)"


COLDER = Try(
    "Lower the temperature to 0.02.",
    {"temperature": 0.02},
    "Attention moves towards one third and two thirds, and the loss drops far below log 2.",
)
STUCK = Try(
    "Remove the perturbation.",
    {"perturbation_radius": 0},
    "A hypothesis breaks, the run stays at the saddle, and the theorem's conclusion fails.",
)


def demo() -> Live:
    """The demo of Theorem 2: Algorithm 1 with three subjects, every setting a control."""
    view = View(
        panels=(ATTENTION, PROBABILITY, LOSS, LANDSCAPE),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("attention a of the lesser pair", "predicted_a", "measured_a"),
            Row("loss L₁ at the end", "predicted_loss", "measured_loss"),
            Row("loss at the end of the slice, x = 0", "", "end_loss"),
            Row(f"steps until |v₁ + v₂ − v₃ − v₄| > {ESCAPED:g}", "predicted_escape", "measured_escape"),
            Row("imbalance inside the pairs", "", "mismatch"),
            Row("attention on s₃ and EoS", "", "leak"),
            Row("attention v₁ … v₆ at the end", "", "attention"),
            Row("probability of a₃ in the second decoding step", "", "answer"),
        ),
        verdict=VERDICT,
        tries=(
            COLDER,
            Try(
                f"Start {DEFAULTS['perturbation_radius'] / 1e-7:,.0f} times closer to the saddle.",
                {"perturbation_radius": 1e-7},
                "The end is the same; only the escape comes later.",
            ),
            Try(
                "Draw another perturbation.",
                {"seed": 2},
                "The other pair wins: the sign of ξ along the escape direction decides it.",
            ),
            STUCK,
            Try(
                "Raise the temperature to 0.12.",
                {"temperature": 0.12},
                "No inner minimum is left, and the theorem fails: one pair takes all the attention, ever more slowly.",
            ),
        ),
        code=CODE,
    )
    return live(
        warm_up(),
        view,
        name="saddle",
        more=("rate_1", "rate_2", "steps", "to_limit"),
        temperature=controls.temperature(DEFAULTS["temperature"]),
        perturbation_radius=controls.perturbation_radius(DEFAULTS["perturbation_radius"]),
        seed=controls.seed(int(DEFAULTS["seed"])),
        rate_1=controls.learning_rate(DEFAULTS["rate_1"], 1, 1000, "stage 1: c₁ in η₁ = c₁T²"),
        rate_2=controls.learning_rate(DEFAULTS["rate_2"], 1, 1000, "stage 2: c₂ in η₂ = c₂T²"),
        steps=controls.steps(int(DEFAULTS["steps"]), 4000),
        to_limit=controls.switch(bool(DEFAULTS["to_limit"]), "take stage 1 to its limit, t₁ = ∞"),
    )


def front_door() -> Live:
    """The same demo for the landing page: three sliders, two charts."""
    view = View(
        panels=(ATTENTION, LANDSCAPE),
        caption=CAPTION,
        verdict=VERDICT,
        tries=(COLDER, STUCK),
        code=CODE,
    )
    return live(
        warm_up(),
        view,
        name="saddle",
        temperature=controls.temperature(DEFAULTS["temperature"]),
        perturbation_radius=controls.perturbation_radius(DEFAULTS["perturbation_radius"]),
        seed=controls.seed(int(DEFAULTS["seed"])),
        **{name: DEFAULTS[name] for name in ("rate_1", "rate_2", "steps", "to_limit")},
    )
