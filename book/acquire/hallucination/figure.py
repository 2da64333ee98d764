"""Remark 4 and the failure of Theorem 2's third item, live: what does a model say when it is wrong?"""

from __future__ import annotations

from book.acquire.charts import CONTROLS, tuning
from book.acquire.extraction import none_tuned, some_extracted, tuning_begun
from book.acquire.hallucination.program import overfitting
from book.acquire.hallucination.statements import hallucination, late_enough, remark_4
from book.acquire.scene import KINDS, LADDER, questions_scene, with_questions
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Bar, BarChart, Cases, Line, Row
from widgets.figure.scenes import Predict, Step

ANSWERS = tuning(
    "What is answered to questions about unseen facts",
    *(
        Line("kinds", k, KINDS[k].word, KINDS[k].colour, dash)
        for k, dash in ((4, ""), (3, ""), (1, ""), (2, "5 3"), (0, "2 3"))
    ),
)
ENDS = BarChart(
    title="Answers before fine-tuning, at its best step, at its end",
    labels=tuple(word for word, *_ in KINDS),
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
SOMEBODY = Predict(
    "how does the share of unseen questions that get somebody else’s birthplace change, step by step?",
    "kinds",
    "share of unseen questions that get somebody else’s birthplace",
    (0.0, 1.0),
    component=1,
)
CAPTION: Cases = {
    "no facts tuned": none_tuned,
    "tuning not begun": lambda r, p: ~tuning_begun(r, p),
    "some uncovered, none extracted": lambda r, p: (r.uncovered > 0) & ~some_extracted(r, p),
    "some uncovered, few leak": lambda r, p: (r.uncovered > 0) & (r.leaked <= 0.5),
    "none extracted": lambda r, p: ~some_extracted(r, p),
    "assumed, concluded": lambda r, p: r.assumed & r.concluded,
    "not late enough": lambda r, p: ~late_enough(r, p),
    "otherwise": None,
}
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
WHY = (
    Step("compete", ALONG),
    Step("phrases", LADDER, "best"),
    Step("drilled", LADDER),
    Step("window", ANSWERS),
    Step(
        "ends",
        ENDS._replace(labels=tuple(word.removesuffix(" birthplace") for word in ENDS.labels), x="fraction"),
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
        scene=questions_scene()._replace(predict=SOMEBODY),
        panels=(ANSWERS, ENDS, ALONG),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        name="hallucination",
        more=("rate", "phrases", "seed"),
        only=CONTROLS,
        **controls.opens(overfitting(), multiplicity=4, share=0.375),
    )
