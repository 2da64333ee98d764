"""GPT-2 and the one-layer theory on the same facts, live over the stored tables."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.transformer.program import COUNTS, MULTIPLICITIES, UNIVERSES, alike, counts, gpt2_comparison
from book.acquire.transformer.statements import predicted
from widgets import Live, live, live_figure
from widgets.figure.panels import (
    Area,
    Bar,
    Cases,
    Curve,
    CurveChart,
    Level,
    Pick,
    Points,
    Row,
)
from widgets.figure.scenes import Choices, Scene, Tables

ALONG = CurveChart(
    title="Unseen facts answered correctly",
    x="fine-tuned facts",
    y="fraction",
    x_scale="log",
    domain=(0.0, 1.0),
    areas=(Area(counts, "one_low", "one_high", "", "predicted"),),
    series=(
        Curve(counts, "one", "one layer (theory)", "predicted"),
        Curve(counts, "once", "a mere count: with a practised phrase", "rough", "5 3"),
        Curve(counts, "gpt", "GPT-2", "measured"),
    ),
    points=(Points(counts, "gpt", "", "measured", "dot", "gpt_low", "gpt_high"),),
    levels=(Level("here_tuned", "", axis="x"),),
    pick=Pick(x="tuned"),
)


def counted(_r: Any, p: Any) -> Tensor:
    """(60,) 1 for the settings that are compared: all, or those of the chosen language alone."""
    here = torch.tensor(UNIVERSES, dtype=torch.float64) == p.phrases
    chosen = torch.maximum(1 - p.grid, here.to(torch.float64))
    return chosen[:, None].expand(len(MULTIPLICITIES), len(UNIVERSES), len(COUNTS)).reshape(-1)


EVERY = Tables(
    f"Unseen facts answered correctly in {len(MULTIPLICITIES) * len(UNIVERSES) * len(COUNTS)} settings",
    (Bar("all_one", "one layer (theory)", "predicted"), Bar("all_gpt", "GPT-2", "measured")),
    ("here_one", "here_gpt"),
    counted,
    Choices(
        "multiplicity",
        MULTIPLICITIES,
        ("1 phrase a fact", *(f"{count:g} phrases" for count in MULTIPLICITIES[1:])),
    ),
    Choices(
        "phrases", UNIVERSES, (f"of {UNIVERSES[0]:g} phrases", *(f"of {count:g}" for count in UNIVERSES[1:]))
    ),
    Choices("tuned", COUNTS, tuple(f"{count:g} facts practised" for count in COUNTS)),
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
        scene=Scene(EVERY, beside=(ALONG,)),
        panels=(ALONG,),
        caption=CAPTION,
        rows=ROWS,
        name="beside",
        more=("positions", "moment", "grid"),
    )
