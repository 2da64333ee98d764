"""What attention scores come to: their limits at infinite width, and the margins without them."""

from __future__ import annotations

import torch
from torch import Tensor

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
    irrelevant = sizes.length - HOLDS.sum(1)
    g = state.blocks.output
    each = g[3:] / torch.sqrt(sizes.counts * irrelevant)
    return SIGNS * (HOLDS @ g[:3] + irrelevant * each)


def random_scores(state: orbit.Orbit, begun: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """The largest change of a score between a signal and an irrelevant word, or two of these in one sample; 0-d."""
    change = state.blocks.score - begun.blocks.score
    irrelevant = sizes.length - HOLDS.sum(1)
    many = torch.sqrt(sizes.counts * irrelevant)
    mixed = torch.maximum((change[3:, :3] / many[:, None]).abs().amax(), (change[:3, 3:] / many).abs().amax())
    alpha, beta = (state.scalars - begun.scalars)[0].reshape(2, 4)
    other = change.diagonal()[3:] / many**2 + alpha * (1 / irrelevant - 1 / many**2) - beta / irrelevant
    return torch.maximum(mixed, torch.maximum(other.abs(), (other + beta).abs()).amax())
