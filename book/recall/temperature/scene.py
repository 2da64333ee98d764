"""The scene of the three thresholds: the ball in its valley; and for a step of the argument, the valley close by.

As it gets warmer the valley's floor rises above log 2, then above the end of the slice, where one pair has all the
attention; then valley and ridge meet, and nothing holds the ball any more.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.recall.charts import LOG_2
from book.recall.scene import PASS, TIPS, TRUE, shown
from book.recall.temperature.program import SUBJECTS
from lib.program import Program, with_outputs
from lib.recall.landscape import slice_loss
from lib.recall.phases import fold
from widgets.figure.panels import Level
from widgets.figure.scenes import Ball, Predict, Scene, Stop

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
SCENE = Scene(
    None,
    beside=(PASS, TRUE),
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
    """L₁ on the slice from x = 0; without a valley, as far as when there was one last."""
    place = torch.where(reported.predicted_a > 0, reported.predicted_a, LAST)
    x = torch.clamp(REACH * place, max=0.25) * torch.linspace(0, 1, 101, dtype=torch.float64)
    return {"valley_x": x, "valley_loss": slice_loss(x, SUBJECTS, p.temperature)}
