"""Two, three or four examples of relations between five subjects: training from equal pair masses (our own study).

A family of bijections is *sharply t-transitive* if t pairs (subject, answer), with distinct subjects and distinct
answers, always belong to exactly one relation: Assumption 1 with equality is t = 2. On five points there is one for
every t from 2 to 4: the 20 affine maps x ↦ ax + b mod 5, the 60 even permutations, all 120 permutations.

Once attention on the query and on EoS has died out, xᵢ = v_{2i−1} and yᵢ = v_{2i} are all that is left, and mᵢ =
xᵢ + yᵢ is the mass of pair i. Renaming the subjects by their place in the prompt makes r* the identity and the
family one of its conjugates, of which the 20 affine maps have six, the other two families one.
"""

from __future__ import annotations

import math
from itertools import permutations

import torch
from torch import Tensor

from lib.domain import Domain
from lib.recall.task import Knowledge, affine_family, knowledge

SUBJECTS = 5
MOST = SUBJECTS - 1
"""The most examples: one subject is the query."""

COUNTS = (2, 3, 4)
EXAMPLES = Domain(
    "examples",
    low=2,
    high=MOST,
    integer=True,
    default=3,
    words="examples",
    symbol="K",
    scale="choice",
    track=COUNTS,
)
FIXING = Domain(
    "fixing",
    low=2,
    high=MOST,
    integer=True,
    default=3,
    words="examples that are needed,",
    symbol="t",
    scale="choice",
    track=COUNTS,
)

HIGHEST = 600.0
"""Logit gaps over T are cut here, where exp is still a number."""


def family(fixing: int) -> Knowledge:
    """The sharply t-transitive family on five subjects: 20 affine maps, 60 even permutations, all 120.

    Raises:
        ValueError: ``fixing`` is not 2, 3 or 4.
    """
    FIXING.check(fixing)
    if fixing == 2:
        return affine_family(SUBJECTS)
    return knowledge([list(p) for p in permutations(range(SUBJECTS)) if fixing == 4 or _even(p)])


def _even(p: tuple[int, ...]) -> bool:
    return sum(p[i] > p[j] for j in range(len(p)) for i in range(j)) % 2 == 0


def _conjugates(fixing: int) -> list[list[float]]:
    """The family's conjugates as 0 and 1 over all 120 permutations, each once."""
    every = list(permutations(range(SUBJECTS)))
    relations = [tuple(row) for row in family(fixing).answers.tolist()]
    conjugates = set()
    for names in every:  # place i of the prompt holds subject names[i], and answer i is the one it belongs to
        place = [names.index(s) for s in range(SUBJECTS)]
        conjugates.add(frozenset(tuple(place[r[names[i]]] for i in range(SUBJECTS)) for r in relations))
    return [[float(p in conjugate) for p in every] for conjugate in sorted(conjugates, key=sorted)]


def _tables() -> tuple[Tensor, Tensor, Tensor]:
    """Matches less those of r* (120, 16), conjugates as columns (120, 8), and for t = 2, 3, 4 their shares (3, 8)."""
    every = torch.tensor(list(permutations(range(SUBJECTS))))
    hit = (every[:, :MOST, None] == torch.arange(MOST)).to(torch.float64)  # (120, 4, 4)
    rows = [_conjugates(fixing) for fixing in (2, 3, 4)]
    columns = torch.tensor([row for group in rows for row in group], dtype=torch.float64).T.contiguous()
    shares = torch.block_diag(
        *(torch.full((1, len(group)), 1 / len(group), dtype=torch.float64) for group in rows)
    )
    return (hit - torch.eye(MOST)).flatten(1), columns, shares


DIFFERENCES, CONJUGATES, SHARES = _tables()
PLACES = torch.arange(MOST, dtype=torch.float64)
FACTORIALS = torch.tensor([1.0, 1, 2, 6, 24, 120], dtype=torch.float64)


def pair_attention(theta: Tensor, examples: Tensor) -> tuple[Tensor, Tensor]:
    """x and y, the attention on the subjects and on the answers of four pairs, 0 beyond the K-th; (8,) → (4,), (4,)."""
    used = (examples > PLACES).to(torch.float64).repeat_interleave(2)
    weights = used * torch.exp(theta - theta.amax())
    v = weights / weights.sum()
    return v[0::2], v[1::2]


def odds(theta: Tensor, examples: Tensor, temperature: Tensor) -> Tensor:
    """Σ_r exp((l(r) − l(r*))/T) for each conjugate of the three families; (8,)."""
    x, y = pair_attention(theta, examples)
    gaps = 2 * DIFFERENCES @ (x[:, None] * y).flatten()  # (120,)
    return CONJUGATES.T @ torch.exp(torch.clamp(gaps / temperature, max=HIGHEST))


def excess_loss(theta: Tensor, examples: Tensor, fixing: Tensor, temperature: Tensor) -> Tensor:
    """L₁ − log N₀, where N₀ = max(1, (5 − K)!/(5 − t)!) relations agree with all K examples; 0-d, traceable."""
    return _share(fixing) @ torch.log(odds(theta, examples, temperature)) - torch.log(
        agreeing(examples, fixing)
    )


def agreeing_probability(theta: Tensor, examples: Tensor, fixing: Tensor, temperature: Tensor) -> Tensor:
    """The mean probability of all N₀ relations that agree with every example; 0-d, traceable."""
    return _share(fixing) @ (agreeing(examples, fixing) / odds(theta, examples, temperature))


def agreeing(examples: Tensor, fixing: Tensor) -> Tensor:
    """N₀: how many relations agree with all K examples."""
    left = FACTORIALS[(SUBJECTS - examples).long()[None]][0] / FACTORIALS[(SUBJECTS - fixing).long()[None]][0]
    return torch.clamp(left, min=1)


def spacing(examples: Tensor, fixing: Tensor) -> Tensor:
    """d = 2/(k(k + 1)) with k = min(K, t): the law's masses are 0, …, 0, d, 2d, …, kd."""
    k = torch.minimum(examples, fixing)
    return 2 / (k * (k + 1))


def law(examples: Tensor, fixing: Tensor, warmth: Tensor) -> Tensor:
    """The masses from the largest to the smallest, with the term linear in T = warmth · d²/2; (…) → (…, 4).

    With uⱼ = m_(j) − m_(j−1) the increments from the smallest used mass on, L₁ is near Σⱼ Nⱼ exp(−uⱼ²/(2T)) under
    Σⱼ (k + 1 − j)uⱼ = 1. Here N₁ = 5 − k relations miss the weakest pair for each that swaps two neighbours. So
    uⱼ = d + (T/d)(zⱼ − z̄), zⱼ = log(Nⱼ/(k + 1 − j)), z̄ their mean with weights k + 1 − j. NaN beyond the K-th.
    """
    k = torch.minimum(examples, fixing)
    d = spacing(examples, fixing)
    weight = torch.clamp(k - PLACES, min=0)  # k, k − 1, …, 1, 0 for j = 1, 2, …
    number = torch.where(PLACES < 0.5, SUBJECTS - k, torch.ones_like(weight))
    z = torch.where(weight > 0, torch.log(number / torch.clamp(weight, min=1)), torch.zeros_like(weight))
    mean = (weight * z).sum() / weight.sum()
    used = (weight > 0).to(torch.float64)
    increments = d * used * (1 + warmth[..., None] / 2 * (z - mean))  # T/d = warmth · d/2
    rising = torch.cumsum(increments, -1)  # (…, 4), the k-th is the largest
    rank = torch.clamp(k - 1 - PLACES, min=0).long()
    masses = torch.where(k > PLACES, rising[..., rank], torch.zeros_like(rising))
    return torch.where(examples > PLACES, masses, math.nan)


def _share(fixing: Tensor) -> Tensor:
    return SHARES[(fixing - 2).long()[None]][0]
