"""The paper's experiment, live: gradient descent with its settings beside the flow, for five readings of its start."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from book.recognise.charts import by_type, four_scores
from book.recognise.figure_1.program import paper_run
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
from widgets.figure.panels import CaptionCase, CurveChart, Level, Row, StoryCard, Trace
from widgets.figure.scenes import Scene, Step, Stop

over_log_time = partial(CurveChart, x="t, in epochs of rate 0.01", x_scale="log", x_domain=(1.0, 3e4))
CORRECT = (Level("correct", "all correct", axis="x"),)


def _losses(title: str, field: str, mean: str, levels: tuple[Level, ...]) -> CurveChart:
    traces = (*by_type(field, "epoch"), Trace("epoch", mean, 0, "mean", "run", "2 3"))
    return over_log_time(title=title, domain=(0.0, 1.0), traces=traces, levels=levels)


FLOW = _losses("Loss by kind of sentence, in tiny steps (gradient flow)", "flow", "loss", CORRECT)
DESCENT = _losses("The same in larger steps (gradient descent)", "descent", "descent_loss", ())
LOSSES = "Loss with both words {0[0]}, with only Bob {0[1]}, with only banana {0[2]}, with neither {0[3]}."
SCENE = Scene(
    FLOW,
    beside=(DESCENT,),
    stops=(
        Stop("descent ends", 0, says="Descent has run. " + LOSSES.replace("0[", "descent[")),
        Stop(
            "all correct",
            1,
            passes=("all_correct", 0),
            says="The flow now has all samples right. " + LOSSES.replace("0[", "flow["),
        ),
        Stop("end", 2, says="The flow ends. " + LOSSES.replace("0[", "flow[")),
    ),
)


def turns(_seen: Any, state: Any, _p: Any) -> dict[str, Tensor]:
    """What is above zero once the flow has all samples right."""
    return {"all_correct": torch.where(torch.isnan(state.correct), -1.0, 1.0).reshape(1)}


SCORES = over_log_time(
    title="Figure 1 (a), the flow: growth of scores S",
    traces=four_scores("epoch"),
    levels=(*CORRECT, Level(0.0, "")),
)
TEST = over_log_time(
    title="The flow's loss on training and on new sentences",
    y_scale="log",
    domain=(1e-3, 1.0),
    traces=(
        Trace("epoch", "loss", 0, "training", "run", "2 3"),
        Trace("epoch", "unseen", 0, "unseen words", "unseen"),
    ),
)
RIGHT = "The flow has all samples correct from epoch {correct:n} on."
CAPTION = (
    CaptionCase(
        lambda r, p: r.given_up > 0,
        "Descent diverges at step {blown:n}: its rate times the largest curvature is {stiffness}, and above 2 a step "
        "overshoots. The flow shows what small steps would do.",
    ),
    CaptionCase(
        lambda r, p: ~comes_to_the_end(r, p),
        "The flow has not come to epoch 30,000: the figure gave up before.",
    ),
    CaptionCase(
        lambda r, p: ~ends_right(r, p),
        "After 30,000 epochs the flow still has a sample wrong: Phase 1 is not over.",
    ),
    CaptionCase(
        lambda r, p: ~follows_the_flow(r, p) & ~steps_are_small(r, p),
        "A step of descent raises the loss by {rise}: it leaves the flow, and at its last epoch G differs by {apart} "
        "times its size. " + RIGHT,
    ),
    CaptionCase(
        lambda r, p: ~follows_the_flow(r, p),
        "Descent leaves the flow, though no step raises the loss: at its last epoch G differs by {apart} times its "
        "size. " + RIGHT,
    ),
    CaptionCase(
        lambda r, p: ~steps_are_small(r, p),
        "A step of descent raises the loss by {rise}. Yet at its last epoch G differs from the flow's by {apart} of "
        "its size. " + RIGHT,
    ),
    CaptionCase(
        None, "Descent follows the flow: at its last epoch G differs by {apart} of its size. " + RIGHT
    ),
)
NO_YES = ("no", "yes")
ROWS = (
    Row("N₀", "", "pace"),
    Row("rate times the largest curvature at the mean start", "", "stiffness"),
    Row("least growth of the four scores over the whole run", "", "scores"),
    Row("training loss at the end, flow", "", "loss"),
    Row("loss of new sentences, unseen words", "", "unseen"),
    Row("the limit's least margin, unseen words", "", "least_unseen"),
    Row("the same, training words recombined", "", "least_recombined"),
    Row("m at least m₁ = 256", "", "wide", NO_YES),
    Row("d = 64 words suffice for distinct ones", "", "sized", NO_YES),
    Row("σ₀ within a factor 3 of 1/√(Lm)", "", "fit_0", NO_YES),
    Row("σ₁ within a factor 3 of 1/√m₁", "", "fit_1", NO_YES),
    Row("|a| = 1", "", "unit", NO_YES),
)
STORY = (
    StoryCard(
        "The paper's experiment, redone.",
        {},
        "The flow stands for gradient descent with small steps. Scores hardly move until Phase 1 ends, then part. "
        "How large may the learning rate become before descent leaves the flow?",
    ),
    StoryCard(
        "Take uniform weights and a = ±1, as in section 2.2.",
        {"reading": 2, "rate": 0.01},
        "Phase 1 is over before epoch 50. On the paper's linear axis of 30,000 epochs it would be a hairline.",
    ),
    StoryCard(
        "Take normal weights and a = ±1, at the paper's rate.",
        {"reading": 0, "rate": 0.01},
        "Descent overshoots: a step raises the loss. After a jump it finds its way all the same.",
    ),
    StoryCard(
        "Raise the rate to 30.",
        {"rate": 30.0},
        "Descent diverges in a few steps: what the flow does is not what this descent does.",
    ),
    StoryCard(
        "Use the paper's own rate, 0.01.",
        {"rate": 0.01},
        "A thousand epochs are not even Phase 1. They lie on the flow to four digits.",
    ),
    StoryCard(
        "Take 18 samples of 30 words.",
        {"samples": 18.0, "length": 30},
        "n is below 3(L + 1): the loss on unseen words rises in the end, while the training loss vanishes.",
    ),
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
        story=STORY,
        why=WHY,
        name="figure_1",
        more=("epochs", "width", "random"),
        only=("reading", "rate", "samples", "length", "seed", "epochs", "width", "random"),
    )
