"""Training sets of Definition 2.1 (Yang et al.): samples of L words in four types, as word indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain

FRACTIONS = (1 / 2, 1 / 6, 1 / 6, 1 / 6)
"""Shares of the types (both targets, only μ₁, only μ₂, neither) in Definition 2.1."""
SIGNALS = ((0, 1, 2), (0, 2), (1, 2), (2,))
"""Which of μ₁, μ₂, μ₃ (words 0, 1, 2) each type holds."""
SIGNS = torch.tensor([1, -1, -1, -1], dtype=torch.float64)
"""The label of each type, (4,)."""
HOLDS = torch.tensor([[float(word in held) for word in range(3)] for held in SIGNALS], dtype=torch.float64)
"""1 where a type holds a signal, (4, 3)."""


class Dataset(NamedTuple):
    """n samples of L words.

    Attributes:
        words: (n, L) int64; words 0, 1, 2 are μ₁, μ₂, μ₃, the rest are irrelevant.
        labels: (n,) float64, +1 for co-occurrence, −1 otherwise.
        types: (n,) int64, 0 … 3 in the paper's order of I₁ … I₄.
        vocabulary: how many words there are in all, d.
    """

    words: Tensor
    labels: Tensor
    types: Tensor
    vocabulary: int


def class_counts(samples: int, fractions: Sequence[float] = FRACTIONS) -> tuple[int, int, int, int]:
    """How many samples each type gets: n times its fraction, which must be a whole number of at least 1.

    Raises:
        ValueError: not four positive fractions that add up to 1, or a share that is no whole number.
    """
    samples = int(Domain("samples", low=4, integer=True).check(samples))
    if len(fractions) != 4 or abs(sum(fractions) - 1) > 1e-9 or not min(fractions) > 0:
        raise ValueError(f"fractions = {tuple(fractions)}: must be four positive numbers that add up to 1")
    shares = [samples * fraction for fraction in fractions]
    counts = [round(share) for share in shares]
    if min(counts) < 1 or any(abs(s - c) > 1e-6 for s, c in zip(shares, counts, strict=True)):
        raise ValueError(
            f"samples = {samples}: must give each type a whole number of samples, at least 1; "
            f"the fractions {tuple(fractions)} give {tuple(round(share, 3) for share in shares)}"
        )
    return counts[0], counts[1], counts[2], counts[3]


def distinct_words_needed(counts: Sequence[int], length: int) -> int:
    """d for Assumption 2.3 (ii): the three signals and one new word for every irrelevant position."""
    return 3 + sum(count * (length - len(signals)) for count, signals in zip(counts, SIGNALS, strict=True))


def draw(
    counts: Sequence[int],
    length: int,
    generator: torch.Generator,
    vocabulary: int | None = None,
    distinct: bool = True,
) -> Dataset:
    """A training set with these numbers of samples of each type.

    Args:
        counts: samples of each of the four types, at least 1 each.
        length: L, words in a sample, at least 3.
        generator: decides every position, and the irrelevant words when they may repeat.
        vocabulary: d; by default exactly the words that distinct irrelevant ones need.
        distinct: Assumption 2.3 (ii), no irrelevant word twice; otherwise uniform among the d − 3.

    Raises:
        ValueError: an empty type, L < 3, or a vocabulary too small (the message says how many words it takes).
    """
    length = int(Domain("length", low=3, integer=True).check(length))
    if len(counts) != 4:
        raise ValueError(f"counts = {tuple(counts)}: must be four whole numbers of at least 1")
    sizes = [int(Domain(f"counts[{k}]", low=1, integer=True).check(c)) for k, c in enumerate(counts)]
    needed = distinct_words_needed(sizes, length)
    vocabulary = needed if vocabulary is None else vocabulary
    vocabulary = int(Domain("vocabulary", low=4, integer=True).check(vocabulary))
    if distinct and vocabulary < needed:
        raise ValueError(
            f"vocabulary = {vocabulary}: must be at least {needed}, one word for each irrelevant position"
        )
    types = torch.repeat_interleave(torch.arange(4), torch.tensor(sizes))
    words = torch.empty(len(types), length, dtype=torch.int64)
    fresh = 3
    for row, kind in enumerate(types.tolist()):
        signals = SIGNALS[kind]
        free = length - len(signals)
        if distinct:
            irrelevant = torch.arange(fresh, fresh + free)
            fresh += free
        else:
            irrelevant = torch.randint(3, vocabulary, (free,), generator=generator)
        order = torch.randperm(length, generator=generator)
        words[row, order] = torch.cat([torch.tensor(signals), irrelevant])
    labels = SIGNS[types]
    return Dataset(words, labels, types, vocabulary)
