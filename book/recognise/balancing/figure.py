"""Lemmas 4.4 and 4.5, live: four class gradients balance themselves."""

from __future__ import annotations

from typing import Any

import ipywidgets as ipw
import torch
from torch import Tensor

from book.recognise.balancing.program import (
    State,
    balancing,
    came_to_the_end,
    gaps_are_open,
    gaps_last,
    singles_are_paired,
)
from book.recognise.balancing.statements import lemma_4_4, lemma_4_5
from book.recognise.charts import TIME, by_type, over_log_time
from book.recognise.common import END_OF_PHASE_1
from book.recognise.scene import KINDS
from lib.program import with_outputs
from lib.recognise import orbit
from lib.recognise.setting import scaled
from lib.recognise.task import SIGNS
from widgets import Live, live, live_figure
from widgets.figure import controls
from widgets.figure.panels import Bar, BarChart, Cases, Level, Row, Trace, TruthMap
from widgets.figure.scenes import Predict, Scene, Step, Stop, Stream, Token

LETS_GO = 0.45
"""The share of the largest type from which on it is seen to have let go."""
NEAR = 0.015
"""How far a share may be from its limit where it is said to have come there."""


def turns(seen: Any, _state: Any, p: Any) -> dict[str, Tensor]:
    """What is above zero once sentences with both words have let go, and once Phase 2 has begun.

    Where they are so few that they never had much of the errors, there is nothing that they could let go.
    """
    let_go = torch.where(p.positive > LETS_GO, LETS_GO - seen.shares[:1], -1.0)
    return {"both_let_go": let_go, "since_phase_1": (seen.time - END_OF_PHASE_1).reshape(1)}


def watched(seen: Any, state: State, p: Any) -> dict[str, Tensor]:
    """What the scene shows beside what the program watches: how right each kind is."""
    sizes, _ = scaled(p, p.learned)
    return turns(seen, state, p) | {"margins": SIGNS * orbit.outputs(state.flow.orbit, sizes)}


def settled(r: Any, _p: Any) -> Tensor:
    """Whether every share has come to its limit, 0-d."""
    return (r.pulls - r.goal).abs().amax() < NEAR


SHARES = over_log_time(
    title="Each kind’s share of the error that is left",
    domain=(0.0, 0.6),
    traces=by_type("shares"),
    levels=(
        Level(lambda r, p: r.goal[0], "theory"),
        Level(lambda r, p: r.goal[1], ""),
        Level(lambda r, p: r.goal[2], ""),
        Level(lambda r, p: r.goal[3], ""),
    ),
)
STREAM = Stream(
    "Each kind’s share of the error that is left: the chance of a wrong answer",
    tuple(Token(example, "", colour) for _, colour, _, _, example in KINDS),
    "shares",
    "time",
    "goal",
    since=0.3,
    x=TIME,
)
NAMES = tuple(name for name, *_ in KINDS)
RUNNERS = BarChart(
    title="How clearly each kind is right by now",
    labels=NAMES,
    bars=(Bar("margins", "", "measured", "now"),),
    x="margin (right of 0: correct)",
    colours=("both", "target-1", "target-2", "neither"),
)
GOAL = BarChart(
    title="The shares now, and where they should end",
    labels=NAMES,
    bars=(Bar("shares", "now", "measured", "now"), Bar("goal", "theory", "predicted")),
    domain=(0.0, 0.6),
    x="share",
)
SCENE = Scene(
    STREAM,
    beside=(RUNNERS,),
    stops=(
        Stop(
            "both words improve",
            0,
            passes=("both_let_go", 0),
            says="Sentences with both words have {shares[0]:%} of the error now.",
        ),
        Stop(
            "Phase 2 begins",
            0,
            passes=("since_phase_1", 0),
            says="Phase 2 begins. Bob alone has {shares[1]:%} of the error, banana alone {shares[2]:%}.",
        ),
        Stop(
            "end",
            0,
            says="Both words have {shares[0]:%} of the error, Bob alone {shares[1]:%}, banana alone {shares[2]:%}.",
        ),
    ),
    predict=Predict(
        "while the error vanishes, which share of it is left to sentences with Bob alone?",
        "shares",
        "share of the error that is on sentences with Bob and no banana",
        (0.0, 0.6),
        component=1,
    ),
)
RATIOS = over_log_time(
    title="All errors over the gaps between kinds",
    domain=(0.0, 20.0),
    traces=(
        Trace("time", "ratios", 1, "negatives − positives", "both"),
        Trace("time", "ratios", 2, "positives − only Bob", "target-1"),
        Trace("time", "ratios", 3, "positives − only banana", "target-2", "5 3"),
    ),
    levels=(Level("first_limit", ""), Level("second_limit", "")),
)
RATE = over_log_time(
    title="Training time times loss",
    domain=(0.0, 18.0),
    traces=(
        Trace("time", "rates", 0, "as it is", "run", "5 3"),
        Trace("time", "rates", 1, "corrected", "measured"),
    ),
    levels=(Level("square", "‖g‖²"),),
)
CAPTION: Cases = {
    "given up": lambda r, p: ~came_to_the_end(r, p),
    "gaps last, words paired, settled": lambda r, p: (
        gaps_are_open(r, p) & gaps_last(r, p) & singles_are_paired(r, p) & settled(r, p)
    ),
    "gaps last, words paired": lambda r, p: gaps_are_open(r, p) & gaps_last(r, p) & singles_are_paired(r, p),
    "gaps last": lambda r, p: gaps_are_open(r, p) & gaps_last(r, p),
    "gaps close again": gaps_are_open,
    "gaps open late": gaps_last,
    "otherwise": None,
}
ROWS = (
    Row("(only Bob − only banana) over the smaller, at the end", "", "unbalance"),
    Row("all over negatives − positives, at the end", "first_limit", "first"),
    Row("all over positives − only Bob, at the end", "second_limit", "second"),
    Row("τ times loss, corrected for N and ‖a‖²G", "square", "rate"),
    Row("loss at the end", "", "loss"),
    Row("N over N₀ at the end", "", "size"),
)
FOLDED = ("sigma_0", "sigma_1", "neurons", "layer", "learned", "random", "end")
NUMBERS = {
    "below_rest": lambda r, p: 1 / r.worst_first,
    "above_one": lambda r, p: 1 / torch.maximum(r.worst_second, r.worst_third),
}
"""For the page's words: the least gaps in Phase 2 as shares of the error."""
WHY = (
    Step("lags", SHARES),
    Step("goal", GOAL),
    Step("limits", RATIOS),
    Step("loss", RATE),
)
"""Beside the steps of *Why it is true*."""


def _share_with_one() -> ipw.Widget:
    """The control of ``single``, beside that of the share with both words."""
    (domain,) = (each for each in balancing().domains if each.name == "single")
    return controls.of(domain._replace(words="of the rest, with one word"))


@live_figure
def figure() -> Live:
    """Both lemmas on one run."""
    return live(
        with_outputs(balancing(), watched),
        lemma_4_4,
        lemma_4_5,
        scene=SCENE,
        panels=(SHARES, RUNNERS, GOAL, RATIOS, RATE),
        caption=CAPTION,
        numbers=NUMBERS,
        rows=ROWS,
        why=WHY,
        map=TruthMap("samples", "length"),
        single=_share_with_one(),
        name="balancing",
        more=FOLDED,
        only=("samples", "positive", "single", "first", "length", "width", "seed", *FOLDED),
    )
