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
    title="Attention times L, a sample with both targets",
    field="attention",
    rows=WORDS,
    columns=WORDS,
    x="query",
    y="key",
    domain=(0.0, 2.0),
    numbers=True,
)
SCORES = BarChart(
    title="Growth of scores, in κ/(√m L N₀)",
    labels=tuple(f"{key} ← {query}" for key in WORDS[:3] for query in WORDS[:3]),
    bars=(Bar("grown", "measured", "measured"), Bar("goal", "Γ log² τ, for large N₀", "predicted")),
    x="C, key ← query",
)
TYPES = BarChart(
    title="Margin of each type at the end",
    labels=("both", "only Bob", "only banana", "neither"),
    bars=(Bar("margins_learned", "learned", "learned"), Bar("margins_frozen", "frozen", "frozen")),
    x="y F",
)
CAPTION = (
    CaptionCase(
        lambda r, p: ~(least_margin(r) > 0),
        "At this time a sample is still wrong: the least margin is {least_learned} with attention learned, and "
        "{least_frozen} with attention frozen.",
    ),
    CaptionCase(
        lambda r, p: ~growth_is_resolved(r, p),
        "The network is so wide that the growth of a random score is lost in rounding. The least margin is "
        "{least_learned}; made uniform, attention leaves {least_uniform} of it.",
    ),
    CaptionCase(
        attention_carries,
        "Bob looks at banana with {turned:%} of its attention, where {alike:%} would be uniform. Attention carries "
        "{share:%} of the least margin, {least_learned}: made uniform, {least_uniform} are left. "
        "Had it been frozen from the start, training would have come to {least_frozen}.",
    ),
    CaptionCase(
        attention_burdens,
        "Attention is a burden to the least margin, {least_learned}: made uniform, it would be {least_uniform}. "
        "Frozen from the start, training comes to {least_frozen}.",
    ),
    CaptionCase(
        None,
        "Attention carries next to nothing of the least margin, {least_learned}: made uniform, it is {least_uniform}. "
        "Frozen from the start, training comes to {least_frozen}.",
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
        "Here the network has learned to classify, and attention has hardly begun to move. Which word will Bob look at "
        "in the end?",
        "end of Phase 1",
        (LOOKS.title,),
    ),
    StoryCard(
        "Let attention learn.",
        {},
        "Bob now looks at banana more than before. The margin has grown all the while: is that the work of attention?",
        "learned",
    ),
    StoryCard(
        "Compare with attention frozen.",
        {},
        "The dotted curve is the same training with attention kept as it was at the start. The gap between the two "
        "curves is what attention is worth.",
        "frozen",
        (MARGINS.title,),
    ),
    StoryCard(
        "Set σ₀ to 1 and |a| to 1, as in the paper.",
        {"sigma_0": 1.0, "layer": 1.0},
        "The heat map is blank: attention is uniform to three digits, and stays so. The three curves are one.",
    ),
    StoryCard(
        "Let |a| be 0.06 and σ₀ be 4.5, as PyTorch's linear layers would.",
        {"layer": 0.06, "sigma_0": 4.5},
        "Attention moves by a few hundredths. Its part in the margin is small, its effect smaller still.",
    ),
    StoryCard(
        "Set the width to 32.",
        {"width": 32.0},
        (
            "Attention is all but hard now. Taking it away ruins the network; never having had it costs less than a "
            "tenth."
        ),
    ),
    StoryCard(
        "Stop at τ = 50.",
        {"end": 1.7},
        "Phase 1 is just over, and attention has hardly begun.",
    ),
    StoryCard(
        "Start at the mean, m = 10⁶, |a| = 1, and run to 10⁸.",
        {"random": 0, "width": 1e6, "layer": 1.0, "sigma_0": 1.0, "end": 8.0},
        "Scores in their own unit come close to the closed form, though attention itself does not move.",
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
