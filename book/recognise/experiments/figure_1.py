"""The experiment of Yang et al., Appendix A, at the paper's scale: tables in ``book/data/``.

    python -m book.recognise.experiments figure-1|agreement [--workers N|ADDRESS] [--quick]

The paper fixes 60 samples of 5 words, d = 64, m = 128, m₁ = 256, and 30 000 epochs of gradient descent at rate 0.01.
It says "Kaiming initialization", which leaves open the law, and the size of the output layer a: section 2.2 has
a = ±1. We run five readings. It leaves open, too, whether irrelevant words repeat; d = 64 words cannot be distinct.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn import functional

from book.recognise.common import scalar
from lib.integrate import adaptive_start, integrate
from lib.recognise import gram
from lib.recognise.model import Weights, descent_by_autograd
from lib.recognise.new_sentences import word_counts
from lib.recognise.task import SIGNS, Dataset, class_counts, distinct_words_needed, draw

SAMPLES, LENGTH, WORDS, WIDTH, NEURONS = 60, 5, 64, 128, 256
RATE, EPOCHS = 0.01, 30_000
SEEDS, FEWER = 10, 3
"""Seeds of every flow and of descent in the reading ``DEFAULT``; seeds of descent in the others."""
TESTED = 3000
UNSEEN = 61
"""Words beside those of the training set where irrelevant words are distinct: nothing is learned about them."""
TOLERANCE = 1e-7


class Reading(NamedTuple):
    """One reading of "Kaiming initialization". ``law``: "normal", N(0, 2/fan-in), or "uniform", U(±1/√fan-in).

    ``layer``: how a is drawn: "sign" (±1), "small sign" (±1/√m₁), or by the same law as the rest.
    """

    law: str
    layer: str


READINGS = {
    "normal, a = ±1": Reading("normal", "sign"),
    "normal, all layers": Reading("normal", "law"),
    "uniform, a = ±1": Reading("uniform", "sign"),
    "uniform, a = ±1/16": Reading("uniform", "small sign"),
    "uniform, all layers": Reading("uniform", "law"),
}
"""The last is what ``torch.nn.Linear`` does when nothing is said: ``kaiming_uniform_`` with a = √5."""
DEFAULT = "uniform, all layers"
AGREEING = (DEFAULT, "uniform, a = ±1")
"""Readings in which descent on inner products is compared with the weights' own over all epochs."""


class Trial(NamedTuple):
    """What a seed decides: training and test sets, the start and its inner products, ‖a‖².

    ``unseen``: a test set whose irrelevant words are in no training sample; None where all words are in use.
    """

    data: Dataset
    test: Dataset
    unseen: Dataset | None
    weights: Weights
    output_layer: Tensor
    start: gram.Grams
    layer: Tensor


def trial(reading: str, seed: int, words: str = "drawn") -> Trial:
    """Draw data and weights.

    Args:
        reading: a key of ``READINGS``.
        words: "drawn" uniformly, as in Definition 2.1, or "distinct", as in Assumption 2.3 (ii).

    Raises:
        ValueError: ``reading`` or ``words`` is none of these.
    """
    if reading not in READINGS:
        raise ValueError(f"reading = {reading!r}: must be one of {', '.join(READINGS)}")
    if words not in ("drawn", "distinct"):
        raise ValueError(f"words = {words!r}: must be drawn or distinct")
    generator = Generator().manual_seed(seed)
    counts = class_counts(SAMPLES)
    used = WORDS if words == "drawn" else distinct_words_needed(counts, LENGTH)
    data = draw(counts, LENGTH, generator, vocabulary=used, distinct=words == "distinct")
    tested = class_counts(TESTED)
    test = draw(tested, LENGTH, generator, vocabulary=used, distinct=False)
    unseen = None
    vocabulary = used
    if words == "distinct":
        vocabulary += UNSEEN
        other = draw(tested, LENGTH, generator, vocabulary=3 + UNSEEN, distinct=False)
        moved = torch.where(other.words > 2, other.words + used - 3, other.words)
        unseen = other._replace(words=moved, vocabulary=vocabulary)
    weights, layer = initial(READINGS[reading], vocabulary, WIDTH, generator)
    whole = data._replace(vocabulary=vocabulary), test._replace(vocabulary=vocabulary)
    return Trial(*whole, unseen, weights, layer, gram.grams(weights, layer), layer @ layer)


def initial(reading: Reading, vocabulary: int, width: int, generator: Generator) -> tuple[Weights, Tensor]:
    """Weights and output layer. W_V, W_K and W_Q have fan-in 64 whatever the vocabulary, so that κ stays."""

    def matrix(rows: int, columns: int, fan_in: int) -> Tensor:
        if reading.law == "normal":
            drawn = torch.randn(rows, columns, dtype=torch.float64, generator=generator)
            return math.sqrt(2 / fan_in) * drawn
        drawn = torch.rand(rows, columns, dtype=torch.float64, generator=generator)
        return (2 * drawn - 1) / math.sqrt(fan_in)

    attention = [matrix(width, vocabulary, WORDS) for _ in range(3)]
    neurons, layer = matrix(NEURONS, width, width), matrix(1, NEURONS, NEURONS)[0]
    if reading.layer != "law":
        layer = torch.sign(layer) / (1 if reading.layer == "sign" else math.sqrt(NEURONS))
    return Weights(neurons, *attention), layer


def looks(epochs: int) -> list[int]:
    """Epochs to look at: 0, then eight in every factor of ten, the last included."""
    last = math.ceil(8 * math.log10(max(epochs, 1)))
    return sorted({0, epochs, *(min(round(10 ** (k / 8)), epochs) for k in range(last + 1))})


def descent(known: Trial, epochs: Sequence[int], rate: float = RATE) -> Iterator[gram.Grams]:
    """Gradient descent: the state after each of ``epochs``, which rise.

    Raises:
        ValueError: a step diverges.
    """
    state, taken = known.start, 0
    for look in epochs:
        for _ in range(look - taken):
            state = gram.step(state, known.data, scalar(WIDTH), known.layer, scalar(rate))
        taken = look
        if not bool(torch.isfinite(state.output).all()):
            raise ValueError(f"rate = {rate}: must be smaller, descent diverges before epoch {look}")
        yield state


def flow(known: Trial, times: Sequence[float], learned: int) -> Iterator[gram.Grams]:
    """Gradient flow: the state at each of ``times``, which rise; ``learned`` = 0 freezes W_K and W_Q."""
    words = known.data.vocabulary

    def slope(vector: Tensor) -> Tensor:
        state = gram.unpack(vector, words)
        return gram.pack(gram.flow(state, known.data, scalar(WIDTH), known.layer, learned))

    vector, now = gram.pack(known.start), 0.0
    size = scalar(1e-3 / float(known.start.size))
    for time in times:
        start = adaptive_start(vector, size)
        going = deque(integrate(slope, start, scalar(time - now), TOLERANCE, TOLERANCE), 1).pop()
        vector, size, now = going.state, torch.maximum(size, going.size), time
        yield gram.unpack(vector, words)


def measured(state: gram.Grams, known: Trial) -> dict[str, float]:
    """What Figure 1 shows of a state, and the test loss.

    Returns:
        loss, its part of each type; the least training margin; G on μ₁, μ₂, μ₃; scores S of key and query (``s21``:
        key 2, query 1), not divided by √m; N; loss, error and least margin on the test sets.
    """
    margins = known.data.labels * gram.outputs(state, known.data, scalar(WIDTH))
    losses = functional.softplus(-margins)
    row = {"loss": losses.mean()}
    row |= {f"loss_{k + 1}": losses[known.data.types == k].mean() for k in range(len(SIGNS))}
    row |= {"margin": margins.min(), "size": state.size}
    row |= {f"g{k + 1}": state.output[k] for k in range(3)}
    row |= {f"s{k + 1}{q + 1}": state.score[k, q] for k in range(3) for q in range(3)}
    for name, test in (("test", known.test), ("unseen", known.unseen)):
        if test is not None:
            found = test.labels * gram.outputs(state, test, scalar(WIDTH))
            row |= {
                f"{name}_loss": functional.softplus(-found).mean(),
                f"{name}_error": (found <= 0).double().mean(),
                f"{name}_margin": found.min(),
            }
    return {name: float(value) for name, value in row.items()}


def stiffness(known: Trial, rate: float = RATE) -> float:
    """``rate`` times the loss's largest curvature at the start, attention uniform; descent is steady below 2.

    The curvature is ¼ of the largest eigenvalue of (N C Cᵀ + ‖a‖² C G Cᵀ)/n, C the word counts of the samples.
    """
    counts = word_counts(known.data)
    kernel = known.start.size * counts @ counts.T + known.layer * counts @ known.start.value @ counts.T
    return float(rate * torch.linalg.eigvalsh(kernel)[-1] / (4 * len(counts)))


def trained(
    reading: str, method: str, words: str, learned: int, seed: int, epochs: int = EPOCHS
) -> list[dict[str, Any]]:
    """Train once and look on the way: a row for each look, at t = epoch × rate.

    Args:
        reading, words, seed: see :func:`trial`.
        method: "descent" or "flow".
        learned: 1, or 0 to freeze attention (flow only).
        epochs: the last.

    Raises:
        ValueError: an unknown method, or descent with attention frozen.
    """
    if method not in ("descent", "flow") or (method == "descent" and not learned):
        raise ValueError(f"method = {method!r}: must be flow, or descent with learned = 1")
    known, at = trial(reading, seed, words), looks(epochs)
    times = [RATE * epoch for epoch in at]
    states = descent(known, at) if method == "descent" else flow(known, times, learned)
    fixed = {"layer": float(known.layer), "pace": float(known.start.size), "stiffness": stiffness(known)}
    return [
        {"epoch": epoch, **fixed, **measured(state, known)} for epoch, state in zip(at, states, strict=True)
    ]


def agreement(reading: str, seed: int, epochs: int = EPOCHS) -> list[dict[str, Any]]:
    """Gradient descent on the transformer as printed, by automatic differentiation, beside descent on inner products.

    Returns:
        one row: the largest ``apart`` at any look, a difference over the largest entry, of all six kinds of inner
        products; and how far they ``moved``, the least of the six, in the same unit.
    """
    known, at = trial(reading, seed), looks(epochs)
    weights, taken, apart = known.weights, 0, 0.0
    for look, state in zip(at, descent(known, at), strict=True):
        for _ in range(look - taken):
            slopes = descent_by_autograd(weights, known.output_layer, known.data)
            weights = Weights(*(w + RATE * v for w, v in zip(weights, slopes, strict=True)))
        taken = look
        right = gram.grams(weights, known.output_layer)
        apart = max(apart, *_gaps(state, right))
    return [{"epochs": epochs, "apart": apart, "moved": min(_gaps(known.start, right))}]


def _gaps(ours: gram.Grams, right: gram.Grams) -> list[float]:
    return [float((a - b).abs().max() / b.abs().max()) for a, b in zip(ours, right, strict=True)]


def figure_1(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """Descent and flow in every reading; in the default one also attention frozen and words distinct."""

    def cell(reading: str, method: str, words: str, learned: int, seed: int) -> dict[str, Any]:
        return {"reading": reading, "method": method, "words": words, "learned": learned, "seed": seed}

    if quick:
        return [cell(reading, "flow", "drawn", 1, 0) for reading in READINGS]
    cells = []
    for reading in READINGS:
        cells += [cell(reading, "flow", "drawn", 1, seed) for seed in range(SEEDS)]
        some = SEEDS if reading == DEFAULT else FEWER
        cells += [cell(reading, "descent", "drawn", 1, seed) for seed in range(some)]
    cells += [cell(DEFAULT, "flow", "drawn", 0, seed) for seed in range(SEEDS)]
    return cells + [cell(DEFAULT, "flow", "distinct", 1, seed) for seed in range(SEEDS)]


def agreements(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """Every reading in which engine and transformer are compared."""
    return [{"reading": reading, "seed": 0} for reading in ((DEFAULT,) if quick else AGREEING)]
