"""Table 2, live: six relations, their logits and probabilities, as attention moves over a triangle."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.recall.charts import COLOURS, TOKENS, Derive, constant
from book.recall.diagram import NAMES
from book.recall.logits.program import Standing, competition
from book.recall.logits.statements import who_wins
from book.recall.scene import PROMPT
from lib.recall.logits import TIE, conditions
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, Cases, Corner, Mark, Row, Simplex, Tiles
from widgets.figure.scenes import Scene, Squares, Step

SADDLE = torch.tensor([0.5, 0.5, 0.0], dtype=torch.float64)
RELATIONS = ("capital of", "its rival", "r₃", "r₄", "r₅", "r₆")
"""The six relations, r* to r₆."""


def if_even(masses: Derive) -> Derive:
    """``masses`` if each pair has equal attention on its subject and its answer, as there; else NaN."""

    def places(r: Standing, p: Any) -> Tensor:
        return torch.where((p.lean_1 == 0.5) & (p.lean_2 == 0.5), masses(r, p), torch.nan)

    return places


def is_tied(r: Standing, p: Any) -> Tensor:
    """Whether r* is at the top, but not alone."""
    return r.ahead.abs() <= TIE


def is_confused(r: Standing, p: Any) -> Tensor:
    """Whether the confusing relation is at the top, and r* is not."""
    return (r.ahead < -TIE) & (r.logits[1] >= r.logits[2:].amax() - TIE)


def is_tied_without(condition: int) -> Derive:
    """Whether r* is at the top, but not alone, and this one of the three conditions is broken."""
    return lambda r, p: is_tied(r, p) & ~conditions(r.attention)[condition]


WHERE = Simplex(
    title="Where attention goes (dark: high loss)",
    total="total",
    share="share",
    corners=(Corner("first pair", "first"), Corner("second pair", "second"), Corner("Madrid and end", "eos")),
    marks=(
        Mark(if_even(constant(SADDLE)), "saddle", "warn"),
        Mark(if_even(lambda r, p: r.optimum), "optimum", "good"),
        Mark(if_even(lambda r, p: r.mirrored), "optimum", "good"),
    ),
    field="grid_loss",
)


def _bars(title: str, labels: tuple[str, ...], field: str, x: str, colours: tuple[str, ...]) -> BarChart:
    return BarChart(title, labels, (Bar(field, "", "accent"),), domain=(0.0, 1.0), x=x, colours=colours)


RIVALS = ("relation", "confusing", *("mismatched",) * 4)
PLACES = {token.word: place for place, token in enumerate(PROMPT.tokens)}
"""Places of the prompt's words in its attention."""


def _sides(*pairs: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The pairs that a relation joins, "Paris → France", and the word that is left, with the places of their words."""
    return tuple((pair, tuple(PLACES[word] for word in pair.split(" → "))) for pair in pairs)


SQUARES = Squares(
    title="A relation’s score is the area of its squares, a side the attention on a pair of words",
    rivals=("capital of", "its rival", "mismatched", "mismatched", "mismatched", "mismatched"),
    colours=RIVALS,
    sides=(
        _sides("Paris → France", "Rome → Italy", "Madrid"),
        _sides("Paris → Italy", "Rome → France", "Madrid"),
        _sides("Paris → France", "Madrid → Italy", "Rome"),
        _sides("Paris → Italy", "Madrid → France", "Rome"),
        _sides("Rome → France", "Madrid → Italy", "Paris"),
        _sides("Rome → Italy", "Madrid → France", "Paris"),
    ),
    weights="attention",
    shares="probabilities",
    conditions=("one example leads in both words", "both subjects lead Madrid", "both answers get attention"),
    met=lambda r, p: torch.stack(conditions(r.attention)).double(),
)
CHANCES = _bars("Probability of each relation", RELATIONS, "probabilities", "", RIVALS)
LOGITS = _bars("Logit of each relation", RELATIONS, "logits", "logit", RIVALS)
SPLIT = _bars("Attention from EoS", TOKENS, "attention", "attention", COLOURS)
WORDS = SPLIT._replace(
    title="Attention on each word", labels=tuple(token.word for token in PROMPT.tokens), x=""
)
TABLE = Tiles(
    title="Table 2: each logit is a sum of three squares (brighter: larger)",
    rows=NAMES,
    columns=("a pair it matches", "another pair", "left over"),
    texts=(
        ("(v₁ + v₂)²", "(v₃ + v₄)²", "v₅²"),
        ("(v₁ + v₄)²", "(v₃ + v₂)²", "v₅²"),
        ("(v₁ + v₂)²", "(v₅ + v₄)²", "v₃²"),
        ("(v₁ + v₄)²", "(v₅ + v₂)²", "v₃²"),
        ("(v₃ + v₂)²", "(v₅ + v₄)²", "v₁²"),
        ("(v₃ + v₄)²", "(v₅ + v₂)²", "v₁²"),
    ),
    field="squares",
)
PUSHES = BarChart(
    title="Where descent pushes each weight, −T ∂L₁/∂vᵢ",
    labels=TOKENS,
    bars=(
        Bar("pushes", "equations 4 to 9", "predicted"),
        Bar("pushes_measured", "automatic differentiation", "measured"),
    ),
    x="push",
)
CAPTION: Cases = {
    "concluded, loss below a coin toss": lambda r, p: r.concluded & (r.loss < math.log(2)),
    "concluded": lambda r, p: r.concluded,
    "tied without the query": is_tied_without(0),
    "tied without either pair": lambda r, p: is_tied_without(1)(r, p) & is_tied_without(2)(r, p),
    "tied without the second pair": is_tied_without(2),
    "tied": is_tied,
    "confused": is_confused,
    "otherwise": None,
}
ROWS = (
    Row(
        "lead of r* over the confusing relation, 2(v₁ − v₃)(v₂ − v₄)",
        "over_confusing_predicted",
        "over_confusing",
    ),
    Row("loss of r*", "", "loss"),
)
WHY = (
    Step("sum", SPLIT),
    Step("squares", LOGITS),
    Step("signs", WHERE),
    Step("trap", CHANCES),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Drag attention, see six relations compete."""
    return live(
        competition(),
        who_wins,
        scene=Scene(SQUARES, beside=(WHERE, WORDS)),
        panels=(WHERE, CHANCES, TABLE, LOGITS, SPLIT, PUSHES),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        name="logits",
        more=("lean_1", "lean_2", "query_share"),
        only=("total", "share", "temperature", "lean_1", "lean_2", "query_share"),
    )
