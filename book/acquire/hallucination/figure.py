"""Remark 4 and the failure of Theorem 2's third item, live: what does the model say instead?"""

from __future__ import annotations

from book.acquire.charts import CONTROLS, tuning
from book.acquire.extraction import none_tuned, some_extracted, tuning_begun
from book.acquire.hallucination.program import overfitting
from book.acquire.hallucination.statements import hallucination, late_enough, remark_4
from book.acquire.scene import questions_scene, with_questions
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, Line, Row, StoryCard

ANSWERS = tuning(
    "What is answered to questions about unseen facts",
    Line("kinds", 4, "right", "answer"),
    Line("kinds", 3, "own phrase", "phrase"),
    Line("kinds", 1, "an answer of fine-tuning", "drilled"),
    Line("kinds", 2, "foreign phrase", "foreign", "5 3"),
    Line("kinds", 0, "other", "other", "2 3"),
)
ENDS = BarChart(
    title="Before fine-tuning, at its best step, at its end",
    labels=(
        "another token",
        "an answer of fine-tuning",
        "a foreign phrase",
        "its own phrase",
        "the correct answer",
    ),
    bars=(
        Bar("before", "before", "faint"),
        Bar("kinds_best", "best", "good"),
        Bar("kinds", "end", "run"),
    ),
    domain=(0.0, 1.0),
    x="share of the unseen facts",
)
ALONG = tuning(
    "What the format token says by itself: mean of A along p",
    Line("along_format", 0, "phrases", "phrase"),
    Line("along_format", 1, "answers of fine-tuning", "drilled"),
    Line("along_format", 2, "other answers", "answer"),
    domain=None,
)
CURVE = (
    "{tuned:n} of 48 facts were fine-tuned. At step {best_step:n}, {best:%} of the unseen ones are correct, and "
    "{accuracy:%} at the end."
)
CAPTION = (
    CaptionCase(none_tuned, "No fact is fine-tuned, so nothing happens: the share rounds to 0 facts."),
    CaptionCase(
        lambda r, p: ~tuning_begun(r, p),
        "No step of fine-tuning is made: every question is heard as the beginning of a sentence.",
    ),
    CaptionCase(
        lambda r, p: (r.uncovered > 0) & ~some_extracted(r, p),
        "{uncovered:%} of the unseen facts have a phrase that no fine-tuned fact has, and none of these ever comes "
        "out. Nor does any other unseen fact.",
    ),
    CaptionCase(
        lambda r, p: (r.uncovered > 0) & (r.leaked <= 0.5),
        "{uncovered:%} of the unseen facts have a phrase that no fine-tuned fact has, and none of these ever comes "
        "out. Of all unseen facts {best:%} are correct at step {best_step:n}, and {accuracy:%} at the end.",
    ),
    CaptionCase(
        lambda r, p: ~some_extracted(r, p),
        "{tuned:n} of 48 facts were fine-tuned, and no unseen one comes out: their answers rise before the phrases "
        "are down.",
    ),
    CaptionCase(
        lambda r, p: r.assumed_2 & r.concluded_2,
        CURVE + " By then {drilled:%} of the errors are answers of fine-tuned facts.",
    ),
    CaptionCase(
        lambda r, p: ~late_enough(r, p), CURVE + " Remark 4 speaks of five times the best step and more."
    ),
    CaptionCase(None, CURVE),
)
ROWS = (
    Row("unseen facts correct at the best step, by covering", "predicted", "best", of="unseen"),
    Row("that step", "", "best_step"),
    Row("unseen facts correct at the end", "", "accuracy", of="unseen"),
    Row("fine-tuned facts correct at the end", "", "learned", of="tuned"),
    Row("fine-tuned facts", "", "tuned"),
)
STORY = (
    StoryCard(
        "Fine-tune for 300 steps.",
        {"steps": 300},
        "Right answers first replace phrases, then give way to answers that were drilled.",
    ),
    StoryCard(
        "Fine-tune twelve facts.",
        {"share": 0.375},
        "All that Remark 4 assumes holds now, and what it says, too: by the end all that came out is lost.",
    ),
    StoryCard(
        "Fine-tune four facts.",
        {"share": 0.125},
        "With few facts each answer rises fast along p: memorising wins before the phrases are down.",
    ),
    StoryCard(
        "Fine-tune all frequent facts.",
        {"share": 1.0, "steps": 300},
        "Only rare facts are unseen now. Each answer rises slowly, and the correct ones last longer.",
    ),
    StoryCard(
        "State each fact once.",
        {"multiplicity": 1},
        "Some phrases are never pushed down: facts stated with them keep answering with their phrase.",
    ),
)


@live_figure
def figure() -> Live:
    """What a model says that was fine-tuned on too little, or for too long."""
    return live(
        with_questions(overfitting()),
        hallucination,
        remark_4,
        scene=questions_scene(),
        panels=(ANSWERS, ENDS, ALONG),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="hallucination",
        more=("rate", "phrases", "seed"),
        only=CONTROLS,
    )
