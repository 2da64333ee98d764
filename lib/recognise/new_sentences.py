"""New sentences: the margins that training on n samples gives them, by the separator that training tends to.

A new sentence holds the same signals as a training sample of its type, but other irrelevant words. If these were never
seen their g stays at its start, and only the signals count. If they are words of the training set, drawn anew, each
brings what its own sample taught it: λ, with the sign of that sample's label.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain
from lib.recognise.orbit import Orbit
from lib.recognise.separator import Separator
from lib.recognise.task import HOLDS, SIGNS, Dataset


class Margins(NamedTuple):
    """Margins y F of new sentences over the training margin, by type.

    As τ → ∞ the loss of a type falls like τ to the power of minus its number here, or grows where that is negative.
    """

    unseen: Tensor  # (4,) of a sentence whose irrelevant words were never seen
    recombined: Tensor  # (4,) of the worst sentence whose irrelevant words are of the training set


def margins(separator: Separator, length: Tensor) -> Margins:
    """Margins of new sentences under the separator. Traceable. ``length``: L, 0-d."""
    unseen = SIGNS * (HOLDS @ separator.signals)
    # λ of the irrelevant word that hurts most: it comes from a sample with the other label
    against = torch.where(SIGNS > 0, separator.multipliers[1:].amax(), separator.multipliers[0])
    return Margins(unseen, unseen - (length - HOLDS.sum(1)) * against)


def samples_needed(length: float) -> tuple[float, float]:
    """The n above which all new sentences come right: those of unseen words, and all that recombine training words.

    3(L + 1), and the root of 3p² = (10L − 17)p + (L − 2)² times 6, where n = 6p: a negative sentence with one target
    whose L − 2 irrelevant words all come from positive ones is the last to come right.

    Raises:
        ValueError: L below 4.
    """
    length = Domain("length", low=4).check(length)
    half = 10 * length - 17
    return 3 * (length + 1), half + math.sqrt(half**2 + 12 * (length - 2) ** 2)


def forget_irrelevant(state: Orbit) -> Orbit:
    """The state with which the network meets unseen irrelevant words, in the mean: their g and their scores are 0."""
    first = (torch.arange(7) < 3).to(torch.float64)
    blocks = state.blocks._replace(
        score=state.blocks.score * torch.outer(first, first), output=state.blocks.output * first
    )
    rows = torch.tensor([0.0, 1.0, 1.0, 1.0], dtype=torch.float64)  # α and β of S, not of K, Q, G
    return Orbit(blocks, state.scalars * rows[:, None])


def separators(sets: Sequence[Dataset], rounds: int = 1000) -> Tensor:
    """The shortest g with y Σ_h g[x_h] ≥ 1 on every sample, for real training sets whose words may repeat; (B, d).

    Coordinate ascent on the dual, all sets side by side: each sample's multiplier in turn is set to its best value, at
    least 0, until none moves by more than 10⁻⁶.

    Args:
        sets: training sets of equally many samples and words.

    Raises:
        ValueError: for some set no g separates the samples (or ``rounds`` are too few): a margin stays below 0.99.
    """
    signed = torch.stack([data.labels[:, None] * word_counts(data) for data in sets])  # (B, n, d)
    kernel = signed @ signed.transpose(1, 2)
    multipliers = torch.zeros(signed.shape[:2], dtype=torch.float64)
    short = torch.ones_like(multipliers)  # 1 − margin
    for _ in range(rounds):
        before = multipliers.clone()
        for i in range(signed.shape[1]):
            old = multipliers[:, i]
            change = torch.clamp(old + short[:, i] / kernel[:, i, i], min=0) - old
            multipliers[:, i] = old + change
            short -= change[:, None] * kernel[:, i]
        if float((multipliers - before).abs().max()) < 1e-6:
            break
    if float(short.max()) > 0.01:
        raise ValueError(f"sets = {len(sets)} training sets: must be separable by their word counts")
    return (multipliers[:, None, :] @ signed)[:, 0]


def word_counts(data: Dataset) -> Tensor:
    """How often each sample has each word, (n, d)."""
    return torch.nn.functional.one_hot(data.words, data.vocabulary).sum(1).to(torch.float64)
