"""Theorem 3.3's attention, live: what it learns, and the same training with attention frozen."""

from __future__ import annotations

from book.recognise.attention.program import (
    attention_burdens,
    attention_carries,
    growth_is_resolved,
    least_margin,
)
from book.recognise.attention.scene import LOOKS, MARGINS, SCENE, with_scene
from book.recognise.attention.statements import attention_share, theorem_3_3_attention
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, HeatMap, Row, StoryCard, TruthMap
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
CAPTION = (
    CaptionCase(
        lambda r, p: ~(least_margin(r) > 0),
        "At this time a sentence is still wrong, in one of the two runs or in both.",
    ),
    CaptionCase(
        lambda r, p: ~growth_is_resolved(r, p),
        "The network is so wide that the growth of its attention is lost in rounding. The hardest sentence has a "
        "margin of {least_learned}.",
    ),
    CaptionCase(
        attention_carries,
        "Made uniform, attention would take {share:%} of the margin with it. But frozen from the start, training "
        "comes to {least_frozen}, where it came to {least_learned}.",
    ),
    CaptionCase(
        attention_burdens,
        "Attention hurts here: made uniform in the end, it would leave a margin of {least_uniform} instead of "
        "{least_learned}.",
    ),
    CaptionCase(
        None,
        "Attention does next to nothing for the margin: with it training comes to {least_learned}, and frozen from the "
        "start to {least_frozen}.",
    ),
)
FOLDED = ("length", "sigma_1", "neurons", "random")
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
STORY = (
    StoryCard(
        "Train to the end of Phase 1.",
        {},
        "Every kind of sentence is right by now. Bob has begun to look at banana a little more, and at “the” a little "
        "less. Where will this lead?",
        "end of Phase 1",
        (LOOKS.title,),
    ),
    StoryCard(
        "Let attention learn.",
        {},
        "Bob now gives banana 23 %, where 17 % would be even. The margin has grown all the while: is that the work of "
        "attention?",
        "learned",
    ),
    StoryCard(
        "Compare with attention frozen.",
        {},
        "The dotted curve is a new run in which attention never learns. It comes nearly as far: all that attention "
        "adds is the small gap at the end, 0.3 of 12.",
        "frozen",
        (MARGINS.title,),
    ),
    StoryCard(
        "Start as in the paper.",
        {"sigma_0": 1.0, "layer": 1.0},
        "Every arc stays at 17 %: attention never moves, and the three curves are one.",
        "frozen",
    ),
    StoryCard(
        "Start as PyTorch’s linear layers would.",
        {"layer": 0.06, "sigma_0": 4.5},
        "Attention hardly moves here either, and the three curves lie on each other.",
        "frozen",
    ),
    StoryCard(
        "Make the network very narrow.",
        {"width": 32.0},
        "Its attention is uneven. Made uniform, it takes most of the margin with it; never learned, it costs less than "
        "a tenth.",
        "frozen",
        (MARGINS.title,),
    ),
)
WHY = (
    Step("looks", LOOKS),
    Step("turn", ATTENTION),
    Step("scores", SCORES),
    Step("matters", MARGINS),
    Step("frozen", TYPES),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Attention learned beside attention frozen."""
    return live(
        with_scene(),
        theorem_3_3_attention,
        attention_share,
        scene=SCENE,
        panels=(ATTENTION, MARGINS, SCORES, TYPES),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        map=TruthMap("layer", "sigma_0"),
        name="attention",
        more=FOLDED,
        only=("end", "width", "layer", "sigma_0", "samples", "seed", *FOLDED),
    )
