"""One slider for each hypothesis of Theorems 3.1 and 3.2: move it until something breaks."""

from __future__ import annotations

from book.recognise.breaking.scene import SCENE, with_claims
from book.recognise.breaking.statements import condition_1
from book.recognise.charts import CAPTION, LOSSES, OUTPUTS, SINCE
from book.recognise.two_phases import two_phases
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, Row, StoryCard, TruthMap
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
    Row("−G(μ₃) over the larger target's at the end", "limit", "ratio"),
)
STORY = (
    StoryCard(
        "All assumptions hold.",
        {},
        "As Phase 1 ends, all five claims of Theorem 3.1 are true: each stands right of the line, the farther the "
        "safer. Now break one assumption at a time. Which claim falls first?",
        "Phase 1 ends",
    ),
    StoryCard(
        "Too few sentences: only 15.",
        {"samples": 15},
        "The paper asks for 36, the square of their length, or a multiple. With 15 other words tell them apart. “The” "
        "stays too weak, and it never comes true that Bob and banana say yes only together.",
        "end",
    ),
    StoryCard(
        "Still too few: 30.",
        {"samples": 30},
        "Again fewer than 36, so the assumption is broken. Yet from this random start every claim comes true. From "
        "other starts one may fail or come too late: try another seed.",
        "end",
    ),
    StoryCard(
        "Neurons that start ten times too small.",
        {"sigma_1": 0.1},
        "This breaks the assumption on the size of the start. Values and neurons have to grow first, and then all "
        "happens at once: as Phase 1 ends, the loss has gone.",
        "Phase 1 ends",
    ),
    StoryCard(
        "Only one sentence in ten holds both words.",
        {"positive": 0.1},
        "The assumption is one in two. Now “the” falls at once, and sentences with both words have to wait: they are "
        "still wrong as Phase 1 ends.",
        "Phase 1 ends",
    ),
)
WHY = (
    Step("labels", OUTPUTS),
    Step("samples", AT_1),
    Step("start", LOSSES),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Both theorems, and a slider for each hypothesis."""
    return live(
        with_claims(two_phases()),
        condition_1,
        scene=SCENE,
        panels=(SINCE, LOSSES, OUTPUTS, AT_1),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        map=TruthMap("samples", "length"),
        name="breaking",
        more=FOLDED,
        only=(*SHOWN, *FOLDED),
    )
