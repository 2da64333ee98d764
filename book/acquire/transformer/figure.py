"""GPT-2 and the one-layer theory on the same facts, live over the stored tables."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.transformer.program import alike, counts, gpt2_comparison
from book.acquire.transformer.statements import predicted
from widgets import Live, live, live_figure
from widgets.figure.panels import Area, CaptionCase, Curve, CurveChart, Level, Pick, Points, Row, StoryCard

ALONG = CurveChart(
    title="Unseen facts answered correctly",
    x="fine-tuned facts",
    x_scale="log",
    domain=(0.0, 1.0),
    areas=(Area(counts, "one_low", "one_high", "", "predicted"),),
    series=(
        Curve(counts, "one", "one layer", "predicted"),
        Curve(counts, "once", "a phrase is covered", "rough", "5 3"),
        Curve(counts, "gpt", "GPT-2", "measured"),
    ),
    points=(Points(counts, "gpt", "", "measured", "dot", "gpt_low", "gpt_high"),),
    levels=(Level("here_tuned", "here", axis="x"),),
    pick=Pick(x="tuned"),
)


def diagonal(_r: Any, _p: Any) -> Tensor:
    """(2,) from 0 to 1."""
    return torch.tensor([0.0, 1.0], dtype=torch.float64)


EVERY = CurveChart(
    title="The grid: one layer predicts, GPT-2 answers",
    x="one layer, unseen facts correct",
    x_domain=(0.0, 1.0),
    domain=(0.0, 1.0),
    series=(Curve(diagonal, diagonal, "as predicted", "other", "5 3"),),
    points=(
        Points("all_one", "all_gpt", "a cell (K, R, n_ft)", "measured", "ring"),
        Points(lambda r, p: r.here_one.reshape(1), lambda r, p: r.here_gpt.reshape(1), "here", "run"),
    ),
)
HERE = "With {here_tuned:n} fine-tuned facts GPT-2 answers {here_gpt:%} of the unseen ones, one layer {here_one:%}"
CAPTION = (
    CaptionCase(alike, HERE + ": alike."),
    CaptionCase(lambda r, p: r.here_gpt > r.here_one, HERE + ". GPT-2 does better than the theory says."),
    CaptionCase(None, HERE + ". GPT-2 does worse than the theory says."),
)
ROWS = (
    Row("unseen facts correct: one layer, and GPT-2", "here_one", "here_gpt"),
    Row("unseen facts with a covered phrase, and GPT-2", "here_once", "here_gpt"),
    Row("GPT-2: standard deviation over five seeds", "", "here_spread"),
)
STORY = (
    StoryCard(
        "Tell each frequent fact in one way only.",
        {"multiplicity": 1.0},
        "Both fall. This much of Theorem 2 holds in GPT-2.",
    ),
    StoryCard(
        "Take a language of 32 phrases.",
        {"phrases": 32.0},
        "One layer gives out next to nothing, GPT-2 most of them.",
    ),
    StoryCard(
        "Take 32 phrases, and three fine-tuned facts.",
        {"phrases": 32.0, "tuned": 3.0},
        "One layer never names an unseen fact. GPT-2 names most of them.",
    ),
    StoryCard(
        "Give GPT-2 its positions.",
        {"positions": 1},
        "It gets better nearly everywhere, and no closer to the theory.",
    ),
    StoryCard(
        "Rank at eight phrases alone.",
        {"grid": 1},
        "Here the order is nearly GPT-2's: two groups of starts agree little better. At 16 or 32 phrases it is not.",
    ),
    StoryCard(
        "Look at the best step in hindsight.",
        {"moment": 2},
        "This flatters both: the step is chosen on the very facts that are counted.",
    ),
)


@live_figure
def figure() -> Live:
    """Two models on the same draws of facts, cell by cell."""
    return live(
        gpt2_comparison(),
        predicted,
        panels=(ALONG, EVERY),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="beside",
        more=("positions", "moment", "grid"),
    )
