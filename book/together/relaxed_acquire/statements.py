"""Xu and Chen's propositions and Theorem 2 with one assumption dropped."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, at_least, at_most, statement
from book.together.experiments.relaxed_acquire import ALMOST, CONTEXT, LATER, SHARE, STEPS
from book.together.relaxed import ACQUIRE, within
from book.together.relaxed_acquire.program import End, relaxed_acquire
from lib.acquire.course import NEAR, STAGE_1
from lib.acquire.extraction import SET

FIRST_RATES = (2.0, 2.4)
"""Stage I's rate over the predicted one."""
SPEEDS = (0.0005, 0.001)
"""κ."""
FAILURE = 0.2
"""δ: in so many of the starts a statement may fail."""


def long_enough(r: End, p: Any) -> Tensor:
    """Whether stages II and III are long enough for the facts to be stored."""
    return (p.rate * p.steps_2 >= LATER * STEPS[1]) & (p.rate * p.steps_3 >= LATER * STEPS[2])


def tuned_enough(r: End, p: Any) -> Tensor:
    """Whether fine-tuning is long enough for answers to be counted."""
    return p.rate * p.steps >= SET


SCORES = ACQUIRE.keeps("scale", "matrices", words="one trained matrix of scores, not divided by a root")
DESCENDS = ACQUIRE.keeps(
    "adam", "minibatch", words="descent by gradients on all sentences, not by Adam or with minibatches"
)
PLAIN = ACQUIRE.keeps(
    "adam", "minibatch", "momentum", words="descent by gradients on all sentences, without momentum"
)
LONG_CONTEXT = ACQUIRE.keeps("norm", words="there is no layer norm")
UNBIASED = ACQUIRE.keeps("biases", words="there are no biases")
RESIDUAL = ACQUIRE.keeps("residual", "layers", words="attention has a residual stream, in one layer")
RIGHT = ACQUIRE.keeps("noise", words="all labels are right")
TWO_STEPS = (
    f"stage I has two steps at {FIRST_RATES[0]:g} to {FIRST_RATES[1]:g} times the predicted rate (ours)",
    lambda r, p: (p.steps_1 == STAGE_1) & within(p.rate_1, FIRST_RATES),
)
SLOW = (f"κ from {SPEEDS[0]:g} to {SPEEDS[1]:g} (ours)", lambda r, p: within(p.kappa, SPEEDS))
PACE = (f"a rate of {LATER:g} N after stage I (ours)", lambda r, p: p.rate == LATER)
STORED = ("stages II and III long enough for the facts to be stored", long_enough)
RANGES: dict[str, Any] = {"rate_1": FIRST_RATES, "kappa": SPEEDS, "seed": (0, 999)}


def offered(*kept: str) -> list[int]:
    """All choices of the switch, with those that a statement does not mind ten times as often."""
    return ACQUIRE.numbers(*kept) * 3 + list(range(len(ACQUIRE)))


@statement(
    "together.relaxed-filter",
    runs=relaxed_acquire,
    constants=(SHARE, *FIRST_RATES, *SPEEDS),
    assumes={
        "scores": SCORES,
        "plain": PLAIN,
        "long_context": LONG_CONTEXT,
        "unbiased": UNBIASED,
        "two_steps": TWO_STEPS,
        "slow": SLOW,
        "pace": PACE,
    },
    settled={"stored": STORED},
    good=lambda r: at_least(SHARE, r.share, "attention on the subject or the phrase, least"),
    holds_at={},
    fails_at={"relaxation": ACQUIRE.index("norm")},
    seeds=10,
    chance=FAILURE,
    ranges={**RANGES, "relaxation": offered("none", "heads", "layers", "gelu", "residual", "decay", "noise")},
    ground=Ground.OURS,
    loose=("Proposition 1: attention on the context, greatest",),
)
def relaxed_filter(r: End) -> Bounds:
    """Proposition 1: after stage I attention leaves out the context, and keeps subject and phrase."""
    return Bounds(
        at_most(1 / CONTEXT, r.context, "Proposition 1: attention on the context, greatest"),
        at_least(SHARE, r.share, "Proposition 1: attention on the subject or the phrase, least"),
    )


@statement(
    "together.relaxed-stages",
    runs=relaxed_acquire,
    constants=(NEAR, ALMOST, *FIRST_RATES, *SPEEDS),
    assumes={
        "scores": SCORES,
        "plain": PLAIN,
        "long_context": LONG_CONTEXT,
        "unbiased": UNBIASED,
        "residual": RESIDUAL,
        "right": RIGHT,
        "relu": ACQUIRE.keeps("gelu", words="the MLP’s activation is ReLU"),
        "two_steps": TWO_STEPS,
        "slow": SLOW,
        "pace": PACE,
    },
    settled={
        "stored": STORED,
        "tuned": ("fine-tuning long enough for answers to be counted", tuned_enough),
    },
    good=lambda r: at_most(ALMOST, r.wrong, "unseen facts wrong"),
    holds_at={},
    fails_at={"relaxation": ACQUIRE.index("residual")},
    seeds=10,
    chance=FAILURE,
    ranges={**RANGES, "relaxation": offered("none", "heads", "decay")},
    ground=Ground.OURS,
)
def relaxed_stages(r: End) -> Bounds:
    """Proposition 2: what each stage stores; Theorem 2: almost all unseen facts come out."""
    return Bounds(
        at_most(0.01, r.follower_1, "Proposition 2: 1, loss after [o], end of stage I"),
        at_least(2.0, r.phrase_2, "Proposition 2: 2, p(r) over chance, least, end of stage II"),
        at_least(2.0, r.answer_2, "Proposition 2: 2, p(a) over chance, least, end of stage II"),
        at_most(NEAR, r.excess, "Proposition 2: 3, loss above its entropy, end of stage III"),
        at_most(0.05, r.poor, "Theorem 2: loss above the entropy, of a random guess’s"),
        at_most(ALMOST, r.wrong, "Theorem 2: unseen facts wrong, full steps"),
    )


@statement(
    "together.relaxed-first-gradient",
    runs=relaxed_acquire,
    constants=(*FIRST_RATES, *SPEEDS),
    assumes={
        "undivided": ACQUIRE.keeps("scale", words="scores are not divided by a root"),
        "descends": DESCENDS,
        "long_context": LONG_CONTEXT,
        "unbiased": UNBIASED,
        "residual": RESIDUAL,
        "right": RIGHT,
        "two_steps": TWO_STEPS,
        "slow": SLOW,
        "pace": PACE,
    },
    settled={"stored": STORED},
    good=lambda r: at_least(5.0, r.others, "along p: answers and phrases over all other outputs"),
    holds_at={},
    fails_at={"relaxation": ACQUIRE.index("residual")},
    seeds=10,
    chance=FAILURE,
    ranges={**RANGES, "relaxation": offered("none", "heads", "gelu", "momentum", "decay", "matrices")},
    ground=Ground.OURS,
)
def relaxed_first_gradient(r: End) -> Bounds:
    """Proposition 3: which way fine-tuning's first gradient points."""
    return Bounds(
        at_least(10.0, r.phrases, "Proposition 3: phrases, along p over along a subject, least"),
        at_most(0.1, r.answers, "Proposition 3: answers, the same over 3, off 1 by at most"),
        at_least(
            5.0, r.others, "Proposition 3: along p, fine-tuned answers and phrases over all other outputs"
        ),
    )
