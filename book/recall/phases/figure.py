"""The phase diagram, live: a click chooses subjects and temperature, and descent runs there."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.recall.charts import FROM_THE_SADDLE, Derive, constant, temperature
from book.recall.phases.diagram import diagram
from book.recall.phases.program import GRID, SLICE_X, descent
from book.recall.phases.statements import phase_diagram
from lib.program import with_outputs
from lib.recall.landscape import KINDS
from lib.recall.phases import PRINTED
from widgets import Live, live, live_figure
from widgets.figure.panels import (
    Area,
    Cases,
    Curve,
    CurveChart,
    Level,
    Line,
    Path,
    Pick,
    Points,
    Row,
    TimeChart,
)
from widgets.figure.scenes import Ball, Scene, Step, Stop

DIAGRAM = diagram()
SUBJECTS = constant(DIAGRAM.subjects)
LEFT_SUBJECTS = constant(DIAGRAM.left_subjects)
WINDOW_SUBJECTS = constant(DIAGRAM.window_subjects)
WINDOW_LOW, WINDOW_HIGH = constant(DIAGRAM.window_low), constant(DIAGRAM.window_high)
ONE_PAIR, WINDOW_ONE_PAIR = constant(DIAGRAM.one_pair), constant(DIAGRAM.window_one_pair)
TOP = constant(torch.full_like(DIAGRAM.subjects, math.inf))
BOTTOM = constant(torch.full_like(DIAGRAM.subjects, -math.inf))
LEFT_BOTTOM = constant(torch.full_like(DIAGRAM.left_subjects, -math.inf))
WINDOW_BOTTOM = constant(torch.full_like(DIAGRAM.window_subjects, -math.inf))
"""The edges of a logarithmic chart."""
NAMED, TIP = slice(22, 23), slice(0, 1)
"""Where along the paper's limit, and at the window's tip, their names stand."""


def times_log(temperature: Tensor, subjects: Tensor) -> Derive:
    """The constant C in T = C/log n, for a chart."""
    return constant(temperature * torch.log(subjects))


PHASES = CurveChart(
    title="Which attention has the lowest loss",
    x="number of subjects n",
    y="temperature T",
    x_scale="log",
    y_scale="log",
    x_domain=(3, 1e6),
    domain=(1e-3, 0.2),
    areas=(
        Area(SUBJECTS, ONE_PAIR, TOP, "one pair alone", "alone"),
        Area(LEFT_SUBJECTS, LEFT_BOTTOM, constant(DIAGRAM.left_one_pair), "", "pairwise"),
        Area(SUBJECTS, BOTTOM, constant(DIAGRAM.sure), "uneven, here 99.9 % sure", "relation"),
        Area(WINDOW_SUBJECTS, WINDOW_BOTTOM, WINDOW_LOW, "uneven", "pairwise"),
        Area(WINDOW_SUBJECTS, WINDOW_LOW, WINDOW_HIGH, "", "even"),
        Area(WINDOW_SUBJECTS, WINDOW_HIGH, WINDOW_ONE_PAIR, "uneven", "pairwise"),
    ),
    series=(
        Curve(WINDOW_SUBJECTS, WINDOW_LOW, "", "even"),
        Curve(WINDOW_SUBJECTS, WINDOW_HIGH, "", "even"),
        Curve(SUBJECTS, constant(DIAGRAM.pairwise_until), "", "ink", "2 3"),
        Curve(SUBJECTS, constant(DIAGRAM.sure), "", "relation"),
        Curve(SUBJECTS, constant(DIAGRAM.printed), "", "rough", "5 3"),
    ),
    points=(
        Points(
            constant(DIAGRAM.window_subjects[TIP]),
            constant((DIAGRAM.window_low * DIAGRAM.window_high).sqrt()[TIP]),
            "even, inside",
            "even",
        ),
        Points(
            constant(DIAGRAM.subjects[NAMED]), constant(DIAGRAM.printed[NAMED]), "the paper’s limit", "rough"
        ),
    ),
    pick=Pick(x="subjects", y="temperature", hint="Tap, or drag the ring, to choose n and T"),
)
SLICE = CurveChart(
    title="The loss from one pair to the other (ring: the lowest)",
    x="attention on each token of the first pair",
    series=(Curve(constant(SLICE_X), "slice_loss", "L₁", "predicted"),),
    points=(Points("best_x", "best_loss", "", "good", "ring"),),
    path=Path("place", "loss", "the run"),
    x_domain=(0.0, 0.5),
)
ROLLED = 0.01
"""The distance from even attention at which the run is seen to have left it."""


def rolling(seen: Any, _state: Any, _p: Any) -> dict[str, Tensor]:
    """Where the run is on the slice, and what is above zero once it has left even attention."""
    place = seen.attention[:2].mean().reshape(1)
    return {"place": place, "other_place": 0.5 - place, "rolled": (place - 0.25).abs() - ROLLED}


LANDSCAPE = Ball(
    "The loss at this point of the map",
    constant(SLICE_X),
    "slice_loss",
    "place",
    "loss",
    left="only Rome, Italy",
    right="only Paris, France",
    levels=(Level("best_loss", "lowest"),),
)
SCENE = Scene(
    PHASES,
    beside=(LANDSCAPE,),
    stops=(
        Stop(
            "tips over",
            0,
            passes=("rolled", 0),
            says="Attention leaves the tie: {place:%} on each word of the first pair, {other_place:%} on each of the "
            "second.",
        ),
        Stop(
            "settled",
            0,
            says="Attention comes to {place:%} on each word of the first pair, {other_place:%} on each of the second.",
        ),
    ),
)
PROBABILITY = TimeChart(
    title="Probability in the first decoding step",
    series=(
        Line("probability", 0, "true", "relation"),
        Line("probability", 1, "confusing", "confusing"),
        Line("probability", 2, "one match", "mismatched"),
        Line("probability", 3, "no match", "other"),
    ),
    domain=(0.0, 1.0),
)
BEST = CurveChart(
    title="How sure any attention can be, with so many subjects",
    x="temperature T",
    x_scale="log",
    x_domain=(1e-3, 0.2),
    series=(Curve(constant(GRID), "best_p", "p(r*)", "relation"),),
    levels=(Level("sure_limit", "0.999", axis="x"),),
    points=(Points(temperature, "end_probability", "run", "run", when="end"),),
    domain=(0.0, 1.0),
    pick=Pick(x="temperature"),
)
CONSTANT = CurveChart(
    title="The constant in T = C/log n",
    x="number of subjects n",
    y="T log n",
    x_scale="log",
    y_scale="log",
    x_domain=(3, 1e6),
    domain=(0.005, 0.6),
    areas=(
        Area(
            WINDOW_SUBJECTS,
            times_log(DIAGRAM.window_low, DIAGRAM.window_subjects),
            times_log(DIAGRAM.window_high, DIAGRAM.window_subjects),
            "",
            "even",
        ),
    ),
    series=(
        Curve(SUBJECTS, times_log(DIAGRAM.one_pair, DIAGRAM.subjects), "one pair", "alone"),
        Curve(SUBJECTS, times_log(DIAGRAM.half, DIAGRAM.subjects), "p(r*) = ½", "relation", "2 3"),
        Curve(SUBJECTS, times_log(DIAGRAM.sure, DIAGRAM.subjects), "p(r*) = 0.999", "relation"),
    ),
    points=(Points("n", "constant", "this run", "run"),),
    levels=(Level(0.5, "½"), Level(0.125, "⅛"), Level(PRINTED, "1/40")),
    pick=Pick(x="subjects"),
)
SEEN_APART = 0.01
"""From here on two weights are seen apart in the drawing."""
CAPTION: Cases = {
    "no push": lambda r, p: p.radius == 0,
    "too early to tell": lambda r, p: r.undecided,
    "even attention wins": lambda r, p: r.concluded & (r.best_kind == KINDS.index("even")),
    "pairwise would gain little": lambda r, p: (
        r.concluded
        & (r.best_kind == KINDS.index("pairwise"))
        & ((r.end_large - r.best_large).abs() > SEEN_APART)
    ),
    "pairwise attention wins": lambda r, p: r.concluded & (r.best_kind == KINDS.index("pairwise")),
    "one pair wins": lambda r, p: r.concluded,
    "otherwise": None,
}
ROWS = (
    Row("solution (predicted: the one with the lowest loss)", "best_kind", "end_kind", KINDS),
    Row("weight on each token of the stronger pair", "best_large", "end_large"),
    Row("weight on each token of the weaker pair", "best_small", "end_small"),
    Row("largest difference within a pair", "", "mismatch"),
    Row("loss L₁", "best_loss", "end_loss"),
    Row("probability of r*", "best_probability", "end_probability"),
    Row("probability of the confusing relation", "", "confusing"),
    Row("curvature of the loss along the way out", "curvature_formula", "curvature"),
    Row("T log n", "", "constant"),
    Row("highest T for p(r*) = 0.999 (predicted: 1/(40 log n))", "printed_limit", "sure_limit"),
)
WHY = (
    Step("balance", FROM_THE_SADDLE),
    Step("slice", SLICE._replace(x="attention on the first pair")),
    Step("effects", PROBABILITY),
    Step("regions", PHASES),
    Step("window", CONSTANT),
    Step("sure", BEST),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """The phase diagram: stage 2 of Algorithm 1 at any n and T, beside the optimum."""
    return live(
        with_outputs(descent(), rolling),
        phase_diagram,
        scene=SCENE,
        panels=(PHASES, SLICE, FROM_THE_SADDLE, PROBABILITY, CONSTANT, BEST),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        name="phases",
        more=("radius", "seed", "rate", "steps"),
    )
