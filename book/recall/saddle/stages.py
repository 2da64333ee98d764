"""Evidence on the two stages: what is measured for Lemmas 5 and 8 and Algorithm 1, and what bears out each formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Generator, Tensor

from book.recall.common import curvature_by_autograd, scalar, some_attention, three_subjects
from book.recall.saddle.program import warm_up
from lib import noise
from lib.program import defaults, run
from lib.recall import model
from lib.recall.algorithm import SWAP
from lib.recall.landscape import ESCAPE_DIRECTION, imbalance
from lib.recall.logits import free_relation_loss, printed_gradient, printed_logits, squares
from lib.recall.reduction import relation_loss
from lib.recall.task import affine_family, all_prompts

DEFAULTS = defaults(warm_up())


def both_stages(perturbation_radius: float, steps: int, seed: float = DEFAULTS["seed"]) -> dict[str, float]:
    """Both stages through the transformer as printed, MLP and all, beside the exact reduction.

    Stage 1 is short: rounding grows by a constant factor a step once it may break the tie of the two examples.
    """
    t, known = DEFAULTS["temperature"], affine_family(3)
    transformer, prompts = model.build(known), all_prompts(known)
    xi = noise.ball(scalar(float(seed)), 13, scalar(perturbation_radius))
    rates = [DEFAULTS[name] * t**2 for name in ("rate_1", "rate_2")]
    first = model.fine_tune(transformer, known, prompts, t, rates[0], steps)
    theta, omega = first.parameters
    last = model.fine_tune(
        transformer, known, prompts, t, rates[1], steps, start=(theta + xi[:6], omega + xi[6:])
    )
    reduced = run(warm_up(), perturbation_radius=perturbation_radius, seed=seed, steps=steps, to_limit=0)
    full = [torch.softmax(result.parameters[0], 0) for result in (first, last)]
    ours = [reduced.histories[0].rows.attention[-1], reduced.report.attention]
    return {
        "perturbed": perturbation_radius > 0,
        "apart": max(float((one - two).abs().max()) for one, two in zip(full, ours, strict=True)),
        "tilt_1": float(imbalance(full[0]).abs()),
        "tilt_2": float(imbalance(full[1]).abs()),
    }


def to_the_saddle(temperature: float, tilt: float, steps: int, rate: float = 200.0) -> dict[str, float]:
    """Gradient descent with η = cT² from θ = (tilt, 0, 0, 0, 0, 0): its distance to the saddle's attention.

    By Table 2 and eqs 4–10 in plain numbers. Near the saddle v₅ falls by v₅²·8p₃v₂η/T a step, so like 1/steps once
    8p₃v₂ηt/T, about ηt/(Te^{1/8T}), is large.
    """
    theta = [tilt, 0.0, 0.0, 0.0, 0.0, 0.0]
    distances = []
    for step in range(steps + 1):
        v = _softmax(theta)
        if step in (steps // 2, steps):
            distances.append(max(abs(a - b) for a, b in zip(v, (0.25,) * 4 + (0.0,) * 2, strict=True)))
        p = _softmax([logit / temperature for logit in printed_logits(*v[:5])])
        by_v = printed_gradient(v, p)  # times T/2
        mean = sum(a * b for a, b in zip(v, by_v, strict=True))
        gradient = [a * (b - mean) for a, b in zip(v, by_v, strict=True)]
        if tilt == 0:  # exact arithmetic keeps the two examples equal
            gradient = [(g + gradient[k]) / 2 for g, k in zip(gradient, SWAP, strict=True)]
        theta = [x - 2 * rate * temperature * g for x, g in zip(theta, gradient, strict=True)]
    half, distance = distances
    return {
        "from_zero": tilt == 0,
        "small_steps": rate <= min(400, 40 / temperature),
        "late": rate * temperature * steps >= 1000 * math.exp(1 / (8 * temperature)),
        "exponent": math.log2(distance / half),
        "distance": distance,
        "times_steps": distance * steps,
    }


def _softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    weights = [math.exp(score - top) for score in scores]
    total = sum(weights)
    return [weight / total for weight in weights]


def symmetric_gradient() -> tuple[list[Any], Any, Any]:
    """∂L₁/∂vᵢ by eqs 4–9 where v₁ = v₃, v₂ = v₄ and so p₁ = p₂, p₃ = … = p₆; with v and p₃."""
    import sympy as sp

    v1, v2, v5, v6, p, t = sp.symbols("v1 v2 v5 v6 p T", positive=True)
    half = sp.Rational(1, 2) - 2 * p  # p₁ = p₂
    v = [v1, v2, v1, v2, v5, v6]
    gradient = [sp.factor(2 * g / t) for g in printed_gradient(v, [half, half, p, p, p, p])]
    return gradient, v, (p, t)


def observations_by_sympy() -> bool:
    """Observations 3 and 4: the signs of the derivatives, and loss ≥ log 6 exactly where v₅ ≥ v₁ or v₂ = 0."""
    import sympy as sp

    gradient, (v1, v2, _, _, v5, _), (p, t) = symmetric_gradient()
    wanted = [-4 * p * v2 / t, 4 * p * (v5 - v1) / t] * 2 + [8 * p * v2 / t, sp.Integer(0)]
    logits = printed_logits(v1, v2, v1, v2, v5)
    ahead = 2 * v2 * (v1 - v5)
    tied = all(sp.expand(logits[0] - logit - ahead) == 0 for logit in logits[2:])
    tied = tied and sp.expand(logits[0] - logits[1]) == 0  # so L₁ = log(2 + 4 exp(−ahead/T))
    return tied and all(sp.simplify(one - two) == 0 for one, two in zip(gradient, wanted, strict=True))


def start_by_autograd() -> bool:
    """Observation 2: the gradient at θ = 0 is (−1, 0, −1, 0, 2, 0)/(9T) by v, a sixth of that by θ."""
    t = scalar(0.05)
    by_v = torch.func.grad(free_relation_loss)(torch.full((6,), 1 / 6, dtype=torch.float64), t)
    by_theta = torch.func.grad(relation_loss)(torch.zeros(6, dtype=torch.float64), three_subjects(), t)
    printed = torch.tensor([-1, 0, -1, 0, 2, 0], dtype=torch.float64) / (9 * t)
    worst = torch.maximum((by_v - printed).abs().max(), (by_theta - printed / 6).abs().max())
    return bool(worst < 1e-12)


def symmetry_along_the_run() -> bool:
    """Observations 1, 3, 4 and 5 at each of 400 steps from zero."""
    reduced, t = three_subjects(), scalar(0.05)
    theta, swap = torch.zeros(6, dtype=torch.float64), torch.tensor(SWAP)
    for step in range(400):
        v = torch.softmax(theta, 0)
        by_v = torch.func.grad(free_relation_loss)(v, t)
        logits = squares(v).sum(-1)
        same = torch.equal(v, v[swap]) and bool((logits[2:] - logits[2]).abs().max() < 1e-15)
        signs = bool((by_v[:4] < 0).all() and by_v[4] > 0) if step else True
        if not (same and signs and (step == 0 or v[4] < v[0]) and bool(v[1] > 0)):
            return False
        gradient = torch.func.grad(relation_loss)(theta, reduced, t)
        theta = theta - 100 * t**2 * (gradient + gradient[swap]) / 2
    return True


def directions_by_autograd() -> bool:
    """At the saddle the loss curves down along (1, 1, −1, −1, 0, 0) and up along (1, −1, −1, 1, 0, 0)."""
    ways = (ESCAPE_DIRECTION, (0.5, -0.5, -0.5, 0.5, 0.0, 0.0))
    down, up = (float(curvature_by_autograd(three_subjects(), scalar(0.05), way)) for way in ways)
    return down < 0 < up


def simplified_by_sympy() -> bool:
    """Whether ∂L₁/∂v₁ = −(2/T)(p₅ + p₆)v₂ where v₅ = 0 and v is symmetric, and not without the 1/T."""
    gradient, (_, v2, _, _, v5, _), (p, t) = symmetric_gradient()
    ours, printed = -2 * (p + p) * v2 / t, -2 * (p + p) * v2
    at = gradient[0].subs(v5, 0)
    return (at - ours).equals(0) and not (at - printed).equals(0)


def simplified_numbers() -> dict[str, float]:
    v, t = torch.tensor([0.3, 0.2, 0.3, 0.2, 0, 0], dtype=torch.float64), 0.05
    p = torch.softmax(squares(v).sum(-1) / t, 0)
    measured = float(torch.func.grad(free_relation_loss)(v, scalar(t))[0])
    paper = -2 * float(p[4] + p[5]) * 0.2
    return {"temperature": t, "paper": paper, "right": paper / t, "measured": measured}


def twins_by_sympy() -> bool:
    """Whether symmetry means v₂ = v₄ and excludes v₄ = v₅ at the critical point found, where v₅ = 0 < v₄."""
    gradient, v, _ = symmetric_gradient()
    return v[1] == v[3] and v[3] != v[4] and gradient[1] == gradient[3] and gradient[3] != gradient[4]


def evening_out(
    query: float, certain: int, temperature: float, draws: int = 20_000, seed: int = 0
) -> dict[str, float]:
    """How often ψ falls along the gradient flow at random attention that meets the hypotheses, or not.

    ψ is the largest of v₁/v₂, v₂/v₁, v₃/v₄, v₄/v₃, and d log(v₁/v₂)/dt = ∂L₁/∂θ₂ − ∂L₁/∂θ₁, by the errata's
    formula, twice what is printed: no large terms cancel in it.

    Args:
        query: v₅ as a share of attention.
        certain: 1 to keep draws with l(r₁) > Σ p₁(r)l(r), 0 to keep the others.
        temperature: T.
    """
    scores = torch.randn(draws, 4, dtype=torch.float64, generator=Generator().manual_seed(seed))
    v = torch.nn.functional.pad((1 - query) * torch.softmax(0.7 * scores, 1), (0, 2))
    v[:, 4] = query
    logits = squares(v).sum(-1)
    p = torch.softmax(logits / temperature, 1)
    sure_by = (p * (logits[:, :1] - logits)).sum(1)  # l(r₁) less the mean
    kept = (sure_by > 0) == bool(certain)
    v, p, sure_by = v[kept], p[kept], sure_by[kept]
    rates = -2 / temperature * torch.stack(printed_differences(v.unbind(1), p.unbind(1), sure_by), 1)
    logs = torch.stack([(v[:, 0] / v[:, 1]).log(), (v[:, 2] / v[:, 3]).log()], 1)
    rates, logs = torch.cat([rates, -rates], 1), torch.cat([logs, -logs], 1)
    pace = rates.gather(1, logs.argmax(1, keepdim=True))[:, 0]
    return {
        "no_query": query == 0,
        "sure": bool(certain),
        "share": float((pace < 0).to(torch.float64).mean()),
        "pace": float(pace.max()),
        "draws": float(len(v)),
    }


def euler_by_sympy() -> bool:
    """Whether Σ vⱼ ∂L₁/∂vⱼ = (2/T)(Σ p l − l₁), since logits are quadratic, and not Σ p l."""
    import sympy as sp

    v, t = sp.symbols("v1:7", positive=True), sp.symbols("T", positive=True)
    q = sp.symbols("p2:7", positive=True)
    p = [1 - sum(q), *q]
    logits = printed_logits(*v[:5])
    mean = sum(a * b for a, b in zip(p, logits, strict=True))
    left = sum(a * 2 * g / t for a, g in zip(v, printed_gradient(v, p), strict=True))
    return sp.simplify(left - 2 * (mean - logits[0]) / t) == 0 and sp.simplify(left - mean) != 0


def differences_by_sympy() -> bool:
    """Whether T(∂L₁/∂θ₁ − ∂L₁/∂θ₂) and T(∂L₁/∂θ₃ − ∂L₁/∂θ₄) are twice what is printed."""
    import sympy as sp

    v, q = sp.symbols("v1:7", positive=True), sp.symbols("p2:7", positive=True)
    p = [1 - sum(q), *q]
    logits = printed_logits(*v[:5])
    gap = logits[0] - sum(a * b for a, b in zip(p, logits, strict=True))
    g = [2 * entry for entry in printed_gradient(v, p)]  # T times the derivatives
    mean = sum(a * b for a, b in zip(v, g, strict=True))
    by_theta = [a * (b - mean) for a, b in zip(v, g, strict=True)]
    pairs = zip(
        (by_theta[0] - by_theta[1], by_theta[2] - by_theta[3]), printed_differences(v, p, gap), strict=True
    )
    return all(sp.expand(left - 2 * right) == 0 and sp.expand(left - right) != 0 for left, right in pairs)


def printed_differences(v: Any, p: Any, gap: Any) -> tuple[Any, Any]:
    """The two brackets in the proof of Lemma 8; ``gap`` is l(r₁) − Σ p₁(r)l(r)."""
    v1, v2, v3, v4, v5, _ = v
    _, p2, p3, p4, p5, p6 = p
    crossed = (p2 + p4) * v1 * v4 - (p2 + p5) * v2 * v3
    return (
        crossed - (p4 + p6) * v2 * v5 + (v1 - v2) * gap,
        -crossed - (p3 + p5) * v4 * v5 + (v3 - v4) * gap,
    )


def _at_a_point() -> tuple[Tensor, Tensor, Tensor, float]:
    """Some attention, its probabilities, its gap l(r₁) − Σ p l, and T."""
    v, t = some_attention(1, seed=11)[0], 0.1
    logits = squares(v).sum(-1)
    p = torch.softmax(logits / t, 0)
    return v, p, logits[0] - p @ logits, t


def euler_numbers() -> dict[str, float]:
    v, p, gap, t = _at_a_point()
    measured = float(v @ torch.func.grad(free_relation_loss)(v, scalar(t)))
    return {"paper": float(p @ squares(v).sum(-1)), "right": float(-2 * gap / t), "measured": measured}


def difference_numbers() -> dict[str, float]:
    v, p, gap, t = _at_a_point()
    by_theta = torch.func.grad(lambda theta: free_relation_loss(torch.softmax(theta, 0), scalar(t)))(v.log())
    paper = float(printed_differences(v, p, gap)[0])
    return {"paper": paper, "right": 2 * paper, "measured": float(t * (by_theta[0] - by_theta[1]))}


def order_by_sympy() -> bool:
    """Whether l₄ − l₅ = 2(v₁v₄ − v₂v₃) where v₅ = 0: α ≥ β makes p₁(r₄) ≥ p₁(r₅)."""
    import sympy as sp

    v1, v2, v3, v4 = sp.symbols("v1:5", positive=True)
    logits = printed_logits(v1, v2, v3, v4, sp.Integer(0))
    return sp.expand(logits[3] - logits[4] - 2 * (v1 * v4 - v2 * v3)) == 0


def falls(temperature: float) -> Callable[[], bool]:
    """A check that ψ falls at every draw that meets the hypotheses."""
    return lambda: evening_out(0.0, 1, temperature)["pace"] < 0
