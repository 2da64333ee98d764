"""The scene of the way out of the saddle: a prompt, two ways to wire it, what tells them apart, and the loss.

With three subjects the logits of the true and of the confusing relation differ by 2(v₁ − v₃)(v₂ − v₄), twice the area
of a rectangle; at the saddle it is a point. In the second decoding step the relation, once named, looks back at the
prompt, and each subject that it sees speaks for its own answer.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.recall.charts import LOG_2, constant
from book.recall.common import SLICE_X, TIPPED
from lib.program import Program, with_outputs
from lib.recall.landscape import slice_loss
from lib.recall.logits import squares
from widgets.figure.panels import Field
from widgets.figure.scenes import Ball, Link, Net, Predict, Rectangle, Scene, Stop, Strip, Token

PARIS, FRANCE = Token("Paris", "s₁", "first"), Token("France", "a₁", "first")
ROME, ITALY = Token("Rome", "s₂", "second"), Token("Italy", "a₂", "second")
MADRID, EOS = Token("Madrid", "s₃", "query"), Token("end", "EoS", "eos")
CAPITAL, SPAIN = Token("capital of", "r*", "relation"), Token("Spain", "a₃", "query")
OTHERS = Token("any other", "", "other")

PROMPT = Strip(
    "Attention from the end of the prompt", (PARIS, FRANCE, ROME, ITALY, MADRID, EOS), "weights", 5
)
TRUE = Net(
    "The relation “capital of”",
    (PARIS, ROME),
    (FRANCE, ITALY),
    (Link(0, 0, "relation"), Link(1, 1, "relation")),
    "joined",
    full=0.25,
    share=("believed", 0),
    says="probability:",
)
CONFUSING = TRUE._replace(
    title="The rival relation",
    links=(Link(0, 1, "confusing"), Link(1, 0, "confusing")),
    field="crossed",
    share=("believed", 1),
)
GAP = Rectangle(
    "The lead",
    "sides",
    reach=0.5,
    x="Paris − Rome →",
    y="France − Italy ↑",
    says="lead = 2 × this area",
    times=2.0,
)
PASS = Ball(
    "The loss",
    constant(SLICE_X),
    "ground_loss",
    "place",
    "loss",
    left="only Rome, Italy",
    right="only Paris, France",
    levels=(LOG_2._replace(label="coin toss"),),
)
NAMED = Strip("Attention from the named relation", (*PROMPT.tokens, CAPITAL), "relation_attention", 6)
LOOKUP = Net(
    "Each subject votes for its own answer",
    (PARIS, ROME, MADRID),
    (FRANCE, ITALY, SPAIN, OTHERS),
    tuple(Link(i, i, "relation") for i in range(3)),
    "looked_up",
    full=0.6,
    shares="answered",
)
SURE = Predict(
    "how will the probability of “capital of” move?", "believed", "probability of “capital of”", (0.0, 1.0)
)

STUCK = "Stuck: “capital of” has {believed[0]:%}, its rival {believed[1]:%}."
TIPS = "The tie breaks: “capital of” has {believed[0]:%}, its rival {believed[1]:%}."


def saddle(stage: int, settled: Field = "") -> Scene:
    """The prompt and its two wirings, the rectangle, and the ball at the pass.

    Args:
        stage: number of the stage that leaves the saddle; one before it gets stuck there.
        settled: the step at which the run has settled, NaN if it has not; its last, if not said.
    """
    stuck = (Stop("stuck", stage - 1, says=STUCK),) if stage else ()
    stops = (*stuck, Stop("tips over", stage, passes=("lead", 0), says=TIPS), Stop("settled", stage, settled))
    return Scene(PROMPT, (PASS, TRUE, CONFUSING, GAP), stops, predict=SURE)


def shown(program: Program) -> Program:
    """``program`` with what the scene shows beside its own, by ``attention`` (v₁ … v₄ or more) and temperature."""
    return with_outputs(program, _drawn, _ground)


def _drawn(seen: Any, _state: Any, p: Any) -> dict[str, Tensor]:
    v = torch.nn.functional.pad(seen.attention, (0, 6 - seen.attention.numel()))
    believed = torch.softmax(squares(v).sum(-1) / p.temperature, 0)[:2]
    return {
        "weights": v,
        "believed": believed,
        "lead": (believed[0] - believed[1] - TIPPED).reshape(1),
        "joined": torch.stack([v[0] * v[1], v[2] * v[3]]),
        "matched": torch.stack([v[0] * v[1], v[2] * v[3], v[0] * v[3], v[2] * v[1]]),
        "crossed": torch.stack([v[0] * v[3], v[2] * v[1]]),
        "sides": v[:2] - v[2:4],
        "place": (v[:2].sum() / v[:4].sum() / 2).reshape(1),
    }


def _ground(_reported: Any, _ends: Any, p: Any) -> dict[str, Tensor]:
    return {"ground_loss": slice_loss(SLICE_X, 3, p.temperature)}


def answering(omega: Tensor, subjects: Tensor, temperature: Tensor) -> dict[str, Tensor]:
    """What :data:`NAMED` and :data:`LOOKUP` watch, by the scores ω (7,).

    Attention is q = softmax(ω). The logits of a₁, a₂ and a₃ are 2(1 + q₇) times q₁, q₃ and q₅, and 0 for each of the
    n − 3 others, whose probabilities are added.
    """
    q = torch.softmax(omega, 0)
    logits = 2 * (1 + q[6]) * q[0:5:2]
    crowd = torch.log(subjects - 3).reshape(1)
    answered = torch.softmax(torch.cat([logits / temperature, crowd]), 0)
    return {"relation_attention": q, "looked_up": logits, "answered": answered}
