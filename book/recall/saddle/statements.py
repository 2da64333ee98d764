"""Theorem 2 (Theorem 4 of the appendix), Algorithm 1, and what its stages do: Lemmas 5 and 8."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from book.ledger import Bounds, above, at_least, at_most, below, near, recorded, statement
from book.ledger.statement import Predicate
from book.recall.common import TOLERANCE, is_perturbed, never_rises
from book.recall.saddle.approach import Approach, to_the_saddle
from book.recall.saddle.balance import Balance, EvenedPairs, evened_pairs, evening_out
from book.recall.saddle.full_model import BothStages, both_stages
from book.recall.saddle.program import TwoStage, warm_up


def is_cold(r: TwoStage, p: Any) -> Tensor:
    """Whether the slice has an inner minimum, and it is its lowest point."""
    return r.predicted_loss < r.end_loss  # NaN is not less


def is_endless(r: TwoStage, p: Any) -> Tensor:
    """Whether stage 1 is taken to its limit."""
    return p.to_limit > 0.5


def is_slow(r: TwoStage, p: Any) -> Tensor:
    """Whether both learning rates are at most 1/ℓ = 32T²."""
    return (p.rate_1 <= 32) & (p.rate_2 <= 32)


SLOW = {"rate_1": 32.0, "rate_2": 32.0, "steps": 1000}


CONVERGED: dict[str, tuple[str, Predicate]] = {
    "settled": (
        "steps enough for stage 2 to converge: none are where the lowest loss is below 10⁻⁹ (ours)",
        lambda r, p: (r.steps_taken < p.steps) & (r.lowest > 1e-9),
    )
}
"""Colder, descent rests wherever the loss is next to nothing, and that may be far from the lowest point."""


@statement(
    "recall.theorem-2",
    runs=warm_up,
    assumes={
        "cold": ("T below T₀: the inner minimum of the slice is its lowest point", is_cold),
        "perturbed": ("the perturbation does not keep the two examples equal", is_perturbed),
        "small_steps": ("learning rates small enough: the loss never rises", never_rises),
        "endless": ("stage 1 is taken to its limit, t₁ = ∞", is_endless),
    },
    settled=CONVERGED,
    good=lambda r: at_least(0.9, r.probability, "p(r*) at the end"),
    holds_at={},
    fails_at={"temperature": 0.0895},
    seeds=10,
    ranges={
        "temperature": [(0.009, 0.0885)] * 5 + [(1e-4, 10.0)],
        "perturbation_radius": (1e-9, 1.0),
        "seed": (0, 999),
        "rate_1": [(20.0, 400.0)] * 5 + [(1.0, 1000.0)],
        "rate_2": [(80.0, 1000.0)] * 5 + [(1.0, 1000.0)],
        "to_limit": [1, 1, 1, 1, 1, 0],
        "steps": [3000],
    },
    no_farther={
        "temperature": "colder, stage 2 takes more steps than can be run: their number grows exponentially in 1/T"
    },
)
def theorem_2(r: TwoStage) -> Bounds:
    """The run ends at the lowest loss of all attention, at (a, a, ½ − a, ½ − a, 0, 0) with a ≠ ¼."""
    return at_the_optimum(r)


@statement(
    "recall.theorem-2-rate",
    runs=warm_up,
    assumes={
        "slow": ("c₁ and c₂ at most 32: η₁ and η₂ at most 1/ℓ, by Proposition 1", is_slow),
        "cold": ("T below T₀: the inner minimum of the slice is its lowest point", is_cold),
        "perturbed": ("the perturbation does not keep the two examples equal", is_perturbed),
        "endless": ("stage 1 is taken to its limit, t₁ = ∞", is_endless),
    },
    settled=CONVERGED,
    holds_at=SLOW,
    fails_at={**SLOW, "perturbation_radius": 0.0},
    seeds=5,
    ranges={
        "temperature": [(0.02, 0.0885)] * 5 + [(1e-4, 10.0)],
        "perturbation_radius": (1e-9, 1.0),
        "seed": (0, 999),
        "rate_1": (16.0, 40.0),
        "rate_2": (16.0, 40.0),
        "steps": [3000],
    },
    no_farther={
        "temperature": "colder, stage 2 takes more steps than can be run: their number grows exponentially in 1/T"
    },
)
def theorem_2_at_the_proofs_rate(r: TwoStage) -> Bounds:
    """Theorem 2 at learning rates up to 1/ℓ."""
    return at_the_optimum(r)


def at_the_optimum(r: TwoStage) -> Bounds:
    """At the lowest loss of all attention, at (a, a, ½ − a, ½ − a, 0, 0) with a ≠ ¼."""
    return Bounds(
        at_most(1e-6, r.measured_loss - r.lowest, "loss L₁ at the end, above the lowest"),
        near(r.predicted_a, r.measured_a, "a, attention on the lesser pair", absolute=TOLERANCE),
        above(0.05, (r.measured_a - 0.25).abs(), "distance of a from ¼"),
        at_most(TOLERANCE / 100, r.mismatch, "imbalance inside the pairs"),
        at_most(TOLERANCE, r.leak, "attention on s₃ and EoS"),
    )


@statement(
    "recall.algorithm-1",
    measures=both_stages,
    assumes={"perturbed": ("a perturbation is drawn", lambda r, p: p.perturbation_radius > 0)},
    holds_at={"perturbation_radius": 0.3, "steps": 20},
    fails_at={"perturbation_radius": 0.0, "steps": 20},
    ranges={
        "perturbation_radius": [0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0],
        "steps": (12, 40),
        "seed": (0, 999),
    },
)
def algorithm_1(r: BothStages) -> Bounds:
    """Stage 1 keeps the two examples equal, stage 2 sets them apart; and the reduction takes the model's steps."""
    return Bounds(
        near(0.0, r.apart, "attention, reduction against full model", absolute=1e-9),
        near(0.0, r.tilt_1, "|v₁ + v₂ − v₃ − v₄| after stage 1", absolute=1e-9),
        above(0.01, r.tilt_2, "|v₁ + v₂ − v₃ − v₄| after stage 2"),
    )


@statement(
    "recall.lemma-5",
    measures=to_the_saddle,
    assumes={
        "from_zero": ("training starts at zero", lambda r, p: p.tilt == 0),
        "small_steps": (
            "learning rate small enough: c₁ at most 400 and 40/T (both ours)",
            lambda r, p: p.rate <= min(400, 40 / p.temperature),
        ),
    },
    settled={
        "late": (
            "steps enough: η₁t₁ at least 1000 Te^(1/8T)",
            lambda r, p: p.rate * p.temperature * p.steps >= 1000 * math.exp(1 / (8 * p.temperature)),
        )
    },
    holds_at={"temperature": 0.05, "tilt": 0.0, "steps": 2000},
    fails_at={"temperature": 0.05, "tilt": 1e-3, "steps": 2000},
    ranges={
        "temperature": [(0.015, 0.3)] * 3 + [(0.01, 1.0)],
        "tilt": [0.0, 0.0, 0.0, 0.0, 0.0, 1e-3],
        "steps": [(3000, 20_000)] * 3 + [(1000, 20_000)],
        "rate": [(20.0, 150.0)] * 2 + [(150.0, 400.0), (20.0, 800.0)],
    },
)
def lemma_5(r: Approach) -> Bounds:
    """Attention comes ever closer to (¼, ¼, ¼, ¼, 0, 0)."""
    return Bounds(
        near(-1.0, r.exponent, "exponent of its distance to the saddle in the number of steps", absolute=0.1),
        recorded(r.distance, "distance to the saddle"),
        recorded(r.times_steps, "distance times steps"),
    )


@statement(
    "recall.lemma-8",
    measures=evening_out,
    assumes={
        "no_query": ("no attention on the query", lambda r, p: p.query == 0),
        "sure": ("l(r₁) above the mean logit", lambda r, p: p.certain == 1),
    },
    holds_at={"query": 0.0, "certain": 1, "temperature": 0.05},
    fails_at={"query": 0.0, "certain": 0, "temperature": 0.05},
    ranges={
        "temperature": (0.002, 10.0),
        "query": [0.0, 0.0, 0.0, 0.1, 0.3],
        "certain": [1, 1, 1, 0],
        "seed": (0, 9999),
    },
)
def lemma_8(r: Balance) -> Bounds:
    """ψ falls along the gradient flow, at every draw."""
    return Bounds(
        below(0.0, r.pace, "largest rate of log ψ"),
        recorded(r.share, "share of draws where ψ falls"),
        recorded(r.draws, "draws"),
    )


@statement(
    "recall.even-pairs",
    measures=evened_pairs,
    assumes={"pairs": ("each subject is evened out with its own answer", lambda r, p: p.across == 0)},
    holds_at={},
    fails_at={"across": 1},
    ranges={"across": [0, 0, 1], "draws": [20_000], "seed": (0, 999)},
    algebra=True,
)
def even_pairs(r: EvenedPairs) -> Bounds:
    """The lead never falls, and grows by half the square of what the pairs were uneven."""
    return Bounds(
        at_least(-1e-12, r.least, "least gain in the lead of r* over the confusing relation"),
        near(0.0, r.error, "its difference from ½((v₁ − v₃) − (v₂ − v₄))², largest", absolute=1e-12),
    )
