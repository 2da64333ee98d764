"""The figures of the paper's experiment, drawn from the table in ``book/data``: captions and words from the numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import seaborn as sns
from IPython.display import HTML
from matplotlib.axes import Axes

from book.figures import INK, figure, listed, panel
from lib.cooccurrence.experiments import DEFAULT, READINGS

FIRST, SECOND, COMMON, OTHER, PURPLE = "#2a8fd0", "#d9731a", "#c2403d", "#7a7f87", "#8a63d2"
SCORES = (
    ("s21", "key μ₂, query μ₁", FIRST, "-"),
    ("s12", "key μ₁, query μ₂", SECOND, "--"),
    ("s31", "key μ₃, query μ₁", COMMON, "-"),
    ("s32", "key μ₃, query μ₂", PURPLE, "--"),
)
LOSSES = (
    ("loss_1", "both targets", FIRST, "-"),
    ("loss_2", "only μ₁", SECOND, "-"),
    ("loss_3", "only μ₂", PURPLE, "--"),
    ("loss_4", "neither", OTHER, "-"),
    ("loss", "mean", INK, ":"),
)


def runs(
    table: pd.DataFrame,
    reading: str = DEFAULT,
    method: str = "flow",
    words: str = "drawn",
    learned: int = 1,
) -> pd.DataFrame:
    """The rows of one kind of training, all seeds."""
    return table[
        (table.reading == reading)
        & (table.method == method)
        & (table.words == words)
        & (table.learned == learned)
    ]


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each seed: what became of a training.

    ``rise``: of the loss of samples with one target. ``right``: the first look from which on all samples are right,
    NaN if there is none. ``gain``: the least of the four scores' growths, on their side. ``loss``, ``test_loss``,
    ``test_error``: at the end. ``stiffness``, ``pace``: as in the table.
    """
    found = []
    for _, part in rows.sort_values("epoch").groupby("seed"):
        one = (part.loss_2 + part.loss_3) / 2
        wrong = part.margin <= 0
        after = part.epoch[~wrong[::-1].cummax()[::-1]]
        start, end = part.iloc[0], part.iloc[-1]
        signs = {"s12": 1, "s21": 1, "s31": -1, "s32": -1}
        found.append(
            {
                "rise": one.max() - one.iloc[0],
                "right": after.iloc[0] if len(after) else float("nan"),
                "gain": min(sign * (end[name] - start[name]) for name, sign in signs.items()),
                **{name: end[name] for name in ("loss", "test_loss", "test_error", "stiffness", "pace")},
            }
        )
    return pd.DataFrame(found)


def paper(table: pd.DataFrame, method: str = "descent") -> HTML:
    """Figure 1 (a) and (b): the growth of four scores, and the loss by type; mean and spread of the seeds."""
    rows = runs(table, method=method)
    right = summary(rows).right
    with panel("(a) Growth of scores") as chart:
        grown = rows.assign(
            **{name: rows[name] - rows.groupby("seed")[name].transform("first") for name, *_ in SCORES}
        )
        _lines(chart.axes, grown, SCORES)
        _phases(chart.axes, right, "k(ν)·q(μ), less the start")
        last = grown[grown.epoch == grown.epoch.max()]
        border = grown[grown.epoch <= right.median()].groupby("seed").last()
        said = "; ".join(
            f"{label}: {border[name].mean():+.3f} by the end of Phase 1, {last[name].mean():+.3f} at the end"
            for name, label, *_ in SCORES
        )
        first = chart.svg(f"Mean of {len(right)} seeds. {said}.")
    with panel("(b) Loss by type of sample") as chart:
        _lines(chart.axes, rows, LOSSES)
        _phases(chart.axes, right, "loss")
        means = rows.groupby("epoch")[[name for name, *_ in LOSSES]].mean()
        said = "; ".join(
            f"{label}: {means[name].iloc[0]:.2f} at the start, at most {means[name].max():.2f}, "
            f"{means[name].iloc[-1]:.3f} at the end"
            for name, label, *_ in LOSSES
        )
        second = chart.svg(f"Mean of {len(right)} seeds. {said}.")
    caption = (
        f"Mean and standard deviation of {len(right)} seeds. Shaded: Phase 1, to the median epoch {right.median():.0f} "
        "from which all samples are right."
    )
    return figure([first, second], caption)


def new_sentences(table: pd.DataFrame) -> HTML:
    """The loss on training samples and on new sentences, where words recur and where they do not."""
    panels = []
    kinds = (
        ("drawn", "The paper's 64 words: irrelevant ones recur", "test_loss", "new sentences"),
        ("distinct", "Distinct words", "unseen_loss", "new sentences, unseen words"),
    )
    said = []
    for words, title, column, label in kinds:
        rows = runs(table, words=words)
        with panel(title) as chart:
            _lines(chart.axes, rows, (("loss", "training", INK, ":"), (column, label, FIRST, "-")))
            chart.axes.set(xscale="symlog", yscale="log", xlim=(0, None), xlabel="epoch", ylabel="mean loss")
            chart.axes.set(ylim=(3e-4, 2))
            chart.axes.legend(frameon=False, fontsize=8, loc="lower left")
            means = rows.groupby("epoch")[["loss", column]].mean()
            low = means[column].idxmin()
            panels.append(
                chart.svg(
                    f"Training loss falls to {means.loss.iloc[-1]:.4f}. On {label} the loss is lowest at epoch {low}, "
                    f"{means[column].min():.4f}, and {means[column].iloc[-1]:.4f} at the end."
                )
            )
        said.append(f"{means[column].iloc[-1]:.4f} ({title.split(':')[0].lower()})")
    return figure(panels, f"Mean loss on new sentences after 30 000 epochs: {listed(said)}.")


def _lines(axes: Axes, rows: pd.DataFrame, kinds: Sequence[tuple[str, str, str, str]]) -> None:
    """Mean and standard deviation over seeds, against the epoch."""
    for column, label, colour, style in kinds:
        sns.lineplot(
            rows, x="epoch", y=column, errorbar="sd", color=colour, ls=style, lw=1.3, label=label, ax=axes
        )


def _phases(axes: Axes, right: pd.Series, ylabel: str) -> None:
    """Shade Phase 1 and name the axes."""
    axes.axvspan(0, right.median(), color=INK, alpha=0.06)
    axes.set(xlim=(0, 30_000), xlabel="epoch", ylabel=ylabel, xticks=(0, 10_000, 20_000, 30_000))
    axes.legend(frameon=False, fontsize=8)


def readings(table: pd.DataFrame) -> str:
    """A Markdown table: what became of Figure 1 in each reading of the start."""
    lines = [
        "| reading | N₀ | rate times curvature | all right from epoch | rise, one target | least growth of a score "
        "| test error |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in READINGS:
        found = summary(runs(table, name))
        late, early = found.right.max(), found.right.min()
        lines.append(
            f"| {name} | {found.pace.mean():.2g} | {found.stiffness.mean():.2g} | {early:.0f} to {late:.0f} "
            f"| {found.rise.min():.3f} to {found.rise.max():.3f} | {found.gain.min():.3f} to {found.gain.max():.3f} "
            f"| {found.test_error.mean():.1%} |"
        )
    return "\n".join(lines)


def apart(table: pd.DataFrame) -> str:
    """How far descent at the paper's rate is from the flow, reading by reading, in a sentence."""
    said = []
    for name in READINGS:
        descent, flow = runs(table, name, "descent"), runs(table, name)
        both = descent.merge(flow, on=["seed", "epoch"], suffixes=("", "_flow"))
        both = both[both.epoch > 0]
        scale = both.groupby("seed")["g3_flow"].transform(lambda g: g.abs().max())
        gap = max(((both[f"g{k}"] - both[f"g{k}_flow"]).abs() / scale).max() for k in (1, 2, 3))
        last = both[both.epoch == both.epoch.max()]
        end = max(
            ((last[f"g{k}"] - last[f"g{k}_flow"]).abs() / last["g3_flow"].abs()).max() for k in (1, 2, 3)
        )
        said.append(f"{gap:.0e} on the way and {end:.0e} at the end ({name})")
    return f"The three $G$ differ by at most {listed(said)}, of the largest."


def so_far(table: pd.DataFrame) -> str:
    """The losses after all epochs, in a sentence."""
    found = summary(runs(table))
    return (
        f"After 30 000 epochs the mean loss is {found.loss.mean():.4f} in training and {found.test_loss.mean():.3f} on "
        f"new sentences, of which {found.test_error.mean():.1%} are wrong."
    )


def frozen(table: pd.DataFrame) -> str:
    """What training attention changes, in a sentence."""
    learned, still = summary(runs(table)), summary(runs(table, learned=0))
    ratio = (still.loss / learned.loss - 1).abs().max()
    early = (still.right - learned.right).abs().max()
    return (
        f"With attention frozen the loss at the end differs by at most {ratio:.1%} over {len(still)} seeds, and the "
        f"look from which all samples are right by at most {early:.0f} epochs."
    )
