"""More than two examples, live: the pair masses from equal to 1 : 2 : … : k."""

from __future__ import annotations

import math

from lib.recall.dynamics.more_examples import DEFAULTS, lesson
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

MASSES = TimeChart(
    title="Mass of each pair: attention on its subject and its answer",
    series=(
        Line("masses", 0, "pair 1", "first"),
        Line("masses", 1, "pair 2", "second"),
        Line("masses", 2, "pair 3", "query"),
        Line("masses", 3, "pair 4", "eos"),
    ),
    domain=(0.0, 0.7),
)
LAW = BarChart(
    title="Masses at the end, by rank",
    labels=("largest", "second", "third", "fourth"),
    bars=(
        Bar("law", "law, T → 0", "faint"),
        Bar("warm_law", "law with its term in T", "ink"),
        Bar("masses", "measured", "accent"),
    ),
    domain=(0.0, 0.7),
    x="mass of the pair",
)
LOSS = TimeChart(
    title="Loss L₁, above the least that any rule can reach",
    series=(Line("loss", 0, "loss", "accent"),),
    levels=(Level("start_loss", "equal masses"), Level(math.log(2), "log 2: two relations tied")),
)
PROBABILITY = TimeChart(
    title="Probability of the relations that agree with all examples",
    series=(Line("probability", 0, "p", "relation"),),
    domain=(0.0, 1.0),
)
GAPS = BarChart(
    title="Logit by which r* leads: two pairs swapped, the last used missed",
    labels=("ranks 1 ↔ 2", "ranks 2 ↔ 3", "ranks 3 ↔ 4", "last missed"),
    bars=(Bar("gaps", "measured", "confusing"),),
    levels=(Level("smallest_gap", "law"),),
    x="logit gap",
)
WARMTH = CurveChart(
    title="Masses against temperature: the law's line",
    x="T over the law's smallest gap",
    x_scale="log",
    x_domain=(0.1, 3.0),
    series=(
        Curve("grid", "first", "largest", "ink"),
        Curve("grid", "second", "second", "ink"),
        Curve("grid", "third", "third", "ink"),
        Curve("grid", "fourth", "fourth", "ink"),
    ),
    points=(Points("now", "masses", "measured", "run"),),
    domain=(0.0, 0.7),
    pick=Pick(x="warmth"),
)
LIGHTS = (
    Light("cold", "T at most a third of the law's smallest gap"),
    Light("perturbed", "the perturbation sets the pairs apart"),
    Light("small_steps", "learning rate small enough: the loss never rises"),
    Light("converged", "the run has settled", other="not yet"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: every mass is the law's to a quarter of its spacing.",
        "Contradicted: the hypotheses hold, yet the masses are not the law's.",
        "Outside the law: a hypothesis is broken, and the masses are not the law's.",
        "Beyond the law: a hypothesis is broken, yet the masses are the law's.",
        "Not finished: the masses are still moving. Allow more steps, or raise c₂.",
    ),
    tones=("good", "bad", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "From equal masses the pairs part in the order in which the perturbation placed them. No mass ends further "
        "from the law than {distance} of its spacing, and the relations that agree with all examples get "
        "probability {probability}.",
        "Some relations are still tied with r*: the loss is {end_loss}, and the probability {probability}.",
        "Too warm for the law: the masses are up to {distance} spacings away from it, and the probability is "
        "{probability}.",
        "The masses are still moving, up to {distance} spacings away from the law.",
    ),
)
CODE = (
    "from lib.recall.dynamics.more_examples import lesson\nfrom lib.solve import run\n\n"
    "print(run(lesson(), {arguments}).report)"
)
TIES = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0)
PAIRS = ("pair 1", "pair 2", "pair 3", "pair 4")
TRIES = (
    Try(
        "Show four examples of all 120 relations.",
        {"examples": 4, "fixing": 4},
        "Masses in the ratio 1 : 2 : 3 : 4, and a smallest gap eleven times smaller than with two examples.",
    ),
    Try(
        "Keep the first two pairs tied for a while.",
        {"tie": 1e-6},
        "A second plateau: the loss waits at log 2 until the two part.",
    ),
    Try(
        "Show four examples where two would do.",
        {"examples": 4, "fixing": 2, "rate_2": 1000.0},
        "Two pairs take 1 : 2 and the other two fade: examples that are not needed get nothing.",
    ),
    Try(
        "Draw another perturbation.",
        {"seed": 1},
        "Another order, the same masses.",
    ),
    Try(
        "Heat it to twice the law's smallest gap.",
        {"warmth": 2.0, "rate_2": 30.0},
        "The first light goes out, and so does the law: the weakest pair is given up.",
    ),
)


def demo() -> Live:
    """The demo of the pair masses: two, three or four examples about relations between five subjects."""
    view = View(
        panels=(MASSES, LAW, LOSS, PROBABILITY, GAPS, WARMTH),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("masses from the largest to the smallest", "warm_law", "masses"),
            Row("largest distance from the law, in spacings", "", "distance"),
            Row("largest difference within a pair", "", "mismatch"),
            Row("smallest of the gaps", "smallest_gap", "least_gap"),
            Row("temperature T", "", "temperature"),
            Row("loss with equal masses", "", "start_loss"),
            Row("curvature there, −1/(2TK²)", "saddle_curvature", "curvature"),
            Row("loss at the end", "", "end_loss"),
            Row("pair with the largest mass", "foretold", "winner", PAIRS),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        lesson(),
        view,
        name="more_examples",
        more=("seed", "rate_2", "steps"),
        examples=controls.choice(int(DEFAULTS["examples"]), (2, 3, 4), "examples K"),
        fixing=controls.choice(int(DEFAULTS["fixing"]), (2, 3, 4), "pairs that fix a relation, t"),
        warmth=controls.logarithmic(DEFAULTS["warmth"], 0.1, 3, "T over the law's smallest gap"),
        perturbation_radius=controls.perturbation_radius(DEFAULTS["perturbation_radius"]),
        tie=controls.choice(DEFAULTS["tie"], TIES, "difference of pairs 1 and 2, times"),
        seed=controls.seed(int(DEFAULTS["seed"])),
        rate_2=controls.learning_rate(DEFAULTS["rate_2"], 10, 3000, "c₂ in η₂ = c₂(k/2)⁴T²"),
        steps=controls.steps(int(DEFAULTS["steps"]), 5000, "steps, at most"),
    )
