"""A run that meets every bound of Condition 1, and what fine-tuning extracts from it: larger than the live figure's."""

from __future__ import annotations

import math
from typing import Any

from book.acquire.condition_1 import items
from book.acquire.extraction import asked_for
from book.acquire.fine_tuning import RATE, tune
from book.acquire.pretraining import pretrained
from lib.acquire.extraction import SET
from lib.acquire.task import entropy

STEPS = 100
"""Steps of pre-training after stage I, at η̃ = 4N, at least."""
PER_SENTENCE = 0.3
"""Further steps for larger sizes: so many for each of the NK sentences, since each has less of the loss then."""


def under_condition_1(
    subjects: int = 56,
    phrases: int = 7,
    multiplicity: int = 6,
    neurons: int = 8,
    kappa: float = 0.001,
    stretch: float = 20.0,
    share: float = 0.75,
    seed: int = 0,
) -> dict[str, Any]:
    """Condition 1's items of a run, its loss, and which unseen facts are wrong after η̃t = 80.

    Args:
        subjects, phrases, multiplicity, neurons: N, R, K and m.
        kappa: m/λ².
        stretch: ‖o‖² over the number of outputs.
        share: of the frequent facts, fine-tuned.
        seed: of facts and start.

    Returns:
        the fields of :class:`~book.acquire.condition_1.Items` and these, shares but for ``tuned``.
    """
    run = pretrained(
        subjects,
        phrases,
        multiplicity,
        neurons,
        kappa,
        stretch=stretch,
        first=1.56,
        steps_2=0,
        steps_3=max(STEPS, round(PER_SENTENCE * subjects * multiplicity)),
        pace=4.0,
        seed=seed,
    )
    full, low = (tune(run, share, round(SET / RATE), variant) for variant in ("full", "rank 1"))
    random_guess = math.log(run.sizes.outputs) - float(entropy(run.known))
    wrong, wrong_low = (1 - curve.accuracy[-1] for curve in (full, low))
    return {
        **items(run)._asdict(),
        "tuned": float(full.chosen.sum()),
        "asked_for": float(asked_for(phrases, multiplicity)),
        "relative": run.moments[-1].excess / random_guess,
        "wrong": float(wrong[0]),  # of the unseen facts, by full steps
        "frequent": float(wrong[1].nan_to_num(0.0)),  # of the frequent ones among them
        "rare": float(wrong[2]),
        "wrong_low": float(wrong_low[0]),  # by rank-1 steps
        "frequent_low": float(wrong_low[1].nan_to_num(0.0)),
        "rare_low": float(wrong_low[2]),
    }
