"""What attention does to the six relations of three subjects: Table 2, eqs 4–9, who wins (Huang et al., App. B)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

TIE = 1e-14
"""Logits closer than this are equal: rounding alone parts them."""


def squares(v: Tensor) -> Tensor:
    """The three squares whose sum is each relation's logit in Table 2, (…, 6) → (…, 6, 3)."""
    v1, v2, v3, v4, v5, _ = v.unbind(-1)
    s1, s2, s3 = (v1, v3, v5)
    rows = (
        (s1 + v2, s2 + v4, s3),
        (s1 + v4, s2 + v2, s3),
        (s1 + v2, s3 + v4, s2),
        (s1 + v4, s3 + v2, s2),
        (s2 + v2, s3 + v4, s1),
        (s2 + v4, s3 + v2, s1),
    )
    return torch.stack([torch.stack(row, -1) for row in rows], -2) ** 2


def free_relation_loss(v: Tensor, temperature: Tensor) -> Tensor:
    """ℓ₁ = −log p₁(r₁) for any v, whether or not it adds up to 1: (…, 6) → (…), nats (Huang et al., eq. 1)."""
    logits = squares(v).sum(-1)
    return torch.logsumexp((logits - logits[..., :1]) / temperature, -1)


def printed_logits(v1: Any, v2: Any, v3: Any, v4: Any, v5: Any) -> list[Any]:
    """The six relations' logits as Table 2 prints them, for torch and sympy alike."""
    return [
        (v1 + v2) ** 2 + (v3 + v4) ** 2 + v5**2,
        (v1 + v4) ** 2 + (v2 + v3) ** 2 + v5**2,
        (v5 + v4) ** 2 + (v1 + v2) ** 2 + v3**2,
        (v5 + v2) ** 2 + (v1 + v4) ** 2 + v3**2,
        (v5 + v4) ** 2 + (v3 + v2) ** 2 + v1**2,
        (v5 + v2) ** 2 + (v3 + v4) ** 2 + v1**2,
    ]


def printed_gradient(v: Any, p: Any) -> list[Any]:
    """T/2 ∂ℓ₁/∂v as eqs 4–9 print it, for torch and sympy alike.

    Args:
        v: v₁ … v₆.
        p: p₁(r₁) … p₁(r₆).

    Returns:
        six numbers or expressions.
    """
    v1, v2, v3, v4, v5, v6 = v
    p1, p2, p3, p4, p5, p6 = p
    return [
        (p1 + p3) * v2 + (p2 + p4) * v4 - v2,
        (p1 + p3) * v1 + (p2 + p5) * v3 + (p4 + p6) * v5 - v1,
        (p1 + p6) * v4 + (p2 + p5) * v2 - v4,
        (p1 + p6) * v3 + (p2 + p4) * v1 + (p3 + p5) * v5 - v3,
        (p3 + p5) * v4 + (p4 + p6) * v2,
        0 * v6,
    ]


def conditions(v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """When r* alone has the largest of the six logits: exactly if all three hold; each (…, 6) → (…) bool.

    - The same example is ahead in its subject and in its answer, (v₁ − v₃)(v₂ − v₄) > 0.
    - Both subjects are ahead of the query, v₁, v₃ > v₅.
    - Both answers get attention, v₂, v₄ > 0.

    For by Table 2 l₁ − l₂ = 2(v₁ − v₃)(v₂ − v₄), l₁ − l₃ = 2v₄(v₃ − v₅), l₁ − l₆ = 2v₂(v₁ − v₅), and then
    l₁ − l₄ = (l₁ − l₂) + 2v₂(v₃ − v₅) and l₁ − l₅ = (l₁ − l₂) + 2v₄(v₁ − v₅) are positive too. (Ours, not the paper's.)
    """
    v1, v2, v3, v4, v5, _ = v.unbind(-1)
    agree = 2 * (v1 - v3) * (v2 - v4) > TIE
    return agree, torch.minimum(v1, v3) - v5 > TIE, torch.minimum(v2, v4) > TIE
