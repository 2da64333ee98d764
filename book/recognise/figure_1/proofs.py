"""Proofs: the samples that recombined words need, a step of Theorem 3.3's proof, what the stored runs show."""

from __future__ import annotations

import math

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recognise.common import separator_by_sympy
from book.recognise.figure_1 import stored_runs
from book.recognise.figure_1.statements import LEAST_RISE, MOST_EARLY
from book.recognise.new_sentence_losses import FIRST, losses
from lib.program import run
from lib.recognise import gradient_flow, new_sentences
from lib.recognise.separator import max_margin
from lib.recognise.setting import counts, setting


@checked(
    "recognise.theorem-3-3-loss",
    "The number of samples that recombined words need, $n = 6p$",
    r"$3p^2 > (10L - 17)p + (L - 2)^2$",
    "sympy",
)
def enough_by_sympy() -> bool:
    """Type 2's worst margin with types 1 to 3 active, over the determinant: 3p² − (10L − 17)p − (L − 2)²."""
    import sympy as sp

    p, length, (both, single, _), determinant = separator_by_sympy(2)
    worst = 1 - (length - 2) * (both + single)
    wanted = (3 * p**2 - (10 * length - 17) * p - (length - 2) ** 2) / determinant
    return bool(sp.simplify(worst - wanted) == 0)


def difference_in_numbers() -> dict[str, float]:
    """How far the worst new sentence's margin falls behind a training sample's, at n = 120, L = 6, m = ∞."""
    sizes = {"samples": 120.0, "length": 6.0}
    outcome = run(gradient_flow.program(losses, losses), **sizes, width=1e30, random=0, end=9.0)
    rows = outcome.histories[0].rows
    behind = rows.trained - rows.recombined
    first = int((rows.time < 10**FIRST).sum())
    chosen = setting(**sizes)
    separator = max_margin(counts(chosen), chosen.length)
    by_type = separator.margins - new_sentences.margins(separator, chosen.length).recombined
    decades = math.log(float(rows.time[-1] / rows.time[first]))
    return {
        "paper: growth from τ = 10⁵ to 10⁹, in the end": 0.0,
        "ours: growth from τ = 10⁵ to 10⁹": float(by_type.amax()) * decades,
        "measured: growth from τ = 10⁵ to 10⁹": float(behind[-1] - behind[first]),
        "measured: difference at τ = 10⁹": float(behind[-1]),
    }


@erratum(
    "recognise.theorem-3-3-loss",
    rank=Rank.PROOF,
    where="Appendix F.10, proof of Theorem 3.3, the output on a new sentence",
    printed=r"\lvert F^{(T^\star)}(X) - F^{(T^\star)}(X^\star_I)\rvert \le O(1)",
    right=r"\lvert F^{(T^\star)}(X) - F^{(T^\star)}(X^\star_I)\rvert \le O\big(1 + \tfrac Ln\log T^\star\big)",
    survival=Survival.AS_PRINTED,
    survives="Yes: Definition F.1, which the step cites, bounds the irrelevant words of training samples only. "
    "Those of a new sentence may come from samples of the other label. They take a part L/n of the margin, which "
    "is small where n is at least 3L².",
    numbers=difference_in_numbers,
)
def difference_by_sympy() -> bool:
    """A negative sentence with one target, of words of positives: it falls behind by (L − 2)(λ₁ + λ₂) log τ.

    That is positive at any number of samples, and 44(L − 2)/n times log τ as n = 6p grows.
    """
    import sympy as sp

    p, length, (both, single, _), _ = separator_by_sympy(2)
    behind = (length - 2) * (both + single)
    order = sp.limit(6 * p * behind, p, sp.oo)
    never_zero = [sp.simplify(behind.subs(length, long)).is_positive for long in (4, 5, 6)]
    return bool(sp.simplify(order - 44 * (length - 2)) == 0 and all(never_zero))


@checked(
    "recognise.figure-1-a",
    "Figure 1 (a), ten seeds at the paper's scale, by descent and by the flow",
    "four scores part in Phase 2, hardly before, all signs right; normal weights and a = ±1 move them before",
    "full model",
)
def scores_part_late() -> bool:
    """The stored runs show Figure 1 (a)."""
    return stored_runs.parts_late(MOST_EARLY)


@checked(
    "recognise.figure-1-b",
    "Figure 1 (b), ten seeds at the paper's scale, by descent and by the flow",
    "the loss with one target rises first; all four losses fall in Phase 2",
    "full model",
)
def loss_rises_first() -> bool:
    """The stored runs show Figure 1 (b)."""
    return stored_runs.rises_first(LEAST_RISE)


STORED = (
    "Appendix A: the stored runs of 30 000 epochs",
    "the first 100 epochs of seed 0, by descent and by the flow, trained again",
    "full model",
)


@checked("recognise.figure-1-a", *STORED)
@checked("recognise.figure-1-b", *STORED)
def stored_runs_are_found_again() -> bool:
    """Training again gives the rows that are stored."""
    return stored_runs.are_found_again()
