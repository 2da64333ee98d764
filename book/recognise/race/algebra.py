"""Evidence beside the race: equations 4 and 5 on the real model, and the separator's algebra by sympy."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.recognise.common import separator_by_sympy
from book.recognise.real import parts, small
from lib.recognise.model import descent_by_autograd


def equations(
    seed: int = 0, layer_size: float = 1.0, stray: float = 1.0
) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """By the gradients and as printed: dG/dt on all words, (d,) each; d/dt of the sum of neuron correlations, 0-d each.

    The first is eq. 4 with its stray factor a_j set to ``stray``; the second eq. 5, 2m₁ Σ g y F/n.
    """
    weights, signs, data = small(seed)[:3]
    layer = layer_size * signs
    rise, s = descent_by_autograd(weights, layer, data), parts(weights, layer, data)
    turned = rise.neurons.T @ layer
    measured = turned @ weights.value + s.sum @ rise.value
    received = torch.einsum("n,nlh,ndh->d", s.pull, s.attention, s.words)
    second = len(layer) * stray * received @ weights.value.T @ weights.value
    correlations = 2 * s.sum @ turned, 2 * len(layer) * s.pull @ s.output
    return (measured, s.sum @ s.sum * received + second), correlations


def errors(seed: int = 0, layer_size: float = 1.0) -> dict[str, float]:
    """How far both equations are from the gradients, relatively; the paper's a has entries ±1."""
    (measured, formula), (left, right) = equations(seed, layer_size)
    return {
        "unit_layer": layer_size == 1,
        "first": float((measured - formula).abs().max() / measured.abs().max()),
        "second": abs(float(left / right - 1)),
    }


def stray_by_sympy() -> bool:
    """Σ_j a_j (a_j x) = m₁ x for a_j² = 1: no a_j is left, and with one left the sum over j is not the same."""
    import sympy as sp

    a, x = sp.symbols("a1:4"), sp.Symbol("x")
    total = sum(aj * aj * x for aj in a)
    signs = [(1, -1, 1), (-1, -1, -1)]
    right = all(total.subs(dict(zip(a, s, strict=True))) == 3 * x for s in signs)
    printed = [3 * s[0] * x == 3 * x for s in signs]
    return right and not all(printed)


def stray_in_numbers() -> dict[str, float]:
    """dG(μ₁)/dt with a_j = 1 and a_j = −1 in the second term, against the gradients."""
    (measured, right), _ = equations()
    (_, printed), _ = equations(stray=-1.0)
    return {
        "paper, with a_j = -1": float(printed[0]),
        "right": float(right[0]),
        "measured": float(measured[0]),
    }


def _signals(p: Any, multipliers: Any) -> tuple[Any, Any]:
    both, single, neither = multipliers
    return 3 * p * both - p * single, 3 * p * both - 2 * p * single - p * neither


def border_by_sympy() -> bool:
    """All four active: −G₃ − G₁ ∝ p(2L − 3)(2p − L − 1) and G₁ + G₂ + G₃ ∝ 2p(L + 2p)(2L − 3), over the determinant."""
    import sympy as sp

    p, length, multipliers, det = separator_by_sympy(3)
    target, common = _signals(p, multipliers)
    left = sp.simplify((-common - target) * det - p * (2 * length - 3) * (2 * p - length - 1))
    right = sp.simplify((2 * target + common) * det - 2 * p * (length + 2 * p) * (2 * length - 3))
    return bool(left == 0 and right == 0)


def ratio_by_sympy() -> bool:
    """Without the fourth R = (9p − L)/(6p + 2L − 3); it is out iff 6p² + 27p − 6 ≥ L² + 13Lp − 5L."""
    import sympy as sp

    p, length, multipliers, _ = separator_by_sympy(2)
    target, common = _signals(p, multipliers)
    ratio = sp.simplify(-common / target - (9 * p - length) / (6 * p + 2 * length - 3))
    slack = sp.factor(sp.together(-common - 1))
    numerator = sp.numer(slack)
    wanted = 6 * p**2 + 27 * p - 6 - length**2 - 13 * length * p + 5 * length
    return bool(ratio == 0 and sp.simplify(sp.expand(numerator - wanted)) == 0)


def far_by_sympy() -> bool:
    """p → ∞: (G₁, G₂, G₃) → (2, 2, −3), λ in the ratio 7 : 15 : 15 : 0, ‖g‖² → 17."""
    import sympy as sp

    p, _, multipliers, _ = separator_by_sympy(2)
    both, single, _ = multipliers
    target, common = _signals(p, multipliers)
    square = 3 * p * both + 2 * p * single
    found = [sp.limit(x, p, sp.oo) for x in (target, common, single / both, square)]
    return found == [2, -3, sp.Rational(15, 7), 17]


def cases_by_sympy() -> bool:
    """For L ≥ 4 multipliers are positive; the fourth is −f over a determinant, f as above; p ≤ L − 1 makes f negative.

    So one of the two cases is the separator, and n > 3(L + 1) decides in both: where the fourth is out, p > L − 1.
    """
    import sympy as sp

    p, length, four, det = separator_by_sympy(3)
    _, _, three, small = separator_by_sympy(2)
    more = sp.Symbol("x", nonnegative=True)  # L = 4 + x

    def grows(what: Any) -> bool:
        shown = sp.Poly(sp.cancel(what).subs(length, 4 + more), p, more)
        return all(value > 0 for value in shown.coeffs()) and shown.coeff_monomial(1) > 0

    f = 6 * p**2 + 27 * p - 6 - length**2 - 13 * length * p + 5 * length
    out = [-f.subs(p, end).subs(length, 4 + more).expand() for end in (0, length - 1)]  # f is convex in p
    both, single = (value * small for value in three[:2])
    right = 9 * both - 4 * single  # 2g[μ₁] + g[μ₃] over p where the fourth is out
    positive = [four[0] * det, four[1] * det, det, both, single, small, right]
    return bool(all(map(grows, [*positive, *out])) and sp.cancel(four[2] * det + f) == 0)


def balance_by_sympy() -> bool:
    """V = Σ n(w − λ log w) falls: V′ = −‖g_w − g‖² − Σ n w (yF − 1) + Σ n λ (yF − 1), for any numbers of samples.

    Along w′ = w(1 − yF_w), where g_w is the sum of y w x over all samples and F_w what it makes of one; F is that of
    λ. The last sum is 0 for the separator's multipliers.
    """
    import sympy as sp

    n, w, multipliers = (sp.symbols(f"{name}1:5", positive=True) for name in ("n", "w", "lambda"))
    length, y, holds = sp.Symbol("L"), (1, -1, -1, -1), ((1, 1, 1), (1, 0, 1), (0, 1, 1), (0, 0, 1))

    def signals(v: Any) -> list[Any]:
        return [sum(y[k] * n[k] * v[k] * holds[k][h] for k in range(4)) for h in range(3)]

    def margins(v: Any) -> list[Any]:
        heard = signals(v)
        words = [sum(x * g for x, g in zip(held, heard, strict=True)) for held in holds]
        return [y[k] * words[k] + (length - sum(holds[k])) * v[k] for k in range(4)]

    apart = [a - b for a, b in zip(w, multipliers, strict=True)]
    square = sum(x**2 for x in signals(apart))
    square += sum(n[k] * (length - sum(holds[k])) * apart[k] ** 2 for k in range(4))
    fall = sum(n[k] * apart[k] * (1 - margin) for k, margin in enumerate(margins(w)))
    spare = sum(n[k] * apart[k] * (margin - 1) for k, margin in enumerate(margins(multipliers)))
    return bool(sp.expand(fall + square + spare) == 0)
