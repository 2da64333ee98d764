"""A memory that is trained: the MLP of Xu & Chen with the activation of Huang et al., on facts in several wordings.

The world has n = 3 subjects, 3 answers and all 6 relations between them: 18 facts. Each relation has R wordings, each
fact is stated in K of them (``lib.acquire.task.draw``), each statement in three orders. From two of its words the model
says the third. Attention is taken to have filtered the statement, so that the MLP sees the sum of two tokens. Each
token y that may come next has its own m neurons, as in Xu & Chen. In token coordinates A[x, y, k] = ⟨w_{y,k}, x⟩:

    f_y(x₁ + x₂) = (1/m) Σ_k (A[x₁, y, k] + A[x₂, y, k])²,   p = softmax(f),   gradient descent on −log p(third word).

The memory enters the recall of a relation's wording y only through the quadratic form B_y = (1/m) A[·, y] A[·, y]ᵀ.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot, pad

from lib import noise
from lib.acquire import task
from lib.recall.task import affine_family

SUBJECTS, WORDINGS, NEURONS = 3, 4, 8
"""n, the most wordings of a relation, and m."""
ANSWERS = affine_family(SUBJECTS).answers
"""(6, 3), r(s) of each relation r."""
RELATIONS = len(ANSWERS)
FACTS = SUBJECTS * RELATIONS
WORDED = RELATIONS * WORDINGS
FIRST = 2 * SUBJECTS
"""The place of the first wording among the tokens: subjects, answers, wordings relation by relation, EoS."""
WORDS = FIRST + WORDED
"""Tokens that may come next: all but EoS."""
SCALE = 0.1
"""Standard deviation of the random start."""
OFFSET = 10_000
"""Seeds of starts begin here, apart from those of facts."""
TINY = torch.finfo(torch.float64).tiny
LEAST_LEAD = 0.01
"""A memory whose lead is smaller stores nothing."""
CONSTRUCTED_LEAD = 2.0
"""By which a relation that joins a subject and an answer leads in the constructed memory: 4 − 2."""


class World(NamedTuple):
    """What is stated, and how often."""

    weight: Tensor
    """(3, 6, 3, 4) by subject, relation, answer and wording: each statement's share; they add up to 1, or are all 0."""
    right: Tensor
    """(3, 6) 1 for a fact that is stated as it is."""
    stated: Tensor
    """0-d, the number of statements as a part of the 72 that there can be."""


class Targets(NamedTuple):
    """The weights of what comes next, for each pair of words that is shown."""

    relations: Tensor
    """(3, 3, 30) after a subject and an answer."""
    answers: Tensor
    """(3, 24, 30) after a subject and a wording."""
    subjects: Tensor
    """(3, 24, 30) after an answer and a wording."""


class Passed(NamedTuple):
    """What the memory says of the statements, each 0-d unless a shape is given."""

    loss: Tensor
    stored: Tensor
    """(3,) the share of the statements whose relation, answer, subject leads all others of its kind."""
    lead: Tensor
    """How much higher the wordings that state a subject with an answer score on the two than others; see
    :data:`CONSTRUCTED_LEAD`."""


def world(seed: Tensor, phrases: Tensor, multiplicity: Tensor, missing: Tensor, wrong: Tensor) -> World:
    """Facts, each in K of R wordings; traceable.

    Args:
        seed: 0-d, a whole number.
        phrases, multiplicity: R and K, 0-d, 1 ≤ K ≤ R ≤ 4: :func:`check` words the errors.
        missing, wrong: the shares of the facts, rounded to whole facts, that are never stated, and that are stated
            with the next answer; who is missing is not wrong.
    """
    known = task.draw(seed, FACTS, WORDINGS, phrases, multiplicity, torch.full_like(phrases, FACTS))
    place = (known.draw_order < known.draw_order[:, None]).to(torch.float64).sum(1)
    is_stated = (place >= torch.round(missing * FACTS)).to(torch.float64)
    is_wrong = (place >= FACTS - torch.round(wrong * FACTS)).to(torch.float64)
    answer = one_hot(ANSWERS.T.reshape(-1), SUBJECTS).to(torch.float64)  # (18, 3), subject by subject
    said = is_wrong[:, None] * answer.roll(1, 1) + (1 - is_wrong)[:, None] * answer
    weight = is_stated[:, None, None] * said[:, :, None] * known.uses[:, None, :]
    count, right = weight.sum(), is_stated * (1 - is_wrong)
    shape = (SUBJECTS, RELATIONS, SUBJECTS, WORDINGS)
    share = (weight / torch.clamp(count, min=1)).reshape(shape)
    return World(share, right.reshape(shape[:2]), count / (FACTS * WORDINGS))


def check(phrases: float, multiplicity: float) -> tuple[int, int]:
    """R and K, checked.

    Raises:
        ValueError: one outside 1 … 4, or K > R.
    """
    task.PHRASES._replace(high=WORDINGS).check(phrases)
    _, r, k = task.counts(FACTS, int(phrases), int(multiplicity))
    return r, k


def targets(known: World) -> Targets:
    """What comes next after each pair of words, each order of a statement being a third; traceable."""
    by_relation = known.weight.permute(0, 2, 1, 3).reshape(SUBJECTS, SUBJECTS, WORDED)
    by_answer = known.weight.permute(0, 1, 3, 2).reshape(SUBJECTS, WORDED, SUBJECTS)
    by_subject = known.weight.permute(2, 1, 3, 0).reshape(SUBJECTS, WORDED, SUBJECTS)
    return Targets(
        pad(by_relation, (FIRST, 0)) / 3,
        pad(by_answer, (SUBJECTS, WORDED)) / 3,
        pad(by_subject, (0, SUBJECTS + WORDED)) / 3,
    )


def least_loss(wanted: Targets) -> Tensor:
    """The least loss that any model can have, 0-d: what is chance in what comes next; traceable."""
    return torch.stack([_entropy(part) for part in wanted]).sum()


def _entropy(weights: Tensor) -> Tensor:
    total = weights.sum(-1, keepdim=True)
    return (
        weights * (torch.log(torch.clamp(total, min=TINY)) - torch.log(torch.clamp(weights, min=TINY)))
    ).sum()


def start(seed: Tensor) -> Tensor:
    """A, random and small: (31, 30, 8); traceable."""
    shape = (WORDS + 1, WORDS, NEURONS)
    return SCALE * noise.normals(seed, torch.Size(shape).numel(), OFFSET).reshape(shape)


def descend(features: Tensor, known: World, wanted: Targets, rate: Tensor | float) -> tuple[Tensor, Passed]:
    """One step of gradient descent, A ← A − η̃ m c ∂L/∂A as in Xu & Chen, and what was seen before it; traceable.

    −m ∂L/∂A[x, y, k] = 2 Σ over the pairs with x of δ_y h_{y,k}, where δ_y = weight of y − weight of the pair · p_y.
    With c = ``known.stated`` each statement moves the memory alike, however many there are: few would else be too
    large a part of the loss for the rate.
    """
    s, a, w = features[:SUBJECTS], features[SUBJECTS:FIRST], features[FIRST:WORDS]
    passes = [
        _pass(*pair) for pair in ((s, a, wanted.relations), (s, w, wanted.answers), (a, w, wanted.subjects))
    ]
    (from_answer, to_relation), (from_wording, to_answer), (from_both, to_subject) = (
        each[:2] for each in passes
    )
    nothing = torch.zeros_like(features[WORDS:])
    moves = [from_answer + from_wording, to_relation + from_both, to_answer + to_subject, nothing]
    values = [each[2] for each in passes]
    seen = Passed(
        loss=torch.stack([each[3] for each in passes]).sum(),
        stored=torch.stack([_leading(*each) for each in zip(values, wanted, _KINDS, strict=True)]),
        lead=_lead(values[0][..., FIRST:], known),
    )
    return features + rate * known.stated * torch.cat(moves), seen


def _pass(first: Tensor, second: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """All pairs of two kinds of tokens: what moves the features of the first and of the second, f, and the loss."""
    h = first[:, None] + second[None]  # (F, S, 30, m)
    values = (h * h).mean(-1)
    below = torch.log_softmax(values, -1)
    slope = wanted - wanted.sum(-1, keepdim=True) * torch.exp(below)
    push = 2 * slope[..., None] * h
    return push.sum(1), push.sum(0), values, -(wanted * below).sum()


_KINDS = (slice(FIRST, WORDS), slice(SUBJECTS, FIRST), slice(0, SUBJECTS))
"""The kinds of tokens that are asked for: relations, answers, subjects."""


def _leading(values: Tensor, weights: Tensor, kind: slice) -> Tensor:
    """The share of the statements whose third word leads all others of its kind, 0 if there are none; 0-d.

    Any word that some statement has there is right.
    """
    of_kind, stated = values[..., kind], weights[..., kind]
    wrong = torch.where(stated > 0, -torch.inf, of_kind).amax(-1, keepdim=True)
    leads = (of_kind > wrong).to(torch.float64)
    return (stated * leads).sum() / torch.clamp(stated.sum(), min=TINY)


def _lead(values: Tensor, known: World) -> Tensor:
    """The mean score of wordings that state a subject with an answer, less that of the others; 0 if there are none."""
    is_stated = (known.weight.permute(0, 2, 1, 3).reshape(values.shape) > 0).to(torch.float64)
    count = is_stated.sum()
    others = ((1 - is_stated) * values).sum() / (values.numel() - count)
    lead = (is_stated * values).sum() / torch.clamp(count, min=1) - others
    return torch.where(count > 0, lead, torch.zeros_like(lead))


def forms(features: Tensor) -> Tensor:
    """B_y[x, x′] = (1/m) Σ_k A[x, y, k] A[x′, y, k] of each wording y, on subjects, answers and EoS: (24, 7, 7)."""
    seen = torch.cat([features[:FIRST, FIRST:], features[WORDS:, FIRST:]])  # (7, 24, m)
    return torch.einsum("xyk,zyk->yxz", seen, seen) / NEURONS
