"""The gradient of fine-tuning and its best rank-1 approximation: Proposition 3, Lemmas 23 to 25, spectrum, rank 1."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.conditions import FAILURE, FILTERED
from book.acquire.low_rank.first_gradient import (
    Alignment,
    Distances,
    Pushes,
    RowLengths,
    alignment,
    distances,
    lengths,
    pushes,
)
from book.acquire.low_rank.program import Compared, low_rank
from book.ledger import Bounds, Ground, at_least, at_most, near, recorded, statement

OFTEN = 7
"""Facts to a phrase from which its part along p counts as dominant: 3 · 7 · ½ is above 10."""
ANY = {"share": (0.05, 1.0), "phrases": (6, 16), "multiplicity": (1, 6), "seed": (0, 999)}
LIVE = {
    "share": (0.05, 1.0),
    "phrases": (6, 10),
    "multiplicity": (1, 6),
    "kappa": (0.0005, 0.02),
    "seed": (0, 99),
}
"""For the page's figure."""


def some_extracted_by_either(r: Compared, p: Any) -> Tensor:
    """Some unseen fact came out, by full or by low-rank steps."""
    return torch.maximum(r.best, r.best_low) > 0


@statement(
    "acquire.proposition-3",
    measures=pushes,
    assumes={
        "often": (
            f"every phrase is covered {OFTEN} times or more: n_ft well above R/K",
            lambda r, p: r.least >= OFTEN,
        ),
        "filtered": FILTERED,
    },
    holds_at={"share": 1.0, "multiplicity": 6},
    fails_at={"share": 1 / 24},
    seeds=10,
    chance=FAILURE,
    ranges={**ANY, "share": (0.5, 1.0), "phrases": (6, 10), "multiplicity": [2, 3, 4, 5, 6, 6]},
    ground=Ground.RECONSTRUCTED,
)
def proposition_3(r: Pushes) -> Bounds:
    """Answers and covered phrases are pushed along p, phrases by far more than along a subject."""
    return Bounds(
        at_least(10.0, r.phrases, "phrases: along p over along a subject, least"),
        at_most(0.1, r.answers, "answers: the same over 3, off 1 by at most"),
        at_least(5.0, r.others, "along p: fine-tuned answers and phrases over all other outputs"),
        recorded(r.each, "the same over 3c, least"),
        recorded(r.least, "least c"),
    )


@statement(
    "acquire.lemma-23",
    measures=distances,
    holds_at={"share": 1.0},
    planted=("the second singular value's term in the place of the first one's", {"share": 1.0, "piece": 1}),
    seeds=10,
    ranges=ANY,
    ground=Ground.RECONSTRUCTED,
    algebra=True,
)
def lemma_23(r: Distances) -> Bounds:
    """The approximation is near the gradient, and near p's column of it; both over our bounds."""
    return Bounds(
        at_most(1.0, r.from_gradient, "distance from the gradient"),
        at_most(1.0, r.from_column, "distance from p's column"),
    )


@statement(
    "acquire.lemma-24",
    measures=lengths,
    holds_at={"share": 0.5},
    planted=("the term's rows made equally long", {"share": 0.5, "even": True}),
    seeds=10,
    ranges=ANY,
    ground=Ground.RECONSTRUCTED,
    algebra=True,
)
def lemma_24(r: RowLengths) -> Bounds:
    """No row of the approximation is longer than the gradient's."""
    return Bounds(at_most(1 + 1e-9, r.ratio, "row of the approximation over row of G, largest"))


@statement(
    "acquire.lemma-25",
    measures=alignment,
    holds_at={"share": 0.5},
    planted=("the right singular vector of the second singular value", {"share": 0.5, "piece": 1}),
    seeds=10,
    ranges=ANY,
    ground=Ground.RECONSTRUCTED,
    algebra=True,
)
def lemma_25(r: Alignment) -> Bounds:
    """No token moves farther than by G, none but p and fine-tuned subjects at all; and v₁ is nearly p."""
    return Bounds(
        at_most(1 + 1e-9, r.column, "column of the approximation over column of G, largest"),
        at_most(1e-12, r.others, "columns of all other tokens, largest"),
        at_most(r.bound + 1e-12, r.away, "1 − ⟨v₁, p⟩²"),
        recorded(r.bound, "its bound"),
        recorded(1 / (9 * r.tuned + 1), "1/(9n + 1)"),
    )


@statement(
    "acquire.spectrum",
    runs=low_rank,
    assumes={
        "even": ("attention on questions is ½, to half a hundredth", lambda r, p: r.uneven < 0.005),
        "several": (
            "each frequent fact is stated with two phrases or more: facts are about equally alike",
            lambda r, p: p.multiplicity >= 2,
        ),
    },
    settled={"some": ("some fact is fine-tuned", lambda r, p: r.tuned > 0.5)},
    good=lambda r: at_most(0.1, r.missed * r.missed, "share of ‖G‖² that rank 1 misses"),
    holds_at={},
    fails_at={"tilt": 3.0},
    seeds=10,
    chance=FAILURE,
    ranges={**LIVE, "residual": (0.0, 1.0), "tilt": (-0.03, 0.03)},
    ground=Ground.OURS,
)
def spectrum(r: Compared) -> Bounds:
    """Alignment, second singular value and what rank 1 misses follow from n and the mean cosine."""
    return Bounds(
        near(1 - r.expected_aligned**2, 1 - r.aligned**2, "1 − ⟨v₁, p⟩²", relative=0.1),
        near(
            r.expected[1] / r.expected[0],
            r.values[1] / r.values[0].clamp(min=1e-12),
            "σ₂/σ₁ of the first gradient",
            relative=0.2,
            absolute=1e-9,
        ),
        near(
            r.expected_missed**2,
            r.missed**2,
            "share of ‖G‖² that rank 1 misses",
            relative=0.1,
            absolute=1e-9,
        ),
    )


@statement(
    "acquire.rank-1",
    runs=low_rank,
    assumes={
        "single": ("rank 1, as in the paper", lambda r, p: p.ranks < 1.5),
        "whole": (
            "questions have the whole residual connection, as in the paper",
            lambda r, p: p.residual > 0.999,
        ),
        "along": ("the steps move features along p", lambda r, p: p.along > 0.5),
        "filtered": FILTERED,
    },
    settled={"came": ("some unseen fact came out", some_extracted_by_either)},
    good=lambda r: at_least(
        0.9, r.cross_fitted_accuracy_low, "unseen facts right with early stopping, rank 1"
    ),
    holds_at={"multiplicity": 6},
    fails_at={"along": 0},
    seeds=10,
    chance=FAILURE,
    ranges={**LIVE, "rate": [1.0, 2.0, 4.0, 8.0]},
    ground=Ground.OURS,
)
def rank_1(r: Compared) -> Bounds:
    """Stopped by other facts, rank-1 steps, and steps on p's products alone, do as well as full ones."""
    return Bounds(
        near(
            r.cross_fitted_accuracy,
            r.cross_fitted_accuracy_low,
            "unseen facts right with early stopping, rank 1, against full",
            absolute=0.05,
        ),
        near(
            r.cross_fitted_accuracy,
            r.cross_fitted_accuracy_alone,
            "the same, p's products alone, against full",
            absolute=0.05,
        ),
        recorded(r.cross_fitted_accuracy, "full"),
        recorded((r.best - r.best_low).abs(), "apart at their best steps, rank 1 and full"),
        recorded((r.best - r.best_alone).abs(), "the same, p's products alone and full"),
    )
