"""The scene of the two phases: four kinds of sentence, and the plane in which all of them can be correct.

A sentence is positive if it holds both Bob and a banana. To the linear MLP a word is one number, G(μ), and a sentence
the sum of its words': three numbers must get four signs correct.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from lib.recognise import orbit
from lib.solve import Program, beside
from widgets.panels import Area, Curve, CurveChart, Path
from widgets.scenes import Card, Cards, Predict, Scene, Stop, Token

BOB, BANANA, COMMON = (
    Token("Bob", "μ₁", "target-1"),
    Token("banana", "μ₂", "target-2"),
    Token("the", "μ₃", "common"),
)
SENTENCES = Cards(
    "What a sentence’s words add up to",
    (BOB, BANANA, COMMON),
    (
        Card("both", (0, 1, 2), 1, "½ of all"),
        Card("only Bob", (0, 2), -1, "⅙"),
        Card("only banana", (1, 2), -1, "⅙"),
        Card("neither", (2,), -1, "⅙"),
    ),
    "output",
    "margins",
    rest=Token("other words", "", "other"),
)
PLANE = CurveChart(
    title="The wedge where all are correct",
    x="Bob and banana, mean of G",
    y="“the”, −G(μ₃)",
    areas=(Area("wedge_x", "wedge_low", "wedge_high", "", "good"),),
    series=(Curve("wedge_x", "goal", "", "predicted", "5 3"),),
    path=Path("targets", "against", "the run"),
)
ONLY_BOB = Predict(
    "a sentence with Bob and no banana: when does it become correct?",
    "margins",
    "its margin, correct above 0",
    (-2.0, 4.0),
    component=1,
)
SCENE = Scene(((SENTENCES,), (PLANE,)), (1.25, 1.0), (Stop("T₁", 0), Stop("end", 1)), predict=ONLY_BOB)
POINTS = 41


def shown(program: Program) -> Program:
    """``program`` with what the scene shows beside its own: margins by kind, and in the plane the run and the wedge.

    There the samples are correct, by the three words alone, where the mean of G(μ₁) and G(μ₂) is less than −G(μ₃) and
    that is less than twice the mean; the run tends to the direction of the largest margin, dashed.
    """
    return beside(program, _drawn, _wedge)


def _drawn(seen: Any, _state: Any, _p: Any) -> dict[str, Tensor]:
    return {
        "margins": -torch.log(torch.expm1(seen.losses)),
        "targets": seen.output[:2].mean().reshape(1),
        "against": -seen.output[2:],
    }


def _wedge(own: Any, ends: Any, _p: Any) -> dict[str, Tensor]:
    reach = 1.1 * orbit.unpack(ends[-1].run.going.state).blocks.output[:2].mean().clamp(min=0.5)
    x = reach * torch.linspace(0, 1, POINTS, dtype=torch.float64)
    return {"wedge_x": x, "wedge_low": x, "wedge_high": 2 * x, "goal": own.limit * x}
