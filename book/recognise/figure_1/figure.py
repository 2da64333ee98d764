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

over_log_time = partial(CurveChart, x="the paper’s epochs", x_scale="log", x_domain=(1.0, 3e4))
CORRECT = (Level("correct", "all correct", axis="x"),)


def _losses(title: str, field: str, mean: str, levels: tuple[Level, ...]) -> CurveChart:
    traces = (*by_type(field, "epoch"), Trace("epoch", mean, 0, "mean", "run", "2 3"))
    return over_log_time(title=title, domain=(0.0, 1.0), traces=traces, levels=levels)


FLOW = _losses("Loss by kind of sentence, in tiny steps", "flow", "loss", CORRECT)
DESCENT = _losses("The same in the steps of gradient descent", "descent", "descent_loss", ())
SCORES = over_log_time(
    title="How much attention scores have grown",
    traces=four_scores("epoch"),
    levels=(*CORRECT, Level(0.0, "")),
)
UNNAMED = DESCENT._replace(
    traces=(*(kind._replace(label="") for kind in DESCENT.traces[:-1]), DESCENT.traces[-1])
)
"""Beside FLOW, whose colours it shares: without a key above it, it is seen whole on a laptop."""
SCENE = Scene(
    FLOW,
    beside=(UNNAMED, SCORES),
    stops=(
        Stop("descent ends", 0, says="Gradient descent has made its steps. Now the same in tiny steps."),
        Stop(
            "all correct",
            1,
            passes=("all_correct", 0),
            says="All training sentences are right now: Phase 1 is over.",
        ),
        Stop("end", 2, says="In the end the loss is {loss}."),
    ),
)


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
)
RIGHT = "In tiny steps all sentences are right from epoch {correct:n} on."
CAPTION = (
    CaptionCase(
        lambda r, p: r.given_up > 0,
        "Descent diverges at step {blown:n}: its steps are too large. Tiny steps show what would happen otherwise.",
    ),
    CaptionCase(
        lambda r, p: ~comes_to_the_end(r, p),
        "The run was given up before epoch 30,000.",
    ),
    CaptionCase(
        lambda r, p: ~ends_right(r, p),
        "After 30,000 epochs a sentence is still wrong: Phase 1 is not over.",
    ),
    CaptionCase(
        lambda r, p: ~follows_the_flow(r, p) & ~steps_are_small(r, p),
        "A step of descent makes the loss rise, and descent ends elsewhere than tiny steps would. " + RIGHT,
    ),
    CaptionCase(
        lambda r, p: ~follows_the_flow(r, p),
        "No step of descent makes the loss rise, yet descent ends elsewhere than tiny steps would. " + RIGHT,
    ),
    CaptionCase(
        lambda r, p: ~steps_are_small(r, p),
        "A step of descent makes the loss rise, and yet descent ends where tiny steps would. " + RIGHT,
    ),
    CaptionCase(None, "Gradient descent does what tiny steps would do. " + RIGHT),
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
        "Train through Phase 1.",
        {},
        "As the theorem says, sentences with Bob alone or banana alone first get worse, then better. Here all "
        "sentences are right, and Phase 1 is over. What has attention done so far?",
        "all correct",
        (FLOW.title,),
    ),
    StoryCard(
        "Go on through Phase 2.",
        {},
        "Until Phase 1 ended, attention scores hardly moved. Then they part: Bob and banana look at each other, and "
        "away from “the”. So the experiment shows both phases.",
        "end",
        (SCORES.title,),
    ),
    StoryCard(
        "Take the weights of the paper’s theory instead.",
        {"reading": 2, "rate": 0.01},
        "Phase 1 is over after eight epochs of 30,000. On the paper’s axis nobody would see it: the figure "
        "starts with smaller ones.",
        "all correct",
        (FLOW.title,),
    ),
    StoryCard(
        "Take normal weights, at the paper’s rate.",
        {"reading": 0, "rate": 0.01},
        "The steps are too large at first, and the loss jumps. Then descent finds its way all the same.",
        "descent ends",
        (DESCENT.title,),
    ),
    StoryCard(
        "Raise the rate to 30.",
        {"rate": 30.0},
        "Descent diverges in a few steps: tiny steps no longer say what it does.",
        "descent ends",
        (DESCENT.title,),
    ),
    StoryCard(
        "Use the paper’s own rate.",
        {"rate": 0.01},
        "With these weights a thousand steps are not enough even for Phase 1.",
        "descent ends",
        (DESCENT.title,),
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
