"""The scenes' words, and the scene of fine-tuning: facts and phrases, and the logits of one question.

A question is answered with the word of the largest logit. Fine-tuning lowers the phrases that fine-tuned facts are
stated with; an unseen fact comes out once all of its own lie below its answer, and before fine-tuned answers lie above
it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.charts import FINE_TUNING
from lib.acquire.course import FREQUENT, MOST_PHRASES, SIZES, SUBJECTS, Learner
from lib.acquire.tokens import extract
from lib.program import Program, with_outputs
from widgets.figure.panels import Panel
from widgets.figure.scenes import Graph, Ladder, Part, Predict, Questions, Scene, Stop, Strip, Token

CONTEXT, ALICE = Token("context", "o", "context"), Token("Alice", "s", "subject")
BORN = Token("was born in", "r", "phrase")
PROMPT = Strip("Attention before the answer", (CONTEXT, ALICE, BORN), "in_phrase", 2)
"""A sentence as its last word attends to it."""
PEOPLE = (
    "Ines Ivan Jana Jin Jonas Kaya Kim Lars Lea Leo Lin Luca Maja Malik Maria Mei Mila Nadia Nils Noor Olga Omar "
    "Oscar Paul Petra Quinn Ravi Rosa Sami Sven Tara Yuki "
    "Amir Anna Boris Carla Chen Dana Diego Elif Emil Eva Farid Femi Alice Greta Hana Igor"
)
"""The frequent facts, then from Amir on the rare ones."""
PLACES = (
    "Lisbon Varna Prague Seoul Bremen Ankara Busan Malmö Zürich Vienna Taipei Turin Split Dakar Seville Wuhan Skopje "
    "Kyiv Aarhus Lahore Odesa Amman Quito Lyon Brno Dublin Pune Lima Turku Lund Perth Kyoto "
    "Shiraz Kraków Sofia Genoa Xi’an Haifa Bogotá İzmir Bergen Ghent Cairo Lagos California Graz Osaka Minsk"
)
"""Where they were born."""
PHRASES = (
    "is a native of",
    "comes from",
    "is from",
    "hails from",
    "has roots in",
    "grew up in",
    "was born in",
    "started life in",
    "came to life in",
    "originates in",
)[:MOST_PHRASES]
"""The seventh states Alice's fact at the seed of the figures, if the language has so many."""
KINDS = (
    Token("another word", "", "other"),
    Token("somebody else’s birthplace", "", "drilled"),
    Token("others’ phrase", "", "foreign"),
    Token("its own phrase", "", "phrase"),
    Token("the birthplace", "", "answer"),
)
"""Kinds of answers, in the order of ``lib.acquire.extraction.answer_kinds``."""
ASKED = Questions(
    tuple(PEOPLE.split()),
    PHRASES,
    "uses",
    "fine_tuned",
    "largest_logits",
    KINDS,
    first=PEOPLE.split().index("Alice"),
    since=FINE_TUNING,
    answers=tuple(PLACES.split()),
    rivals="rivals",
)
UNSEEN = Predict(
    "how many of the unseen facts come out, from the first step to the last?",
    "accuracy",
    "share of unseen facts answered correctly",
    (0.0, 1.0),
)
RARE = Predict(
    "how many of the rare facts, told with one phrase, come out, step by step?",
    "accuracy",
    "share of the unseen rare facts answered correctly",
    (0.0, 1.0),
    component=2,
)
"""The prediction of the page that asks when facts come out."""
STOPS = (
    Stop(
        "first",
        FINE_TUNING,
        passes=("accuracy", 0),
        says="Unseen facts begin to come out: {counted[0]:n} of {counted[1]:n}.",
    ),
    Stop(
        "best",
        FINE_TUNING,
        "peak",
        says="The best moment: {counted[0]:n} of {counted[1]:n} unseen facts are answered correctly.",
    ),
    Stop(
        "end",
        FINE_TUNING,
        says="The last step: {counted[0]:n} of {counted[1]:n} unseen facts are answered correctly.",
    ),
)


SCORE = (
    "Unseen facts answered correctly: {right_best:n} of {unseen:n} at step {best_step:n}, the best moment, and "
    "{right_end:n} at the end."
)
"""In captions: how many came out."""
GRAPH = Graph("Tap a person: does the model say the birthplace?", ASKED)
LADDER = Ladder("{fact}’s birthplace?", ASKED)


def questions_scene(toggles: str = "", beside: Part | Panel = LADDER) -> Scene:
    """Facts and phrases on the left; on the right one question, or another part.

    Args:
        toggles: the parameter whose bits flip the facts that are fine-tuned, if there is one.
        beside: what stands on the right.
    """
    right = beside._replace(toggles=toggles) if isinstance(beside, Ladder) else beside
    return Scene(GRAPH, beside=(right,), stops=STOPS, since=FINE_TUNING, predict=UNSEEN)


def largest_logits(s: Learner) -> tuple[Tensor, Tensor]:
    """What is nearest to be said to each question.

    Returns:
        the largest logit among the words of each of :data:`KINDS`, (N, 5); NaN where there is none.
        the fine-tuned fact, another one, whose answer has the largest logit of those, (N,); −1 where there is none.
    """
    is_own = torch.eye(SUBJECTS, dtype=torch.float64)
    never = -torch.ones((), dtype=torch.float64)  # logits are ≥ 0
    logits = extract(s.model, s.chosen, SIZES).logits
    before, phrases = logits[:, : 1 + SUBJECTS], logits[:, 1 + SUBJECTS : SIZES.format]
    answers = logits[:, SIZES.answers : SIZES.follower]
    undrilled = torch.where((1 - is_own) * (1 - s.chosen) > 0.5, answers, never)
    rest = [before, logits[:, SIZES.format : SIZES.answers], undrilled, logits[:, SIZES.follower :]]
    among = [
        (answers, (1 - is_own) * s.chosen),
        (phrases, 1 - s.known.uses),
        (phrases, s.known.uses),
        (answers, is_own),
    ]
    kept = [torch.where(counts > 0.5, values, never) for values, counts in among]
    largest = torch.stack([torch.cat(rest, 1).amax(1), *(values.amax(1) for values in kept)], 1)
    rivals = torch.where(largest[:, 1] < 0, never, kept[0].argmax(1).to(torch.float64))
    return torch.where(largest < 0, torch.full_like(largest, torch.nan), largest), rivals


def with_questions(program: Program) -> Program:
    """``program``, whose states hold a learner, with what the scene shows."""
    return with_outputs(program, _shown, _peak)


def _shown(_seen: Any, s: Any, _p: Any) -> dict[str, Tensor]:
    """Phrases of a fact, as bits of a number; which facts are fine-tuned; logits, rivals; how many unseen are right."""
    known, unseen = s.learner.known, (1 - s.learner.chosen).sum()
    largest, rivals = largest_logits(s.learner)
    return {
        "uses": known.uses @ 2.0 ** torch.arange(MOST_PHRASES, dtype=torch.float64),
        "fine_tuned": s.learner.chosen,
        "largest_logits": largest,
        "rivals": rivals,
        "counted": torch.stack([s.learner.seen.accuracy[0] * unseen, unseen]),
    }


def _peak(_reported: Any, ends: Any, _p: Any) -> dict[str, Tensor]:
    """The best step, if any fact comes out, and how many facts are unseen: frequent ones, rare ones."""
    s = ends[-1]
    often, rare = (1 - s.learner.chosen).split([FREQUENT, SUBJECTS - FREQUENT])
    return {
        "peak": torch.where(s.best[0] > 0, s.best_step, torch.nan),
        "unseen_frequent": often.sum(),
        "unseen_rare": rare.sum(),
    }
