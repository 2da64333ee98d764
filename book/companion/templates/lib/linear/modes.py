"""What the paper derives: with whitened inputs and a balanced start each mode learns alone, along a sigmoid.

In continuous time t, the number of steps times the learning rate, its strength u obeys u′ = 2u (s − u).
"""

from __future__ import annotations

import torch
from torch import Tensor


def strength(time: Tensor, singular_value: Tensor, start: Tensor) -> Tensor:
    """u(t) = s / (1 + (s/u₀ − 1) e^{−2st}), the sigmoid from u₀ to s."""
    return singular_value / (1 + (singular_value / start - 1) * torch.exp(-2 * singular_value * time))


def half_time(singular_value: Tensor, start: Tensor) -> Tensor:
    """The time at which u = s/2: ln(s/u₀ − 1) / 2s."""
    return torch.log(singular_value / start - 1) / (2 * singular_value)


def layers_step(first: Tensor, second: Tensor, singular_value: Tensor, rate: Tensor) -> tuple[Tensor, Tensor]:
    """One step of gradient descent on a mode alone, a ← a + λ b (s − ab) and b ← b + λ a (s − ab).

    With whitened inputs and an aligned start this is what :func:`lib.linear.network.step` does to each mode, exactly.
    """
    error = singular_value - first * second
    return first + rate * second * error, second + rate * first * error
