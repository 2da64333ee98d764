"""The stored runs of GPT-2 that stores facts and then looks them up."""

from __future__ import annotations

import pandas as pd
from IPython.display import HTML, Markdown

from book.figures import INK, figure, listed, panel
from book.sweep import read
from widgets.figure.colours import VARIANTS, role

STORED = {0: "no facts stored", 1: "in one wording", 4: "in four wordings"}
"""By K."""
WAYS = {"all": "all weights learn", "attention": "attention alone learns"}


def runs() -> pd.DataFrame:
    """The table ``together-gpt2``: a row for each look, see ``book.together.experiments.gpt2.looked_up``."""
    return read("together-gpt2").rows


def ends() -> pd.DataFrame:
    """A row for each K and way, means over seeds.

    Returns:
        ``stored`` and ``learns``, in words; ``told``, the share of statements completed before fine-tuning; ``named``,
        the share of new prompts named right at the end; ``best`` and ``loss``, the largest such share and the least
        loss at any look; ``pairing`` at the end.
    """
    rows = runs()
    cells = rows.groupby(["multiplicity", "way", "seed"])
    last = cells[["told", "named", "pairing"]].last()
    each = last.assign(best=cells.named.max(), loss=cells.loss.min()).groupby(["multiplicity", "way"]).mean()
    each = each.reset_index()
    return each.assign(stored=each.multiplicity.map(STORED), learns=each.way.map(WAYS)).round(2)


def sentence() -> Markdown:
    """What stored facts do to GPT-2, as the tenth of the chapter's sentences; means over ways and seeds."""
    runs = read("together-gpt2").rows.groupby(["multiplicity", "way", "seed"])
    each = runs.agg(best=("named", "max"), end=("named", "last"), loss=("loss", "min"))
    stored, fresh = (each.loc[k].mean() for k in (1, 0))
    return Markdown(
        '<details class="fim-fold"><summary>10. <b>In GPT-2 facts stored before in one phrase get in the way, '
        "where the prompts alone can teach the same facts.</b></summary>"
        f"\n\nGPT-2, with twelve layers of width 768, names at best {stored.best:.2f} of the new prompts right if "
        f"every fact was stored in one phrase, as many as one example alone would allow, and its loss stays at "
        f"{stored.loss:.2f} or above, near $\\log 2$. Without any stored fact it learns to use both examples, and "
        f"names {fresh.end:.2f} right: here an answer is a sum, which it can learn from prompts. "
        '<a href="stored.html">The runs</a>.\n\n</details>'
    )


def courses() -> HTML:
    """The share of new prompts named right, step by step, a panel for each way; a line is a seed."""
    panels = []
    for way, part in runs().groupby("way"):
        with panel(WAYS[way]) as chart:
            said = []
            for (k, lines), colour in zip(part.groupby("multiplicity"), map(role, VARIANTS), strict=False):
                for seed, line in lines.groupby("seed"):
                    label = STORED[k] if seed == 0 else None
                    chart.axes.plot(line.step, line.named, color=colour, lw=1.3, label=label)
                mean = lines.groupby("step").named.mean()
                said.append(f"{mean.iloc[-1]:.2f} ({STORED[k]})")
            chart.axes.axhline(1 / 2, color=INK, lw=0.8, ls=":")
            chart.axes.set(xlabel="steps of fine-tuning", ylabel="new prompts named right", ylim=(0, 1.03))
            chart.axes.legend(loc="center right", bbox_to_anchor=(1, 0.72))
            panels.append(
                chart.svg(f"{WAYS[way]}: at the end {listed(said)} of the new prompts are named right.")
            )
    return figure(panels, "Each line is a start. Dots: one half, which one example alone would allow.")
