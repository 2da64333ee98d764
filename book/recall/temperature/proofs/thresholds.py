"""The thresholds: the turning points of the slice in y = ¼ − x, and that nothing off the slice is lower."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from book.ledger.proofs import checked
from book.recall.common import nothing_is_lower, scalar, three_subjects
from book.recall.temperature.proofs.slice import slice_by_sympy
from book.recall.temperature.thresholds import threshold_twice, turning
from lib.recall.landscape import depth_slope, wrong_odds
from lib.recall.reduction import relation_loss


@checked(
    "recall.sharp-thresholds", "The slice", "$S$ and its turning points, in $y = \\tfrac14 - x$", "sympy"
)
def turning_by_sympy() -> bool:
    """Proves that S and the equation of the turning points follow from Table 2 by x = ¼ − y."""
    import sympy as sp

    x, t, gaps = slice_by_sympy()
    y = sp.symbols("y", positive=True)
    quarter, eighth = sp.Rational(1, 4), sp.Rational(1, 8)
    total = sum(sp.exp(gap / t) for gap in gaps).subs(x, quarter - y)
    ours = (
        sp.exp(-8 * y**2 / t)
        + 2 * sp.exp(-(eighth + 6 * y**2) / t)
        + 2 * sp.exp(-(eighth + 2 * y**2) / t) * sp.cosh(y / t)
    )
    inner = 2 * sp.exp((eighth - 6 * y**2) / t) + 3 * sp.exp(-4 * y**2 / t) + sp.cosh(y / t)
    turn = 4 * y * inner - sp.sinh(y / t)
    slope = -t * sp.diff(ours, y) * sp.exp((eighth + 2 * y**2) / t) / 2
    same = sp.simplify(sp.expand((total - ours).rewrite(sp.exp))) == 0
    return same and sp.simplify(sp.expand((slope - turn).rewrite(sp.exp))) == 0


@checked("recall.sharp-thresholds", "The slice", "the same in code", "autograd")
def turning_by_autograd() -> bool:
    """The library's odds and slope, S and the equation of the turning points against all thirteen classes."""
    generator = torch.Generator().manual_seed(0)
    y = 0.25 * torch.rand(200, dtype=torch.float64, generator=generator)
    for temperature in (0.01, 0.05, 0.09, 0.14):
        t = scalar(temperature)

        def loss(at: Tensor, t: Tensor = t) -> Tensor:
            none = torch.full_like(at, -math.inf)
            half = torch.log((0.25 + at) / (0.25 - at)) / 2
            theta = torch.stack([-half, -half, half, half, none, none], -1)
            return torch.func.vmap(lambda row: relation_loss(row, three_subjects(), t))(theta)

        if float((torch.log1p(wrong_odds(y, 3, t)) - loss(y)).abs().max()) > 1e-13:
            return False
        falling = torch.func.grad(lambda at: loss(at).sum())(y)  # by y, which is against x
        clear = falling.abs() > 1e-9
        if not bool((torch.sign(turning(y, t)) == -torch.sign(falling))[clear].all()):
            return False
        if not bool((torch.sign(turning(y, t)) == -torch.sign(depth_slope(y, 3, t))).all()):
            return False
    return True


@checked(
    "recall.sharp-thresholds",
    "The thresholds",
    "two equations in $(y, T)$ for each",
    "root finding on the slice",
)
def thresholds_agree() -> bool:
    """The two equations against root finding on the slice."""
    return all(threshold_twice(number).same for number in (1, 2, 3))


@checked(
    "recall.sharp-thresholds", "Off the slice", "no random start over all six tokens ends below it", "search"
)
def no_start_ends_lower() -> bool:
    """Proves by search that at four temperatures no random start over all six tokens ends below the slice."""
    return nothing_is_lower((3, 0.02), (3, 0.05), (3, 0.088), (3, 0.1))
