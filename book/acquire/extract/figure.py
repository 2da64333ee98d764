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
from book.acquire.scene import GRAPH, LADDER, SCORE, questions_scene, with_questions
from lib.acquire.course import MOST_PHRASES
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, Row, StoryCard, TruthMap
from widgets.figure.scenes import Step

COVERAGE = BarChart(
    title="How many fine-tuned facts use each phrase",
    labels=tuple(f"phrase {i + 1}" for i in range(MOST_PHRASES)),
    bars=(Bar("coverage", "", "phrase"),),
    x="fine-tuned facts",
)
TUNED = "Fine-tuned: {tuned:n} of 48 facts. "
CAPTION = (
    CaptionCase(none_tuned, "No fact is fine-tuned, so nothing changes. Fine-tune a larger share."),
    CaptionCase(
        lambda r, p: ~tuning_begun(r, p),
        "No step of fine-tuning is made. The model takes every question for the beginning of a sentence; "
        "{right_end:n} of {unseen:n} unseen facts are answered correctly.",
    ),
    CaptionCase(
        lambda r, p: ~some_extracted(r, p),
        TUNED + "None of the {unseen:n} unseen facts comes out.",
    ),
    CaptionCase(
        lambda r, p: r.undecided,
        TUNED + SCORE + " More steps are needed before Theorem 2 can be judged.",
    ),
    CaptionCase(
        lambda r, p: r.concluded & ~(r.judged_good > 0.5),
        TUNED
        + "Of the {unseen:n} unseen facts {right_then:n} come out for a while. More steps undo it: {right_end:n} "
        "are answered correctly at the end.",
    ),
    CaptionCase(
        lambda r, p: ~covered_often(r, p) & (r.asked_for > 48),
        TUNED + "Theorem 2 would need more than there are here. " + SCORE,
    ),
    CaptionCase(
        lambda r, p: ~covered_often(r, p), TUNED + "Theorem 2 would need {needed:n} or more. " + SCORE
    ),
    CaptionCase(
        lambda r, p: r.tuned < 3 * p.phrases,
        TUNED + "That is fewer than three for each phrase of the language. " + SCORE,
    ),
    CaptionCase(None, TUNED + SCORE),
)
ROWS = (
    Row(
        "unseen facts right at the best step (predicted: all phrases covered)",
        "predicted",
        "best",
        of="unseen",
    ),
    Row("… the frequent ones", "predicted_frequent", "best_frequent", of="unseen_frequent"),
    Row("… the rare ones", "predicted_rare", "best_rare", of="unseen_rare"),
    Row("unseen facts right at η̃t = 80", "", "then", of="unseen"),
    Row("unseen facts right at the last step", "", "accuracy", of="unseen"),
    Row("fine-tuned facts (as many as Lemma 6 requires, or more)", "asked_for", "tuned"),
    Row("phrases covered (on average over draws)", "expected", "covered"),
    Row("loss after pre-training, above the entropy", "", "excess"),
)
ALICE = (
    StoryCard(
        "Ask before anyone has practised.",
        {},
        "All 48 birthplaces are stored. Yet asked for Alice’s, the model goes on as in a sentence: “was born in”. What "
        "must sink before it says California?",
        "start",
        (LADDER.title,),
    ),
    StoryCard(
        "Train on questions about others.",
        {},
        "Each pushes down the phrases that it uses. “Was born in” sinks below California, though nobody has asked "
        "about Alice.",
        "best",
        (LADDER.title,),
    ),
    StoryCard(
        "Count the others.",
        {},
        "It practised on 28 facts, the squares. All 20 others, the circles, have come out as well.",
        "",
        (GRAPH.title,),
    ),
    StoryCard(
        "Tell each fact in one way only.",
        {"multiplicity": 1},
        "Few questions now push “was born in” down. This is the best moment, and Alice’s California is still below it.",
        "best",
        (LADDER.title, GRAPH.title),
    ),
)
"""On the chapter's first page: one question."""
STORY = (
    StoryCard(
        "Practise on 28 of the 48 facts.",
        {},
        "Each was told in six wordings out of seven. After six steps all 20 unseen facts come out, too: Theorem 2.",
        "best",
        (GRAPH.title,),
    ),
    StoryCard(
        "Go on practising.",
        {},
        "Does it do harm? Not here. At the end all 20 are still answered correctly.",
        "",
        (ACCURACY.title,),
    ),
    StoryCard(
        "Tell each fact in one way only.",
        {"multiplicity": 1},
        "This breaks a hypothesis: each phrase is practised too seldom. At the best moment only 16 of 20 are correct.",
        "best",
        (GRAPH.title,),
    ),
    StoryCard(
        "Practise on four facts only.",
        {"share": 0.125},
        "Another hypothesis breaks. After one step 28 of 44 unseen facts come out. Will they stay?",
        "best",
        (GRAPH.title,),
    ),
    StoryCard(
        "Go on with the four.",
        {"share": 0.125},
        "All are lost again: every question now gets the answer to a practised one, somebody else’s birthplace.",
        "",
        (GRAPH.title, ACCURACY.title),
    ),
)
"""On the theorem's page: how many facts must be practised."""
WHY = (
    Step("before", LADDER, "start"),
    Step("along", LADDER, "best"),
    Step("covered", COVERAGE),
    Step("in-time", ACCURACY),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Which unseen facts come out, and whether Theorem 2 says so."""
    return live(
        with_questions(extraction()),
        theorem_2,
        scene=questions_scene(beside=ACCURACY),
        panels=(COVERAGE,),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        map=TruthMap("multiplicity", "share"),
        name="multiplicity",
        more=("rate",),
        only=CONTROLS,
        **controls.opens(extraction(), phrases=7, multiplicity=6, share=0.875),
    )


@live_figure(page="book/acquire/index")
def first_page() -> Live:
    """The figure of the chapter's first page: Alice's question, three sliders."""
    return live(
        with_questions(extraction()),
        theorem_2,
        scene=questions_scene(),
        panels=(ACCURACY,),
        caption=CAPTION,
        story=ALICE,
        map=TruthMap("multiplicity", "share"),
        name="multiplicity",
        only=CONTROLS[:3],
        **controls.opens(extraction(), phrases=7, multiplicity=6, share=0.875),
    )
