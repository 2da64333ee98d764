"""What an answer is worth to the detector, at random detectors and memories: the pull of the two losses on F."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn.functional import logsigmoid

from book.together.reading.program import SHARES
from lib.recognise.task import SIGNS
from lib.together import reading
from lib.together.memory import NEURONS, SUBJECTS, WORDINGS
from lib.together.reading import ASKED, RIGHT, Teaching

DRAWS = 40
"""Pairs of a detector's outputs and a memory that are tried."""


class Worth(NamedTuple):
    """The largest of each over all draws, except the least loss."""

    off: float  # difference of the pull from the formula's
    ratio: float  # pull of an answer over that of a label
    exchanged: float  # change of the loss of answers when names and signs are exchanged
    blind: float  # least loss of answers where the detector has one output for all sentences, or both names are alike


def worth(temperature: float = 1.0, told: int = 0, size: float = 1.0, seed: int = 0) -> Worth:
    """Forty random detectors and memories, half of them with one output for all or both names alike.

    Args:
        told: 1 puts a detector and a memory in their place that tell all apart.
        size: of outputs and features.
    """
    generator = Generator().manual_seed(seed)
    one, none = torch.ones((), dtype=torch.float64), torch.zeros((), dtype=torch.float64)
    how = Teaching(temperature * one, WORDINGS * one, none, none)
    off, ratios, changes, blind = [], [], [], []
    for draw in range(DRAWS):
        outputs = size * torch.randn(4, generator=generator, dtype=torch.float64)
        shape = (SUBJECTS + 2 * WORDINGS, SUBJECTS, NEURONS)
        features = size * torch.randn(shape, generator=generator, dtype=torch.float64)
        pulls, formula = _pulls(outputs, features, how)
        off.append(float((pulls - formula).abs().max()))
        ratios.append(float((formula / (SHARES * torch.sigmoid(-SIGNS * outputs))).max()))
        names = features[SUBJECTS:].reshape(2, WORDINGS, SUBJECTS, NEURONS)
        other = torch.cat([features[:SUBJECTS], names.flip(0).reshape(features[SUBJECTS:].shape)])
        changes.append(float((loss(-outputs, other, how) - loss(outputs, features, how)).abs()))
        if told:
            outputs, features = 3 * SIGNS, 10 * how.temperature.sqrt() * _knowing()
        elif draw % 2:
            outputs = outputs[:1].expand(4)
        else:
            features = torch.cat([features[: SUBJECTS + WORDINGS], features[SUBJECTS : SUBJECTS + WORDINGS]])
        blind.append(float(loss(outputs, features, how)))
    return Worth(max(off), max(ratios), max(changes), min(blind))


def _pulls(outputs: Tensor, features: Tensor, how: Teaching) -> tuple[Tensor, Tensor]:
    """−y ∂L/∂F by automatic differentiation, and σ(−yF) times the mean of (m* − m′)σ(yF)/p(a*) over subjects; (4,)."""
    slope = torch.func.grad(loss)(outputs, features, how)
    own, other, sure, _ = _logs(outputs, features, how)
    of_sure = sure + _surprise(outputs, features, how)  # log σ(yF)/p(a*)
    share = torch.exp(own + of_sure) - torch.exp(other + of_sure)
    return -SIGNS * slope, SHARES * torch.sigmoid(-SIGNS * outputs) * share.mean(1)


def loss(outputs: Tensor, features: Tensor, how: Teaching) -> Tensor:
    """The loss of answers alone, :func:`lib.together.reading.loss`, by logarithms: no probability underflows; 0-d."""
    return (SHARES * _surprise(outputs, features, how).mean(1)).sum()


def _surprise(outputs: Tensor, features: Tensor, how: Teaching) -> Tensor:
    """−log p(a*) of each type of sentence and subject; (4, 3)."""
    own, other, sure, unsure = _logs(outputs, features, how)
    return -torch.logaddexp(own + sure, other + unsure)


def _logs(outputs: Tensor, features: Tensor, how: Teaching) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """log m* and log m′, (4, 3) each, and log σ(yF) and log σ(−yF), (4, 1) each."""
    memory = torch.logsumexp(reading.recalled(features, how), 2) - math.log(WORDINGS)
    right = memory[torch.arange(SUBJECTS)[:, None], :, RIGHT].permute(1, 0, 2)[ASKED]  # (4, 3, 2)
    own, other = (
        torch.take_along_dim(right, named[:, None, None], 2)[..., 0] for named in (ASKED, 1 - ASKED)
    )
    sure, unsure = (logsigmoid(sign * SIGNS * outputs)[:, None] for sign in (1, -1))
    return own, other, sure, unsure


def _knowing() -> Tensor:
    """Features of a memory that knows all facts, (11, 3, 8): on a circle, f is largest at the answer s + r modulo 3."""
    at = torch.cat([torch.arange(SUBJECTS), torch.zeros(WORDINGS), -torch.ones(WORDINGS)])
    turn = torch.where(torch.arange(len(at)) < SUBJECTS, 0, 1)[:, None] * torch.arange(SUBJECTS) + at[:, None]
    angle = 2 * math.pi * turn / SUBJECTS
    return torch.nn.functional.pad(torch.stack([angle.cos(), angle.sin()], -1), (0, NEURONS - 2)).to(
        torch.float64
    )
