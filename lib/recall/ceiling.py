"""How often examples determine the relation: laws for relations drawn at random, in closed form.

|R| distinct relations are drawn from a pool of N. In the pool every relation through given examples has m − 1
companions there: all n! bijections have m = (n − K)! through K examples; a sharply 2-transitive family, such as the
affine maps, has N = n(n − 1) and m = 1. How many others of a certain kind are drawn is then hypergeometric.

Kinds are counted for two examples (s₁, a₁), (s₂, a₂) of r*: *agreeing* relations, m − 1 in the pool; *confusing* ones,
m of them; *mismatched* ones, 4m, since s₃ takes a₁ or a₂ and s₁ or s₂ the other.
"""

from __future__ import annotations

import math
from itertools import combinations

import torch
from torch import Tensor

from lib.recall.task import Knowledge

TERMS = 96
"""A sum of at most this many terms is added up exactly, a longer one by a quadrature of three points."""


def occupied_share(knowledge: Knowledge, examples: int = 2) -> float:
    """The Bayes ceiling of a set of relations over all prompts: the number of answers that K subjects have, over |R|.

    Equal to ``bayes_ceiling`` over ``all_prompts``, without listing the prompts.
    """
    n = knowledge.subjects
    groups = list(combinations(range(n), examples))
    places = sum(len(knowledge.answers[:, list(group)].unique(dim=0)) for group in groups)
    return places / (len(groups) * knowledge.relations)


def agreeing_pairs(subjects: int) -> float:
    """P(two independent random bijections agree on two subjects or more) = 1 − (D_n + n D_{n−1})/n!, about 1 − 2/e."""
    series = [sum((-1) ** k / math.factorial(k) for k in range(n + 1)) for n in (subjects, subjects - 1)]
    return 1 - series[0] - series[1]  # D_n/n! and n D_{n−1}/n!


def log_none(share: Tensor, rare: Tensor, draws: Tensor) -> Tensor:
    """log P(none of the marked is drawn), traceable: Σ_i log(1 − L/(N − i)) over the smaller of marks and draws.

    L is the larger of the two. A long sum is taken at three points, exact for polynomials of degree five in i.

    Args:
        share: of the pool that is marked.
        rare: 1/N; 0 for a pool without end.
        draws: how many; all broadcast.

    Returns:
        The log, −∞ where one of the marked must be drawn.
    """
    marked = torch.where(
        rare > 0, torch.round(share / torch.clamp(rare, min=1e-300)), torch.full_like(share, math.inf)
    )
    count = torch.minimum(marked, draws)
    large = torch.where(marked <= draws, draws * rare, share)

    def term(i: Tensor) -> Tensor:
        left = torch.clamp(1 - i * rare[..., None], min=1e-300)
        return torch.log1p(-torch.clamp(large[..., None] / left, max=1))

    i = torch.arange(TERMS, dtype=torch.float64)
    short = torch.where(i < count[..., None], term(i), torch.zeros_like(i)).sum(-1)
    long = torch.clamp(count, min=TERMS)[..., None]
    middle, far = (long - 1) / 2, torch.sqrt((3 * long**2 - 7) / 20)
    weight = (long**2 - 1) / (24 * far**2)  # so that second and fourth moments are right
    ends = term(middle - far) + term(middle + far)
    return torch.where(
        count > TERMS, (long * (weight * ends + (1 - 2 * weight) * term(middle)))[..., 0], short
    )
