"""Relation covering, live: phrases that fine-tuned facts light."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.charts import ACCURACY
from book.acquire.covering.program import Covered, covering
from book.acquire.covering.statements import relation_covering
from book.acquire.extraction import none_tuned, tuning_begun
from book.acquire.scene import GRAPH, LADDER, questions_scene, with_questions
from lib.acquire.course import MOST_PHRASES, TUNED
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Cases, Curve, CurveChart, Pick, Points, Row, TruthMap
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
    series=(Curve(reaches, "predicted_at", "facts whose phrases are all practised", "predicted", "5 3"),),
    points=(
        Points(lambda r, p: p.reach.reshape(1), lambda r, p: r.accuracy.reshape(1), "this run", "measured"),
    ),
    pick=Pick(x="reach"),
)


def just_the_covered(r: Covered, _p: Any) -> Tensor:
    """The facts that came out are just those all of whose phrases are covered."""
    return (r.accuracy >= r.predicted - 1e-9) & (r.leaked < 0.5)


CAPTION: Cases = {
    "no facts tuned": none_tuned,
    "tuning not begun": lambda r, p: ~tuning_begun(r, p),
    "none right": lambda r, p: r.accuracy <= 0,
    "too early to tell": lambda r, p: r.undecided,
    "just the covered, each phrase": lambda r, p: just_the_covered(r, p) & (r.covered >= p.phrases),
    "just the covered": just_the_covered,
    "otherwise": None,
}
ROWS = (
    Row("unseen facts answered correctly at the best step", "predicted", "accuracy", of="unseen"),
    Row("… the frequent ones", "predicted_frequent", "frequent", of="unseen_frequent"),
    Row("… the rare ones", "predicted_rare", "rare", of="unseen_rare"),
    Row("the best step", "", "best_step"),
)
NUMBERS = {"opened": lambda r, p: r.deeply - r.missed, "closed": lambda r, p: r.unseen - r.reachable}
"""For the page's words: deeply covered facts that come out, and facts with a phrase that is not covered."""
WHY = (
    Step("lamps", GRAPH, "end"),
    Step("dark", LADDER, "start"),
    Step("answer", LADDER, "best"),
    Step("reach", REACHES),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """The facts that come out, against those all of whose phrases are practised."""
    return live(
        with_questions(covering()),
        relation_covering,
        scene=questions_scene("turned"),
        panels=(REACHES, ACCURACY),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        map=TruthMap("reach", "multiplicity"),
        numbers=NUMBERS,
        name="covering",
        more=("turned", "rate", "steps"),
        only=("reach", "turned", *TUNED),
        **controls.opens(covering(), reach=6),
    )
