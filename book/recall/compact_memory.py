"""The remark after Lemma 1: memories whose embeddings are random unit vectors, in fewer dimensions than tokens.

W and V of f(x) = Vᵀ σ(Wx) are learned by full-batch descent on all questions at once. With σ(x) = x² f is quadratic and
has at most d · d(d + 1)/2 free numbers, however wide it is: at these sizes too few in fewer dimensions than subjects,
where σ(x) = max(x, 0) serves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import normalize

from book.ledger.rates import Fit, fit_power
from book.recall.common import seeded
from book.sweep import read
from lib.recall.task import random_bijections

DIMENSIONS = {"square": 1.5, "relu": 0.75}
"""d over √(n |R|), by σ: below the number of tokens, and of subjects."""
ACTIVATIONS = {"square": torch.square, "relu": torch.relu}
STEPS, RATE, CHECKED = 1500, 0.02, 25
"""Adam's steps at most and its rate at the first of them; every so many steps all questions are asked."""
FEWEST = 32
"""Facts in the smallest set of the stored table."""
LEAST, STEP, RUNGS = 4.0, 2**0.25, 13
"""The numbers of parameters for each fact that are tried: ``LEAST * STEP**k`` for k below ``RUNGS``."""


class Compact(NamedTuple):
    """A learned memory of one size, and what the stored table says of the smallest ones of several sizes."""

    answered: float  # share of all questions whose highest score completes a fact
    cosine: float  # largest between two embeddings
    growth: Fit  # of the fewest parameters, those of the embeddings among them, in n |R|, with σ(x) = x²
    fewer: Fit  # the same with σ(x) = max(x, 0)
    per_fact: float  # fewest parameters of the MLP for each fact, the most of all sizes and both σ
    saved: float  # parameters of Lemma 1's memory over those with σ(x) = x², at the largest size


class Learned(NamedTuple):
    """A memory after its last step."""

    answered: float  # share of all questions whose highest score completes a fact
    embedding: Tensor  # (|V|, d) float32
    W: Tensor  # (m, d)
    V: Tensor  # (m, d)


class Questions(NamedTuple):
    """All questions to a memory: two elements of a fact, and what completes them."""

    given: Tensor  # (3N, 2) tokens: subjects, answers, relations, EoS
    completing: Tensor  # (3N, |V|) bool


def tokens(subjects: int, relations: int) -> int:
    """|V|: subjects, answers, relations and EoS."""
    return 2 * subjects + relations + 1


def dimension(subjects: int, relations: int, activation: str) -> int:
    """d: ``DIMENSIONS`` times √(n |R|), rounded up."""
    return math.ceil(DIMENSIONS[activation] * math.sqrt(subjects * relations))


def width(subjects: int, relations: int, activation: str, per_fact: float) -> int:
    """The neurons with which W and V have ``per_fact`` parameters for each fact."""
    return math.ceil(per_fact * subjects * relations / (2 * dimension(subjects, relations, activation)))


def embeddings(subjects: int, relations: int, activation: str, seed: int) -> Tensor:
    """Random unit vectors; (|V|, d) float32."""
    shape = tokens(subjects, relations), dimension(subjects, relations, activation)
    return normalize(torch.randn(shape, generator=seeded(seed)))


def questions(subjects: int, relations: int, seed: int) -> Questions:
    """All questions about random bijections."""
    answers = random_bijections(subjects, relations, seeded(seed)).answers  # (|R|, n)
    r, s = (index.flatten() for index in torch.meshgrid(*map(torch.arange, answers.shape), indexing="ij"))
    a = answers.flatten()
    fact = torch.stack([s, subjects + a, 2 * subjects + r], 1)
    given = torch.cat([fact[:, [0, 2]], fact[:, [1, 2]], fact[:, [0, 1]]])
    completing = torch.zeros(len(given), tokens(subjects, relations), dtype=torch.bool)
    completing.scatter_(1, fact[:, [1, 0, 2]].T.reshape(-1, 1), True)
    completing[2 * len(fact) :, 2 * subjects : -1] = (answers[:, s] == a).T  # all relations that join the two
    return Questions(given, completing)


def learned(subjects: int, relations: int, activation: str, per_fact: float, seed: int) -> Learned:
    """Descend until the highest score of every question completes a fact, or for ``STEPS`` steps."""
    asked = questions(subjects, relations, seed)
    embedding = embeddings(subjects, relations, activation, seed)
    generator = seeded(seed)
    m, d = width(subjects, relations, activation, per_fact), embedding.shape[1]
    W = torch.randn(m, d, generator=generator).requires_grad_()
    V = (torch.randn(m, d, generator=generator) / math.sqrt(m)).requires_grad_()
    x = embedding[asked.given].sum(1)
    right = torch.where(asked.completing, 0.0, -torch.inf)
    optimizer = torch.optim.Adam([W, V], lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    share = 0.0
    for step in range(STEPS + 1):
        scores = ACTIVATIONS[activation](x @ W.T) @ V @ embedding.T  # φ(u)ᵀ f(φ(u₁) + φ(u₂)), (3N, |V|)
        if step % CHECKED == 0:
            best = scores.argmax(1, keepdim=True)
            share = float(asked.completing.gather(1, best).double().mean())
            if share == 1.0:
                break
        loss = (scores.logsumexp(1) - (scores + right).logsumexp(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return Learned(share, embedding, W.detach(), V.detach())


def smallest(subjects: int, relations: int, activation: str, seed: int) -> list[dict[str, Any]]:
    """The fewest parameters for each fact, to a factor of 2^¼, with which a memory answers all questions; by halving.

    Raises:
        ValueError: the most parameters are not enough.
    """
    size = subjects, relations, activation
    low, high = -1, RUNGS - 1
    if learned(*size, LEAST * STEP**high, seed).answered < 1:
        raise ValueError(f"{size}: not stored with {LEAST * STEP**high} parameters for each fact")
    while high - low > 1:
        middle = (low + high) // 2
        enough = learned(*size, LEAST * STEP**middle, seed).answered == 1
        low, high = (low, middle) if enough else (middle, high)
    return [{"dimension": dimension(*size), "width": width(*size, LEAST * STEP**high)}]


def sizes(quick: bool, large: bool) -> Sequence[dict[str, Any]]:
    """The sets of facts for which the smallest memory is sought."""
    subjects, seeds = ((8,), 1) if quick else ((8, 12, 16, 24, *((32, 48) if large else ())), 2)
    return [
        {"subjects": n, "relations": relations, "activation": activation, "seed": seed}
        for n in subjects
        for relations in (n // 2, n)
        for activation in DIMENSIONS
        for seed in range(seeds)
    ]


def compact_memory(
    subjects: int, relations: int, per_fact: float, activation: str = "square", seed: int = 0
) -> Compact:
    """Learn one memory, and read how the smallest ones grow from the stored table."""
    memory = learned(subjects, relations, activation, per_fact, seed)
    cosines = memory.embedding @ memory.embedding.T - torch.eye(len(memory.embedding))
    rows = read("recall-compact").rows
    rows["facts"], vocabulary = rows.subjects * rows.relations, tokens(rows.subjects, rows.relations)
    rows["layers"] = 2 * rows.width * rows.dimension
    rows["all"] = rows.layers + vocabulary * rows.dimension
    rows["orthonormal"] = (6 * rows.subjects**2 + vocabulary) * vocabulary
    square, relu = (rows[rows.activation == name] for name in DIMENSIONS)
    largest = square[square.facts == square.facts.max()]
    return Compact(
        answered=memory.answered,
        cosine=float(cosines.abs().max()),
        growth=fit_power(square.facts, square["all"]),
        fewer=fit_power(relu.facts, relu["all"]),
        per_fact=float((rows.layers / rows.facts).max()),
        saved=float((largest.orthonormal / largest["all"]).min()),
    )
