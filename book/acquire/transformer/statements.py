"""Figure 3, relation covering, low rank, and the one-layer theory as a prediction, in GPT-2."""

from __future__ import annotations

from book.acquire.transformer import tables
from book.acquire.transformer.program import Comparison, gpt2_comparison
from book.acquire.transformer.tables import (
    MOMENTS,
    Covering,
    Figure3A,
    Figure3B,
    Figure3Tuned,
    OneDirection,
)
from book.ledger import Bounds, Ground, at_least, at_most, recorded, statement

CLEAR = 2.0
"""A change counts from so many standard errors on, over five starts."""
CLOSE = 0.05
"""Accuracies that differ by less count as equal: two facts of thirty-six."""


@statement(
    "acquire.figure-3-a",
    measures=tables.figure_3_a,
    assumes={"placeless": ("GPT-2 has no positions, like the paper's", lambda r, p: not p.positions)},
    holds_at={"phrases": 8, "most": 8, "positions": False},
    fails_at={"phrases": 8, "most": 8, "positions": True},
    ranges={"phrases": [4, 8, 16, 32], "most": [2, 4, 8], "positions": [False]},
    ground=Ground.RECONSTRUCTED,
)
def figure_3_a(r: Figure3A) -> Bounds:
    """Accuracy on unseen facts rises with the multiplicity, and nowhere clearly falls."""
    return Bounds(
        at_least(-CLEAR, r.change, "least change from one multiplicity to the next, in standard errors"),
        at_least(CLEAR, r.clear, "gain from K = 1 to the greatest, in standard errors"),
        recorded(r.gain, "gain from K = 1 to the greatest"),
        recorded(r.last, "change at the last K, other starts"),
        *(recorded(value, f"accuracy at K = {k}") for k, value in r.accuracy.items()),
    )


@statement(
    "acquire.figure-3-a-tuned",
    measures=tables.figure_3_tuned,
    assumes={"few": ("R at most 8", lambda r, p: p.phrases <= 8)},
    holds_at={"phrases": 8, "positions": False},
    fails_at={"phrases": 32, "positions": False},
    ranges={"phrases": [4, 8], "positions": [False, True]},
    ground=Ground.SHARPENED,
)
def figure_3_tuned(r: Figure3Tuned) -> Bounds:
    """Accuracy on unseen facts rises with the number of facts that are fine-tuned."""
    return Bounds(
        at_least(CLEAR, r.gain, "least gain from 3 to 40 facts, in standard errors"),
        recorded(r.least, "least gain"),
        recorded(r.again, "least gain in other starts, in standard errors"),
    )


@statement(
    "acquire.figure-3-b",
    measures=tables.figure_3_b,
    assumes={"placeless": ("GPT-2 has no positions, like the paper's", lambda r, p: not p.positions)},
    holds_at={"least": 8, "positions": False},
    fails_at={"least": 4, "positions": True},
    ranges={"least": [4, 8, 16], "positions": [False]},
    ground=Ground.RECONSTRUCTED,
    stands=False,
)
def figure_3_b(r: Figure3B) -> Bounds:
    """Accuracy on unseen facts falls as there are more phrases in the language."""
    return Bounds(
        at_most(CLEAR, r.change, "greatest change from one R to the next, any K, in standard errors"),
        at_least(CLEAR, r.fall, "fall from the least R to 32, all K, in standard errors"),
        recorded(r.again, "the same in other starts"),
        recorded(r.placed, "the same with positions"),
        recorded(r.once, "the same at K = 1"),
        recorded(r.once_again, "the same at K = 1, other starts"),
        *(recorded(value, f"{who}, at {at}") for who, ends in r.ends.items() for at, value in ends.items()),
    )


@statement(
    "acquire.gpt-2-covering",
    measures=tables.covering,
    assumes={"once": ("every fact is told in one phrasing", lambda r, p: p.multiplicity == 1)},
    holds_at={"multiplicity": 1, "positions": True},
    fails_at={"multiplicity": 2, "positions": True},
    ranges={"multiplicity": [1], "positions": [False, True]},
    ground=Ground.OURS,
)
def covering(r: Covering) -> Bounds:
    """Rare facts whose phrase is not covered come out half as often as those whose phrase is, or less."""
    return Bounds(
        at_most(0.5 * r.open, r.shut, "uncovered facts right"),
        at_least(CLEAR, r.clear, "covered less uncovered, in standard errors"),
        recorded(r.open, "covered facts right"),
        recorded(r.frequent, "uncovered frequent facts right"),
        recorded(r.one_open, "covered facts right, one layer, median start"),
        recorded(r.one_shut, "uncovered facts right, one layer, median start"),
        recorded(r.own_phrase, "answered with the fact's own phrase"),
        recorded(r.tuned_answer, "answered with the answer of a fine-tuned fact"),
    )


@statement(
    "acquire.gpt-2-low-rank",
    measures=tables.one_direction,
    assumes={
        "directed": (
            "the direction of input is learned, or that of the questions' last token",
            lambda r, p: p.way != "random",
        )
    },
    holds_at={"way": "rank 1", "positions": False, "multiplicity": 4},
    fails_at={"way": "random", "positions": False, "multiplicity": 4},
    ranges={
        "way": ["rank 1", "rank 2", "rank 4", "rank 16", "format token"],
        "positions": [False, True],
        "multiplicity": [1, 4],
    },
    ground=Ground.OURS,
)
def low_rank(r: OneDirection) -> Bounds:
    """At least as many unseen facts come out as by fine-tuning all weights."""
    return Bounds(
        at_least(r.full - CLOSE, r.right, "unseen facts right"),
        recorded(r.full, "all weights"),
        recorded(r.random, "a random direction"),
        recorded(r.fixed, "along the format token"),
        recorded(r.share, "its share in one direction"),
        recorded(r.format, "cosine with the format token"),
        recorded(r.subject, "cosine with subjects"),
        recorded(r.phrase, "cosine with phrases"),
    )


@statement(
    "acquire.gpt-2-predicted",
    runs=gpt2_comparison,
    assumes={
        "whole": ("R varies, too", lambda r, p: 1 - p.grid),
        "fair": (
            "the step is not chosen on the facts that are counted",
            lambda r, p: p.moment < MOMENTS.index("best"),
        ),
    },
    good=lambda r: at_least(0.5, r.here_gpt, "unseen facts that GPT-2 answers here"),
    fails_at={"moment": 2.0},
    ranges={"positions": [0.0, 1.0], "moment": [0.0, 1.0]},
    ground=Ground.OURS,
    stands=False,
)
def predicted(r: Comparison) -> Bounds:
    """GPT-2's accuracies have the order of the one-layer model's, as well as two groups of seeds agree on it."""
    return Bounds(
        at_least(r.ceiling - 0.1, r.rank_one, "rank correlation, one layer"),
        recorded(r.ceiling, "of two groups of seeds"),
        recorded(r.rank_once, "rank correlation, count of covered facts"),
        recorded(r.along_tuned, "along n_ft alone"),
        recorded(r.along_multiplicity, "along K alone"),
        recorded(r.along_phrases, "along R alone"),
    )
