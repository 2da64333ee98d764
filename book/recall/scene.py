"""The scene of the way out of the saddle: a prompt, two ways to wire it, what tells them apart, and the loss.

With three subjects the logits of the true and of the confusing relation differ by 2(v₁ − v₃)(v₂ − v₄), twice the area
of a rectangle; at the saddle it is a point.
"""

from __future__ import annotations

import torch

from lib.recall.algorithm import Watch
from lib.solve import Program, record
from widgets.scenes import Ball, Link, Net, Rectangle, Scene, Stop, Strip, Token

PARIS, FRANCE = Token("Paris", "s₁", "first"), Token("France", "a₁", "first")
ROME, ITALY = Token("Rome", "s₂", "second"), Token("Italy", "a₂", "second")
MADRID, EOS = Token("Madrid", "s₃", "query"), Token("EoS", "", "eos")

PROMPT = Strip("Attention from the prompt’s end", (PARIS, FRANCE, ROME, ITALY, MADRID, EOS), "attention", 5)
TRUE = Net(
    "“Capital of” says",
    (PARIS, ROME),
    (FRANCE, ITALY),
    (Link(0, 0, "relation"), Link(1, 1, "relation")),
    "joined",
    full=0.25,
    share=("shares", 0),
    says="believed:",
)
CONFUSING = Net(
    "A rival says",
    (PARIS, ROME),
    (FRANCE, ITALY),
    (Link(0, 1, "confusing"), Link(1, 0, "confusing")),
    "crossed",
    full=0.25,
    share=("shares", 1),
    says="believed:",
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
    "slice_x",
    "slice_loss",
    "position",
    "loss",
    left="Rome",
    right="Paris",
)
STUCK, LEAVES, SETTLED = Stop("stuck", 0), Stop("tips over", 1, "measured_escape"), Stop("settled", 1)


def saddle(*stops: Stop) -> Scene:
    """The prompt and its two wirings, the rectangle, and the ball at the pass."""
    return Scene(((PROMPT, TRUE, CONFUSING), (GAP,), (PASS,)), (2.1, 1.0, 1.0), stops)


def watched(program: Program) -> Program:
    """``program`` with what the scene shows beside what it watches: products of weights, and differences."""
    fields = (*Watch._fields, "joined", "crossed", "sides")

    def watch(state: object, p: object) -> object:
        seen = program.watch(state, p)
        v = seen.attention
        return record("Seen", fields)(
            *seen,
            joined=torch.stack([v[0] * v[1], v[2] * v[3]]),
            crossed=torch.stack([v[0] * v[3], v[2] * v[1]]),
            sides=v[:2] - v[2:4],
        )

    return program._replace(watch=watch)
