"""The scene of the way out of the saddle: a prompt, two ways to wire it, what tells them apart, and the loss.

With three subjects the logits of the true and of the confusing relation differ by 2(v₁ − v₃)(v₂ − v₄), twice the area
of a rectangle; at the saddle it is a point.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from lib.recall.landscape import slice_loss
from lib.recall.logits import squares
from lib.solve import Program, beside
from widgets.scenes import Ball, Link, Net, Rectangle, Scene, Stop, Strip, Token

PARIS, FRANCE = Token("Paris", "s₁", "first"), Token("France", "a₁", "first")
ROME, ITALY = Token("Rome", "s₂", "second"), Token("Italy", "a₂", "second")
MADRID, EOS = Token("Madrid", "s₃", "query"), Token("EoS", "", "eos")

PROMPT = Strip("Attention from the prompt’s end", (PARIS, FRANCE, ROME, ITALY, MADRID, EOS), "weights", 5)
TRUE = Net(
    "“Capital of” says",
    (PARIS, ROME),
    (FRANCE, ITALY),
    (Link(0, 0, "relation"), Link(1, 1, "relation")),
    "joined",
    full=0.25,
    share=("believed", 0),
    says="believed:",
)
CONFUSING = TRUE._replace(
    title="A rival says",
    links=(Link(0, 1, "confusing"), Link(1, 0, "confusing")),
    field="crossed",
    share=("believed", 1),
)
GAP = Rectangle(
    "Their logits’ gap",
    "sides",
    reach=0.7,
    x="Paris − Rome →",
    y="France − Italy ↑",
    says="2 × area =",
    times=2.0,
)
PASS = Ball(
    "The loss",
    "ground_x",
    "ground_loss",
    "place",
    "loss",
    left="Rome",
    right="Paris",
)


def saddle(stage: int) -> Scene:
    """The prompt and its two wirings, the rectangle, and the ball at the pass.

    Args:
        stage: number of the stage that leaves the saddle; one before it gets stuck there.
    """
    stuck = (Stop("stuck", stage - 1),) if stage else ()
    stops = (*stuck, Stop("tips over", stage, "measured_escape"), Stop("settled", stage))
    return Scene(((PROMPT, TRUE, CONFUSING), (GAP,), (PASS,)), (2.1, 1.0, 1.0), stops)


def shown(program: Program) -> Program:
    """``program`` with what the scene shows beside its own, by ``attention`` (v₁ … v₄ or more) and temperature."""
    return beside(program, _drawn, _ground)


def _drawn(seen: Any, _state: Any, p: Any) -> dict[str, Tensor]:
    v = torch.nn.functional.pad(seen.attention, (0, 6 - seen.attention.numel()))
    return {
        "weights": v,
        "believed": torch.softmax(squares(v).sum(-1) / p.temperature, 0)[:2],
        "joined": torch.stack([v[0] * v[1], v[2] * v[3]]),
        "crossed": torch.stack([v[0] * v[3], v[2] * v[1]]),
        "sides": v[:2] - v[2:4],
        "place": v[:2].mean().reshape(1),
    }


def _ground(_own: Any, _ends: Any, p: Any) -> dict[str, Tensor]:
    x = torch.linspace(0, 0.5, 101, dtype=torch.float64)
    return {"ground_x": x, "ground_loss": slice_loss(x, 3, p.temperature)}
