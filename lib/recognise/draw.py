"""A random start for the orbit engine: the part of Gaussian weights of width m that treats exchangeable words alike.

Seen along the seven orbit directions W_K, W_Q, W_V and u are still Gaussian, so their inner products are Wishart and
can be drawn at once, for any width. What is dropped is how single irrelevant words differ: noise of relative size
1/√m.
"""

from __future__ import annotations

import torch
from torch import Tensor

from lib import noise
from lib.recognise.gram import Grams
from lib.recognise.orbit import Orbit
from lib.recognise.task import SIGNALS

STREAMS = 6
"""How many of lib.noise's streams one start takes; neighbouring seeds share none."""
EACH = 32


def drawn(seed: Tensor, width: Tensor, attention: Tensor, size: Tensor, dimensions: Tensor) -> Orbit:
    """A start of finite width m: expected values κ I, 0 and N, with Wishart fluctuations of relative size 1/√m.

    Chi-squares are drawn by Wilson and Hilferty's cube, within 10⁻³ of a relative quantile from 16 degrees on.

    Args:
        seed: 0-d, a whole number. width: m, at least 16. attention: κ. size: N. All 0-d.
        dimensions: (2, 4), how many directions tell apart samples of a type, and words within its samples.
    """
    z = torch.cat([noise.normal(STREAMS * seed + k, EACH) for k in range(STREAMS)])
    pair = attention * _bartlett(z[:105], 14, width)
    single = _bartlett(z[105:141], 8, width)
    g = torch.sqrt(attention * size) * single[:7, 7]
    blocks = Grams(
        pair[:7, 7:], pair[:7, :7], pair[7:, 7:], attention * single[:7, :7], g, size * single[7, 7]
    )
    many = width * torch.clamp(dimensions.reshape(-1), min=1)  # (8,): α of the four types, then β
    squares = [attention * _chi_square(z[141 + 8 * k : 149 + 8 * k], many) for k in range(3)]
    score = attention * z[165:173] / torch.sqrt(many)
    return Orbit(blocks, torch.stack([score, *squares]))


def dimensions(counts: Tensor, length: Tensor) -> Tensor:
    """How many directions α and β act on: n − 1, and n times one less than the irrelevant words; (2, 4)."""
    irrelevant = length - torch.tensor([len(held) for held in SIGNALS], dtype=torch.float64)
    return torch.stack([counts - 1, counts * (irrelevant - 1)])


def _chi_square(z: Tensor, freedom: Tensor) -> Tensor:
    """χ²/freedom from standard normal numbers, by Wilson and Hilferty."""
    spread = 2 / (9 * freedom)
    return (1 - spread + z * torch.sqrt(spread)) ** 3


def _bartlett(z: Tensor, columns: int, width: Tensor) -> Tensor:
    """ZᵀZ/m for an m × ``columns`` standard Gaussian Z, from ``columns`` (``columns`` + 1)/2 normal numbers."""
    freedom = torch.clamp(width - torch.arange(columns, dtype=torch.float64), min=1)
    diagonal = torch.sqrt(_chi_square(z[:columns], freedom) * freedom)
    rows, below = torch.tril_indices(columns, columns, -1)
    lower = torch.diag(diagonal).index_put((rows, below), z[columns:])
    return (lower / torch.sqrt(width)) @ (lower / torch.sqrt(width)).T
