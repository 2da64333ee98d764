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
    levels=(Level("here_tuned", "here", axis="x"),),
    pick=Pick(x="tuned"),
)


def diagonal(_r: Any, _p: Any) -> Tensor:
    """(2,) from 0 to 1."""
    return torch.tensor([0.0, 1.0], dtype=torch.float64)


EVERY = CurveChart(
    title="Every setting at once",
    x="answered by one layer (the prediction)",
    y="answered by GPT-2",
    x_domain=(0.0, 1.0),
    domain=(0.0, 1.0),
    series=(Curve(diagonal, diagonal, "GPT-2 as predicted", "other", "5 3"),),
    points=(
        Points("all_one", "all_gpt", "one setting of the sliders", "measured", "ring"),
        Points(lambda r, p: r.here_one.reshape(1), lambda r, p: r.here_gpt.reshape(1), "here", "run"),
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
        "One layer, which the theory is about, and GPT-2 have learned the same 96 facts. Does the one predict the "
        "other?",
        "",
        (ALONG.title,),
    ),
    StoryCard(
        "Look at every setting at once.",
        {},
        "If one layer predicted GPT-2, the rings would lie along the dashed line. They do not: this page refutes a "
        "conjecture of ours.",
        "",
        (EVERY.title,),
    ),
    StoryCard(
        "Tell each frequent fact in one way only.",
        {"multiplicity": 1.0},
        "GPT-2 falls from 79 to 36 %, one layer from 97 to 76 %. That more phrasings help is true of both.",
        "",
        (ALONG.title,),
    ),
    StoryCard(
        "Take a language of 32 phrases.",
        {"phrases": 32.0},
        "One layer says next to nothing, 3 %. GPT-2 still answers 68 %.",
        "",
        (ALONG.title,),
    ),
    StoryCard(
        "Fine-tune only three facts of it.",
        {"phrases": 32.0, "tuned": 3.0},
        "One layer never names an unseen fact. How many does GPT-2 name? Two thirds.",
        "",
        (ALONG.title,),
    ),
    StoryCard(
        "Tell GPT-2 the order of the words.",
        {"positions": 1},
        "It rises to 92 % here, and comes no closer to the theory over all settings.",
        "",
        (ALONG.title, EVERY.title),
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
        "Count at the best step.",
        {"moment": 2},
        "This breaks the other: the step is chosen on the very facts that are counted. It flatters both, to 83 % and "
        "99 %.",
        "",
        (ALONG.title,),
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
