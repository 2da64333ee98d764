"""The stored runs of Figure 2 as the page draws them."""

from __future__ import annotations

import pandas as pd
import seaborn as sns
from IPython.display import HTML

from book.acquire.experiments.measured import table
from book.figures import drawn

FACTS = "number of facts N"
PANELS = {
    "multiplicity": ("wordings per fact K", "multiplicity", "K"),
    "universe": ("wordings in the language R", "phrases", "R"),
    "facts": (FACTS, "subjects", "N"),
}
"""For each panel its title, the column that is varied in it, and its symbol."""
TUNED, RIGHT = "fraction of frequent facts fine-tuned", "unseen facts right"
MEDIAN = f"{RIGHT}, median"
"""How the axes are named."""


def figure_2_panels() -> pd.DataFrame:
    """The table "figure-2" with titles in ``panel`` and what a panel varies in "how many": "K = 1", the least first."""
    rows = table("acquire-figure-2")
    varied = pd.Series([row[PANELS[row.panel][1]] for _, row in rows.iterrows()], index=rows.index)
    symbols = rows.panel.map(lambda panel: PANELS[panel][2])
    words = symbols + " = " + varied.astype(int).astype(str)
    titled = rows.assign(panel=rows.panel.map(lambda panel: PANELS[panel][0]), **{"how many": words})
    return titled.loc[varied.sort_values(kind="stable").index].sort_values(
        "panel", key=lambda titles: titles.map([title for title, *_ in PANELS.values()].index), kind="stable"
    )


def charts(rows: pd.DataFrame, caption: str) -> HTML:
    """A chart for each panel of these rows of :func:`figure_2_panels`: medians over the starts, as statements have."""
    named = rows.rename(columns={"share": TUNED, "fair": MEDIAN})
    medians = named.groupby(["panel", "how many", TUNED], sort=False)[MEDIAN].median().reset_index()
    return drawn(sns.lineplot, medians, caption, x=TUNED, y=MEDIAN, hue="how many", col="panel")
