"""How smooth L₁ is: Proposition 1 (Proposition 2 of Appendix E), and Lemma 12, how far descent can move."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from book.recall.common import scalar, three_subjects
from book.recall.escape.curvature import DEFAULTS, uniform_ball
from lib.recall.escape import GRADIENT_LIPSCHITZ, free_gradient, free_loss
from lib.recall.landscape import slice_loss, slice_minimum
from lib.recall.logits import printed_logits
from lib.recall.reduction import relation_loss


def derivative(theta: Tensor, direction: Tensor, temperature: float, order: int) -> Tensor:
    """The derivative of L₁ of this order along each unit ``direction``, (B, 6), at each ``theta``, (B, 6): (B,)."""
    reduced, t = three_subjects(), scalar(temperature)

    def along(x: Tensor) -> Tensor:
        return torch.func.vmap(lambda a, b: relation_loss(a + x * b, reduced, t))(theta, direction)

    function: Callable[[Tensor], Tensor] = along
    for _ in range(order):
        function = _derived(function)
    return function(scalar(0.0))


def _derived(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda x: torch.func.jvp(function, (x,), (torch.ones_like(x),))[1]


def _places(temperature: float, count: int) -> tuple[Tensor, Tensor]:
    """Points θ and directions at which to look: random ones, and a fine line across the tie at (¼, ½, ¼, 0, 0, 0)."""
    generator = torch.Generator().manual_seed(0)
    theta = 2 * torch.randn(count, 6, dtype=torch.float64, generator=generator)
    direction = torch.randn(count, 6, dtype=torch.float64, generator=generator)
    depth = 12 * min(temperature, 0.02) * torch.linspace(-1, 1, 801, dtype=torch.float64)[:, None]
    tie = torch.tensor([0.25, 0.5, 0.25, 1e-9, 1e-9, 1e-9], dtype=torch.float64).log()
    across = torch.tensor([1.0, 0, -1, 0, 0, 0], dtype=torch.float64)
    within = torch.tensor(
        [0.0, 1, -1, 0, 0, 0], dtype=torch.float64
    )  # a pair that mismatches: curvature −1/(2T)
    wrong = torch.tensor([1e-9, 0.5, 0.5, 1e-9, 1e-9, 1e-9], dtype=torch.float64).log()[None]
    theta = torch.cat([theta, tie + depth * across, wrong])
    direction = torch.cat([direction, across.expand(len(depth), 6), within[None]])
    return theta, direction / direction.norm(dim=1, keepdim=True)


def largest(temperature: float, order: int, count: int = 2000) -> float:
    """The largest derivative of L₁ in size that is found: a lower bound of the Lipschitz constant."""
    theta, direction = _places(temperature, count)
    return float(derivative(theta, direction, temperature, order).abs().max())


def scaled(temperature: float, count: int = 2000) -> dict[str, float]:
    """T²ℓ and T³ρ, the largest found."""
    second, third = (largest(temperature, order, count) * temperature**order for order in (2, 3))
    return {"gradient": second, "hessian": third}


def smoothness(temperature: float) -> dict[str, float]:
    """The exponents with which the largest second and third derivatives grow from T to T/16, and both at T."""
    warm, cold = scaled(temperature), scaled(temperature / 16)
    return {
        "cold": temperature <= 0.02,
        "second": 2 + math.log(cold["gradient"] / warm["gradient"]) / math.log(16),
        "third": 3 + math.log(cold["hessian"] / warm["hessian"]) / math.log(16),
        **warm,
    }


def descended(start: Tensor, rate: float, temperature: Tensor, steps: int) -> tuple[Tensor, float]:
    """Descent from ``start``, (B, 4), with η = ``rate`` T²: every θ, (steps + 1, B, 4), and the largest rise of L₁."""
    path = [start]
    for _ in range(steps):
        path.append(path[-1] - rate * temperature**2 * free_gradient(path[-1], temperature))
    theta = torch.stack(path)
    return theta, float(free_loss(theta, temperature).diff(dim=0).max().clamp(min=0))


def largest_rise(rate: float) -> float:
    """The largest rise of the loss over one step of 600, for 20 perturbations of radius 1e-3."""
    start = uniform_ball(20, 4, DEFAULTS["perturbation_radius"], seed=0)
    return descended(start, rate, scalar(DEFAULTS["temperature"]), 600)[1]


def _forms(v: Tensor) -> Tensor:
    return torch.stack(printed_logits(*v[:5]))


def _cumulants(scale: float, temperature: float) -> tuple[list[float], list[float]]:
    """∇Ψ, ∇²Ψ, ∇³Ψ at a random v along random unit a, b, c: automatic differentiation, and the printed sums.

    Args:
        scale: p = softmax(scale · l); the right one is 1/T.
    """
    generator = torch.Generator().manual_seed(1)
    v = torch.softmax(torch.randn(6, dtype=torch.float64, generator=generator), 0)
    a, b, c = torch.nn.functional.normalize(torch.randn(3, 6, dtype=torch.float64, generator=generator))

    def psi(x: Tensor) -> Tensor:
        return torch.logsumexp(_forms(x) / temperature, 0)

    jacobian, hessian = torch.func.jacrev(_forms)(v), torch.func.hessian(_forms)(v)
    third = torch.func.jacrev(torch.func.hessian(psi))(v)
    found = [
        torch.func.grad(psi)(v) @ a,
        a @ torch.func.hessian(psi)(v) @ b,
        torch.einsum("ijk,i,j,k", third, a, b, c),
    ]
    p = torch.softmax(scale * _forms(v), 0)

    def first(x: Tensor) -> Tensor:
        return jacobian @ x

    def second(x: Tensor, y: Tensor) -> Tensor:
        return torch.einsum("rij,i,j->r", hessian, x, y)

    def covariance(x: Tensor, y: Tensor) -> Tensor:
        return (p * x * y).sum() - (p @ x) * (p @ y)

    t = temperature
    mixed = sum(
        (covariance(second(x, y), first(z)) for x, y, z in ((a, b, c), (a, c, b), (b, c, a))), scalar(0.0)
    )
    moment = (p * torch.stack([first(x) - p @ first(x) for x in (a, b, c)]).prod(0)).sum()
    sums = [
        p @ first(a) / t,
        p @ second(a, b) / t + covariance(first(a), first(b)) / t**2,
        mixed / t**2 + moment / t**3,
    ]
    return [float(x) for x in found], [float(x) for x in sums]


def cumulants_are_right() -> bool:
    """The displayed ∇Ψ, ∇²Ψ and ∇³Ψ, with p = softmax(l/T)."""
    found, sums = _cumulants(1 / 0.3, 0.3)
    return all(math.isclose(x, y, rel_tol=1e-9) for x, y in zip(found, sums, strict=True))


def bounds_hold() -> bool:
    """|∇²Ψ| ≤ H/T + 2G²/T² and |∇³Ψ| ≤ 6HG/T² + 8G³/T³ with the sharp G = 2√2 and H = 4, at random points."""
    generator = torch.Generator().manual_seed(2)
    g, h = 2 * math.sqrt(2), 4.0
    for t in (0.01, 0.1, 1.0):
        v = torch.softmax(3 * torch.randn(20, 6, dtype=torch.float64, generator=generator), 1)
        steepest = torch.func.vmap(torch.func.jacrev(_forms))(v).norm(dim=2).max()
        curved = torch.linalg.matrix_norm(torch.func.hessian(_forms)(v[0]), 2).max()

        def psi(x: Tensor, t: float = t) -> Tensor:
            return torch.logsumexp(_forms(x) / t, 0)

        second = torch.func.vmap(torch.func.jacrev(torch.func.grad(psi)))(v)
        third = torch.func.vmap(torch.func.jacrev(torch.func.jacrev(torch.func.grad(psi))))(v)
        sized = torch.linalg.matrix_norm(second, 2).max() <= h / t + 2 * g**2 / t**2
        rough = third.flatten(2).norm(dim=2).max() / 6 <= 6 * h * g / t**2 + 8 * g**3 / t**3
        if not (sized and rough and steepest <= g and abs(curved - h) < 1e-9):
            return False
    return True


def softmax_needs_temperature() -> bool:
    """By sympy, two logits: ∂ log Σ exp(l_j/T)/∂l₁ is softmax(l/T)₁/T and not softmax(l)₁/T."""
    import sympy as sp

    first, second = sp.symbols("l1 l2", real=True)
    t = sp.Symbol("T", positive=True)
    found = sp.diff(sp.log(sp.exp(first / t) + sp.exp(second / t)), first)
    ours = sp.exp(first / t) / (sp.exp(first / t) + sp.exp(second / t)) / t
    printed = sp.exp(first) / (sp.exp(first) + sp.exp(second)) / t
    return sp.simplify(found - ours) == 0 and sp.simplify((found - printed).subs(t, 2)) != 0


def softmax_numbers() -> dict[str, float]:
    found, right = _cumulants(1 / 0.3, 0.3)
    _, printed = _cumulants(1.0, 0.3)
    return {"temperature": 0.3, "paper": printed[0], "right": right[0], "measured": found[0]}


def distance_moved(
    temperature: float, rate: float, steps: int, seed: int = 0, starts: int = 32
) -> dict[str, float]:
    """The largest ratio of distance moved to Lemma 12's bound, over random starts and all t up to ``steps``."""
    t = scalar(temperature)
    generator = torch.Generator().manual_seed(seed)
    start = torch.randn(starts, 4, dtype=torch.float64, generator=generator)
    lowest = slice_loss(slice_minimum(3, t), 3, t)
    constant = max(GRADIENT_LIPSCHITZ / temperature**2, 1 / (2 * temperature))  # of the gradient
    budget = free_loss(start, t) - lowest
    theta, rise = descended(start, rate, t, steps)
    bound = torch.sqrt(2 * torch.arange(1, steps + 1)[:, None] * budget / constant)
    moved = (theta[1:] - start).norm(dim=2) / bound
    return {"small_steps": rate * temperature**2 <= 1 / constant, "moved": float(moved.max()), "rise": rise}


def descent_lemma_sums() -> bool:
    """By sympy: η² Σ‖∇f‖² ≤ 2η(f₀ − f*), at most 2(f₀ − f*)/ℓ for η ≤ 1/ℓ; with equality on f = ℓx²/2, η = 1/ℓ."""
    import sympy as sp

    x, ell, eta = sp.symbols("x l eta", positive=True)
    loss = ell * x**2 / 2
    after = loss.subs(x, x - eta * sp.diff(loss, x))
    drop = sp.factor(loss - after - eta * (1 - eta * ell / 2) * sp.diff(loss, x) ** 2)
    at_limit = sp.simplify((eta * sp.diff(loss, x)).subs(eta, 1 / ell) - sp.sqrt(2 * loss / ell))
    return drop == 0 and at_limit == 0
