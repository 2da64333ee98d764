"""Theorem 2, live: accuracy on unseen facts while fine-tuning, by multiplicity, phrases and fine-tuning share."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.charts import ACCURACY, CONTROLS
from book.acquire.extract.statements import theorem_2
from book.acquire.extraction import (
    covered_often,
    extraction,
    none_tuned,
    some_extracted,
    tuning_begun,
)
from book.acquire.scene import LADDER, RARE, questions_scene, with_questions
from lib.acquire.course import MOST_PHRASES
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Bar, BarChart, Cases, Row, TruthMap
from widgets.figure.scenes import Step


def enough(r: Any, p: Any) -> Tensor:
    """(3,) facts that are practised, and how many must be: so that phrases are, often, and that answers rise slowly."""
    return torch.stack([r.tuned, r.needed, 3 * p.phrases])


ENOUGH = BarChart(
    title="How many must be practised?",
    labels=("practised", "for phrases", "for answers"),
    bars=(Bar(enough, "", "run"),),
    x="facts: the first must lead",
    colours=("drilled", "phrase", "rough"),
)
COVERAGE = BarChart(
    title="How many fine-tuned facts use each phrase",
    labels=tuple(f"phrase {i + 1}" for i in range(MOST_PHRASES)),
    bars=(Bar("coverage", "", "phrase"),),
    x="fine-tuned facts",
)
CAPTION: Cases = {
    "no facts tuned": none_tuned,
    "tuning not begun": lambda r, p: ~tuning_begun(r, p),
    "none extracted": lambda r, p: ~some_extracted(r, p),
    "too early to tell": lambda r, p: r.undecided,
    "concluded, not good": lambda r, p: r.concluded & ~(r.judged_good > 0.5),
    "not covered often, many asked for": lambda r, p: ~covered_often(r, p) & (r.asked_for > 48),
    "not covered often": lambda r, p: ~covered_often(r, p),
    "few tuned": lambda r, p: r.tuned < 3 * p.phrases,
    "otherwise": None,
}
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
        scene=questions_scene(beside=ENOUGH)._replace(predict=RARE),
        panels=(ACCURACY, COVERAGE),
        caption=CAPTION,
        rows=ROWS,
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
        map=TruthMap("multiplicity", "share"),
        name="multiplicity",
        only=CONTROLS[:3],
        **controls.opens(extraction(), phrases=7, multiplicity=6, share=0.875),
    )
