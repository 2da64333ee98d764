"""How far two reductions of the simplified model are from it: the table ``book/data/acquire-reductions``.

    python -m book.acquire.experiments reductions [--workers N|ADDRESS] [--quick]

The model has m neurons for each output and a random start. Reduction A has one, always active, and no start; reduction
B, :mod:`book.acquire.experiments.mean_field`, averages over facts and phrases in pre-training besides. "always active"
and "rectified" say what A's neuron does in fine-tuning; B's is rectified there. Beside them is what a second random
start gives, which is as near as a reduction can hope to come.
"""

from __future__ import annotations

import math
from collections import deque
from itertools import product
from typing import Any

import torch
from torch import Generator, Tensor

from book.acquire.experiments import mean_field
from book.acquire.experiments.mean_field import ACTIVE, Questions
from lib.acquire import course, task, tokens
from lib.acquire.course import STAGE_1
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes, State

SUBJECTS, PHRASES, FREQUENT = 48, 8, 0.5
NEURONS, SCALE = 8, 1e-3
STEPS, RATE = 75, 4.0
"""Steps after stage I, at rate η̃ = ``RATE`` N."""
TUNED_STEPS, TUNED_RATE = 60, 4.0
SHARES = (0.25, 0.5, 0.75)
MULTIPLICITIES, KAPPAS, FIRST, SEEDS = (1, 2, 4, 8), (0.001, 0.004, 0.02), (1.4, 2.2), 3
"""``FIRST``: rates of stage I in units of :func:`~lib.acquire.course.first_rate`."""
ANOTHER = 1000
"""Seeds of the second starts begin here."""
SHIFT = 1e5
"""Added to every feature, it keeps every neuron active and changes nothing else: outputs all rise alike."""
SETTINGS = {
    "subjects": SUBJECTS,
    "phrases": PHRASES,
    "frequent_share": FREQUENT,
    "neurons": NEURONS,
    "scale": SCALE,
    "steps": STEPS,
    "rate": RATE,
    "tuned_steps": TUNED_STEPS,
    "tuned_rate": TUNED_RATE,
    "stage_1": STAGE_1,
}


def halved(state: State, down: State, rate: float, kappa: float) -> State:
    """A step of one neuron that stands for the share ``ACTIVE`` of many: features move by so much less, scores not."""
    return tokens.moved(state, down, ACTIVE * rate, kappa / ACTIVE)


def full(known: Facts, kappa: float, pace: tokens.Pace, seed: int) -> tuple[State, float]:
    """The model itself after pre-training, and its loss above the entropy of the data."""
    n, r = known.rank.shape
    sizes = Sizes(n, r, NEURONS)
    begun = tokens.start(sizes, float(sizes.dimension), SCALE, Generator().manual_seed(seed))
    return _pretrained(begun, sizes, known, kappa, pace, tokens.moved)


def linear(known: Facts, kappa: float, pace: tokens.Pace) -> tuple[State, float]:
    """Reduction A after pre-training, its features still shifted, and its loss above the entropy of the data.

    It begins with features all the same and scores 0. A softmax does not see what all outputs share, and what
    Σ_v δ_v = 0 multiplies moves nothing. So neurons whose pre-activations all exceed 0 by a common number learn as if
    there were no rectifier.
    """
    n, r = known.rank.shape
    sizes = Sizes(n, r, 1)
    zero = tokens.unflatten(torch.zeros(sizes.parameters, dtype=torch.float64), sizes, 1.0)
    begun = zero._replace(features=zero.features + SHIFT)
    return _pretrained(begun, sizes, known, kappa, pace, halved)


def _pretrained(
    state: State, sizes: Sizes, known: Facts, kappa: float, pace: tokens.Pace, move: tokens.Move
) -> tuple[State, float]:
    passes = tokens.pretraining(state, known, sizes, float(sizes.dimension), kappa, pace, move)
    end, got = deque(passes, 1).pop()
    return end, float(got.loss - task.entropy(known))


def tuning(state: State, known: Facts, chosen: Tensor, kappa: float, steps: int = TUNED_STEPS) -> Tensor:
    """Accuracies as :func:`lib.acquire.task.by_group` after each step; one neuron is ``halved``."""
    n, r = known.rank.shape
    sizes = Sizes(n, r, state.features.shape[-1])
    move = halved if sizes.neurons == 1 else tokens.moved
    right = sizes.answers + torch.arange(n)
    passes = tokens.fine_tuning(state, chosen, sizes, kappa, steps, TUNED_RATE, move)
    found = [(asked.logits.argmax(1) == right).to(torch.float64) for _, asked in passes]
    return torch.stack([task.by_group(one, known, chosen) for one in found])


def reduction_rows(
    multiplicity: int,
    kappa: float,
    first: float,
    seed: int,
    subjects: int = SUBJECTS,
    phrases: int = PHRASES,
) -> list[dict[str, Any]]:
    """Pre-train and fine-tune by all ways: a row for each share that is fine-tuned and each way.

    Args:
        multiplicity, kappa, first, seed: K, κ, stage I's rate as in ``FIRST``, of facts and start.

    Returns:
        ``way``: "second start", "A, always active", "A, rectified" or "B". ``excess``, ``excess_full``: loss of
        pre-training above the entropy. Of the accuracy on unseen facts after each step of fine-tuning: ``apart``, the
        mean absolute difference from the model's (``apart_frequent``, ``apart_rare``: of those facts);
        ``correlation`` (NaN where one is constant); ``best``, ``last``, ``best_step`` and the model's.
    """
    known = task.facts(subjects, phrases, multiplicity, FREQUENT, seed)
    sizes = Sizes(subjects, phrases, 1)
    pace = course.pace(sizes, float(sizes.dimension), kappa, first, STEPS, RATE)
    model, excess = full(known, kappa, pace, seed)
    second, excess_second = full(known, kappa, pace, ANOTHER + seed)
    always, excess_a = linear(known, kappa, pace)
    rectified = always._replace(features=always.features - SHIFT)
    mean = mean_field.of_facts(known, kappa)
    field = mean_field.pretrained(mean, pace)
    rows = []
    for share in SHARES:
        chosen = task.fine_tuned(known, share)
        right = tuning(model, known, chosen, kappa)
        ways = {
            "second start": (excess_second, tuning(second, known, chosen, kappa)),
            "A, always active": (excess_a, tuning(always, known, chosen, kappa)),
            "A, rectified": (excess_a, tuning(rectified, known, chosen, kappa)),
            "B": (
                mean_field.excess(field, mean),
                mean_field.tuning(field, mean, Questions(known, chosen), TUNED_RATE, TUNED_STEPS),
            ),
        }
        for way, (loss, ours) in ways.items():
            rows.append(
                {"share": share, "way": way, "excess": loss, "excess_full": excess, **compared(ours, right)}
            )
    return rows


def compared(ours: Tensor, right: Tensor) -> dict[str, float]:
    """What :func:`reduction_rows` says of two runs of :func:`tuning`."""
    names = "apart", "apart_frequent", "apart_rare"
    row = dict(zip(names, (ours - right).abs().mean(0).tolist(), strict=False))
    row |= {"correlation": correlation(ours[:, 0], right[:, 0])}
    for name, curve in {"": ours[:, 0], "_full": right[:, 0]}.items():
        row |= {f"best{name}": float(curve.max()), f"last{name}": float(curve[-1])}
        row |= {f"best_step{name}": int(curve.argmax())}
    return row


def correlation(x: Tensor, y: Tensor) -> float:
    """Pearson's; NaN where one of them is constant."""
    x, y = x - x.mean(), y - y.mean()
    scale = float(torch.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale > 1e-12 else math.nan


def cells(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """The configurations."""
    choices = product(FIRST, KAPPAS, MULTIPLICITIES, range(SEEDS))
    found = [{"multiplicity": k, "kappa": x, "first": first, "seed": seed} for first, x, k, seed in choices]
    return found[:1] if quick else found
