"""Descent on inner products beside descent on the transformer: the table ``book/data/recognise-agreement``.

python -m book experiments recognise agreement [--workers N|ADDRESS] [--quick]
"""

from __future__ import annotations

from typing import Any

from book.recognise.experiments.paper_model import DEFAULT, EPOCHS, PAPER, RATE, ExperimentSizes, trial
from book.recognise.experiments.training import descend, descent, looks
from lib.recognise import gram
from lib.recognise.model import Weights, descent_by_autograd

AGREEING = (DEFAULT, "uniform, a = ±1")
"""Readings in which descent on inner products is compared with the weights' own over all epochs."""


def agreement(
    reading: str, seed: int, epochs: int = EPOCHS, sizes: ExperimentSizes = PAPER
) -> list[dict[str, Any]]:
    """Gradient descent on the transformer as printed, by automatic differentiation, beside descent on inner products.

    Returns:
        one row: the largest ``apart`` at any look, a difference over the largest entry, of all six kinds of inner
        products; and how far they ``moved``, the least of the six, in the same unit.
    """
    chosen, at = trial(reading, seed, sizes=sizes), looks(epochs)

    def step(weights: Weights) -> Weights:
        slopes = descent_by_autograd(weights, chosen.output_layer, chosen.data)
        return Weights(*(w + RATE * v for w, v in zip(weights, slopes, strict=True)))

    apart = 0.0
    for state, weights in zip(descent(chosen, at), descend(chosen.weights, step, at), strict=True):
        right = gram.grams(weights, chosen.output_layer)
        apart = max(apart, *_distances(state, right))
    return [{"epochs": epochs, "apart": apart, "moved": min(_distances(chosen.start, right))}]


def _distances(ours: gram.Grams, right: gram.Grams) -> list[float]:
    """The largest difference of each kind of inner products, over the largest entry."""
    return [float((a - b).abs().max() / b.abs().max()) for a, b in zip(ours, right, strict=True)]


def cells(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """Every reading in which engine and transformer are compared."""
    if quick:
        return [{"reading": DEFAULT, "seed": 0, "epochs": 300}]
    return [{"reading": reading, "seed": 0} for reading in AGREEING]
