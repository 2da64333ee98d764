"""Training at the epochs at which an experiment looks: descent and flow on inner products."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from book.recognise.common import scalar
from book.recognise.experiments.paper_model import RATE, Trial
from lib.integrate import adaptive_start, integrate
from lib.recognise import gram

TOLERANCE = 1e-7
"""Relative and absolute, on the error of one step of the flow's integration."""
State = TypeVar("State")


def looks(epochs: int) -> list[int]:
    """The epochs at which to look: 0, then eight in every factor of ten, the last included."""
    last = math.ceil(8 * math.log10(max(epochs, 1)))
    return sorted({0, epochs, *(min(round(10 ** (k / 8)), epochs) for k in range(last + 1))})


def descend(state: State, step: Callable[[State], State], epochs: Sequence[int]) -> Iterator[State]:
    """The state after each of ``epochs``, which rise, by repeated steps."""
    taken = 0
    for look in epochs:
        for _ in range(look - taken):
            state = step(state)
        taken = look
        yield state


def descent(trial: Trial, epochs: Sequence[int], rate: float = RATE) -> Iterator[gram.Grams]:
    """Gradient descent on inner products: the state after each of ``epochs``, which rise.

    Raises:
        ValueError: a step diverges.
    """

    def step(state: gram.Grams) -> gram.Grams:
        return gram.step(state, trial.data, trial.width, trial.layer, scalar(rate))

    for epoch, state in zip(epochs, descend(trial.start, step, epochs), strict=True):
        if not bool(torch.isfinite(state.output).all()):
            raise ValueError(f"rate = {rate}: must be smaller, descent diverges before epoch {epoch}")
        yield state


def flow(trial: Trial, times: Sequence[float], learned: int) -> Iterator[gram.Grams]:
    """Gradient flow: the state at each of ``times``, which rise; ``learned`` = 0 freezes W_K and W_Q."""
    words = trial.data.vocabulary

    def slope(vector: Tensor) -> Tensor:
        state = gram.unpack(vector, words)
        return gram.pack(gram.flow(state, trial.data, trial.width, trial.layer, learned))

    vector, now = gram.pack(trial.start), 0.0
    size = scalar(1e-3 / float(trial.start.size))
    for time in times:
        start = adaptive_start(vector, size)
        last = deque(integrate(slope, start, scalar(time - now), TOLERANCE, TOLERANCE), 1).pop()
        vector, size, now = last.state, torch.maximum(size, last.size), time
        yield gram.unpack(vector, words)
