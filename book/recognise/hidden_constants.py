"""The constants that a Θ or an O hides, as pages show them from the stored table."""

from __future__ import annotations

import math

from book.frames import Shown, show
from book.sweep import read


def constants(id: str) -> Shown:
    """A row for each bound of a statement: its values over many configurations, and the powers of n, L and m in it."""
    rows = read("recognise-constants").rows
    chosen = rows[rows.id == id].copy()
    for size in ("n", "L", "m"):
        fitted = zip(chosen[f"power of {size}"], chosen[f"give or take {size}"], strict=True)
        chosen[size] = ["–" if math.isnan(power) else f"{power:.2f} ± {half:.2f}" for power, half in fitted]
    ends = {"must": "bound", "least": "least", "median": "median", "largest": "largest"}
    return show(chosen, bound="quantity", **ends, n="power of $n$", L="of $L$", m="of $m$")
