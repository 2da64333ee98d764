"""Figure 1 at the paper's scale, by descent and by the flow: the table ``book/data/recognise-figure-1``.

python -m book experiments recognise figure-1 [--workers N|ADDRESS] [--quick]
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from book.recognise.experiments.paper_model import (
    DEFAULT,
    EPOCHS,
    PAPER,
    RATE,
    READINGS,
    ExperimentSizes,
    Trial,
    trial,
)
from book.recognise.experiments.training import descent, flow, looks
from lib.recognise import gram
from lib.recognise.new_sentences import word_counts
from lib.recognise.task import SIGNS, Dataset

SEEDS, FEWER = 10, 3
"""Seeds of every flow and of descent in the reading ``DEFAULT``; seeds of descent in the others."""


def trained(
    reading: str,
    method: str,
    words: str,
    learned: int,
    seed: int,
    epochs: int = EPOCHS,
    sizes: ExperimentSizes = PAPER,
) -> list[dict[str, Any]]:
    """Train once and look on the way: a row for each look, at t = epoch × rate.

    Args:
        reading, words, seed, sizes: see :func:`book.recognise.experiments.paper_model.trial`.
        method: "descent" or "flow".
        learned: 1, or 0 to freeze attention (flow only).
        epochs: the last.

    Raises:
        ValueError: an unknown method, or descent with attention frozen.
    """
    if method not in ("descent", "flow") or (method == "descent" and not learned):
        raise ValueError(f"method = {method!r}: must be flow, or descent with learned = 1")
    chosen, at = trial(reading, seed, words, sizes), looks(epochs)
    times = [RATE * epoch for epoch in at]
    states = descent(chosen, at) if method == "descent" else flow(chosen, times, learned)
    fixed = {
        "layer": float(chosen.layer),
        "pace": float(chosen.start.size),
        "stiffness": stiffness(chosen),
    }
    return [
        {"epoch": epoch, **fixed, **measured(state, chosen)} for epoch, state in zip(at, states, strict=True)
    ]


def measured(state: gram.Grams, chosen: Trial) -> dict[str, float]:
    """The numbers of a state that Figure 1 shows, and the test losses.

    Returns:
        loss, its part of each type; the least training margin; G on μ₁, μ₂, μ₃; scores S of key and query (``s21``:
        key 2, query 1), not divided by √m; N; loss, error and least margin on the test sets.
    """
    margins = _margins(state, chosen.data, chosen)
    losses = functional.softplus(-margins)
    row = {"loss": losses.mean()}
    row |= {f"loss_{k + 1}": losses[chosen.data.types == k].mean() for k in range(len(SIGNS))}
    row |= {"margin": margins.min(), "size": state.size}
    row |= {f"g{k + 1}": state.output[k] for k in range(3)}
    row |= {f"s{k + 1}{q + 1}": state.score[k, q] for k in range(3) for q in range(3)}
    for name, test in (("test", chosen.test), ("unseen", chosen.unseen)):
        if test is not None:
            tested = _margins(state, test, chosen)
            row |= {
                f"{name}_loss": functional.softplus(-tested).mean(),
                f"{name}_error": (tested <= 0).double().mean(),
                f"{name}_margin": tested.min(),
            }
    return {name: float(value) for name, value in row.items()}


def _margins(state: gram.Grams, data: Dataset, chosen: Trial) -> Tensor:
    """y F of every sentence, (n,)."""
    return data.labels * gram.outputs(state, data, chosen.width)


def stiffness(chosen: Trial, rate: float = RATE) -> float:
    """``rate`` times the loss's largest curvature at the start, attention uniform; descent is steady below 2.

    The curvature is ¼ of the largest eigenvalue of (N C Cᵀ + ‖a‖² C G Cᵀ)/n, C the word counts of the samples.
    """
    counts, start = word_counts(chosen.data), chosen.start
    kernel = start.size * counts @ counts.T + chosen.layer * counts @ start.value @ counts.T
    return float(rate * torch.linalg.eigvalsh(kernel)[-1] / (4 * len(counts)))


def cells(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """Descent and flow in every reading; in the default one also attention frozen and words distinct."""

    def cell(**changes: Any) -> dict[str, Any]:
        usual = {"reading": DEFAULT, "method": "flow", "words": "drawn", "learned": 1, "seed": 0}
        return {**usual, **changes}

    if quick:
        return [cell(reading=reading, epochs=100) for reading in READINGS]
    configurations = []
    for reading in READINGS:
        configurations += [cell(reading=reading, seed=seed) for seed in range(SEEDS)]
        seeds = range(SEEDS if reading == DEFAULT else FEWER)
        configurations += [cell(reading=reading, method="descent", seed=seed) for seed in seeds]
    configurations += [cell(learned=0, seed=seed) for seed in range(SEEDS)]
    return configurations + [cell(words="distinct", seed=seed) for seed in range(SEEDS)]
