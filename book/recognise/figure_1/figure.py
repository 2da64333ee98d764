"""The paper's experiment, live: gradient descent with its settings beside the flow, for five readings of its start."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from book.recognise.charts import by_type
from book.recognise.figure_1.program import DOMAINS, paper_run
from book.recognise.figure_1.statements import (
    comes_to_the_end,
    ends_right,
    figure_1_a,
    figure_1_b,
    follows_the_flow,
    steps_are_small,
)
from lib.program import with_outputs
from widgets import Live, live, live_figure
from widgets.figure import controls
from widgets.figure.panels import Cases, CurveChart, Level, Row, Trace
from widgets.figure.scenes import Scene, Step, Stop

over_log_time = partial(
    CurveChart, x="epochs, at the paper’s learning rate", x_scale="log", x_domain=(1.0, 3e4)
)
CORRECT = (Level("correct", "all right", axis="x"),)


def _losses(title: str, field: str, mean: str, levels: tuple[Level, ...]) -> CurveChart:
    traces = (*by_type(field, "epoch"), Trace("epoch", mean, 0, "mean", "run", "2 3"))
    return over_log_time(title=title, domain=(0.0, 1.0), traces=traces, levels=levels)


FLOW = _losses("Loss by kind of sentence, in gradient flow", "flow", "loss", CORRECT)
DESCENT = _losses("The same in the steps of gradient descent", "descent", "descent_loss", ())
BOTH = over_log_time(
    title="Loss on two kinds of sentence (dashed: gradient flow)",
    domain=(0.0, 1.0),
    traces=(
        Trace("epoch", "descent", 0, "both words", "both"),
        Trace("epoch", "descent", 1, "only Bob", "target-1"),
        Trace("epoch", "flow", 0, "", "both", "5 3"),
        Trace("epoch", "flow", 1, "", "target-1", "5 3"),
    ),
    levels=CORRECT,
)
"""Descent and the flow in one chart, of the two kinds of which the cards speak."""
SCORES = over_log_time(
    title="Change of Bob’s attention scores",
    traces=(
        Trace("epoch", "grown", 3, "to banana", "target-2"),
        Trace("epoch", "grown", 6, "to “the”", "common"),
    ),
    levels=(*CORRECT, Level(0.0, "")),
)
DONE, RIGHT_NOW = "first run: descent ends", "second run, flow: all right"
"""Names of stops."""
SCENE = Scene(
    BOTH,
    beside=(SCORES,),
    stops=(
        Stop(DONE, 0, says="Gradient descent stops here. Now the same again by gradient flow."),
        Stop(
            RIGHT_NOW,
            1,
            passes=("all_correct", 0),
            says="All training sentences are right now. Here we let Phase 1 end.",
        ),
        Stop("end", 2, says="In the end the loss is {loss}."),
    ),
)
STARTS = (
    "normal, large output layer",
    "normal in all layers",
    "uniform, large output layer",
    "uniform, small output layer",
    "uniform in all layers",
)
"""``READINGS`` in words: large is a = ±1, small a = ±1/16."""


def turns(_seen: Any, state: Any, _p: Any) -> dict[str, Tensor]:
    """What is above zero once the flow has all samples right."""
    return {"all_correct": torch.where(torch.isnan(state.correct), -1.0, 1.0).reshape(1)}


TEST = over_log_time(
    title="Loss on training and on new sentences",
    y_scale="log",
    domain=(1e-3, 1.0),
    traces=(
        Trace("epoch", "loss", 0, "training", "run", "2 3"),
        Trace("epoch", "unseen", 0, "unseen words", "unseen"),
    ),
    levels=CORRECT,
)
CAPTION: Cases = {
    "diverged": lambda r, p: r.given_up > 0,
    "given up": lambda r, p: ~comes_to_the_end(r, p),
    "ends wrong": lambda r, p: ~ends_right(r, p),
    "ends elsewhere, loss rises": lambda r, p: ~follows_the_flow(r, p) & ~steps_are_small(r, p),
    "ends elsewhere": lambda r, p: ~follows_the_flow(r, p),
    "loss rises": lambda r, p: ~steps_are_small(r, p),
    "otherwise": None,
}
NO_YES = ("no", "yes")
ROWS = (
    Row("N₀", "", "pace"),
    Row("rate times the largest curvature at the mean start", "", "stiffness"),
    Row("least growth of the four scores over the whole run", "", "scores"),
    Row("training loss at the end, flow", "", "loss"),
    Row("loss of new sentences, unseen words", "", "unseen"),
    Row("the limit’s least margin, unseen words", "", "least_unseen"),
    Row("the same, training words recombined", "", "least_recombined"),
    Row("m at least m₁ = 256", "", "wide", NO_YES),
    Row("d = 64 words suffice for distinct ones", "", "sized", NO_YES),
    Row("σ₀ within a factor 3 of 1/√(Lm)", "", "fit_0", NO_YES),
    Row("σ₁ within a factor 3 of 1/√m₁", "", "fit_1", NO_YES),
    Row("|a| = 1", "", "unit", NO_YES),
)
WHY = (
    Step("descent", DESCENT),
    Step("phase", SCORES),
    Step("losses", FLOW),
    Step("unseen", TEST),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Both parts of Figure 1 on one run."""
    return live(
        with_outputs(paper_run(), turns),
        figure_1_a,
        figure_1_b,
        scene=SCENE,
        panels=(FLOW, DESCENT, SCORES, TEST),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        reading=controls.of(DOMAINS[0]._replace(track=STARTS)),
        name="figure_1",
        more=("epochs", "width", "random"),
        only=("reading", "rate", "samples", "length", "seed", "epochs", "width", "random"),
    )
