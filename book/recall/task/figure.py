"""Assumptions 1 and 2, live: when do the examples give the relation away, from three subjects to a million?"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from book.recall.task.program import LOAD, Giveaway, giveaway
from book.recall.task.statements import assumption_1, assumption_2, fixes_by_two_points
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import (
    Bar,
    BarChart,
    Cases,
    Curve,
    CurveChart,
    Level,
    Pick,
    Points,
    Row,
    TruthMap,
)
from widgets.figure.scenes import Scene, Shortlist, Step

HINTS = ("no example yet", "Paris → France", "and Rome → Italy", "and Tokyo → Japan", "and Lima → Peru")


def fitting(r: Giveaway, p: Any) -> Tensor:
    """How many relations fit the first j = 0 … K examples on average, the right one among them; NaN beyond K; (5,).

    Of a pool of N relations m_j send j subjects where the right one does, itself among them: (n − j)! of all
    bijections, and n − 1 or 1 of the n(n − 1) affine maps. Each of the |R| − 1 other drawn ones is one of them with
    probability (m_j − 1)/(N − 1). For the bijections (m_j − 1)/(N − 1) = (m_j/N − 1/N)/(1 − 1/N).
    """
    n, j = r.subjects, torch.arange(len(HINTS), dtype=torch.float64)
    shares = torch.cumprod(
        torch.where(j > 0, 1 / torch.clamp(n - j + 1, min=1), 1.0), 0
    )  # m_j/N of all bijections
    rare = torch.exp(-torch.lgamma(n + 1))  # 1/n!
    bijections = torch.clamp(shares - rare, min=0) / (1 - rare)
    maps = torch.where(j < 0.5, 1.0, torch.where(j < 1.5, (n - 2) / (r.most - 1), 0.0))
    others = (r.relations - 1) * torch.where(p.family < 0.5, maps, bijections)
    return torch.where(j <= r.examples, 1 + others, torch.nan)


LEFT = Shortlist(
    "How many relations fit the examples?",
    hints=HINTS,
    field=fitting,
    total="relations",
    what="relations",
    right="relation",
    others="confusing",
)
over_load = partial(
    CurveChart,
    x="relations ÷ limit, n(n − 1)",
    x_scale="log",
    x_domain=LOAD,
    domain=(0.0, 1.0),
    pick=Pick(x="load"),
)

CEILING = over_load(
    title="How often the best possible rule names the right relation",
    series=(
        Curve("grid", "family_bound", "upper bound", "rough", "5 3"),
        Curve("grid", "ceiling_curve", "on average", "predicted"),
    ),
    points=(Points("load", "measured_ceiling", "this draw", "measured"),),
    levels=(Level(1.0, "", axis="x"),),
)
KINDS = over_load(
    title="Confusing and mismatched prompts (two examples)",
    series=(
        Curve("grid", "confusing_curve", "confusing", "confusing"),
        Curve("grid", "mismatched_curve", "mismatched", "mismatched"),
        Curve("grid", "mismatched_bound", "mismatched, at most", "mismatched", "5 3"),
    ),
    points=(
        Points("load", "measured_confusing", "", "confusing"),
        Points("load", "measured_mismatched", "", "mismatched", "ring"),
    ),
)
BROKEN = over_load(
    title="How often Assumption 1 is broken, and how often a prompt shows it",
    series=(
        Curve("grid", "broken_curve", "broken, at least", "bad", "5 3"),
        Curve("grid", "met_curve", "seen in a prompt", "predicted"),
    ),
    points=(Points("load", "measured_met", "counted", "measured"),),
)
OTHERS = BarChart(
    title="How many other relations fit the examples",
    labels=("none", "1", "2", "3", "4", "5", "6 or more"),
    bars=(Bar("others", "law", "predicted"), Bar("measured_others", "counted", "measured")),
    domain=(0.0, 1.0),
    x="share of prompts",
)
RARELY = 1e-6
"""A share of the prompts that a sentence calls not one in a million."""
CAPTION: Cases = {
    "no family": lambda r, p: r.family_exists <= 0.5,
    "fixes by two points": fixes_by_two_points,
    "a single relation": lambda r, p: r.relations < 1.5,
    "concluded": lambda r, p: r.concluded,
    "good, rarely met": lambda r, p: (r.judged_good > 0.5) & (r.met < RARELY),
    "good": lambda r, p: r.judged_good > 0.5,
    "otherwise": None,
}
ROWS = (
    Row("relations (predicted: the limit n(n − 1))", "most", "relations"),
    Row("best accuracy of naming r*", "ceiling", "measured_ceiling"),
    Row("relations that fit the examples, on average", "agreeing", "measured_agreeing"),
    Row("prompts that another relation fits as well", "met", "measured_met"),
    Row("confusing prompts", "confusing", "measured_confusing"),
    Row("mismatched prompts", "mismatched", "measured_mismatched"),
    Row("pairs of examples that several relations share", "violations", "measured_violations"),
    Row("probability that Assumption 1 is broken, at least", "broken", ""),
    Row("examples K", "", "examples"),
)
WHY = (
    Step("others", OTHERS),
    Step("ceiling", CEILING._replace(x="number of relations", levels=())),
    Step("broken", BROKEN._replace(x="number of relations")),
    Step("kinds", KINDS._replace(x="number of relations")),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Ceiling, kinds of prompt, breaches of Assumption 1."""
    return live(
        giveaway(),
        assumption_1,
        assumption_2,
        scene=Scene(LEFT, beside=(CEILING,)),
        panels=(KINDS, BROKEN, OTHERS),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        map=TruthMap("subjects", "load"),
        **controls.opens(giveaway(), family=0.0, load=1.0),
        name="task",
    )
