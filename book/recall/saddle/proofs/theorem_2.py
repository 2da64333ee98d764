"""Theorem 2: the pairwise slice holds the optimum of all attention."""

from __future__ import annotations

from book.ledger.proofs import checked
from book.recall.common import nothing_is_lower


@checked(
    "recall.theorem-2",
    "Theorem 2, the optimum over all six tokens",
    "no random start ends below the slice's lowest point",
    "search",
)
def no_start_ends_lower() -> bool:
    """Proves by search that at three temperatures no random start ends below the slice's lowest point."""
    return nothing_is_lower((3, 0.03), (3, 0.05), (3, 0.08))
