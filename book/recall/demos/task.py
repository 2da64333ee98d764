"""Assumptions 1 and 2, live: when do the examples give the relation away, from three subjects to a million?"""

from __future__ import annotations

from lib.recall.dynamics.giveaway import DEFAULTS, giveaway
from widgets import Live, controls, live
from widgets.panels import (
    Bar,
    BarChart,
    Caption,
    Curve,
    CurveChart,
    Level,
    Light,
    LiveVerdict,
    Pick,
    Points,
    Row,
    Try,
    View,
)

X = "number of relations |R|, in units of n(n − 1)"
WIDE = (0.01, 10.0)

CEILING = CurveChart(
    title="Best possible accuracy of naming r*",
    x=X,
    x_scale="log",
    x_domain=WIDE,
    series=(
        Curve("grid", "family_bound", "no set does better", "faint", "5 3"),
        Curve("grid", "ceiling_curve", "drawn at random", "relation"),
    ),
    points=(Points("load", "measured_ceiling", "counted", "run"),),
    levels=(Level(1.0, "Assumption 1's limit", axis="x"),),
    domain=(0.0, 1.0),
    pick=Pick(x="load"),
)
KINDS = CurveChart(
    title="Share of prompts that are confusing, and mismatched (two examples)",
    x=X,
    x_scale="log",
    x_domain=WIDE,
    series=(
        Curve("grid", "confusing_curve", "confusing", "confusing"),
        Curve("grid", "mismatched_curve", "mismatched", "mismatched"),
        Curve("grid", "mismatched_bound", "4(|R|−1)/(n(n−2))", "ink", "5 3"),
    ),
    points=(
        Points("load", "measured_confusing", "", "confusing"),
        Points("load", "measured_mismatched", "", "mismatched", "ring"),
    ),
    domain=(0.0, 1.0),
    pick=Pick(x="load"),
)
BROKEN = CurveChart(
    title="Assumption 1: broken somewhere, and met by a prompt",
    x=X,
    x_scale="log",
    x_domain=WIDE,
    series=(
        Curve("grid", "broken_curve", "broken somewhere, at least", "bad", "5 3"),
        Curve("grid", "met_curve", "met by a prompt", "accent"),
    ),
    points=(Points("load", "measured_met", "counted", "run"),),
    domain=(0.0, 1.0),
    pick=Pick(x="load"),
)
OTHERS = BarChart(
    title="How many other relations fit the examples",
    labels=("none", "1", "2", "3", "4", "5", "6 or more"),
    bars=(Bar("others", "law", "ink"), Bar("measured_others", "counted", "accent")),
    domain=(0.0, 1.0),
    x="share of prompts",
)
LIGHTS = (
    Light("family_exists", "there are such relations: affine maps need n to be a power of a prime"),
    Light("few", "at most n(n − 1) relations"),
    Light("assumption_1", "Assumption 1: two examples never fit two relations", other="by chance only"),
    Light("assumption_2", "Assumption 2 with ζ = 1/10"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: Assumption 1 holds, and the examples give the relation away.",
        "Contradicted: Assumption 1 holds, yet the examples do not give the relation away.",
        "Outside: Assumption 1 is broken, and no rule names r* in 99 of 100 prompts.",
        "Beyond: Assumption 1 is broken, yet r* can be named in 99 of 100 prompts.",
        "Nothing to test: no field has so many elements, so there are no affine maps.",
    ),
    tones=("good", "bad", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "Of {most} affine maps {relations} are drawn. Two examples always identify one; a share {confusing} of "
        "the prompts is confusing, and {mismatched} are mismatched.",
        "{relations} random bijections of {subjects} subjects: on average {agreeing} relations fit the examples, "
        "and the best rule names r* with probability {ceiling}.",
        "{relations} random bijections of {subjects} subjects: Assumption 1 may be broken, but only a share {met} of "
        "the prompts meets it, and the ceiling is {ceiling}.",
        "{relations} random bijections of {subjects} subjects: no two of them agree on two subjects. Assumption 1 "
        "holds, and the ceiling is {ceiling}.",
        "A field has a power of a prime for its number of elements, and {subjects} is none. The curves show what "
        "{most} such maps would give.",
    ),
)
CODE = (
    "import torch\nfrom lib.recall.dynamics.giveaway import giveaway\n\n"
    "values = dict({arguments})\n"
    "print(giveaway(**{name: torch.tensor(value, dtype=torch.float64) for name, value in values.items()}))"
)
TRIES = (
    Try(
        "Take affine maps, all of them.",
        {"family": 0, "load": 1.0},
        "The ceiling is 1, and every prompt is confusing and mismatched: the hardest case that can be solved.",
    ),
    Try(
        "Show a third example.",
        {"examples": 3},
        "Far fewer relations fit. The paper shows three examples with 512 relations; for those the limit is 336.",
    ),
    Try(
        "Take ten thousand subjects, and a hundredth of the limit.",
        {"subjects": 1e4, "load": 0.01},
        "Assumption 1 is broken somewhere for sure. Hardly any prompt notices, but now Assumption 2 fails.",
    ),
    Try(
        "Draw only a tenth of the affine maps.",
        {"family": 0, "load": 0.1},
        "Confusing prompts thin out in proportion; of mismatched ones about four times as many are left.",
    ),
    Try(
        "Take five subjects and all 120 bijections.",
        {"subjects": 5.0, "load": 6.0},
        "Six relations fit any two examples, and the best rule is right once in six.",
    ),
)


def demo() -> Live:
    """The demo of the assumptions: ceiling, kinds of prompt, breaches of Assumption 1."""
    view = View(
        panels=(CEILING, KINDS, BROKEN, OTHERS),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("relations: the limit n(n − 1), and drawn", "most", "relations"),
            Row("best accuracy of naming r*", "ceiling", "measured_ceiling"),
            Row("relations that fit the examples, mean", "agreeing", "measured_agreeing"),
            Row("prompts that fit another relation", "met", "measured_met"),
            Row("confusing prompts", "confusing", "measured_confusing"),
            Row("mismatched prompts", "mismatched", "measured_mismatched"),
            Row("pairs of examples that several relations share", "violations", "measured_violations"),
            Row("probability that Assumption 1 is broken, at least", "broken", ""),
            Row("examples K", "", "examples"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        giveaway,
        view,
        name="task",
        family=controls.menu(DEFAULTS["family"], ("affine maps", "all bijections"), "relations drawn from"),
        subjects=controls.logarithmic(DEFAULTS["subjects"], 3, 1e6, "subjects n"),
        load=controls.logarithmic(DEFAULTS["load"], *WIDE, "|R| in units of n(n − 1)"),
        examples=controls.choice(DEFAULTS["examples"], (2, 3, 4), "examples K"),
        seed=DEFAULTS["seed"],
    )
