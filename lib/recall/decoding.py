"""The second decoding step on its own: one large gradient step, then small ones (Huang et al., Lemma 2, appendix D).

Attention from the decoded relation is q = softmax(ω). Only x = (q₁, q₃, q₅) on the three subjects and c = 1 + q₇,
the relation's own weight with the residual stream, reach an answer's logit, and every prompt gives the same loss.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from lib.recall.general import large_rate

COLD = 1 / 40
"""The paper's constant in T ≤ C/log n."""

SHARP = 16 / 49
"""The logit gap, before training, between a₃ and an answer that is not shown: above T = SHARP/log n they win."""


large_step = large_rate
"""The first step's rate is that of θ: η₁ = c₁ T^{3/2} log(1/T)."""


def answer_gaps(attention: Tensor) -> Tensor:
    """l(a) − l(a₃) for a = a₁, a₂ and an answer that is not shown (Huang et al., appendix D): (…, 7) → (…, 3).

    2c(q₁ − q₅), 2c(q₃ − q₅) and −2cq₅, with c = 1 + q₇.
    """
    subjects = torch.cat([attention[..., 0:4:2], torch.zeros_like(attention[..., :1])], -1)  # (…, 3)
    return 2 * (1 + attention[..., 6:]) * (subjects - attention[..., 4:5])


def log_odds(omega: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """log((1 − p)/p) for p = p₂(a₃) = 1/(1 + Σ N_a exp((l(a) − l(a₃))/T)); (…, 7) → (…), traceable.

    There are N = 1, 1 and n − 3 answers of the three kinds. T may have the shape of the result.
    """
    none = torch.zeros_like(subjects)
    count = torch.stack([none, none, torch.log(subjects - 3)], -1)
    return torch.logsumexp(count + answer_gaps(torch.softmax(omega, -1)) / temperature[..., None], -1)


def answer_error(omega: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """1 − p₂(a₃), accurate to its own size however small; (…, 7) → (…)."""
    return torch.sigmoid(log_odds(omega, subjects, temperature))


def decoding_loss(omega: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """L₂ = −log p₂(a₃), whose gradient stays accurate where L₂ is tiny; 0-d, traceable."""
    odds = log_odds(omega, subjects, temperature)
    return torch.logaddexp(odds, torch.zeros_like(odds))


def printed_gradient(subjects: Tensor, temperature: Tensor) -> Tensor:
    """∇_ω ℓ₂ at zero scores, (58p+18, −54p+18, 58p+18, −54p+18, 58p−94, −54p+18, −12p+4)/(343T); (…) → (…, 7).

    There p = p₂(a₁) = p₂(a₂) = p₂(a₃) = 1/(3 + (n − 3)e^{−16/(49T)}).
    """
    p = (1 / (3 + (subjects - 3) * torch.exp(-SHARP / temperature)))[..., None]
    slope = torch.tensor([58.0, -54, 58, -54, 58, -54, -12], dtype=torch.float64)
    level = torch.tensor([18.0, 18, 18, 18, -94, 18, 4], dtype=torch.float64)
    return (slope * p + level) / (343 * temperature[..., None])


def lead(omega: Tensor) -> Tensor:
    """ω₅ − max_{i≠5} ωᵢ; (7,) → 0-d."""
    return omega[4] - torch.cat([omega[:4], omega[5:]]).amax()


def wanted_lead(temperature: Tensor) -> Tensor:
    """The lead in scores that makes 1 − p₂(a₃) ≤ e^{−1/√T} by the proof's own bounds; infinite if none does.

    With q₅ ≥ 1/7 and c ≥ 1 a lead g gives logit gaps of at least (2/7)(1 − e^{−g}) to a₁ and a₂. They suffice if
    this exceeds √T + T log 4, half of the bound being kept for the other answers.
    """
    share = 7 / 2 * (torch.sqrt(temperature) + temperature * math.log(4))
    return torch.where(
        share < 1, -torch.log1p(-torch.clamp(share, max=1 - 1e-12)), torch.full_like(share, math.inf)
    )
