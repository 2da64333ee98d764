"""Every score of the MLP as printed, with its 3|S||A| neurons, for every two tokens of every fact of small sets."""

from __future__ import annotations

from typing import NamedTuple

import torch
from scipy.optimize import brentq
from torch import Tensor

from book.recall.common import random_embedding, seeded
from lib.recall.memory import ANSWER, RELATION, SUBJECT
from lib.recall.model import Transformer, memory_layers, memory_scores
from lib.recall.task import affine_family, random_bijections

RIGHT = {"missing": 4.0, "others": 2.0, "rest": 1.0, "eos": 0.0}
"""The scores for bijections and orthonormal embeddings: the missing element, others of its kind, other kinds, EoS."""

FACTS = {
    **{f"affine, {q}": affine_family(q).answers for q in (3, 5, 7)},
    **{
        f"random, {n}": random_bijections(n, r, seeded(n)).answers
        for n, r in ((3, 4), (4, 1), (5, 30), (8, 64))
    },
}
"""Small sets of facts, (|R|, n) answers, by the number of their subjects."""


class EveryScore(NamedTuple):
    """The scores of a set of facts: means by kind, and how far they are from ``RIGHT``."""

    relations: int
    neurons: int
    missing: float  # the elements that complete a fact
    others: float  # others of their kind
    rest: float  # other kinds
    eos: float
    off: float  # largest difference from RIGHT
    tied: float  # relations that tie, mean


class FailingCosine(NamedTuple):
    """The cosine of embeddings from which on recall fails."""

    predicted: float  # by the lemma's scores
    measured: float


class Leads(NamedTuple):
    """How clearly each answer and each subject is found."""

    lead: float  # least lead of an element that completes a fact
    several: int  # the most elements that complete one question


def as_maps(table: Tensor, answers: int | None = None) -> Tensor:
    """(|R|, |S|) answers as (|R|, |S|, |A|) of 0 and 1; as many answers as subjects, if not said."""
    return torch.nn.functional.one_hot(table, answers or table.shape[1]).to(torch.float64)


def recalled(maps: Tensor, ask: int, overlap: float = 0.0) -> tuple[Tensor, Tensor]:
    """φ(u)ᵀ f(φ(u₁) + φ(u₂)) of every token u for every two tokens of a fact, and which u complete one.

    Tokens stand in the order subjects, answers, relations, EoS.

    Returns:
        (P, |V|) float64 and (P, |V|) bool.
    """
    relations, subjects, answers = maps.shape
    embedding = random_embedding(subjects + answers + relations + 1, overlap)
    W, V = memory_layers(maps, embedding)
    r, s, a = maps.nonzero().unbind(1)
    tokens = {SUBJECT: s, ANSWER: a + subjects, RELATION: r + subjects + answers}
    given = torch.stack([tokens[kind] for kind in (SUBJECT, ANSWER, RELATION) if kind != ask], 1)
    pairs, which = given.unique(dim=0, return_inverse=True)
    completing = torch.zeros(len(pairs), len(embedding), dtype=torch.bool)
    completing[which, tokens[ask]] = True
    no_attention = torch.zeros(0, 0, dtype=torch.float64)
    return memory_scores(Transformer(embedding, W, V, no_attention), *pairs.unbind(1)), completing


def spans(maps: Tensor) -> dict[int, slice]:
    """Where the answers, relations and subjects stand among the tokens."""
    relations, subjects, answers = maps.shape
    both = subjects + answers
    return {
        SUBJECT: slice(0, subjects),
        ANSWER: slice(subjects, both),
        RELATION: slice(both, both + relations),
    }


def highest(scores: Tensor) -> Tensor:
    """The tokens with the highest score, (P, |V|) bool."""
    return scores >= scores.amax(1, keepdim=True) - 1e-9


def winners_are_right(maps: Tensor, overlap: float = 0.0) -> bool:
    """Whether the tokens with the highest score are just those that complete a fact, whatever is asked."""
    return all(
        torch.equal(highest(scores), completing)
        for scores, completing in (recalled(maps, ask, overlap) for ask in (ANSWER, RELATION, SUBJECT))
    )


def every_score(facts: str) -> EveryScore:
    """The scores of a set of ``FACTS``, whatever is asked for."""
    maps = as_maps(FACTS[facts])
    parts: dict[str, list[Tensor]] = {name: [] for name in RIGHT}
    for ask in (ANSWER, RELATION, SUBJECT):
        scores, completing = recalled(maps, ask)
        same_kind = torch.zeros_like(completing)
        same_kind[:, spans(maps)[ask]] = True
        rest = ~same_kind
        rest[:, -1] = False
        for name, mask in zip(RIGHT, (completing, same_kind & ~completing, rest), strict=False):
            parts[name].append(scores[mask])
        parts["eos"].append(scores[:, -1])
    values = {name: torch.cat(part) for name, part in parts.items()}
    return EveryScore(
        relations=len(maps),
        neurons=3 * maps.shape[1] ** 2,
        **{name: round(float(value.mean()), 9) + 0.0 for name, value in values.items()},
        off=max(float((value - RIGHT[name]).abs().max()) for name, value in values.items()),
        tied=float(recalled(maps, RELATION)[1].sum(1).double().mean()),
    )


def cosine_that_fails(subjects: int) -> FailingCosine:
    """The cosine of embeddings from which on the memory of all affine maps errs: predicted, and by halving."""
    n, maps = subjects, as_maps(affine_family(subjects).answers)

    def gap(c: float) -> float:
        return 4 * (1 + c) ** 2 + 16 * (n - 1) * c**2 - (1 + (2 * n - 1) * c) ** 2 - 4 * n**2 * (n - 1) * c**2

    def right(c: float) -> float:
        return 1.0 if winners_are_right(maps, c) else -1.0

    return FailingCosine(brentq(gap, 0, 0.5), brentq(right, 0, 0.5, xtol=1e-4))


def others_of_its_kind(maps: Tensor, ask: int) -> Tensor:
    """The scores of all tokens of the kind that is asked for, but for those that complete a fact."""
    scores, completing = recalled(maps, ask)
    block = spans(maps)[ask]
    return scores[:, block][~completing[:, block]]


def injections(subjects: int, answers: int, relations: int, sharing: int = 1, seed: int = 0) -> Tensor:
    """Random relations that give each subject an answer of its own, but for the first ``sharing``; (|R|, |S|, |A|)."""
    table = torch.rand(relations, answers, generator=seeded(seed)).argsort(1)[:, :subjects]
    first = torch.arange(subjects) < sharing
    return as_maps(torch.where(first, table[:, :1], table), answers)


def three_subjects_four_answers(sharing: int, seed: int = 0) -> Leads:
    """The memory for three subjects, four answers and two relations: is each answer and each subject found?"""
    maps = injections(3, 4, 2, sharing, seed)
    leads, several = [], 0
    for ask in (ANSWER, SUBJECT):
        scores, completing = recalled(maps, ask)
        several = max(several, int(completing.sum(1).max()))
        top = torch.where(completing, scores, -torch.inf).amax(1)
        leads.append(top - torch.where(completing, -torch.inf, scores).amax(1))
    return Leads(float(torch.cat(leads).min()), several)
