"""Rules of descent for a live figure outside the assumptions: plain, with momentum, Adam, or with weight decay."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.together.experiments.relaxations import ADAM, MOMENTUM

TINY = 1e-8
"""What Adam adds to the root, so that it does not divide by zero."""


class Moments(NamedTuple):
    """Running means of the gradient and of its square, and how many steps they have seen."""

    mean: Tensor
    square: Tensor
    step: Tensor  # 0-d


class Rule(NamedTuple):
    """Which rule a step follows; the flags are 0-d bool, at most one of the first two is true."""

    adam: Tensor
    momentum: Tensor
    adam_rate: float
    decay: Tensor  # 0-d: by this share a step shrinks all weights


def at_rest(like: Tensor) -> Moments:
    """The moments before the first step."""
    return Moments(torch.zeros_like(like), torch.zeros_like(like), torch.zeros((), dtype=torch.float64))


def descend(x: Tensor, gradient: Tensor, rate: Tensor, rule: Rule, seen: Moments) -> tuple[Tensor, Moments]:
    """One step of ``experiments.relaxations.Trainer``, traceable.

    Args:
        x, gradient: of one shape.
        rate: of plain descent and of descent with momentum.

    Returns:
        x after the step, and the moments.
    """
    step = seen.step + 1
    running = MOMENTUM * seen.mean + (1 - MOMENTUM) * gradient
    # torch's momentum begins with the first gradient; Adam's first momentum is the same number
    mean = torch.where(rule.adam | (step > 1.5), running, gradient)
    square = ADAM[1] * seen.square + (1 - ADAM[1]) * gradient**2
    fair_mean = mean / (1 - torch.exp(step * math.log(ADAM[0])))
    fair_square = square / (1 - torch.exp(step * math.log(ADAM[1])))
    by_adam = rule.adam_rate * fair_mean / (torch.sqrt(fair_square) + TINY)
    down = torch.where(rule.adam, by_adam, rate * torch.where(rule.momentum, mean, gradient))
    return (x - down) * (1 - rule.decay), Moments(mean, square, step)
