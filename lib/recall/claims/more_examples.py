"""More than two examples: findings of our own, where the paper has one picture, Figure 2 (b)."""

from __future__ import annotations

import math
from itertools import product

import torch
from torch import Tensor

from lib.claims import Check, Claim, Evidence, Verdict, register
from lib.recall.claims.common import lowest, scalar
from lib.recall.dynamics import match_classes, reduce, relation_loss
from lib.recall.dynamics.more_examples import (
    COLD,
    DEFAULTS,
    MOST,
    NEAR,
    SUBJECTS,
    agreeing,
    excess_loss,
    family,
    law,
    lesson,
    spacing,
)
from lib.recall.dynamics.reduction import Reduced
from lib.recall.task import prompts
from lib.solve import run

PAGE = "book/recall/more_examples"
PAPER = "this book"


def whole(examples: int, fixing: int) -> Reduced:
    """All prompts of K examples about one relation of the family: by symmetry they stand for all prompts."""
    known = family(fixing)
    rows = [row for row in product(range(SUBJECTS), repeat=examples + 1) if len(set(row)) == examples + 1]
    return reduce(known, prompts(known, [list(row) for row in rows], [0] * len(rows)))


def best_masses(examples: int, fixing: int, warmth: float, starts: int = 6, steps: int = 500) -> Tensor:
    """The pair masses, falling, of the lowest L₁ found over all 2K + 2 positions; (K,)."""
    reduced = whole(examples, fixing)
    k, t = scalar(float(examples)), scalar(float(fixing))
    temperature = warmth * spacing(k, t) ** 2 / 2
    floor = torch.log(agreeing(k, t))
    theta = lowest(lambda x: relation_loss(x, reduced, temperature) - floor, 2 * examples + 2, starts, steps)
    v = torch.softmax(theta, 0)
    return (v[0:-2:2] + v[1:-2:2]).sort(descending=True).values


def pair_masses(examples: int, fixing: int, warmth: float) -> Evidence:
    """Where gradient descent ends, the lowest loss of random starts, and the law."""
    settings = {**DEFAULTS, "examples": examples, "fixing": fixing, "warmth": warmth}
    report = run(lesson(), **settings).report
    d = float(spacing(scalar(float(examples)), scalar(float(fixing))))
    wanted, trained = report.law[:examples], report.masses[:examples]
    best = best_masses(examples, fixing, warmth)
    apart = float((best - wanted).abs().max()) / d
    names = ("largest mass", "second mass", "third mass", "fourth mass")[:examples]
    return Evidence(
        hypotheses={
            "T at most a third of the law's smallest gap": warmth <= COLD,
            "the loss never rises": bool(report.small_steps),
        },
        predicted=dict(zip(names, wanted.tolist(), strict=True)),
        measured={
            **dict(zip(names, trained.tolist(), strict=True)),
            "distance from the law, in spacings": float(report.distance),
            "that of the lowest loss of random starts": apart,
            "largest difference within a pair": float(report.mismatch),
            "smallest gap over the law's": float(report.least_gap / report.smallest_gap),
        },
        conclusion=float(report.distance) < NEAR and apart < NEAR,
    )


def linear_term_holds() -> bool:
    """Halving T divides by three or more what the law with its linear term leaves (K = t = 2, 3)."""
    for k in (2, 3):
        left = []
        for warmth in (0.2, 0.1):
            size = scalar(float(k))
            wanted = law(size, size, scalar(warmth))[:k]
            left.append(float((_slice_optimum(k, warmth) - wanted).abs().max()))
        if not left[0] > 3 * left[1] > 0:
            return False
    return True


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
        gradient, hessian = torch.func.grad(value)(theta), torch.func.hessian(value)(theta)
        theta = theta - torch.linalg.solve(hessian, gradient)
    return torch.softmax(torch.cat([torch.zeros(1, dtype=torch.float64), theta]), 0)


def law_maximises_the_smallest_gap() -> bool:
    """The bound in sympy's hands: increments of at least 2g and total mass 1 give g ≤ 1/(k(k + 1)) for any k.

    A swap of neighbours costs 2(xᵢ − xⱼ)(yᵢ − yⱼ) ≤ ½(mᵢ − mⱼ)² and a missed pair 2xy ≤ ½m²: AM–GM. If all gaps are
    at least 2g², the j-th smallest mass is at least 2gj, so that 1 ≥ g k(k + 1), with equality for the law alone.
    """
    import sympy as sp

    g, j, k, x, y = sp.symbols("g j k x y", positive=True)
    total = sp.summation(2 * g * j, (j, 1, k))
    bound = sp.solve(sp.Eq(total, 1), g)[0]
    amgm = sp.expand((x + y) ** 2 / 2 - 2 * x * y - (x - y) ** 2 / 2) == 0
    return amgm and sp.simplify(bound - 1 / (k * (k + 1))) == 0


def reduction_is_exact() -> bool:
    """The eight-score loss against :func:`lib.recall.dynamics.reduce` on every pair of K and t."""
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


register(
    Claim(
        id="recall.pair-masses",
        paper=PAPER,
        kind="finding",
        number="of ours",
        title="With K examples the pair masses become 1 : 2 : … : k",
        page=PAGE,
        statement=(
            "Let any $t$ pairs with distinct subjects and distinct answers belong to exactly one relation, and show "
            "$K$ examples. As $T \\to 0$ the optimum of $L_1$ has pair masses "
            "$0 : \\dots : 0 : 1 : 2 : \\dots : k$ with $k = \\min(K, t)$, in any order, and equal attention inside "
            "each pair. For $K \\le t$ this is proved; for $K > t$ it is what training and search find."
        ),
        examine=pair_masses,
        holds_at={"examples": 4, "fixing": 4, "warmth": 0.25},
        fails_at={"examples": 4, "fixing": 4, "warmth": 2.0},
        recorded=Verdict.CONFIRMED,
        finding=(
            "Not the paper's: the law behind Figure 2 (b). Two examples give $1 : 2$, three $1 : 2 : 3$; examples that "
            "are not needed get nothing."
        ),
        checked=(
            Check(
                "The law, $K \\le t$",
                "the smallest gap is at most $2/(k(k+1))^2$, reached by $1 : 2 : \\dots : k$ alone",
                "sympy",
                law_maximises_the_smallest_gap,
            ),
            Check("The law", "its term linear in $T$", "autograd", linear_term_holds),
            Check("The reduction", "$L_1$ on eight scores", "count", reduction_is_exact),
        ),
    )
)


def plateaus(examples: int, fixing: int, warmth: float) -> Evidence:
    """Loss and curvature at equal masses, and the loss of the plateau where two pairs stay tied."""
    settings = {**DEFAULTS, "examples": examples, "fixing": fixing, "warmth": warmth, "steps": 800}
    free = run(lesson(), **settings).report
    outcome = run(lesson(), **{**settings, "tie": 1e-6})
    rows = outcome.histories[0].rows
    loss = rows.loss[:, 0]
    tied = ((rows.masses[:, 0] - rows.masses[:, 1]).abs() < 0.01) & (loss < 0.9 * float(free.start_loss))
    plateau = float(loss[tied].min()) if tied.any() else math.nan
    equal, curvature = math.lgamma(examples + 1), float(free.saddle_curvature)
    return Evidence(
        hypotheses={
            "no more examples than fix a relation": examples <= fixing,
            "T at most a third of the law's smallest gap": warmth <= COLD,
        },
        predicted={
            "loss at equal masses": equal,
            "curvature there": curvature,
            "loss while two are tied": math.log(2),
        },
        measured={
            "loss at equal masses": float(free.start_loss),
            "curvature there": float(free.curvature),
            "loss while two are tied": plateau,
            "loss at the end": float(free.end_loss),
        },
        conclusion=abs(float(free.start_loss) - equal) < 0.01
        and abs(float(free.curvature) / curvature - 1) < 0.05
        and abs(plateau - math.log(2)) < 0.1,
    )


register(
    Claim(
        id="recall.plateaus",
        paper=PAPER,
        kind="finding",
        number="of ours",
        title="Ties cost log of their number: the plateaus of three and four examples",
        page=PAGE,
        statement=(
            "With $K \\le t$ examples and equal masses the true relation ties with all that permute the example "
            "answers: $L_1 \\approx \\log K!$, a saddle of curvature about $-1/(2TK^2)$ in every direction that sets "
            "pairs apart. While only two pairs are tied the loss waits at $\\log 2$."
        ),
        examine=plateaus,
        holds_at={"examples": 3, "fixing": 3, "warmth": 0.2},
        fails_at={"examples": 4, "fixing": 2, "warmth": 0.2},
        recorded=Verdict.CONFIRMED,
        finding="Not the paper's. At K = 2 it is Theorem 2's saddle: log 2 and −1/(8T).",
    )
)


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


def equal_masses(examples: int, subjects: int, temperature: float) -> Evidence:
    """The masses of the lowest loss of random starts on a prompt in general position."""
    matches, log_counts = general_position(examples, subjects)
    one = torch.ones(1, dtype=torch.float64)
    reduced = Reduced(matches, log_counts[None], one, scalar(float(subjects)))
    t = scalar(temperature)
    theta = lowest(lambda x: relation_loss(x, reduced, t), 2 * examples + 2, starts=16, steps=400)
    v = torch.softmax(theta, 0)
    masses = (v[0:-2:2] + v[1:-2:2]).sort(descending=True).values
    return Evidence(
        hypotheses={
            "three or four examples": examples in (3, 4),
            "T at most 1/(40 log n)": temperature <= 1 / (40 * math.log(subjects)),
        },
        predicted={"each mass": 1 / examples, "smallest gap": (examples - 2) / (2 * examples**2)},
        measured={"largest mass": float(masses[0]), "smallest mass": float(masses[-1])},
        conclusion=float((masses - 1 / examples).abs().max()) < 0.02,
    )


register(
    Claim(
        id="recall.equal-masses",
        paper=PAPER,
        kind="finding",
        number="of ours",
        title="In general position, more examples need no broken symmetry",
        page=PAGE,
        statement=(
            "Take a prompt of $K = 3$ or $4$ examples about an affine family so large that no relation but $r^*$ "
            "matches three of its pairs. Then, at low temperature, equal masses, $1 : 1 : 1$ or $1 : 1 : 1 : 1$, have "
            "the lowest loss, and nothing has to break the tie."
        ),
        examine=equal_masses,
        holds_at={"examples": 4, "subjects": 10_007, "temperature": 0.002},
        fails_at={"examples": 2, "subjects": 10_007, "temperature": 0.002},
        recorded=Verdict.CONFIRMED,
        finding=(
            "Not the paper's. With two examples confusing relations are everywhere; with more, only special prompts "
            "have them, and at small n those still decide."
        ),
    )
)
