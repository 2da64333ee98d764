"""One slider for each hypothesis of Theorems 3.1 and 3.2: move it until something breaks."""

from __future__ import annotations

from book.recognise.breaking.scene import SCENE, with_claims
from book.recognise.breaking.statements import condition_1
from book.recognise.charts import CAPTION, LOSSES, OUTPUTS, SINCE
from book.recognise.two_phases import two_phases
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, Row, TruthMap
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
FOLDED = ("first", "layer", "constant", "random", "learned", "end")
ROWS = (
    Row("the separator lies in the cone", "", "lasting", ("no", "yes")),
    Row("all samples correct from τ", "", "correct"),
    Row("−G(μ₃) over the larger target’s at the end", "limit", "ratio"),
)
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
        rows=ROWS,
        why=WHY,
        map=TruthMap("samples", "length"),
        name="breaking",
        more=FOLDED,
        only=(*SHOWN, *FOLDED),
    )
