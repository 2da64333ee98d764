"""What attention scores come to: their limits at infinite width, and the margins without them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from lib.recognise import orbit
from lib.recognise.limit import Limit
from lib.recognise.task import HOLDS, SIGNS


def score_limits(limit: Limit, counts: Tensor, length: Tensor) -> Tensor:
    """Γ: at infinite width S − S(0) tends to Γ log² τ in units of κ/(√m L N₀); (3, 3), [key, query].

    Γ[h, l] = Σ over the types that hold h and l of y n λ (g[h] − y M/L), with g, λ and the margins M of the separator.
    Traceable.
    """
    weight = SIGNS * counts * limit.multipliers  # (4,)
    ahead = limit.signals[None, :] - (SIGNS * limit.margins / length)[:, None]  # (type, key)
    pairs = HOLDS[:, :, None] * HOLDS[:, None, :]  # (type, key, query)
    return (weight[:, None, None] * pairs * ahead[:, :, None]).sum(0)


def uniform_margins(state: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """Margins if every word got the same attention: y (G over its signals + its irrelevant words); (4,)."""
    g = orbit.word_outputs(state, sizes)
    return SIGNS * ((HOLDS * g[:, :3]).sum(1) + orbit.irrelevant(sizes) * g[:, 3])


def random_scores(state: orbit.Orbit, begun: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """The largest change of a score between a signal and an irrelevant word, or two of these in one sample; 0-d."""
    score, other = orbit.scores(tree_map(torch.sub, state, begun), sizes)
    return torch.stack([part.abs().amax() for part in (score[:, 3], score[:, :3, 3], other)]).amax()
