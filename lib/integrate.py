"""Ordinary differential equations: Dormand and Prince's adaptive Runge-Kutta method, in traceable torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

_WEIGHTS = (
    (0.0,) * 7,
    (1 / 5, 0, 0, 0, 0, 0, 0),
    (3 / 40, 9 / 40, 0, 0, 0, 0, 0),
    (44 / 45, -56 / 15, 32 / 9, 0, 0, 0, 0),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0, 0),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0, 0),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0),
)
"""Row k combines the slopes so far into the point at which the next one is evaluated; the last gives order 5."""
_ERROR = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""The difference of the solutions of orders 5 and 4, as a combination of the seven slopes."""


class Adaptive(NamedTuple):
    """An adaptive integration under way."""

    time: Tensor  # 0-d, of the last accepted state
    state: Tensor  # (D,) the last accepted state
    size: Tensor  # 0-d, the length of the step that is attempted
    slopes: Tensor  # (7, D) its right-hand sides so far
    place: Tensor  # 0-d, which of the seven comes next


def adaptive_start(state: Tensor, size: Tensor) -> Adaptive:
    """An integration at time 0 and ``state``, (D,), whose first attempted step has length ``size``, 0-d."""
    zero = torch.zeros_like(size)
    return Adaptive(zero, state, size, torch.zeros(7, state.shape[0], dtype=torch.float64), zero)


def adaptive_step(
    slope: Callable[[Tensor], Tensor], run: Adaptive, end: Tensor, relative: float, absolute: float
) -> tuple[Adaptive, Tensor]:
    """One evaluation of an autonomous right-hand side by Dormand and Prince's pair of orders 5 and 4.

    A seventh evaluation completes an attempt, which is accepted or rejected. There is one evaluation a call, so that a
    page holds one copy of ``slope``: V8 does not optimise a function with seven.

    Args:
        slope: maps a state, (D,), to its time derivative, (D,).
        end: the last time, 0-d, reached exactly.
        relative, absolute: the tolerances on one step's error.

    Returns:
        The integration and whether it has ended.
    """
    remaining = end - run.time
    size = torch.minimum(run.size, remaining)
    place = run.place.to(torch.int64).reshape(1)
    row = torch.tensor(_WEIGHTS, dtype=torch.float64).index_select(0, place)[0]  # (7,)
    trial = run.state + size * (row @ run.slopes)
    slopes = run.slopes.index_copy(0, place, slope(trial)[None])
    tolerance = absolute + relative * torch.maximum(run.state.abs(), trial.abs())
    miss = size * (torch.tensor(_ERROR, dtype=torch.float64) @ slopes)
    error = torch.sqrt(torch.square(miss / tolerance).mean())
    error = torch.where(torch.isfinite(error), error, torch.full_like(error, 1e9))
    complete = run.place == 6
    accepted = complete & (error <= 1)
    factor = torch.clamp(0.9 * torch.clamp(error, min=1e-10) ** -0.2, 0.2, 5.0)
    first = torch.where(accepted, slopes[6], slopes[0])  # the last slope is the next step's first
    only_first = torch.cat([first[None], torch.zeros_like(slopes[1:])])  # 0 × NaN would stay NaN
    time = torch.where(accepted, torch.where(size < remaining, run.time + size, end), run.time)
    moved = Adaptive(
        time=time,
        state=torch.where(accepted, trial, run.state),
        size=torch.where(complete, size * factor, run.size),
        slopes=torch.where(complete, only_first, slopes),
        place=torch.where(complete, torch.ones_like(run.place), run.place + 1),
    )
    return moved, time >= end


def integrate(
    slope: Callable[[Tensor], Tensor], start: Adaptive, end: Tensor, relative: float, absolute: float
) -> Iterator[Adaptive]:
    """``start``, then the integration after each accepted step until ``end``; not traceable.

    The arguments are those of :func:`adaptive_step`.
    """
    yield start
    run, ended = start, bool(start.time >= end)
    while not ended:
        before = run.time
        run, done = adaptive_step(slope, run, end, relative, absolute)
        ended = bool(done)
        if bool(run.time > before):
            yield run
