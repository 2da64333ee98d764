"""What the figures of the way out of the saddle share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor

from book.recall.common import SLICE_X
from widgets.figure.panels import Curve, CurveChart, Level, Line, Path, TimeChart

Derive = Callable[[Any, Any], Tensor]
"""A function of report and parameters that a chart takes in the place of a field of the report."""


def constant(value: Tensor) -> Derive:
    """What a chart takes in the place of a report's field where its numbers do not depend on the run."""
    return lambda r, p: value


def temperature(r: Any, p: Any) -> Tensor:
    """The temperature of the run: what a chart takes in the place of a report's field."""
    return p.temperature


ANSWER = "5 3"
"""Dashes for answer tokens in charts; subjects are drawn in full, the two of a pair in one colour."""

TOKENS = ("v₁  s₁", "v₂  a₁", "v₃  s₂", "v₄  a₂", "v₅  s₃", "v₆  EoS")
"""Attention on each token of a prompt, and what the token is."""
COLOURS = ("first", "first", "second", "second", "query", "eos")


def attention_lines(field: str = "attention") -> tuple[Line, ...]:
    """A line for the attention on each token; ``field`` is watched, and holds all six."""
    return tuple(
        Line(field, place, token, colour, ANSWER if place in (1, 3) else "")
        for place, (token, colour) in enumerate(zip(TOKENS, COLOURS, strict=True))
    )


EXAMPLES = attention_lines()[:4]
FROM_THE_SADDLE = TimeChart(
    title="Attention from EoS, from the saddle on", series=EXAMPLES, domain=(0.0, 0.55)
)
LOG_2 = Level(math.log(2), "log 2")
LOSS = TimeChart(title="Loss L₁", series=(Line("loss", 0, "L₁", "run"),), levels=(LOG_2,))
SLICE = CurveChart(
    title="Loss on the pairwise slice (dotted: the run)",
    x="x, for attention (x, x, ½ − x, ½ − x, 0, 0)",
    series=(Curve(constant(SLICE_X), "slice_loss", "", "predicted"),),
    path=Path("position", "loss", "the run"),
    levels=(LOG_2,),
)
