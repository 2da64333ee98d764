"""The scene of the three thresholds: the loss as a landscape with the ball in its valley, and the valley close up.

As it gets warmer the valley's floor rises above log 2, then above the end of the slice, where one pair has all the
attention; then valley and ridge meet, and nothing holds the ball any more.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.recall.charts import LOG_2, constant
from book.recall.scene import PASS, TIPS, shown
from book.recall.temperature.program import SUBJECTS
from lib.program import Program, with_outputs
from lib.recall.landscape import inner_minimum, slice_loss
from lib.recall.phases import fold, thresholds
from widgets.figure.panels import Level
from widgets.figure.scenes import Ball, Landscape, Predict, Scene, Stop

VALLEY = Ball(
    "Its valley, close up",
    "valley_x",
    "valley_loss",
    "lesser",
    "loss",
    left="one pair",
    right="even →",
    levels=(LOG_2, Level("end_loss", "")),
)
KNOWN = thresholds()
EXAMPLES = torch.tensor([0.084, 0.087, 0.0892, 0.094], dtype=torch.float64)
"""A temperature in each of the four ranges that the three thresholds part, near enough to see what changes."""
CLOSE = (0.083, 0.1)
"""Between these the present temperature takes the place of the example of its range."""
EDGE = torch.linspace(0, 0.1, 101, dtype=torch.float64)
"""Where the close-ups show the slice, from one pair alone on."""
LANDSCAPE = Landscape(
    "The loss, by how attention is shared",
    PASS.x,
    PASS.y,
    PASS.at,
    PASS.height,
    left="Rome only",
    right="Paris only",
    levels=(LOG_2._replace(label="log 2, a coin toss"),),
    parameter="temperature",
    symbol="T",
    borders=(
        (KNOWN.below_log_2, "below log 2"),
        (KNOWN.lowest, "it is the lowest point"),
        (KNOWN.exists, "there is a valley"),
    ),
    near_x=constant(EDGE),
    near_y="close_up",
    near="close_up_at",
    rests="close_up_rests",
    domain=(0.687, 0.709),
)
SCENE = Scene(
    LANDSCAPE,
    stops=(
        Stop("tips over", 0, passes=("lead", 0), says=TIPS),
        Stop(
            "below log 2",
            0,
            passes=("below_log_2", 0),
            says="The loss is {loss}, below log 2.",
        ),
        Stop("end", 0),
    ),
    predict=Predict("how does the loss fall? (log 2 is 0.69)", "loss", "loss", (0.0, 1.3)),
)
REACH = 1.6
"""The close-up goes from the end of the slice to this many times the valley's place."""
LAST = fold()[0]
"""Where the last valley is."""


def cooled(program: Program) -> Program:
    """``program``, the runs of the page, with what the scene shows beside its own."""
    return with_outputs(shown(with_outputs(program, _attention)), _fallen, _valley)


def _attention(_seen: Any, state: Any, _p: Any) -> dict[str, Tensor]:
    return {"attention": torch.softmax(state.theta[0], 0)}


def _fallen(seen: Any, _state: Any, _p: Any) -> dict[str, Tensor]:
    return {
        "below_log_2": math.log(2) - seen.loss,
        "lesser": torch.minimum(seen.position, 0.5 - seen.position),
    }


def _valley(reported: Any, _ends: Any, p: Any) -> dict[str, Tensor]:
    """L₁ on the slice near x = 0: up to the valley or where there was one last, and in each range of temperature."""
    place = torch.where(reported.predicted_a > 0, reported.predicted_a, LAST)
    x = torch.clamp(REACH * place, max=0.25) * torch.linspace(0, 1, 101, dtype=torch.float64)
    t = p.temperature
    is_near = (t >= CLOSE[0]) & (t <= CLOSE[1])
    at = torch.where((torch.arange(4) == reported.range) & is_near, t, EXAMPLES)
    return {
        "valley_x": x,
        "valley_loss": slice_loss(x, SUBJECTS, t),
        "close_up": slice_loss(EDGE, SUBJECTS, at[:, None]).flatten(),
        "close_up_at": at,
        "close_up_rests": torch.stack([inner_minimum(SUBJECTS, one) for one in at]),
    }
