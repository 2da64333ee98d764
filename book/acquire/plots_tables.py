"""Table 3 and Figures 2, 5 and 6, drawn from the tables in ``book/data``: captions and words from the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import seaborn as sns
from IPython.display import HTML

from book.figures import INK, Panel, figure, listed, panel
from lib.knowledge import architectures, experiments

COLOURS = ("#2a8fd0", "#d9731a", "#c2403d", "#8a63d2", "#7a7f87")
STYLES = ("-", "--", "-.", ":", "-")
MARKS = ("o", "s", "^", "D", "v")
KINDS = {
    "standard": "standard",
    "uniform": "uniform attention + MLP",
    "attention": "attention only",
    "attention, biases": "attention only, with biases",
    "simplified": "simplified (the paper's)",
}
PAPER = {"standard": 0.8064, "uniform": 0.8068, "attention": 5.5875, "simplified": 0.8200}
"""The losses printed in Table 3."""
WAYS = {
    "standard, adamw": "standard, AdamW",
    "standard, gd": "standard, descent",
    "standard, gd, a third of the rate": "the same, a third of the rate",
    "uniform, adamw": "uniform attention + MLP, AdamW",
    "uniform, gd": "uniform attention + MLP, descent",
    "uniform, gd, a third of the rate": "the same, a third of the rate",
    "simplified, uniform, adamw": "the paper's MLP, uniform attention, AdamW",
}


def table_3(rows: pd.DataFrame) -> str:
    """A Markdown table: the losses at N = 1000 and at N = 250, and the accuracies of both splits."""
    lines = [
        "| model | paper's loss | loss, N = 1000 | test, printed split | test, new facts | loss, N = 250 | test, new "
        "facts |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for kind, name in KINDS.items():
        large, small = (rows[(rows.kind == kind) & (rows.subjects == size)] for size in (1000, 250))
        paper = f"{PAPER[kind]:.4f}" if kind in PAPER else "–"
        lines.append(
            f"| {name} | {paper} | {large.loss.mean():.4f} | {large.tuples_best.mean():.1%} "
            f"| {large.facts_best.mean():.1%} | {spread(small.loss, '.4f')} | {spread(small.facts_best, '.1%')} |"
        )
    return "\n".join(lines)


def spread(values: pd.Series, form: str) -> str:
    """The mean; and the least and the most, if they differ."""
    low, high = format(values.min(), form), format(values.max(), form)
    return low if low == high else f"{format(values.mean(), form)} ({low} to {high})"


def leak(rows: pd.DataFrame) -> str:
    """What the printed split leaks, and the standard model's accuracy with and without, in a sentence."""
    large = rows[(rows.kind == "standard") & (rows.subjects == 1000)].iloc[0]
    return (
        f"In our draw at $N = 1000$, $K = 5$ it is {large.tuples_leaked:.1%} of the test prompts; expected are "
        f"{architectures.leaked_share(1000, 5):.2%}. The standard model gets {large.tuples_best:.1%} of that test "
        f"right, and {large.facts_best:.1%} where half of the *facts* is held out."
    )


def five_tokens(rows: pd.DataFrame) -> str:
    """A Markdown table: loss over entropy and accuracy on new facts, five tokens."""
    kinds = list(rows.embedding.unique())
    lines = [
        "| model and optimizer | steps | "
        + " | ".join(f"loss over entropy, {kind} | new facts, {kind}" for kind in kinds)
        + " |",
        "| --- | --- |" + " --- | --- |" * len(kinds),
    ]
    for way, name in WAYS.items():
        cells = [f"{rows[rows.way == way].steps.iloc[0]}"]
        for kind in kinds:
            part = rows[(rows.way == way) & (rows.embedding == kind)]
            over = (part.loss - part.entropy).dropna()
            lost = len(part) - len(over)
            said = spread(over, ".4f") if len(over) else ""
            said += (", " if said else "") + f"{lost} of {len(part)} diverged" if lost else ""
            cells += [said, spread(part.best, ".0%")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def descent(rows: pd.DataFrame) -> HTML:
    """The paper's MLP by descent: attention learned, or uniform at several rates."""
    rows = rows[rows.step > 0]
    with panel("Loss over entropy, five tokens") as chart:
        kinds = [("learned", 0.0)] + [("uniform", rate) for rate in sorted(rows.rate.unique()) if rate > 0]
        said = []
        for (attention, rate), colour, style in zip(kinds, COLOURS, STYLES, strict=False):
            part = rows[(rows.attention == attention) & (rows.rate == rate)]
            label = "attention learned" if attention == "learned" else f"uniform, rate {rate:g}"
            sns.lineplot(
                part,
                x="step",
                y="excess",
                errorbar=None,
                color=colour,
                ls=style,
                lw=1.3,
                label=label,
                ax=chart.axes,
            )
            mean = part.groupby("step").excess.mean()
            near = mean[mean.index >= 100]
            said.append(
                f"{label}: {near.iloc[0]:.3f} after {near.index[0]} steps, {mean.iloc[-1]:.3f} at the end"
            )
        chart.axes.set(xscale="log", yscale="log", xlabel="steps of descent", ylabel="loss − entropy")
        chart.axes.legend(frameon=False, fontsize=8)
        drawn = chart.svg(f"Mean of {rows.seed.nunique()} seeds. {'; '.join(said)}.")
    caption = (
        f"With uniform attention descent goes on, but slowly: {said[0].split(': ')[1].split(',')[0]} with attention "
        f"learned. N = {experiments.SMALLEST[0]}, mean of {rows.seed.nunique()} seeds."
    )
    return figure([drawn], caption)


def _lines(chart: Panel, rows: pd.DataFrame, column: str, name: str, legend: Any = "lower right") -> str:
    """Accuracy on unseen facts against the share, one line for each value of ``column``; the numbers in words."""
    said = []
    for value, colour, style, mark in zip(
        sorted(rows[column].unique()), COLOURS, STYLES, MARKS, strict=False
    ):
        part = rows[rows[column] == value]
        sns.lineplot(
            part,
            x="share",
            y="unseen",
            estimator="mean",
            errorbar="sd",
            color=colour,
            ls=style,
            marker=mark,
            ms=5,
            mew=0,
            lw=1.3,
            label=f"{name} = {value}",
            ax=chart.axes,
        )
        mean = part.groupby("share").unseen.mean()
        said.append(f"{name} = {value}: " + ", ".join(f"{share:.0%} {y:.2f}" for share, y in mean.items()))
    chart.axes.set(
        ylim=(-0.03, 1.05), xlabel="share of frequent facts fine-tuned", ylabel="right, unseen facts"
    )
    chart.axes.legend(frameon=False, fontsize=7.5, loc=legend)
    return "; ".join(said)


def figure_2(rows: pd.DataFrame) -> HTML:
    """Accuracy at the best step against the fine-tuned share: for each K, each R, each N."""
    panels = []
    for which, column, name, title in (
        ("multiplicity", "multiplicity", "K", "(a) Multiplicity, |R| = 8, N = 96"),
        ("universe", "phrases", "|R|", "(b) Phrases in all, K = 4, N = 96"),
        ("facts", "subjects", "N", "Facts, K = 4, |R| = 8"),
    ):
        part = rows[rows.panel == which]
        with panel(title) as chart:
            said = _lines(chart, part, column, name)
            panels.append(
                chart.svg(
                    f"Mean of {part.seed.nunique()} seeds, by share of frequent facts fine-tuned. {said}."
                )
            )
    caption = (
        f"Accuracy on unseen facts at the best of {experiments.TUNED_STEPS} steps of fine-tuning; mean and "
        f"standard deviation of {rows.seed.nunique()} seeds."
    )
    return figure(panels, caption)


def reversal(rows: pd.DataFrame) -> str:
    """Multiplicity at small fine-tuning sets, and at K = 1, in three sentences."""
    part = rows[rows.panel == "multiplicity"]
    median = part.pivot_table("unseen", "multiplicity", "share", aggfunc="median")
    covered = part.pivot_table("covered", "multiplicity", "share")
    low = median.columns[0]
    few = part[(part.share == low) & (part.multiplicity == 1)]
    said = listed(f"{median[low][k]:.2f} at K = {k}" for k in median.index)
    at_once = few[few.step == 0]
    return (
        f"With only {few.chosen.iloc[0]:.0f} facts fine-tuned the order of the medians is the other way round: {said}. "
        f"These facts' phrases are {covered[low][1]:.1f} of {experiments.PHRASES} at K = 1, and that frees the facts "
        f"that have no other phrase; at K = 8 they are all {covered[low][8]:.0f}, and that is not enough. At K = 1 "
        f"{len(at_once)} of {len(few)} seeds answers best before any fine-tuning, {at_once.unseen.max():.0%}: where a "
        "subject has one phrase, its own feature may lose to the answer's from the start."
    )


def universes(rows: pd.DataFrame) -> str:
    """Coverage and accuracy for each R, in a sentence; and how far pre-training got."""
    part = rows[(rows.panel == "universe") & (rows.share == 0.6)]
    median = part.groupby("phrases")[["unseen", "covered", "excess"]].median()
    said = listed(
        f"{row.covered:.0f} of {r} phrases covered and {row.unseen:.2f} right" for r, row in median.iterrows()
    )
    least = median.index[0]
    return (
        f"At a share of 60% there are, in the median, {said}. Covered once is not enough. "
        f"At $\\lvert\\mathcal R\\rvert = {least}$ pre-training stops {median.excess[least]:.2f} above the entropy, "
        "else at most "
        f"{median.excess.drop(least).max():.2f}: its facts are not all stored."
    )


def figure_5(rows: pd.DataFrame) -> HTML:
    """Attention after stage I and at the end; and the ratio of attention on s to that on r for each κ."""
    here = rows[(rows.multiplicity == experiments.MULTIPLICITY) & (rows.kappa == experiments.KAPPA)]
    mean = here.groupby(["time", "prompt"])[["on_o", "on_s", "on_r"]].mean()
    order = [(time, prompt) for time in ("stage I", "end") for prompt in ("o s", "o s r")]
    shown = mean.loc[order]
    shown.index = pd.Index([f"[{prompt}], {time}" for time, prompt in order])
    shown.columns = pd.Index(["o", "s", "r"])
    with panel("Mean attention of the last token") as chart:
        chart.axes.grid(visible=False)
        sns.heatmap(
            shown,
            annot=True,
            fmt=".2f",
            cmap="crest",
            vmin=0,
            vmax=1,
            cbar=False,
            mask=shown.isna(),
            annot_kws={"fontsize": 9},
            ax=chart.axes,
        )
        chart.axes.set(xlabel="", ylabel="")
        chart.axes.tick_params(length=0, labelrotation=0)
        said = "; ".join(
            f"{name}: " + ", ".join(f"{token} {value:.3f}" for token, value in row.dropna().items())
            for name, row in shown.iterrows()
        )
        first = chart.svg(f"K = {experiments.MULTIPLICITY}, κ = {experiments.KAPPA}. {said}.")
    with panel("Attention on s over that on r") as chart:
        said_ratio = []
        full = rows[(rows.multiplicity == experiments.MULTIPLICITY) & (rows.prompt == "o s r")]
        for time, colour, shift in (("stage I", COLOURS[0], 0.94), ("end", COLOURS[1], 1.06)):
            part = full[full.time == time].groupby("kappa")
            low, high = part.least_ratio.min(), part.greatest_ratio.max()
            chart.axes.vlines(low.index * shift, low, high, color=colour, lw=5, alpha=0.75, label=time)
            said_ratio += [f"κ = {k:g}, {time}: {low[k]:.2f} to {high[k]:.2f}" for k in low.index]
        chart.axes.axhspan(0.7, 1.6, color=INK, alpha=0.08, lw=0)
        chart.axes.set(
            xscale="log", yscale="log", xlabel="κ = m/λ²", ylabel="least to greatest, all sentences"
        )
        chart.axes.legend(frameon=False, fontsize=8, loc="upper left")
        second = chart.svg("; ".join(said_ratio) + ". The band is 0.7 to 1.6.")
    most = here[here.time == "end"].most_on_o.max()
    ends = full[full.time == "end"].groupby("kappa").greatest_ratio.max()
    caption = (
        f"At the end attention on o is at most {most:.1g}. Attention on s and r stays within the band 0.7 to 1.6 only "
        f"for small κ: the greatest ratio is {listed(f'{value:.1f} at κ = {k:g}' for k, value in ends.items())}."
    )
    return figure([first, second], caption)


def figure_6(rows: pd.DataFrame) -> HTML:
    """Accuracy on unseen facts against the steps of fine-tuning, by share; one panel for each K."""
    panels, falls = [], []
    for k, part in rows.groupby("multiplicity"):
        with panel(f"K = {k}") as chart:
            said = []
            for share, colour, style in zip(sorted(part.share.unique()), COLOURS, STYLES, strict=False):
                here = part[part.share == share]
                sns.lineplot(
                    here,
                    x="step",
                    y="unseen",
                    estimator="mean",
                    errorbar="sd",
                    color=colour,
                    ls=style,
                    lw=1.3,
                    label=f"{share:.0%} of frequent facts",
                    ax=chart.axes,
                )
                mean = here.groupby("step").unseen.mean()
                said.append(
                    f"{share:.0%}: best {mean.max():.2f} after {mean.idxmax()} steps, {mean.iloc[-1]:.2f} after "
                    f"{mean.index[-1]}"
                )
                falls.append(f"{mean.max():.2f} to {mean.iloc[-1]:.2f} (K = {k}, {share:.0%})")
            chart.axes.set(
                xscale="symlog",
                xlim=(0, None),
                ylim=(-0.03, 1.05),
                xlabel="steps",
                ylabel="right, unseen facts",
            )
            chart.axes.legend(frameon=False, fontsize=8, loc="upper left")
            panels.append(chart.svg(f"Mean of {part.seed.nunique()} seeds. {'; '.join(said)}."))
    return figure(
        panels,
        f"Mean and standard deviation of {rows.seed.nunique()} seeds. From the best step to the last: {listed(falls)}.",
    )


def origin(tables: Sequence[tuple[str, dict[str, object]]]) -> str:
    """Where the tables are from, in a sentence."""
    said = [f"`{name}` of {str(story['date'])[:10]}, {story['rows']} rows" for name, story in tables]
    first = tables[0][1]
    return f"The tables: {listed(said)}; torch {first['torch']}, {first['device']}."
