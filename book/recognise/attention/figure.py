"""Theorem 3.3's attention, live: what it learns, and the same training with attention frozen."""

from __future__ import annotations

from book.recognise.attention.program import (
    attention_burdens,
    attention_carries,
    growth_is_resolved,
    learned_and_frozen,
    least_margin,
)
from book.recognise.attention.scene import LOOKS, MARGINS, SCENE, TURNS, with_scene
from book.recognise.attention.statements import attention_share, theorem_3_3_attention
from widgets import Live, live, live_figure
from widgets.figure import controls
from widgets.figure.panels import Bar, BarChart, Cases, HeatMap, Row, TruthMap
from widgets.figure.scenes import Step

WORDS = ("Bob", "banana", "the", "other")
ATTENTION = HeatMap(
    title="How much each word is looked at (1: as much as any)",
    field="attention",
    rows=WORDS,
    columns=WORDS,
    x="who looks",
    y="at whom",
    domain=(0.0, 2.0),
    numbers=True,
)
SCORES = BarChart(
    title="How much attention scores have grown, in a small unit",
    labels=tuple(f"{key} ← {query}" for key in WORDS[:3] for query in WORDS[:3]),
    bars=(Bar("grown", "measured", "measured"), Bar("goal", "theory, from N₀ = 10 on", "predicted")),
    x="growth, looked at ← who looks",
)
TYPES = BarChart(
    title="Margin of each kind of sentence at the end",
    labels=("both", "only Bob", "only banana", "neither"),
    bars=(Bar("margins_learned", "learned", "learned"), Bar("margins_frozen", "frozen", "frozen")),
    x="margin",
)
CAPTION: Cases = {
    "not positive margin": lambda r, p: ~(least_margin(r) > 0),
    "not growth resolved": lambda r, p: ~growth_is_resolved(r, p),
    "carries": attention_carries,
    "burdens": attention_burdens,
    "otherwise": None,
}
NUMBERS = {"apart": lambda r, p: (1 - r.least_frozen / r.least_learned).abs()}
"""For the page's words: how much of the least margin learning attention changes."""
FOLDED = ("end", "length", "sigma_1", "neurons", "random", "seed")
ROWS = (
    Row("κ/(mLN₀): what a score of one unit does", "", "effect"),
    Row("N₀", "", "start"),
    Row("the separator lies in the cone", "", "lasting", ("no", "yes")),
    Row("least margin, attention learned", "", "least_learned"),
    Row("the same, its attention made uniform", "", "least_uniform"),
    Row("least margin, attention frozen", "", "least_frozen"),
    Row("loss, attention learned", "", "loss_learned"),
    Row("loss, attention frozen", "", "loss_frozen"),
)
WHY = (
    Step("looks", LOOKS, "start"),
    Step("turn", TURNS._replace(x="% over an even share")),
    Step("scores", SCORES),
    Step("matters", MARGINS),
    Step("frozen", TYPES),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Attention learned beside attention frozen, from the mean start of the paper's theory."""
    return live(
        with_scene(),
        theorem_3_3_attention,
        attention_share,
        scene=SCENE,
        panels=(ATTENTION, MARGINS, SCORES, TYPES),
        caption=CAPTION,
        numbers=NUMBERS,
        rows=ROWS,
        why=WHY,
        map=TruthMap("layer", "sigma_0"),
        **controls.opens(learned_and_frozen(), layer=1.0, sigma_0=1.0, random=0),
        end=controls.linear(4, 0, 4, 0.1, "moment shown, log₁₀ τ"),
        name="attention",
        more=FOLDED,
        only=("layer", "sigma_0", "width", "samples", *FOLDED),
    )
