"""Relation covering, live: phrases that fine-tuned facts light."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.charts import ACCURACY
from book.acquire.covering.program import Covered, covering
from book.acquire.covering.statements import relation_covering
from book.acquire.extraction import none_tuned, tuning_begun
from book.acquire.scene import GRAPH, LADDER, SCORE, questions_scene, with_questions
from lib.acquire.course import MOST_PHRASES, TUNED
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import CaptionCase, Curve, CurveChart, Pick, Points, Row, StoryCard, TruthMap
from widgets.figure.scenes import Step


def reaches(_r: Any, _p: Any) -> Tensor:
    """The values of q, from none of the phrases to all."""
    return torch.arange(MOST_PHRASES + 1, dtype=torch.float64)


REACHES = CurveChart(
    title="Unseen facts answered correctly at the best step",
    x="phrases to cover, q",
    x_domain=(0, MOST_PHRASES),
    y="fraction of the unseen facts",
    domain=(0.0, 1.0),
    series=(Curve(reaches, "predicted_at", "facts whose phrases are all lit", "predicted", "5 3"),),
    points=(
        Points(lambda r, p: p.reach.reshape(1), lambda r, p: r.accuracy.reshape(1), "this run", "measured"),
    ),
    pick=Pick(x="reach"),
)


def just_the_covered(r: Covered, _p: Any) -> Tensor:
    """The facts that came out are just those all of whose phrases are covered."""
    return (r.accuracy >= r.predicted - 1e-9) & (r.leaked < 0.5)


CAPTION = (
    CaptionCase(
        none_tuned,
        "No fact is fine-tuned, so no phrase is lit. Cover more phrases, or tap a fact and fine-tune it.",
    ),
    CaptionCase(
        lambda r, p: ~tuning_begun(r, p),
        "Lit phrases: {covered:n}. But no step of fine-tuning is made, so questions get the answers that pre-training "
        "left.",
    ),
    CaptionCase(
        lambda r, p: r.accuracy <= 0,
        "Lit phrases: {covered:n}. All the phrases of {reachable:n} of {unseen:n} unseen facts are lit, yet none of "
        "these facts comes out.",
    ),
    CaptionCase(
        lambda r, p: r.undecided,
        "Unseen facts answered correctly: {right_end:n} of {unseen:n} at the last step, the best so far. More steps "
        "may unlock more.",
    ),
    CaptionCase(
        lambda r, p: just_the_covered(r, p) & (r.covered >= p.phrases),
        SCORE + " Lit phrases: {covered:n}, which are all there are.",
    ),
    CaptionCase(
        just_the_covered, SCORE + " The best moment has every fact whose phrases are all lit, and no other."
    ),
    CaptionCase(
        None,
        SCORE + " All the phrases of {reachable:n} are lit: to be lit is not enough.",
    ),
)
ROWS = (
    Row("unseen facts answered correctly at the best step", "predicted", "accuracy", of="unseen"),
    Row("… the frequent ones", "predicted_frequent", "frequent", of="unseen_frequent"),
    Row("… the rare ones", "predicted_rare", "rare", of="unseen_rare"),
    Row("the best step", "", "best_step"),
)
STORY = (
    StoryCard(
        "Ask before anyone has practised.",
        {},
        "The model has read where Alice was born, yet answers “was born in”. That phrase is a lamp: it is lit if a "
        "practised fact uses it. What will that do?",
        "start",
        (LADDER.title,),
    ),
    StoryCard(
        "Train, and watch her phrase sink.",
        {},
        "Questions about others light every phrase that they use, and push it down. “Was born in” falls below "
        "California, which is said.",
        "best",
        (LADDER.title,),
    ),
    StoryCard(
        "Follow a thread to its lamp.",
        {},
        "Alice’s lamp is lit by the practised facts whose threads lead to it. All eight lamps are lit, and all 16 "
        "unseen facts have come out.",
        "",
        (GRAPH.title,),
    ),
    StoryCard(
        "Leave two lamps dark.",
        {"reach": 6},
        "Alice hangs on a dark one, and goes on to say “was born in”. Of 30 unseen facts 12 come out: those whose "
        "lamps are all lit.",
        "best",
        (GRAPH.title, LADDER.title),
    ),
    StoryCard(
        "State each fact with three phrases.",
        {"multiplicity": 3, "reach": 6},
        "A frequent fact now waits for three lamps, a rare one still for one. All lamps of 12 facts are lit, and 11 "
        "come out.",
        "best",
        (GRAPH.title,),
    ),
    StoryCard(
        "State each fact only once.",
        {"multiplicity": 1, "reach": 6},
        "This breaks a hypothesis. The lamps of 12 unseen facts are lit, and only 9 come out: a lamp lit by few facts "
        "is not enough.",
        "best",
        (GRAPH.title,),
    ),
)
WHY = (
    Step("lamps", GRAPH, "end"),
    Step("dark", LADDER, "start"),
    Step("answer", LADDER, "best"),
    Step("reach", REACHES),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """The facts that come out, against those all of whose phrases are lit."""
    return live(
        with_questions(covering()),
        relation_covering,
        scene=questions_scene("turned"),
        panels=(REACHES, ACCURACY),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        map=TruthMap("reach", "multiplicity"),
        name="covering",
        more=("turned", "rate", "steps"),
        only=("reach", "turned", *TUNED),
        **controls.opens(covering(), reach=MOST_PHRASES - 2),
    )
