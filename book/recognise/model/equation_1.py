"""Equations 1 and 2 of Yang et al. by hand: nested sums over single vectors, against inner products alone."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from book.recognise.common import scalar
from book.recognise.real import small
from lib.recognise.gram import grams, outputs
from lib.recognise.model import Weights
from lib.recognise.task import Dataset


def by_the_book(weights: Weights, layer: Tensor, data: Dataset, relu: bool = False) -> Tensor:
    """Equation 1 as four nested sums, nothing vectorised but single vectors; (n,)."""
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


def by_hand(seed: int = 0, relu: bool = False) -> dict[str, float]:
    """Equation 1 summed by hand, against Σ_l Σ_h p G(x_h) from inner products; and with the order of words reversed."""
    weights, layer, data = small(seed)[:3]
    slow = by_the_book(weights, layer, data, bool(relu))
    quick = outputs(grams(weights, layer), data, scalar(weights.key.shape[0]))
    mixed = by_the_book(weights, layer, data._replace(words=data.words.flip(1)), bool(relu))
    mean = torch.log(1 + torch.exp(-data.labels * quick)).mean()
    loss = functional.softplus(-data.labels * slow).mean()
    return {
        "linear": not relu,
        "output": float((slow - quick).abs().max()),
        "loss": float((mean - loss).abs()),
        "order": float((mixed - slow).abs().max()),
    }
