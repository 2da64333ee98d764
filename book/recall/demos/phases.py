"""The phase diagram, live: a click chooses subjects and temperature, and descent runs there."""

from __future__ import annotations

from book.recall.demos.saddle import ANSWER
from lib.recall.dynamics.phase_run import DEFAULTS, descent
from lib.recall.dynamics.phases import KINDS, PRINTED
from widgets import Live, controls, live
from widgets.panels import (
    Area,
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

PHASES = CurveChart(
    title="Which attention has the lowest loss",
    x="number of subjects n",
    y="temperature T",
    x_scale="log",
    y_scale="log",
    x_domain=(3, 1e6),
    domain=(1e-3, 0.2),
    areas=(
        Area("grid_n", "one_pair_T", "ceiling", "one pair", "query"),
        Area("left_n", "left_floor", "left_T", "", "first"),
        Area("window_n", "window_floor", "window_low", "pairwise", "first"),
        Area("window_n", "window_low", "window_high", "", "second"),
        Area("window_n", "window_high", "window_T", "pairwise", "first"),
    ),
    series=(
        Curve("window_n", "window_low", "even", "second"),
        Curve("window_n", "window_high", "", "second"),
        Curve("grid_n", "until_T", "", "ink", "2 3"),
        Curve("grid_n", "sure_T", "p(r*) = 0.999", "good"),
        Curve("grid_n", "printed_T", "1/(40 log n)", "bad", "5 3"),
    ),
    pick=Pick(x="subjects", y="temperature"),
)
SLICE = CurveChart(
    title="Loss L₁ on the pairwise slice (ring: lowest)",
    x="attention on each token of the first pair",
    series=(Curve("slice_x", "slice_loss", "L₁", "ink"),),
    points=(
        Points("best_x", "best_loss", "", "good", "ring"),
        Points("end_x", "end_loss", "run", "run"),
    ),
    x_domain=(0.0, 0.5),
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
PROBABILITY = TimeChart(
    title="Probability in the first decoding step",
    series=(
        Line("probability", 0, "r*", "relation"),
        Line("probability", 1, "confusing", "confusing"),
        Line("probability", 2, "one match", "query"),
        Line("probability", 3, "no match", "eos"),
    ),
    domain=(0.0, 1.0),
)
BEST = CurveChart(
    title="Highest p(r*) that any attention reaches at this n",
    x="temperature T",
    x_scale="log",
    x_domain=(1e-3, 0.2),
    series=(Curve("grid_T", "best_p", "p(r*)", "relation"),),
    levels=(Level("sure_limit", "0.999", axis="x"),),
    points=(Points("now_T", "end_probability", "run", "run"),),
    domain=(0.0, 1.0),
    pick=Pick(x="temperature"),
)
CONSTANT = CurveChart(
    title="The constant in T = C/log n",
    x="number of subjects n",
    y="T log n",
    x_scale="log",
    y_scale="log",
    x_domain=(3, 1e6),
    domain=(0.005, 0.6),
    areas=(Area("window_n", "low_C", "high_C", "", "second"),),
    series=(
        Curve("grid_n", "one_pair_C", "one pair", "query"),
        Curve("grid_n", "half_C", "p(r*) = ½", "relation"),
        Curve("grid_n", "sure_C", "p(r*) = 0.999", "good"),
    ),
    points=(Points("n", "constant", "now", "run"),),
    levels=(Level(0.5, "½"), Level(0.125, "⅛"), Level(PRINTED, "1/40")),
    pick=Pick(x="subjects"),
)
LIGHTS = (
    Light("perturbed", "a small perturbation: 0 < r ≤ 0.1"),
    Light("one_valley", "the minimum beside the saddle is the lowest"),
    Light("small_steps", "learning rate small enough: the loss never rises"),
    Light("settled", "the run has settled: L₁ is within 0.01 of a minimum", other="not yet"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: descent from the saddle ends in the best solution.",
        "Contradicted: the hypotheses hold, yet the run ends in another solution.",
        "Outside: a hypothesis is broken, and the run is not in the best solution.",
        "Beyond: a hypothesis is broken, yet the run is in the best solution.",
        "Not finished: the run is still on its way. Allow more steps.",
    ),
    tones=("good", "bad", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "Even attention is optimal at n = {n}: the confusing relation ties with r*, which gets {end_probability}. The "
        "perturbation dies out, and the loss stays at {end_loss}.",
        "Attention is pairwise, {end_large} and {end_small} on the tokens of the two pairs; that is optimal at "
        "n = {n}. The true relation gets probability {end_probability}.",
        "All attention goes to one pair; that is optimal at n = {n}. Every relation with this pair ties with r*, which "
        "gets {end_probability}.",
        "The run ends at loss {end_loss}, with weights {end_large} and {end_small}. The lowest at n = {n} is "
        "{best_loss}, at {best_large} and {best_small}.",
        "The run is still moving, at loss {end_loss}, with weights {end_large} and {end_small}. The lowest at n = {n} "
        "is {best_loss}.",
    ),
)
CODE = (
    "from lib.recall.dynamics.phase_run import descent\nfrom lib.solve import run\n\n"
    "print(run(descent(), {arguments}).report)"
)
FAMILIES = (
    3,
    4,
    5,
    7,
    8,
    9,
    11,
    13,
    17,
    23,
    32,
    43,
    59,
    73,
    101,
    131,
    179,
    239,
    317,
    421,
    563,
    751,
    997,
    1331,
    1777,
    2371,
    3163,
    4217,
    5623,
    7499,
    10007,
    13337,
    17783,
    23719,
    31627,
    42169,
    56237,
    75011,
    100003,
    133351,
    177823,
    237137,
    316223,
    421697,
    562337,
    749893,
    999983,
)
"""Powers of primes, eight to a decade: the numbers of subjects offered."""
RADII = (0.0, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 3.0, 10.0)
TRIES = (
    Try(
        "Warm the thousand subjects to 0.02.",
        {"temperature": 0.02},
        "The saddle has become the lowest point, and the perturbation dies out.",
    ),
    Try(
        "Warm them further, to 0.035.",
        {"temperature": 0.035},
        "Pairwise again: now it pays to be sure of one pair.",
    ),
    Try(
        "Go to a million subjects, at the printed limit.",
        {"subjects": 999_983, "temperature": 0.0018, "steps": 4000},
        "p(r*) is above 0.999, as Theorem 3 says, and could be at almost twice the temperature.",
    ),
    Try(
        "Go to three subjects, at the printed limit.",
        {"subjects": 3, "temperature": 0.02276},
        "Here 1/(40 log n) is too warm: no attention has 0.999. The theorem's n must be large.",
    ),
    Try(
        "Stand just above the jump.",
        {"subjects": 3, "temperature": 0.0895},
        "The second light goes out: one pair is best, yet the run stays pairwise behind a barrier.",
    ),
)


def demo() -> Live:
    """The demo of the phase diagram: stage 2 of Algorithm 1 at any n and T, beside the optimum."""
    view = View(
        panels=(PHASES, SLICE, ATTENTION, PROBABILITY, CONSTANT, BEST),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("solution: lowest loss, and where the run is", "best_kind", "end_kind", KINDS),
            Row("weight on each token of the stronger pair", "best_large", "end_large"),
            Row("weight on each token of the weaker pair", "best_small", "end_small"),
            Row("largest difference within a pair", "", "mismatch"),
            Row("loss L₁", "best_loss", "end_loss"),
            Row("probability of r*", "best_probability", "end_probability"),
            Row("probability of the confusing relation", "", "confusing"),
            Row("curvature of L₁ along ε̃ at the saddle", "curvature_formula", "curvature"),
            Row("T log n", "", "constant"),
            Row("T up to which 0.999 can be had: 1/(40 log n), and in fact", "printed_limit", "sure_limit"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        descent(),
        view,
        name="phases",
        more=("radius", "seed", "rate", "steps"),
        subjects=controls.choice(DEFAULTS["subjects"], FAMILIES, "number of subjects n"),
        temperature=controls.temperature(DEFAULTS["temperature"], 1e-3, 0.2),
        radius=controls.choice(DEFAULTS["radius"], RADII, "perturbation radius r"),
        seed=controls.seed(int(DEFAULTS["seed"])),
        rate=controls.learning_rate(DEFAULTS["rate"], 10, 200, "c in the step cT²/(1 + (20T)²)"),
        steps=controls.steps(int(DEFAULTS["steps"]), 4000, "steps, at most"),
    )
