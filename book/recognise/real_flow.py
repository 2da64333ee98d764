"""Gradient flow of the transformer itself, followed at moments of Phase 1."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from book.recognise.real_model import RealModel, SampleArrays, sample_arrays
from lib.integrate import adaptive_start, integrate
from lib.recognise.gram import descent
from lib.recognise.model import Weights


def _packed(weights: Weights) -> Tensor:
    return torch.cat([part.reshape(-1) for part in weights])


def _unpacked(vector: Tensor, like: Weights) -> Weights:
    sizes = [part.numel() for part in like]
    return Weights(*(part.view_as(old) for part, old in zip(vector.split(sizes), like, strict=True)))


def follow(start: RealModel, moments: Tensor) -> list[Weights]:
    """The weights of the model under gradient flow at the given rising times t."""

    def slope(vector: Tensor) -> Tensor:
        return _packed(descent(_unpacked(vector, start.weights), start.layer, start.data))

    exact_to = 1e-5 * 128 / start.weights.key.shape[0]  # a weight moves by order 1/m
    integration = adaptive_start(_packed(start.weights), moments[0] / 10)
    weights = []
    for moment in moments:
        integration = deque(integrate(slope, integration, moment, 1e-3, exact_to), 1).pop()
        weights.append(_unpacked(integration.state, start.weights))
    return weights


class Moment(NamedTuple):
    """A moment of Phase 1."""

    weights: Weights
    velocity: Weights  # their time derivative
    arrays: SampleArrays


def phase_1(start: RealModel, constant: float) -> Iterator[Moment]:
    """The model at τ = 0, then at four moments up to τ = ``constant``."""
    width = start.weights.key.shape[0]
    pace = len(start.layer) * start.variance_1 * width
    moments = constant / pace * torch.tensor([0.05, 0.2, 0.5, 1.0], dtype=torch.float64)
    for weights in (start.weights, *follow(start, moments)):
        velocity = descent(weights, start.layer, start.data)
        yield Moment(weights, velocity, sample_arrays(weights, start.layer, start.data))
