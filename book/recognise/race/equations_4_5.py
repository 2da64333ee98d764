"""Equations 4 and 5 of Yang et al. on the real model, against the gradients."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from book.recognise.real_model import sample_arrays, small_model
from lib.recognise.model import descent_by_autograd


class Slopes(NamedTuple):
    """The left and the right side of an equation."""

    measured: Tensor
    printed: Tensor


def output_slopes(seed: int = 0, layer_size: float = 1.0, stray: float = 1.0) -> Slopes:
    """dG/dt on all words, (d,), by the gradients and by equation 4 with its stray factor a_j set to ``stray``."""
    weights, signs, data = small_model(seed)[:3]
    layer = layer_size * signs
    velocity, s = descent_by_autograd(weights, layer, data), sample_arrays(weights, layer, data)
    received = torch.einsum("n,nlh,ndh->d", s.pull, s.attention, s.words)
    second = len(layer) * stray * received @ weights.value.T @ weights.value
    return Slopes(
        measured=(velocity.neurons.T @ layer) @ weights.value + s.neurons @ velocity.value,
        printed=s.neurons @ s.neurons * received + second,
    )


def correlation_slopes(seed: int = 0, layer_size: float = 1.0) -> Slopes:
    """d/dt of the sum of neuron correlations, 0-d, by the gradients and by equation 5, 2m₁ Σ g y F/n."""
    weights, signs, data = small_model(seed)[:3]
    layer = layer_size * signs
    velocity, s = descent_by_autograd(weights, layer, data), sample_arrays(weights, layer, data)
    return Slopes(
        measured=2 * s.neurons @ (velocity.neurons.T @ layer),
        printed=2 * len(layer) * s.pull @ s.output,
    )


class Errors(NamedTuple):
    """Relative errors of both equations."""

    first: float
    second: float


def errors(seed: int = 0, layer_size: float = 1.0) -> Errors:
    """The relative distance of both equations from the gradients, for an output layer of entries ± ``layer_size``."""
    rise, correlations = output_slopes(seed, layer_size), correlation_slopes(seed, layer_size)
    return Errors(
        first=float((rise.measured - rise.printed).abs().max() / rise.measured.abs().max()),
        second=abs(float(correlations.measured / correlations.printed - 1)),
    )
