"""The data and the start of the paper's experiment (Yang et al., Appendix A), in five readings of the text.

The paper fixes 60 samples of 5 words, d = 64, m = 128, m₁ = 256, and 30 000 epochs of gradient descent at rate 0.01.
It says "Kaiming initialization", which leaves open the law, and the size of the output layer a: section 2.2 has
a = ±1. We run five readings. It leaves open, too, whether irrelevant words repeat; d = 64 words cannot be distinct.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from lib.recognise import gram
from lib.recognise.model import Weights
from lib.recognise.task import Dataset, class_counts, distinct_words_needed, draw

RATE, EPOCHS = 0.01, 30_000


class ExperimentSizes(NamedTuple):
    """The sizes of data and model; the defaults are the paper's."""

    samples: int = 60  # n
    length: int = 5  # L
    words: int = 64  # d, also the fan-in of W_V, W_K and W_Q
    width: int = 128  # m
    neurons: int = 256  # m₁
    tested: int = 3000  # new sentences in each test set
    unseen: int = 61  # words beside those of the training set, if irrelevant words are distinct there


PAPER = ExperimentSizes()


class Reading(NamedTuple):
    """One reading of "Kaiming initialization"."""

    law: str  # "normal", N(0, 2/fan-in), or "uniform", U(±1/√fan-in)
    layer: str  # the law of a: "sign" (±1), "small sign" (±1/√m₁), or "law", that of the other weights


READINGS = {
    "normal, a = ±1": Reading("normal", "sign"),
    "normal, all layers": Reading("normal", "law"),
    "uniform, a = ±1": Reading("uniform", "sign"),
    "uniform, a = ±1/16": Reading("uniform", "small sign"),
    "uniform, all layers": Reading("uniform", "law"),
}
"""The last is what ``torch.nn.Linear`` does when nothing is said: ``kaiming_uniform_`` with a = √5."""
DEFAULT = "uniform, all layers"


class Trial(NamedTuple):
    """What a seed decides."""

    data: Dataset
    test: Dataset
    unseen: (
        Dataset | None
    )  # a test set of irrelevant words outside the training set; None if all words are in use
    weights: Weights
    output_layer: Tensor  # (m₁,) a
    start: gram.Grams  # inner products of the weights
    layer: Tensor  # 0-d, ‖a‖²
    width: Tensor  # 0-d, m


def trial(reading: str, seed: int, words: str = "drawn", sizes: ExperimentSizes = PAPER) -> Trial:
    """Draw data and weights.

    Args:
        reading: a key of :data:`READINGS`.
        words: "drawn" uniformly, as in Definition 2.1, or "distinct", as in Assumption 2.3 (ii).

    Raises:
        ValueError: ``reading`` or ``words`` is none of these.
    """
    if reading not in READINGS:
        raise ValueError(f"reading = {reading!r}: must be one of {', '.join(READINGS)}")
    if words not in ("drawn", "distinct"):
        raise ValueError(f"words = {words!r}: must be drawn or distinct")
    generator = Generator().manual_seed(seed)
    counts, length = class_counts(sizes.samples), sizes.length
    used = sizes.words if words == "drawn" else distinct_words_needed(counts, length)
    data = draw(counts, length, generator, vocabulary=used, distinct=words == "distinct")
    tested = class_counts(sizes.tested)
    test = draw(tested, length, generator, vocabulary=used, distinct=False)
    unseen, vocabulary = None, used
    if words == "distinct":
        vocabulary += sizes.unseen
        other = draw(tested, length, generator, vocabulary=3 + sizes.unseen, distinct=False)
        moved = torch.where(other.words > 2, other.words + used - 3, other.words)
        unseen = other._replace(words=moved, vocabulary=vocabulary)
    weights, layer = initial_weights(READINGS[reading], vocabulary, generator, sizes)
    return Trial(
        data=data._replace(vocabulary=vocabulary),
        test=test._replace(vocabulary=vocabulary),
        unseen=unseen,
        weights=weights,
        output_layer=layer,
        start=gram.grams(weights, layer),
        layer=layer @ layer,
        width=torch.tensor(float(sizes.width), dtype=torch.float64),
    )


def initial_weights(
    reading: Reading, vocabulary: int, generator: Generator, sizes: ExperimentSizes = PAPER
) -> tuple[Weights, Tensor]:
    """Weights and output layer. W_V, W_K and W_Q have fan-in 64 whatever the vocabulary, so that κ stays."""

    def matrix(rows: int, columns: int, fan_in: int) -> Tensor:
        if reading.law == "normal":
            normal = torch.randn(rows, columns, dtype=torch.float64, generator=generator)
            return math.sqrt(2 / fan_in) * normal
        uniform = torch.rand(rows, columns, dtype=torch.float64, generator=generator)
        return (2 * uniform - 1) / math.sqrt(fan_in)

    width, neurons = sizes.width, sizes.neurons
    attention = [matrix(width, vocabulary, sizes.words) for _ in range(3)]
    weights = Weights(matrix(neurons, width, width), *attention)
    layer = matrix(1, neurons, neurons)[0]
    if reading.layer != "law":
        layer = torch.sign(layer) / (1 if reading.layer == "sign" else math.sqrt(neurons))
    return weights, layer
