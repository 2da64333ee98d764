"""Training sets drawn by Definition 2.1, what Assumption 2.3 asks of them, and the theorems where it is broken."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_map

from book.ledger import Bound
from book.recognise.common import ASSUMED, latest
from book.recognise.two_phases import phase_1, phase_2, two_phases
from lib.program import run_many
from lib.recognise.task import FRACTIONS, HOLDS, class_counts, draw


def drawn_set(
    samples: int, length: int, vocabulary: int, positive: float = 0.5, seed: int = 0, delta: float = 0.01
) -> dict[str, float]:
    """Samples drawn independently: how far the types' shares and the places of μ₃ are from their law, over √(log/n).

    The bound, √(log(2k/δ)/(2n)) for k shares, holds with probability 1 − δ (Hoeffding).

    Args:
        positive: the probability of both targets, ½ in Definition 2.1.
    """
    generator = torch.Generator().manual_seed(seed)
    rest = (1 - positive) / 3
    law = torch.tensor([positive, rest, rest, rest], dtype=torch.float64)
    counts = torch.bincount(torch.multinomial(law, samples, True, generator=generator), minlength=4)
    data = draw(tuple(counts.tolist()), length, generator, vocabulary, distinct=False)
    held = torch.stack([(data.words == word).sum(1) for word in range(3)], 1)
    place = (data.words == 2).to(torch.float64).mean(0)
    wanted = torch.tensor(FRACTIONS, dtype=torch.float64)
    both = (held[:, 0] > 0) & (held[:, 1] > 0)

    def over(off: torch.Tensor) -> float:
        return float(off.abs().max()) / math.sqrt(math.log(2 * len(off) / delta) / (2 * samples))

    return {
        "shares": positive == 0.5,
        "label": over(data.labels.mean()[None] / 2),
        "types": over(counts / samples - wanted),
        "place": over(place - 1 / length),
        "wrong": float((held != HOLDS[data.types]).any(1).sum()),
        "logic": float((data.labels != 2.0 * both - 1).sum()),
        "outside": float((data.words >= data.vocabulary).sum()),
    }


def repetitions(samples: int, length: int, vocabulary: int) -> dict[str, float]:
    """How many irrelevant places repeat a word if there are d = ``vocabulary`` words, and how many words it takes."""
    counts = class_counts(samples)
    needed = 3 + samples * (length - 7 / 3)
    data = draw(counts, length, torch.Generator().manual_seed(0), vocabulary, distinct=False)
    places = data.words > 2
    data.words[places] = 3 + torch.arange(int(places.sum())) % (
        vocabulary - 3
    )  # as few twice as there can be
    words = data.words[places]
    return {
        "enough": vocabulary >= needed - 1e-6,
        "needed": needed,
        "bound": samples * length,
        "places": len(words),
        "repeated": len(words) - len(words.unique()),
    }


def theorems(settings: Mapping[str, Mapping[str, float]], seeds: int) -> list[dict[str, Any]]:
    """What is broken in each of these settings, and at how many seeds Theorems 3.1 and 3.2 hold with C = 40."""
    common = {"constant": 40.0, "end": 3.0}
    many = [{**common, **over, "seed": seed} for over in settings.values() for seed in range(seeds)]
    stacked = run_many(two_phases(), many)
    every = [tree_map(lambda leaf, i=i: leaf[i], stacked) for i in range(len(many))]
    rows = []
    for place, name in enumerate(settings):
        runs = every[place * seeds : (place + 1) * seeds]
        rows.append(
            {
                "setting": name,
                "broken": "; ".join(
                    words for field, words in ASSUMED.items() if getattr(runs[0], field) < 0.5
                ),
                "3.1": sum(_hold(phase_1(r)) for r in runs),
                "3.2": sum(_hold(phase_2(r)) for r in runs),
                "all signs from τ": max(float(latest(r.since[3:])) for r in runs),
            }
        )
    return rows


def _hold(bounds: Sequence[Bound]) -> bool:
    return all(bool(bound.holds) for bound in bounds)
