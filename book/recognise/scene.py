"""The scene of the two phases: four types of sentence, the plane in which all can be correct, and who pulls which word.

A sentence is positive if it holds both Bob and a banana. To the linear MLP a word is one number, G(μ), and a sentence
the sum of its words': three numbers must get four signs correct.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from lib.program import Program, with_outputs
from lib.recognise import orbit
from lib.recognise.setting import scaled
from lib.recognise.task import FRACTIONS, SIGNALS
from widgets.figure.panels import Area, Curve, CurveChart, Path
from widgets.figure.scenes import Card, Cards, Lane, Lanes, Link, Net, Predict, Scene, Stop, Token

BOB, BANANA, COMMON = (
    Token("Bob", "μ₁", "target-1"),
    Token("banana", "μ₂", "target-2"),
    Token("the", "μ₃", "common"),
)
KINDS = (
    ("both", "both", 1, "half of all", "Bob eats the banana"),
    ("only Bob", "target-1", -1, "a sixth", "Bob eats the rice"),
    ("only banana", "target-2", -1, "a sixth", "Ann eats the banana"),
    ("neither", "neither", -1, "a sixth", "Ann eats the rice"),
)
"""The types of sentence in the order of SIGNALS: name, colour, label, share, an example."""
SENTENCES = Cards(
    "Is Bob eating a banana?",
    (BOB, BANANA, COMMON),
    tuple(
        Card(example, held, label, f"{name}: {share}")
        for (name, _, label, share, example), held in zip(KINDS, SIGNALS, strict=True)
    ),
    "output",
    "margins",
    rest=Token("other words", "", "other"),
)
PLANE = CurveChart(
    title="The wedge where all are correct",
    x="how much Bob and banana say yes",
    y="how much “the” says no",
    areas=(Area("wedge_x", "wedge_low", "wedge_high", "", "good"),),
    series=(Curve("wedge_x", "goal", "", "predicted", "5 3"),),
    path=Path("targets", "against", "the run"),
)
TYPES = tuple(Token(f"{name} {'↑' if label > 0 else '↓'}", "", colour) for name, colour, label, *_ in KINDS)
STRONGEST = 0.3
"""The pull that is drawn widest: of half of all sentences, while they are rather wrong than right."""
PULLS = Net(
    "Who still pushes, to yes ↑ or no ↓?",
    TYPES,
    (BOB, BANANA, COMMON),
    tuple(Link(kind, word, TYPES[kind].colour) for kind, held in enumerate(SIGNALS) for word in held),
    "pulls",
    STRONGEST,
)
TURNS = Lane(
    "Bob’s attention to",
    "turned",
    (
        BANANA._replace(symbol="above the line: more than at first"),
        Token("“the”", "below it: less than at first", "common"),
    ),
    unit="\u00a0%",
    still="hardly moves",
)
"""Attention's change since the start, in a sentence with both words."""
LANES = Lanes(
    "What is learned, and when?",
    (
        Lane(
            "chance of yes",
            "alone",
            (
                BOB._replace(symbol="above the line: a yes is likelier"),
                BANANA._replace(symbol=""),
                Token("“the”", "below it: a no is likelier", "common"),
            ),
            base=50.0,
            unit="\u00a0%",
        ),
        Lane(
            "right",
            "margins",
            tuple(
                Token(name, f"“{example}” must get a {'yes' if label > 0 else 'no'}", colour)
                for name, colour, label, _, example in KINDS
            ),
            answers=True,
        ),
        TURNS,
    ),
    "time",
    "time τ (not to scale)",
)
MOVED = Lanes("Change of Bob’s attention, magnified", (TURNS,), "time", "time τ")
ONLY_BOB = Predict(
    "a sentence with Bob and no banana must get a no: how does its margin move?",
    "margins",
    "its margin, correct above 0",
    (-2.0, 4.0),
    component=1,
)
SCENE = Scene(
    LANES,
    stops=(
        Stop(
            "either word gets a yes",
            0,
            passes=("one_is_enough", 0),
            says="Sentences with both words get a yes now. But so do those with only one of them, and that is wrong.",
        ),
        Stop(
            "Phase 1 ends",
            0,
            says="Phase 1 ends: {right:n} of 4 kinds of sentence are right. Bob’s attention to banana has changed by "
            "{turned[0]} %.",
        ),
        Stop("end", 1),
    ),
    predict=ONLY_BOB,
)
POINTS = 41
"""Along the edges of the wedge."""


def with_scene(program: Program) -> Program:
    """``program`` with the numbers that the scene shows: margins and pulls by type, and in the plane run and wedge.

    ``alone`` is the probability of a yes, in percent, that each word would come to by itself.

    ``right`` counts the types that are correct. ``one_is_enough`` is above 0 while sentences with both words get a yes,
    and those with only one of them get one, too.

    A type pulls each word it holds by its share of the samples times what these still lack of certainty, σ(−margin):
    by how much it moves the word's G. So a type that has become certain lets go.

    There the samples are correct, by the three words alone, where the mean of G(μ₁) and G(μ₂) is less than −G(μ₃) and
    that is less than twice the mean; the run tends to the direction of the largest margin, dashed.
    """
    return with_outputs(program, _watched, _at_the_end)


def looks(state: orbit.Orbit, p: Any) -> Tensor:
    """Attention in a sample with both targets, (4, 4) [key, query]: Bob, banana, “the” and another word."""
    sizes, _ = scaled(p, torch.ones_like(p.end))
    return orbit.attention(state, sizes)[0]


def turned(state: Any, p: Any) -> Tensor:
    """How much more Bob looks at banana and at “the” than at the start, in percent; (2,)."""
    now, then = (looks(each, p)[1:3, 0] for each in (state.flow.orbit, orbit.unpack(state.begun)))
    return 100 * (now / then - 1)


def _watched(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
    pulls = torch.tensor(FRACTIONS, dtype=torch.float64) * -torch.expm1(-seen.losses)
    margins = -torch.log(torch.expm1(seen.losses))
    return {
        "margins": margins,
        "right": (margins > 0).to(torch.float64).sum().reshape(1),
        "one_is_enough": (margins[:3] * torch.tensor([1.0, -1.0, -1.0])).amin().reshape(1),
        "alone": 100 * torch.sigmoid(seen.output),
        "turned": turned(state, p),
        "pulls": pulls[[link.left for link in PULLS.links]],
        "targets": seen.output[:2].mean().reshape(1),
        "against": -seen.output[2:],
    }


def _at_the_end(r: Any, ends: Any, p: Any) -> dict[str, Tensor]:
    reach = 1.1 * ends[-1].flow.orbit.blocks.output[:2].mean().clamp(min=0.5)
    x = reach * torch.linspace(0, 1, POINTS, dtype=torch.float64)
    return {
        "turned_at_end": turned(ends[-1], p)[0],
        "wedge_x": x,
        "wedge_low": x,
        "wedge_high": 2 * x,
        "goal": r.limit * x,
    }
