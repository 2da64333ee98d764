"""GPT-2 and the one-layer theory on the same facts, live over the stored tables."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.transformer.program import COUNTS, UNIVERSES, alike, counts, gpt2_comparison
from book.acquire.transformer.statements import predicted
from widgets import Live, live, live_figure
from widgets.figure.panels import (
    Area,
    CaptionCase,
    Curve,
    CurveChart,
    Field,
    Level,
    Pick,
    Points,
    Row,
    StoryCard,
)

ALONG = CurveChart(
    title="Unseen facts answered correctly",
    x="fine-tuned facts",
    y="fraction",
    x_scale="log",
    domain=(0.0, 1.0),
    areas=(Area(counts, "one_low", "one_high", "", "predicted"),),
    series=(
        Curve(counts, "one", "one layer (theory)", "predicted"),
        Curve(counts, "once", "facts with a covered phrase", "rough", "5 3"),
        Curve(counts, "gpt", "GPT-2", "measured"),
    ),
    points=(Points(counts, "gpt", "", "measured", "dot", "gpt_low", "gpt_high"),),
    levels=(Level("here_tuned", "the slider", axis="x"),),
    pick=Pick(x="tuned"),
)


def diagonal(_r: Any, _p: Any) -> Tensor:
    """(2,) from 0 to 1."""
    return torch.tensor([0.0, 1.0], dtype=torch.float64)


EACH = len(UNIVERSES) * len(COUNTS)
"""Settings that have one multiplicity in common; those with one wording for each fact come first."""
RINGS = (
    ("one wording a fact", "two", slice(None, EACH)),
    ("two, four or eight", "measured", slice(EACH, None)),
)
"""Their name, their colour and which settings they are."""


def of(field: str, settings: slice) -> Field:
    """Some of the settings' numbers."""
    return lambda r, _p: getattr(r, field)[settings]


EVERY = CurveChart(
    title="Every setting at once",
    x="answered by one layer (the prediction)",
    y="answered by GPT-2",
    x_domain=(0.0, 1.0),
    domain=(0.0, 1.0),
    series=(Curve(diagonal, diagonal, "GPT-2 as predicted", "other", "5 3"),),
    points=(
        *(Points(of("all_one", k), of("all_gpt", k), name, colour, "ring") for name, colour, k in RINGS),
        Points(
            lambda r, p: r.here_one.reshape(1),
            lambda r, p: r.here_gpt.reshape(1),
            "this setting",
            "run",
        ),
    ),
)
HERE = (
    "With {here_tuned:n} fine-tuned facts, GPT-2 answers {here_gpt:%} of the unseen ones, and the theory’s one layer "
    "{here_one:%}"
)
CAPTION = (
    CaptionCase(alike, HERE + ": about alike."),
    CaptionCase(lambda r, p: r.here_gpt > r.here_one, HERE + ". GPT-2 does better than the theory predicts."),
    CaptionCase(None, HERE + ". GPT-2 does worse than the theory predicts."),
)
ROWS = (
    Row("unseen facts right: one layer, and GPT-2", "here_one", "here_gpt"),
    Row("unseen facts with a covered phrase, and GPT-2", "here_once", "here_gpt"),
    Row("GPT-2: standard deviation over five starts", "", "here_spread"),
)
STORY = (
    StoryCard(
        "Compare two models on the same facts.",
        {},
        "A ring is one setting: how many unseen facts the theory’s one layer answers, and how many GPT-2. Where "
        "would the rings lie if the theory were right about GPT-2?",
        "",
        (EVERY.title,),
    ),
    StoryCard(
        "See how far off they are.",
        {"phrases": 32.0, "tuned": 3.0},
        "On the dashed line; and they do not. In a language of 32 phrases one layer answers none after three facts of "
        "practice, GPT-2 two thirds.",
        "",
        (EVERY.title,),
    ),
    StoryCard(
        "Tell each frequent fact in one wording.",
        {"multiplicity": 1.0},
        "GPT-2 falls from 79 to 36 %, one layer from 97 to 76 %. Here they agree: more wordings help.",
        "",
        (ALONG.title,),
    ),
    StoryCard(
        "Look at the colours.",
        {"multiplicity": 1.0, "phrases": 32.0},
        "Orange rings lie low: each fact has one wording. Nearly all others lie high. What counts for GPT-2 is whether "
        "it has met any fact in a second wording.",
        "",
        (EVERY.title,),
    ),
    StoryCard(
        "Compare at eight phrases alone.",
        {"grid": 1},
        "This breaks a hypothesis: the language stays the same. Now one layer tells which settings are easier "
        "nearly as well as other starts of GPT-2 do.",
        "",
        (EVERY.title,),
    ),
    StoryCard(
        "So why does GPT-2 not follow?",
        {},
        "From two wordings on it has learned that wordings mean the same, and looks at the name alone. In one "
        "layer each phrase keeps a share of its own.",
        "",
        (EVERY.title,),
    ),
)


@live_figure
def figure() -> Live:
    """Two models on the same draws of facts, cell by cell."""
    return live(
        gpt2_comparison(),
        predicted,
        panels=(EVERY, ALONG),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="beside",
        more=("positions", "moment", "grid"),
    )
