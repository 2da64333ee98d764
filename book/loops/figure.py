"""A descent into a valley, and k-means on points that a reader pastes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from widgets import Live, Loop, OwnData, controls, live, live_figure
from widgets.figure.own_data import Rows
from widgets.figure.panels import Cases, Curve, CurveChart, Line, Path, Points, Row, TimeChart
from widgets.figure.scenes import Scene

STEEP = 12.0
CURVATURE = torch.tensor([1.0, STEEP], dtype=torch.float64)
START = torch.tensor([-4.0, 1.0], dtype=torch.float64)
RINGS = (1.0, 0.5, 0.2)
"""The contours that are drawn, as shares of the start's distance from the bottom."""


def descend(state: tuple[Tensor, Tensor], p: Any) -> tuple[Tensor, Tensor]:
    w, v = state
    v = p.momentum * v - p.rate * CURVATURE * w
    return w + v, v


def look(state: tuple[Tensor, Tensor], _p: Any) -> dict[str, Tensor]:
    """The loss ½ Σ cᵢ wᵢ², where the run is, and contours of the loss."""
    w, _v = state
    angle = torch.linspace(0, 2 * math.pi, 61, dtype=torch.float64)
    wide = (CURVATURE * START**2).sum().sqrt()
    rings = {
        f"{name}{i}": share * wide * turn(angle) / root
        for i, share in enumerate(RINGS)
        for name, turn, root in (("x", torch.cos, 1.0), ("y", torch.sin, STEEP**0.5))
    }
    return {"loss": (CURVATURE * w**2).sum() / 2, "along": w[0], "across": w[1], **rings}


START_LOSS = float((CURVATURE * START**2).sum() / 2)
VALLEY = CurveChart(
    title="The valley from above",
    x="along the valley",
    y="across",
    series=tuple(Curve(f"x{i}", f"y{i}", "", "faint") for i in range(len(RINGS))),
    path=Path("along", "across", ""),
)
LOSS = TimeChart("Loss", (Line("loss", 0, "loss", "run"),), x="steps")
DESCENT_CAPTION: Cases = {
    "loss rises": lambda r, p: r.loss > START_LOSS,
    "bottom reached": lambda r, p: r.loss < 1e-3,
    "otherwise": None,
}


@live_figure
def descent() -> Live:
    """Gradient descent with momentum in a valley that is steep across and flat along."""
    settings: dict[str, Any] = {
        "rate": controls.logarithmic(0.16, 0.01, 0.19, "learning rate"),
        "momentum": controls.linear(0.1, 0, 0.95, 0.05, "momentum"),
        "steps": controls.whole(60, 0, 100, "steps"),
    }
    loop = Loop(lambda p: (START, torch.zeros_like(START)), descend, look)
    return live(
        loop,
        scene=Scene(VALLEY, beside=(LOSS,)),
        caption=DESCENT_CAPTION,
        rows=(Row("loss at the end", "", "loss"),),
        name="descent",
        prefix="descent_",
        **settings,
    )


MOST_CENTRES, MOST_ROUNDS = 4, 10
COLOURS = ("one", "two", "three", "four")
FIRST = ("first", "second", "third", "fourth")
SHEET = (
    (1.0, 2.1), (1.4, 1.2), (2.0, 2.8), (2.3, 1.6), (2.9, 2.4),
    (5.8, 6.1), (6.3, 7.4), (6.9, 6.6), (7.4, 7.9), (5.5, 7.2),
    (7.2, 1.4), (7.9, 2.6), (8.4, 1.9), (8.8, 3.1), (6.8, 2.3),
)  # fmt: skip


class Groups(NamedTuple):
    """Where the centres are after some rounds, and which of them is nearest to each point."""

    x: Tensor  # (50,) the points; NaN where there is none
    first: Tensor  # (50,) their heights, where the first centre is nearest, else NaN
    second: Tensor
    third: Tensor
    fourth: Tensor
    centre_x: Tensor  # (4,) NaN where there is no such centre
    centre_y: Tensor
    rows: Tensor  # how many points there are
    sizes: Tensor  # (4,) how many of them belong to each centre
    apart: Tensor  # the mean squared distance from a point to the nearest centre
    moves: Tensor  # the farthest that a centre would move in one more round


def groups(points: Rows, centres: Tensor, rounds: Tensor) -> Groups:
    """Lloyd's algorithm: each round takes every centre to the mean of the points that are nearest to it.

    It starts at the first points. A centre to which no point is nearest stays.
    """
    there = (torch.arange(MOST_CENTRES) < centres) & (points.present[:MOST_CENTRES] > 0)
    place = points.values[:MOST_CENTRES]
    for number in range(MOST_ROUNDS):
        place = torch.where(number < rounds, _means(points, place, there), place)
    member, far = _nearest(points, place, there)
    x, y = points.shown.T
    first, second, third, fourth = torch.where(member.T > 0, y, math.nan)
    centre_x, centre_y = torch.where(there[:, None], place, math.nan).T
    return Groups(
        x=x,
        first=first,
        second=second,
        third=third,
        fourth=fourth,
        centre_x=centre_x,
        centre_y=centre_y,
        rows=points.present.sum(),
        sizes=member.sum(0),
        apart=(far * points.present).sum() / points.present.sum(),
        moves=(_means(points, place, there) - place).square().sum(1).amax().sqrt(),
    )


def _nearest(points: Rows, place: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
    """Which centre each point belongs to, (50, 4), and how far it is squared, (50,)."""
    squares = (points.values[:, None] - place).square().sum(2)
    squares = torch.where(there, squares, math.inf)
    member = one_hot(squares.argmin(1), MOST_CENTRES).to(squares.dtype)
    return member * points.present[:, None], squares.amin(1)


def _means(points: Rows, place: Tensor, there: Tensor) -> Tensor:
    """Where one more round takes the centres."""
    member, _far = _nearest(points, place, there)
    count = member.sum(0)[:, None]
    return torch.where(count > 0, member.T @ points.values / count.clamp(min=1), place)


CHART = CurveChart(
    title="Your points and their centres",
    x="x",
    points=(
        *(Points("x", FIRST[i], "", COLOURS[i]) for i in range(MOST_CENTRES)),
        Points("centre_x", "centre_y", "centres", "run", "cross"),
    ),
)
CAPTION: Cases = {
    "too few points": lambda r, p: r.rows < p.centres,
    "at rest": lambda r, p: r.moves == 0,
    "otherwise": None,
}
ROWS = (
    Row("points", "", "rows"),
    Row("points of each centre", "", "sizes"),
    Row("mean squared distance to the nearest centre", "", "apart"),
    Row("farthest that a centre would move in one more round", "", "moves"),
)


@live_figure
def figure() -> Live:
    """k-means on fifteen points, or on those that a reader pastes; the first of them are the first centres."""
    settings: dict[str, Any] = {
        "centres": controls.whole(3, 1, MOST_CENTRES, "centres"),
        "rounds": controls.whole(1, 0, MOST_ROUNDS, "rounds"),
        "points": OwnData(SHEET, -1e4, 1e4, label="your own points"),
    }
    return live(groups, panels=(CHART,), caption=CAPTION, rows=ROWS, name="k_means", **settings)
