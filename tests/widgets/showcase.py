"""A figure with every kind of panel, for tests that need no chapter: each number is easy to work out by hand."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from widgets import Live, controls, live
from widgets.panels import (
    Area,
    Bar,
    BarChart,
    Caption,
    Corner,
    Curve,
    CurveChart,
    HeatMap,
    Level,
    Light,
    LiveVerdict,
    Mark,
    Pick,
    Points,
    Row,
    Simplex,
    Tiles,
    View,
    simplex_grid,
)

SIDE = 12
WORDS = ("Paris", "Rome", "Madrid", "Berlin")
MANY = 40


class Report(NamedTuple):
    """What the figure shows."""

    sizes: Tensor
    border: Tensor
    floor: Tensor
    ceiling: Tensor
    broken: Tensor
    now_n: Tensor
    now_heat: Tensor
    spread_low: Tensor
    spread_high: Tensor
    masses: Tensor
    half: Tensor
    grid: Tensor
    longest: Tensor
    other: Tensor
    many: Tensor
    table: Tensor
    framed: Tensor
    glow: Tensor
    below: Tensor


def outcome(n: Tensor, heat: Tensor, total: Tensor, share: Tensor, words: Tensor) -> Report:
    """A border T = 1/n between two regions, a point in a triangle, bars of as many words as are chosen."""
    sizes = torch.logspace(0.5, 6, 23, dtype=torch.float64)
    border = 1 / sizes
    there = torch.arange(len(WORDS)) < words
    bars = torch.arange(1, len(WORDS) + 1, dtype=torch.float64) * heat
    masses = torch.stack([total * share, total * (1 - share), 1 - total])
    many = torch.arange(MANY, dtype=torch.float64)
    table = heat * torch.arange(12, dtype=torch.float64).reshape(3, 4)
    return Report(
        sizes=sizes,
        border=border,
        floor=torch.full_like(sizes, 1e-7),
        ceiling=torch.full_like(sizes, 10.0),
        broken=torch.where((sizes > 100) & (sizes < 2000), torch.nan, 3 * border),
        now_n=n,
        now_heat=heat,
        spread_low=heat / 2,
        spread_high=heat * 2,
        masses=masses,
        half=torch.tensor([0.5, 0.5, 0.0], dtype=torch.float64),
        grid=(simplex_grid(SIDE) - masses).square().sum(1),
        longest=torch.where(there, bars, torch.nan),
        other=torch.where(there, bars / 2, torch.nan),
        many=torch.exp(-heat * many) + torch.where(many > 30, torch.nan, 0.0),
        table=torch.where(table == 0, torch.nan, table),
        framed=(torch.arange(12) == words).to(torch.float64),
        glow=torch.stack([total, share, torch.full_like(total, torch.nan), masses[2]]),
        below=(heat < 1 / n).to(torch.float64),
    )


PANELS = (
    CurveChart(
        "Two regions",
        x="number of words n",
        y="temperature T",
        x_scale="log",
        y_scale="log",
        x_domain=(3, 1e6),
        domain=(1e-6, 2),
        areas=(
            Area("sizes", "floor", "border", "cold", "first"),
            Area("sizes", "border", "ceiling", "hot", "second"),
        ),
        series=(Curve("sizes", "border", "1/n", "ink"), Curve("sizes", "broken", "", "confusing", "5 3")),
        points=(
            Points("now_n", "now_heat", "here", "run", "ring", "spread_low", "spread_high"),
            Points("sizes", "broken", "measured", "confusing", "cross"),
        ),
        levels=(Level(1.0, "T = 1"),),
        pick=Pick("n", "heat"),
    ),
    Simplex(
        "Where attention goes",
        "total",
        "share",
        (Corner("first pair", "first"), Corner("second pair", "second"), Corner("rest", "eos")),
        marks=(Mark("half", "saddle"),),
        field="grid",
    ),
    BarChart(
        "Scores",
        WORDS,
        (Bar("longest", "now", "relation"), Bar("other", "before", "eos")),
        x="score",
        levels=(Level("now_heat", "T"),),
    ),
    BarChart(
        "Stacked", WORDS, (Bar("longest", "now", "first"), Bar("other", "before", "second")), stacked=True
    ),
    BarChart(
        "Many", tuple(f"w{i}" for i in range(MANY)), (Bar("many", "", "query"),), domain=(0, 1), x="word"
    ),
    HeatMap(
        "Table of scores",
        "table",
        ("Paris", "Rome", "Madrid"),
        ("France", "Italy", "Spain", "Germany"),
        x="answer",
        y="subject",
        numbers=True,
        emphasis="framed",
    ),
    Tiles(
        "Terms",
        ("true", "confusing"),
        ("first", "second"),
        (("v₁v₂", "v₃v₄"), ("v₁v₄", "½(v₁² + v₂²)")),
        "glow",
        "relation",
    ),
)


def demo(prefix: str = "") -> Live:
    """The figure, with a slider for each parameter."""
    view = View(
        panels=PANELS,
        caption=Caption(
            "below", ("T = {now_heat} is hot.", "T = {now_heat} is cold, " + "so cold " * 30 + ".")
        ),
        lights=(Light("below", "T below 1/n"),),
        rows=(Row("region", "below", "below", words=("hot", "cold")), Row("masses", "", "masses")),
        verdict=LiveVerdict("below", ("Outside.", "Confirmed here."), ("warn", "good")),
    )
    return live(
        outcome,
        view,
        name="showcase",
        prefix=prefix,
        n=controls.logarithmic(30, 3, 1e6, "number of words $n$"),
        heat=controls.temperature(0.5, 1e-6, 2),
        total=controls.share(0.8, "attention on the examples"),
        share=controls.share(0.5, "of it on the first"),
        words=controls.whole(4, 1, 4, "words"),
    )
