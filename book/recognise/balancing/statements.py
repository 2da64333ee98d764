"""The automatic balancing of gradients: Lemmas 4.4 (F.5) and 4.5 (F.6), Theorem F.8 and Lemma F.10."""

from __future__ import annotations

from typing import Any

from book.ledger import Bounds, above, at_least, at_most, below, between, recorded, statement
from book.ledger.rates import grows_at_most_as
from book.recognise import gaussian_phase_2
from book.recognise.balancing.definition_f_1 import LastingPhase2, phase_2_to_the_end
from book.recognise.balancing.program import Balancing, balancing, came_to_the_end
from book.recognise.balancing.samples_alike import SamplesAlike, samples_alike
from book.recognise.common import ASSUMED, END_OF_PHASE_1, label_probability
from book.recognise.common import RANGES as EVERYWHERE

SETTLED = {"reached": ("the run comes to its end, in Phase 2", came_to_the_end)}
RANGES = {**EVERYWHERE, "end": (1.6, 5.0)}
LATE = {
    **SETTLED,
    "late": (
        f"three decades of Phase 2: τ at least {1000 * END_OF_PHASE_1:,.0f}",
        lambda r, p: r.time >= 1000 * END_OF_PHASE_1,
    ),
}


@statement(
    "recognise.lemma-4-4",
    runs=balancing,
    assumes=ASSUMED,
    settled=SETTLED,
    good=lambda r: label_probability(r.margins.amin(), " at the end"),
    holds_at={},
    fails_at={"first": 0.8},
    seeds=10,
    ranges=RANGES,
)
def lemma_4_4(r: Balancing) -> Bounds:
    """In Phase 2 the sums over the samples with only μ₁ and only μ₂ differ by less than a fifth of the smaller."""
    return Bounds(below(0.2, r.worst_pair, "largest |Σ₂ − Σ₃| over the smaller"))


@statement(
    "recognise.lemma-4-5",
    runs=balancing,
    assumes=ASSUMED,
    settled=SETTLED,
    good=lambda r: label_probability(r.margins.amin(), " at the end"),
    holds_at={},
    fails_at={"samples": 6, "length": 200, "width": 40000.0},
    seeds=10,
    ranges=RANGES,
)
def lemma_4_5(r: Balancing) -> Bounds:
    """In Phase 2 the gaps are at least a seventh and a tenth of the total; Lemma 4.3's inequality holds with one C."""
    return Bounds(
        below(7.0, r.worst_first, "largest Σ over negatives − positives"),
        below(10.0, r.worst_second, "largest Σ over positives − only μ₁"),
        below(10.0, r.worst_third, "largest Σ over positives − only μ₂"),
        at_most(END_OF_PHASE_1, r.inside, "Lemma 4.3's inequality holds from τ"),
        at_least(0.05, r.left, "C of its left side, least"),
        at_least(0.05, r.right, "C of its right side, least"),
        at_most(2.0, r.uneven, "larger slope of a target over the smaller, largest"),
    )


@statement(
    "recognise.theorem-f-8",
    runs=balancing,
    assumes=ASSUMED,
    settled=LATE,
    good=lambda r: label_probability(r.margins.amin(), " at the end"),
    holds_at={},
    fails_at={"sigma_1": 0.01},
    seeds=10,
    ranges={**RANGES, "end": (4.5, 6.0)},
)
def theorem_f_8(r: Balancing) -> Bounds:
    """In Phase 2 the loss is 1/(c N₀(t − T₁) + 1/loss(T₁)) with c between 1/25 and 1, and c is no power of time."""
    return Bounds(
        above(0.04, r.slowest, "c, least"),
        below(1.0, r.fastest, "c, largest"),
        at_most(0.2, r.drift, "log(largest over least c) over log of the time that Phase 2 took"),
        recorded(1 / r.square, "c at infinite width, late"),
        recorded(r.square, "‖g‖²"),
    )


@statement(
    "recognise.lemma-f-10",
    runs=balancing,
    assumes=ASSUMED,
    settled=SETTLED,
    good=lambda r: label_probability(r.margins.amin(), " at the end"),
    holds_at={"width": 4096.0, "random": 0, "end": 8.0},
    fails_at={"width": 64.0, "neurons": 4096, "random": 0, "end": 8.0},
    ranges=RANGES,
)
def lemma_f_10(r: Balancing) -> Bounds:
    """N rises, by no more than the order that is said, and stays of the order that it had."""
    return Bounds(
        above(0.0, r.rising, "slope of N over N₀, least"),
        at_most(1.0, r.growth, "growth of N since T₁ over (‖a‖²/N₀)‖g‖² log² τ"),
        below(10.0, r.size, "N over N₀ at the end"),
        at_least(0.5, r.size, "N over N₀ at the end, at least"),
    )


@statement(
    "recognise.phase-2-lasts",
    runs=phase_2_to_the_end,
    assumes=ASSUMED,
    holds_at={"width": 1024.0},
    fails_at={"samples": 12, "length": 60, "width": 4096.0},
    seeds=10,
    ranges={**EVERYWHERE, "width": [256.0, 1024.0, 4096.0, 1e4, 1e5, 1e6]},
)
def phase_2_lasts(r: LastingPhase2) -> Bounds:
    """At six moments from T₁ to τ = 20 m; constants of ours, above the largest found."""
    return Bounds(
        above(0.0, r.order, "F.1, least gap in Σ₄ ≤ Σ₂, Σ₃ ≤ Σ₁ ≤ Σ₂ + Σ₃ + Σ₄, over Σ"),
        at_most(2.0, r.pair, "F.1, Σ₂ against Σ₃, larger over smaller"),
        at_least(0.1, r.margin, "F.1, least margin"),
        at_most(4.0, r.largest, "F.1, largest |G(μ)| over log τ"),
        at_most(10.0, r.size, "F.1, N over N₀"),
        at_most(0.1, r.products, "F.1, products of keys and of queries, change over σ₀²√m"),
        at_most(0.001, r.attention, "F.1, attention, change times L²"),
        at_most(3.0, r.ratios, "F.7, largest of G(μ₁), G(μ₂), −G(μ₃) over the least"),
        at_most(20.0, r.values, "F.11, products of values, change times N₀/log² τ"),
        at_most(2.0, r.by_values, "F.12, what neurons turn, over its bound"),
        at_most(4.0, r.own_slopes, "F.14, slope of G on an irrelevant word, over its bound"),
        at_most(10.0, r.others, "F.15, irrelevant words of a sample together, over 1 + (L/n) log τ"),
        at_most(1e-4, r.by_attention, "F.18, what attention turns, over N times the mean g"),
        at_most(
            10.0, r.products_since, "F.19, products of keys and of queries since T₁, over κ log² τ/(mN₀)"
        ),
        at_most(1.0, r.loss, "F.20, m times the loss at the end"),
        between(-1.2, r.power, -0.9, "F.20, power of τ in the loss"),
        recorded(r.power, "power of τ in the loss"),
        recorded(r.interval, "half of its 95 % interval"),
        recorded(r.loss, "m times the loss at the end"),
    )


@statement(
    "recognise.phase-2-samples",
    measures=gaussian_phase_2.phase_2,
    assumes=gaussian_phase_2.ASSUMED,
    holds_at={},
    fails_at={"constant": 40.0},
    seeds=5,
    ranges={
        **gaussian_phase_2.RANGES,
        "samples": [48, 60, 120],
        "length": [4, 4, 4, 6],
        "sigma_1": (0.3, 1.0),
    },
)
def phase_2_samples(r: Any) -> Bounds:
    """From T₁ until τ = 20 m, at every moment, for every sample and every word; constants are ours."""
    return Bounds(
        below(0.2, r.pair, "4.4, largest |Σ₂ − Σ₃| over the smaller"),
        below(7.0, r.first, "4.5, largest Σ over negatives − positives"),
        below(10.0, r.second, "4.5, largest Σ over positives − only one target"),
        at_least(
            gaussian_phase_2.ROOM, min(r.least_left, r.least_right), "4.5, C of Lemma 4.3's inequality, least"
        ),
        at_most(2.0, r.uneven, "4.5, larger slope of a target over the smaller, largest"),
        above(0.04, r.least_c, "F.8, c, least"),
        below(1.0, r.fastest, "F.8, c, largest"),
        at_most(0.2, r.drift, "F.8, log(largest over least c) over log of the time that Phase 2 took"),
        above(0.0, r.least_rising, "F.4, slope of N over ‖a‖²𝓛/N₀, least"),
        at_most(1.0, r.growth, "F.10, growth of N since T₁ over (‖a‖²/N₀)‖g‖² log² τ"),
        at_least(0.5, r.least_size, "F.10, N over N₀, least"),
        at_most(10.0, r.size, "F.10, N over N₀, largest"),
        above(0.0, r.least_order, "F.1, least gap in Σ₄ ≤ Σ₂, Σ₃ ≤ Σ₁ ≤ Σ₂ + Σ₃ + Σ₄, over Σ"),
        at_least(0.1, r.least_margin, "F.1, least margin of any sample"),
        at_most(4.0, r.largest, "F.1, largest |G(μ)| over log τ"),
        at_most(0.1, r.products, "F.1, products of keys and of queries, change over σ₀²√m"),
        at_most(0.01, r.attention, "F.1, attention, change times L²"),
        at_most(3.0, r.ratios, "F.7, largest of G(μ₁), G(μ₂), −G(μ₃) over the least"),
        at_most(5.0, r.values, "F.11, products of values, change times N₀/log² τ"),
        at_most(2.0, r.by_values, "F.12, what neurons turn, over its bound"),
        at_most(4.0, r.own_slopes, "F.14, slope of G on an irrelevant word, over its bound"),
        at_most(10.0, r.others, "F.15, irrelevant words of a sample together"),
        at_most(1e-3, r.by_attention, "F.18, what attention turns, over N times the mean g"),
        at_most(5.0, r.products_since, "F.19, products of keys and of queries since T₁, over κ log² τ/(mN₀)"),
        at_most(1.0, r.last_loss, "F.20, m times the loss at the end"),
        between(-1.2, r.power, -0.9, "F.20, power of τ in the loss"),
    )


@statement(
    "recognise.corollary-f-2",
    measures=samples_alike,
    assumes={
        "wide": ("m at least m₁ and L²", lambda r, p: p.width >= max(p.neurons, p.length**2)),
        "quiet": ("|F| at most 1 at the start", lambda r, p: r.first_output <= 1),
    },
    holds_at={},
    fails_at={"sigma_0": 3.0},
    ranges={"samples": [48, 60], "sigma_0": (0.2, 0.4), "seed": (0, 9999)},
)
def corollary_f_2(r: SamplesAlike) -> Bounds:
    """Any two samples of a type have g_i/g_j = O(1): the largest does not grow over more than a decade of τ."""
    return Bounds(
        grows_at_most_as(0.0, r.growth, "power of τ in the largest ratio of two samples of a type"),
        at_most(10.0, r.apart, "largest ratio of two samples of a type"),
        recorded(r.growth.first, "that ratio at T₁"),
        recorded(r.growth.last, "and at 32 T₁"),
        recorded(r.shallowest, "power of τ in a sample's loss, the shallowest"),
        recorded(r.steepest, "and the steepest"),
        recorded(r.most_margin, "the largest margin at the end"),
    )


@statement(
    "recognise.almost-the-same-rate",
    measures=samples_alike,
    assumes={
        "wide": ("m at least m₁ and L²", lambda r, p: p.width >= max(p.neurons, p.length**2)),
        "quiet": ("|F| at most 1 at the start", lambda r, p: r.first_output <= 1),
    },
    holds_at={},
    fails_at={"sigma_0": 3.0},
    ranges={"samples": [48, 60], "sigma_0": (0.2, 0.4), "seed": (0, 9999)},
    stands=False,
)
def almost_the_same_rate(r: SamplesAlike) -> Bounds:
    """All losses fall like one power of τ: the largest power over the least is 1, to a quarter."""
    return Bounds(
        at_most(1.25, r.steepest / r.shallowest, "largest power of τ in a sample's loss over the least"),
        recorded(r.shallowest, "power of τ in a sample's loss, the shallowest"),
        recorded(r.steepest, "and the steepest"),
    )
