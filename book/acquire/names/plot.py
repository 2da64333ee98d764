"""How the page draws what came of several starts: lines beside each other, so that none covers another's spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from book.figures import share_band

APART = 0.12
"""From one line to the next, in units of the distance between two values of x."""


def side_by_side(
    rows: pd.DataFrame, *, x: str, y: str, hue: str, ax: Axes, palette: Mapping[Any, Any]
) -> None:
    """Draw the mean of shares by x with its spread, a line for each level of ``hue``, as seaborn's functions do."""
    values = sorted(rows[x].unique())
    for place, (level, colour) in enumerate(palette.items()):
        shares = rows[rows[hue] == level].groupby(x)[y]
        at = [values.index(value) + APART * (place - (len(palette) - 1) / 2) for value in shares.groups]
        low, high = zip(*(share_band(group) for _, group in shares), strict=True)
        ax.plot(at, shares.mean(), "o-", color=colour, label=str(level), ms=4.5, lw=1)
        ax.vlines(at, low, high, color=colour, lw=1, alpha=0.45)
    ax.set_xticks(range(len(values)), [str(value) for value in values])
    ax.legend()
