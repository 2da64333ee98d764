"""The hypotheses themselves: Definition 2.1, Assumption 2.3, Condition 1."""

from __future__ import annotations

from typing import Any

from book.ledger import Bounds, at_least, at_most, near, recorded, statement
from book.recognise.breaking.program import (
    DrawnSet,
    DrawnTypes,
    Repetitions,
    drawn_set,
    drawn_types,
    repetitions,
)
from book.recognise.common import ASSUMED, RANGES, label_probability
from book.recognise.two_phases import TwoPhases, came_to_the_end, phase_1, phase_2, two_phases


@statement(
    "recognise.definition-2-1",
    measures=drawn_set,
    assumes={"shares": ("both targets with probability ½", lambda r, p: p.positive == 0.5)},
    holds_at={"samples": 6000, "length": 6, "vocabulary": 64},
    fails_at={"samples": 6000, "length": 6, "vocabulary": 64, "positive": 0.3},
    seeds=10,
    chance=0.05,
    ranges={
        "samples": (6, 6000),
        "length": (4, 40),
        "vocabulary": (5, 2000),
        "positive": [0.5, 0.5, 0.5, 0.3, 0.7],
        "seed": (0, 9999),
    },
)
def definition_2_1(r: DrawnSet) -> Bounds:
    """Labels, types, places and words have their law, up to √(log/n); the label is "both targets"."""
    return Bounds(
        at_most(1.0, r.label, "mean label over its bound at δ = 1 %"),
        at_most(1.0, r.types, "shares of the types, distance over its bound"),
        at_most(1.0, r.place, "places of the common word, distance over its bound"),
        at_most(1.0, r.targets, "places of the targets, distance over its bound"),
        at_most(1.0, r.words, "shares of the irrelevant words, distance over its bound"),
        near(0.0, r.wrong, "samples with wrong signals"),
        near(0.0, r.logic, "samples whose label is not the logical and"),
        near(0.0, r.outside, "words outside the vocabulary"),
    )


@statement(
    "recognise.assumption-2-3",
    measures=repetitions,
    assumes={"enough": ("d at least 3 + n(L − 7/3)", lambda r, p: p.vocabulary >= r.words_needed - 1e-6)},
    holds_at={"samples": 60, "length": 5, "vocabulary": 163},
    fails_at={"samples": 60, "length": 5, "vocabulary": 64},
    ranges={"samples": [6, 12, 30, 60, 120, 600], "length": (4, 40), "vocabulary": (5, 20_000)},
    algebra=True,
)
def assumption_2_3(r: Repetitions) -> Bounds:
    """Words dealt out in turn to all irrelevant places: none comes twice."""
    return Bounds(
        near(0.0, r.repeated, "repeated words"),
        recorded(r.words_needed, "words needed"),
        recorded(r.bound, "the paper's bound nL"),
        recorded(r.places, "irrelevant places"),
    )


@statement(
    "recognise.drawn-types",
    measures=drawn_types,
    assumes={"many": ("n at least 50L² (the 50 is ours)", lambda r, p: p.samples >= 50 * p.length**2)},
    holds_at={"samples": 1800, "length": 6},
    fails_at={"samples": 24, "length": 6},
    seeds=3,
    ranges={"samples": (200, 50_000), "length": (4, 12), "seed": (0, 9999)},
)
def types_drawn(r: DrawnTypes) -> Bounds:
    """Both theorems hold on eight drawn sets of eight."""
    return Bounds(
        at_least(1.0, r.share, "drawn sets on which Theorems 3.1 and 3.2 hold, share"),
        recorded(r.off, "share of a type, largest distance from its law"),
    )


@statement(
    "recognise.condition-1",
    runs=two_phases,
    assumes=ASSUMED,
    settled={"reached": ("the run comes to its end", came_to_the_end)},
    good=lambda r: label_probability(r.margin_end, " at the end"),
    exists={"constant": (10.0, 300.0)},
    holds_at={},
    fails_at={"samples": 30, "length": 10},
    seeds=10,
    ranges={**RANGES, "end": (1.7, 4.0)},
    sentences={
        "holds": "All hypotheses hold here, and so do both theorems.",
        "contradicted": "All hypotheses hold here, yet with this C a theorem fails, by “{bound}”: another may do.",
        "outside": "“{hypothesis}” is broken, and with it a theorem, at least with this C: “{bound}” fails.",
        "beyond": "“{hypothesis}” is broken, and nothing else: it was not needed here.",
    },
)
def condition_1(r: TwoPhases, p: Any) -> Bounds:
    """Theorems 3.1 and 3.2 hold with T₁ = C/N₀."""
    theorems = {"3.1": phase_1(r), "3.2": phase_2(r, p)}
    return Bounds(
        *(
            bound._replace(name=f"Theorem {number}, {bound.name}")
            for number, bounds in theorems.items()
            for bound in bounds
        )
    )
