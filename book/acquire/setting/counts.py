"""Counting: the entropy of the data, exact chances of draws, and how many draws cover all phrases."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import NamedTuple

import torch

from book.acquire.binomial import binomial_cdf
from lib.acquire.task import facts, three_token_entropy

Sample = tuple[Hashable, Hashable, float]
"""A prompt, what follows it, and its weight."""


def conditional_entropy(samples: Iterable[Sample]) -> float:
    """−Σ ω log P(next | prompt) over weighted samples, by counting."""
    together: dict[Hashable, dict[Hashable, float]] = defaultdict(lambda: defaultdict(float))
    for prompt, following, weight in samples:
        together[prompt][following] += weight
    return sum(
        weight * math.log(sum(row.values()) / weight) for row in together.values() for weight in row.values()
    )


def drawn_phrases(
    subjects: int, phrases: int, multiplicity: int, replacement: bool, seed: int = 0
) -> list[list[int]]:
    """The phrases of every fact, half of them frequent; with replacement, one phrase may come twice."""
    if not replacement:
        return [
            row.nonzero()[:, 0].tolist() for row in facts(subjects, phrases, multiplicity, 0.5, seed).uses
        ]
    generator = torch.Generator().manual_seed(seed)
    counts = [multiplicity] * (subjects // 2) + [1] * (subjects - subjects // 2)
    return [torch.randint(phrases, (count,), generator=generator).tolist() for count in counts]


def five_token_samples(drawn: list[list[int]], reweighted: bool) -> list[Sample]:
    """The three next-token samples of every sentence; weights add up to 1."""
    total = sum(map(len, drawn))
    samples: list[Sample] = []
    for j, phrases in enumerate(drawn):
        weight = (1 / (len(drawn) * len(phrases)) if reweighted else 1 / total) / 3
        for i in phrases:
            samples += [("o", "d", weight), (("o", j), ("r", i), weight), (("o", j, i), ("a", j), weight)]
    return samples


def three_token_samples(subjects: int, drawn: list[int]) -> list[Sample]:
    """The two samples of every sentence "s r a" of facts that all have the phrases ``drawn``."""
    weight = 1 / (2 * subjects * len(drawn))
    return [
        sample
        for j in range(subjects)
        for i in drawn
        for sample in ((j, ("r", i), weight), ((j, i), ("a", j), weight))
    ]


class Entropies(NamedTuple):
    """The entropy H of the data in closed form and by counting, and how many samples there are."""

    most_repeats: int  # how often a fact has the same phrase, at most
    reweighted: float  # rare facts counted K times
    reweighted_counted: float
    plain: float  # all sentences counted alike
    plain_counted: float
    three: float  # three-token sentences, K = R = 5
    three_counted: float
    samples: float
    samples_counted: int


def entropies(subjects: int, phrases: int, multiplicity: int, replacement: bool = False) -> Entropies:
    """The closed forms of H and what counting all conditional distributions gives.

    Args:
        replacement: whether a fact may draw the same phrase twice.
    """
    drawn = drawn_phrases(subjects, phrases, multiplicity, replacement)
    k, log_k = multiplicity, math.log(multiplicity)
    return Entropies(
        most_repeats=max(max(Counter(phrases).values()) for phrases in drawn),
        reweighted=log_k / 6,
        reweighted_counted=conditional_entropy(five_token_samples(drawn, True)),
        plain=k * log_k / (k + 1) / 3,
        plain_counted=conditional_entropy(five_token_samples(drawn, False)),
        three=three_token_entropy(5),
        three_counted=conditional_entropy(three_token_samples(subjects, list(range(5)))),
        samples=3 * subjects * (k + 1) / 2,
        samples_counted=len(five_token_samples(drawn, True)),
    )


def chance_below_half(trials: int, drawn: int, universe: int) -> Fraction:
    """P[Σ_i 1(j ∈ A_i) ≤ nK/2q], exactly: each trial holds j with probability K/q, independently of the others."""
    return binomial_cdf(trials, Fraction(drawn, universe), trials * drawn // (2 * universe))


def hoeffding(trials: int, drawn: int, universe: int) -> float:
    """exp(−nK²/2q²)."""
    return math.exp(-trials * drawn**2 / (2 * universe**2))


class FewDraws(NamedTuple):
    """The chance that a number is drawn at most half as often as expected."""

    bound: float  # Hoeffding's
    chance: float  # exact
    at_least: float  # the exact chance of at least half as often


def lemma_6(trials: int, drawn: int, universe: int, independent: bool = True) -> FewDraws:
    """The exact chance against the bound; if all trials draw the same set, j is in all of them or in none.

    Args:
        trials: n.
        drawn: K.
        universe: q.
        independent: whether the trials are.
    """
    half = trials * drawn / (2 * universe)
    fewer = binomial_cdf(trials, Fraction(drawn, universe), math.ceil(half) - 1)
    return FewDraws(
        bound=hoeffding(trials, drawn, universe),
        chance=float(chance_below_half(trials, drawn, universe)) if independent else 1 - drawn / universe,
        at_least=1 - float(fewer),
    )


def asked_trials(drawn: int, universe: int, delta: float) -> int:
    """The n at which q exp(−nK²/2q²) = δ, rounded up."""
    return math.ceil(2 * (universe / drawn) ** 2 * math.log(universe / delta))


def least_trials(drawn: int, universe: int, delta: float) -> int:
    """From which n on, up to the n that the lemma requires, q P[j at most nK/2q times] ≤ δ, exactly."""
    n = asked_trials(drawn, universe, delta)
    while n > 1 and universe * float(chance_below_half(n - 1, drawn, universe)) <= delta:
        n -= 1
    return n


def covering_trials(drawn: int, universe: int, delta: float) -> int:
    """The least n at which all q are drawn at least once with probability 1 − δ."""
    n = 1
    while covered(n, drawn, universe) < 1 - delta:
        n += 1
    return n


def covered(trials: int, drawn: int, universe: int) -> float:
    """P[each of q is in one of the trials], by inclusion and exclusion."""
    sets = math.comb(universe, drawn)
    return float(
        sum(
            (-1) ** k * math.comb(universe, k) * Fraction(math.comb(universe - k, drawn), sets) ** trials
            for k in range(universe - drawn + 1)
        )
    )


class EnoughDraws(NamedTuple):
    """How many trials draw each number often enough."""

    trials: int  # that are made
    trials_by_lemma: int  # trials that the lemma requires
    single: float  # the exact chance that one number is drawn at most half as often as expected
    chance: float  # q times that
    trials_needed: int  # trials at which that is at most δ
    once: int  # trials that draw each number at least once
    surplus: float  # what the lemma requires over what is needed
    surplus_doubled: float  # the same with twice as many numbers


def lemma_9(drawn: int, universe: int, delta: float = 0.1, share: float = 1.0) -> EnoughDraws:
    """q times the exact chance at ``share`` of the trials that the lemma requires; and how many are needed.

    Args:
        drawn: K.
        universe: q.
        delta: δ, the chance that some number is drawn too rarely.
    """
    trials_by_lemma = asked_trials(drawn, universe, delta)
    trials = math.ceil(share * trials_by_lemma)
    single = float(chance_below_half(trials, drawn, universe))
    trials_needed, trials_needed_doubled = (
        least_trials(drawn, universe, delta),
        least_trials(drawn, 2 * universe, delta),
    )
    return EnoughDraws(
        trials=trials,
        trials_by_lemma=trials_by_lemma,
        single=single,
        chance=universe * single,
        trials_needed=trials_needed,
        once=covering_trials(drawn, universe, delta),
        surplus=trials_by_lemma / trials_needed,
        surplus_doubled=asked_trials(drawn, 2 * universe, delta) / trials_needed_doubled,
    )
