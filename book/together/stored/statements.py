"""What a memory that was learned does in the place of the constructed one: findings of ours."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, above, at_least, at_most, below, near, recorded, statement
from book.recall.common import is_perturbed, never_rises
from book.together.stored.at_once import AtOnce, at_once
from book.together.stored.equal_attention import EqualAttention, equal_attention
from book.together.stored.program import ALL, Looked, stored_then_looked_up
from book.together.stored.renaming import Renamed, renamed
from book.together.stored.sweeps import ByMultiplicity, ByShare, by_multiplicity, by_share
from lib.together.memory import FACTS

COLD, WARM = 0.03, 0.07
"""Temperatures between which the finding was made: below, the memory's own asymmetry shows inside the pairs; above, one
pair takes all."""


def all_stated(r: Looked, p: Any) -> Tensor:
    """Whether every fact is stated as it is."""
    return (p.missing == 0) & (p.wrong == 0)


def in_every_wording(r: Looked, p: Any) -> Tensor:
    """Whether every fact is stated in all wordings, and there are four."""
    return (p.multiplicity >= p.phrases) & (p.phrases >= 4)


def all_stored(r: Any, p: Any) -> Tensor:
    """Whether the memory says every statement, and there are some."""
    return r.stored_least > ALL


@statement(
    "together.stored",
    runs=stored_then_looked_up,
    assumes={
        "stated": ("every fact is stated as it is", all_stated),
        "often": ("each in all of four wordings, K = R = 4", in_every_wording),
        "cold": (
            f"T from {COLD:g} to {WARM:g}",
            lambda r, p: (p.temperature >= COLD) & (p.temperature <= WARM),
        ),
        "perturbed": ("the perturbation does not keep the two examples equal", is_perturbed),
        "small_steps": ("learning rates small enough: the loss never rises", never_rises),
    },
    settled={
        "learned": (
            "steps enough for the memory: its loss is within 0.1 of the least",
            lambda r, p: r.excess < 0.1,
        ),
        "far": (
            "steps enough for attention: cT times the steps of a stage is at least 400",
            lambda r, p: settled_enough(p),
        ),
    },
    good=lambda r: at_least(30, r.named, "prompts of 36 whose relation is named right"),
    holds_at={},
    fails_at={"multiplicity": 1},
    constants=(COLD, WARM),
    seeds=10,
    ranges={
        "temperature": [(COLD, WARM)] * 5 + [(0.015, 0.3)],
        "multiplicity": [4, 4, 4, 4, 4, 3, 2, 1],
        "perturbation_radius": [1e-6, 1e-4, 1e-3, 1e-2],
        "missing": [0.0] * 7 + [1 / 6],
        "wrong": [0.0] * 7 + [1 / 6],
        "seed": (0, 999),
        "steps": [600],
    },
    ground=Ground.OURS,
)
def stored_and_looked_up(r: Looked) -> Bounds:
    """The memory stores all, stage 1 ends at a saddle above log 2, and stage 2 below it with pairwise attention."""
    return Bounds(
        at_least(ALL, r.stored_least, "share of the statements that the memory says"),
        at_least(math.log(2) - 1e-12, r.tie_loss, "loss L₁ after stage 1"),
        below(0.0, r.curvature, "T times the least curvature there"),
        below(math.log(2), r.loss, "loss L₁ at the end"),
        at_most(0.05, r.mismatch, "imbalance inside the pairs"),
        above(0.1, r.between, "difference between the pairs"),
        recorded(r.tie_distance, "distance of the tie from (¼, ¼, ¼, ¼, 0, 0)"),
        recorded(r.asymmetry, "asymmetry of the memory"),
        recorded(r.named, "prompts of 36 named right"),
        recorded(r.probability, "probability of the true relation"),
        recorded(r.constructed_probability, "with the constructed memory"),
        recorded(r.lead, "lead of the memory"),
    )


def settled_enough(p: Any) -> Tensor:
    """Whether each stage has steps enough at this temperature: attention moves by cT a step."""
    return (p.rate_1 * p.temperature * p.steps >= 400) & (p.rate_2 * p.temperature * p.steps >= 400)


@statement(
    "together.tie",
    measures=equal_attention,
    assumes={"equal": ("both examples have equal attention", lambda r, p: p.tilt == 0)},
    holds_at={"temperature": 0.01, "constructed": 1},
    fails_at={"temperature": 0.01, "constructed": 1, "tilt": 0.4},
    ranges={
        "temperature": (0.005, 10.0),
        "tilt": [0.0, 0.0, 0.0, 0.4],
        "activation": ["square", "relu", "gelu"],
        "constructed": [0, 0, 1],
        "seed": (0, 9999),
    },
    algebra=True,
    ground=Ground.OURS,
)
def tie(r: EqualAttention) -> Bounds:
    """L₁ is at least log 2, since a relation and its rival share what they have."""
    return Bounds(
        at_least(math.log(2) - 1e-12, r.least, "loss L₁, least over attention"),
        at_most(
            1 + 1e-12, r.rivals, "probability of r* in its prompt plus that of its rival in its own, largest"
        ),
    )


@statement(
    "together.renaming",
    measures=renamed,
    assumes={
        "averaged": ("the memory does not change when its words are renamed", lambda r, p: p.averaged == 1),
        "slow": (
            "steps small enough for rounding not to grow: T at most 0.1",
            lambda r, p: p.temperature <= 0.1,
        ),
    },
    holds_at={},
    fails_at={"averaged": 0},
    ranges={
        "averaged": [1, 1, 1, 0],
        "temperature": [(0.03, 0.1)] * 3 + [(0.03, 0.3)],
        "perturbation_radius": (1e-3, 1.0),
        "missing": [0.0, 1 / 6, 1 / 3],
        "multiplicity": [1, 2, 4],
        "memory_steps": [60, 150],
        "seed": (0, 999),
    },
    algebra=True,
    ground=Ground.OURS,
)
def renaming(r: Renamed) -> Bounds:
    """Algorithm 1 takes the very steps that it takes over the constructed memory."""
    return Bounds(
        near(0.0, r.apart, "difference of attention from Recall's run, largest", absolute=1e-7),
        recorded(r.gap, "μ − ν"),
    )


@statement(
    "together.multiplicity",
    measures=by_multiplicity,
    assumes={
        "cold": ("T from 0.04 to 0.06", lambda r, p: 0.04 <= p.temperature <= 0.06),
        "several": ("a mean over four starts or more", lambda r, p: p.seeds >= 4),
    },
    holds_at={"seeds": 10},
    fails_at={"temperature": 0.3, "seeds": 4, "steps": 8},
    ranges={"temperature": [(0.04, 0.06)] * 3 + [(0.02, 0.3)], "seeds": [4], "first": (0, 900)},
    constants=(0.04, 0.06),
    ground=Ground.OURS,
)
def more_wordings(r: ByMultiplicity) -> Bounds:
    """The true relation is more probable from each K to the next."""
    return Bounds(
        above(0.0, r.least_rise, "probability of the true relation, least rise from one K to the next"),
        *(recorded(value, f"probability at K = {k}") for k, value in r.probability.items()),
        *(recorded(value, f"prompts named right at K = {k}") for k, value in r.named.items()),
        *(recorded(value, f"prompts determined at K = {k}") for k, value in r.determined.items()),
    )


@statement(
    "together.missing",
    measures=by_share,
    assumes={
        "some": ("two or three of the 18 facts", lambda r, p: 1.5 < p.share * FACTS < 3.5),
        "cold": ("T from 0.04 to 0.06", lambda r, p: 0.04 <= p.temperature <= 0.06),
        "several": ("a mean over four starts or more", lambda r, p: p.seeds >= 4),
    },
    holds_at={"share": 2 / FACTS, "seeds": 10},
    fails_at={"share": 0.0, "seeds": 4},
    ranges={
        "share": [k / FACTS for k in (2, 3, 2, 3, 0, 12)],
        "temperature": (0.04, 0.06),
        "seeds": [4],
        "first": (0, 900),
    },
    constants=(0.04, 0.06),
    ground=Ground.OURS,
)
def missing_and_wrong(r: ByShare) -> Bounds:
    """Missing facts cost probability, and wrong ones cost more."""
    return Bounds(
        above(0.0, r.complete - r.missing, "probability that missing facts cost"),
        above(0.0, r.missing - r.wrong, "probability that wrong facts cost beyond that"),
        recorded(r.named_complete, "prompts named right, complete"),
        recorded(r.named_missing, "with a share missing"),
        recorded(r.named_wrong, "with that share wrong"),
        recorded(r.both_stated, "36 (1 − q)²"),
    )


@statement(
    "together.at-once",
    measures=at_once,
    assumes={
        "often": ("each fact is stated in all four wordings", lambda r, p: p.multiplicity == 4),
        "cold": ("T from 0.03 to 0.06", lambda r, p: 0.03 <= p.temperature <= 0.06),
        "slight": (
            "a small perturbation, 0 < r ≤ 0.0001",
            lambda r, p: 0 < p.perturbation_radius <= 1.0001e-4,
        ),
    },
    holds_at={"perturbation_radius": 1e-4},
    fails_at={"perturbation_radius": 1e-4, "multiplicity": 1},
    ranges={
        "temperature": [(0.03, 0.06)] * 3 + [(0.02, 0.2)],
        "multiplicity": [4, 4, 4, 3, 1],
        "perturbation_radius": [1e-6, 1e-5, 1e-4, 1e-2],
        "seed": (0, 999),
    },
    seeds=10,
    constants=(0.03, 0.06, 0.01),
    ground=Ground.OURS,
)
def memory_first(r: AtOnce, p: Any) -> Bounds:
    """The memory is complete before the tie breaks, and L₁ falls below log 2 after that."""
    return Bounds(
        above(0.0, r.left - r.stored, "steps from the memory’s last statement to the end of the tie"),
        at_most(p.steps, r.below, "step after which L₁ is below log 2"),
        at_least(math.log(2) - 1e-3, r.tied_loss, "least L₁ before the tie breaks"),
        recorded(r.stored, "step after which the memory completes every statement"),
        recorded(r.left, "step after which the two examples have unequal attention"),
        recorded(r.named, "prompts of 36 named right at the end"),
    )
