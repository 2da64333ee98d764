"""Remark 4 and the failure of Theorem 2's third item, live: what does the model say instead?"""

from __future__ import annotations

from book.acquire.demos.multiplicity import CAPTION, FINE_TUNING, LIGHTS, VERDICT, settings
from lib.knowledge.dynamics.multiplicity import DEFAULTS, extraction
from widgets import Live, live
from widgets.panels import Bar, BarChart, Line, Row, TimeChart, Try, View

KINDS = (
    "another token",
    "an answer of fine-tuning",
    "a foreign phrase",
    "its own phrase",
    "the right answer",
)
ANSWERS = TimeChart(
    title="What is answered to questions about unseen facts",
    series=(
        Line("kinds", 4, "right", "query"),
        Line("kinds", 3, "own phrase", "relation"),
        Line("kinds", 1, "an answer of fine-tuning", "second"),
        Line("kinds", 2, "foreign phrase", "confusing", "5 3"),
        Line("kinds", 0, "other", "eos", "2 3"),
    ),
    domain=(0.0, 1.0),
    x="fine-tuning steps",
    since=FINE_TUNING,
)
ENDS = BarChart(
    title="Before fine-tuning, at its best step, at its end",
    labels=KINDS,
    bars=(
        Bar("before", "before", "eos"),
        Bar("kinds_best", "best", "query"),
        Bar("kinds", "end", "second"),
    ),
    domain=(0.0, 1.0),
    x="share of the unseen facts",
)
ALONG = TimeChart(
    title="What the format token says by itself: mean of A along p",
    series=(
        Line("along_format", 0, "phrases", "relation"),
        Line("along_format", 1, "answers of fine-tuning", "second"),
        Line("along_format", 2, "other answers", "query"),
    ),
    x="fine-tuning steps",
    since=FINE_TUNING,
)
CODE = (
    "from lib.knowledge.dynamics.multiplicity import extraction\nfrom lib.solve import run\n\n"
    "print(run(extraction(), {arguments}).report)"
)
TRIES = (
    Try(
        "Fine-tune for 300 steps.",
        {"steps": 300},
        "Right answers first replace phrases, then give way to answers that were drilled.",
    ),
    Try(
        "Fine-tune four facts.",
        {"share": 0.125},
        "With few facts each answer rises fast along p: memorising wins before the phrases are down.",
    ),
    Try(
        "Fine-tune all frequent facts.",
        {"share": 1.0, "steps": 300},
        "Only rare facts are unseen now. Each answer rises slowly, and the right ones last longer.",
    ),
    Try(
        "State each fact once.",
        {"multiplicity": 1},
        "Some phrases are never pushed down: facts stated with them keep answering with their phrase.",
    ),
)


def demo() -> Live:
    """The demo of hallucination."""
    view = View(
        panels=(ANSWERS, ENDS, ALONG),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("right at the best step", "predicted", "best"),
            Row("that step", "", "best_step"),
            Row("right at the end", "", "accuracy"),
            Row("fine-tuned facts", "", "tuned"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        extraction(),
        view,
        name="hallucination",
        more=("rate", "phrases", "seed"),
        **settings({**DEFAULTS, "steps": 120}),
    )
