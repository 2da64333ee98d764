"""The stored runs of Figure 2 as the page draws them."""

from __future__ import annotations

import pandas as pd

from book.acquire.experiments.measured import table

PANELS = {
    "multiplicity": ("wordings per fact K", "multiplicity"),
    "universe": ("wordings in the language R", "phrases"),
    "facts": ("number of facts N", "subjects"),
}
"""For each panel its title, and the column that is varied in it."""


def figure_2_panels() -> pd.DataFrame:
    """The table "figure-2" with titles in ``panel`` and what a panel varies in "how many"."""
    rows = table("figure-2")
    varied = [row[PANELS[row.panel][1]] for _, row in rows.iterrows()]
    return rows.assign(panel=rows.panel.map(lambda panel: PANELS[panel][0]), **{"how many": varied})
