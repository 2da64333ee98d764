"""How smooth L₁ is (Proposition 1, Proposition 2 of Appendix E), and how far descent moves (Lemma 12)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import scalar, three_subjects
from lib.recall.logits import printed_logits
from lib.recall.reduction import match_classes, relation_logits


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
    by_autograd = [
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
    return [float(x) for x in by_autograd], [float(x) for x in sums]


def softmax_numbers() -> dict[str, float]:
    """∇Ψ along a at T = 0.3: with softmax(l) as printed, with softmax(l/T), and by automatic differentiation."""
    measured, right = _cumulants(1 / 0.3, 0.3)
    _, printed = _cumulants(1.0, 0.3)
    return {"temperature": 0.3, "paper": printed[0], "right": right[0], "measured": measured[0]}


@erratum(
    "recall.proposition-1",
    rank=Rank.MISPRINT,
    where="Appendix E, proof of Proposition 2 (and the start of Appendix B): the probability vector",
    printed=r"p=\mathrm{softmax}(l)",
    right=r"p=\mathrm{softmax}(l/T)",
    survival=Survival.AS_PRINTED,
    survives="A misprint: with the factor 1/T put in, the three displayed derivatives are right.",
    numbers=softmax_numbers,
)
def softmax_needs_temperature() -> bool:
    """Proves by sympy for two logits that ∂ log Σ exp(l_j/T)/∂l₁ is softmax(l/T)₁/T and not softmax(l)₁/T."""
    import sympy as sp

    first, second = sp.symbols("l1 l2", real=True)
    t = sp.Symbol("T", positive=True)
    slope = sp.diff(sp.log(sp.exp(first / t) + sp.exp(second / t)), first)
    ours = sp.exp(first / t) / (sp.exp(first / t) + sp.exp(second / t)) / t
    printed = sp.exp(first) / (sp.exp(first) + sp.exp(second)) / t
    return sp.simplify(slope - ours) == 0 and sp.simplify((slope - printed).subs(t, 2)) != 0


@checked(
    "recall.proposition-1",
    "Appendix E, the derivatives of Ψ",
    r"\nabla\Psi,\ \nabla^2\Psi,\ \nabla^3\Psi\text{ as a mean, a covariance, a third central moment}",
    "autograd",
)
def cumulants_are_right() -> bool:
    """Proves the displayed ∇Ψ, ∇²Ψ and ∇³Ψ, with p = softmax(l/T)."""
    by_autograd, sums = _cumulants(1 / 0.3, 0.3)
    return all(math.isclose(x, y, rel_tol=1e-9) for x, y in zip(by_autograd, sums, strict=True))


@checked(
    "recall.proposition-1",
    "Appendix E, the bounds",
    r"\tfrac{H}{T}+\tfrac{2G^2}{T^2},\quad \tfrac{6HG}{T^2}+\tfrac{8G^3}{T^3}",
    "autograd, with the sharp G = 2√2 and H = 4",
)
def bounds_hold() -> bool:
    """Proves |∇²Ψ| ≤ H/T + 2G²/T² and |∇³Ψ| ≤ 6HG/T² + 8G³/T³ with the sharp G = 2√2 and H = 4, at random v."""
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


@checked(
    "recall.proposition-1",
    "Appendix E, any number of subjects and any relations",
    r"\tfrac{H}{T}+\tfrac{2G^2}{T^2},\quad \tfrac{6HG}{T^2}+\tfrac{8G^3}{T^3}\text{, free of }n",
    "autograd, 13 forms with up to 10¹² relations each, with the sharp G = 2√2 and H = 4",
)
def bounds_hold_for_any_relations() -> bool:
    """Proves both bounds for L₁ of prompts with random numbers of relations of each of the 13 forms, some with none."""
    generator = torch.Generator().manual_seed(3)
    g, h, classes = 2 * math.sqrt(2), 4.0, match_classes(2)
    for t in (0.002, 0.02, 0.2):
        for _ in range(20):
            log_counts = 12 * math.log(10) * torch.rand(13, dtype=torch.float64, generator=generator)
            none = torch.rand(13, generator=generator) < 0.3
            log_counts = torch.where(none, -math.inf, log_counts)
            log_counts[0] = 0.0  # r* itself
            v = torch.softmax(3 * torch.randn(6, dtype=torch.float64, generator=generator), 0)

            def psi(x: Tensor, t: float = t, counts: Tensor = log_counts) -> Tensor:
                logits = relation_logits(x, classes) + x[:5].square().sum()
                return torch.logsumexp(logits / t + counts, 0)

            second = torch.func.hessian(psi)(v)
            third = torch.func.jacrev(torch.func.hessian(psi))(v)
            sized = torch.linalg.matrix_norm(second, 2) <= h / t + 2 * g**2 / t**2
            rough = third.norm() / 6 <= 6 * h * g / t**2 + 8 * g**3 / t**3
            if not (sized and rough):
                return False
    return True


@checked("recall.proposition-1", "Appendix E, the number of quadratic forms", r"13", "count")
def quadratic_forms_are_13() -> bool:
    """Proves that relations of three subjects fall into 13 classes, each with its own quadratic form."""
    return len(three_subjects().matches) == 13


@checked(
    "recall.lemma-12",
    "Appendix E, proof of Lemma 12",
    r"\sum_k\|x_{k+1}-x_k\|^2=\eta^2\sum_k\|\nabla f(x_k)\|^2\le\tfrac{2(f(x_0)-f^\star)}{\ell}",
    "sympy, with equality on a parabola",
)
def descent_lemma_sums() -> bool:
    """Proves η² Σ‖∇f‖² ≤ 2η(f₀ − f*), at most 2(f₀ − f*)/ℓ for η ≤ 1/ℓ; equal on f = ℓx²/2, η = 1/ℓ."""
    import sympy as sp

    x, ell, eta = sp.symbols("x l eta", positive=True)
    loss = ell * x**2 / 2
    after = loss.subs(x, x - eta * sp.diff(loss, x))
    drop = sp.factor(loss - after - eta * (1 - eta * ell / 2) * sp.diff(loss, x) ** 2)
    at_limit = sp.simplify((eta * sp.diff(loss, x)).subs(eta, 1 / ell) - sp.sqrt(2 * loss / ell))
    return drop == 0 and at_limit == 0
