"""Beside the run: the lowest loss by search, the plateaus, prompts in general position, and the law by sympy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations, product

import sympy as sp
import torch
from torch import Tensor

from book.recall.common import lowest, scalar
from book.recall.more_examples.program import COLD, NEAR, lesson
from lib.program import run
from lib.recall.more_examples import MOST, SUBJECTS, agreeing, excess_loss, family, law, spacing
from lib.recall.reduction import Reduced, match_classes, reduce, relation_logits, relation_loss
from lib.recall.task import affine_family, prompts


def whole(examples: int, fixing: int) -> Reduced:
    """All prompts of K examples about one relation of the family: by symmetry they stand for all prompts."""
    known = family(fixing)
    rows = [row for row in product(range(SUBJECTS), repeat=examples + 1) if len(set(row)) == examples + 1]
    return reduce(known, prompts(known, [list(row) for row in rows], [0] * len(rows)))


def lowest_masses(value: Callable[[Tensor], Tensor], examples: int, starts: int, steps: int) -> Tensor:
    """The pair masses, falling, where a function of all 2K + 2 scores is :func:`lowest`; (K,)."""
    v = torch.softmax(lowest(value, 2 * examples + 2, starts, steps), 0)
    return (v[0:-2:2] + v[1:-2:2]).sort(descending=True).values


def searched(examples: int, fixing: int, warmth: float = 0.25) -> dict[str, float]:
    """The masses of the lowest L₁ found over all positions, and how far they are from the law, in its spacings."""
    reduced, k, t = whole(examples, fixing), scalar(float(examples)), scalar(float(fixing))
    temperature, floor = warmth * spacing(k, t) ** 2 / 2, torch.log(agreeing(k, t))
    masses = lowest_masses(lambda x: relation_loss(x, reduced, temperature) - floor, examples, 6, 500)
    distance = (masses - law(k, t, scalar(0.0))[:examples]).abs().max() / spacing(k, t)
    return {"distance": float(distance), **{f"mass_{i + 1}": float(m) for i, m in enumerate(masses)}}


def search_finds_the_law() -> bool:
    """The lowest loss of random starts over all 2K + 2 positions has the law's masses to a quarter of its spacing."""
    return searched(4, 4)["distance"] < NEAR


def linear_term_holds() -> bool:
    """Halving T divides by three or more what the law with its linear term leaves (K = t = 2, 3)."""

    def left(k: int, warmth: float) -> float:
        size = scalar(float(k))
        return float((_slice_optimum(k, warmth) - law(size, size, scalar(warmth))[:k]).abs().max())

    return all(left(k, 0.2) > 3 * left(k, 0.1) > 0 for k in (2, 3))


def _slice_optimum(k: int, warmth: float) -> Tensor:
    """The masses, falling, that minimise L₁ with K = t = k and attention equal within pairs, by Newton's method."""
    size = scalar(float(k))
    temperature = warmth * spacing(size, size) ** 2 / 2

    def value(theta: Tensor) -> Tensor:
        scores = torch.cat([torch.zeros(1, dtype=torch.float64), theta]).repeat_interleave(2)
        padded = torch.cat([scores, torch.zeros(2 * MOST - 2 * k, dtype=torch.float64)])
        return torch.log(excess_loss(padded, size, size, temperature))

    theta = torch.log(torch.arange(k - 1, 0, -1, dtype=torch.float64) / k)
    for _ in range(20):
        theta = theta - torch.linalg.solve(torch.func.hessian(value)(theta), torch.func.grad(value)(theta))
    return torch.softmax(torch.cat([torch.zeros(1, dtype=torch.float64), theta]), 0)


def law_maximises_the_smallest_gap() -> bool:
    """The bound in sympy's hands: increments of at least 2g and total mass 1 give g ≤ 1/(k(k + 1)) for any k.

    A swap of neighbours costs 2(xᵢ − xⱼ)(yᵢ − yⱼ) ≤ ½(mᵢ − mⱼ)² and a missed pair 2xy ≤ ½m²: AM–GM. If all gaps are
    at least 2g², the j-th smallest mass is at least 2gj, so that 1 ≥ g k(k + 1), with equality for the law alone.
    """
    g, j, k, x, y = sp.symbols("g j k x y", positive=True)
    [bound] = sp.solve(sp.summation(2 * g * j, (j, 1, k)) - 1, g)
    amgm = sp.expand((x + y) ** 2 / 2 - 2 * x * y - (x - y) ** 2 / 2) == 0
    return amgm and sp.simplify(bound - 1 / (k * (k + 1))) == 0


def no_other_rival_is_nearer() -> bool:
    """At the law ½d² is the smallest gap of any class: for K ≤ t, and for K = 3 examples of affine maps, t = 2.

    There each swap that keeps the third pair belongs to a relation on some prompt, and no class but r*'s has both
    heavier pairs.
    """
    for k in (2, 3, 4, 5):
        if not math.isclose(_smallest_gap(match_classes(k)[1:], range(1, k + 1)), 0.5, rel_tol=1e-12):
            return False
    for q in (5, 7):
        known, rows = affine_family(q), [list(row) for row in permutations(range(q), 4)]
        reduced = reduce(known, prompts(known, rows, [0] * len(rows)))
        rivals = reduced.matches[1:][torch.isfinite(reduced.log_counts).any(0)[1:]]
        swaps = [
            rivals[:, k, k] * rivals[:, i, j] * rivals[:, j, i]
            for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 2, 0))
        ]
        if not all(swap.any() for swap in swaps) or not math.isclose(
            _smallest_gap(rivals, range(3)), 0.5, rel_tol=1e-12
        ):
            return False
    return True


def _smallest_gap(rivals: Tensor, masses: Sequence[int]) -> float:
    """How far the nearest of the classes (C, K + 1, K) is behind r*, with attention m/2 on both tokens of a pair."""
    m = torch.tensor([*masses, 0.0], dtype=torch.float64) / 2
    return float((2 * (m @ m - torch.einsum("cij,i,j->c", rivals, m, m[:-1]))).min())


def reduction_is_exact() -> bool:
    """The eight-score loss against :func:`lib.recall.reduction.reduce` on every pair of K and t."""
    generator = torch.Generator().manual_seed(4)
    none = torch.full((2,), -math.inf, dtype=torch.float64)
    for examples, fixing in product((2, 3, 4), repeat=2):
        reduced, k, t = whole(examples, fixing), scalar(float(examples)), scalar(float(fixing))
        theta = torch.randn(8, dtype=torch.float64, generator=generator)
        full = relation_loss(torch.cat([theta[: 2 * examples], none]), reduced, scalar(0.05))
        mine = excess_loss(theta, k, t, scalar(0.05))
        # the true relation is one of N₀, all of the same class: log N₀ is there in both
        if abs(float(full - mine - torch.log(agreeing(k, t)))) > 1e-12:
            return False
    return True


def plateaus(examples: int, fixing: int, warmth: float) -> dict[str, float]:
    """Loss and curvature at equal masses, and the loss of the plateau where two pairs stay tied."""
    outcome = run(lesson(), examples=examples, fixing=fixing, warmth=warmth, steps=800, tie=1e-6)
    end, rows = outcome.report, outcome.histories[0].rows
    loss = rows.loss[:, 0]
    below = loss < (0.9 if examples > 2 else 2.0) * float(
        end.start_loss
    )  # two examples are tied from the start
    tied = ((rows.masses[:, 0] - rows.masses[:, 1]).abs() < 0.01) & below
    return {
        "few": examples <= fixing,
        "cold": warmth <= COLD,
        "permutations": math.lgamma(examples + 1),
        "start_loss": float(end.start_loss),
        "saddle_curvature": float(end.saddle_curvature),
        "curvature": float(end.curvature),
        "plateau": float(loss[tied].min()) if tied.any() else math.nan,
        "end_loss": float(end.end_loss),
    }


def general_position(examples: int, subjects: int) -> tuple[Tensor, Tensor]:
    """The classes of a prompt in general position under Assumption 1, as large affine families have, and their logs.

    Every two pairs but two of the examples' own belong to one relation, which matches nothing else; an own pair
    belongs to n − 2 − (K − 1)² relations that match nothing else, another one to n − 1 − K(K − 1); the rest match none.

    Returns:
        (C, K + 1, K) matches, the first r*'s, and (C,) log counts.
    """
    every = match_classes(examples)
    own = every[:, :examples].diagonal(dim1=1, dim2=2).sum(1)
    size = every.sum((1, 2))
    n = float(subjects)
    alone = torch.where(own > 0, n - 2 - (examples - 1) ** 2, n - 1 - examples * (examples - 1))
    number = torch.where(size == 1, alone, torch.zeros_like(size))
    number = torch.where((size == 2) & (own < 2), torch.ones_like(size), number)
    number[0] = 1  # r* itself
    number = torch.where(size == 0, n * (n - 1) - number.sum(), number)
    there = number > 0
    return every[there], torch.log(number[there])


def equal_masses(examples: int, subjects: int = 10_007, temperature: float = 0.002) -> dict[str, float]:
    """The masses of the lowest loss of random starts on a prompt in general position."""
    matches, log_counts = general_position(examples, subjects)

    def odds(theta: Tensor) -> Tensor:
        behind = relation_logits(torch.softmax(theta, 0), matches - matches[:1])  # (C,)
        return torch.exp(torch.logsumexp(log_counts[1:] + behind[1:] / temperature, 0))

    masses = lowest_masses(odds, examples, starts=16, steps=400)
    return {
        "many": examples in (3, 4),
        "cold": temperature <= 1 / (40 * math.log(subjects)),
        "each": 1 / examples,
        "gap": (examples - 2) / (2 * examples**2),
        "largest": float(masses[0]),
        "smallest": float(masses[-1]),
    }
