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
NUMBERS = 32
"""How many numbers are taken from each stream."""


def random_start(seed: Tensor, width: Tensor, attention: Tensor, size: Tensor, dimensions: Tensor) -> Orbit:
    """A random start of width m: κ I, 0 and N in the mean, with Wishart fluctuations of relative size 1/√m.

    Chi-squares are drawn by Wilson and Hilferty's cube, within 10⁻³ of a relative quantile from 16 degrees on.

    Args:
        seed: 0-d, a whole number. width: m, at least 16. attention: κ. size: N. All 0-d.
        dimensions: (2, 4), see :func:`dimensions`.
    """
    z = torch.cat([noise.normal(STREAMS * seed + k, NUMBERS) for k in range(STREAMS)])
    pair = attention * _bartlett(z[:105], 14, width)  # of [W_K, W_Q] along the seven directions
    single = _bartlett(z[105:141], 8, width)  # of [W_V, u]
    blocks = Grams(
        score=pair[:7, 7:],
        key=pair[:7, :7],
        query=pair[7:, 7:],
        value=attention * single[:7, :7],
        output=torch.sqrt(attention * size) * single[:7, 7],
        size=size * single[7, 7],
    )
    freedom = width * torch.clamp(dimensions.reshape(-1), min=1)  # (8,): α of the four types, then β
    key, query, value = (attention * _chi_square(part, freedom) for part in z[141:165].reshape(3, 8))
    score = attention * z[165:173] / torch.sqrt(freedom)
    return Orbit(blocks, torch.stack([score, key, query, value]))


def dimensions(counts: Tensor, length: Tensor) -> Tensor:
    """The numbers of directions that α and β act on, by type; (2, 4).

    Differences between samples have n − 1 directions, differences between the r irrelevant words of a sample n (r − 1).
    """
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
