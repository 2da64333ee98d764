"""The figures of the experiments' page, drawn from the tables in ``book/data``: captions and words from the numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
import seaborn as sns
from IPython.display import HTML
from matplotlib.axes import Axes

from book.figures import INK, Panel, figure, listed, panel, share_band
from book.recall.common import named_at_random
from book.recall.experiments import finetuning
from widgets.figure.colours import VARIANTS, role

PAIRS = ("first", "second", "third")
COMPARED = tuple(map(role, VARIANTS))
POSITIONS, ALL, UNIT, DESCENT = (
    "positions alone, by Adam",
    "the whole matrix, by Adam",
    "the whole matrix, by Adam, on unit vectors",
    "the whole matrix, by gradient descent",
)
WAYS = {
    ("positions", "any", "adam"): POSITIONS,
    ("all", "random", "adam"): ALL,
    ("all", "unit", "adam"): UNIT,
    ("all", "random", "descent"): DESCENT,
}
"""What is trained, on which embeddings, by what: in words."""
SHORT = {
    POSITIONS: "places only",
    ALL: "matrix, Adam",
    UNIT: "matrix, unit vectors",
    DESCENT: "matrix, descent",
}
"""Their names where there is little room."""
ACTIVATIONS = {"square": "x²", "relu": "ReLU", "gelu": "GELU"}
SIZES = (1, 2, 4, 8, 16, 32, 64)


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a column ``way`` that says how was trained."""
    keys = zip(table.trained, table.embedding, table.optimizer, strict=True)
    return table.assign(way=[WAYS[key] for key in keys])


def trained(table: pd.DataFrame) -> pd.DataFrame:
    """The rows after the most steps of each way of training, at most 64 prompts."""
    most = table.groupby("trained").steps.transform("max")
    return in_words(table[(table.steps == most) & (table.samples <= SIZES[-1])])


def emerged(rows: pd.DataFrame) -> pd.Series:
    """Whether mean attention from EoS is pairwise."""
    return finetuning.emerged(rows.within, rows.between)


def tuned(table: pd.DataFrame) -> pd.DataFrame:
    """The fine-tuned rows of Figure 4's table, with what they come to.

    ``emerged``; ``memory``, the least of the three kinds; ``lesser``, what the less attended of two pairs receives;
    ``share``, accuracy over its ceiling.
    """
    rows = table[table.samples > 0]
    means = [(rows[f"v{i}"] + rows[f"v{i + 1}"]) for i in (1, 3)]
    return rows.assign(
        activation=rows.activation.map(ACTIVATIONS),
        emerged=emerged,
        memory=rows[["memory_answer", "memory_relation", "memory_subject"]].min(axis=1),
        lesser=np.minimum(means[0], means[1]),
        share=rows.accuracy / rows.ceiling,
    )


def ways_compared(table: pd.DataFrame) -> HTML:
    """Both steps against |D| at 64 relations, a line for each way: means over all |S| and seeds."""
    rows = trained(table)
    rows = rows[(rows.relations == 64) & (rows.temperature == 0.05) & (rows.subjects <= 64)]
    rows = rows.assign(first=rows.accuracy / rows.ceiling, second=rows.answer_accuracy)
    panels, at_eight = [], {}
    for column, title in (("first", "Naming the relation"), ("second", "Giving the answer")):
        means = rows.groupby(["way", "samples"])[column].mean()
        with panel(title) as chart:
            for way, colour in zip(SHORT, COMPARED, strict=False):
                line = means[way]
                chart.axes.plot(line.index, line, "o-", color=colour, ms=3.5, label=SHORT[way])
            _samples_axis(chart, "share of the best possible" if column == "first" else "share right")
            at_eight[column] = means.xs(8, level="samples")
            said = listed(f"{at_eight[column][way]:.2f} ({way})" for way in SHORT)
            panels.append(chart.svg(f"{title}: on eight prompts {said}."))
    caption = (
        "Where only the scores between places are trained, eight prompts reach "
        f"{at_eight['first'][POSITIONS] * 100:.0f} % of the best possible. Where Adam trains the whole matrix, they "
        "are not enough for either step."
    )
    return figure(panels, caption)


def against_samples(table: pd.DataFrame, ways: Sequence[str], column: str = "accuracy") -> HTML:
    """The accuracy of a step against |D| at 64 relations: a panel for each way, a line for each |S|."""
    rows = trained(table)
    rows = rows[
        (rows.relations == 64) & (rows.temperature == 0.05) & rows.way.isin(ways) & (rows.subjects <= 64)
    ]
    step = "first" if column == "accuracy" else "second"
    panels = []
    for way in ways:
        part = rows[rows.way == way]
        with panel(way) as chart:
            for (n, line), colour in zip(part.groupby("subjects"), COMPARED, strict=False):
                _line(chart.axes, line, column, colour, f"{n} subjects")
                if column == "accuracy":
                    _levels(chart.axes, line, colour)
            _samples_axis(chart, f"accuracy of the {step} step")
            eight = part[part.samples == 8].groupby("subjects")[column].mean()
            said = listed(f"{value:.3f} with {n} subjects" for n, value in eight.items())
            panels.append(
                chart.svg(f"Training {way}: on eight prompts the {step} step's mean accuracy is {said}.")
            )
    if column == "accuracy":
        gap = (
            rows.assign(gap=rows.ceiling - rows.accuracy)[rows.samples == 8]
            .groupby(["way", "subjects"])
            .gap.mean()
        )
        said = listed(f"{gap[way].max():.3f} ({way})" for way in ways)
        caption = f"How far eight prompts stay below the ceiling, at worst: {said}. Dashes: ceiling; dots: untrained."
    else:
        mean = rows.groupby(["way", "subjects", "samples"])[column].mean()
        said = listed(f"{mean[way].min():.2f} to {mean[way].max():.2f} ({way})" for way in ways)
        caption = f"Mean accuracy of the second step on prompts not seen: {said}."
    return figure(panels, caption)


def collapse(table: pd.DataFrame) -> HTML:
    """Accuracy of every cell against |R|/(|S|(|S|−1)), beside the law of chance; and how sure the model is."""
    rows = trained(table)
    rows = rows[(rows.way == POSITIONS) & (rows.samples == 8)]
    cells = rows[rows.temperature == 0.05].groupby(["subjects", "relations"])
    cells = cells[["accuracy", "saddle", "untrained"]].mean().reset_index()
    load = cells.relations / (cells.subjects * (cells.subjects - 1))
    law = [named_at_random(n, r, 2) for n, r in zip(cells.subjects, cells.relations, strict=True)]
    gap = float((cells.accuracy - law).abs().max())
    with panel("Every cell lies on one of three curves") as chart:
        grid = np.geomspace(load.min() / 1.3, load.max() * 1.3, 80)
        kinds = (
            ("accuracy", 1, "trained", "measured"),
            ("saddle", 2, "at the saddle", "warn"),
            ("untrained", 6, "untrained", "faint"),
        )
        for column, rivals, name, colour in kinds:
            curve = [-math.expm1(-rivals * x) / (rivals * x) for x in grid]
            chart.axes.plot(grid, curve, color=role(colour), lw=1.2)
            chart.axes.scatter(load, cells[column], s=14, color=role(colour), label=name, zorder=3)
        chart.axes.set(
            xscale="log",
            xlabel="relations (1: most that Assumption 1 allows)",
            ylabel="accuracy of the first step",
            ylim=(0, 1.03),
        )
        chart.axes.legend()
        first = chart.svg(
            f"Accuracy in {len(cells)} cells. Trained on eight prompts it falls from {cells.accuracy.max():.3f} to "
            f"{cells.accuracy.min():.3f} as the load rises, within {gap:.3f} of the law; untrained it falls from "
            f"{cells.untrained.max():.3f} to {cells.untrained.min():.3f}."
        )
    caption = (
        f"Left, positions trained on eight prompts do as well as any rule can: all {len(cells)} cells are within "
        f"{gap:.3f} of the law. Right, the name may be right where its probability is far from 1."
    )
    return figure([first, _probability(rows)], caption)


def _probability(rows: pd.DataFrame) -> str:
    """p(r*) against |S| at 64 relations, a line for each temperature: argmax hides how unsure the model is."""
    rows = rows[rows.relations == 64]
    with panel("How sure it is depends on T") as chart:
        for (t, line), colour in zip(rows.groupby("temperature"), COMPARED, strict=False):
            mean = line.groupby("subjects").probability.mean()
            chart.axes.plot(mean.index, mean, "o-", color=colour, ms=3.5, lw=1.2, label=f"T = {t:g}")
        ceiling = rows.groupby("subjects").ceiling.mean()
        chart.axes.plot(ceiling.index, ceiling, color=INK, lw=0.9, ls="--")
        chart.axes.set_xscale("log", base=2)
        chart.axes.set(xlabel="number of subjects", ylabel="mean probability of r*")
        chart.axes.set(ylim=(0, 1.03), xticks=ceiling.index)
        chart.axes.set_xticklabels([str(n) for n in ceiling.index])
        chart.name_lines()
        said = listed(
            f"{p:.2f} at T = {t:g}" for t, p in rows.groupby("temperature").probability.mean().items()
        )
        return chart.svg(
            f"Mean probability of the true relation, with 64 relations: {said}. Dashes: the ceiling."
        )


def looks(table: pd.DataFrame, subjects: Sequence[int]) -> HTML:
    """Accuracy after 10, 100 and 1000 steps on the whole of W^KQ, a panel for each optimizer and |S|."""
    rows = in_words(table)
    rows = rows[(rows.relations == 64) & (rows.samples <= SIZES[-1]) & rows.way.isin([ALL, DESCENT])]
    panels = []
    for way, n in product((ALL, DESCENT), subjects):
        part = rows[(rows.way == way) & (rows.subjects == n)]
        with panel(f"{way}, {n} subjects") as chart:
            for (steps, line), colour in zip(part.groupby("steps"), COMPARED, strict=False):
                _line(chart.axes, line, "accuracy", colour, f"{steps} steps")
            _levels(chart.axes, part, INK)
            _samples_axis(chart, "accuracy of the first step")
            eight = part[part.samples == 8].groupby("steps").accuracy.mean()
            said = listed(f"{value:.3f} after {steps} steps" for steps, value in eight.items())
            edges = f"untrained {part.untrained.mean():.3f}, ceiling {part.ceiling.mean():.3f}"
            panels.append(chart.svg(f"{way}, {n} subjects, eight prompts: accuracy {said}; {edges}."))
    many = (
        rows[(rows.subjects == subjects[-1]) & (rows.samples == 8)].groupby(["way", "steps"]).accuracy.mean()
    )
    said = listed(f"{many[way].iloc[0]:.3f} to {many[way].iloc[-1]:.3f} ({way})" for way in (ALL, DESCENT))
    return figure(
        panels, f"With {subjects[-1]} subjects and eight prompts, from the first look to the last: {said}."
    )


def attention(rows: pd.DataFrame, examples: int, what: str) -> HTML:
    """Attention at the end in every seed, from EoS and from r*, the more attended pair first."""
    first, names = by_rank(rows, examples, "v")
    second, longer = by_rank(rows, examples, "q")
    masses = listed(f"{first[:, 2 * k : 2 * k + 2].sum(1).mean():.2f}" for k in range(examples))
    return figure(
        [
            _attention(first, names, examples, "From EoS: to name the relation"),
            _attention(second, longer, examples, "From r*: to name the answer"),
        ],
        f"{what}: the pairs receive {masses} of the attention from EoS, in the mean over {len(rows)} seeds; the bars "
        "are means, each dot a seed.",
    )


def patterns(pairwise: pd.DataFrame, other: pd.DataFrame) -> HTML:
    """Attention from EoS that is pairwise, two examples, beside attention that is not, three examples."""
    two, names = by_rank(pairwise, 2, "v")
    three, longer = by_rank(other, 3, "v")
    left, right = (
        listed(f"{values[:, 2 * k : 2 * k + 2].mean():.2f}" for k in range(pairs))
        for pairs, values in ((2, two), (3, three))
    )
    return figure(
        [
            _attention(two, names, 2, "Figure 2: pairwise"),
            _attention(three, longer, 3, "Figure 4 (b): not pairwise"),
        ],
        f"Attention from EoS, a bar for each word, a colour for each pair. Left the pairs differ: {left} on each word. "
        f"Right, with a memory that was learned at T = 1, two of the three pairs hardly do: {right}.",
    )


def by_rank(rows: pd.DataFrame, examples: int, letter: str) -> tuple[np.ndarray, list[str]]:
    """Mean attention as (seeds, tokens), the pairs in the order of what EoS gives them, and the tokens' names."""
    length = 2 * examples + (2 if letter == "v" else 3)
    values = rows[[f"{letter}{i}" for i in range(1, length + 1)]].to_numpy()
    pairs = rows[[f"v{i}" for i in range(1, 2 * examples + 1)]].to_numpy().reshape(-1, examples, 2)
    order = np.argsort(-pairs.sum(2), axis=1)  # (seeds, K)
    places = np.stack([2 * order, 2 * order + 1], 2).reshape(len(rows), -1)
    rest = np.tile(np.arange(2 * examples, length), (len(rows), 1))
    names = [f"{kind}{'₁₂₃₄'[k]}" for k in range(examples) for kind in ("s", "a")]
    names += [f"s{'₁₂₃₄'[examples]}", "EoS", "r*"][: length - 2 * examples]
    return np.take_along_axis(values, np.concatenate([places, rest], 1), 1), names


def _attention(values: np.ndarray, names: list[str], examples: int, title: str) -> str:
    colours = [role(name) for pair in PAIRS[:examples] for name in (pair, pair)]
    colours += map(role, ("query", "eos", "relation"))
    with panel(title) as chart:
        long = pd.DataFrame(values, columns=names).melt(var_name="token", value_name="attention")
        chart.axes.bar(range(len(names)), values.mean(0), color=colours[: len(names)], alpha=0.55, width=0.7)
        np.random.seed(0)  # stripplot scatters its dots by the global generator
        sns.stripplot(
            long, x="token", y="attention", order=names, color=INK, size=2.2, jitter=0.2, ax=chart.axes
        )
        chart.axes.set(xlabel="", ylabel="attention", ylim=(0, None))
        means = ", ".join(f"{name} {value:.3f}" for name, value in zip(names, values.mean(0), strict=True))
        return chart.svg(
            f"{title}. Mean over {len(values)} seeds: {means}. Largest spread {values.std(0).max():.3f}."
        )


def emergence(table: pd.DataFrame) -> HTML:
    """Figure 4, two examples: difference between pairs against difference within, each fine-tuning a point."""
    rows = tuned(table)
    rows = rows[rows.examples == 2]
    panels = []
    for activation, part in rows.groupby("activation", sort=False):
        with panel(f"activation: {activation}") as chart:
            for (t, group), colour in zip(part.groupby("pretraining_temperature"), COMPARED, strict=False):
                chart.axes.scatter(
                    group.within, group.between, s=16, color=colour, alpha=0.8, lw=0, label=f"{t:g}"
                )
            chart.axes.plot([1e-4, 0.0125, 1], [0.05, 0.05, 4], color=INK, lw=0.7, ls=":")
            chart.axes.set(xscale="log", yscale="log", xlim=(3e-4, 0.6), ylim=(5e-3, 0.8))
            chart.axes.set(xlabel="difference within a pair", ylabel="difference between pairs")
            chart.axes.legend(title="pretraining T", loc="lower right")
            panels.append(
                chart.svg(
                    f"Activation {activation}: {int(part.emerged.sum())} of {len(part)} fine-tunings end pairwise, "
                    f"above the dotted line. Median difference {part.within.median():.3f} within a pair, "
                    f"{part.between.median():.3f} between pairs."
                )
            )
    caption = (
        f"Above the dotted line attention is pairwise: {int(rows.emerged.sum())} of {len(rows)} fine-tunings."
    )
    return figure(panels, caption)


def learned(table: pd.DataFrame) -> HTML:
    """Figure 4's accuracy, two examples, Adam on 1024 prompts: by activation, pretraining temperature and width."""
    rows = tuned(table)
    rows = rows[(rows.examples == 2) & (rows.samples == 1024) & (rows.optimizer == "adam")]
    colours = dict(zip(sorted(rows.width.unique()), COMPARED, strict=False))
    ceiling, alone = rows.ceiling.mean(), named_at_random(8, 64, 1)
    panels = []
    for activation, part in rows.groupby("activation", sort=False):
        with panel(f"activation: {activation}") as chart:
            for width, line in part.groupby("width"):
                _line(
                    chart.axes,
                    line,
                    "accuracy",
                    colours[width],
                    f"width {width}",
                    x="pretraining_temperature",
                )
            chart.axes.axhline(ceiling, color=INK, lw=0.9, ls="--")
            chart.axes.axhline(alone, color=INK, lw=0.9, ls=":")
            chart.axes.set(
                xscale="log", xlim=(0.04, 1.25), xlabel="temperature of pretraining", ylim=(0, 0.65)
            )
            chart.axes.set(ylabel="accuracy of the first step", xticks=(0.05, 0.2, 1))
            chart.axes.set_xticklabels(["0.05", "0.2", "1"])
            chart.axes.minorticks_off()
            chart.name_lines()
            best = part.groupby(["pretraining_temperature", "width"]).accuracy.mean()
            said = listed(f"{value:.2f} at T = {t:g} and width {width}" for (t, width), value in best.items())
            panels.append(chart.svg(f"Activation {activation}: mean accuracy {said}. Ceiling {ceiling:.2f}."))
    best = rows.groupby(["activation", "width", "pretraining_temperature"]).accuracy.mean()
    caption = (
        f"The best mean is {best.max():.2f} of a possible {ceiling:.2f} (dashes). Attention to one pair alone would "
        f"give {alone:.3f} (dots)."
    )
    return figure(panels, caption)


def _line(axes: Axes, rows: pd.DataFrame, column: str, colour: str, name: str, x: str = "samples") -> None:
    """Mean and standard deviation over seeds, against |D|."""
    sns.lineplot(
        rows,
        x=x,
        y=column,
        errorbar=share_band,
        color=colour,
        lw=1.3,
        marker="o",
        ms=4,
        mew=0,
        label=name,
        ax=axes,
    )


def _levels(axes: Axes, rows: pd.DataFrame, colour: str) -> None:
    """The Bayes ceiling, dashed, and the untrained accuracy, dotted."""
    axes.axhline(rows.ceiling.mean(), color=colour, lw=0.9, ls="--")
    axes.axhline(rows.untrained.mean(), color=colour, lw=0.9, ls=":")


def _samples_axis(chart: Panel, ylabel: str) -> None:
    chart.axes.set_xscale("log", base=2)
    chart.axes.set(xlabel="prompts to fine-tune on", ylabel=ylabel, ylim=(0, 1.03), xticks=SIZES)
    chart.axes.set_xticklabels([str(size) for size in SIZES])
    chart.name_lines()
