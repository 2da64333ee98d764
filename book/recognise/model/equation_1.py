"""Equations 1 and 2 of Yang et al. by hand: nested sums over single vectors, against inner products alone."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from book.recognise.common import scalar
from book.recognise.real_model import small_model
from lib.recognise.gram import grams, outputs
from lib.recognise.model import Weights
from lib.recognise.task import Dataset


def nested_sums(weights: Weights, layer: Tensor, data: Dataset, relu: bool = False) -> Tensor:
    """F(X) of equation 1 for every sample, as four nested sums over single vectors; (n,)."""
    width = weights.key.shape[0]
    values = []
    for words in data.words.tolist():
        total = torch.zeros((), dtype=torch.float64)
        for query in words:
            scores = torch.stack(
                [weights.key[:, h] @ weights.query[:, query] / math.sqrt(width) for h in words]
            )
            p = torch.exp(scores) / torch.exp(scores).sum()
            attended = sum(p[k] * weights.value[:, h] for k, h in enumerate(words))
            hidden = weights.neurons @ attended
            total = total + layer @ (torch.relu(hidden) if relu else hidden)
        values.append(total)
    return torch.stack(values)


class HandComputation(NamedTuple):
    """The distance of equations 1 and 2, summed by hand, from the same by inner products."""

    output: float  # the largest difference of outputs
    loss: float  # the difference of losses
    order: float  # the largest change of an output when words swap places


def by_hand(seed: int = 0, relu: bool = False) -> HandComputation:
    """Compare equations 1 and 2, summed by hand, with Σ_l Σ_h p G(x_h) from inner products.

    Args:
        relu: whether the MLP has a ReLU, which inner products do not know.
    """
    weights, layer, data = small_model(seed)[:3]
    slow = nested_sums(weights, layer, data, bool(relu))
    quick = outputs(grams(weights, layer), data, scalar(weights.key.shape[0]))
    mixed = nested_sums(weights, layer, data._replace(words=data.words.flip(1)), bool(relu))
    mean = torch.log(1 + torch.exp(-data.labels * quick)).mean()
    loss = functional.softplus(-data.labels * slow).mean()
    return HandComputation(
        output=float((slow - quick).abs().max()),
        loss=float((mean - loss).abs()),
        order=float((mixed - slow).abs().max()),
    )
