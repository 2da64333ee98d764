"""The ledger: the papers' statements, each defined once beside its page and examined by the same code everywhere."""

from book.ledger.bounds import (
    Bound,
    Bounds,
    above,
    at_least,
    at_most,
    below,
    between,
    near,
    recorded,
    true,
)
from book.ledger.proofs import Check, Erratum
from book.ledger.statement import Ground, Statement, statement

__all__ = [
    "Bound",
    "Bounds",
    "Check",
    "Erratum",
    "Ground",
    "Statement",
    "above",
    "at_least",
    "at_most",
    "below",
    "between",
    "near",
    "recorded",
    "statement",
    "true",
]
