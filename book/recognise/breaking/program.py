"""Training sets drawn by Definition 2.1, repeated words, and the theorems where a hypothesis is broken."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from book.recognise.common import ASSUMED, latest_moment
from book.recognise.two_phases import all_hold, phase_1, phase_2, two_phases
from lib.program import parameters, reports
from lib.recognise.gradient_flow import SUM_SIGNS
from lib.recognise.task import FRACTIONS, HOLDS, class_counts, draw


class DrawnSet(NamedTuple):
    """How far a drawn training set is from its law; the first five over their bounds √(log(2k/δ)/(2n))."""

    label: float  # the mean label, over twice its bound
    types: float  # the shares of the types
    place: float  # the places of the common word
    targets: float  # the places of the targets, in the samples that hold them
    words: float  # the shares of the irrelevant words
    wrong: float  # samples with wrong signals
    logic: float  # samples whose label is not the logical and of both targets
    outside: float  # words outside the vocabulary


def drawn_set(
    samples: int, length: int, vocabulary: int, positive: float = 0.5, seed: int = 0, delta: float = 0.01
) -> DrawnSet:
    """Draw samples independently and compare the types' shares, the places of μ₁, μ₂, μ₃ and all other words with
    their law.

    The bound, √(log(2k/δ)/(2n)) for k shares of n draws, holds with probability 1 − δ (Hoeffding).

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

    holding = held[:, :2].sum(0)  # how many samples hold each target
    targets = torch.stack([(data.words == word).to(torch.float64).sum(0) for word in range(2)])
    irrelevant = data.words[data.words > 2]
    shares = torch.bincount(irrelevant, minlength=vocabulary)[3:] / len(irrelevant)

    def over(off: torch.Tensor, draws: float = samples) -> float:
        return float(off.abs().max()) / math.sqrt(math.log(2 * len(off) / delta) / (2 * draws))

    return DrawnSet(
        label=over(data.labels.mean()[None] / 2),
        types=over(counts / samples - wanted),
        place=over(place - 1 / length),
        targets=max(
            (
                over(torch.cat([each / many - 1 / length, torch.zeros(length)]), many)  # of 2L shares, L
                for each, many in zip(targets, holding.tolist(), strict=True)
                if many
            ),
            default=0.0,
        ),
        words=over(shares - 1 / (vocabulary - 3), len(irrelevant)),
        wrong=float((held != HOLDS[data.types]).any(1).sum()),
        logic=float((data.labels != 2.0 * both - 1).sum()),
        outside=float((data.words >= data.vocabulary).sum()),
    )


class Repetitions(NamedTuple):
    """Repeated words in a training set that repeats as few as it can."""

    words_needed: float  # words that it takes for no repetition
    bound: float  # the paper's bound nL
    places: int  # irrelevant places
    repeated: int  # of these repeat a word


def repetitions(samples: int, length: int, vocabulary: int) -> Repetitions:
    """Deal d = ``vocabulary`` words out in turn to all irrelevant places, and count the places that repeat a word."""
    counts = class_counts(samples)
    words_needed = 3 + samples * (length - 7 / 3)
    data = draw(counts, length, torch.Generator().manual_seed(0), vocabulary, distinct=False)
    places = data.words > 2
    in_turn = torch.arange(int(places.sum())) % (vocabulary - 3)  # as few words come twice as possible
    data.words[places] = 3 + in_turn
    words = data.words[places]
    return Repetitions(
        words_needed=words_needed,
        bound=samples * length,
        places=len(words),
        repeated=len(words) - len(words.unique()),
    )


class DrawnTypes(NamedTuple):
    """Theorems 3.1 and 3.2 on training sets whose types are drawn."""

    share: float  # of the sets on which both theorems hold
    off: float  # the largest distance of a type's share from its law


def drawn_types(samples: int, length: int, seed: int = 0, sets: int = 8) -> DrawnTypes:
    """Draw the types of several training sets by Definition 2.1, and follow each through both phases, C = 40.

    A set that lacks a type counts as one on which the theorems fail.
    """
    generator = torch.Generator().manual_seed(seed)
    law = torch.tensor(FRACTIONS, dtype=torch.float64)
    types = torch.multinomial(law, sets * samples, True, generator=generator).reshape(sets, samples)
    counts = torch.stack([torch.bincount(each, minlength=4) for each in types]).to(torch.float64)
    common = {"samples": float(samples), "length": length, "width": 1024.0, "neurons": 16.0, "end": 3.0}
    runs = [
        {
            **common,
            "positive": float(positive / samples),
            "single": float((first + second) / (samples - positive)),
            "first": float(first / (first + second)),
            "seed": place,
        }
        for place, (positive, first, second, neither) in enumerate(counts)
        if min(positive, first, second, neither) > 0
    ]
    program = two_phases()
    holding = [
        bool(all_hold((*phase_1(r), *phase_2(r, parameters(program, values)))))
        for values, r in zip(runs, reports(program, runs), strict=True)
    ]
    return DrawnTypes(sum(holding) / sets, float((counts / samples - law).abs().max()))


def theorems(settings: Mapping[str, Mapping[str, float]], seeds: int) -> list[dict[str, Any]]:
    """The hypotheses broken in each of these settings, and at how many seeds Theorems 3.1 and 3.2 hold with C = 40.

    Returns:
        a row for each setting: its name, the words of the broken hypotheses, the counts, and the τ from which on all
        signs of Theorem 3.2 are there, at the worst seed.
    """
    common = {"end": 3.0}
    many = [{**common, **over, "seed": seed} for over in settings.values() for seed in range(seeds)]
    program = two_phases()
    every = reports(program, many)
    rows = []
    for place, name in enumerate(settings):
        first = place * seeds
        p, runs = parameters(program, many[first]), every[first : first + seeds]
        rows.append(
            {
                "setting": name,
                "broken": "; ".join(
                    words for words, holds in ASSUMED.values() if float(holds(runs[0], p)) < 0.5
                ),
                "3.1": sum(bool(all_hold(phase_1(r))) for r in runs),
                "3.2": sum(bool(all_hold(phase_2(r, p))) for r in runs),
                "all signs from τ": max(float(latest_moment(r.since[SUM_SIGNS:])) for r in runs),
            }
        )
    return rows
