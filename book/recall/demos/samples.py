"""Theorem 3, live: accuracy and certainty against the number of prompts, for up to a million subjects."""

from __future__ import annotations

from book.recall.demos.phases import FAMILIES
from lib.recall.dynamics.samples import COLDEST, DEFAULTS, SIZES, study
from widgets import Live, controls, live
from widgets.panels import (
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

PICK = Pick(x="samples")
ACCURACY = CurveChart(
    title="Accuracy on new prompts: mean and range of four data sets",
    x="number of prompts |D|",
    x_scale="log",
    x_domain=(1, SIZES[-1]),
    domain=(0.0, 1.0),
    series=(
        Curve("sizes", "ceiling", "best possible", "ink", "5 3"),
        Curve("sizes", "accuracy", "", "accent"),
    ),
    points=(Points("sizes", "accuracy", "trained", "accent", low="accuracy_low", high="accuracy_high"),),
    levels=(Level("untrained", "untrained"),),
    pick=PICK,
)
CERTAINTY = CurveChart(
    title="Probability of r* on new prompts: mean and range",
    x="number of prompts |D|",
    x_scale="log",
    x_domain=(1, SIZES[-1]),
    domain=(0.0, 1.0),
    series=(
        Curve("sizes", "ceiling", "best possible", "ink", "5 3"),
        Curve("sizes", "probability", "", "relation"),
    ),
    points=(
        Points("sizes", "probability", "trained", "relation", low="probability_low", high="probability_high"),
    ),
    pick=PICK,
)
MISSED = CurveChart(
    title="Share of data sets without a confusing prompt",
    x="number of prompts |D|",
    x_scale="log",
    x_domain=(1, SIZES[-1]),
    domain=(0.0, 1.0),
    series=(Curve("sizes", "missed_by_law", "law", "ink", "5 3"),),
    points=(Points("sizes", "missed", "of these four", "confusing"),),
    levels=(Level("wanted", "5 % left", axis="x"),),
    pick=PICK,
)
TIME = TimeChart(
    title="Accuracy while training, by |D|",
    series=(
        Line("accuracy", 0, "1", "eos"),
        Line("accuracy", 2, "4", "second"),
        Line("accuracy", 5, "32", "accent"),
    ),
    domain=(0.0, 1.0),
)
LIGHTS = (
    Light("cold", "T at most 1/(40 log n)"),
    Light("identified", "two examples fix the relation (Assumption 1)"),
    Light("enough", "|D| large enough: 19 data sets in 20 hold a confusing prompt"),
    Light("seen", "all four data sets of this size hold one"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: the hypotheses hold, and accuracy on new prompts is above 0.999.",
        "Contradicted: the hypotheses hold, yet accuracy is below 0.999. Allow more steps.",
        "Outside the theorem: a hypothesis is broken, and accuracy is below 0.999.",
        "Beyond the theorem: a hypothesis is broken, yet accuracy is above 0.999.",
    ),
    tones=("good", "bad", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "With {now_size} prompts accuracy is {now_accuracy}, and r* gets probability {now_probability}: right, "
        "and sure.",
        "With {now_size} prompts accuracy is {now_accuracy}, but r* gets only probability {now_probability}: right "
        "is not yet sure.",
        "With {now_size} prompts accuracy is {now_accuracy}. No rule can be right more often than {best}: other "
        "relations fit both examples.",
        "Of the four data sets of {now_size} prompts some lack a confusing one. Which example wins is then chance: "
        "accuracy {now_accuracy}.",
        "With {now_size} prompts accuracy is {now_accuracy} and the probability of r* {now_probability}: too warm, or "
        "not trained for long enough.",
    ),
)
CODE = (
    "from lib.recall.dynamics.samples import study\nfrom lib.solve import run\n\n"
    "print(run(study(), {arguments}).report)"
)
TRIES = (
    Try(
        "Train on a single prompt.",
        {"samples": 1},
        "Some data sets lack a confusing prompt, and accuracy is luck.",
    ),
    Try(
        "Go to a million subjects.",
        {"subjects": 999_983, "temperature": 0.0018},
        "The curve stays where it was: the number of prompts does not grow with n.",
    ),
    Try(
        "Keep only a twentieth of the relations.",
        {"density": 0.05},
        "Confusing prompts are rare now, and so more prompts are needed. But most are right without training.",
    ),
    Try(
        "Draw random bijections instead.",
        {"bijections": 1, "density": 1.0},
        "Other relations often fit both examples. Training reaches the dashed line at once, and nobody can do better.",
    ),
    Try(
        "Warm it to 0.009.",
        {"temperature": 0.009},
        "Accuracy still looks perfect. The probability of r* tells another story.",
    ),
)


def demo() -> Live:
    """The demo of Theorem 3: 24 trainings at once, on data sets of 1 to 32 prompts."""
    view = View(
        panels=(ACCURACY, CERTAINTY, MISSED, TIME),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("accuracy on new prompts", "best", "now_accuracy"),
            Row("probability of r* there", "best", "now_probability"),
            Row("best accuracy that any rule has", "best_by_law", "best"),
            Row("accuracy before training", "", "untrained"),
            Row("share of prompts with a confusing relation", "confusing_share", ""),
            Row("prompts for a risk of 5 %", "wanted", ""),
            Row("prompts that Lemma 9 asks for, up to constants", "printed", ""),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        study(),
        view,
        name="samples",
        more=("seed", "rate_1", "rate_2", "radius", "steps"),
        bijections=controls.menu(
            int(DEFAULTS["bijections"]),
            ("a random part of the affine maps", "random bijections"),
            "relations",
        ),
        density=controls.linear(DEFAULTS["density"], 0.05, 1.5, 0.05, "|R| over n(n − 1)"),
        subjects=controls.choice(DEFAULTS["subjects"], FAMILIES, "number of subjects n"),
        samples=controls.choice(DEFAULTS["samples"], SIZES, "number of prompts |D|"),
        temperature=controls.temperature(DEFAULTS["temperature"], COLDEST, 0.2),
        seed=controls.seed(int(DEFAULTS["seed"])),
        rate_1=controls.learning_rate(
            DEFAULTS["rate_1"], 1, 300, "large step: c₁ in η₁ = c₁T^(3/2) log(1/T)"
        ),
        rate_2=controls.learning_rate(DEFAULTS["rate_2"], 10, 400, "small steps: c₂ in η₂ = c₂T²"),
        radius=controls.choice(
            DEFAULTS["radius"], (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2), "perturbation radius r"
        ),
        steps=controls.whole(int(DEFAULTS["steps"]), 20, 400, "small steps", step=20),
    )
