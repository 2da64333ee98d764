"""The automatic balancing of gradients: Lemmas 4.4 (F.5) and 4.5 (F.6), Theorem F.8 and Lemma F.10."""

from __future__ import annotations

from book.recognise.balancing import algebra
from book.recognise.balancing.program import Balancing, balancing
from book.recognise.common import ASSUMED, END_OF_PHASE_1, told_apart
from book.recognise.common import RANGES as EVERYWHERE
from book.statements import Bounds, Check, above, at_most, below, statement, told

SETTLED = {"reached": "the run comes to its end, in Phase 2"}
RANGES = {**EVERYWHERE, "end": (1.6, 5.0)}
LATE = {**SETTLED, "late": "three decades of Phase 2: τ at least 30 000"}


@statement(
    "recognise.lemma-4-4",
    runs=balancing,
    assumes=ASSUMED,
    settled=SETTLED,
    good=lambda r: told_apart(r.margins.amin(), " at the end"),
    holds_at={},
    fails_at={"first": 0.8},
    seeds=10,
    ranges=RANGES,
    uses=("recognise.theorem-3-1", "recognise.equations-4-5", "recognise.phase-1-still"),
    finding=(
        "Holds with a constant of {largest |Σ₂ − Σ₃| over the smaller:.2f}, and the difference shrinks. With four "
        "times as many samples of one type it comes to {largest |Σ₂ − Σ₃| over the smaller where it fails:.1f}; "
        "but for n/L → ∞ the limit is 0 whatever the shares."
    ),
)
def lemma_4_4(r: Balancing) -> Bounds:
    """In Phase 2 the sums over the samples with only μ₁ and only μ₂ differ by less than a tenth of the smaller."""
    return Bounds(below(0.1, r.worst_pair, "largest |Σ₂ − Σ₃| over the smaller"))


@statement(
    "recognise.lemma-4-5",
    runs=balancing,
    assumes=ASSUMED,
    settled=SETTLED,
    good=lambda r: told_apart(r.margins.amin(), " at the end"),
    holds_at={},
    fails_at={"samples": 6, "length": 200, "width": 40000.0},
    seeds=10,
    ranges=RANGES,
    uses=("recognise.theorem-3-1", "recognise.equations-4-5", "recognise.lemma-4-4"),
    finding=(
        r"The constants are known in the limit: $\frac{51p + 5L - 12}{9p - L}$ and $\frac{51p + 5L - 12}{6p "
        r"+ 2L - 3}$ for $n = 6p$, that is 17/3 and 17/2 for many samples."
    ),
    checked=(
        Check(
            "The limits of the ratios",
            r"\tfrac{51p+5L-12}{9p-L} \to \tfrac{17}3,\ \tfrac{51p+5L-12}{6p+2L-3} \to \tfrac{17}2",
            "sympy",
            algebra.ratios_by_sympy,
        ),
        Check(
            "Proof of Lemma F.6, where R(t) rests",
            r"R_\star = \tfrac32 \in [1, 3], \text{ and it attracts}",
            "sympy",
            algebra.balance_by_sympy,
        ),
    ),
)
def lemma_4_5(r: Balancing) -> Bounds:
    """In Phase 2 the three gaps are at least a seventh and a tenth of the total, and Lemma 4.3's inequality holds."""
    return Bounds(
        below(7.0, r.worst_first, "largest Σ over negatives − positives"),
        below(10.0, r.worst_second, "largest Σ over positives − only μ₁"),
        below(10.0, r.worst_third, "largest Σ over positives − only μ₂"),
        at_most(END_OF_PHASE_1, r.inside, "Lemma 4.3's inequality holds from τ"),
    )


@statement(
    "recognise.theorem-f-8",
    runs=balancing,
    assumes=ASSUMED,
    settled=LATE,
    good=lambda r: told_apart(r.margins.amin(), " at the end"),
    holds_at={},
    fails_at={"sigma_1": 0.01},
    seeds=10,
    ranges={**RANGES, "end": (4.5, 6.0)},
    uses=("recognise.theorem-3-1", "recognise.equations-4-5", "recognise.lemma-4-5"),
    finding=(
        r"The Θ hides $1/\lVert g\rVert^2$, the squared margin: 1/17 for many samples, 1/{‖g‖²:.2f} at n = 120 and "
        "L = 6. At finite width it grows slowly, with N."
    ),
    checked=(
        Check(
            "Theorem F.8 with its constant",
            r"\hat L' = -N\hat L^2/\lVert g\rVert^2",
            "sympy",
            algebra.loss_by_sympy,
        ),
    ),
)
def theorem_f_8(r: Balancing) -> Bounds:
    """In Phase 2 the loss is 1/(c N₀(t − T₁) + 1/loss(T₁)) with c between 1/25 and 1, and c is no power of time."""
    return Bounds(
        above(0.04, r.slowest, "c, least"),
        below(1.0, r.fastest, "c, largest"),
        at_most(0.2, r.drift, "log(largest over least c) over log of the time that Phase 2 took"),
        told(1 / r.square, "c at infinite width, late"),
        told(r.square, "‖g‖²"),
    )


@statement(
    "recognise.lemma-f-10",
    runs=balancing,
    assumes=ASSUMED,
    settled=SETTLED,
    good=lambda r: told_apart(r.margins.amin(), " at the end"),
    holds_at={"width": 4096.0, "random": 0, "end": 8.0},
    fails_at={"width": 64.0, "neurons": 4096, "random": 0, "end": 8.0},
    ranges=RANGES,
    uses=("recognise.theorem-3-1", "recognise.equations-4-5", "recognise.theorem-f-8"),
    finding=(
        r"Right, with the constant $\lVert g\rVert^2$ and $\log^2\tau$: the order is met, not only bounded. Where m₁ "
        "exceeds m by far, N grows {N over N₀ at the end where it fails:.0f} times over."
    ),
)
def lemma_f_10(r: Balancing) -> Bounds:
    """N grows by the order that is said, and stays of the order that it had."""
    return Bounds(
        at_most(1.0, r.growth, "growth of N since T₁ over (‖a‖²/N₀)‖g‖² log² τ"),
        below(10.0, r.size, "N over N₀ at the end"),
    )
