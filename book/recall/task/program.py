"""When two examples give the relation away: the laws of random relations as curves, and one set counted.

Curves run over the number of relations. Up to 8 subjects and 120 relations a set is drawn and all its prompts are
counted, by where each relation sends each group of subjects.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.common import formula
from lib.domain import Domain
from lib.program import Program
from lib.recall.ceiling import agreeing_pairs, log_none
from lib.recall.pools import ROWS, WIDTH, draw
from lib.recall.task import EXAMPLES

ZETA = 0.1
"""The constant ζ that is asked of Assumption 2."""

SPARE = 7
"""The chart of agreeing relations tells 0, 1, … 5 others apart, and 6 or more."""

LOAD = (0.01, 10.0)
"""The numbers of relations offered, in units of n(n − 1)."""

POOLS = ("affine maps", "all bijections")
DOMAINS = (
    Domain("family", 0, 1, integer=True, default=1, words="relations drawn from", scale="menu", track=POOLS),
    Domain("subjects", low=3, default=8.0, words="subjects", symbol="n", scale="log", track=(3, 1e6)),
    Domain(
        "load",
        0,
        low_open=True,
        default=64 / 56,
        words="relations ÷ limit, n(n − 1)",
        scale="log",
        track=LOAD,
    ),
    EXAMPLES._replace(high=4, default=2, words="examples", symbol="K", scale="choice", track=(2, 3, 4)),
    Domain("seed", low=0, high=10_000, integer=True, default=0),
)
"""The paper's experiments, 64 random bijections of 8 subjects. The seed is that of the one set that is counted."""


class Giveaway(NamedTuple):
    """Laws, and one set counted. Curves run over |R|, in units of n(n − 1)."""

    grid: Tensor  # (61,) |R|/(n(n − 1))
    ceiling_curve: Tensor  # (61,) best accuracy; NaN where the pool is too small
    family_bound: Tensor  # (61,) what no set of so many relations can beat
    confusing_curve: Tensor  # (61,)
    mismatched_curve: Tensor  # (61,)
    mismatched_bound: Tensor  # (61,) under Assumption 1
    broken_curve: Tensor  # (61,) least probability that Assumption 1 is broken somewhere
    met_curve: Tensor  # (61,) probability that a prompt's examples fit another relation too
    load: Tensor  # |R|/(n(n − 1)) in fact, for |R| whole and no more than the pool
    subjects: Tensor  # n
    relations: Tensor  # |R|
    most: Tensor  # n(n − 1)
    examples: Tensor  # K, at most n − 1
    ceiling: Tensor
    confusing: Tensor
    mismatched: Tensor
    agreeing: Tensor  # expected number of relations, r* among them, that fit the examples
    met: Tensor
    broken: Tensor
    others: Tensor  # (7,) probability of 0, 1, … 5, 6 or more other relations that fit
    measured_ceiling: Tensor  # NaN above 8 subjects or 120 relations; so is all that is measured
    measured_confusing: Tensor
    measured_mismatched: Tensor
    measured_agreeing: Tensor
    measured_met: Tensor
    measured_others: Tensor  # (7,)
    measured_violations: Tensor  # pairs of examples (s₁ < s₂, a₁, a₂) that several relations share
    violations: Tensor  # expected
    shared: Tensor  # violations, counted where they can be, else expected; NaN without such relations
    best: Tensor  # the same of the best accuracy of naming r*
    mismatched_here: Tensor  # and of the share of mismatched prompts
    mismatched_most: Tensor  # what Assumption 1 leaves possible
    family_exists: Tensor  # there are such relations


def giveaway() -> Program:
    """Relations drawn at random, and how much two or more examples say about the one that is meant."""
    return formula(DOMAINS, give_away)


def give_away(family: Tensor, subjects: Tensor, load: Tensor, examples: Tensor, seed: Tensor) -> Giveaway:
    """The numbers at one setting.

    Args:
        family: 0 for a sharply 2-transitive pool, 1 for all bijections.
        subjects: n, rounded to a whole number.
        load: |R|/(n(n − 1)), before |R| is rounded and cut at the size of the pool.
        examples: K, cut at n − 1. Confusing and mismatched prompts are counted for two examples whatever K.
        seed: of the one set that is measured, where there are at most 8 subjects and 120 relations.
    """
    n, affine = torch.round(subjects), family < 0.5
    most, k = n * (n - 1), torch.minimum(examples, n - 1)
    rare = torch.where(affine, 1 / most, _at(INVERSE_FACTORIALS, n))  # 1/N
    drawn = torch.clamp(torch.round(load * most), min=1)
    drawn = torch.where(drawn * rare > 1, torch.round(1 / torch.clamp(rare, min=1e-300)), drawn)
    relations = torch.cat([torch.round(GRID * most), drawn[None]])
    curves = _curves(n, k, affine, rare, torch.clamp(relations, min=1))
    inside = (relations >= 1) & (relations * rare <= 1 + 1e-9)
    shown = {name: torch.where(inside, curve, math.nan)[:-1] for name, curve in curves.items()}
    now = {name: curve[-1] for name, curve in curves.items()}
    reachable = torch.clamp(4 * (relations - 1) / (n * (n - 2)), 0, 1)  # a mismatched share, at most
    counts = measure(n, drawn, k, affine, seed)
    counted = torch.isfinite(counts["measured_ceiling"])
    exists = torch.where(affine, _prime_power(n), torch.ones_like(n))

    def here(law: str) -> Tensor:
        best = torch.where(counted, counts[f"measured_{law}"], now[law])
        return torch.where(exists > 0, best, math.nan)

    return Giveaway(
        grid=relations[:-1] / most,
        **{f"{name}_curve": shown[name] for name in ("ceiling", "confusing", "mismatched", "broken", "met")},
        family_bound=torch.clamp(_answers(n, k) / torch.clamp(relations[:-1], min=1), max=1),
        mismatched_bound=reachable[:-1],
        load=drawn / most,
        subjects=n,
        relations=drawn,
        most=most,
        examples=k,
        **now,
        others=_others(n, k, affine, rare, drawn, now["met"]),
        **counts,
        shared=here("violations"),
        best=here("ceiling"),
        mismatched_here=here("mismatched"),
        mismatched_most=reachable[-1],
        family_exists=exists,
    )


def _answers(n: Tensor, k: Tensor) -> Tensor:
    """n(n − 1) … (n − K + 1), how many answers K subjects can have."""
    two = n * (n - 1)
    three = two * torch.where(k > 2.5, n - 2, torch.ones_like(n))
    return three * torch.where(k > 3.5, n - 3, torch.ones_like(n))


def _curves(n: Tensor, k: Tensor, affine: Tensor, rare: Tensor, drawn: Tensor) -> dict[str, Tensor]:
    """Ceiling, shares and probabilities for each |R| in ``drawn``."""
    most = n * (n - 1)
    places = torch.where(affine, most, _answers(n, k))  # N/m through K examples
    rest, others = rare / (1 - rare), drawn - 1  # of the pool without r*
    pairs = torch.where(affine, rare, _at(AGREEING, n)) - rare
    apart = torch.stack([1 / most, 4 / most, 1 / places - rare, 1 / most - rare, pairs]) / (1 - rare)
    shares = torch.clamp(torch.cat([apart, torch.stack([1 / places, 1 / most])]), min=0)  # (7,)
    whole = torch.tensor([False] * 5 + [True] * 2)  # the last two count r* in
    none = log_none(
        shares[:, None].expand(7, len(drawn)),
        torch.where(whole, rare, rest)[:, None].expand(7, len(drawn)),
        torch.where(whole[:, None], drawn, others),
    )
    confusing, mismatched, met, met_by_two, broken, occupied, both = torch.expm1(none).abs().unbind(0)
    expected = torch.clamp(most * most / 2 * (both - drawn / most * (1 - met_by_two)), min=0)
    return {
        "ceiling": torch.clamp(places / drawn * occupied, max=1),
        "confusing": confusing,
        "mismatched": mismatched,
        "agreeing": 1 + others * shares[2],
        "met": met,
        "broken": broken,
        "violations": torch.where(affine, 0.0, expected),
    }


def _others(n: Tensor, k: Tensor, affine: Tensor, rare: Tensor, drawn: Tensor, met: Tensor) -> Tensor:
    """P(exactly j other relations fit the examples), j = 0 … 5, and P(6 or more), from ``met``, P(any); (7,)."""
    places = torch.where(affine, n * (n - 1), _answers(n, k))
    share, rest = torch.clamp((1 / places - rare) / (1 - rare), min=0), rare / (1 - rare)
    draws = drawn - 1
    now, listed = 1 - met, []
    for j in range(SPARE - 1):
        listed.append(now)
        left = torch.clamp(share - j * rest, min=0) * torch.clamp(draws - j, min=0)
        now = now * left / torch.clamp((j + 1) * (1 - share - draws * rest + (j + 1) * rest), min=1e-300)
    few = torch.stack(listed)
    many = torch.cat([few, torch.clamp(1 - few.sum(), min=0)[None]])
    fitting = torch.round(1 / (rare * places)) - 1
    return torch.where(fitting < SPARE - 0.5, _drawn_of_few(fitting, 1 / rare - 1, draws), many)


def _drawn_of_few(fitting: Tensor, pool: Tensor, draws: Tensor) -> Tensor:
    """The hypergeometric law of how many of so few relations are among the drawn ones, j = 0 … 6; (7,).

    From the least possible number on, each probability follows from the one before, up to their sum: P(0), from which
    the law could begin as well, is 0 where nearly all relations are drawn.
    """
    others = pool - fitting - draws  # of those that do not fit, which are not drawn
    least = torch.clamp(-others, min=0)
    now, listed = torch.zeros_like(draws), []
    for j in range(SPARE):
        now = torch.where((least - j).abs() < 0.5, torch.ones_like(now), now)
        listed.append(now)
        ways = torch.clamp(fitting - j, min=0) * torch.clamp(draws - j, min=0)
        now = now * ways / torch.clamp((j + 1) * (others + j + 1), min=1)
    weights = torch.stack(listed)
    return weights / torch.clamp(weights.sum(), min=1e-300)


def _prime_power(n: Tensor) -> Tensor:
    """1 if n is a power of a prime: its smallest prime divisor, to some power, is n."""
    divides = torch.remainder(n, PRIMES) < 0.5
    least = torch.where(divides, PRIMES, torch.full_like(PRIMES, math.inf)).amin()
    least = torch.minimum(least, n)
    power = torch.round(torch.log(n) / torch.log(least))
    return (torch.round(least**power) == n).to(torch.float64)


def _at(table: Tensor, n: Tensor) -> Tensor:
    """The table's entry for n, its last one beyond."""
    return table[torch.clamp(n, max=len(table) - 1).long()[None]][0]


PRIMES = torch.tensor(
    [p for p in range(2, 1001) if all(p % d for d in range(2, math.isqrt(p) + 1))], dtype=torch.float64
)
INVERSE_FACTORIALS = torch.tensor([1 / math.factorial(n) for n in range(20)] + [0.0], dtype=torch.float64)
"""1/n!; from 20 on too small for a digit of anything here."""
AGREEING = torch.tensor([0.0] + [agreeing_pairs(n) for n in range(1, 21)], dtype=torch.float64)
GRID = torch.logspace(-2, 1, 61, dtype=torch.float64)


def measure(n: Tensor, drawn: Tensor, k: Tensor, affine: Tensor, seed: Tensor) -> dict[str, Tensor]:
    """The report's numbers, counted over all prompts about one random set of relations; NaN where it is too large."""
    table, count = draw(torch.clamp(n, max=WIDTH), drawn, affine, seed)
    weight = (torch.arange(ROWS, dtype=torch.float64) < count).to(torch.float64)
    fits = (n <= WIDTH) & (count == drawn)
    counts = {**_examples(table, weight, n, k), **_pairs(table, weight, n)}
    return {name: torch.where(fits, value, math.nan) for name, value in counts.items()}


def _groups() -> tuple[Tensor, Tensor, Tensor]:
    """The groups of K = 2, 3, 4 of eight subjects, each as four (3, 70, 4), how many, and the weights of a code."""
    table = torch.zeros(3, 70, 4, dtype=torch.int64)
    powers = torch.zeros(3, 4, dtype=torch.float64)
    numbers = torch.zeros(3, dtype=torch.float64)
    for k in (2, 3, 4):
        groups = list(combinations(range(WIDTH), k))
        numbers[k - 2] = len(groups)
        table[k - 2, : len(groups), :k] = torch.tensor(groups)
        powers[k - 2, :k] = WIDTH ** torch.arange(k, dtype=torch.float64)
    return table, numbers, powers


GROUPS, NUMBERS, POWERS = _groups()
CODES = WIDTH**4


def _examples(table: Tensor, weight: Tensor, n: Tensor, k: Tensor) -> dict[str, Tensor]:
    """Over all K subjects and all relations: with how many others does a relation share their answers?"""
    which = (k - 2).long()[None]
    groups = GROUPS[which][0]  # (70, 4)
    number = torch.arange(70, dtype=torch.float64)
    valid = (groups.amax(1) < n) & (number < NUMBERS[which][0])
    answers = table.index_select(1, groups.flatten()).reshape(ROWS, 70, 4)
    place = ((answers * POWERS[which][0]).sum(2) + CODES * number).long().flatten()  # (120 · 70,)
    count = weight[:, None] * valid.to(torch.float64)  # (120, 70)
    held = torch.zeros(70 * CODES, dtype=torch.float64).scatter_add(0, place, count.flatten())
    shared = torch.clamp(held[place].reshape(ROWS, 70), min=1)
    share = count / count.sum()
    other = torch.clamp(shared - 1, max=SPARE - 1)
    return {
        "measured_ceiling": (share / shared).sum(),
        "measured_agreeing": (share * shared).sum(),
        "measured_met": (share * (shared > 1)).sum(),
        "measured_others": torch.stack([(share * (other == j)).sum() for j in range(SPARE)]),
    }


PAIRS = torch.tensor([(s, t) for s in range(WIDTH) for t in range(WIDTH) if s != t])  # (56, 2)
TRIPLES = torch.tensor(
    [(s, t, u) for s, t in combinations(range(WIDTH), 2) for u in range(WIDTH) if u not in (s, t)]
)  # (168, 3): s₁ < s₂, and s₃


def _pairs(table: Tensor, weight: Tensor, n: Tensor) -> dict[str, Tensor]:
    """Over all prompts with two examples: is some relation confusing, is one mismatched?"""

    def place(s: Tensor, t: Tensor, a: Tensor, b: Tensor) -> Tensor:
        """Where relations with s ↦ a's own answer and t ↦ b's are counted, for each relation: (120, P)."""
        answers = table.index_select(1, a) * WIDTH + table.index_select(1, b)
        return (answers + (s * WIDTH + t) * WIDTH**2).long()

    first, second = PAIRS.unbind(1)
    count = weight[:, None] * (PAIRS.amax(1) < n).to(torch.float64)
    held = torch.zeros(CODES, dtype=torch.float64)
    held = held.scatter_add(0, place(first, second, first, second).flatten(), count.flatten())

    def some(s: Tensor, t: Tensor, a: Tensor, b: Tensor) -> Tensor:
        where = place(s, t, a, b)
        return held[where.flatten()].reshape(where.shape) > 0

    s1, s2, s3 = TRIPLES.unbind(1)
    kinds = [some(s3, s, a, b) for s in (s1, s2) for a, b in ((s1, s2), (s2, s1))]
    mismatched = kinds[0] | kinds[1] | kinds[2] | kinds[3]
    prompts = weight[:, None] * (TRIPLES.amax(1) < n).to(torch.float64)
    return {
        "measured_confusing": (count * some(first, second, second, first)).sum() / count.sum(),
        "measured_mismatched": (prompts * mismatched).sum() / prompts.sum(),
        "measured_violations": (held > 1).to(torch.float64).sum() / 2,
    }
