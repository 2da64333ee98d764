"""What moves first, and what stays: Lemmas 4.1 (E.4) and 4.2 (E.16), and the bounds of Phase 1 in Appendix E."""

from __future__ import annotations

from typing import Any

from book.ledger import Bounds, Ground, at_least, at_most, recorded, statement
from book.recognise.common import END_OF_PHASE_1
from book.recognise.start.first_push import FirstPush, first_push
from book.recognise.start.phase_1_bounds import BoundRatios, bound_ratios
from book.recognise.start.phase_1_ranges import Phase1Ranges, range_ratios
from book.recognise.start.start_sums import StartSums, sums

STARTS: dict[str, Any] = {
    "width": (64, 4096),
    "samples": [12, 30, 60, 120],
    "length": (4, 12),
    "sigma_0": (0.03, 1.0),
    "sigma_1": (0.03, 1.0),
    "seed": (0, 9999),
}
PHASE_1: dict[str, Any] = {
    "width": (64, 256),
    "neurons": (4, 64),
    "samples": [48, 60, 96],
    "length": (4, 5),
    "seed": (0, 9999),
}
"""Where a run of the real model takes a second."""


def _scales(r: Phase1Ranges, p: Any) -> bool:
    """Whether σ₀√(Lm) lies between 0.2 and 1.25, and σ₁√m₁ within a quarter of 1."""
    return 0.2 <= p.sigma_0 <= 1.25 and 0.8 <= p.sigma_1 <= 1.25


@statement(
    "recognise.lemma-4-1",
    measures=first_push,
    assumes={
        "wide": ("m at least 60 m₁", lambda r, p: p.width >= 60 * p.neurons),
        "small_outputs": ("|F| at most ¼ at the start", lambda r, p: r.output <= 0.25),
    },
    holds_at={"width": 2048, "neurons": 16},
    fails_at={"width": 256, "neurons": 256},
    seeds=10,
    ranges={**STARTS, "neurons": (1, 64)},
)
def lemma_4_1(r: FirstPush) -> Bounds:
    """Every neuron's slope on both targets is within a factor 2 of (σ₀² + σ₁²)m/6."""
    return Bounds(
        at_least(0.5, r.least, "slope of any neuron, least, in units of (σ₀² + σ₁²)m/6"),
        at_most(2.0, r.most, "slope of any neuron, largest"),
        recorded(r.least_mean, "mean of all neurons, the smaller of both targets"),
        recorded(r.most_mean, "mean of all neurons, the larger"),
        recorded(r.output, "largest |F|"),
    )


@statement(
    "recognise.lemma-4-2",
    measures=first_push,
    assumes={"balanced": ("as many samples of either label", lambda r, p: r.mean_label == 0)},
    holds_at={"width": 1024, "neurons": 16},
    fails_at={"width": 2048, "neurons": 16, "positive": 0.7},
    seeds=10,
    ranges={**STARTS, "neurons": (1, 256), "positive": [0.5, 0.5, 0.5, 0.9]},
)
def lemma_4_2(r: FirstPush) -> Bounds:
    """The largest slope of a neuron on the common word is within both bounds, logarithms left out."""
    return Bounds(
        at_most(1.0, r.over_full, "largest slope on the common word, over the bound of Lemma E.16"),
        at_most(1.0, r.over_main, "over the bound of Lemma 4.2"),
        recorded(r.over_target, "over the mean slope of a target"),
        recorded(r.over_mean_output, "over (σ₀² + σ₁²)m |mean F|/4 + σ₀²√m"),
    )


@statement(
    "recognise.phase-1-still",
    measures=bound_ratios,
    ground=Ground.CORRECTED,
    assumes={
        "wide": ("m at least m₁", lambda r, p: p.width >= p.neurons),
        "many": ("m and n at least L²", lambda r, p: min(p.width, p.samples) >= p.length**2),
        "scales": (
            "σ₀ at most 1.25/√(Lm), σ₁ within a quarter of 1/√m₁",
            lambda r, p: p.sigma_0 <= 1.25 and 0.8 <= p.sigma_1 <= 1.25,
        ),
    },
    holds_at={"sigma_0": 1.0},
    fails_at={"sigma_0": 10.0},
    seeds=10,
    ranges={**PHASE_1, "sigma_0": (0.2, 1.6), "sigma_1": (0.75, 1.35)},
)
def phase_1_still(r: BoundRatios) -> Bounds:
    """Until T₁ each quantity is at most twice its bound without logarithms, attention five times.

    The factor of Θ is at most 2 both ways. The slopes of attention are far below their bounds.
    """
    return Bounds(
        at_most(2.0, r.e_14, "E.14, the factor of Θ, either way"),
        at_most(2.0, r.e_14_rest, "E.14, what is left, over its bound"),
        at_most(2.0, r.e_15, "E.15, slopes on irrelevant words"),
        at_most(2.0, r.e_12, "E.12, products of neurons"),
        at_most(2.0, r.e_23, "E.23, scores"),
        at_most(5.0, r.e_24, "E.24, change of attention by the end"),  # a hunt met 4.1
        at_most(5.0, r.e_24_irrelevant, "E.24, the same between irrelevant words, over its own bound"),
        at_most(0.1, r.e_24_rate, "E.24, slope of attention over 1/(L²√m)"),
        at_most(
            0.2, r.e_24_irrelevant_rate, "E.24, between irrelevant words, over its bound after correction"
        ),
        at_most(2.0, r.e_25, "E.25, products of keys, and of queries"),
    )


@statement(
    "recognise.start-sums",
    measures=sums,
    assumes={"wide": ("m at least m₁", lambda r, p: p.width >= p.neurons)},
    holds_at={},
    fails_at={"width": 64, "neurons": 4096, "sigma_0": 0.03},
    seeds=10,
    chance=0.1,
    ranges={**STARTS, "neurons": (1, 256)},
)
def start_sums(r: StartSums) -> Bounds:
    """Each at a random start over its bound, with the logarithms of E.5 and E.22 at δ = 0.1."""
    return Bounds(
        at_most(1.0, r.e_5, "E.5, sum over other neurons over its bound"),
        at_most(1.0, r.e_5_received, "E.5, received from other neurons over its bound"),
        at_most(1.0, r.e_5_words, "E.5, push by other words over its bound"),
        at_most(3.0, r.e_6, "E.6, slope on irrelevant words over its bound"),
        at_most(3.0, r.e_22_own, "E.22, lengths of keys and queries times G, over their bound"),
        at_most(3.0, r.e_22, "E.22, products of two of them times G, over their bound"),
    )


@statement(
    "recognise.phase-1-ranges",
    measures=range_ratios,
    assumes={
        "wide": ("m at least m₁ and L²", lambda r, p: p.width >= max(p.neurons, p.length**2)),
        "many": ("n at least 3L²", lambda r, p: p.samples >= 3 * p.length**2),
        "scales": ("σ₀ between 0.2 and 1.25/√(Lm), σ₁ within a quarter of 1/√m₁", _scales),
        "long": (
            "m at least 32L/(s₀s₁)², with s₀ = σ₀√(Lm) and s₁ = σ₁√m₁",
            lambda r, p: p.width * (p.sigma_0 * p.sigma_1) ** 2 >= 32 * p.length,
        ),
    },
    holds_at={"width": 256, "sigma_0": 0.75},
    fails_at={"width": 256, "sigma_0": 10.0},
    seeds=10,
    ranges={**PHASE_1, "width": (96, 512), "sigma_0": (0.4, 1.35), "sigma_1": (0.75, 1.35)},
)
def phase_1_ranges(r: Phase1Ranges) -> Bounds:
    """Until T₁, for all words, neurons and samples of the real model; the constants are ours."""
    return Bounds(
        at_most(0.003, r.e_3, "E.3, attention, change over its bound"),
        at_most(1.0, r.e_7, "E.7, what neurons hear, change over its bound"),
        at_most(4.0, r.e_9_slopes, "E.9, slope of a product of values over the share of samples"),
        at_most(10.0, r.e_9, "E.9, products of two values over σ₀²√m"),
        at_most(3.0, r.e_9_long, "E.9, squared length of a value over σ₀²m, largest"),
        at_most(3.0, r.e_9_short, "E.9, σ₀²m over the squared length of a value, largest"),
        at_most(1.0, r.e_10, "E.10, push by other words over Lσ₀²√m"),
        at_most(2.0, r.e_11, "E.11, push by other neurons over its bound"),
        at_most(2.0, r.e_17, "E.17, slope of a neuron on the common word over (σ₀² + σ₁²)m"),
        at_most(1.0, r.e_21, "E.21, |Σ₂ − Σ₃|/n over the largest |F| at the start"),
        at_most(15.0, r.e_26_targets, "E.26, neurons on the three words, change times m₁"),
        at_most(5.0, r.e_26_others, "E.26, on irrelevant words, over R/n + R/√m"),
        at_most(4.0, r.e_26_scores, "E.26, scores, change times m√m"),
        at_most(0.1, r.e_26_own, "E.26, products of keys, of queries, change over σ₀²√m"),
    )


@statement(
    "recognise.theorem-e-27",
    measures=range_ratios,
    assumes={
        "wide": ("m at least m₁ and L²", lambda r, p: p.width >= max(p.neurons, p.length**2)),
        "many": ("n at least 3L²", lambda r, p: p.samples >= 3 * p.length**2),
        "scales": ("σ₀ between 0.2 and 1.25/√(Lm), σ₁ within a quarter of 1/√m₁", _scales),
        "quiet": ("|F| at most 1 at the start", lambda r, p: r.first_output <= 1),
    },
    exists={"constant": (20.0, 200.0)},
    holds_at={"sigma_0": 0.25, "constant": END_OF_PHASE_1},
    fails_at={"sigma_0": 3.0, "constant": 30.0},
    seeds=10,
    ranges={**PHASE_1, "sigma_0": (0.15, 0.8), "sigma_1": (0.75, 1.35)},
    constants=(0.01,),
)
def theorem_e_27(r: Phase1Ranges) -> Bounds:
    """At T₁ every training sample is right by a margin, G and N are of their orders; the rest has hardly moved."""
    return Bounds(
        at_least(0.1, r.least_margin, "least margin of a sample at T₁"),
        at_most(20.0, r.most_margin, "largest margin"),
        at_least(0.5, r.least_g, "least of G(μ₁), G(μ₂), −G(μ₃)"),
        at_most(10.0, r.most_g, "largest of them"),
        at_most(15.0, r.others_g, "largest |G| of an irrelevant word over σ₀σ₁√(mm₁)"),
        at_least(0.005, r.rise, "E.19, slope of G on a target until T₁, over (σ₀² + σ₁²)mm₁"),
        at_least(0.3, r.size, "N over σ₁²mm₁, least"),
        at_most(3.0, r.size, "N over σ₁²mm₁, largest"),
        at_most(40.0, r.e_28_neurons, "E.28, products of neurons, change times m"),
        at_most(40.0, r.e_28_values, "E.28, products of values, change times m"),
        at_most(5.0, r.e_28_scores, "E.28, scores, change times m√m over 1/L + 1/√m"),
        at_most(3.0, r.e_28_own, "E.28, products of keys, of queries, change times m²"),
        at_least(0.05, r.loss, "loss at T₁"),
    )
