"""Relation covering, live: phrases that fine-tuned facts light."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.charts import ACCURACY
from book.acquire.covering.program import Covered, covering
from book.acquire.covering.statements import relation_covering
from book.acquire.extraction import none_tuned, tuning_begun
from book.acquire.scene import questions_scene, with_questions
from lib.acquire.course import MOST_PHRASES, TUNED
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Curve, CurveChart, Pick, Points, Row, StoryCard


def reaches(_r: Any, _p: Any) -> Tensor:
    """The values of q, from none of the phrases to all."""
    return torch.arange(MOST_PHRASES + 1, dtype=torch.float64)


REACHES = CurveChart(
    title="Unseen facts answered correctly, at the best step",
    x="phrases that fine-tuned facts may use, q",
    x_domain=(0, MOST_PHRASES),
    domain=(0.0, 1.0),
    series=(Curve(reaches, "predicted_at", "all phrases covered", "predicted", "5 3"),),
    points=(
        Points(lambda r, p: p.reach.reshape(1), lambda r, p: r.accuracy.reshape(1), "measured", "measured"),
    ),
    pick=Pick(x="reach"),
)


def just_the_covered(r: Covered, _p: Any) -> Tensor:
    """The facts that came out are just those all of whose phrases are covered."""
    return (r.accuracy >= r.predicted - 1e-9) & (r.leaked < 0.5)


LAMPS_LIT = "{tuned:n} facts light {covered:n} phrases"
LIT = LAMPS_LIT + ". {predicted:%} of the unseen facts have only lit phrases"
CAPTION = (
    CaptionCase(none_tuned, "No fact is fine-tuned, and no phrase is lit. Raise q, or click a fact."),
    CaptionCase(lambda r, p: ~tuning_begun(r, p), LAMPS_LIT + ", but no step of fine-tuning is made."),
    CaptionCase(
        lambda r, p: r.undecided,
        LIT + ". {accuracy:%} are answered correctly at the last step, the best so far: allow more steps.",
    ),
    CaptionCase(
        lambda r, p: just_the_covered(r, p) & (r.covered >= p.phrases),
        LAMPS_LIT + ", which are all there are, and {accuracy:%} of the unseen facts are answered correctly.",
    ),
    CaptionCase(just_the_covered, LIT + ", and just these are answered correctly."),
    CaptionCase(None, LIT + ", but at best {accuracy:%} are answered correctly: to be lit is not enough."),
)
ROWS = (
    Row("unseen facts answered correctly", "predicted", "accuracy", of="unseen"),
    Row("… the frequent ones", "predicted_frequent", "frequent", of="unseen_frequent"),
    Row("… the rare ones", "predicted_rare", "rare", of="unseen_rare"),
    Row("best step", "", "best_step"),
)
STORY = (
    StoryCard(
        "Cover six of eight phrases.", {"reach": 6}, "The facts behind the two dark ones stay inaccessible."
    ),
    StoryCard("Cover all of them.", {"reach": 8}, "Everything comes out, rare facts too."),
    StoryCard(
        "State each fact three times.",
        {"multiplicity": 3, "reach": 6},
        "A frequent fact now needs three lit phrases; a rare one still needs one.",
    ),
    StoryCard(
        "State each fact once.",
        {"multiplicity": 1, "reach": 6},
        "Each phrase is lit by fewer facts, and lit is not enough: covered once is necessary, not sufficient.",
    ),
)


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
        name="covering",
        more=("turned", "rate", "steps"),
        only=("reach", "turned", *TUNED),
    )
