"""Static figures: matplotlib charts as SVG panels that belong to the page they stand in.

Panels stand side by side where there is room and below each other on a phone. They draw in roles of
:mod:`widgets.figure.colours` and their ink is the colour of the page's text, so they serve on light and on dark;
each says its numbers in words to those who cannot see it.
"""

from __future__ import annotations

import hashlib
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from cycler import cycler
from IPython.display import HTML
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from widgets.figure import colours
from widgets.figure.colours import ROLES, VARIANTS, role

INK = colours.INK
LETTER = 11.0
"""The height of letters in points of a panel, which a page shows a sixth larger or more: nine points at least."""
APART = 0.09
"""From one name of a line to the next, in heights of a panel's axes."""
ACROSS, DOWN = 44, 32
"""The number of a label's letters that have room along the axis across, and along that upwards."""
STYLE: dict[Any, Any] = {
    **dict.fromkeys(("text.color", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("axes.labelcolor", "axes.edgecolor", "axes.titlecolor"), INK),
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    **dict.fromkeys(("axes.labelsize", "xtick.labelsize", "ytick.labelsize"), LETTER),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.prop_cycle": cycler(color=[role(name) for name in VARIANTS]),
    # behind a legend the page hides grid and lines
    **{
        "legend.frameon": True,
        "legend.facecolor": "w",
        "legend.edgecolor": "none",
        "legend.framealpha": 0.85,
    },
    **dict.fromkeys(("legend.fontsize", "legend.title_fontsize"), LETTER),
    **{"legend.handlelength": 1.2, "legend.borderaxespad": 0.2, "legend.labelspacing": 0.3},
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "facts-in-motion",
}


CAPTION = "text-align: left; font: inherit; color: inherit"
"""The style of captions, which the theme would print pale and thin."""


class Panel:
    """One chart, in the house's style while it is drawn: ``with panel(title) as chart: chart.axes.plot(…)``."""

    def __init__(self, title: str) -> None:
        # small, so that a phone need not shrink its letters much
        self.figure = Figure(figsize=(3.9, 3.0), layout="constrained")
        self.axes: Axes = self.figure.add_subplot()
        self.axes.set_title(title, wrap=True)
        self.axes.grid(axis="y", color=INK, alpha=0.12, lw=0.6)
        self.axes.set_axisbelow(True)

    def name_lines(self, title: str = "") -> None:
        """Name each line at its right end in its colour, one above the other, instead of in a legend.

        Args:
            title: above the names, for names that are numbers.
        """
        if legend := self.axes.get_legend():
            legend.remove()
        labelled = [(str(line.get_label()), line) for line in self.axes.lines]
        # seaborn names empty lines in the place of those that it draws, in the same order
        drawn = iter([line for name, line in labelled if name.startswith("_")])
        named = [(name, line) for name, line in labelled if not name.startswith("_")]
        lines = [(name, line if np.size(line.get_xdata()) else next(drawn)) for name, line in named]
        self.figure.draw_without_rendering()
        to_share = self.axes.transData + self.axes.transAxes.inverted()
        ends = sorted(
            (float(to_share.transform(np.asarray(line.get_xydata())[-1])[1]), place)
            for place, (_, line) in enumerate(lines)
        )
        heights = spread([height for height, _ in ends], APART)
        # lines that end at one height are named in their order, the first lowest
        levels = np.cumsum(np.diff([height for height, _ in ends], prepend=0) > APART / 4)
        order = sorted((level, place) for level, (_, place) in zip(levels, ends, strict=True))
        for height, (_, place) in zip(heights, order, strict=True):
            name, line = lines[place]
            self._name_at_right(height, name, str(line.get_color()))
        if title:
            self._name_at_right(heights[-1] + APART, title, INK)

    def _name_at_right(self, height: float, words: str, colour: str) -> None:
        """Words to the right of the axes, at a share of their height."""
        self.axes.annotate(
            words,
            (1, height),
            (5, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            color=colour,
            fontsize=LETTER,
            va="center",
            annotation_clip=False,
        )

    def svg(self, label: str) -> str:
        """The chart as SVG with ``label`` as its alternative text, which must say the numbers."""
        for axis, room in ((self.axes.xaxis, ACROSS), (self.axes.yaxis, DOWN)):
            axis.label.set_text(textwrap.fill(axis.label.get_text(), room))
        buffer = io.StringIO()
        with mpl.rc_context(STYLE):
            self.figure.savefig(
                buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
            )
        text = buffer.getvalue()
        text = colours.in_theme(text[text.index("<svg") :])
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        text = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", text)
        text = re.sub(r"font-family: [^;\"]*", "font-family: inherit", text)
        text = _prefix_ids(text, hashlib.sha1(label.encode()).hexdigest()[:8])
        opening, rest = text.split(">", 1)
        opening = re.sub(r' (?:width|height)="[^"]*"', "", opening)
        return f'{opening} role="img" aria-label="{escape(label)}">{rest}'


def _prefix_ids(svg: str, prefix: str) -> str:
    """Drop the ids that nothing refers to, and give the others a prefix: a page has several panels."""
    used = set(re.findall(r"(?:href=\"|url\()#([\w-]+)", svg))
    svg = re.sub(
        r' id="([^"]+)"', lambda match: f' id="{prefix}-{match[1]}"' if match[1] in used else "", svg
    )
    return re.sub(r"(href=\"|url\()#", rf"\1#{prefix}-", svg)


def spread(heights: Sequence[float], apart: float) -> list[float]:
    """The heights, from the lowest up, moved until each is so far above the one before, and none above 1."""
    groups: list[list[float]] = []
    for height in heights:
        groups.append([height])
        while (
            len(groups) > 1
            and _middle(groups[-1]) - _middle(groups[-2]) < apart * (len(groups[-1]) + len(groups[-2])) / 2
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    apart_up = [
        _middle(group) + apart * (place - (len(group) - 1) / 2)
        for group in groups
        for place in range(len(group))
    ]
    below = [1 - apart * place for place in reversed(range(len(heights)))]
    return [min(pair) for pair in zip(apart_up, below, strict=True)]


def _middle(group: Sequence[float]) -> float:
    return sum(group) / len(group)


@contextmanager
def panel(title: str) -> Iterator[Panel]:
    """A chart to draw in, in the house's style."""
    with mpl.rc_context(STYLE):
        yield Panel(title)


def figure(panels: Sequence[str], caption: str, *, moves: bool = False) -> HTML:
    """A figure of panels, each from :meth:`Panel.svg`, above one sentence that says what they show.

    With ``moves`` the moments of :meth:`book.sketch.Sketch.then` appear one after the other, again if asked.
    """
    below = f'<figcaption style="{CAPTION}">{caption}</figcaption>'
    again = '<label class="fim-again"><input type="checkbox"> show it again, step by step</label>' * moves
    kind = ' class="fim-moments"' * moves
    return HTML(f'<figure{kind}>{again}<div class="diagram">{"".join(panels)}</div>{below}</figure>')


def share_band(values: Iterable[float]) -> tuple[float, float]:
    """Mean less and plus a standard deviation of shares, within 0 and 1: what seaborn takes as ``errorbar``."""
    shares = pd.Series(list(values), dtype=float)
    spread = shares.std() if len(shares) > 1 else 0.0
    return max(0.0, shares.mean() - spread), min(1.0, shares.mean() + spread)


def hues(levels: Iterable[Any], roles: Mapping[Any, str] | None = None) -> dict[Any, str]:
    """The colour of each level: that of the role which ``roles`` or its own name gives it, else of a spare variant."""
    roles = roles or {}
    unique = pd.Series(list(levels)).drop_duplicates()
    order = list(unique.sort_values() if pd.api.types.is_numeric_dtype(unique) else unique)
    named = {level: role(roles.get(level, level)) for level in order if level in roles or level in ROLES}
    spare = (role(name) for name in VARIANTS if role(name) not in named.values())
    return {level: named.get(level) or next(spare) for level in order}


def drawn(
    plot: Callable[..., Any],
    frame: pd.DataFrame,
    caption: str,
    *,
    x: str,
    y: str,
    hue: str | None = None,
    col: str | None = None,
    axes: Mapping[str, Any] | None = None,
    roles: Mapping[Any, str] | None = None,
    **how: Any,
) -> HTML:
    """A figure of a frame by a function of seaborn: ``drawn(sns.lineplot, runs, "What to see.", x="step", y="loss")``.

    Args:
        plot: takes the frame, ``x``, ``y``, ``hue`` and ``ax``. ``how``: what else it takes.
        caption: one sentence that says what the chart shows; its alternative text says the numbers.
        col: a panel for each value of this column, under that value; else one.
        axes: settings of the axes, such as ``{"xscale": "log"}``.
        hue: a line for each value of this column; numbers get its name as a title, words none.
        roles: of values of ``hue``, as :func:`hues` takes them.
    """
    parts = [(str(name), part) for name, part in frame.groupby(col, sort=False)] if col else [("", frame)]
    panels = []
    for name, part in parts:
        coloured = {"hue": hue, "palette": hues(part[hue], roles)} if hue else {}
        with panel(name) as chart:
            plot(part, x=x, y=y, ax=chart.axes, **coloured, **how)
            chart.axes.set(**(axes or {}))
            if hue and chart.axes.get_legend():
                # words say what they are, numbers need a title
                chart.name_lines(hue if pd.api.types.is_numeric_dtype(part[hue]) else "")
            panels.append(chart.svg(f"{y} by {x}, means. {_in_words(part, x, y, hue)}"))
    return figure(panels, caption)


def _in_words(frame: pd.DataFrame, x: str, y: str, hue: str | None) -> str:
    """The mean of each line at its ends, its highest and its lowest point, in words."""
    lines = []
    for name, part in [("", frame)] if hue is None else frame.groupby(hue, sort=False):
        mean = part.groupby(x, sort=False)[y].mean().dropna()
        points = dict.fromkeys((mean.index[0], mean.idxmax(), mean.idxmin(), mean.index[-1]))
        lines.append(f"{name}: ".removeprefix(": ") + listed(f"{mean[at]:.3g} at {at}" for at in points))
    return "; ".join(lines) + "."


def listed(items: Iterable[str]) -> str:
    """The items as words of a sentence: a; a and b; a, b and c."""
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last
