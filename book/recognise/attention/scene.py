"""The scene of what attention learns: where Bob and banana look, and how much of the margin that is worth.

Attention in a sample with both targets, what it is off an even share magnified, and beside it the least margin of the
same run, of the run once attention is made uniform, and of a run in which it is frozen.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.recognise.attention.program import State, learned_and_frozen
from book.recognise.charts import over_log_time
from book.recognise.common import END_OF_PHASE_1
from book.recognise.scene import BANANA, BOB, COMMON, looks
from lib.program import Program, with_outputs
from lib.recognise import gradient_flow
from lib.recognise.task import SIGNALS
from widgets.figure.panels import Bar, BarChart, Trace
from widgets.figure.scenes import Lens, Predict, Scene, Stop, Strip, Token

PLACES = [0, 3, 2, 1]
"""The words from the left, by their roles in :func:`book.recognise.scene.looks`."""
ROWS = [3, 0, 2, 1]
"""The words of the strip in the order of the bars."""
OTHERS = Token("others", "", "other")
LOOKS = Strip(
    "Where Bob looks (above) and banana (below)",
    (BOB, OTHERS._replace(word="others, each"), COMMON, BANANA),
    "from_first",
    0,
    below=("from_second", 3),
)
TURNS = BarChart(
    title="Where Bob and banana look, compared with an even share",
    labels=("at banana", "at Bob", "at “the”", "at each other word"),
    bars=(
        Bar("bob_turned", "Bob", "target-1", "now"),
        Bar("banana_turned", "banana", "target-2", "now"),
    ),
    x="% more or less than an even share",
)
"""On an axis that follows the run, since under Condition 1 all of it is a few thousandths of one per cent."""
LEARNED, UNIFORM, FROZEN = (
    Trace("time", "learned", 0, "learned", "learned"),
    Trace("time", "uniform", 0, "learned, then made uniform", "uniform", "5 3"),
    Trace("time", "frozen", 0, "frozen", "frozen", "2 3"),
)
MARGINS = over_log_time(
    title="Margin of the hardest sentence (above 0: correct)",
    x_domain=(0.3, 1e4),
    traces=(LEARNED, UNIFORM, FROZEN),
)
GAZE = Lens(
    "Where Bob looks (above) and banana (below), and what it is worth",
    (BOB, OTHERS, COMMON, BANANA),
    "others",
    ("from_first", 0),
    ("from_second", 3),
    curves=(LEARNED, FROZEN, UNIFORM),
    says="margin of the hardest sentence (correct above 0)",
)
WORTH = Predict(
    "in one run attention learns, in the next it is frozen. How does the margin grow?",
    "margin",
    "margin of the hardest sentence, correct above 0",
    (-2.0, 14.0),
)
SCENE = Scene(
    GAZE,
    stops=(
        Stop(
            "Phase 1 ends",
            0,
            passes=("since_phase_1", 0),
            says="Phase 1 is over. Bob looks at banana {bob_turned[0]} % more than at an average word.",
        ),
        Stop(
            "first run: attention learned",
            0,
            says="Attention has learned. Bob looks at banana {bob_turned[0]} % more than at an average word.",
        ),
        Stop("second run: attention frozen", 1),
    ),
    predict=WORTH,
)


def with_scene() -> Program:
    """Both runs, with the numbers that the scene shows; while attention is frozen, attention as it was learned."""
    return with_outputs(learned_and_frozen(), _watched, _at_the_end)


def gazes(state: gradient_flow.State, p: Any) -> Tensor:
    """Attention in a sample with both targets, (2, 4): from Bob and from banana, to the words of the strip."""
    return looks(state.orbit, p)[PLACES, :2].T


def _watched(seen: Any, state: State, p: Any) -> dict[str, Tensor]:
    learns = state.learns > 0.5
    now = torch.where(learns, gazes(state.flow, p), gazes(state.learned, p))
    turned = 100 * (p.length * now - 1)
    return {
        "from_first": now[0],
        "from_second": now[1],
        "bob_turned": turned[0, ROWS],
        "banana_turned": turned[1, ROWS],
        "others": p.length - len(SIGNALS[0]),
        "since_phase_1": seen.time - END_OF_PHASE_1,
        "margin": torch.where(learns, seen.learned, seen.frozen),
    }


def _at_the_end(_report: Any, ends: tuple[State, ...], p: Any) -> dict[str, Tensor]:
    return {"turned": 100 * (p.length * gazes(ends[0].flow, p)[0, 3] - 1)}
