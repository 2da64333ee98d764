"""One slider for each hypothesis of Theorems 3.1 and 3.2: move it until something breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from book.recognise.breaking.scene import GROUNDS, SCENE, claims, kept, with_claims
from book.recognise.breaking.statements import condition_1
from book.recognise.charts import LOSSES, OUTPUTS, SINCE
from book.recognise.two_phases import came_to_the_end, two_phases
from widgets import Live, live, live_figure
from widgets.figure import controls
from widgets.figure.panels import Bar, BarChart, Cases, Row, TruthMap
from widgets.figure.scenes import Step

AT_1 = BarChart(
    title="What each word says as Phase 1 ends",
    labels=("Bob", "banana", "the"),
    bars=(Bar("signals", "", "measured"),),
    x="yes above 0, no below",
    colours=("target-1", "target-2", "common"),
)
SHOWN = ("samples", "sigma_1", "positive", "single", "length", "width", "neurons", "sigma_0", "seed")
"""First those that the cards move, which stand beside the scene."""
FEW = 15.0
"""Sentences with which the figure opens: one assumption is broken."""
FOLDED = ("first", "layer", "constant", "random", "learned", "end")
ROWS = (
    Row("the separator lies in the cone", "", "lasting", ("no", "yes")),
    Row("all samples correct from τ", "", "correct"),
    Row("−G(μ₃) over the larger target’s at the end", "limit", "ratio"),
)
NUMBERS = {
    "standing": lambda r, p: (claims(r, p) > 0).to(torch.float64).sum(),
    "weakest": lambda r, p: torch.stack([r.signals[0], r.signals[1], -r.signals[2]]).amin(),
}


def fallen(claim: int, *broken: str) -> Callable[[Any, Any], Tensor]:
    """Whether a claim, by its number, fails; with names, only where one of these grounds is broken."""

    def falls(r: Any, p: Any) -> Tensor:
        is_broken = 1 - kept(p)[[list(GROUNDS).index(name) for name in broken]] if broken else torch.ones(1)
        return (claims(r, p)[claim] <= 0) & (is_broken.amax() > 0)

    return falls


CAPTION: Cases = {
    "given up": lambda r, p: ~came_to_the_end(r, p),
    "all hold": lambda r, p: (claims(r, p).amin() > 0) & (kept(p).amin() > 0),
    "all hold, one broken": lambda r, p: claims(r, p).amin() > 0,
    "wrong, other shares": fallen(1, "shares"),
    "wrong": fallen(1),
    "a word too weak": fallen(0),
    "values moved, narrow": fallen(2, "wide", "long"),
    "values moved": fallen(2),
    "attention moved": fallen(3),
    "loss gone, narrow": fallen(4, "wide", "long"),
    "loss gone, words not enough, few": lambda r, p: fallen(4, "many")(r, p) & (claims(r, p)[8] <= 0),
    "loss gone, few": fallen(4, "many"),
    "loss gone": fallen(4),
    "attention frozen": fallen(5, "trained"),
    "attention turns otherwise": fallen(5),
    "values turn otherwise": fallen(6),
    "a word becomes too weak": fallen(7),
    "three words not enough, few": fallen(8, "many"),
    "otherwise": None,
}
"""The caption names the first claim that fails, and why."""
WHY = (
    Step("labels", OUTPUTS),
    Step("samples", AT_1),
    Step("start", LOSSES),
)
"""Beside the steps of *Why it is true*."""


@live_figure(words="book/recognise/phases")
def figure() -> Live:
    """Both theorems, and a slider for each hypothesis."""
    return live(
        with_claims(two_phases()),
        condition_1,
        scene=SCENE,
        panels=(SINCE, LOSSES, OUTPUTS, AT_1),
        caption=CAPTION,
        numbers=NUMBERS,
        rows=ROWS,
        why=WHY,
        map=TruthMap("samples", "length"),
        **controls.opens(two_phases(), samples=FEW),
        name="breaking",
        more=FOLDED,
        only=(*SHOWN, *FOLDED),
    )
