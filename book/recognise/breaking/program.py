"""Training sets drawn by Definition 2.1, what Assumption 2.3 asks of them, and the theorems where it is broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_map

from book.recognise.common import ASSUMED, latest
from book.recognise.two_phases import phase_1, phase_2, two_phases
from book.statements import Bound
from lib.recognise.task import HOLDS, class_counts, distinct_words_needed, draw
from lib.solve import run_many


def drawn_set(samples: int, length: int, vocabulary: int) -> dict[str, float]:
    """A drawn training set: its mean label, samples with wrong signals, and how uniform the place of μ₃ is."""
    data = draw(class_counts(samples), length, torch.Generator().manual_seed(0), vocabulary, distinct=False)
    held = torch.stack([(data.words == word).sum(1) for word in range(3)], 1)
    place = (data.words == 2).to(torch.float64).mean(0)
    return {
        "enough": samples >= 1000,
        "label": float(data.labels.mean()),
        "wrong": float((held != HOLDS[data.types]).any(1).sum()),
        "outside": float((data.words >= data.vocabulary).sum()),
        "spread": float((place * length - 1).abs().max()),
    }


def repetitions(samples: int, length: int, vocabulary: int) -> dict[str, float]:
    """How many irrelevant places repeat a word if there are d = ``vocabulary`` words, and how many words it takes."""
    counts = class_counts(samples)
    needed = distinct_words_needed(counts, length)
    enough = vocabulary >= needed
    data = draw(counts, length, torch.Generator().manual_seed(0), vocabulary, distinct=enough)
    words = data.words[data.words > 2]
    return {
        "enough": enough,
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
