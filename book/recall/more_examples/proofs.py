"""Proofs of the law of the masses: the smallest gap is largest there, and no other rival is nearer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations, product

import sympy as sp
import torch
from torch import Tensor

from book.ledger.proofs import checked
from book.recall.common import scalar
from book.recall.more_examples.program import NEAR
from book.recall.more_examples.search import all_prompts_of_one_relation, searched
from lib.recall.more_examples import MOST, agreeing, excess_loss, law, spacing
from lib.recall.reduction import match_classes, reduce, relation_loss
from lib.recall.task import affine_family, prompts


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


def _smallest_gap(rivals: Tensor, masses: Sequence[int]) -> float:
    """How far the nearest of the classes (C, K + 1, K) is behind r*, with attention m/2 on both tokens of a pair."""
    m = torch.tensor([*masses, 0.0], dtype=torch.float64) / 2
    return float((2 * (m @ m - torch.einsum("cij,i,j->c", rivals, m, m[:-1]))).min())


@checked(
    "recall.pair-masses",
    "The law, $K \\le t$",
    "the smallest gap is at most $2/(k(k+1))^2$, reached by $1 : 2 : \\dots : k$ alone",
    "sympy",
)
def law_maximises_the_smallest_gap() -> bool:
    """Proves the bound by sympy: increments of at least 2g and total mass 1 give g ≤ 1/(k(k + 1)) for any k.

    A swap of neighbours costs 2(xᵢ − xⱼ)(yᵢ − yⱼ) ≤ ½(mᵢ − mⱼ)² and a missed pair 2xy ≤ ½m²: AM–GM. If all gaps are
    at least 2g², the j-th smallest mass is at least 2gj, so that 1 ≥ g k(k + 1), with equality for the law alone.
    """
    g, j, k, x, y = sp.symbols("g j k x y", positive=True)
    [bound] = sp.solve(sp.summation(2 * g * j, (j, 1, k)) - 1, g)
    amgm = sp.expand((x + y) ** 2 / 2 - 2 * x * y - (x - y) ** 2 / 2) == 0
    return amgm and sp.simplify(bound - 1 / (k * (k + 1))) == 0


@checked(
    "recall.pair-masses", "The law, $K \\le t$, and $t = 2$, $K = 3$", "no other class is nearer", "count"
)
def no_other_rival_is_nearer() -> bool:
    """Proves that at the law ½d² is the smallest gap of any class, for K ≤ t and for K = 3 examples of affine maps.

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


@checked("recall.pair-masses", "The law", "its term linear in $T$", "autograd")
def linear_term_holds() -> bool:
    """Proves that halving T divides by three or more what the law with its linear term leaves (K = t = 2, 3)."""

    def left(k: int, warmth: float) -> float:
        size = scalar(float(k))
        return float((_slice_optimum(k, warmth) - law(size, size, scalar(warmth))[:k]).abs().max())

    return all(left(k, 0.2) > 3 * left(k, 0.1) > 0 for k in (2, 3))


@checked(
    "recall.pair-masses",
    "The law",
    "the lowest loss over all positions, query and EoS included",
    "search from random starts",
)
def search_finds_the_law() -> bool:
    """Proves that the lowest loss of random starts is at the law's masses, to a quarter of its spacing."""
    return searched(4, 4).distance < NEAR


@checked("recall.pair-masses", "The reduction", "$L_1$ on eight scores", "count")
def reduction_is_exact() -> bool:
    """Proves the eight-score loss against :func:`lib.recall.reduction.reduce` on every pair of K and t."""
    generator = torch.Generator().manual_seed(4)
    none = torch.full((2,), -math.inf, dtype=torch.float64)
    for examples, fixing in product((2, 3, 4), repeat=2):
        reduced, k, t = (
            all_prompts_of_one_relation(examples, fixing),
            scalar(float(examples)),
            scalar(float(fixing)),
        )
        theta = torch.randn(8, dtype=torch.float64, generator=generator)
        full = relation_loss(torch.cat([theta[: 2 * examples], none]), reduced, scalar(0.05))
        mine = excess_loss(theta, k, t, scalar(0.05))
        # the true relation is one of N₀, all of the same class: log N₀ is there in both
        if abs(float(full - mine - torch.log(agreeing(k, t)))) > 1e-12:
            return False
    return True
