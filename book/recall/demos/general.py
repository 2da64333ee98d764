"""Lemmas 9 to 11, live: one large step, then small ones, with up to a million subjects."""

from __future__ import annotations

from book.recall.demos.phases import FAMILIES
from lib.recall.dynamics.general import COLDEST, DEFAULTS, one_large_step
from widgets import Live, controls, live
from widgets.panels import (
    Bar,
    BarChart,
    Caption,
    Level,
    Light,
    Line,
    LiveVerdict,
    Row,
    TimeChart,
    Try,
    View,
)

TOKENS = ("v₁  s₁", "v₂  a₁", "v₃  s₂", "v₄  a₂", "v₅  s₃", "v₆  EoS")
DOTS = "1 3"
FEW = 8
"""Prompts to train on where not all are."""

ONE_STEP = BarChart(
    title="Attention after the large step",
    labels=TOKENS,
    bars=(
        Bar("paper_attention", "Lemma 9, first order", "faint"),
        Bar("exact_attention", "closed form", "ink"),
        Bar("measured_attention", "measured", "accent"),
    ),
    x="attention",
)
ATTENTION = TimeChart(
    title="Attention from EoS",
    series=(
        Line("attention", 0, "v₁  s₁", "first"),
        Line("attention", 1, "v₂  a₁", "first", DOTS),
        Line("attention", 2, "v₃  s₂", "second"),
        Line("attention", 3, "v₄  a₂", "second", DOTS),
        Line("attention", 4, "v₅  s₃", "query"),
        Line("attention", 5, "v₆  EoS", "eos"),
    ),
    domain=(0.0, 0.4),
)
SURE = TimeChart(
    title="Probability of r*",
    series=(
        Line("probability", 0, "confusing prompts", "confusing"),
        Line("probability", 1, "all others", "relation"),
        Line("probability", 2, "the worst prompt", "ink", "5 3"),
    ),
    levels=(Level(0.5, "½"),),
    domain=(0.0, 1.0),
)
LEAD = TimeChart(
    title="log₁₀ of the lead g = (v₁ − v₃)(v₂ − v₄)",
    series=(
        Line("growth", 1, "by the law", "ink", "5 3"),
        Line("growth", 2, "eq. 31's bound", "warn", DOTS),
        Line("growth", 0, "measured", "accent"),
    ),
    domain=(-14.0, 0.0),
)
LIGHTS = (
    Light("cold", "T at most 1/(40 log n)"),
    Light("has_confusing", "the data hold a confusing prompt"),
    Light("has_mismatched", "the data hold a mismatched prompt"),
    Light("enough", "all prompts, or at least T⁻³ log²(1/T) of them"),
    Light("large", "the large step is large enough, by the closed form"),
    Light("perturbed", "a perturbation is drawn"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: the hypotheses hold, and r* has probability 0.999 on every prompt.",
        "Not yet: the hypotheses hold, but 0.999 takes more steps, or a larger c₂.",
        "Outside the lemmas: a hypothesis is broken, and some prompt is not sure of r*.",
        "Beyond the lemmas: a hypothesis is broken, yet r* has probability 0.999 on every prompt.",
    ),
    tones=("good", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "The large step leaves r* at {confusing_after} on confusing prompts and {others_after} on the others. After "
        "{safe_after} small steps even the worst prompt is sure.",
        "No prompt of the data has a confusing relation. So nothing sets the two examples apart on purpose, and "
        "confusing prompts end at {confusing}.",
        "Without a perturbation the two examples stay exactly equal. Confusing prompts end at {confusing}, the others "
        "at {others}: a tie is a tie.",
        "Too warm for so many subjects: the many relations that match one pair or none add up, and the worst prompt "
        "ends at {worst}.",
        "The lead grows by the factor 1 + {rate} a step, squared. It has not yet come far enough: the worst prompt is "
        "at {worst}.",
        "The large step is too small to silence the mismatched relations: after it the other prompts are at "
        "{others_after}, and the worst prompt ends at {worst}.",
    ),
)
CODE = (
    "from lib.recall.dynamics.general import one_large_step\nfrom lib.solve import run\n\n"
    "print(run(one_large_step(), {arguments}).report)"
)
TRIES = (
    Try(
        "Take a million subjects.",
        {"subjects": 999_983, "temperature": 0.0018},
        "The same picture, slightly colder. The number of subjects enters through T alone.",
    ),
    Try(
        "Set c₁ to 1.",
        {"rate_1": 1.0},
        "The large step does next to nothing: after it r* still ties with its mismatched rivals. The small steps have "
        "to do its work.",
    ),
    Try(
        "Remove the perturbation.",
        {"radius": 0.0},
        "Confusing prompts stay at one half for ever, all others are right at once.",
    ),
    Try(
        "Train on eight prompts.",
        {"all_prompts": 0},
        "The lemmas ask for millions. Eight already set the two examples apart by themselves.",
    ),
    Try(
        "Warm it to 0.02.",
        {"temperature": 0.02},
        "Ten thousand subjects have too many relations for that: the query is not even let go.",
    ),
)


def demo() -> Live:
    """The demo of Lemmas 9 to 11: Algorithm 1 with one large step, for any number of subjects."""
    view = View(
        panels=(ONE_STEP, SURE, ATTENTION, LEAD),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("|v₁ − v₃| after the large step, at most T²", "allowed_asymmetry", "asymmetry"),
            Row("r* on confusing prompts after the large step", "", "confusing_after"),
            Row("r* on the others after it", "predicted_others", "others_after"),
            Row("growth of the lead's root in a step", "rate", "measured_rate"),
            Row("the same by eq. 31, at least", "printed_rate", ""),
            Row("small steps until 0.999 everywhere", "", "safe_after"),
            Row("r* at the end: confusing prompts", "", "confusing"),
            Row("r* at the end: the others", "", "others"),
            Row("r* at the end: the worst prompt", "", "worst"),
            Row("share of confusing prompts in the data", "", "confusing_share"),
            Row("prompts that Lemma 9 asks for", "wanted", ""),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        one_large_step(),
        view,
        name="general",
        more=("rate_2", "radius", "seed", "all_prompts", "steps"),
        subjects=controls.choice(DEFAULTS["subjects"], FAMILIES, "number of subjects n"),
        temperature=controls.temperature(DEFAULTS["temperature"], COLDEST, 0.2),
        density=controls.linear(DEFAULTS["density"], 0.05, 1.0, 0.05, "share of the affine relations"),
        rate_1=controls.learning_rate(
            DEFAULTS["rate_1"], 1, 300, "large step: c₁ in η₁ = c₁T^(3/2) log(1/T)"
        ),
        rate_2=controls.learning_rate(DEFAULTS["rate_2"], 10, 400, "small steps: c₂ in η₂ = c₂T²"),
        radius=controls.choice(
            DEFAULTS["radius"], (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1), "perturbation radius r"
        ),
        seed=controls.seed(int(DEFAULTS["seed"])),
        prompts=FEW,
        all_prompts=controls.switch(
            bool(DEFAULTS["all_prompts"]), "train on all prompts, not on eight of them"
        ),
        steps=controls.whole(int(DEFAULTS["steps"]), 40, 4000, "small steps, at most", step=40),
    )
