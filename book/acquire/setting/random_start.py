"""The random start: Gaussian tails (Lemmas 2–4, 7, 8) and active neurons (Lemma 10)."""

from __future__ import annotations

import math
from typing import NamedTuple

from book.acquire.pretraining import ACTIVE_SHARE, Run, chance_of_few_active, pretrained


class Tails(NamedTuple):
    """Exact chances of Gaussian entries, over their bounds."""

    tail: float  # P[|x| > t] over 2 exp(−t²/2), largest over t
    narrow: float  # P[|x| ≤ c] over c √(2/π), largest over c
    largest: float  # P[the largest entry exceeds the threshold]
    threshold: float


def tails(outputs: int, neurons: int, tokens: int, delta: float, union: bool = True) -> Tails:
    """Exact chances that an entry of the first layer exceeds the bound, or that one is tiny; σ₀ = 1.

    Args:
        outputs, neurons, tokens: the shape of the first layer.
        delta: the chance with which the threshold may be exceeded.
        union: whether the threshold counts all entries.
    """
    entries = outputs * neurons * tokens
    threshold = math.sqrt(2 * math.log(2 * (entries if union else 1) / delta))
    grid = [0.01 * k for k in range(1, 500)]
    return Tails(
        tail=max(math.erfc(t / math.sqrt(2)) / (2 * math.exp(-t * t / 2)) for t in grid),
        narrow=max(math.erf(c / math.sqrt(2)) / (c * math.sqrt(2 / math.pi)) for c in grid),
        largest=chance_to_exceed(threshold, entries),
        threshold=threshold,
    )


def chance_to_exceed(threshold: float, entries: int) -> float:
    """P[max |x| > t] for so many independent N(0, 1) entries, exactly."""
    return -math.expm1(entries * math.log1p(-math.erfc(threshold / math.sqrt(2))))


class ActiveNeurons(NamedTuple):
    """Shares of active neurons of right outputs at ten starts."""

    sure: float  # 1 − δ
    share: float  # of the starts with 0.4 m active everywhere
    least: float  # share of active neurons
    neurons_by_lemma: float  # neurons that Lemma 10 requires
    neurons_needed: int  # neurons that the exact law requires
    agreeing: float  # neurons of the right answers that are active on [o s r] as on [o], mean
    agreeing_predicted: float


def active_neurons(
    subjects: int = 6, phrases: int = 3, neurons: int = 320, stretch: float = 1.0, delta: float = 0.1
) -> ActiveNeurons:
    """Shares of active neurons of right outputs at ten starts; arguments as of ``pretrained``, and δ."""
    runs = [
        pretrained(subjects, phrases, 2, neurons, stretch=stretch, steps_2=0, steps_3=0, seed=seed)
        for seed in range(10)
    ]
    least = [min(run.moments[0].active) for run in runs]
    prompts = 1 + 2 * max(len(run.data.subject) for run in runs)
    return ActiveNeurons(
        sure=1 - delta,
        share=sum(share >= ACTIVE_SHARE for share in least) / len(runs),
        least=min(least),
        neurons_by_lemma=50 * math.log(prompts / delta),
        neurons_needed=least_neurons(prompts, delta),
        agreeing=sum(map(_agreeing, runs)) / len(runs),
        agreeing_predicted=chance_of_same_sign(runs[0].dimension),
    )


def least_neurons(prompts: int, delta: float) -> int:
    """From which multiple of 5 on, up to what Hoeffding asks, ``prompts`` times the exact chance is at most δ."""
    m = 5 * math.ceil(10 * math.log(prompts / delta))
    while m > 5 and prompts * chance_of_few_active(m - 5) <= delta:
        m -= 5
    return m


def chance_of_same_sign(dimension: float) -> float:
    """The chance that a neuron is active on [o s r] as on [o]: 1 − arctan(√17/√d)/π, with β = (⅓, ⅓, 4/3)."""
    return 1 - math.atan(math.sqrt(17 / dimension)) / math.pi


def _agreeing(run: Run) -> float:
    """Which share of the right answers' neurons is active on [o s r] as on [o]; attention is all but uniform."""
    (j, i, _), a = run.data, run.begun.features
    answer = run.sizes.answers + j
    pre = (a[0, answer] + a[1 + j, answer] + 4 * a[1 + run.sizes.subjects + i, answer]) / 3
    return float(((pre > 0) == (a[0, answer] > 0)).double().mean())
