"""Random numbers that are a pure function of a seed, exact in float64, so that a page draws what torch draws.

Torch's generators do not exist in a web page. These numbers need only products below 2⁵³ and remainders, which
IEEE doubles carry out exactly everywhere. The page runs the same torch code, traced.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

PRIME = 67_108_859
"""The largest prime below 2²⁶. It is 2 mod 3, so x ↦ x³ permutes the field, and x·(x² mod p) stays below 2⁵³."""

CONSTANTS = tuple(math.floor(math.sqrt(prime) % 1 * PRIME) for prime in (2, 3, 5, 7, 11, 13, 17, 19))
"""One for each round: digits of the square roots of the first primes, so that nobody could choose them."""
STRIDE = 64
"""How many numbers belong to one seed; the streams of different seeds do not overlap."""


def uniform(seed: Tensor, count: int) -> Tensor:
    """``count`` numbers, uniform on (0, 1), from a whole-number ``seed``.

    Counter mode: number k of seed s is the image of 64 s + k under eight rounds of x ↦ x³ + c (mod p), a
    permutation of the field (the round of the cipher MiMC).

    Args:
        seed: 0-d float64, a whole number from 0 to 10⁶.
        count: at most 64.

    Returns:
        (count,) float64.

    Raises:
        ValueError: ``count`` outside 1 … 64.
    """
    if not 1 <= count <= STRIDE:
        raise ValueError(f"count = {count}: must be a whole number from 1 to {STRIDE}")
    x = torch.remainder(seed * STRIDE + torch.arange(1, count + 1, dtype=torch.float64), PRIME)
    for constant in CONSTANTS:
        square = torch.remainder(x * x, PRIME)
        x = torch.remainder(x * square + constant, PRIME)
    return (x + 0.5) / PRIME


def ball(seed: Tensor, dimension: int, radius: Tensor) -> Tensor:
    """A point drawn uniformly from the ball of ``radius`` about 0: ξ = r u^{1/d} g/‖g‖ with g standard normal.

    Args:
        seed: 0-d float64, a whole number.
        dimension: d, at most 62.
        radius: 0-d float64, at least 0.

    Returns:
        (d,) float64.
    """
    pairs = (dimension + 1) // 2
    u = uniform(seed, 2 * pairs + 1)
    normal = _box_muller(u[:pairs], u[pairs : 2 * pairs])[:dimension]
    return radius * u[2 * pairs] ** (1 / dimension) * normal / torch.sqrt((normal * normal).sum())


def normal(seed: Tensor, count: int) -> Tensor:
    """``count`` standard normal numbers, at most 64, from a whole-number ``seed`` as in :func:`uniform`; (count,)."""
    pairs = (count + 1) // 2
    u = uniform(seed, 2 * pairs)
    return _box_muller(u[:pairs], u[pairs:])[:count]


def normals(seed: Tensor, count: int, offset: int) -> Tensor:
    """Any number of standard normal numbers, from n = ⌈count/64⌉ seeds of :func:`normal`; (count,).

    Args:
        seed: 0-d, a whole number s: the seeds are offset + s n, …, offset + s n + n − 1, which must stay below 10⁶.
        offset: separates them from other numbers that are drawn.
    """
    streams = -(-count // STRIDE)
    seeds = offset + seed * streams + torch.arange(streams, dtype=torch.float64)
    return torch.func.vmap(lambda stream: normal(stream, STRIDE))(seeds).reshape(-1)[:count]


def _box_muller(first: Tensor, second: Tensor) -> Tensor:
    """Two standard normal numbers from each pair of uniform ones: (k,), (k,) → (2k,)."""
    length, angle = torch.sqrt(-2 * torch.log(first)), 2 * math.pi * second
    return torch.cat([length * torch.cos(angle), length * torch.sin(angle)])
