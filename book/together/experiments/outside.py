"""The theorems outside their assumptions: the table ``book/data/together-outside``.

    python -m book experiments together outside [--workers N|ADDRESS] [--quick]

A row is one statement in one run: whether its conclusion holds, and the bound that says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from book.ledger import Bound
from book.together.experiments import relaxed_acquire, relaxed_recall, relaxed_recognise
from book.together.experiments.relaxations import RELAXATIONS, check

SEEDS, FEW_SEEDS = 10, 1
Verdicts = Callable[[str, int], dict[str, tuple[Bound, ...]]]
RUNS: dict[str, Verdicts] = {
    "recognise": relaxed_recognise.verdicts,
    "acquire": relaxed_acquire.verdicts,
    "recall": relaxed_recall.verdicts,
}
"""By chapter: from a relaxation and a seed to the bounds of each statement."""
NOT_APPLICABLE = {("acquire", "relu"): "ReLU is the activation of Xu and Chen's MLP"}
"""The relaxations that a paper has nothing to give up for, and why."""
SETTINGS: dict[str, Any] = {
    "recognise": {
        "samples": relaxed_recognise.SAMPLES,
        "length": relaxed_recognise.LENGTH,
        "width": relaxed_recognise.WIDTH,
        "neurons": relaxed_recognise.NEURONS,
        "sigma_0": relaxed_recognise.SIGMA_0,
        "sigma_1": relaxed_recognise.SIGMA_1,
        "steps": relaxed_recognise.STEPS,
        "adam": relaxed_recognise.ADAM,
    },
    "acquire": {
        "subjects": relaxed_acquire.SUBJECTS,
        "phrases": relaxed_acquire.PHRASES,
        "multiplicity": relaxed_acquire.MULTIPLICITY,
        "neurons": relaxed_acquire.SIZES.neurons,
        "dimension": relaxed_acquire.CONTEXT,
        "kappa": relaxed_acquire.KAPPA,
        "steps": list(relaxed_acquire.STEPS),
        "share": relaxed_acquire.TUNED,
        "adam": relaxed_acquire.ADAM,
    },
    "recall": {
        "theorem-2": {**relaxed_recall.WARM_UP._asdict(), "steps": list(relaxed_recall.WARM_UP.steps)},
        "theorem-3": {**relaxed_recall.GENERAL._asdict(), "steps": list(relaxed_recall.GENERAL.steps)},
    },
}
"""The sizes of the runs."""


def relaxed(paper: str, relaxation: str, seed: int) -> list[dict[str, Any]]:
    """One run of a paper's model with one assumption given up, a row for each of its statements.

    Returns:
        rows with the statement's id, whether its conclusion holds, and the first of its bounds that does not, or else
        the first: its name, the number measured and where it must lie.

    Raises:
        ValueError: an unknown paper or relaxation, or one that does not apply.
    """
    if paper not in RUNS:
        raise ValueError(f"paper = {paper!r}: must be one of {', '.join(RUNS)}")
    if reason := NOT_APPLICABLE.get((paper, check(relaxation))):
        raise ValueError(f"relaxation = {relaxation!r}: must apply to {paper}, but {reason}")
    return [_row(statement, bounds) for statement, bounds in RUNS[paper](relaxation, seed).items()]


def _row(statement: str, bounds: tuple[Bound, ...]) -> dict[str, Any]:
    told = next((bound for bound in bounds if not bool(bound.holds)), bounds[0])
    return {
        "statement": statement,
        "holds": int(all(bool(bound.holds) for bound in bounds)),
        "bound": told.name,
        "measured": float(told.measured),
        "must": told.words,
    }


def cells(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """Every paper, relaxation and seed."""
    return [
        {"paper": paper, "relaxation": relaxation, "seed": seed}
        for paper in RUNS
        for relaxation in RELAXATIONS
        if (paper, relaxation) not in NOT_APPLICABLE
        for seed in range(FEW_SEEDS if quick else SEEDS)
    ]
