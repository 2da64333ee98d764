"""Huang et al.'s Algorithm 1, live, with a switch for the assumption that is dropped."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.recall.charts import LOSS, attention_lines
from book.recall.common import TOLERANCE, is_perturbed
from book.recall.scene import CONFUSING, PROMPT, SURE, TIPS, TRUE
from book.together.lamps import holding, lamps, lamps_of, opens, with_lamps
from book.together.relaxed import RECALL, is_cold
from book.together.relaxed_recall import statements
from book.together.relaxed_recall.program import relaxed_recall
from book.together.relaxed_recall.statements import relaxed_answers, relaxed_pairs
from lib.program import with_outputs
from widgets import Live, live, live_figure
from widgets.figure.panels import Cases, Line, Row, TimeChart
from widgets.figure.scenes import Scene, Stop

ATTENTION = TimeChart(
    title="Attention from EoS",
    series=attention_lines("weights"),
    domain=(0.0, 1.0),
)
BELIEVED = TimeChart(
    title="How probable is each?",
    series=(
        Line("believed", 0, "true relation", "relation"),
        Line("believed", 1, "its rival", "confusing", "7 4"),
        Line("answered", 0, "answer, if told", "query", "2 3"),
    ),
    domain=(0.0, 1.0),
)
LOOKS_BACK = TimeChart(
    title="Attention from the relation, once it is named",
    series=attention_lines("relation_attention"),
    domain=(0.0, 1.0),
)
LAMPS = lamps("recall", relaxed_pairs, relaxed_answers)
pairs, low, certain, answers = holding(LAMPS).values()
THEOREMS = lamps_of("What still holds?", LAMPS)
SCENE = Scene(
    PROMPT,
    beside=(THEOREMS, TRUE, CONFUSING),
    stops=(
        Stop("stuck", 0, says="After stage 1 “capital of” has {believed[0]:%}, its rival {believed[1]:%}."),
        Stop("tips over", 1, passes=("lead", 0), says=TIPS),
        Stop("settled", 1, ""),
    ),
    predict=SURE,
)


def early(r: Any, p: Any) -> Tensor:
    """Whether the stages are too short to tell."""
    return ~((is_cold(r, p) & statements.long_after(r, p)) | (~is_cold(r, p) & statements.long_enough(r, p)))


CAPTION: Cases = {
    "a stage without steps": lambda r, p: (p.steps_1 == 0) | (p.steps_2 == 0),
    "not perturbed": lambda r, p: ~is_perturbed(r, p),
    "early": early,
    "cold, certain, answers": lambda r, p: is_cold(r, p) & certain(r, p) & answers(r, p),
    "cold, answers": lambda r, p: is_cold(r, p) & answers(r, p),
    "cold, certain": lambda r, p: is_cold(r, p) & certain(r, p),
    "cold": is_cold,
    "pairs, low": lambda r, p: pairs(r, p) & low(r, p),
    "pairs": pairs,
    "low, leaking": lambda r, p: low(r, p) & (r.leak > TOLERANCE) & (r.leak >= r.imbalance),
    "low, imbalanced": lambda r, p: low(r, p) & (r.imbalance > TOLERANCE),
    "low": low,
    "otherwise": None,
}
ROWS = (
    Row("Theorem 2: distance of a from ¼", "", "apart"),
    Row("Theorem 2: imbalance inside the pairs", "", "imbalance"),
    Row("Theorem 2: attention on Madrid and EoS", "", "leak"),
    Row("Lemma 6: loss L₁ at the end", "", "loss"),
    Row("Theorem 3: 1 − p(r*)", "", "unsure"),
    Row("Theorem 1: probability of the final answer", "", "answer"),
    Row("steps that plain descent waits at the saddle", "waits", ""),
)


@live_figure
def figure() -> Live:
    """Algorithm 1 with one assumption dropped."""
    return live(
        with_outputs(
            with_lamps(relaxed_recall(), LAMPS, lambda state: state.seen.step),
            lambda watched, state, p: {},
            lambda reported, ends, p: {"tolerance": torch.tensor(TOLERANCE, dtype=torch.float64)},
        ),
        relaxed_pairs,
        relaxed_answers,
        scene=SCENE,
        panels=(LOSS, ATTENTION, BELIEVED, LOOKS_BACK),
        caption=CAPTION,
        rows=ROWS,
        name="relaxed-recall",
        more=("rate_1", "rate_2", "steps_1", "steps_2", "seed"),
        **opens(RECALL, "adam"),
    )
