"""Lemmas 9 to 11, live: one large step, then small ones, with up to a million subjects."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.recall.charts import COLOURS, TOKENS
from book.recall.general.program import one_large_step
from book.recall.general.statements import (
    has_confusing,
    is_cold_enough,
    is_large_enough,
    is_tied,
    lemma_9,
    lemma_10,
    lemma_11,
)
from book.recall.scene import CAPITAL
from lib.program import with_outputs
from lib.recall.general import patterns, population, true_probability
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, Cases, Level, Line, Row, TimeChart
from widgets.figure.scenes import Crowd, Predict, Scene, Step, Sticks, Stop, Token

DOTS = "1 3"
ONE_STEP = BarChart(
    title="Attention after the large step",
    labels=TOKENS,
    bars=(
        Bar("paper_attention", "Lemma 9, first order", "rough"),
        Bar("exact_attention", "closed form", "predicted"),
        Bar("measured_attention", "measured", "measured"),
    ),
    x="attention",
)
ATTENTION = TimeChart(
    title="Attention from EoS",
    series=tuple(
        Line("attention", i, token, colour, DOTS if "a" in token else "")
        for i, (token, colour) in enumerate(zip(TOKENS, COLOURS, strict=True))
    ),
    domain=(0.0, 0.4),
)
SURE = TimeChart(
    title="Probability of the true relation",
    series=(
        Line("probability", 0, "confusing", "confusing"),
        Line("probability", 1, "no rival", "relation"),
        Line("probability", 2, "the worst", "ink", "5 3"),
    ),
    levels=(Level(0.5, "½"),),
    domain=(0.0, 1.0),
)
LEAD = TimeChart(
    title="log₁₀ of the lead g = (v₁ − v₃)(v₂ − v₄)",
    series=(
        Line("growth", 1, "by the law", "predicted", "5 3"),
        Line("growth", 2, "eq. 31’s bound", "rough", DOTS),
        Line("growth", 0, "measured", "measured"),
    ),
    domain=(-14.0, 0.0),
)
RIVAL = patterns()[:, 0] > 0.5
"""Whether a prompt of each kind has a confusing relation."""


def _crowd(name: str, note: str, among: Tensor, other: Token) -> Crowd:
    """Kinds of prompts, those with the most relations that match two pairs first."""
    order = torch.argsort(-patterns().sum(1), stable=True)
    return Crowd(name, note, tuple(kind for kind in order.tolist() if among[kind]), other)


PROMPTS = Sticks(
    "Each stick is a prompt: it stands while its answer is a toss, and falls to the side that wins",
    "chances",
    "of_each_kind",
    (
        _crowd(
            "No rival",
            "only Paris–France, Rome–Italy",
            ~RIVAL,
            Token("other relations", "", "mismatched"),
        ),
        _crowd(
            "Confusing",
            "also Paris–Italy, Rome–France",
            RIVAL,
            Token("its rival, others", "", "confusing"),
        ),
    ),
    CAPITAL._replace(word="capital of"),
    many=300,
)
SCENE = Scene(
    PROMPTS,
    beside=(SURE,),
    stops=(
        Stop(
            "the large step",
            0,
            says="After the large step the true relation has {probability[1]:%} on prompts without a rival, and "
            "{probability[0]:%} on confusing prompts.",
        ),
        Stop(
            "confusing prompts tip",
            1,
            passes=("freed", 0),
            says="The small steps free the confusing prompts, too: the true relation has {probability[0]:%} there.",
        ),
        Stop("end", 1),
    ),
    predict=Predict(
        "how does the true relation’s probability grow on confusing prompts?",
        "probability",
        "probability of the true relation",
        (0.0, 1.0),
    ),
)
CAPTION: Cases = {
    "concluded": lambda r, p: r.concluded_3,
    "not confusing": lambda r, p: ~has_confusing(r, p),
    "not cold enough": lambda r, p: ~is_cold_enough(r, p),
    "not large enough": lambda r, p: ~is_large_enough(r, p),
    "tied": is_tied,
    "too early to tell, worst prompt right": lambda r, p: r.undecided_3 & (r.worst >= 0.9),
    "too early to tell, hardly moving": lambda r, p: r.undecided_3 & (r.rate < 0.01),
    "too early to tell": lambda r, p: r.undecided_3,
    "otherwise": None,
}


FREED = 0.75
"""The probability of r* on confusing prompts from which on one sees that they have tipped."""


def prompts(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
    """What the scene watches of each kind of prompt: the probability of r*, and how many there are."""
    counts, weights = population(p.subjects, p.density)
    return {
        "chances": true_probability(state.theta, counts, p.temperature),
        "of_each_kind": weights,
        "freed": seen.probability[:1] - FREED,
    }


WHY = (
    Step("start", PROMPTS, "start"),
    Step("step", ONE_STEP),
    Step("two-left", PROMPTS, "the large step"),
    Step("tie", ATTENTION, "the large step"),
    Step("lead", LEAD),
    Step("sure", SURE),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """The figure of Lemmas 9 to 11: Algorithm 1 with one large step, for any number of subjects."""
    return live(
        with_outputs(one_large_step(), prompts),
        lemma_9,
        lemma_10,
        lemma_11,
        scene=SCENE,
        panels=(ONE_STEP, SURE, ATTENTION, LEAD),
        caption=CAPTION,
        rows=(
            Row("p(r*) on confusing prompts after the large step", "", "confusing_after"),
            Row("p(r*) on the others after the large step", "", "others_after"),
            Row("growth of √g in a small step", "rate", "measured_rate"),
            Row("growth of √g by eq. 31, at least", "printed_rate", ""),
            Row("small steps until 0.999 everywhere", "", "safe_after"),
            Row("p(r*) on confusing prompts at the end", "", "confusing"),
            Row("p(r*) on the others at the end", "", "others"),
            Row("share of confusing prompts in the data", "", "confusing_share"),
            Row("prompts that Lemma 9 needs", "wanted", ""),
        ),
        why=WHY,
        name="general",
        more=("density", "rate_1", "rate_2", "seed", "all_prompts", "steps"),
    )
