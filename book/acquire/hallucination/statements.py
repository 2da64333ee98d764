"""What is said instead: Theorem 2's third item, Remark 4, attention on questions, and the two pushes along p."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from book.acquire.extraction import FAILURE, FILTERED, Extracted
from book.acquire.hallucination.program import Evenness, on_questions, overfitting
from book.acquire.tuned import Curve, all_filtered, at_best, curves, fair
from book.ledger import Bounds, Ground, at_least, at_most, recorded, statement

FEW = {"multiplicity": 1, "phrases": 10, "share": 0.15}
"""Five fine-tuned facts with a phrase each, where there are ten phrases."""


@statement(
    "acquire.hallucination",
    runs=overfitting,
    assumes={
        "scarce": (
            "n_ft K at most R/2: half of the phrases or more are covered by no fine-tuned fact",
            lambda r, p: r.scarce,
        )
    },
    settled={"begun": ("a step of fine-tuning was made", lambda r, p: r.begun)},
    good=lambda r: at_least(0.9, r.best, "unseen facts right at the best step"),
    holds_at=FEW,
    fails_at={"phrases": 6, "multiplicity": 4, "share": 0.75},
    seeds=10,
    chance=FAILURE,
    ranges={
        "phrases": (6, 10),
        "multiplicity": [1, 1, 1, 1, 2, 2, 3, 4, 5, 6],
        "share": (0.03, 0.3),
        "rate": (0.5, 8.0),
        "kappa": (0.0005, 0.02),
        "seed": (0, 99),
    },
    ground=Ground.RECONSTRUCTED,
)
def hallucination(r: Extracted) -> Bounds:
    """At every step half of the unseen facts, less what chance takes off, are answered wrongly."""
    return Bounds(
        at_least(r.floor, 1 - r.best, "unseen facts wrong at any step, full"),
        at_least(r.floor, 1 - r.best_low, "the same, rank-1 steps"),
        at_most(0.0, r.leaked, "facts with an uncovered phrase right at any step"),
        recorded(r.uncovered, "unseen facts that have an uncovered phrase"),
    )


@statement(
    "acquire.remark-4",
    runs=overfitting,
    assumes={
        "late": (
            "five times as many steps as the best accuracy took (the number is ours)",
            lambda r, p: r.late,
        ),
        "few": (
            "n_ft at most 3R/2: drilled answers rise faster than phrases fall (ours)",
            lambda r, p: r.few,
        ),
        "twice": ("each phrase is covered by two facts or more (ours)", lambda r, p: r.twice),
        "filtered": (FILTERED, lambda r, p: r.filtered),
    },
    settled={"came": ("some unseen fact was answered rightly", lambda r, p: r.came)},
    good=lambda r: at_least(0.9, r.accuracy, "unseen facts right at the last step"),
    holds_at={"multiplicity": 4, "share": 0.375},
    fails_at={"multiplicity": 4, "share": 0.375, "steps": 8},
    seeds=10,
    ranges={
        "phrases": (6, 10),
        "multiplicity": (1, 6),
        "share": (0.15, 0.7),
        "rate": [2.0, 4.0, 8.0],
        "steps": (60, 150),
        "seed": (0, 99),
    },
    ground=Ground.SHARPENED,
)
def remark_4(r: Extracted) -> Bounds:
    """Half of what came out is lost again, or more, and errors are drilled answers."""
    return Bounds(
        at_least(0.5, r.lost, "share of the accuracy at steps that others choose, lost at the last step"),
        at_least(0.9, r.drilled, "of the errors then, answers of fine-tuned facts"),
        recorded(r.fair - r.accuracy, "accuracy lost"),
        recorded(r.best - r.accuracy, "accuracy lost since the best step in hindsight"),
        recorded(r.learned, "accuracy on the fine-tuned facts"),
    )


@statement(
    "acquire.lemma-17",
    runs=on_questions,
    assumes={"gentle": ("few steps: η̃κ times their number is below ¼", lambda r, p: r.gentle)},
    settled={"begun": ("a step of fine-tuning was made", lambda r, p: r.begun)},
    holds_at={"steps": 8},
    fails_at={"steps": 60, "kappa": 0.05},
    seeds=10,
    ranges={
        "steps": (1, 60),
        "rate": (0.5, 8.0),
        "kappa": (0.0005, 0.05),
        "phrases": (6, 10),
        "multiplicity": (1, 6),
        "share": (0.03, 1.0),
        "seed": (0, 99),
    },
    ground=Ground.SHARPENED,
)
def lemma_17(r: Evenness) -> Bounds:
    """Attention on [s p] stays near ½ each, with full and with rank-1 steps."""
    return Bounds(
        at_most(r.bound, r.before, "|α − ½| before fine-tuning, largest"),
        at_most(0.05, r.ever, "|α − ½| during fine-tuning, largest"),
    )


def pushes(variant: str, seeds: int = 5, **run: Any) -> dict[str, Any]:
    """What is said before fine-tuning, and what comes of it with one of the two changes along p undone; means."""
    full, kept, blocked = (curves(seeds, variant=name, **run) for name in ("full", variant, "phrases kept"))
    return {
        "kept": variant == "answers kept",
        "filtered": all_filtered(full),
        "own": fmean(c.kinds[0, 3] for c in full),
        "best": at_best(full),
        "late": _late(full),
        "late_kept": _late(kept),
        "lost_kept": at_best(kept) - _late(kept),
        "blocked": max(float(c.accuracy[:, 0].max()) for c in blocked),
    }


def _late(found: list[Curve]) -> float:
    """Mean accuracy on unseen facts at the last step."""
    return fmean(c.accuracy[-1, 0] for c in found)


@statement(
    "acquire.two-pushes",
    measures=pushes,
    assumes={
        "kept": ("answers do not move along p", lambda r, p: r.kept),
        "filtered": (FILTERED, lambda r, p: r.filtered),
    },
    holds_at={"variant": "answers kept"},
    fails_at={"variant": "full"},
    ranges={
        "seeds": [2],
        "first": (0, 900),
        "phrases": (6, 12),
        "multiplicity": (1, 6),
        "share": (0.1, 0.9),
        "kappa": (0.0005, 0.02),
    },
    ground=Ground.OURS,
)
def two_pushes(r: Any) -> Bounds:
    """Without the rise of drilled answers nothing is lost; without the fall of phrases nothing comes out."""
    return Bounds(
        at_least(0.95, r.own, "own phrase said before fine-tuning"),
        at_most(0.05, r.lost_kept, "accuracy lost by the last step, answers kept"),
        at_least(
            r.best - 0.05, r.late_kept, "accuracy at the last step, answers kept, against full at its best"
        ),
        at_most(0.0, r.blocked, "accuracy at any step, phrases kept"),
        recorded(r.late_kept, "accuracy at the last step, answers kept"),
        recorded(r.late, "accuracy at the last step, full"),
        recorded(r.best, "accuracy at the best step, full"),
    )


def freezing(kappa: float, seeds: int = 5) -> dict[str, Any]:
    """Accuracy on unseen facts with attention trained and frozen in fine-tuning, at steps that others choose, at the
    best step in hindsight and at the last.
    """
    moving, still = curves(seeds, kappa=kappa), curves(seeds, kappa=kappa, variant="attention frozen")
    return {
        "slow": kappa <= 0.005,
        "filtered": all_filtered(moving),
        "fair": fair(moving),
        "fair_frozen": fair(still),
        "best": at_best(moving),
        "best_frozen": at_best(still),
        "late": _late(moving),
        "late_frozen": _late(still),
        "attention": fmean(c.attention[-1].mean() for c in moving),
    }


@statement(
    "acquire.frozen-attention",
    measures=freezing,
    assumes={
        "slow": ("κ at most 0.005: attention is slow", lambda r, p: r.slow),
        "filtered": (FILTERED, lambda r, p: r.filtered),
    },
    holds_at={"kappa": 0.004},
    fails_at={"kappa": 0.05},
    constants=(0.005,),
    ranges={"kappa": (0.0003, 0.05)},
    ground=Ground.OURS,
)
def frozen_attention(r: Any) -> Bounds:
    """Freezing attention costs nothing if other facts say when to stop, and gains nothing at the last step."""
    return Bounds(
        at_most(0.05, r.fair - r.fair_frozen, "accuracy at steps that others choose, lost by freezing"),
        recorded(r.best - r.best_frozen, "the same at the best step in hindsight"),
        at_least(r.late_frozen, r.late, "accuracy at the last step, against that of frozen attention"),
        recorded(r.fair, "stopped, trained"),
        recorded(r.fair_frozen, "stopped, frozen"),
        recorded(r.attention, "attention on the subject at the last step"),
    )
