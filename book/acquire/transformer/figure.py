"""GPT-2 and the one-layer theory on the same facts, live over the stored tables."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.transformer.program import COUNTS, UNIVERSES, alike, counts, gpt2_comparison
from book.acquire.transformer.statements import predicted
from widgets import Live, live, live_figure
from widgets.figure.panels import (
    Area,
    Cases,
    Curve,
    CurveChart,
    Field,
    Level,
    Pick,
    Points,
    Row,
)

ALONG = CurveChart(
    title="Unseen facts answered correctly",
    x="fine-tuned facts",
    y="fraction",
    x_scale="log",
    domain=(0.0, 1.0),
    areas=(Area(counts, "one_low", "one_high", "", "predicted"),),
    series=(
        Curve(counts, "one", "one layer (theory)", "predicted"),
        Curve(counts, "once", "facts with a covered phrase", "rough", "5 3"),
        Curve(counts, "gpt", "GPT-2", "measured"),
    ),
    points=(Points(counts, "gpt", "", "measured", "dot", "gpt_low", "gpt_high"),),
    levels=(Level("here_tuned", "", axis="x"),),
    pick=Pick(x="tuned"),
)


def diagonal(_r: Any, _p: Any) -> Tensor:
    """(2,) from 0 to 1."""
    return torch.tensor([0.0, 1.0], dtype=torch.float64)


EACH = len(UNIVERSES) * len(COUNTS)
"""Settings that have one multiplicity in common; those with one wording for each fact come first."""
RINGS = (
    ("one phrase a fact", "two", slice(None, EACH)),
    ("two, four or eight", "measured", slice(EACH, None)),
)
"""Their name, their colour and which settings they are."""


def of(field: str, settings: slice) -> Field:
    """Some of the settings' numbers."""
    return lambda r, _p: getattr(r, field)[settings]


EVERY = CurveChart(
    title="Every setting at once",
    x="answered by one layer (the prediction)",
    y="answered by GPT-2",
    x_domain=(0.0, 1.0),
    domain=(0.0, 1.0),
    series=(Curve(diagonal, diagonal, "GPT-2 as predicted", "other", "5 3"),),
    points=(
        *(Points(of("all_one", k), of("all_gpt", k), name, colour, "ring") for name, colour, k in RINGS),
        Points(
            lambda r, p: r.here_one.reshape(1),
            lambda r, p: r.here_gpt.reshape(1),
            "this setting",
            "run",
        ),
    ),
)
CAPTION: Cases = {
    "alike": alike,
    "GPT-2 ahead": lambda r, p: r.here_gpt > r.here_one,
    "otherwise": None,
}
ROWS = (
    Row("unseen facts right: one layer, and GPT-2", "here_one", "here_gpt"),
    Row("unseen facts with a covered phrase, and GPT-2", "here_once", "here_gpt"),
    Row("GPT-2: standard deviation over five starts", "", "here_spread"),
)


@live_figure
def figure() -> Live:
    """Two models on the same draws of facts, cell by cell."""
    return live(
        gpt2_comparison(),
        predicted,
        panels=(EVERY, ALONG),
        caption=CAPTION,
        rows=ROWS,
        name="beside",
        more=("positions", "moment", "grid"),
    )
