"""Stage 2 on its own: the way out of the saddle, on the four scores that are still finite there (Lemma 6).

At the saddle θ₅ = θ₆ = −∞, so attention lives on the two examples, v = softmax(θ₁ … θ₄) and v₅ = v₆ = 0, and it
stays there: the restriction is exact. Gradient descent starts at θ = ξ, the perturbation alone. All of it serves the
complete affine family of any n ≥ 3 subjects; three are the warm-up.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from lib.recall.landscape import ESCAPE_DIRECTION, ESCAPED, SWAP, Number

GRADIENT_LIPSCHITZ = 1 / 32
"""T² times the largest curvature of L₁ in θ as T → 0, at attention (¼, ½, ¼, 0, 0, 0) (Proposition 1)."""

HESSIAN_LIPSCHITZ = 1 / (96 * math.sqrt(6))
"""T³ times the largest third derivative of L₁ in θ as T → 0, on the way to the same point (Proposition 1)."""


def _exponents(v: Tensor, temperature: Tensor, subjects: Number) -> Tensor:
    """log N + (l − l₁)/T of r*, the confusing relation, those that match (sᵢ, aⱼ) alone, and none: (…, 7)."""
    v1, v2, v3, v4 = v.unbind(-1)
    first, second = v1 * v2, v3 * v4
    none = -2 * (first + second)
    gaps = [
        torch.zeros_like(first),
        -2 * (v1 - v3) * (v2 - v4),
        -2 * second,
        2 * (v1 * v4 - first - second),
        2 * (v2 * v3 - first - second),
        -2 * first,
        none,
    ]
    n = torch.as_tensor(subjects, dtype=torch.float64)
    once, never = torch.log(n - 2), torch.log((n - 2) * (n - 3))
    counts = torch.stack([torch.zeros_like(once)] * 2 + [once] * 4 + [never])
    return counts + torch.stack(gaps, -1) / temperature


def free_loss(theta: Tensor, temperature: Tensor, subjects: Number = 3) -> Tensor:
    """L₁ for v = (softmax θ, 0, 0): log Σ_r exp((l_r − l_1)/T), for n = 3 the gaps of Table 2.

    Args:
        theta: (…, 4).
        temperature: 0-d, or (…, 1).
        subjects: n; besides r* and the confusing relation 4(n − 2) match once and (n − 2)(n − 3) never.

    Returns:
        (…), in nats.
    """
    return torch.logsumexp(_exponents(torch.softmax(theta, -1), temperature, subjects), -1)


def free_shares(theta: Tensor, temperature: Tensor, subjects: Number = 3) -> Tensor:
    """p₁ of r*, of the confusing relation, of all with one match, of all with none: (…, 4). Args as above."""
    p = torch.softmax(_exponents(torch.softmax(theta, -1), temperature, subjects), -1)
    return torch.cat([p[..., :2], p[..., 2:6].sum(-1, keepdim=True), p[..., 6:]], -1)


def free_gradient(theta: Tensor, temperature: Tensor, subjects: Number = 3) -> Tensor:
    """The gradient of :func:`free_loss`, (…, 4), made symmetric where the two examples have equal scores.

    By the product of attention on sᵢ and aⱼ the derivative of L₁ is Gᵢⱼ = (2/T)(probability of the relations that
    match them − 1 where they belong together). The latter less 1 is written without the cancellation.
    """
    v = torch.softmax(theta, -1)
    v1, v2, v3, v4 = v.unbind(-1)
    p = torch.softmax(_exponents(v, temperature, subjects), -1)
    _, confusing, p11, p12, p21, p22, _ = p.unbind(-1)
    wrong = p[..., 1:].sum(-1)
    g11, g12, g21, g22 = p11 - wrong, p12 + confusing, p21 + confusing, p22 - wrong
    pulls = [g11 * v2 + g12 * v4, g11 * v1 + g21 * v3, g21 * v2 + g22 * v4, g12 * v1 + g22 * v3]
    by_v = torch.stack(pulls, -1) * 2 / temperature
    gradient = v * (by_v - (v * by_v).sum(-1, keepdim=True))
    swap = torch.tensor(SWAP[:4])
    balanced = (theta == theta.index_select(-1, swap)).all(-1, keepdim=True)  # rounding must not tip them
    return torch.where(balanced, (gradient + gradient.index_select(-1, swap)) / 2, gradient)


def escape_curvature(temperature: Tensor, subjects: Number = 3) -> Tensor:
    """The second derivative of L₁(θ̃ + xε̃) at x = 0, by differentiating the loss twice; 0-d."""
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    along = torch.func.grad(torch.func.grad(lambda x: free_loss(x * direction, temperature, subjects)))
    return along(torch.zeros_like(temperature))


def saddle_share(temperature: Tensor) -> Tensor:
    """p₃ = 1/(4 + 2e^{1/(8T)}), the probability of each mismatched relation at the saddle."""
    return 1 / (4 + 2 * torch.exp(1 / (8 * temperature)))


def saddle_spectrum(temperature: Tensor) -> Tensor:
    """The Hessian's eigenvalues at the saddle along ½(1,1,−1,−1), ½(1,1,1,1), ½(1,−1,1,−1), ½(1,−1,−1,1).

    λ = −1/(8T) + p₃/(32T²), 0, p₃/(4T), 1/(8T) + p₃/(32T²). Each of the four directions behaves in its own way
    when the examples, or subjects and answers, change places; so each is an eigenvector.

    Returns:
        (…, 4).
    """
    share, slope = saddle_share(temperature), 1 / (8 * temperature)
    spread = share / (32 * temperature**2)
    return torch.stack([spread - slope, torch.zeros_like(slope), 2 * share * slope, spread + slope], -1)


def printed_curvature(temperature: Tensor) -> Tensor:
    """Lemma 6's curvature as printed: −1/(8T) + 1/(16T²(4 + 2e^{3/(16T)})²)."""
    share = 1 / (4 + 2 * torch.exp(3 / (16 * temperature)))
    return -1 / (8 * temperature) + share**2 / (16 * temperature**2)


def escape_time(overlap: Tensor, growth: Tensor) -> Tensor:
    """Steps until |v₁ + v₂ − v₃ − v₄| = ``ESCAPED`` if ⟨θ, ε̃⟩ grows by e^growth a step from ``overlap``.

    At θ̃ + xε̃ the imbalance is x/2 for small x. ``inf`` for overlap 0.
    """
    return torch.clamp(torch.log(2 * ESCAPED / overlap.abs()) / growth, min=0)
