"""The least loss that attention can have while both examples have as much of it, with any memory at all."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from book.together.stored.full_model import ACTIVATIONS
from lib.together import lookup, memory
from lib.together.memory import NEURONS, RELATIONS, WORDINGS

DRAWS = 40
"""Attentions that are tried with each memory."""


class EqualAttention(NamedTuple):
    """What comes out at random attention."""

    least: float  # L₁, over all draws of attention
    rivals: float  # largest p(r*) + p(r′) over the prompts of a relation and of the one that exchanges the answers


def equal_attention(
    temperature: float, tilt: float = 0.0, activation: str = "square", constructed: int = 0, seed: int = 0
) -> EqualAttention:
    """The least L₁ over random attention that both examples share evenly, but for ``tilt``.

    Args:
        tilt: by how much the first example's tokens have more attention than the second's, as a part of it.
        activation: of the neurons: "square", "relu" or "gelu".
        constructed: 1 for the memory of Huang et al., 0 for neurons drawn at random; the former is made for x².
    """
    generator = Generator().manual_seed(seed)
    pairs = torch.randn(DRAWS, 4, generator=generator, dtype=torch.float64).softmax(1)
    pairs[0] = torch.tensor([0.5, 0.5, 0.0, 0.0])
    features = _features(constructed, generator)
    least, most = math.inf, 0.0
    for s, a, query, eos in pairs:
        first, second = (1 + tilt) / 2, (1 - tilt) / 2
        v = torch.stack([s * first, a * first, s * second, a * second, query, eos])
        logs = _logs(features, v, activation, temperature)
        least = min(least, float(lookup.loss_of(logs)))
        most = max(most, float(_shared(logs)))
    return EqualAttention(least, most)


def _features(constructed: int, generator: Generator) -> Tensor:
    """(7, 6, 4, m) by token of a prompt, relation, wording and neuron."""
    if not constructed:
        shape = (memory.FIRST + 1, RELATIONS, WORDINGS, NEURONS)
        return torch.randn(shape, generator=generator, dtype=torch.float64)
    features = torch.zeros(memory.FIRST + 1, RELATIONS, WORDINGS, memory.SUBJECTS, dtype=torch.float64)
    for relation, images in enumerate(memory.ANSWERS.tolist()):
        for subject, answer in enumerate(images):
            features[[subject, memory.SUBJECTS + answer], relation, :, subject] = memory.SUBJECTS**0.5
    return features


def _logs(features: Tensor, v: Tensor, activation: str, temperature: float) -> Tensor:
    """log p(r) of each prompt, (36, 6)."""
    h = torch.einsum("i,pirwk->prwk", lookup.with_eos(v), features[lookup.PROMPTS])
    values = ACTIVATIONS[activation](h).mean(-1) / temperature
    return torch.log_softmax(torch.logsumexp(values, -1), -1)


def _shared(logs: Tensor) -> Tensor:
    """The largest sum of the probability of r* in its own prompt and of r′, its rival, in its own."""
    own = (lookup.IS_TRUE * logs.exp()).sum(1).reshape(RELATIONS, -1)  # by relation and order of subjects
    rival = lookup.IS_RIVAL.reshape(RELATIONS, -1, RELATIONS).argmax(2)
    return (own + own.gather(0, rival)).amax()
