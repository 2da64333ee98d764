"""The hypotheses themselves: Definition 2.1, Assumption 2.3, Condition 1."""

from __future__ import annotations

from typing import Any

from book.recognise.breaking.program import drawn_set, repetitions
from book.recognise.common import ASSUMED, RANGES, told_apart
from book.recognise.two_phases import TwoPhases, phase_1, phase_2, two_phases
from book.statements import Bounds, at_most, near, statement, told


@statement(
    "recognise.definition-2-1",
    measures=drawn_set,
    assumes={"enough": "enough samples to see the law"},
    holds_at={"samples": 6000, "length": 6, "vocabulary": 64},
    fails_at={"samples": 6, "length": 6, "vocabulary": 64},
    ranges={"length": (4, 12), "vocabulary": (32, 128)},
    finding="Labels are balanced, and without the common word and the irrelevant ones the label is a logical and.",
)
def definition_2_1(r: Any) -> Bounds:
    """Labels are balanced, each type has its signals once and no others, and the place of μ₃ is uniform."""
    return Bounds(
        near(0.0, r.label, "mean label"),
        near(0.0, r.wrong, "samples with wrong signals"),
        near(0.0, r.outside, "words outside the vocabulary"),
        at_most(0.2, r.spread, "place of the common word, largest relative distance from uniform"),
    )


@statement(
    "recognise.assumption-2-3",
    measures=repetitions,
    assumes={"enough": "d at least 3 + the number of irrelevant places"},
    holds_at={"samples": 60, "length": 5, "vocabulary": 163},
    fails_at={"samples": 60, "length": 5, "vocabulary": 64},
    ranges={"vocabulary": (163, 400)},
    uses=("recognise.definition-2-1",),
    finding=(
        "The need is $3 + n(L - 7/3)$ words for the shares of Definition 2.1, not $nL$. The paper's own experiment has "
        "64 words for {irrelevant places:.0f} places, so nearly all repeat."
    ),
)
def assumption_2_3(r: Any) -> Bounds:
    """No irrelevant word stands in two places of the training set."""
    return Bounds(
        near(0.0, r.repeated, "repeated words"),
        told(r.needed, "words needed"),
        told(r.bound, "the paper's bound nL"),
        told(r.places, "irrelevant places"),
    )


@statement(
    "recognise.condition-1",
    runs=two_phases,
    assumes=ASSUMED,
    settled={"reached": "the run comes to its end"},
    good=lambda r: told_apart(r.margin_end, " at the end"),
    exists={"constant": (10.0, 300.0)},
    holds_at={"constant": 40.0},
    fails_at={"samples": 30, "length": 10, "constant": 40.0},
    seeds=10,
    ranges={**RANGES, "end": (1.7, 4.0)},
    sentences={
        "holds": "All hypotheses hold here, and so do both theorems.",
        "contradicted": "All hypotheses hold here, yet with this C a theorem fails, by “{bound}”: another may do.",
        "outside": "“{hypothesis}” is broken, and with it a theorem, at least with this C: “{bound}” fails.",
        "beyond": "“{hypothesis}” is broken, and nothing else: it was not needed here.",
    },
    finding=(
        "Enough, with all constants 1, and far from needed: n > 3(L + 1) serves for n ≥ L². The paper's experiment "
        "breaks m ≥ m₁, and its scales are those of Kaiming."
    ),
)
def condition_1(r: TwoPhases) -> Bounds:
    """Theorems 3.1 and 3.2 hold with T₁ = C/N₀."""
    theorems = {"3.1": phase_1(r), "3.2": phase_2(r)}
    return Bounds(
        *(b._replace(name=f"Theorem {n}, {b.name}") for n, bounds in theorems.items() for b in bounds)
    )
