"""What no linear model can do, what one neuron for each output can, and which tests leak: Table 3, by hand."""

from __future__ import annotations

import math
from itertools import combinations

import torch
from torch import Generator, Tensor

from book.acquire.table_3 import LARGE
from lib.acquire import architectures
from lib.acquire.architectures import Simplified, Task


def linear_floor(subjects: Tensor, outputs: int, targets: int) -> float:
    """A bound from below on the mean loss after [s_j] of every model whose logits there are linear in s_j.

    With positive c_j of sum 1 such that Σ_j c_j s_j = 0, all Σ_j c_j (f_v − f_r)(s_j) vanish, and by Jensen the loss
    weighted by c is at least log V. Each loss is at least log K. So the mean is at least ρ log V + (1 − ρ) log K,
    with ρ = 1/(N max c). Here c_j ∝ exp(−⟨s_j, u⟩), u the point where Σ_j exp(−⟨s_j, u⟩) is least.

    Args:
        subjects: (N, d) float64, with 0 inside their convex hull.
        outputs: V. ``targets``: K, how many tokens follow, equally likely.

    Raises:
        ValueError: 0 is not inside the hull, as for N ≤ d.
    """
    direction = torch.zeros(subjects.shape[1], dtype=subjects.dtype)
    for round_ in range(60):
        weight = torch.exp(-subjects @ direction)
        curvature = (subjects * weight[:, None]).T @ subjects
        newton = torch.linalg.lstsq(curvature, (weight @ subjects)[:, None]).solution[:, 0]
        direction = direction + (1.0 if round_ > 5 else 0.5) * newton
    weight = torch.exp(-subjects @ direction)
    if not float((weight @ subjects).abs().max()) < 1e-6 * float(weight.sum()):
        raise ValueError(f"subjects: 0 must be inside the hull of their {len(subjects)} embeddings")
    rho = float(weight.mean() / weight.max())
    return rho * math.log(outputs) + (1 - rho) * math.log(targets)


def paper_floor() -> float:
    """Half the bound at the paper's size: the least loss without MLP and biases, however trained."""
    known = architectures.task(LARGE, 5, 5, 50, dtype=torch.float64)
    return linear_floor(known.embeddings[:LARGE], len(known.embeddings), 5) / 2


def floor(subjects: int) -> float:
    """The same for other numbers of random subjects in 50 dimensions; NaN where there is no bound."""
    drawn = torch.randn(subjects, 50, dtype=torch.float64, generator=Generator().manual_seed(0))
    try:
        return linear_floor(drawn, 2 * subjects + 8, 5) / 2
    except ValueError:
        return math.nan


def leak_by_counting() -> bool:
    """The closed form against all splits of N = 3 facts with K = 2 phrases, and of 2 with 3."""
    for subjects, multiplicity in ((3, 2), (2, 3), (4, 2)):
        total = subjects * multiplicity
        shares = []
        for tuned in combinations(range(total), total // 2):
            facts = {item // multiplicity for item in tuned}
            test = [item for item in range(total) if item not in tuned]
            shares.append(sum(item // multiplicity in facts for item in test) / len(test))
        if abs(sum(shares) / len(shares) - architectures.leaked_share(subjects, multiplicity)) > 1e-12:
            return False
    return True


def leak_by_sympy() -> bool:
    """For K up to 6 and any N: of all test halves with a given tuple, the share that holds its K − 1 siblings.

    It is the product of (NK/2 − i)/(NK − i), each factor below ½, and tends to 2^(1 − K): more than 1 − 2^(1 − K) leak.
    """
    import sympy as sp

    n = sp.Symbol("N", positive=True)
    for k in range(2, 7):
        factors = [(n * k / 2 - i) / (n * k - i) for i in range(1, k)]
        halves = sp.binomial(n * k - k, n * k / 2 - k) / sp.binomial(n * k - 1, n * k / 2 - 1)
        counted = sp.simplify(sp.gammasimp(halves.rewrite(sp.gamma)) - sp.prod(factors)) == 0
        below = all(
            sp.simplify(sp.Rational(1, 2) - each - i / (2 * (n * k - i))) == 0
            for i, each in enumerate(factors, 1)
        )
        if not (counted and below and sp.limit(sp.prod(factors), n, sp.oo) == sp.Rational(1, 2 ** (k - 1))):
            return False
    return True


def by_hand(known: Task, size: float) -> Simplified:
    """Uniform attention and the paper's MLP with one neuron for each output, written down instead of trained.

    In products with the tokens, with c = ``size``: d: c on o, −c on all s and r; r_i: c on the subjects that it may
    follow, −c on all r; a_j: c on s_j; all else 0. Then d has 2c after [o] and 0 later; r_i has 3c/2 after [o s_j],
    a_j the same there, unless it has less: so a_j gets c/2 on s_j, and after [o s_j r_i] c/6, all others 0.

    Args:
        known: five tokens, orthogonal embeddings.
    """
    n, r = known.subjects, known.phrases
    tokens = len(known.embeddings)
    network = architectures.model("simplified, uniform", known, width=1, gain=1.0)
    assert isinstance(network, Simplified)
    product = torch.zeros(tokens, tokens, dtype=known.embeddings.dtype)  # of output, with token
    d, o = tokens - 1, tokens - 2
    product[d, o] = size
    product[d, : n + r] = -size
    product[n : n + r, n : n + r] = -size
    follows = known.prompts[1].targets  # (N, K)
    subject = torch.arange(n)[:, None].expand_as(follows)
    product[follows, subject] = size
    product[n + r + torch.arange(n), torch.arange(n)] = size / 2
    squares = known.embeddings.square().sum(1)
    with torch.no_grad():
        network.features.copy_(((product / squares) @ known.embeddings)[:, None])
    return network


def representable() -> bool:
    """The hand-written weights' loss is within 1e-6 of the entropy."""
    known = architectures.task(
        24, 5, 3, 60, embedding="orthogonal", context=True, split="facts", dtype=torch.float64
    )
    with torch.no_grad():
        loss = float(architectures.losses(by_hand(known, 150.0), known).mean())
    return abs(loss - known.entropy) < 1e-6
