"""Proofs: formulas of the papers that were checked and errata, each declared where the function that proves it stands.

A page's proofs are in its ``proofs.py``, or in the modules of its folder ``proofs/``. A decorator says which formula a
function proves, and of which statement it is a part::

    @checked("recall.lemma-6", "Appendix B, the order of the curvature", r"f''(0)\\lesssim-1/T", "grid")
    def curvature_is_always_negative() -> bool: ...

    @erratum(
        "recall.lemma-6",
        rank=Rank.PROOF,
        where="Appendix B, the curvature at the end of Lemma 6's proof",
        printed=r"…",
        right=r"…",
        survival=Survival.AS_PRINTED,
        survives="The lemma stands: …",
        numbers=curvature_numbers,
    )
    def printed_curvature_differs() -> bool: ...
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple, TypeVar

Proof = TypeVar("Proof", bound=Callable[[], bool])


class Rank(StrEnum):
    """What is wrong: only the first changes a verdict."""

    STATEMENT = "the statement as printed"
    PROOF = "a step of a proof"
    MISPRINT = "a misprint"


class Survival(StrEnum):
    """Whether the statement that an erratum belongs to is still true, decided from the right formula."""

    AS_PRINTED = "the statement survives as printed"
    ONCE_CORRECTED = "the statement survives once corrected"
    NOT_AT_ALL = "the statement falls"


@dataclass(frozen=True)
class Erratum:
    """A formula of the paper that is not right, and the one that is."""

    rank: Rank
    where: str
    printed: str
    """The paper's formula, LaTeX."""
    right: str
    """The right one, LaTeX."""
    survival: Survival
    survives: str
    """Why the statement stands, or what of it does, in a sentence or two."""
    symbolic: Callable[[], bool] | None = None
    """True if sympy finds the paper's formula wrong and ours right; None where the paper's own text shows it."""
    numeric: Callable[[], dict[str, float]] = dict
    """The paper's number, ours, and what is measured."""

    def proved(self) -> bool | None:
        """Whether sympy bears it out; None if there is nothing to compute."""
        return self.symbolic and bool(self.symbolic())


class Check(NamedTuple):
    """A formula of the paper that was checked and found right: the list of errata is complete only beside these."""

    where: str
    formula: str
    """LaTeX, or words where the formula is a table."""
    how: str
    """"sympy", "autograd", "full model", "count": what it was checked against."""
    passes: Callable[[], bool]


_ERRATA: dict[str, dict[tuple[str, str], Erratum]] = {}
_CHECKED: dict[str, dict[tuple[str, str], Check]] = {}
"""By the statement's id, then by place and formula."""


def erratum(
    statement: str,
    *,
    rank: Rank,
    where: str,
    printed: str,
    right: str,
    survival: Survival,
    survives: str,
    numbers: Callable[[], dict[str, float]],
) -> Callable[[Proof], Proof]:
    """Declare an :class:`Erratum` of the statement with this id; the decorated function is its symbolic proof.

    Args:
        numbers: returns the paper's number, ours, and what is measured, by name.

    Raises:
        ValueError: a statement wrong as printed is said to survive so, or one falls by a misprint.
    """
    _check(statement, rank, survival)

    def declare(proof: Proof) -> Proof:
        _ERRATA.setdefault(statement, {})[where, printed] = Erratum(
            rank, where, printed, right, survival, survives, proof, numbers
        )
        return proof

    return declare


def misprint(
    statement: str, *, where: str, printed: str, right: str, survival: Survival, survives: str
) -> None:
    """Declare a misprint that the paper's own text shows where two of its places disagree: nothing is computed."""
    _check(statement, Rank.MISPRINT, survival)
    _ERRATA.setdefault(statement, {})[where, printed] = Erratum(
        Rank.MISPRINT, where, printed, right, survival, survives
    )


def _check(statement: str, rank: Rank, survival: Survival) -> None:
    """Refuse an erratum whose rank and survival contradict each other."""
    allowed = {
        Rank.STATEMENT: (Survival.ONCE_CORRECTED, Survival.NOT_AT_ALL),
        Rank.PROOF: tuple(Survival),
        Rank.MISPRINT: (Survival.AS_PRINTED, Survival.ONCE_CORRECTED),
    }[rank]
    if survival not in allowed:
        raise ValueError(
            f"{statement}: survival = {survival!r}: must be one of {allowed} where {rank} is wrong"
        )


def checked(statement: str, where: str, formula: str, how: str) -> Callable[[Proof], Proof]:
    """Declare a :class:`Check` of the statement with this id; the decorated function is true if the formula is right.

    Where one function proves several formulas, or one of another page, it is called without the ``@``:
    ``checked("recall.lemma-6", …)(softmax_by_sympy)``.
    """

    def declare(proof: Proof) -> Proof:
        _CHECKED.setdefault(statement, {})[where, formula] = Check(where, formula, how, proof)
        return proof

    return declare


def errata_of(statement: str, page: str) -> tuple[Erratum, ...]:
    """The errata of a statement, in the order in which its page declares them."""
    _import_proofs(page)
    return tuple(_ERRATA.get(statement, {}).values())


def checks_of(statement: str, page: str) -> tuple[Check, ...]:
    """The formulas of a statement that were checked and found right, in the order in which its page declares them."""
    _import_proofs(page)
    return tuple(_CHECKED.get(statement, {}).values())


@cache
def _import_proofs(page: str) -> None:
    """Import ``proofs.py`` of a page's folder, or its ``proofs/``."""
    name = f"{page.replace('/', '.')}.proofs"
    if find_spec(name) is not None:
        importlib.import_module(name)


def import_modules(package: str, path: Iterable[str]) -> None:
    """Import every module of a folder ``proofs/`` by name, called in its ``__init__.py``.

    That runs before any of the modules, so that whoever imports one finds all declared in the same order.
    """
    for inner in sorted(pkgutil.iter_modules(path), key=lambda inner: inner.name):
        importlib.import_module(f"{package}.{inner.name}")
