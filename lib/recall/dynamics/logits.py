"""What attention does to the six relations of three subjects: Table 2, eqs 4–9, who wins (Huang et al., App. B)."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.func import grad

from lib.recall.dynamics.landscape import slice_minimum
from lib.recall.dynamics.reduction import affine_reduced

DEFAULTS: dict[str, Any] = {
    "total": 0.9,
    "share": 0.6,
    "lean_1": 0.5,
    "lean_2": 0.5,
    "query_share": 0.5,
    "temperature": 0.05,
}
"""The configuration that the page opens with."""

TIE = 1e-14
"""Logits closer than this are equal: rounding alone parts them."""


class Attention(NamedTuple):
    """The parameters, each a 0-d tensor: how attention from EoS is split over s₁ a₁ s₂ a₂ s₃ EoS."""

    total: Tensor
    """On the two examples."""
    share: Tensor
    """Of that, on the first."""
    lean_1: Tensor
    """Of that, on its subject."""
    lean_2: Tensor
    """Of the second example's, on its subject."""
    query_share: Tensor
    """Of the rest, on the query s₃."""
    temperature: Tensor

    def split(self, masses: Tensor | None = None) -> Tensor:
        """v, (6,); with other ``masses`` (…, 3) on first pair, second pair and rest, (…, 6)."""
        if masses is None:
            on_examples = torch.stack([self.total * self.share, self.total * (1 - self.share)])
            masses = torch.cat([on_examples, (1 - self.total)[None]])
        first, second, rest = masses.unbind(-1)
        return torch.stack(
            [
                first * self.lean_1,
                first * (1 - self.lean_1),
                second * self.lean_2,
                second * (1 - self.lean_2),
                rest * self.query_share,
                rest * (1 - self.query_share),
            ],
            -1,
        )


class Standing(NamedTuple):
    """The page's report."""

    logits: Tensor  # (6,) r* = r₁, the confusing r₂, the mismatched r₃ … r₆
    probabilities: Tensor  # (6,) p₁
    squares: Tensor  # (18,) the three squares of each logit over the largest of all, row by row
    pushes: Tensor  # (6,) −T ∂ℓ₁/∂vᵢ by eqs 4–9
    pushes_measured: Tensor  # (6,) the same by automatic differentiation
    grid_loss: Tensor  # (G,) the loss at other masses, all else equal
    optimum: Tensor  # (3,) masses at the optimum of this temperature; NaN where the slice has none inside
    mirrored: Tensor  # (3,) the same with the pairs exchanged
    saddle: Tensor  # (3,) masses at the saddle
    attention: Tensor  # (6,) v
    loss: Tensor  # ℓ₁
    ahead: Tensor  # l(r₁) less the largest other logit
    over_confusing: Tensor  # l(r₁) − l(r₂)
    over_confusing_predicted: Tensor  # 2(v₁ − v₃)(v₂ − v₄)
    winner: Tensor  # 0 r* alone, 1 a tie at the top with r*, 2 the confusing relation, 3 a mismatched one
    agree: Tensor  # light: v₁ > v₃ and v₂ > v₄, or both the other way round
    subjects: Tensor  # light: v₁ > v₅ and v₃ > v₅
    answers: Tensor  # light: v₂ > 0 and v₄ > 0
    verdict: Tensor  # 0 all three hold and r* is alone on top; 1 the two disagree; 2 neither


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


def stand(p: Attention, masses: Tensor) -> Standing:
    """All six relations at one split of attention; traceable.

    Args:
        p: the split, and the temperature.
        masses: (G, 3), on the first pair, the second pair and the rest: where else to compute the loss.
    """
    v = p.split()
    terms = squares(v)
    logits = terms.sum(-1)
    chance = torch.softmax((logits - logits[:1]) / p.temperature, 0)
    ahead = (logits[:1] - logits[1:]).amin()
    agree, subjects, answers = conditions(v)
    a = slice_minimum(affine_reduced(3), p.temperature)
    mass = torch.where(a > 0, 2 * a, torch.nan)
    half = torch.full_like(mass, 0.5)
    winner = _winner(logits, ahead)
    right = (winner == 0) == (agree & subjects & answers)
    return Standing(
        logits=logits,
        probabilities=chance,
        squares=(terms / terms.amax()).flatten(),
        pushes=-2 * torch.stack(printed_gradient(v.unbind(0), chance.unbind(0))),
        pushes_measured=-p.temperature * grad(free_relation_loss)(v, p.temperature),
        grid_loss=free_relation_loss(p.split(masses), p.temperature),
        optimum=torch.stack([1 - mass, mass, 0 * mass]),
        mirrored=torch.stack([mass, 1 - mass, 0 * mass]),
        saddle=torch.stack([half, half, 0 * half]),
        attention=v,
        loss=free_relation_loss(v, p.temperature),
        ahead=ahead,
        over_confusing=logits[0] - logits[1],
        over_confusing_predicted=2 * (v[0] - v[2]) * (v[1] - v[3]),
        winner=winner,
        agree=agree.to(torch.float64),
        subjects=subjects.to(torch.float64),
        answers=answers.to(torch.float64),
        verdict=torch.where(right, torch.where(winner == 0, 0.0, 2.0), 1.0).to(torch.float64),
    )


def _winner(logits: Tensor, ahead: Tensor) -> Tensor:
    """0 r* alone, 1 r* ties at the top, 2 the confusing relation is on top, 3 only mismatched ones are."""
    confusing = logits[1] >= logits[2:].amax() - TIE
    rest = torch.where(confusing, 2.0, 3.0)
    return torch.where(ahead > TIE, 0.0, torch.where(ahead >= -TIE, 1.0, rest)).to(torch.float64)
