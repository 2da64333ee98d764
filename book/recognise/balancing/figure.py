"""Lemmas 4.4 and 4.5, live: four class gradients balance themselves."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from book.recognise.balancing.program import (
    balancing,
    came_to_the_end,
    gaps_are_open,
    gaps_last,
    singles_are_paired,
)
from book.recognise.balancing.statements import lemma_4_4, lemma_4_5
from book.recognise.charts import by_type, over_log_time
from lib.domain import INFINITE
from lib.program import with_outputs
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, Level, Row, StoryCard, Trace, TruthMap
from widgets.figure.scenes import Predict, Scene, Step, Stop

LETS_GO = 0.45
"""The share of the largest type from which on it is seen to have let go."""
GONE = 0.01
"""The share of a type that hardly pulls any more."""


def turns(seen: Any, _state: Any, _p: Any) -> dict[str, Tensor]:
    """What is above zero once sentences with both words have let go, and once those with neither are done."""
    return {"both_let_go": (LETS_GO - seen.shares[:1]), "neither_done": (GONE - seen.shares[3:])}


SHARES = over_log_time(title="Each type’s share of all errors", domain=(0.0, 0.6), traces=by_type("shares"))
GOAL = BarChart(
    title="The shares now, and in the limit",
    labels=("both", "only Bob", "only banana", "neither"),
    bars=(Bar("shares", "now", "measured", "now"), Bar("goal", "limit", "predicted")),
    domain=(0.0, 0.6),
    x="share",
)
SCENE = Scene(
    SHARES,
    beside=(GOAL,),
    stops=(
        Stop(
            "both words let go",
            0,
            passes=("both_let_go", 0),
            says="Sentences with both words made most errors. They improve first, and now have {shares[0]:%} of them.",
        ),
        Stop(
            "neither is done",
            0,
            passes=("neither_done", 0),
            says="Sentences with neither word hardly err any more. Both words have {shares[0]:%} of all errors, Bob "
            "alone {shares[1]:%}, banana alone {shares[2]:%}.",
        ),
        Stop(
            "end",
            0,
            says="Both words have {shares[0]:%} of all errors, Bob alone {shares[1]:%}, banana alone {shares[2]:%}.",
        ),
    ),
    predict=Predict(
        "at the start Bob alone has a sixth of all errors. Which share later, while errors vanish?",
        "shares",
        "share of all errors that are on sentences with Bob and no banana",
        (0.0, 0.6),
        component=1,
    ),
)
RATIOS = over_log_time(
    title="The sum of all gᵢ over the gaps of Lemma 4.5",
    domain=(0.0, 20.0),
    traces=(
        Trace("time", "ratios", 1, "negatives − positives", "both"),
        Trace("time", "ratios", 2, "positives − only Bob", "target-1"),
        Trace("time", "ratios", 3, "positives − only banana", "target-2", "5 3"),
    ),
    levels=(Level("first_limit", ""), Level("second_limit", "")),
)
RATE = over_log_time(
    title="τ times the loss",
    domain=(0.0, 18.0),
    traces=(
        Trace("time", "rates", 0, "as it is", "run", "5 3"),
        Trace("time", "rates", 1, "corrected", "measured"),
    ),
    levels=(Level("square", "‖g‖²"),),
)
CAPTION = (
    CaptionCase(
        lambda r, p: ~came_to_the_end(r, p),
        "The run was given up before its end: where the ratios go from there is not known.",
    ),
    CaptionCase(
        lambda r, p: gaps_are_open(r, p) & gaps_last(r, p) & singles_are_paired(r, p),
        "At the end the two types with one target differ by {apart:%} of the smaller. The first two ratios end at "
        "{first} and "
        "{second}; the separator gives {first_limit} and {second_limit}.",
    ),
    CaptionCase(
        lambda r, p: gaps_are_open(r, p) & gaps_last(r, p),
        "One type with one target still pulls much harder than the other. The first two ratios end at {first} and "
        "{second}; the separator gives {first_limit} and {second_limit}.",
    ),
    CaptionCase(
        gaps_are_open,
        "The first two ratios end at {first} and {second}. With these shares or so few samples a gap closes in the "
        "limit, and a ratio has no bound.",
    ),
    CaptionCase(
        gaps_last,
        "At the end of this run a gap of Lemma 4.5 is closed, or a type is far ahead. The separator gives the first "
        "two ratios {first_limit} and {second_limit}: run longer to see them.",
    ),
    CaptionCase(
        None,
        "At the end of this run a gap of Lemma 4.5 is closed, or a type is far ahead. With these shares or so few "
        "samples that is so in the limit, too.",
    ),
)
ROWS = (
    Row("(only Bob − only banana) over the smaller, at the end", "", "unbalance"),
    Row("all over negatives − positives, at the end", "first_limit", "first"),
    Row("all over positives − only Bob, at the end", "second_limit", "second"),
    Row("τ times loss, corrected for N and ‖a‖²G", "square", "rate"),
    Row("loss at the end", "", "loss"),
    Row("N over N₀ at the end", "", "size"),
)
FOLDED = ("sigma_0", "sigma_1", "neurons", "layer", "learned", "random", "end")
STORY = (
    StoryCard(
        "Four types, one pull.",
        {},
        "Each type of sentence pulls in proportion to how wrong it still is. In the end the shares are those of the "
        "max-margin separator. Now change the shares of samples: do these shares follow?",
    ),
    StoryCard(
        "Let four fifths of the samples with one target hold Bob.",
        {"first": 0.8},
        "The two types part at first, and come closer again. With more samples they meet.",
    ),
    StoryCard(
        "The same with 10,000 samples.",
        {"first": 0.8, "samples": 1e4},
        "Balance comes back by itself: the sums meet although one type has four times as many samples.",
    ),
    StoryCard(
        "Let only a tenth of all samples hold both targets.",
        {"positive": 0.1},
        "A tenth of the samples ends with two fifths of the gradient, as before: shares of samples hardly matter.",
    ),
    StoryCard(
        "Take 12 samples of 60 words.",
        {"samples": 12, "length": 60},
        "Irrelevant words do the work, and all samples learn alike: negatives weigh hardly more than positives.",
    ),
    StoryCard(
        "Make the network infinitely wide and start at the mean.",
        {"width": INFINITE, "random": 0},
        "τ times the loss tends to ‖g‖² without any correction.",
    ),
)
WHY = (
    Step("lags", SHARES),
    Step("goal", GOAL),
    Step("limits", RATIOS),
    Step("loss", RATE),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Both lemmas on one run."""
    return live(
        with_outputs(balancing(), turns),
        lemma_4_4,
        lemma_4_5,
        scene=SCENE,
        panels=(SHARES, GOAL, RATIOS, RATE),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        map=TruthMap("samples", "length"),
        name="balancing",
        more=FOLDED,
        only=("samples", "positive", "single", "first", "length", "width", "seed", *FOLDED),
    )
