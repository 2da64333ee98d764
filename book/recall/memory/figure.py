"""Lemma 1, live: give the memory two tokens and read every score."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from book.recall.memory.program import RELATIONS, Recollection, memory
from book.recall.memory.statements import is_stored, lemma_1
from lib.recall.memory import ANSWER, RELATION, SUBJECT
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Bar, BarChart, Cases, HeatMap, Level, Row, TruthMap
from widgets.figure.scenes import Scene, Step

S = ("Paris", "Rome", "Madrid", "Tokyo", "Lima", "Havana", "Cairo", "Muscat")
A = ("France", "Italy", "Spain", "Japan", "Peru", "Cuba", "Egypt", "Oman")
R = tuple(f"r{i}" for i in range(1, RELATIONS + 1))
PLACES = torch.arange(1, len(S) + 1, dtype=torch.float64)


PRINTED = (Level(1.0, "others, in the paper"),)


def _bars(
    kind: str, labels: tuple[str, ...], measured: str, colour: str, levels: tuple[Level, ...] = PRINTED
) -> BarChart:
    return BarChart(
        title=f"Scores of the {kind}",
        labels=labels,
        bars=(Bar(measured, "measured", colour), Bar(f"{kind}_right", "predicted", "predicted")),
        levels=levels,
        domain=(0.0, 4.0),
        x="score",
    )


ANSWERS = _bars("answers", A, "answers", "answer")
SUBJECT_BARS = _bars("subjects", S, "subjects_scores", "subject")
RELATION_BARS = _bars("relations", R, "relations_scores", "relation", levels=())


def shown_scores(r: Recollection, p: Any) -> Tensor:
    """The score of each answer, relation and subject if its kind is asked for, or it beats what is; else NaN; (80,)."""
    kinds = ((ANSWER, r.answers), (RELATION, r.relations_scores), (SUBJECT, r.subjects_scores))
    return torch.cat(
        [torch.where((p.ask == kind) | (score > r.top), score, torch.nan) for kind, score in kinds]
    )


ASKED = BarChart(
    title="Score of each candidate",
    labels=(*A, *R, *S),
    bars=(Bar(shown_scores, "", "accent"),),
    domain=(0.0, 4.0),
)
grid = partial(HeatMap, rows=S, columns=A, x="answer", y="subject", numbers=True, emphasis="facts")


def answers_asked(r: Recollection, p: Any) -> Tensor:
    """The score of each answer, NaN where no answer is asked for; (8,)."""
    return torch.where(p.ask == ANSWER, r.answers, torch.nan)


def subjects_asked(r: Recollection, p: Any) -> Tensor:
    """The score of each subject, NaN where no subject is asked for; (8,)."""
    return torch.where(p.ask == SUBJECT, r.subjects_scores, torch.nan)


def given_subject(r: Recollection, p: Any) -> Tensor:
    """1 for the subject that is given, if one is; (8,)."""
    return ((r.first_given == PLACES) & (p.ask != SUBJECT)).to(torch.float64)


def given_answer(r: Recollection, p: Any) -> Tensor:
    """1 for the answer that is given, if one is; (8,)."""
    number = torch.where(p.ask == SUBJECT, r.first_given, r.second_given)
    return ((number == PLACES) & (p.ask != ANSWER)).to(torch.float64)


NEURONS = grid(
    title="One neuron per pair: given words read, squared",
    field="neurons",
    domain=(0.0, 4.0),
    framed="pairs that the relation joins",
    given_rows=given_subject,
    given_columns=given_answer,
    below=answers_asked,
    right=subjects_asked,
    total="score",
)
JOINED = grid(title="Relations per pair", field="joined", colour="relation")
CAPTION: Cases = {
    "not stored": lambda r, p: ~is_stored(r, p),
    "wrong word, embeddings overlap": lambda r, p: (r.wrong > 0.5) & (p.overlap > 0),
    "wrong word": lambda r, p: r.wrong > 0.5,
    "embeddings overlap": lambda r, p: p.overlap > 0,
    "several facts": lambda r, p: r.completing > 1.5,
    "asked for a relation": lambda r, p: p.ask == RELATION,
    "asked for a subject": lambda r, p: p.ask == SUBJECT,
    "otherwise": None,
}
ROWS = (
    Row("score of the missing token", "top_right", "top"),
    Row("highest score of any other token", "rival_right", "rival"),
    Row("lead", "margin_right", "margin"),
    Row("score of EoS", "", "eos"),
    Row("neurons, 3n²", "", "width"),
    Row("relations kept", "", "relations"),
)
WHY = (
    Step("neurons", NEURONS),
    Step("first", ANSWERS._replace(levels=())),
    Step("next", ANSWERS),
    Step("kinds", SUBJECT_BARS),
    Step("questions", RELATION_BARS),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Two tokens of a fact, every score of the memory."""
    return live(
        memory(),
        lemma_1,
        scene=Scene(NEURONS, beside=(JOINED, ASKED)),
        panels=(NEURONS, ANSWERS, JOINED, SUBJECT_BARS, RELATION_BARS),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        map=TruthMap("overlap", "subjects"),
        name="memory",
        more=("sharing", "overlap", "seed"),
        numbers={"held": lambda r, p: r.subjects * r.relations},
        **controls.opens(memory(), ask=0.0, first=1.0, second=6.0, subjects=8.0, relations=56.0),
    )
