"""Attention scores: their limits at infinite width, bounds on how far they move, and the margins without attention."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from lib.recognise import orbit
from lib.recognise.gram import Grams
from lib.recognise.separator import Separator
from lib.recognise.task import HOLDS, SIGNS


def score_limits(separator: Separator, counts: Tensor, length: Tensor) -> Tensor:
    """Γ: at infinite width S − S(0) tends to Γ log² τ in units of κ/(√m L N₀); (3, 3), [key, query].

    Γ[h, l] = Σ over the types that hold h and l of y n λ (g[h] − y M/L), with g, λ and the margins M of the separator.
    Traceable.
    """
    weight = SIGNS * counts * separator.multipliers  # (4,)
    ahead = separator.signals[None, :] - (SIGNS * separator.margins / length)[:, None]  # (type, key)
    pairs = HOLDS[:, :, None] * HOLDS[:, None, :]  # (type, key, query)
    return (weight[:, None, None] * pairs * ahead[:, :, None]).sum(0)


def uniform_margins(state: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """Margins y F of a sample of each type if every word got the same attention; (4,)."""
    g = orbit.word_outputs(state, sizes)
    return SIGNS * ((HOLDS * g[:, :3]).sum(1) + orbit.irrelevant(sizes) * g[:, 3])


def irrelevant_score_growth(state: orbit.Orbit, begun: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """The largest change of a score between a signal and an irrelevant word, or two of these in one sample; 0-d."""
    score, other = orbit.scores(tree_map(torch.sub, state, begun), sizes)
    return torch.stack([part.abs().amax() for part in (score[:, 3], score[:, :3, 3], other)]).amax()


def output_spread(state: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """D, the difference of the largest and the least g of a word; 0-d."""
    output = orbit.word_outputs(state, sizes)
    return output.amax() - output.amin()


def score_drive(state: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """P D ḡ/√m, 0-d: no row or column of the pushes on scores adds up, in size, to more.

    P: L times the largest attention, read off the scores; ḡ: the mean of 1/(1 + e^{y F}).
    """
    root = torch.sqrt(sizes.width)
    even = torch.exp(torch.clamp(2 * largest_score(state, sizes) / root, max=50.0))
    wrong = (sizes.counts * torch.sigmoid(-SIGNS * orbit.outputs(state, sizes))).sum() / sizes.counts.sum()
    return even * output_spread(state, sizes) * wrong / root


def largest_score(state: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """The largest |S| of two words of one sample; 0-d."""
    near, other = orbit.scores(state, sizes)
    return torch.maximum(near.abs().amax(), other.abs().amax())


def largest_entries(gram: Tensor, scalars: Tensor, sizes: orbit.Sizes) -> tuple[Tensor, Tensor]:
    """The largest entry of a word matrix on its diagonal, and the largest in size off it; both 0-d.

    Args:
        gram, scalars: its 7×7 block and its α and β (8,).
    """
    state = orbit.Orbit(Grams(gram, gram, gram, gram, gram[0], gram[0, 0]), torch.stack([scalars] * 4))
    near, other = orbit.scores(state, sizes)
    root = torch.sqrt(sizes.counts * orbit.irrelevant(sizes))
    far = (gram[3:, 3:] - torch.diag(scalars[:4])) / torch.outer(root, root)  # words of two samples
    eye = torch.eye(4, dtype=torch.float64)
    parts = (near * (1 - eye)).abs().amax(), other.abs().amax(), far.abs().amax()
    return (near * eye).amax(), torch.stack(parts).amax()


def largest_shift(path: Tensor, begun: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """A bound on the change of every score over √m, 0-d; ``path`` is the integral of :func:`score_drive` over τ.

    The largest length x of a key or query grows at most by e^a, a the path. So does what S, K and Q change by, at most
    x²(e^{2a} − 1); and what one word alone pushes is 1/L of a row.
    """
    blocks, rows = begun.blocks, begun.scalars
    lengths, others = zip(
        largest_entries(blocks.key, rows[1], sizes),
        largest_entries(blocks.query, rows[2], sizes),
        strict=True,
    )
    square, cross = torch.maximum(*lengths), torch.maximum(*others)
    change = square * 2 * path * torch.exp(torch.clamp(2 * path, max=300.0))  # at least x²(e^{2a} − 1)
    return (change / sizes.length + 2 * path * (cross + change)) / torch.sqrt(sizes.width)
