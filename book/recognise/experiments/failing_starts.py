"""How often a random start fails the theorems: the table ``book/data/recognise-seeds``.

python -m book experiments recognise seeds [--workers N|ADDRESS] [--quick]
"""

from __future__ import annotations

from typing import Any

from scipy.stats import binomtest

from book.ledger.hunt import results_at
from book.ledger.registry import statements

SEEDS = 300
THEOREMS = ("recognise.theorem-3-1", "recognise.theorem-3-2")


def failures(id: str, width: float, sigma_0: float, chosen: bool, many: int = SEEDS) -> list[dict[str, Any]]:
    """At how many of so many random starts a theorem fails, with the 95 % interval of δ.

    Args:
        chosen: whether each start may have its own C, as the theorem says, or all have that of ``holds_at``.
    """
    theorem = statements()[id]
    starts = [{**theorem.holds_at, "width": width, "sigma_0": sigma_0, "seed": seed} for seed in range(many)]
    results = results_at(theorem, starts) if chosen else theorem.at_each(starts)
    failed = sum(result.key == "contradicted" for result in results)
    interval = binomtest(failed, many).proportion_ci()
    return [{"failed": failed, "of": many, "low": interval.low, "high": interval.high}]


def cells(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """Both theorems, narrow and wide, with outputs of order 1 at the start and with small ones."""
    configurations = [
        {"id": id, "width": width, "sigma_0": sigma_0, "chosen": chosen}
        for id in THEOREMS
        for chosen in (False, True)
        for sigma_0 in (1.0, 0.4)
        for width in (1024.0, 8192.0)
    ]
    return [{**one, "many": 6} for one in configurations[:2]] if quick else configurations
