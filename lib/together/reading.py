"""A sentence that asks, and a memory that answers: Yang et al.'s detector names the relation, Xu & Chen's MLP answers.

If both target words are in the sentence X it asks for the relation r₁, else for r₀; no subject answers both alike. The
detector's output F (:mod:`lib.recognise.orbit`) names the relation in one of its K wordings, each as likely. The memory
(:mod:`lib.together.memory`, its features for answers alone) answers from a subject and that wording:

    p(a | X, s) = σ(F) m(a | s, r₁) + σ(−F) m(a | s, r₀),   m(a | s, r) = mean over wordings w of softmax(f(s + w)/T)_a.

Exchanging the two names together with the sign of F leaves every p(a | X, s) as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import softplus

from lib import noise
from lib.recognise import orbit
from lib.recognise.gram import curvature, velocity
from lib.recognise.random_start import dimensions
from lib.recognise.task import SIGNS
from lib.together.memory import NEURONS, OFFSET, SCALE, SUBJECTS, WORDINGS

ASKED = torch.where(SIGNS > 0, 0, 1)
"""(4,) which relation each type of sentence asks for: 0 is r₁, 1 is r₀."""
RIGHT = torch.stack([torch.arange(SUBJECTS), (torch.arange(SUBJECTS) + 1) % SUBJECTS], 1)
"""(3, 2) the answer of each subject in each of the two relations."""
_EACH = torch.arange(SUBJECTS)[:, None]


class Reader(NamedTuple):
    """Detector and memory; ``features`` A[x, y, k], (11, 3, 8), of subjects and wordings x on the answers y."""

    detector: orbit.Orbit
    features: Tensor


class Teaching(NamedTuple):
    """T, K from 1 to 4, and the weights of two losses beside that of answers: −log σ(yF) and −log m(a | s, r); 0-d."""

    temperature: Tensor
    wordings: Tensor
    labels: Tensor
    statements: Tensor


def start(seed: Tensor) -> Tensor:
    """Features that do not tell the two names apart: random and small, alike for both; (11, 3, 8), traceable."""
    shape = torch.Size((SUBJECTS + WORDINGS, SUBJECTS, NEURONS))
    drawn = SCALE * noise.normals(seed, shape.numel(), OFFSET).reshape(shape)
    return torch.cat([drawn, drawn[SUBJECTS:]])


def recalled(features: Tensor, told: Teaching) -> Tensor:
    """log softmax(f(s + w)/T) of subjects, relations, wordings and answers; (3, 2, 4, 3), traceable."""
    h = features[:SUBJECTS, None] + features[None, SUBJECTS:]
    logs = torch.log_softmax((h * h).mean(-1) / told.temperature, -1)
    return logs.reshape(SUBJECTS, 2, WORDINGS, SUBJECTS)


def over_wordings(values: Tensor, told: Teaching) -> Tensor:
    """The mean over the K wordings that exist, of values (3, 2, 4, …); (3, 2, …)."""
    exists = (torch.arange(WORDINGS, dtype=torch.float64) < told.wordings).to(torch.float64)
    return torch.tensordot(values, exists / told.wordings, ([2], [0]))


def answered(outputs: Tensor, memory: Tensor) -> Tensor:
    """p(a* | X, s) of each type of sentence and subject, (4, 3), by F (4,) of each type and m(a | s, r) (3, 2, 3)."""
    named = torch.sigmoid(torch.stack([outputs, -outputs], 1))  # (4, 2)
    right = memory[_EACH, :, RIGHT]  # (3, 2 asked, 2 named)
    return (named[:, None] * right.permute(1, 0, 2)[ASKED]).sum(-1)


def loss(outputs: Tensor, features: Tensor, shares: Tensor, told: Teaching) -> Tensor:
    """−log p(a* | X, s) in the mean over sentences and subjects, plus the other two losses by their weights; 0-d.

    Args:
        outputs: (4,), F of each type; shares: (4,), how common each type is.
    """
    logs = recalled(features, told)
    answers = -torch.log(answered(outputs, over_wordings(torch.exp(logs), told))).mean(1)
    facts = over_wordings(logs, told)[_EACH, torch.arange(2), RIGHT]  # (3, 2)
    names = softplus(-SIGNS * outputs)
    return (shares * (answers + told.labels * names)).sum() - told.statements * facts.mean()


def descend(now: Reader, sizes: orbit.Sizes, told: Teaching, rates: Tensor) -> Reader:
    """One step of gradient descent, exactly as the detector's weights and A would take it; traceable.

    Args:
        rates: (2,), of the detector's weights, and η of the features, A ← A − η m ∂L/∂A.
    """
    (blocks, scalars), (h, eta) = now.detector, rates

    def of(score: Tensor, alone: Tensor, output: Tensor, features: Tensor) -> Tensor:
        rows = torch.cat([alone[None], scalars[1:]])
        state = orbit.Orbit(blocks._replace(score=score, output=output), rows)
        return loss(orbit.outputs(state, sizes), features, sizes.counts / sizes.counts.sum(), told)

    begun = (blocks.score, scalars[0], blocks.output, now.features)
    push, alone, given, move = (-part for part in torch.func.grad(of, argnums=(0, 1, 2, 3))(*begun))
    first, second = (rule(blocks, push, given, sizes.layer) for rule in (velocity, curvature))
    a = alone / torch.clamp(dimensions(sizes.counts, sizes.length).reshape(-1), min=1)
    s, k, q, v = scalars
    zero = torch.zeros_like(v)
    rows = torch.stack([a * (q + k + h * s * a), a * (2 * s + h * q * a), a * (2 * s + h * k * a), zero])
    moved = type(first)(*(x + h * y + h**2 * z for x, y, z in zip(blocks, first, second, strict=True)))
    return Reader(orbit.Orbit(moved, scalars + h * rows), now.features + eta * NEURONS * move)
