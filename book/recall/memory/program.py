"""One question to the memory of Lemma 1: two tokens of a fact are given, and every token gets a score."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.common import formula
from lib.domain import Domain
from lib.program import Program
from lib.recall.memory import ANSWER, RELATION, SUBJECT, Memory, scores
from lib.recall.pools import FIELDS, WIDTH, draw
from lib.recall.task import SUBJECTS

RELATIONS = 64
"""The most relations that a set has: as many as in the paper's experiments."""

TIE = 1e-9
"""Scores closer than this part of the largest are equal."""

MENU = Domain("menu", low=0, integer=True, scale="menu")
COUNT = Domain("count", low=1, integer=True, scale="whole")
ASKED = ("an answer", "a relation", "a subject")
DOMAINS = (
    MENU._replace(name="ask", high=2, default=ANSWER, words="what to recall", track=ASKED),
    COUNT._replace(name="first", high=WIDTH, default=2, words="first word’s number", track=(1, WIDTH)),
    COUNT._replace(
        name="second",
        high=RELATIONS,
        default=3,
        words="second word’s number",
        track=(1, RELATIONS),
    ),
    SUBJECTS._replace(high=WIDTH, default=5, words="subjects", symbol="n", scale="choice", track=FIELDS),
    COUNT._replace(
        name="relations", high=RELATIONS, default=20, words="relations to draw (|R|)", track=(1, RELATIONS)
    ),
    MENU._replace(
        name="family", high=1, default=0, words="drawn from", track=("affine maps", "random bijections")
    ),
    COUNT._replace(
        name="sharing", high=WIDTH, default=1, words="subjects that share an answer", track=(1, WIDTH)
    ),
    Domain(
        "overlap", low=0, high=0.5, default=0.0, words="cosine between embeddings", track=(0.0, 0.5, 0.01)
    ),
    Domain("seed", low=0, high=10_000, integer=True, default=0, scale="whole", track=(0, 99)),
)
"""``first`` and ``second`` are counted round beyond the last; in every relation ``sharing`` subjects have the answer of
the first; ``overlap`` is the cosine of any two embeddings; ``seed`` is that of the set of relations."""


class Recollection(NamedTuple):
    """The scores of one question. Entries beyond n and beyond |R| are NaN."""

    answers: Tensor  # (8,) φ(a)ᵀ f(φ(u₁) + φ(u₂))
    subjects_scores: Tensor  # (8,)
    relations_scores: Tensor  # (64,)
    answers_right: Tensor  # (8,) as it must be for bijections and orthonormal embeddings
    subjects_right: Tensor
    relations_right: Tensor  # (64,)
    neurons: Tensor  # (64,) (wᵀh)² of the group that writes what is asked, subjects × answers
    facts: Tensor  # (64,) 1 where the given relation, or the first that joins the pair, maps s to a
    joined: Tensor  # (64,) |R(s, a)|, how many relations map s to a
    eos: Tensor  # the score of EoS
    top: Tensor  # the highest score of an element that completes a fact; NaN if there is none
    rival: Tensor  # the highest score of any other token
    margin: Tensor  # top − rival
    top_right: Tensor  # 4, 2 and 2
    rival_right: Tensor
    margin_right: Tensor
    completing: Tensor  # how many elements complete a fact with the two given
    maximisers: Tensor  # how many tokens have the highest score of all
    wrong: Tensor  # how many of them complete no fact
    chance: Tensor  # of naming the element that was meant, drawing from the tokens with the highest score
    first_given: Tensor  # their numbers, counted round if they are too large
    second_given: Tensor
    subjects: Tensor  # n
    relations: Tensor  # |R|
    second_of: Tensor  # n or |R|: how many of its kind there are
    width: Tensor  # 3n²
    most_sharing: Tensor  # the most subjects that have one answer in a relation


def memory() -> Program:
    """Two tokens in, every score out, for a set of relations drawn at random."""
    return formula(DOMAINS, recollect)


def recollect(
    ask: Tensor,
    first: Tensor,
    second: Tensor,
    subjects: Tensor,
    relations: Tensor,
    family: Tensor,
    sharing: Tensor,
    overlap: Tensor,
    seed: Tensor,
) -> Recollection:
    """The numbers at one setting of ``DOMAINS``."""
    n = subjects
    table, count = draw(n, relations, family < 0.5, seed)
    index = torch.arange(WIDTH, dtype=torch.float64)
    number = torch.arange(RELATIONS, dtype=torch.float64)
    table = torch.where(index < sharing, table[:RELATIONS, :1], table[:RELATIONS])
    inside, stored = (index < n).to(torch.float64), (number < count).to(torch.float64)
    maps = (table[:, :, None] == index).to(torch.float64) * inside[:, None] * stored[:, None, None]
    first_token = (index == torch.remainder(first - 1, n)).to(torch.float64)
    of = torch.where(ask == RELATION, n, count)
    chosen = torch.remainder(second - 1, of)
    none = torch.zeros_like(first_token)
    given = (
        torch.where(ask == SUBJECT, none, first_token),
        torch.where(
            ask == SUBJECT,
            first_token,
            torch.where(ask == RELATION, (index == chosen).to(torch.float64), none),
        ),
        torch.where(ask == RELATION, 0 * number, (number == chosen).to(torch.float64)),
    )
    facts = {
        "subjects": n,
        "relations": count,
        "first_given": torch.remainder(first - 1, n) + 1,
        "second_given": chosen + 1,
        "second_of": of,
        "width": 3 * n * n,
        "most_sharing": maps.sum(1).amax(),
    }
    return _report(Memory(maps, inside[:, None] * inside, given, overlap), ask, inside, stored, facts)


def _completing(memory: Memory, ask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """1 for each answer, relation and subject that makes a fact of the two given; (8,), (64,), (8,)."""
    s, a, r = memory.given
    answers = torch.einsum("rsa,r,s->a", memory.maps, r, s)
    relations = torch.einsum("rsa,s,a->r", memory.maps, s, a)
    subjects = torch.einsum("rsa,r,a->s", memory.maps, r, a)
    return answers * (ask == ANSWER), relations * (ask == RELATION), subjects * (ask == SUBJECT)


def _expected(ask: Tensor, kinds: tuple[Tensor, ...]) -> list[Tensor]:
    """4 for what completes a fact, 2 for the rest of what is asked, 1 for the other two kinds."""
    return [
        torch.where(ask == kind, torch.where(done > 0, 4.0, 2.0), 1.0).to(torch.float64)
        for kind, done in zip((ANSWER, RELATION, SUBJECT), kinds, strict=True)
    ]


def _report(
    memory: Memory, ask: Tensor, inside: Tensor, stored: Tensor, facts: dict[str, Tensor]
) -> Recollection:
    score, kinds = scores(memory), _completing(memory, ask)
    right = _expected(ask, kinds)
    every = torch.cat([score.answers, score.relations, score.subjects, score.eos[None]])
    there = torch.cat([inside, stored, inside, torch.ones(1, dtype=torch.float64)]) > 0
    done = torch.cat([*kinds, torch.zeros(1, dtype=torch.float64)]) > 0
    least = torch.full_like(every, -1.0)  # below every score: they are sums of squares
    top = torch.where(done, every, least).amax()
    rival = torch.where(there & ~done, every, least).amax()
    other = torch.where(there & ~done, torch.cat([*right, torch.zeros(1, dtype=torch.float64)]), least).amax()
    winners = there & (every >= torch.maximum(top, rival) * (1 - TIE))
    number, highest = done.to(torch.float64).sum(), winners.to(torch.float64).sum()
    wrong = (winners & ~done).to(torch.float64).sum()
    group = (ask == torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)).to(torch.float64)
    shown = memory.given[2] + kinds[1] * (torch.cumsum(kinds[1], 0) < 1.5)
    beyond = torch.where(memory.pairs > 0, 0.0, torch.nan).to(torch.float64).flatten()
    few, many = torch.where(inside > 0, 0.0, torch.nan), torch.where(stored > 0, 0.0, torch.nan)
    none = torch.where(number > 0, 0.0, torch.nan).to(torch.float64)
    return Recollection(
        answers=score.answers + few,
        subjects_scores=score.subjects + few,
        relations_scores=score.relations + many,
        answers_right=right[0] + few,
        subjects_right=right[2] + few,
        relations_right=right[1] + many,
        neurons=torch.einsum("g,gsa->sa", group, score.groups).flatten() + beyond,
        facts=torch.einsum("rsa,r->sa", memory.maps, shown).flatten(),
        joined=memory.maps.sum(0).flatten() + beyond,
        eos=score.eos,
        top=top + none,
        rival=rival,
        margin=top - rival + none,
        top_right=4 + none,
        rival_right=other,
        margin_right=4 - other + none,
        completing=number,
        maximisers=highest,
        wrong=wrong,
        chance=(highest - wrong) / highest / torch.clamp(number, min=1),
        **facts,
    )
