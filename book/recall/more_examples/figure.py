"""More than two examples, live: the pair masses from equal to 1 : 2 : … : k."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.recall.charts import constant
from book.recall.common import never_rises
from book.recall.more_examples.program import GRID, MoreExamples, lesson
from book.recall.more_examples.statements import is_cold, is_set_apart, pair_masses
from lib.program import with_outputs
from lib.recall.more_examples import MOST, spacing
from widgets import Live, live, live_figure
from widgets.figure.panels import (
    Bar,
    BarChart,
    Cases,
    Curve,
    CurveChart,
    Level,
    Line,
    Pick,
    Points,
    Row,
    TimeChart,
    TruthMap,
)
from widgets.figure.scenes import Predict, Scene, Step, Stop, UnitGroup, Units

PAIRS = ("Paris–France", "Rome–Italy", "Madrid–Spain", "Tokyo–Japan")
SUBJECTS = ("Paris", "Rome", "Madrid", "Tokyo")
COLOURS = ("first", "second", "third", "fourth")
RANKS = ("largest", "second", "third", "fourth")
FIELDS = ("first", *RANKS[1:])
LAW_WARMTH = constant(GRID)


def warmth(r: MoreExamples, p: Any) -> Tensor:
    """The present warmth, once for each pair."""
    return p.warmth * torch.ones(MOST, dtype=torch.float64)


def is_as_predicted(r: MoreExamples, p: Any) -> Tensor:
    """Whether the heaviest pair is the one that the perturbation favours."""
    return is_set_apart(r, p) & (r.predicted == r.winner)


def is_still_tied(r: MoreExamples, p: Any) -> Tensor:
    """Whether it is as cold as the law requires, and the loss is not below log 2 yet."""
    return is_cold(r, p) & (r.end_loss > 0.9 * math.log(2))


MASSES = TimeChart(
    title="Blocks, step by step",
    series=tuple(Line("pile", i, *pair) for i, pair in enumerate(zip(SUBJECTS, COLOURS, strict=True))),
    domain=(0.0, 4.0),
)
MOST_BLOCKS = MOST * (MOST + 1) // 2
"""All attention is 1 + 2 + … + k blocks."""
BLOCKS = Units(
    "Attention on each example, in blocks: the filled ones together are all attention",
    rows=tuple(pair.replace("–", " → ") for pair in PAIRS),
    groups=(UnitGroup("", "blocks", MOST_BLOCKS, "accent", "pile", "blocks"),),
    colours=COLOURS,
)
"""A block is the law's step from one pair to the next."""
LAW = BarChart(
    title="Attention at the end, by rank",
    labels=RANKS,
    bars=(
        Bar("law", "law, T → 0", "rough"),
        Bar("warm_law", "law with its term in T", "predicted"),
        Bar("masses", "measured", "measured", "end"),
    ),
    domain=(0.0, 0.7),
    x="attention on the pair",
)
TIED = 0.01
"""The head start of the first pair over the second, as a part of the one drawn, below which one sees them together."""
FULL = 0.1
"""A block so little filled is not drawn beyond those that the law gives a pair."""
PARTED = 0.5
"""From here on two piles, in blocks, are seen apart in the drawing."""


def piles(seen: Any, _state: Any, p: Any) -> dict[str, Tensor]:
    """The attention on each pair in blocks, one by one; the largest and the smallest pile, and whether they part."""
    high = seen.masses / spacing(p.examples, p.fixing)
    place = torch.arange(MOST_BLOCKS, dtype=torch.float64)
    filled = torch.clamp(high[:, None] - place, min=0, max=1)
    room = torch.clamp(torch.ceil(high - FULL), min=torch.minimum(p.examples, p.fixing))
    missing = torch.isnan(high)
    most = torch.where(missing, 0.0, high).amax().reshape(1)
    least = torch.where(missing, math.inf, high).amin().reshape(1)
    return {
        "blocks": torch.where(place < room[:, None], filled, torch.nan).flatten(),
        "pile": high,
        "most": most,
        "least": least,
        "parted": most - least - PARTED,
    }


SCENE = Scene(
    BLOCKS,
    beside=(MASSES,),
    stops=(
        Stop(
            "they drift apart",
            0,
            passes=("parted", 0),
            says="The examples drift apart: the heaviest has {most} blocks of attention, the lightest {least}.",
        ),
        Stop(
            "settled",
            0,
            says="Of the blocks of attention {most} lie on the heaviest example, and {least} on the lightest.",
        ),
    ),
    predict=Predict(
        "all examples begin with equally many blocks. How many does the first one end with?",
        "pile",
        "blocks of attention on Paris → France",
        (0.0, 4.5),
    ),
)
LOSS = TimeChart(
    title="Loss L₁, above the least that any rule can reach",
    series=(Line("loss", 0, "loss", "run"),),
    levels=(Level("start_loss", "equal attention"), Level(math.log(2), "log 2: two relations tie")),
)
PROBABILITY = TimeChart(
    title="Probability of the relations that agree with all examples",
    series=(Line("probability", 0, "p", "relation"),),
    domain=(0.0, 1.0),
)
GAPS = BarChart(
    title="Lead of r* over the nearest rivals",
    labels=("swaps pairs 1, 2", "swaps pairs 2, 3", "swaps pairs 3, 4", "misses the last"),
    bars=(Bar("gaps", "measured", "measured", "end"),),
    levels=(Level("smallest_gap", "law"),),
    x="logit gap",
)
WARMTH = CurveChart(
    title="Attention against temperature: the law’s lines",
    x="temperature ÷ smallest lead",
    x_scale="log",
    x_domain=(0.1, 3.0),
    series=tuple(
        Curve(LAW_WARMTH, field, rank, "predicted") for field, rank in zip(FIELDS, RANKS, strict=True)
    ),
    points=(Points(warmth, "masses", "measured", "measured", when="end"),),
    domain=(0.0, 0.7),
    pick=Pick(x="warmth"),
)
CAPTION: Cases = {
    "concluded, some not needed": lambda r, p: r.concluded & (p.examples > p.fixing),
    "concluded, two tied at first": lambda r, p: r.concluded & (p.tie < TIED),
    "concluded, as predicted": lambda r, p: r.concluded & is_as_predicted(r, p),
    "concluded": lambda r, p: r.concluded,
    "not set apart": lambda r, p: ~is_set_apart(r, p),
    "still tied": is_still_tied,
    "too early to tell": lambda r, p: r.undecided,
    "not cold": lambda r, p: ~is_cold(r, p),
    "loss rises": lambda r, p: ~never_rises(r, p),
    "otherwise": None,
}
WHY = (
    Step("rivals", GAPS._replace(labels=("1 ↔ 2", "2 ↔ 3", "3 ↔ 4", "missed"))),
    Step("bound", MASSES),
    Step("law", LAW),
    Step("cold", PROBABILITY),
    Step("warmer", WARMTH),
    Step("plateaus", LOSS),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """The figure of the pair masses: two, three or four examples about relations between five subjects."""
    return live(
        with_outputs(lesson(), piles),
        pair_masses,
        scene=SCENE,
        panels=(MASSES, LAW, LOSS, PROBABILITY, GAPS, WARMTH),
        caption=CAPTION,
        rows=(
            Row("masses from the largest to the smallest", "warm_law", "masses"),
            Row("smallest of the gaps", "smallest_gap", "least_gap"),
            Row("temperature T", "", "temperature"),
            Row("loss with equal masses", "", "start_loss"),
            Row("curvature with equal masses, −1/(2TK²)", "saddle_curvature", "curvature"),
            Row("loss at the end", "", "end_loss"),
            Row("pair with the largest mass", "predicted", "winner", PAIRS),
        ),
        why=WHY,
        map=TruthMap("warmth", "perturbation_radius"),
        name="more_examples",
        more=("seed", "rate_2", "steps"),
    )
