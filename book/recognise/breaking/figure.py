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
)
SHOWN = ("positive", "single", "samples", "length", "width", "neurons", "sigma_0", "sigma_1", "seed")
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
        "When Phase 1 ends, all five claims of Theorem 3.1 are true: each stands right of the line. Now break one "
        "assumption at a time. Which claim falls first?",
        "Phase 1 ends",
    ),
    StoryCard(
        "Take 30 sentences of ten words.",
        {"samples": 30, "length": 10},
        "Too few for their length: to the end “the” cannot outvote banana, so it never comes true that only both "
        "together say yes.",
        "end",
    ),
    StoryCard(
        "Take 60 sentences of ten words.",
        {"samples": 60, "length": 10},
        "Fewer than the paper asks for, and yet both theorems come out.",
        "end",
    ),
    StoryCard(
        "Start the neurons ten times smaller.",
        {"sigma_1": 0.1},
        "Now values and neurons have to grow first, and then all happens at once: as Phase 1 ends, the loss has gone.",
        "Phase 1 ends",
    ),
    StoryCard(
        "Let only one sentence in ten hold both words.",
        {"positive": 0.1},
        "“The” falls at once, and sentences with both words have to wait: they are still wrong when Phase 1 ends.",
        "Phase 1 ends",
    ),
    StoryCard(
        "Use 10,000 neurons on a width of 64.",
        {"neurons": 1e4, "width": 64.0},
        "The network is too narrow for its neurons: they do not keep still, and as Phase 1 ends, the loss has gone.",
        "Phase 1 ends",
    ),
    StoryCard(
        "Let Phase 1 last too long.",
        {"constant": 200.0},
        "No assumption fails, but the theorems only promise that some end of Phase 1 is right. This one comes too "
        "late: the loss has gone, and values and neurons have moved.",
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
