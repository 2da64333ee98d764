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
        "Make attention uniform after training, and {share:%} of the margin is lost. But a network in which it never "
        "learned has a margin of {least_frozen}, against {least_learned}.",
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
EXAGGERATED = {"layer": 0.02, "sigma_0": 10.0}
"""A start at which attention is made to matter, far outside Condition 1."""
STORY = (
    StoryCard(
        "Train to the end of Phase 1.",
        {},
        "Every kind of sentence is right by now, and attention has hardly moved: the bars have only begun to grow. "
        "Which of them will become the longest?",
        "Phase 1",
        (TURNS.title,),
    ),
    StoryCard(
        "Let attention learn.",
        {},
        "Bob and banana look at each other more, and at “the” less, just as the theorem says. But mind the axis: the "
        "longest bar is five parts in 100,000. Can so little matter?",
        "learned",
        (TURNS.title,),
    ),
    StoryCard(
        "Now train without attention.",
        {},
        "In a second run attention never learns. Its curve lies on the first: under the paper’s assumptions training "
        "gets just as far without it.",
        "never learned",
        (MARGINS.title,),
    ),
    StoryCard(
        "Exaggerate the start.",
        EXAGGERATED,
        "With a weak output layer and strong keys the bars grow ten thousand times as long, if less than the "
        "theorem’s formula says: Bob looks at banana 60 % more. Yet never learned, attention costs only 0.3 of a "
        "margin of 12.",
        "never learned",
        (TURNS.title, MARGINS.title),
    ),
    StoryCard(
        "And make the network very narrow.",
        {**EXAGGERATED, "width": 32.0},
        "Now Bob looks at little else than banana. Made uniform after training, attention takes more than half of the "
        "margin with it; never learned, it costs less than a tenth. The other weights do its work.",
        "never learned",
        (TURNS.title, MARGINS.title),
    ),
)
WHY = (
    Step("looks", LOOKS, "start"),
    Step("turn", TURNS._replace(x="parts in 100,000")),
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
        rows=ROWS,
        story=STORY,
        why=WHY,
        map=TruthMap("layer", "sigma_0"),
        **controls.opens(learned_and_frozen(), layer=1.0, sigma_0=1.0, random=0),
        end=controls.linear(4, 0, 4, 0.1, "moment shown, log₁₀ τ"),
        name="attention",
        more=FOLDED,
        only=("layer", "sigma_0", "width", "samples", *FOLDED),
    )
