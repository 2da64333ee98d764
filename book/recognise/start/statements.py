"""What moves first, and what stays: Lemmas 4.1 (E.4) and 4.2 (E.16), and the bounds of Phase 1 in Appendix E."""

from __future__ import annotations

from typing import Any

from book.recognise.start.corollary_e_24 import corollary_e_24_by_sympy, corollary_e_24_in_numbers
from book.recognise.start.pushes import first_push
from book.recognise.start.still import still
from book.statements import Bounds, Erratum, at_least, at_most, statement, told

SCALES = {"sigma_0": (0.03, 0.1), "sigma_1": (0.1, 0.3), "seed": (0, 9999)}


@statement(
    "recognise.lemma-4-1",
    measures=first_push,
    assumes={"wide": "m at least 60 m₁", "small_outputs": "|F| at most ¼ at the start"},
    holds_at={"width": 2048, "neurons": 16},
    fails_at={"width": 256, "neurons": 256},
    seeds=10,
    ranges={"width": (960, 4096), "samples": [12, 30, 60], **SCALES},
    uses=("recognise.condition-1", "recognise.appendix-c", "recognise.appendix-d"),
    finding=(
        "The constant is exactly ⅙ in the mean. For each neuron alone the logarithm in Condition 1 must make $m$ "
        "some 60 times $m_1$; with $m = m_1$ single neurons turn away, though their sum does not."
    ),
)
def lemma_4_1(r: Any) -> Bounds:
    """Every neuron's slope on both targets is within a factor 2 of (σ₀² + σ₁²)m/6."""
    return Bounds(
        at_least(0.5, r.least, "slope of any neuron, least, in units of (σ₀² + σ₁²)m/6"),
        at_most(2.0, r.most, "slope of any neuron, largest"),
        told(r.least_mean, "mean of all neurons, the smaller of both targets"),
        told(r.most_mean, "mean of all neurons, the larger"),
        told(r.output, "largest |F|"),
    )


@statement(
    "recognise.lemma-4-2",
    measures=first_push,
    assumes={"balanced": "as many samples of either label"},
    holds_at={"width": 1024, "neurons": 16},
    fails_at={"width": 2048, "neurons": 16, "positive": 0.7},
    seeds=10,
    ranges={"width": (128, 2048), "samples": [12, 30, 60], **SCALES},
    uses=("recognise.appendix-d", "recognise.lemma-4-1"),
    finding=(
        r"True with a tenth of the bound. The mean is 0 because labels balance, and what is left is $(\sigma_0^2 "
        r"+ \sigma_1^2)m$ times a quarter of the mean output. The main text may drop $\sigma_0^2$ there, since "
        "Condition 1 makes it the smaller one."
    ),
)
def lemma_4_2(r: Any) -> Bounds:
    """The largest slope of a neuron on the common word is within both bounds, logarithms left out."""
    return Bounds(
        at_most(1.0, r.over_full, "largest slope on the common word, over the bound of Lemma E.16"),
        at_most(1.0, r.over_main, "over the bound of Lemma 4.2"),
        told(r.over_target, "over the mean slope of a target"),
        told(r.over_mean_output, "over (σ₀² + σ₁²)m |mean F|/4 + σ₀²√m"),
    )


@statement(
    "recognise.phase-1-still",
    measures=still,
    assumes={
        "wide": "m at least m₁",
        "many": "m and n at least L²",
        "scales": "σ₀ and σ₁ within a quarter of Condition 1's, 1/√(Lm) and 1/√m₁",
    },
    holds_at={"sigma_0": 1.0},
    fails_at={"sigma_0": 10.0},
    seeds=10,
    ranges={
        "width": (96, 160),
        "samples": [30, 60],
        "sigma_0": (0.8, 1.25),
        "sigma_1": (0.8, 1.25),
        "seed": (0, 9999),
    },
    uses=(
        "recognise.assumption-2-3",
        "recognise.condition-1",
        "recognise.appendix-c",
        "recognise.appendix-d",
    ),
    finding=(
        "All hold, with no logarithm and constants below 2: {E.15, slopes on irrelevant words:.2f} for slopes on "
        "irrelevant words, {E.24, change of attention by the end:.2f} for attention, {E.23, scores:.2f} for scores. "
        "One of two rates in E.24 is not what its proof gives: it falls like $1/n$, attention between irrelevant "
        "words does not."
    ),
    errata=(
        Erratum(
            where="Corollary E.24, first rate",
            paper=r"|\partial_tp_{l_1,l_2}| \le \tilde O\big(\tfrac1{L(L^2+n)\sqrt m}\big)",
            right=r"|\partial_tp_{l_1,l_2}| \le \tilde O\big((\tfrac1L+\tfrac1n)\tfrac1{Lm}"
            r"(\tfrac1L+\tfrac1{\sqrt m})\big)",
            survives="Yes: the change of attention stated next is the one that the proof gives.",
            symbolic=corollary_e_24_by_sympy,
            numeric=corollary_e_24_in_numbers,
        ),
    ),
)
def phase_1_still(r: Any) -> Bounds:
    """Until τ = 30 each quantity is at most twice its bound without logarithms; Θ's factor is at most 2 both ways."""
    return Bounds(
        at_most(2.0, r.e_14, "E.14, the factor of Θ, either way"),
        at_most(2.0, r.e_14_rest, "E.14, what is left, over its bound"),
        at_most(2.0, r.e_15, "E.15, slopes on irrelevant words"),
        at_most(2.0, r.e_12, "E.12, products of neurons"),
        at_most(2.0, r.e_23, "E.23, scores"),
        at_most(2.0, r.e_24, "E.24, change of attention by the end"),
        at_most(2.0, r.e_25, "E.25, products of keys, and of queries"),
    )
