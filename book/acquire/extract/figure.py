"""Theorem 2, live: accuracy on unseen facts while fine-tuning, by multiplicity, phrases and fine-tuning share."""

from __future__ import annotations

from book.acquire.charts import ACCURACY, CONTROLS
from book.acquire.extract.statements import theorem_2
from book.acquire.extraction import (
    covered_often,
    extraction,
    none_tuned,
    some_extracted,
    tuning_begun,
)
from book.acquire.scene import questions_scene, with_questions
from lib.acquire.course import MOST_PHRASES
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, Row, StoryCard

COVERAGE = BarChart(
    title="Fine-tuned facts stated with each phrase",
    labels=tuple(f"phrase {i + 1}" for i in range(MOST_PHRASES)),
    bars=(Bar("coverage", "", "phrase"),),
    x="facts",
)
TUNED = "{tuned:n} of 48 facts were fine-tuned"
AT_BEST = "At best, at step {best_step:n}, {best:%} of the unseen ones are answered correctly, although all are stored."
CAPTION = (
    CaptionCase(none_tuned, "No fact is fine-tuned, so nothing happens: the share rounds to 0 facts."),
    CaptionCase(
        lambda r, p: ~tuning_begun(r, p),
        "No step of fine-tuning is made. A question is answered as the sentence would go on: {accuracy:%} of the "
        "unseen facts are correct.",
    ),
    CaptionCase(
        lambda r, p: ~some_extracted(r, p), TUNED + ", and no unseen one comes out, although all are stored."
    ),
    CaptionCase(
        lambda r, p: r.undecided,
        TUNED + ". So far {best:%} of the unseen facts come out: allow more steps, until η̃t is 80.",
    ),
    CaptionCase(
        lambda r, p: r.concluded & (r.judged_good > 0.5),
        TUNED
        + ". Of the unseen ones {then:%} are answered correctly when η̃t is 80, and {accuracy:%} at the end.",
    ),
    CaptionCase(
        lambda r, p: r.concluded,
        TUNED + ". When η̃t is 80, {then:%} of the unseen ones are answered correctly. More steps undo it: "
        "{accuracy:%} at the end.",
    ),
    CaptionCase(
        lambda r, p: ~covered_often(r, p), TUNED + ", where Lemma 6 asks for {asked_for:n}. " + AT_BEST
    ),
    CaptionCase(
        lambda r, p: r.tuned < 3 * p.phrases, TUNED + ", fewer than three times the phrases. " + AT_BEST
    ),
    CaptionCase(
        None, TUNED + ". When η̃t is 80, {then:%} of the unseen ones are answered correctly. " + AT_BEST
    ),
)
ROWS = (
    Row("unseen facts at the best step, by covering", "predicted", "best", of="unseen"),
    Row("… the frequent ones", "predicted_frequent", "best_frequent", of="unseen_frequent"),
    Row("… the rare ones", "predicted_rare", "best_rare", of="unseen_rare"),
    Row("unseen facts when η̃t is 80", "", "then", of="unseen"),
    Row("unseen facts at the end", "", "accuracy", of="unseen"),
    Row("fine-tuned facts: asked for by Lemma 6", "asked_for", "tuned"),
    Row("phrases covered", "expected", "covered"),
    Row("pre-training loss minus its entropy", "", "excess"),
)
STORY = (
    StoryCard(
        "Satisfy the theorem.",
        {"phrases": 7, "multiplicity": 6, "share": 0.875},
        "With seven phrases and six statements of each fact, 28 fine-tuned facts are enough: almost all others come "
        "out.",
    ),
    StoryCard(
        "State each fact only once.",
        {"multiplicity": 1},
        "A fine-tuned fact covers one phrase instead of three. Unseen facts come out late, or never.",
    ),
    StoryCard(
        "State each fact six times.",
        {"multiplicity": 6},
        "All unseen facts come out within a few steps, rare ones too.",
    ),
    StoryCard(
        "Use ten phrases.",
        {"phrases": 10},
        "The same facts must cover more phrases: accuracy falls (Theorem 2, and the paper's Figure 2 b).",
    ),
    StoryCard(
        "Fine-tune only four facts.",
        {"share": 0.125},
        "Their answers rise along the format token faster than the phrases fall.",
    ),
    StoryCard(
        "Fine-tune for 300 steps.",
        {"steps": 300},
        "What came out goes away again: Remark 4.",
    ),
)


@live_figure
def figure() -> Live:
    """Which unseen facts come out, and whether Theorem 2 says so."""
    return live(
        with_questions(extraction()),
        theorem_2,
        scene=questions_scene(),
        panels=(ACCURACY, COVERAGE),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="multiplicity",
        more=("rate",),
        only=CONTROLS,
    )
