"""Proofs of the paper's experiment: how many samples recombined words need, and what the stored runs show."""

from __future__ import annotations

from book.ledger.proofs import checked
from book.recognise.common import separator_by_sympy
from book.recognise.figure_1 import stored_runs
from book.recognise.figure_1.statements import LEAST_RISE, MOST_EARLY


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
