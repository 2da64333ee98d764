"""Lemma 1 in the page: every score of the constructed MLP, for any two tokens, neuron by neuron.

The layers are those of ``model.associative_memory``, 3n² neurons. Embeddings may all have one cosine c with each
other, φ(u)ᵀφ(u′) = c; then wᵀh = (1 − c)·(tokens in common) + c·|w||h|, |·| counting tokens, and the scores follow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.recall.dynamics.pools import FIELDS, WIDTH, draw

RELATIONS = 64
"""The most relations the page keeps: as many as in the paper's experiments."""

DEFAULTS: dict[str, Any] = {
    "ask": 0,
    "first": 2,
    "second": 3,
    "subjects": 5,
    "relations": 20,
    "family": 0,
    "sharing": 1,
    "overlap": 0.0,
    "seed": 0,
}
"""The configuration that the page opens with."""

SUBJECTS = FIELDS
ANSWER, RELATION, SUBJECT = 0, 1, 2
"""What is asked; the first token given is then a subject, a subject, an answer, the second a relation, an answer, a
relation."""

TIE = 1e-9
"""Scores closer than this part of the largest are equal."""


class Recollection(NamedTuple):
    """The page's report. Entries beyond n and beyond |R| are NaN."""

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
    first_given: Tensor  # their numbers, counted round if they are too large
    second_given: Tensor
    subjects: Tensor  # n
    relations: Tensor  # |R|
    second_of: Tensor  # n or |R|: how many of its kind there are
    width: Tensor  # 3n²
    bijections: Tensor  # lights
    orthonormal: Tensor
    stored: Tensor
    unique: Tensor
    assumption_1: Tensor
    verdict: (
        Tensor  # 0 confirmed, 1 contradicted, 2 outside, 3 beyond, 4 a tie of right ones, 5 nothing is stored
    )
    story: Tensor  # 0, 1, 2 one element found (answer, relation, subject), 3 a tie of right ones, 4 nothing, 5 wrong


class Memory(NamedTuple):
    """A set of facts and what is asked of it."""

    maps: Tensor  # (64, 8, 8) 1 where relation r maps s to a
    pairs: Tensor  # (8, 8) 1 where there are such a subject and such an answer
    given: tuple[Tensor, Tensor, Tensor]  # (8,), (8,), (64,): 1 for the given subject, answer, relation
    overlap: Tensor  # c


class Scores(NamedTuple):
    """φ(u)ᵀ f(h) for every token u, and the squared activations of the three groups of neurons."""

    answers: Tensor  # (8,)
    relations: Tensor  # (64,)
    subjects: Tensor  # (8,)
    eos: Tensor
    groups: Tensor  # (3, 8, 8): those that write answers, relations, subjects


def scores(memory: Memory) -> Scores:
    """The constructed MLP on h = φ(u₁) + φ(u₂), exactly: V and W are Lemma 1's, σ(x) = x²."""
    s, a, r = memory.given
    c = memory.overlap
    reached = torch.einsum("rsa,r->sa", memory.maps, r)
    joined = memory.maps.sum(0)
    common = torch.stack([s[:, None] + reached, s[:, None] + a, a + reached])  # tokens of h in each w
    sizes = torch.stack([1 + joined, 2 + torch.zeros_like(joined), 1 + joined])
    fired = ((1 - c) * common + 2 * c * sizes) ** 2 * memory.pairs
    shared = c * (fired[0].sum() + (fired[1] * joined).sum() + fired[2].sum())
    return Scores(
        answers=(1 - c) * fired[0].sum(0) + shared,
        relations=(1 - c) * torch.einsum("rsa,sa->r", memory.maps, fired[1]) + shared,
        subjects=(1 - c) * fired[2].sum(1) + shared,
        eos=shared,
        groups=fired,
    )


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
    """The page's numbers.

    Args:
        ask: ``ANSWER``, ``RELATION`` or ``SUBJECT``.
        first, second: the numbers of the tokens given, from 1; beyond the last they are counted round.
        subjects: n, one of ``SUBJECTS``.
        relations: |R|, cut at 64 and at the size of the family.
        family: 0 for affine maps over the field of n elements, 1 for all bijections; a random set of them.
        sharing: so many subjects share the answer of the first, in every relation; 1 leaves bijections.
        overlap: c, the cosine between any two embeddings.
        seed: of the set.
    """
    n = subjects
    table, count = draw(n, relations, family < 0.5, seed)
    index = torch.arange(WIDTH, dtype=torch.float64)
    number = torch.arange(RELATIONS, dtype=torch.float64)
    table = torch.where(index < sharing, table[:RELATIONS, :1], table[:RELATIONS])
    inside, kept = (index < n).to(torch.float64), (number < count).to(torch.float64)
    maps = (table[:, :, None] == index).to(torch.float64) * inside[:, None] * kept[:, None, None]
    one = (index == torch.remainder(first - 1, n)).to(torch.float64)
    of = torch.where(ask == RELATION, n, count)
    chosen = torch.remainder(second - 1, of)
    none = torch.zeros_like(one)
    given = (
        torch.where(ask == SUBJECT, none, one),
        torch.where(
            ask == SUBJECT, one, torch.where(ask == RELATION, (index == chosen).to(torch.float64), none)
        ),
        torch.where(ask == RELATION, 0 * number, (number == chosen).to(torch.float64)),
    )
    memory = Memory(maps, inside[:, None] * inside, given, overlap)
    facts = {
        "subjects": n,
        "relations": count,
        "first_given": torch.remainder(first - 1, n) + 1,
        "second_given": chosen + 1,
        "second_of": of,
        "width": 3 * n * n,
        "bijections": (maps.sum(1) < 1.5).all().to(torch.float64),
        "orthonormal": (overlap == 0).to(torch.float64),
        "assumption_1": _identified(table, inside, kept),
    }
    return _report(memory, ask, inside, kept, facts)


def _identified(table: Tensor, inside: Tensor, kept: Tensor) -> Tensor:
    """1 if no two relations agree on two subjects: Assumption 1."""
    agree = ((table[:, None] == table[None]).to(torch.float64) * inside).sum(2)  # (64, 64)
    others = kept[:, None] * kept * (1 - torch.eye(RELATIONS, dtype=torch.float64))
    return (agree * others < 1.5).all().to(torch.float64)


def _completing(memory: Memory, ask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """1 for each answer, relation and subject that makes a fact of the two given; (8,), (64,), (8,)."""
    s, a, r = memory.given
    answers = torch.einsum("rsa,r,s->a", memory.maps, r, s)
    relations = torch.einsum("rsa,s,a->r", memory.maps, s, a)
    subjects = torch.einsum("rsa,r,a->s", memory.maps, r, a)
    return answers * (ask == ANSWER), relations * (ask == RELATION), subjects * (ask == SUBJECT)


def _expected(ask: Tensor, kinds: tuple[Tensor, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """4 for what completes a fact, 2 for the rest of what is asked, 1 for the other two kinds."""
    right = [
        torch.where(ask == kind, torch.where(done > 0, 4.0, 2.0), 1.0).to(torch.float64)
        for kind, done in zip((ANSWER, RELATION, SUBJECT), kinds, strict=True)
    ]
    return right[0], right[1], right[2]


def _report(
    memory: Memory, ask: Tensor, inside: Tensor, kept: Tensor, facts: dict[str, Tensor]
) -> Recollection:
    found, kinds = scores(memory), _completing(memory, ask)
    right = _expected(ask, kinds)
    every = torch.cat([found.answers, found.relations, found.subjects, found.eos[None]])
    there = torch.cat([inside, kept, inside, torch.ones(1, dtype=torch.float64)]) > 0
    done = torch.cat([*kinds, torch.zeros(1, dtype=torch.float64)]) > 0
    least = torch.full_like(every, -1.0)  # below every score: they are sums of squares
    top = torch.where(done, every, least).amax()
    rival = torch.where(there & ~done, every, least).amax()
    other = torch.where(there & ~done, torch.cat([*right, torch.zeros(1, dtype=torch.float64)]), least).amax()
    best = torch.maximum(top, rival)
    winners = there & (every >= best * (1 - TIE))
    number = done.to(torch.float64).sum()
    exact = (winners == done).all() & (number > 0)
    group = (ask == torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)).to(torch.float64)
    shown = memory.given[2] + kinds[1] * (torch.cumsum(kinds[1], 0) < 1.5)
    beyond = torch.where(memory.pairs > 0, 0.0, torch.nan).to(torch.float64).flatten()
    lights = {"stored": (number > 0).to(torch.float64), "unique": (number == 1).to(torch.float64)}
    few, many = torch.where(inside > 0, 0.0, torch.nan), torch.where(kept > 0, 0.0, torch.nan)
    none = torch.where(number > 0, 0.0, torch.nan).to(torch.float64)
    return Recollection(
        answers=found.answers + few,
        subjects_scores=found.subjects + few,
        relations_scores=found.relations + many,
        answers_right=right[0] + few,
        subjects_right=right[2] + few,
        relations_right=right[1] + many,
        neurons=torch.einsum("g,gsa->sa", group, found.groups).flatten() + beyond,
        facts=torch.einsum("rsa,r->sa", memory.maps, shown).flatten(),
        joined=memory.maps.sum(0).flatten() + beyond,
        eos=found.eos,
        top=top + none,
        rival=rival,
        margin=top - rival + none,
        top_right=4 + none,
        rival_right=other,
        margin_right=4 - other + none,
        completing=number,
        maximisers=winners.to(torch.float64).sum(),
        **facts,
        **lights,
        **_outcome(ask, number, exact, facts),
    )


def _outcome(ask: Tensor, number: Tensor, exact: Tensor, facts: dict[str, Tensor]) -> dict[str, Tensor]:
    """The verdict and the story."""
    assumed = (facts["bijections"] > 0) & (facts["orthonormal"] > 0)
    verdict = torch.where(assumed, torch.where(exact, 0.0, 1.0), torch.where(exact, 3.0, 2.0))
    verdict = torch.where(assumed & exact & (number > 1.5), 4.0, verdict)
    story = torch.where(exact, torch.where(number > 1.5, 3.0, ask), 5.0)
    nothing = number < 0.5
    return {
        "verdict": torch.where(nothing, 5.0, verdict).to(torch.float64),
        "story": torch.where(nothing, 4.0, story).to(torch.float64),
    }
