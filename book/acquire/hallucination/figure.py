"""Remark 4 and the failure of Theorem 2's third item, live: what does a model say when it is wrong?"""

from __future__ import annotations

from book.acquire.charts import CONTROLS, tuning
from book.acquire.extraction import none_tuned, some_extracted, tuning_begun
from book.acquire.hallucination.program import overfitting
from book.acquire.hallucination.statements import hallucination, late_enough, remark_4
from book.acquire.scene import GRAPH, LADDER, SCORE, questions_scene, with_questions
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, Line, Row, StoryCard
from widgets.figure.scenes import Step

ANSWERS = tuning(
    "What is answered to questions about unseen facts",
    Line("kinds", 4, "the answer", "answer"),
    Line("kinds", 3, "its own phrase", "phrase"),
    Line("kinds", 1, "somebody else’s", "drilled"),
    Line("kinds", 2, "another phrase", "foreign", "5 3"),
    Line("kinds", 0, "another word", "other", "2 3"),
)
ENDS = BarChart(
    title="Answers before fine-tuning, at its best step, at its end",
    labels=(
        "another word",
        "somebody else’s",
        "another phrase",
        "its own phrase",
        "the answer",
    ),
    bars=(
        Bar("before", "before", "faint"),
        Bar("kinds_best", "best step", "good"),
        Bar("kinds", "last step", "run"),
    ),
    domain=(0.0, 1.0),
    x="fraction of the unseen facts",
)
ALONG = tuning(
    "What the format token adds to each logit, on average",
    Line("along_format", 0, "phrases", "phrase"),
    Line("along_format", 1, "fine-tuned answers", "drilled"),
    Line("along_format", 2, "other answers", "answer"),
    domain=None,
)
UNCOVERED = (
    "{uncovered:%} of the unseen facts have a phrase that no fine-tuned fact uses, and none of these ever comes "
    "out. "
)
CAPTION = (
    CaptionCase(none_tuned, "No fact is fine-tuned, so nothing changes. Fine-tune a larger share."),
    CaptionCase(
        lambda r, p: ~tuning_begun(r, p),
        "No step of fine-tuning is made: the model takes every question for the beginning of a sentence.",
    ),
    CaptionCase(
        lambda r, p: (r.uncovered > 0) & ~some_extracted(r, p), UNCOVERED + "Nor does any other unseen fact."
    ),
    CaptionCase(lambda r, p: (r.uncovered > 0) & (r.leaked <= 0.5), UNCOVERED + SCORE),
    CaptionCase(
        lambda r, p: ~some_extracted(r, p),
        "Of 48 facts {tuned:n} were fine-tuned, and no unseen one comes out: fine-tuned answers rise before the "
        "phrases are down.",
    ),
    CaptionCase(
        lambda r, p: r.assumed & r.concluded,
        SCORE
        + " By then {drilled:%} of the wrong answers are answers to practised questions: somebody else’s.",
    ),
    CaptionCase(
        lambda r, p: ~late_enough(r, p),
        SCORE + " Remark 4 is about longer runs, of five times as many steps as the best moment took.",
    ),
    CaptionCase(None, SCORE),
)
ROWS = (
    Row(
        "unseen facts right at the best step (predicted: all phrases covered)",
        "predicted",
        "best",
        of="unseen",
    ),
    Row("the best step", "", "best_step"),
    Row("unseen facts right at the last step", "", "accuracy", of="unseen"),
    Row("fine-tuned facts right at the last step", "", "learned", of="tuned"),
    Row("fine-tuned facts", "", "tuned"),
)
STORY = (
    StoryCard(
        "Ask before anyone has practised.",
        {},
        "The model knows her birthplace, yet says “was born in”, as if the sentence went on. What will it say after "
        "much practice?",
        "start",
        (LADDER.title,),
    ),
    StoryCard(
        "Train, and stop at the best moment.",
        {},
        "“Was born in” has sunk below California. Alice is answered correctly, and so are 31 of the other 35 unseen "
        "facts.",
        "best",
        (LADDER.title, GRAPH.title),
    ),
    StoryCard(
        "Go on for too long.",
        {},
        "The answers to the twelve practised questions rise on every question. In the end the model says Lahore, "
        "Noor’s birthplace, of Alice, too.",
        "",
        (LADDER.title, GRAPH.title),
    ),
    StoryCard(
        "Practise on all 32 frequent facts.",
        {"share": 1.0, "steps": 300},
        "This breaks a hypothesis of Remark 4. With so many, each answer rises slowly, and after 300 steps nothing is "
        "lost.",
        "",
        (GRAPH.title,),
    ),
    StoryCard(
        "Practise on four facts only.",
        {"share": 0.125},
        "Each of the four rises so fast that Alice goes straight from her phrase to somebody else’s birthplace. Play "
        "it.",
        "",
        (LADDER.title,),
    ),
    StoryCard(
        "Practise too little for ten phrases.",
        {"multiplicity": 1, "phrases": 10, "share": 0.15625},
        "Five practised facts light four lamps of ten. Alice’s stays dark, so California never comes out, as Theorem 2 "
        "predicts.",
        "",
        (GRAPH.title, LADDER.title),
    ),
)
WHY = (
    Step("compete", ALONG),
    Step("phrases", LADDER, "best"),
    Step("drilled", LADDER),
    Step("window", ANSWERS),
    Step(
        "ends",
        ENDS._replace(
            labels=("other word", "somebody’s", "other phrase", "own phrase", "right"), x="fraction"
        ),
    ),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """What a model says that was fine-tuned on too little, or for too long."""
    return live(
        with_questions(overfitting()),
        remark_4,
        hallucination,
        scene=questions_scene(),
        panels=(ANSWERS, ENDS, ALONG),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        name="hallucination",
        more=("rate", "phrases", "seed"),
        only=CONTROLS,
        **controls.opens(overfitting(), multiplicity=4, share=0.375),
    )
