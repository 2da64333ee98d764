"""Formulas of the papers that were checked, and errata, each with the function that proves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Erratum:
    """A formula of the paper that is not right, and the one that is."""

    where: str
    paper: str
    """The paper's formula, LaTeX."""
    right: str
    """The right one, LaTeX."""
    survives: str
    """Whether the statement stands, in a sentence."""
    symbolic: Callable[[], bool]
    """True if sympy finds the paper's formula wrong and ours right."""
    numeric: Callable[[], dict[str, float]]
    """The paper's number, ours, and what is measured."""


class Check(NamedTuple):
    """A formula of the paper that was checked and found right: the list of errata is complete only beside these."""

    where: str
    formula: str
    """LaTeX, or words where the formula is a table."""
    how: str
    """"sympy", "autograd", "full model", "count": what it was checked against."""
    passes: Callable[[], bool]
