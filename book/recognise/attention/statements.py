"""What attention learns, and what it is worth: Corollary 4.6 (F.13), Lemma 4.7 (F.16, F.17), Theorem 3.3."""

from __future__ import annotations

import math
from typing import Any

from book.ledger import Bounds, Ground, above, at_least, at_most, below, recorded, statement, true
from book.recognise import gaussian_phase_2
from book.recognise.attention import gaussian_one_time, one_time
from book.recognise.attention.phase_2_slopes import Slopes, phase_2_slopes
from book.recognise.attention.program import (
    LearnedAndFrozen,
    growth_is_resolved,
    learned_and_frozen,
    least_margin,
)
from book.recognise.common import ASSUMED, RANGES, label_probability
from lib.recognise.setting import value_gram

AS_IN_THE_PAPER = {"layer": 1.0, "sigma_0": 1.0}
SLIGHT = 1e-3
"""κ/(mLN₀), how much a score of one unit moves a softmax, below which attention is as good as uniform."""
EVEN = 1e-2
"""κ/m, the spread of scores over √m at the start, below which attention starts as good as uniform."""
TRAINED_FIRST = {**ASSUMED, "trained": (ASSUMED["trained"][0], lambda r, p: True)}
"""The theorems' hypotheses for two runs, in the first of which attention is trained whatever ``learned`` says."""
FEW = {"positive": 0.02, "sigma_0": 10.0}
FEW_AND_NARROW = {"samples": 18, "width": 32.0}
ROUNDING = 1e-9
FINITE = {**RANGES, "width": [256.0, 1024.0, 4096.0, 1e4, 1e5, 1e6]}


@statement(
    "recognise.corollary-4-6",
    runs=phase_2_slopes,
    assumes=ASSUMED,
    holds_at={},
    fails_at=FEW,
    seeds=10,
    ranges={**RANGES, "end": (3.5, 5.0)},
)
def corollary_4_6(r: Slopes) -> Bounds:
    """The signs of five derivatives at four moments of Phase 2."""
    names = ("v₁·v₂ rises", "v₁·v₁ rises", "v₂·v₂ rises", "v₁·v₃ falls", "v₂·v₃ falls")
    return Bounds(
        *(above(0.0, r.values[:, k].amin(), f"{name}: least rate in τ") for k, name in enumerate(names))
    )


@statement(
    "recognise.lemma-4-7",
    runs=phase_2_slopes,
    assumes=ASSUMED,
    holds_at={},
    fails_at=FEW,
    seeds=10,
    ranges={**FINITE, "end": (3.5, 5.0)},
)
def lemma_4_7(r: Slopes) -> Bounds:
    """d/dτ of the four scores, each with its sign, and of scores with irrelevant words, at four moments of Phase 2.

    The largest change of the nine scores is of its order at the end, and no larger at two moments before.
    """
    return Bounds(
        at_least(0.1, r.over_logs.amin(), "least rate over κ𝓛 log τ/(√m L)"),
        at_most(2.0, r.over_logs.amax(), "largest rate over κ𝓛 log τ/(√m L)"),
        at_least(
            0.1, r.moved[-1], "largest change of the nine scores since T₁, over (A + B) log² τ, at the end"
        ),
        at_most(15.0, r.moved.amax(), "the same, over time"),
        at_most(1.5, r.irrelevant.amax(), "largest with an irrelevant word, over its bound times log² τ"),
    )


@statement(
    "recognise.corollary-f-17",
    runs=phase_2_slopes,
    ground=Ground.CORRECTED,
    assumes=ASSUMED,
    holds_at={},
    fails_at={**FEW, "width": 256.0},
    seeds=10,
    ranges={**FINITE, "end": (3.5, 5.0)},
)
def corollary_f_17(r: Slopes) -> Bounds:
    """Attention's four slopes are of order κ𝓛 log τ/(mL²), each with its sign, those to irrelevant words smaller."""
    return Bounds(
        at_least(0.1, r.turns.amin(), "least slope over κ𝓛 log τ/(mL²)"),
        at_most(2.0, r.turns.amax(), "largest slope over κ𝓛 log τ/(mL²)"),
        at_most(4.0, r.strays.amax(), "largest to an irrelevant word, over its bound after correction"),
        at_most(0.01, r.shifted.amax(), "change of attention times L²"),
        recorded(r.printed.amax(), "largest to an irrelevant word, over its bound as in the proof"),
    )


@statement(
    "recognise.theorem-3-3-attention",
    runs=learned_and_frozen,
    assumes=TRAINED_FIRST,
    settled={
        "resolved": (
            "N₀ small enough for a score's growth to stand out from rounding",
            growth_is_resolved,
        )
    },
    good=lambda r: label_probability(r.least_learned),
    exists={"end": (1.0, 7.0)},
    holds_at=AS_IN_THE_PAPER,
    fails_at={**AS_IN_THE_PAPER, "samples": 6, "length": 30},
    seeds=10,
    ranges=RANGES,
    sentences={
        "contradicted": "Not at this time, by “{bound}”: the theorem says that there is one at which all of it holds."
    },
)
def theorem_3_3_attention(r: LearnedAndFrozen) -> Bounds:
    """C₁₂, C₂₁, −C₃₁ and −C₃₂ are of the order stated, up to log² τ, and those of irrelevant words are smaller."""
    return Bounds(
        at_least(0.1, r.fewest, "least of C₁₂, C₂₁, −C₃₁, −C₃₂ over κ log² τ/(√m L N₀)"),
        at_most(15.0, r.most, "largest of them"),
        at_most(
            10.0 * r.room,
            (r.random / r.grown[1]).abs(),
            "n times the largest with an irrelevant word, over C₁₂",
        ),
    )


@statement(
    "recognise.attention-samples",
    measures=gaussian_phase_2.phase_2,
    assumes=gaussian_phase_2.ASSUMED,
    holds_at={},
    fails_at={"constant": 4.0},
    seeds=5,
    ranges=gaussian_phase_2.RANGES,
)
def attention_samples(r: Any) -> Bounds:
    """From T₁ until τ = 20 m, at every moment, for every sample and every word; constants are ours."""
    products = {"v₁·v₂ rises": r.least_12, "v₁·v₁ rises": r.least_11, "v₂·v₂ rises": r.least_22}
    products |= {"v₁·v₃ falls": r.least_13, "v₂·v₃ falls": r.least_23}
    return Bounds(
        *(above(0.0, rate, f"4.6, {name}: least rate over 𝓛/N₀") for name, rate in products.items()),
        at_least(0.1, r.least_rate, "4.7, least rate of a score over κ𝓛 log τ/(√m L)"),
        at_most(2.0, r.rate, "4.7, largest rate over κ𝓛 log τ/(√m L)"),
        at_least(
            0.1,
            r.last_moved,
            "4.7, largest change of the nine scores since T₁, over (A + B) log² τ, at the end",
        ),
        at_most(8.0, r.moved, "4.7, the same, over time"),
        at_most(1.5, r.irrelevant, "4.7, largest with an irrelevant word, over its bound times log² τ"),
        at_least(0.1, r.least_turn, "F.17, least slope of attention over κ𝓛 log τ/(mL²)"),
        at_most(2.0, r.turn, "F.17, largest slope over κ𝓛 log τ/(mL²)"),
        at_most(1.0, r.strays, "F.17, largest to an irrelevant word, over its bound after correction"),
        at_most(0.01, r.attention, "F.17, change of attention times L²"),
        at_least(0.1, r.last_least_coefficient, "3.3, least of C₁₂, C₂₁, −C₃₁, −C₃₂ over κ log² τ/(√m L N₀)"),
        at_most(8.0, r.last_coefficient, "3.3, largest of them"),
        at_most(
            10.0,
            r.last_other_coefficient,
            "3.3, n times the largest with an irrelevant word, over C₁₂ and 1 + nL/√m",
        ),
    )


@statement(
    "recognise.theorem-3-3-event",
    measures=one_time.one_time,
    assumes={
        "many": ("n at least 4L²", lambda r, p: p.samples >= 4 * p.length**2),
        "wide": (
            "the least m at least m₁, 16√m₁/s₁², L² and 32L/(s₀s₁)², with s₀ = σ₀√(Lm) and s₁ = σ₁√m₁ (ours)",
            lambda r, p: one_time.is_wide(p),
        ),
        "fit": (
            "s₀ and s₁ at most 3, s₀s₁ at most 1 (ours)",
            lambda r, p: (max(p.sigma_0, p.sigma_1) <= 3) & (p.sigma_0 * p.sigma_1 <= 1 + 1e-9),
        ),
    },
    exists={"constant": (20.0, 100.0)},
    holds_at={},
    fails_at={"samples": 18.0},
    ranges={
        "samples": (40.0, 1e5),
        "length": (4, 12),
        "neurons": (1.0, 64.0),
        "sigma_0": (0.3, 3.0),
        "sigma_1": (0.3, 3.0),
        "seed": (0, 9999),
    },
)
def theorem_3_3_event(r: one_time.OneTime) -> Bounds:
    """From nine starts in ten at each width, both items at one T⋆ = C m²/N₀; all losses there are powers of m."""
    return Bounds(
        at_least(0.9, r.share, "share of starts at which all of it holds at T⋆, least of the widths'"),
        below(0.0, r.training.high, "exponent of m in the training loss, upper end"),
        below(0.0, r.unseen.high, "exponent of m in the worst loss on new words, upper end"),
        below(0.0, r.recombined.high, "exponent of m in the worst loss on recombined words, upper end"),
        recorded(r.time.exponent, "exponent of m in T⋆"),
        recorded(r.training.exponent, "exponent of m in the training loss"),
        recorded(r.unseen.exponent, "exponent of m in the worst loss on new words"),
        recorded(r.recombined.exponent, "exponent of m in the worst loss on recombined words"),
        recorded(r.fewest, "least of C₁₂, C₂₁, −C₃₁, −C₃₂ over κ log² τ/(√m L N₀), of all starts"),
        recorded(r.most, "largest of them, of all starts"),
        recorded(r.irrelevant, "largest with an irrelevant word over its bound, of all starts"),
    )


@statement(
    "recognise.theorem-3-3-samples",
    measures=gaussian_one_time.one_time,
    assumes={
        **theorem_3_3_event.assumes,
        "wide": (theorem_3_3_event.assumes["wide"][0], lambda r, p: gaussian_one_time.is_wide(p)),
    },
    exists={"constant": (20.0, 100.0)},
    holds_at={},
    fails_at={"samples": 18},
    seeds=3,
)
def theorem_3_3_samples(r: Any) -> Bounds:
    """At one T⋆ = C m²/N₀ both items hold at each width, for every new sentence; all losses there are powers of m."""
    return Bounds(
        at_most(1.0, r.loss, "m² times the training loss, largest"),
        below(math.log(2), r.worst, "loss of a new sentence, largest"),
        below(0.0, r.training.high, "exponent of m in the training loss, upper end"),
        below(0.0, r.unseen.high, "exponent of m in the worst loss on new words, upper end"),
        below(0.0, r.recombined.high, "exponent of m in the worst loss on recombined words, upper end"),
        at_least(one_time.FEWEST, r.fewest, "least of C₁₂, C₂₁, −C₃₁, −C₃₂ over κ log² τ/(√m L N₀)"),
        at_most(one_time.MOST, r.most, "largest of them"),
        at_most(
            one_time.IRRELEVANT,
            r.irrelevant,
            "n times the largest with an irrelevant word, over C₁₂ and 1 + nL/√m",
        ),
        recorded(r.training.exponent, "exponent of m in the training loss"),
        recorded(r.unseen.exponent, "exponent of m in the worst loss on new words"),
        recorded(r.recombined.exponent, "exponent of m in the worst loss on recombined words"),
    )


@statement(
    "recognise.attention-share",
    runs=learned_and_frozen,
    assumes={
        "slight": (f"κ/(mLN₀) below {SLIGHT:g}", lambda r, p: r.effect < SLIGHT),
        "even": (
            f"attention starts all but uniform: κ/m below {EVEN:g}",
            lambda r, p: value_gram(p) < EVEN * p.width,
        ),
    },
    settled={
        "clear": (
            "steps enough for all samples to be right by a margin of 1",
            lambda r, p: least_margin(r) >= 1,
        )
    },
    good=lambda r: label_probability(r.least_learned),
    holds_at={"layer": 0.06, "sigma_0": 1.0},
    fails_at={"layer": 0.02, "sigma_0": 10.0},
    seeds=10,
    ranges={
        **{name: RANGES[name] for name in ("samples", "length", "width")},
        "layer": (0.01, 1.0),
        "sigma_0": (0.1, 10.0),
        "sigma_1": (0.1, 3.0),
        "seed": (0, 99),
    },
    ground=Ground.OURS,
)
def attention_share(r: LearnedAndFrozen) -> Bounds:
    """The bound holds; the least margin is the same to a hundredth with attention frozen, or made uniform."""
    return Bounds(
        true(r.part <= r.allowed + ROUNDING, "what attention adds to an output is within the bound"),
        recorded(r.part, "what attention adds to an output, in size"),
        recorded(r.allowed, "the bound on it"),
        at_most(0.01, (r.least_learned / r.least_frozen - 1).abs(), "learned over frozen, less 1, in size"),
        at_most(0.01, r.share.abs(), "share of attention in the margin, in size"),
        recorded(r.effect, "κ/(mLN₀)"),
    )


@statement(
    "recognise.attention-new-words",
    runs=learned_and_frozen,
    assumes={
        "mean": ("the mean start", lambda r, p: 1 - p.random),
        "enough": ("n at least L", lambda r, p: p.samples >= p.length),
    },
    settled={
        "right": ("steps enough for all training samples to be right", lambda r, p: least_margin(r) > 0)
    },
    holds_at={**FEW_AND_NARROW, "random": 0},
    fails_at={**FEW_AND_NARROW, "random": 1, "seed": 10},
    ranges={
        "samples": (12.0, 1e4),
        "length": (4, 40),
        "width": [32.0, 64.0, 256.0, 1024.0],
        "layer": (0.01, 1.0),
        "sigma_0": (0.1, 10.0),
        "sigma_1": (0.1, 3.0),
    },
    ground=Ground.OURS,
)
def attention_new_words(r: LearnedAndFrozen) -> Bounds:
    """On sentences of unseen words the least margin is no smaller with attention learned than with it frozen."""
    return Bounds(
        at_least(
            r.unseen_frozen - ROUNDING, r.unseen_learned, "attention learned, least margin on new words"
        ),
        recorded(r.unseen_frozen, "attention frozen, least margin on new words"),
    )
