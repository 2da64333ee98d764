"""Appendix G of Yang et al.: softmax's derivative, and how softmax changes under a perturbation."""

from __future__ import annotations

from typing import NamedTuple

import torch


class SoftmaxErrors(NamedTuple):
    """How far softmax is from its linear approximation."""

    error: float  # of the derivative along a random direction, relative to that
    remainder: float  # the largest entry of the remainder ξ over ‖ε‖²


def softmax(
    seed: int = 0, words: int = 6, scale: float = 1.0, size: float = 0.01, diagonal: bool = False
) -> SoftmaxErrors:
    """Lemmas G.1 and G.2 at one random score vector: the derivative's error, and the remainder over ‖ε‖².

    Args:
        words: how long the vector is. scale: of its entries. size: of the perturbation's, ε.
        diagonal: whether −ppᵀ is left out of the derivative, which makes it wrong.
    """
    generator = torch.Generator().manual_seed(seed)
    s, along = scale * torch.randn(2, words, generator=generator, dtype=torch.float64)
    p, moved = torch.softmax(s, 0), size * along
    derivative = p.diag() - (0 if diagonal else torch.outer(p, p))
    right = torch.func.jvp(lambda x: torch.softmax(x, 0), (s,), (along,))[1]
    remainder = torch.softmax(s + moved, 0) - p - derivative @ moved
    return SoftmaxErrors(
        error=float((derivative @ along - right).abs().max() / along.abs().max()),
        remainder=float(remainder.abs().max() / (moved @ moved)),
    )
