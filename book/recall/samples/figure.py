"""Theorem 3, live: accuracy and certainty against the number of prompts, for up to a million subjects."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from book.recall.charts import constant
from book.recall.samples.program import SETS, SIZES, TESTED, Needed, study
from book.recall.samples.statements import all_have_confusing, is_identified, theorem_3
from lib.program import with_outputs
from lib.recall.general import gaps
from widgets import Live, live, live_figure
from widgets.figure.panels import (
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
from widgets.figure.scenes import Key, Predict, Scene, Step, Stop, UnitGroup, Units

SIZE = constant(torch.tensor(SIZES, dtype=torch.float64))


def ceiling(r: Needed, p: Any) -> Tensor:
    """The best accuracy that any rule has, the same at every size."""
    return r.best.expand(len(SIZES))


def is_right(r: Needed, p: Any) -> Tensor:
    """Whether accuracy is within 0.02 of the ceiling, ten times the spread of a tie."""
    return r.now_accuracy > r.best - 0.02


def is_nearly_perfect(r: Needed, p: Any) -> Tensor:
    """Whether accuracy is near the ceiling, and the ceiling near 1."""
    return is_right(r, p) & (r.best > 0.99)


by_size = partial(
    CurveChart,
    x="number of training prompts",
    x_scale="log",
    x_domain=(1, SIZES[-1]),
    domain=(0.0, 1.0),
    pick=Pick(x="samples"),
)
CEILING = Curve(SIZE, ceiling, "best possible", "predicted", "5 3")
RIGHT = Curve(SIZE, "accuracy", "answered correctly", "measured", when="now")
RANGES = Points(SIZE, "accuracy", "", "measured", low="accuracy_low", high="accuracy_high", when="now")
ACCURACY = by_size(
    title="New prompts answered correctly",
    series=(CEILING, RIGHT),
    points=(RANGES,),
    levels=(Level("untrained", "untrained"),),
)
CERTAINTY = by_size(
    title="How sure: probability of the true relation",
    series=(CEILING, Curve(SIZE, "probability", "", "measured", when="now")),
    points=(
        Points(
            SIZE, "probability", "", "measured", low="probability_low", high="probability_high", when="now"
        ),
    ),
)
MISSED = by_size(
    title="Share of data sets without a confusing prompt",
    series=(Curve(SIZE, "missed_by_law", "law", "predicted", "5 3"),),
    points=(Points(SIZE, "missed", "of these four", "measured"),),
    levels=(Level("wanted", "below 5 %", axis="x"),),
)
TIME = TimeChart(
    title="Answered correctly, while training",
    series=(
        Line("accuracy", 0, "1 prompt", "one"),
        Line("accuracy", 5, "32 prompts", "three"),
    ),
    domain=(0.0, 1.0),
)
PROMPTS = Units(
    "Four trainings, and 64 new prompts for each",
    rows=tuple(f"training {k + 1}" for k in range(SETS)),
    groups=(
        UnitGroup("trained on", "trained_on", SIZES[-1], "confusing"),
        UnitGroup("new, ordinary", "without_rival", TESTED, "good"),
        UnitGroup("new, confusing", "with_rival", TESTED, "good"),
    ),
    keys=(
        Key("confusing prompt", "confusing"),
        Key("ordinary prompt", "confusing", filled=False),
        Key("new prompt, as full as the true relation is probable", "good"),
    ),
)


def prompts(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
    """What the scene watches of the present number of prompts: those of each training, and p(r*) on the new ones."""
    sizes = torch.tensor(SIZES, dtype=torch.float64)
    place = ((sizes <= p.samples).to(torch.float64).sum() - 1).to(torch.int64).reshape(1)
    theta = state.theta.index_select(0, place)[0]  # (4, 6)
    used = torch.arange(SIZES[-1], dtype=torch.float64) < sizes.index_select(0, place)
    rival = (state.counts[:, :, 1] > 0.5).to(torch.float64)  # (4, 32)
    believed = 1 / (torch.exp(gaps(theta) / p.temperature) @ state.tested.T)  # (4, 64)
    has_rival = state.tested[:, 1] > 0.5
    return {
        "trained_on": torch.where(used, rival, torch.nan).flatten(),
        "without_rival": torch.where(has_rival, torch.nan, believed).flatten(),
        "with_rival": torch.where(has_rival, believed, torch.nan).flatten(),
        "believed": believed.mean().reshape(1),
        "worst_believed": believed.amin().reshape(1),
    }


THEN = "the true relation has {believed[0]:%} on new prompts, and {worst_believed[0]:%} on the worst of them."
SCENE = Scene(
    PROMPTS,
    beside=(MISSED,),
    stops=(
        Stop("large step", 0, says=f"After one large step {THEN}"),
        Stop("end", 1, says=f"After the small steps {THEN}"),
    ),
    predict=Predict(
        "how probable will the true relation be on prompts that training has never seen?",
        "believed",
        "mean probability of the true relation on new prompts",
        (0.0, 1.0),
    ),
)
CAPTION: Cases = {
    "concluded": lambda r, p: r.concluded,
    "not identified, right": lambda r, p: ~is_identified(r, p) & is_right(r, p),
    "not all have confusing, all right now": lambda r, p: (
        ~all_have_confusing(r, p) & (r.now_accuracy >= 1 - 1e-9)
    ),
    "not all have confusing": lambda r, p: ~all_have_confusing(r, p),
    "nearly perfect, too early to tell": lambda r, p: is_nearly_perfect(r, p) & r.undecided,
    "nearly perfect": is_nearly_perfect,
    "too early to tell": lambda r, p: r.undecided,
    "otherwise": None,
}
WHY = (
    Step("correct", ACCURACY),
    Step("sure", CERTAINTY),
    Step("missed", MISSED),
    Step("without", TIME),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """The figure of Theorem 3: 24 trainings at once, on data sets of 1 to 32 prompts."""
    return live(
        with_outputs(study(), prompts),
        theorem_3,
        scene=SCENE,
        panels=(ACCURACY, CERTAINTY, TIME),
        caption=CAPTION,
        rows=(
            Row("accuracy on new prompts", "best", "now_accuracy"),
            Row("probability of r* there", "best", "now_probability"),
            Row("best accuracy of any rule", "best_by_law", "best"),
            Row("accuracy before training", "", "untrained"),
            Row("share of prompts with a confusing relation", "confusing_share", ""),
            Row("prompts needed for a risk of 5 %", "wanted", ""),
        ),
        why=WHY,
        map=TruthMap("samples", "temperature"),
        name="samples",
        more=("bijections", "density", "seed", "rate_1", "rate_2", "radius", "steps"),
    )
