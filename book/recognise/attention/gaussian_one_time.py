"""Theorem 3.3 as one event on the transformer itself: from Gaussian weights, with new sentences, at several widths."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import softplus

from book.ledger.rates import fit_power
from book.recognise import gaussian_flow
from book.recognise.gaussian_phase_2 import ASSUMED, WORDS, Moment, Run, begin, moments, of_scores
from lib.recognise.task import SIGNALS, SIGNS, Dataset

WIDTHS = (256, 1024, 4096, 16384)
"""m, over more than a decade and a half."""
SENTENCES = 50
"""New sentences of each type: so many of words never seen, and so many that recombine words of the training set."""
NEW_WORDS = 24
"""How many words are in no sample."""


def one_time(
    seed: int = 0,
    samples: int = 66,
    length: int = 4,
    neurons: int = 16,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    constant: float = 40.0,
) -> dict[str, Any]:
    """Gradient flow from a start at each of :data:`WIDTHS` until T⋆ = C m²/N₀; a few numbers, and powers of m.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁. constant: C.
    """
    rows = []
    for width in WIDTHS:
        run = begin(seed, samples, length, width, neurons, sigma_0, sigma_1, NEW_WORDS)
        *_, end = moments(run, constant * width**2)
        scores = of_scores(run, end)
        rows.append(
            {
                "training": end.loss,
                "unseen": _loss(run, end, _unseen(run, seed)),
                "recombined": _loss(run, end, _recombined(run, end, seed)),
                "fewest": scores["least_coefficient"],
                "most": scores["coefficient"],
                "irrelevant": _irrelevant(run, end),
            }
        )
    table = {name: [row[name] for row in rows] for name in rows[0]}
    powers = {name: fit_power(WIDTHS, table[name]) for name in ("training", "unseen", "recombined")}
    return {
        **powers,
        "loss": max(width**2 * loss for width, loss in zip(WIDTHS, table["training"], strict=True)),
        "worst": max(table["unseen"] + table["recombined"]),
        "fewest": min(table["fewest"]),
        "most": max(table["most"]),
        "irrelevant": max(table["irrelevant"]),
    }


def _irrelevant(run: Run, end: Moment) -> float:
    """n times the largest entry of C with an irrelevant word, or two of them, over C₁₂ and 1 + nL/√m."""
    grown = end.state.key @ end.state.query.T - run.begun.key @ run.begun.query.T
    largest = max(grown[WORDS:].abs().max(), grown[:, WORDS:].abs().max())
    n, length = run.data.words.shape
    return n * float(largest / grown[0, 1].abs()) / (1 + n * length / math.sqrt(run.sizes.width))


def _loss(run: Run, end: Moment, sentences: Dataset) -> float:
    """The largest loss of a sentence."""
    outputs = gaussian_flow.samples(end.state, sentences, run.sizes.width).outputs
    return float(softplus(-sentences.labels * outputs).max())


def _sentences(run: Run, irrelevant: list[Tensor]) -> Dataset:
    """Sentences of each type with the first of its irrelevant words, a row for each sentence."""
    length, types = run.data.words.shape[1], []
    for kind, (held, words) in enumerate(zip(SIGNALS, irrelevant, strict=True)):
        signals = torch.tensor(held).expand(len(words), -1)
        types.append(
            (torch.cat([signals, words[:, : length - len(held)]], 1), torch.full((len(words),), kind))
        )
    words, kinds = (torch.cat(parts) for parts in zip(*types, strict=True))
    return Dataset(words, SIGNS[kinds], kinds, run.data.vocabulary)


def _unseen(run: Run, seed: int) -> Dataset:
    """Sentences of words that are in no sample."""
    generator = torch.Generator().manual_seed(seed)
    places = torch.stack([torch.randperm(NEW_WORDS, generator=generator) for _ in range(SENTENCES)])
    return _sentences(run, [run.data.vocabulary - 1 - places] * 4)


def _recombined(run: Run, end: Moment, seed: int) -> Dataset:
    """Sentences of words of the training set: at random, and of those whose G speaks most against the label."""
    length = run.data.words.shape[1]
    generator = torch.Generator().manual_seed(seed)
    known = torch.unique(run.data.words[run.data.words >= len(SIGNALS[0])])
    output = (end.state.value @ end.state.neurons)[known]
    drawn = known[torch.randint(len(known), (SENTENCES, length), generator=generator)]
    worst = [known[(sign * output).argsort()[:length]][None] for sign in SIGNS]
    return _sentences(run, [torch.cat([drawn, words]) for words in worst])


def is_wide(p: Any) -> bool:
    """Whether the least of :data:`WIDTHS` is as wide as Condition 1 asks, with the constants of this book."""
    least = SimpleNamespace(**vars(p), width=WIDTHS[0])
    return all(ASSUMED[name][1](None, least) for name in ("wide", "long"))
