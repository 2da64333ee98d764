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
from widgets.figure.panels import Bar, BarChart, CaptionCase, HeatMap, Level, Row, StoryCard, TruthMap
from widgets.figure.scenes import Scene, Step

S = ("Paris", "Rome", "Madrid", "Tokyo", "Lima", "Havana", "Cairo", "Muscat")
A = ("France", "Italy", "Spain", "Japan", "Peru", "Cuba", "Egypt", "Oman")
R = tuple(f"r{i}" for i in range(1, RELATIONS + 1))


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


def asked(r: Recollection, p: Any) -> Tensor:
    """The score of each answer, relation and subject if its kind is asked for, or it beats what is; else NaN; (80,)."""
    kinds = ((ANSWER, r.answers), (RELATION, r.relations_scores), (SUBJECT, r.subjects_scores))
    return torch.cat(
        [torch.where((p.ask == kind) | (score > r.top), score, torch.nan) for kind, score in kinds]
    )


ASKED = BarChart(
    title="Scores",
    labels=(*A, *R, *S),
    bars=(Bar(asked, "", "accent"),),
    domain=(0.0, 4.0),
)
grid = partial(HeatMap, rows=S, columns=A, x="answer", y="subject", numbers=True, emphasis="facts")
NEURONS = grid(
    title="How strongly each neuron responds",
    field="neurons",
    domain=(0.0, 5.0),
)
JOINED = grid(title="How many relations join subject and answer", field="joined", colour="relation")
CAPTION = (
    CaptionCase(
        lambda r, p: ~is_stored(r, p),
        "No fact joins the two given tokens, so there is nothing to recall. The highest score is {rival}; the number "
        "of tokens that have it is {maximisers:n}.",
    ),
    CaptionCase(
        lambda r, p: (r.wrong > 0.5) & (p.overlap > 0),
        "The missing token scores {top}, but another one scores {rival}: embeddings overlap, and neurons respond to "
        "tokens that they do not read.",
    ),
    CaptionCase(
        lambda r, p: r.wrong > 0.5,
        "The missing token scores {top}, but another one scores {rival}: too many subjects share an answer.",
    ),
    CaptionCase(
        lambda r, p: p.overlap > 0,
        "Embeddings overlap, so every token adds to every score. The missing one scores {top} and leads all else by "
        "{margin}: here the memory still works.",
    ),
    CaptionCase(
        lambda r, p: r.completing > 1.5,
        "{completing:n} tokens complete a fact, and all of them score {top}: the two that are given do not say which "
        "is meant. All else scores at most {rival}.",
    ),
    CaptionCase(
        lambda r, p: p.ask == RELATION,
        "A relation's score is the sum over its facts in the grid: {top} for the missing one, at most {rival} for all "
        "else.",
    ),
    CaptionCase(
        lambda r, p: p.ask == SUBJECT,
        "Each subject's score is the sum of its row in the grid: {top} for the missing one, at most {rival} for all "
        "else.",
    ),
    CaptionCase(
        None,
        "Each answer's score is the sum of its column in the grid: {top} for the right one, at most {rival} for all "
        "else.",
    ),
)
ROWS = (
    Row("score of the missing token", "top_right", "top"),
    Row("highest score of any other token", "rival_right", "rival"),
    Row("lead", "margin_right", "margin"),
    Row("score of EoS", "", "eos"),
    Row("neurons, 3n²", "", "width"),
    Row("relations kept", "", "relations"),
)
STORY = (
    StoryCard(
        "Ask for the answer.",
        {},
        "Paris and “capital of”, relation 6 of 56, go in. France gets 4, from the neuron that reads both; every other "
        "answer gets at most 2. Choose another relation: what changes?",
    ),
    StoryCard(
        "Ask for the relation.",
        {"ask": 1, "second": 1},
        "Seven of the 56 relations join Paris and France. All seven tie at the top, fed by one neuron: so 192 neurons "
        "hold 448 facts.",
        lights=(NEURONS.title, ASKED.title),
    ),
    StoryCard(
        "Ask for the subject.",
        {"ask": 2},
        "Now the rows of the grid are added instead of its columns. It is 4 against 2 again.",
        lights=(NEURONS.title, ASKED.title),
    ),
    StoryCard(
        "Let four subjects share an answer.",
        {"sharing": 4, "first": 5},
        "Their answer gets 1 from each of them, and 1 more from the subject that is given: the memory errs.",
        lights=(NEURONS.title, ASKED.title),
    ),
    StoryCard(
        "Keep only three random relations, and ask which one.",
        {"ask": 1, "family": 1, "relations": 3, "first": 1, "second": 1},
        "None of the three joins Paris and France, as for most pairs. Then all relations score 2.",
        lights=(ASKED.title,),
    ),
    StoryCard(
        "Give all embeddings a cosine of 0.1, and ask for the relation.",
        {"ask": 1, "overlap": 0.1},
        "Embeddings are no longer orthogonal, and that hypothesis fails. Neurons respond to tokens that they do not "
        "read, and every subject and answer scores higher than the right relation.",
        lights=(NEURONS.title, ASKED.title),
    ),
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
        scene=Scene(NEURONS, beside=(ASKED,)),
        panels=(NEURONS, ANSWERS, JOINED, SUBJECT_BARS, RELATION_BARS),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        map=TruthMap("overlap", "subjects"),
        name="memory",
        more=("sharing", "overlap", "seed"),
        **controls.opens(memory(), ask=0.0, first=1.0, second=6.0, subjects=8.0, relations=56.0),
    )
