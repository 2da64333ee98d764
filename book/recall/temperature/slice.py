"""The pairwise slice with three subjects: its critical points, its gaps, and the leading part of its slope.

The slice is attention (x, x, ½ − x, ½ − x, 0, 0). There dⱼ = lⱼ − l₁ are the gaps, h = d₂ − d₆, and Ψ, the derivative
of L₁ up to a positive factor, has the leading part Ψ̃.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.common import lowest_on_slice, scalar, searched, three_subjects
from lib.recall.landscape import depth_slope, slice_loss, slice_minimum
from lib.recall.reduction import relation_logits

CENTRE, RADIUS = 1 / 6, 0.05
"""The interval I of Claim 1: x₀ and an ε that keeps it within (0, ¼)."""


class EndOfProof(NamedTuple):
    """The critical points of the slice between 0 and ¼."""

    points: int
    low: int  # how many lie below log 2
    a: float  # the minimum


class LeadingPart(NamedTuple):
    """Ψ̃ in the interval I."""

    first: float  # h − T log(x/(1 − 4x)) at the lower end of I: it has the sign of Ψ̃
    last: float  # the same at the upper end
    roots: int  # roots in I
    root: float
    slope: float  # T Ψ̃′ at the root


class Lowest(NamedTuple):
    """The lowest loss found in two ways."""

    slice: float
    search: float


def sign_changes(x: Tensor, condition: Tensor) -> list[float]:
    """The places midway between points of the grid ``x`` where the condition starts or ends."""
    places = torch.nonzero(condition[1:] != condition[:-1]).flatten()
    return ((x[places] + x[places + 1]) / 2).tolist()


def critical_points(temperature: float) -> list[float]:
    """Every x in (0, ¼) where L₁ on the slice turns, by the sign of its slope on a grid that is fine near 0."""
    near = torch.logspace(-30, -2, 2801, dtype=torch.float64)
    x = torch.cat([near, torch.linspace(0.0101, 0.2499, 4801, dtype=torch.float64)])
    return sign_changes(x, depth_slope(0.25 - x, 3, scalar(temperature), x) < 0)


def end_of_proof(temperature: float) -> EndOfProof:
    """Count the critical points of the slice and those below log 2, and find the minimum."""
    t = scalar(temperature)
    points = critical_points(temperature)
    return EndOfProof(
        points=len(points),
        low=sum(float(slice_loss(scalar(x), 3, t)) < math.log(2) for x in points),
        a=float(slice_minimum(3, t)),
    )


def slice_gaps(x: Tensor) -> tuple[Tensor, Tensor]:
    """l_c − l_1 of r₁ … r₆ on the slice, and their derivatives by x, from the reduction: (6, X) each."""
    matches = three_subjects().matches[:6]

    def gaps(at: Tensor) -> Tensor:
        none = torch.zeros_like(at)
        v = torch.stack([at, at, 0.5 - at, 0.5 - at, none, none], -1)
        return torch.func.vmap(lambda row: relation_logits(row, matches - matches[:1]), out_dims=1)(v)

    behind, slopes = torch.func.jvp(gaps, (x,), (torch.ones_like(x),))[:2]
    return behind, slopes


def leading(x: Tensor, temperature: Tensor) -> Tensor:
    """Ψ̃ = (4 − 16x) e^{h/T} − 4x, with the right h = d₂ − d₆."""
    return (4 - 16 * x) * torch.exp((-6 * x**2 + 4 * x - 0.5) / temperature) - 4 * x


def rescaled(x: Tensor, temperature: Tensor) -> Tensor:
    """Ψ = e^{−d₆/T} Σ_j d_j′ e^{d_j/T}, from the reduction's own gaps; it has the sign of L₁'s slope."""
    gaps, slopes = slice_gaps(x)  # (6, X)
    single = -2 * x**2
    return (slopes[1:] * torch.exp((gaps[1:] - single) / temperature)).sum(0)


def log_condition(x: Tensor, temperature: Tensor) -> Tensor:
    """F = h − T log(x/(1 − 4x)): zero where Ψ̃ is, of the same sign, and without overflow."""
    return -6 * x**2 + 4 * x - 0.5 - temperature * torch.log(x / (1 - 4 * x))


def leading_part(temperature: float) -> LeadingPart:
    """The roots of Ψ̃ in I = (x₀ − ε, x₀ + ε), and T Ψ̃′ at the root, by automatic differentiation."""
    t = scalar(temperature)
    x = torch.linspace(CENTRE - RADIUS, CENTRE + RADIUS, 100_001, dtype=torch.float64)
    value = log_condition(x, t)
    roots = sign_changes(x, value > 0)
    root_x = roots[0] if roots else math.nan
    slope = float(t * torch.func.grad(lambda at: leading(at, t))(scalar(root_x)))
    return LeadingPart(float(value[0]), float(value[-1]), len(roots), root_x, slope)


def behind(x: float) -> dict[str, float]:
    """How far r₆, the confusing r₂ and the mismatched r₄ and r₅ are behind the true relation on the slice."""
    gaps, _ = slice_gaps(scalar(x).reshape(1))
    return {"r₆": -float(gaps[5]), "confusing r₂": -float(gaps[1]), "r₄, r₅": -float(gaps[3])}


def off_the_slice(temperature: float) -> Lowest:
    """The lowest loss on the slice, and that of random starts over all six tokens."""
    return Lowest(lowest_on_slice(3, temperature), searched(3, temperature)[1])
