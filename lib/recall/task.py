"""The IC-recall task of Huang et al., section 2.2: knowledge, prompts, and the paper's assumptions as counts.

A relation is a bijection from n subjects to n answers. A prompt shows K (subject, answer) examples of one
hidden relation r* and a query subject; the targets are r* and r*(query). Subjects, answers and relations are
numbered from 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from lib.domain import Domain

SUBJECTS = Domain("subjects", low=3, integer=True)
RELATIONS = Domain("relations", low=1, integer=True)
EXAMPLES = Domain("examples", low=2, integer=True)
PROMPTS = Domain("number of prompts", low=1, high=10_000_000, integer=True)
FIELD_SIZE = Domain("q", low=3, high=199, integer=True)
"""The fields whose q(q − 1) affine relations are listed one by one; their histograms need no list."""

CHUNK = 1 << 22
"""Comparisons of a relation with a prompt that are held in memory at once."""


def _least_divisor(n: int) -> int:
    """The smallest divisor of n ≥ 2 that is greater than 1."""
    return next((d for d in range(2, math.isqrt(n) + 1) if n % d == 0), n)


def _nearest_field(size: float) -> int:
    """The power of a prime nearest to ``size``, if one is within 30."""
    nearest = sorted(range(max(3, round(size) - 30), round(size) + 31), key=lambda n: abs(n - size))
    return next(n for n in nearest if n == _least_divisor(n) ** round(math.log(n, _least_divisor(n))))


FAMILIES = (3, 4, 5, 7, 8, 9, 11, *(_nearest_field(10 ** (k / 8)) for k in range(9, 48)), 999_983)
"""Powers of primes, eight to a decade: the numbers of subjects offered, each with a field and its affine maps."""


class Knowledge(NamedTuple):
    """The stored facts: ``answers[r, s]`` is r(s), (R, n) int64. Make it with :func:`knowledge`."""

    answers: Tensor

    @property
    def relations(self) -> int:
        """|R|, the number of relations."""
        return self.answers.shape[0]

    @property
    def subjects(self) -> int:
        """n = |S| = |A|, the number of subjects and of answers."""
        return self.answers.shape[1]


class Prompts(NamedTuple):
    """IC-recall sequences (s₁, r*(s₁), …, s_K, r*(s_K), s_{K+1}, EoS). Make them with :func:`prompts`."""

    subjects: Tensor
    """(B, K+1) int64, distinct in each row; the last is the query."""
    relation: Tensor
    """(B,) int64, the hidden relation r*."""

    @property
    def size(self) -> int:
        """B, the number of prompts."""
        return self.subjects.shape[0]

    @property
    def examples(self) -> int:
        """K, the number of (subject, answer) pairs before the query."""
        return self.subjects.shape[1] - 1


class Assumption1(NamedTuple):
    """How far two (subject, answer) pairs identify a relation: see :func:`assumption_1`."""

    violations: int
    """Quadruples (s₁ < s₂, a₁, a₂) that two or more relations share."""
    multiplicity: int
    """The largest number of relations that share one quadruple."""

    @property
    def holds(self) -> bool:
        """Whether every quadruple belongs to at most one relation."""
        return self.violations == 0


class Assumption2(NamedTuple):
    """How many prompts have a confusing or a mismatched relation: see :func:`assumption_2`."""

    confusing: int
    mismatched: int
    prompts: int

    @property
    def confusing_fraction(self) -> float:
        """p_conf, the share of confusing prompts."""
        return self.confusing / self.prompts

    @property
    def mismatched_fraction(self) -> float:
        """p_mis, the share of mismatched prompts."""
        return self.mismatched / self.prompts

    @property
    def zeta(self) -> float:
        """ζ, the smaller of the two shares."""
        return min(self.confusing_fraction, self.mismatched_fraction)

    @property
    def holds(self) -> bool:
        """Whether both kinds of prompt occur."""
        return self.zeta > 0


def knowledge(answers: Tensor | list[list[int]]) -> Knowledge:
    """The knowledge with r(s) = ``answers[r][s]``.

    Args:
        answers: (R, n) whole numbers from 0 to n − 1.

    Raises:
        ValueError: not a table of whole numbers; n < 3; no relation; an answer outside 0 … n − 1; a relation
            with two subjects for one answer; two equal relations.
    """
    table = torch.as_tensor(answers)
    if table.ndim != 2 or table.is_floating_point() or table.is_complex() or table.dtype == torch.bool:
        raise ValueError(
            f"answers = {table.dtype} of shape {tuple(table.shape)}: "
            "must be a table of whole numbers, relations × subjects"
        )
    RELATIONS.check(table.shape[0])
    SUBJECTS.check(table.shape[1])
    _check_entries("answers", table, table.shape[1])
    _check_bijections(table)
    _check_distinct(table)
    return Knowledge(table.to(torch.int64))


def random_bijections(subjects: int, relations: int, generator: Generator) -> Knowledge:
    """A uniformly random set of distinct bijections (the data of Huang et al., section 5), in sorted order.

    Args:
        subjects: n, at least 3.
        relations: |R|, from 1 to n!.
        generator: the source of randomness.

    Raises:
        ValueError: ``subjects`` or ``relations`` outside its range.
    """
    SUBJECTS.check(subjects)
    bijections = math.factorial(subjects) if subjects <= 20 else math.inf  # 21! is beyond any memory
    RELATIONS._replace(high=bijections).check(relations)
    if 2 * relations > bijections:  # a draw would mostly repeat an earlier one
        every = torch.tensor(list(permutations(range(subjects))))
        chosen = torch.randperm(len(every), generator=generator)[:relations]
        return Knowledge(every[chosen.sort().values])
    drawn = torch.empty(0, subjects, dtype=torch.int64)
    while len(drawn) < relations:
        noise = torch.rand(relations - len(drawn), subjects, generator=generator, dtype=torch.float64)
        drawn = torch.cat([drawn, noise.argsort(1)]).unique(dim=0)
    return Knowledge(drawn)


def affine_family(q: int) -> Knowledge:
    """All maps x ↦ a x + b with a ≠ 0 over the field of q elements, q prime: q(q − 1) relations.

    Two points and two distinct images fix exactly one such map, so Assumption 1 holds with equality and
    Assumption 2 with ζ = 1. At q = 3 these are all six bijections, the warm-up of Huang et al., section 4.1.
    Relation (a − 1) q + b is x ↦ a x + b.

    Raises:
        ValueError: ``q`` is not a prime from 3 to 199.
    """
    FIELD_SIZE.check(q)
    check_prime(q)
    x = torch.arange(q)
    images = x[1:, None, None] * x + x[:, None]  # (a, b, x)
    return Knowledge(images.reshape(-1, q) % q)  # (q(q−1), q)


def affine_subset(q: int, relations: int, generator: Generator) -> Knowledge:
    """A uniformly random set of affine maps: Assumption 1 stays, confusing and mismatched prompts thin out.

    Args:
        q: the size of the field, a prime from 3 to 199.
        relations: |R|, from 1 to q(q − 1).
        generator: the source of randomness.

    Raises:
        ValueError: ``q`` or ``relations`` outside its range.
    """
    family = affine_family(q)
    RELATIONS._replace(high=family.relations).check(relations)
    chosen = torch.randperm(family.relations, generator=generator)[:relations]
    return Knowledge(family.answers[chosen.sort().values])


def check_prime(q: int) -> None:
    """Raise a ValueError naming ``q`` unless it is a prime of at least 3."""
    FIELD_SIZE._replace(high=math.inf).check(q)
    if _least_divisor(q) < q:
        raise ValueError(f"q = {q}: must be a prime number, and {_least_divisor(q)} divides it")


def prompts(
    knowledge: Knowledge, subjects: Tensor | list[list[int]], relation: Tensor | list[int]
) -> Prompts:
    """The prompts in which ``relation[b]`` maps the subjects ``subjects[b]``, the last being the query.

    Args:
        knowledge: where the relations are.
        subjects: (B, K+1) whole numbers from 0 to n − 1, distinct in each row, 2 ≤ K ≤ n − 1.
        relation: (B,) whole numbers from 0 to |R| − 1.

    Raises:
        ValueError: wrong shapes, no prompt, K or an entry outside its range, or a repeated subject.
    """
    rows, hidden = torch.as_tensor(subjects), torch.as_tensor(relation)
    if rows.ndim != 2 or hidden.shape != rows.shape[:1]:
        raise ValueError(
            f"subjects and relation have shapes {tuple(rows.shape)} and {tuple(hidden.shape)}: "
            "must be (B, K+1) and (B,)"
        )
    PROMPTS.check(len(rows))
    _examples_domain(knowledge).check(rows.shape[1] - 1)
    _check_entries("subjects", rows, knowledge.subjects)
    _check_entries("relation", hidden, knowledge.relations)
    ordered = rows.sort(1).values
    repeated = (ordered[:, 1:] == ordered[:, :-1]).any(1).nonzero()
    if len(repeated):
        row = int(repeated[0])
        raise ValueError(f"subjects[{row}] = {rows[row].tolist()}: must be distinct")
    return Prompts(rows.to(torch.int64), hidden.to(torch.int64))


def all_prompts(knowledge: Knowledge, examples: int = 2) -> Prompts:
    """Every prompt once, |R| n!/(n − K − 1)! of them: the support of Definition 1, where all weigh the same.

    Raises:
        ValueError: ``examples`` outside 2 … n − 1, or more than ten million prompts.
    """
    _examples_domain(knowledge).check(examples)
    n = knowledge.subjects
    PROMPTS.check(knowledge.relations * math.perm(n, examples + 1))
    rows = torch.arange(n)[:, None]
    for _ in range(examples):
        longer = torch.cat([rows.repeat_interleave(n, 0), torch.arange(n).repeat(len(rows))[:, None]], 1)
        rows = longer[(longer[:, :-1] != longer[:, -1:]).all(1)]  # (n·(n−1)·…, one more column)
    return Prompts(
        rows.repeat(knowledge.relations, 1), torch.arange(knowledge.relations).repeat_interleave(len(rows))
    )


def sample_prompts(knowledge: Knowledge, count: int, generator: Generator, examples: int = 2) -> Prompts:
    """Prompts drawn independently from P_IC (Huang et al., Definition 1): r* uniform, then distinct subjects.

    Args:
        knowledge: where the relations are.
        count: B, at least 1.
        generator: the source of randomness.
        examples: K, from 2 to n − 1.

    Raises:
        ValueError: ``count`` or ``examples`` outside its range.
    """
    PROMPTS._replace(name="count").check(count)
    _examples_domain(knowledge).check(examples)
    relation = torch.randint(knowledge.relations, (count,), generator=generator)
    noise = torch.rand(count, knowledge.subjects, generator=generator, dtype=torch.float64)
    return Prompts(noise.argsort(1)[:, : examples + 1].clone(), relation)


def matches(knowledge: Knowledge, prompts: Prompts) -> Iterator[Tensor]:
    """Which relation maps which subject of a prompt to which of its example answers, some prompts at a time.

    Yields:
        (b, R, K+1, K) bool: r(sᵢ) = aⱼ with aⱼ = r*(sⱼ), for b consecutive prompts; the b add up to B.
    """
    k = prompts.examples
    step = max(1, CHUNK // (knowledge.relations * (k + 1) * k))
    for subjects, relation in zip(prompts.subjects.split(step), prompts.relation.split(step), strict=True):
        shown = knowledge.answers[relation[:, None], subjects[:, :-1]]  # (b, K)
        images = knowledge.answers.T[subjects].transpose(1, 2)  # (b, K+1, R) → (b, R, K+1)
        yield images[:, :, :, None] == shown[:, None, None, :]


def assumption_1(knowledge: Knowledge) -> Assumption1:
    """Count the breaches of Assumption 1: at most one relation has r(s₁) = a₁ and r(s₂) = a₂.

    The printed assumption speaks of any s₁, s₂; it must mean distinct ones, and then a₁ ≠ a₂ too. A quadruple
    (s₁ < s₂, a₁, a₂) counts once, whatever the number of relations that share it.
    """
    n = knowledge.subjects
    violations, multiplicity = 0, 1
    for first in range(n - 1):
        later = torch.arange(n - 1 - first)
        codes = (later * n + knowledge.answers[:, first, None]) * n + knowledge.answers[:, first + 1 :]
        _, shared = codes.unique(return_counts=True)  # one code per (s₂, a₁, a₂)
        violations += int((shared > 1).sum())
        multiplicity = max(multiplicity, int(shared.max()))
    return Assumption1(violations, multiplicity)


def assumption_2(knowledge: Knowledge, prompts: Prompts) -> Assumption2:
    """Count the two kinds of prompt that Assumption 2 asks for (Huang et al., section 4.2; two examples).

    Confusing: some relation swaps the answers, r(s₁) = a₂ and r(s₂) = a₁. Mismatched: some relation maps two
    of the three subjects onto {a₁, a₂}, the query among them.

    Raises:
        ValueError: the prompts do not have exactly two examples.
    """
    EXAMPLES._replace(high=2).check(prompts.examples)
    confusing = mismatched = 0
    for hit in matches(knowledge, prompts):
        swapped = hit[:, :, 0, 1] & hit[:, :, 1, 0]
        with_query = hit[:, :, 2].any(2) & hit[:, :, :2].any(3).any(2)  # (b, R)
        confusing += int(swapped.any(1).sum())
        mismatched += int(with_query.any(1).sum())
    return Assumption2(confusing, mismatched, prompts.size)


def bayes_ceiling(knowledge: Knowledge, prompts: Prompts) -> float:
    """The best achievable probability of naming r* from the examples, on average over ``prompts``.

    All relations that agree with the K examples are equally likely, so no rule beats 1/(their number). The
    ceiling is 1 where Assumption 1 holds.
    """
    total = 0.0
    for hit in matches(knowledge, prompts):
        consistent = hit[:, :, :-1].diagonal(dim1=2, dim2=3).all(2)  # (b, R): r(sᵢ) = aᵢ for i ≤ K
        total += float((1 / consistent.sum(1).to(torch.float64)).sum())
    return total / prompts.size


def _examples_domain(knowledge: Knowledge) -> Domain:
    return EXAMPLES._replace(high=knowledge.subjects - 1)


def _check_entries(name: str, table: Tensor, size: int) -> None:
    """Raise a ValueError unless every entry is a whole number from 0 to ``size`` − 1."""
    if table.is_floating_point() or table.is_complex() or table.dtype == torch.bool:
        raise ValueError(f"{name} = {table.dtype}: must be whole numbers from 0 to {size - 1}")
    outside = table[(table < 0) | (table >= size)]
    if len(outside):
        raise ValueError(f"{name} = {int(outside[0])}: must be a whole number from 0 to {size - 1}")


def _check_bijections(table: Tensor) -> None:
    """Raise a ValueError naming the first relation that gives one answer to two subjects."""
    ordered = table.sort(1).values
    clash = (ordered[:, 1:] == ordered[:, :-1]).nonzero()
    if len(clash):
        relation, place = clash[0].tolist()
        answer = int(ordered[relation, place])
        holders = (table[relation] == answer).nonzero().flatten().tolist()
        raise ValueError(
            f"relation {relation} gives answer {answer} to subjects {holders}: must be a bijection, "
            "each answer to exactly one subject"
        )


def _check_distinct(table: Tensor) -> None:
    """Raise a ValueError naming the first two equal relations."""
    _, kind, counts = table.unique(dim=0, return_inverse=True, return_counts=True)
    repeated = (counts[kind] > 1).nonzero().flatten()
    if len(repeated):
        twins = (kind == kind[repeated[0]]).nonzero().flatten().tolist()
        raise ValueError(f"relations {twins[0]} and {twins[1]} are equal: must be distinct")
