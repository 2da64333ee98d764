"""How cold must it be? Three subjects at every temperature: the slice's turning points, and stage 2 in the batch.

On the pairwise slice, attention (x, x, ½ − x, ½ − x, 0, 0), put x = ¼ − y. Table 2 then gives

    L₁ = log(1 + S),  S = e^{−8y²/T} + 2e^{−(1/8 + 6y²)/T} + 2e^{−(1/8 + 2y²)/T} cosh(y/T),

and L₁ turns where 4y(2e^{(1/8 − 6y²)/T} + 3e^{−4y²/T} + cosh(y/T)) = sinh(y/T). The saddle is y = 0, the end y = ¼.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.recall.dynamics.algorithm import CONVERGED, DOMAINS, ESCAPED, TOLERANCE
from lib.recall.dynamics.escape import free_gradient, free_loss
from lib.recall.dynamics.landscape import ESCAPE_DIRECTION, slice_loss, slice_minimum, slice_slope
from lib.recall.dynamics.reduction import affine_log_counts, affine_reduced
from lib.solve import Program, Stage, rising_root

DEFAULTS: dict[str, Any] = {
    "temperature": 0.05,
    "perturbation_radius": 1e-3,
    "seed": 0,
    "rate_2": 100.0,
    "steps": 600,
}
"""The configuration that the page opens with: said here and nowhere else."""

COLDEST, HOTTEST = 0.002, 0.14
"""The temperatures that the page offers."""

NEAR = (0.083, 0.093)
"""Temperatures around the thresholds."""

FLOOR = 1e-5
"""The least 1 − p(r*) that is drawn."""

WARMEST_LAW = 0.065
"""Where the law for a(T) is no approximation any more."""

TEMPERATURES = (0.01, 0.02, 0.03, 0.045, 0.06, 0.07, 0.08, 0.087, 0.11)
"""Those at which runs stand beside the one that is asked for."""

LIMIT, SLOPE, BEND = 1 / 6, -math.log(2) / 2, -9 / 2 * math.log(2) + 3 / 4 * math.log(2) ** 2
"""a(T) = LIMIT + SLOPE T + BEND T² + O(T³) at the slice's inner minimum."""

GAP, RIVALS = 1 / 18, 1.5 * 2 ** (1 / 3)
"""There 1 − p(r*) → RIVALS e^{−GAP/T} as T → 0."""

ENOUGH = 1 / 8
"""At T = C/log n and n → ∞ the best p(r*) tends to 1 for C below this, to 0 for C above."""

NAMES = ("temperature", "perturbation_radius", "seed", "rate_2", "steps")


class Thresholds(NamedTuple):
    """The temperatures at which the inner minimum of the slice changes its nature."""

    below_log_2: float  # colder: its loss is below log 2
    lowest: float  # colder: it is the lowest point of the slice
    exists: float  # colder: there is one


class Cooling(NamedTuple):
    """The parameters of stage 2, each a 0-d tensor: see ``Schedule``."""

    temperature: Tensor
    perturbation_radius: Tensor
    seed: Tensor
    rate_2: Tensor
    steps: Tensor


class Batch(NamedTuple):
    """Stage 2 at R temperatures at once, the one asked for first."""

    theta: Tensor  # (R, 4)
    loss: Tensor  # (R,) L₁ before the last step
    rise: Tensor  # (R,) the largest rise of the loss over one step
    moving: Tensor  # (R,) 1 while the run is still moving


class BatchWatch(NamedTuple):
    """The way of the run that is asked for."""

    position: Tensor  # (1,) x = (v₁ + v₂)/2
    loss: Tensor  # (1,) L₁


class Cooled(NamedTuple):
    """What stage 2 comes to at each temperature, beside the turning points of the slice."""

    branch_T: Tensor  # (B,) temperatures up to the last at which there is an inner minimum
    minimum: Tensor  # (B,) a(T)
    maximum: Tensor  # (B,) the other turning point, between 0 and a
    wide_T: Tensor  # (W,) all temperatures offered
    law: Tensor  # (W,) LIMIT + SLOPE T + BEND T²; NaN where it is no approximation any more
    error_T: Tensor  # (E,) temperatures, evenly in their logarithm
    minimum_error: Tensor  # (E,) 1 − p(r*) at the minimum; NaN without one and below FLOOR
    law_error: Tensor  # (E,) RIVALS e^{−GAP/T}; NaN below FLOOR
    end_error: Tensor  # (E,) 1 − p(r*) at x = 0
    proved_T: Tensor  # (2,) the ends of the temperatures below the first threshold,
    kept_T: Tensor  # (2,) up to the second,
    local_T: Tensor  # (2,) up to the third,
    none_T: Tensor  # (2,) and above
    band_low: Tensor  # (2,)
    band_high: Tensor  # (2,)
    near_T: Tensor  # (N,) temperatures around the thresholds, up to the last
    near_minimum: Tensor  # (N,) the loss there
    near_maximum: Tensor  # (N,)
    around_T: Tensor  # (A,) the same and warmer
    around_end: Tensor  # (A,) L₁ at x = 0
    slice_x: Tensor  # (101,) x from 0 to ½
    slice_loss: Tensor  # (101,) L₁ there
    low_x: Tensor  # (2,) the inner minimum and its mirror image; NaN if there is none
    low_loss: Tensor  # (2,)
    high_x: Tensor  # (2,) the maximum between them and the ends; NaN likewise
    high_loss: Tensor  # (2,)
    saddle_x: Tensor  # ¼
    saddle_loss: Tensor
    settled_T: Tensor  # (R − 1,) temperatures of the other runs
    settled: Tensor  # (R − 1,) their lesser pair's attention; NaN if still moving
    unsettled: Tensor  # (R − 1,) the same for those still moving
    runs_error: Tensor  # (R − 1,) 1 − p(r*) at their end
    now_T: Tensor
    near_loss: Tensor  # L₁ of the run that is asked for; NaN unless its temperature is within NEAR
    shown_error: Tensor  # its 1 − p(r*); NaN below FLOOR
    predicted_a: Tensor  # NaN without an inner minimum
    foretold_a: Tensor  # the law's
    measured_a: Tensor
    predicted_loss: Tensor
    measured_loss: Tensor
    end_loss: Tensor  # L₁ at x = 0
    predicted_p: Tensor
    measured_p: Tensor  # p(r*)
    measured_error: Tensor  # 1 − p(r*)
    predicted_error: Tensor
    foretold_error: Tensor  # the law's
    barrier: Tensor  # loss at the maximum minus loss at the minimum
    exists: Tensor  # 1 or 0
    lowest: Tensor
    below: Tensor
    perturbed: Tensor
    small_steps: Tensor
    finished: Tensor  # 1, or ½ while the run is still moving
    verdict: Tensor  # as in ``VERDICTS``
    story: Tensor  # 0 below log 2, 1 lowest but above, 2 only local, 3 none; 4 still moving, 5 never left


def rival_sum(y: Tensor, temperature: Tensor) -> Tensor:
    """S(y) = Σ_{j≥2} e^{(l_j − l_1)/T} on the slice, so that L₁ = log(1 + S); any shape, 0 ≤ y ≤ ¼."""
    square, t = y * y, temperature
    mismatched = 2 * torch.exp(-(1 / 8 + 6 * square) / t)
    single = torch.exp(-2 * (0.25 - y) ** 2 / t) + torch.exp(-2 * (0.25 + y) ** 2 / t)
    return torch.exp(-8 * square / t) + mismatched + single


def turning(y: Tensor, temperature: Tensor) -> Tensor:
    """4y(2e^{(1/8 − 6y²)/T} + 3e^{−4y²/T} + cosh(y/T)) − sinh(y/T), times 2e^{−y/T}: zero where L₁ turns.

    Positive where L₁ rises with x = ¼ − y. Finite for T ≥ 10⁻³, and right to 10⁻¹⁶ near y = ¼.
    """
    square, t = y * y, temperature
    back = torch.exp(-2 * y / t)
    rising = (
        16 * torch.exp((1 / 8 - 6 * square - y) / t) + 24 * torch.exp(-(4 * square + y) / t) + 4 * (1 + back)
    )
    return y * rising - (1 - back)


@functools.cache
def thresholds() -> Thresholds:
    """Two equations in (y, T) for each, by Newton's method to 10⁻¹⁴.

    L₁ turns at y, and its loss is log 2, S(y) = 1; or that of the end, S(y) = S(¼); or the turn is double: there
    minimum and maximum meet.
    """
    end = torch.tensor(0.25, dtype=torch.float64)
    return Thresholds(
        below_log_2=_newton(lambda y, t: rival_sum(y, t) - 1, 0.18, 0.085)[1],
        lowest=_newton(lambda y, t: rival_sum(y, t) - rival_sum(end, t), 0.195, 0.088)[1],
        exists=fold()[1],
    )


@functools.cache
def fold() -> tuple[float, float]:
    """(x, T) where the minimum and the maximum meet: the last temperature with an inner minimum."""
    y, temperature = _newton(torch.func.grad(turning), 0.215, 0.0908)
    return 0.25 - y, temperature


def _newton(second: Callable[[Tensor, Tensor], Tensor], y: float, temperature: float) -> tuple[float, float]:
    """Where :func:`turning` and ``second`` are both zero, from a rough (y, T)."""

    def both(p: Tensor) -> Tensor:
        return torch.stack([turning(p[0], p[1]), second(p[0], p[1])])

    point = torch.tensor([y, temperature], dtype=torch.float64)
    for _ in range(30):
        point = point - torch.linalg.solve(torch.func.jacrev(both)(point), both(point))
    return float(point[0]), float(point[1])


def inner_maximum(temperature: Tensor, minimum: Tensor) -> Tensor:
    """Where L₁ on the slice stops rising from x = 0 on, between e^{−1/(2T)} and ``minimum``; traceable."""
    reduced = affine_reduced(3)

    def falling(u: Tensor) -> Tensor:
        return -slice_slope(torch.exp(u), reduced, temperature)

    return torch.exp(rising_root(falling, -1 / (2 * temperature), torch.log(minimum), 8))


def surest(subjects: float, temperature: float) -> tuple[float, float]:
    """The least 1 − p(r*) on the pairwise slice for an affine family of n subjects, and the x where it is.

    Args:
        subjects: n ≥ 3, not necessarily one for which such a family exists.
    """
    n, t = (torch.tensor(value, dtype=torch.float64) for value in (float(subjects), temperature))
    reduced = affine_reduced(3)._replace(log_counts=affine_log_counts(n)[None])
    low, high = 0.0, 0.25
    for _ in range(4):  # 200 cuts each: the lowest of L₁ is unique up to symmetry except at a transition
        x = torch.linspace(low, high, 201, dtype=torch.float64)
        loss = slice_loss(x, reduced, t)
        best = int(loss.argmin())
        low, high = float(x[max(best - 1, 0)]), float(x[min(best + 1, 200)])
    return float(-torch.expm1(-loss[best])), float(x[best])


def cold_enough(subjects: float, probability: float) -> float:
    """The highest temperature at which some attention on the slice has p(r*) ≥ ``probability``, by bisection.

    Raises:
        ValueError: ``probability`` outside (½, 1): at ½ the saddle does.
    """
    Domain("probability", low=0.5, high=1, low_open=True, high_open=True).check(probability)
    low, high = 1e-4, 0.2
    while high - low > 1e-9:
        middle = (low + high) / 2
        sure = surest(subjects, middle)[0] <= 1 - probability
        low, high = (middle, high) if sure else (low, middle)
    return (low + high) / 2


def cooling() -> Program:
    """Stage 2 of Algorithm 1 for three subjects, at the asked temperature and at nine others.

    Stage 1 is taken to its limit, t₁ = ∞: attention (¼, ¼, ¼, ¼, 0, 0), from where the restriction to four scores is
    exact. The second decoding step has its own scores and does not touch these.
    """
    curves = chart()
    others = torch.tensor(TEMPERATURES, dtype=torch.float64)
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    domains = tuple(
        domain._replace(low=COLDEST, high=HOTTEST, low_open=False) if domain.name == "temperature" else domain
        for domain in DOMAINS
        if domain.name in NAMES
    )

    def every(p: Cooling) -> Tensor:
        return torch.cat([p.temperature.reshape(1), others])[:, None]  # (R, 1)

    def perturbation(p: Cooling) -> Tensor:
        return noise.ball(p.seed, 13, p.perturbation_radius)[:4]  # as in Algorithm 1: the first 4 of θ, ω

    def start(p: Cooling) -> Batch:
        theta = perturbation(p) + torch.zeros(len(TEMPERATURES) + 1, 4, dtype=torch.float64)
        loss = free_loss(theta, every(p))
        return Batch(theta, loss, torch.zeros_like(loss), torch.ones_like(loss))

    def step(s: Batch, p: Cooling) -> tuple[Batch, Tensor]:
        t = every(p)
        gradient = free_gradient(s.theta, t)
        theta = s.theta - p.rate_2 * t**2 * gradient
        loss = free_loss(theta, t)
        still = (t * gradient).abs().amax(1) < CONVERGED
        left = _lead(torch.softmax(theta, 1)).abs() > ESCAPED
        moving = 1 - (still & (left | (s.theta @ direction == 0))).to(torch.float64)
        state = Batch(theta, loss, torch.maximum(s.rise, loss - s.loss), moving)
        return state, moving.sum() == 0

    def watch(s: Batch, p: Cooling) -> BatchWatch:
        v = torch.softmax(s.theta[0], 0)
        return BatchWatch(((v[0] + v[1]) / 2).reshape(1), free_loss(s.theta[0], p.temperature).reshape(1))

    def report(ends: tuple[Batch, ...], p: Cooling) -> Cooled:
        return _report(ends[0], p, perturbation(p) @ direction, curves)

    return Program(Cooling, domains, start, (Stage("stage 2", _same, step, "steps"),), watch, report)


def _same(state: Batch, _: Cooling) -> Batch:
    return state


def _lead(v: Tensor) -> Tensor:
    return v[..., 0] + v[..., 1] - v[..., 2] - v[..., 3]


@functools.cache
def chart() -> dict[str, Tensor]:
    """The curves that no slider moves: fields ``branch_T`` to ``around_end`` of :class:`Cooled`."""
    known = thresholds()
    branch, minimum, maximum = _branches(COLDEST, 60)
    near, near_minimum, near_maximum = _branches(NEAR[0], 30)
    around = torch.linspace(*NEAR, 21, dtype=torch.float64)
    wide = torch.linspace(COLDEST, HOTTEST, 70, dtype=torch.float64)
    law = LIMIT + SLOPE * wide + BEND * wide**2
    end = torch.full((), 0.25, dtype=torch.float64)
    edges = torch.tensor([0, *known, HOTTEST], dtype=torch.float64)
    bands = dict(zip(("proved_T", "kept_T", "local_T", "none_T"), edges.unfold(0, 2, 1), strict=True))
    spread = torch.logspace(math.log10(COLDEST), math.log10(HOTTEST), 81, dtype=torch.float64)
    lows = torch.stack([slice_minimum(affine_reduced(3), t) for t in spread])
    return {
        "branch_T": branch,
        "minimum": minimum,
        "maximum": maximum,
        "wide_T": wide,
        "law": torch.where(wide < WARMEST_LAW, law, torch.full_like(law, math.nan)),
        "error_T": spread,
        "minimum_error": _shown(torch.where(lows > 0, _error(rival_sum(0.25 - lows, spread)), 0)),
        "law_error": _shown(RIVALS * torch.exp(-GAP / spread)),
        "end_error": _error(rival_sum(end, spread)),
        **bands,
        "band_low": torch.full((2,), 0.258, dtype=torch.float64),
        "band_high": torch.full((2,), 0.29, dtype=torch.float64),
        "near_T": near,
        "near_minimum": torch.log1p(rival_sum(0.25 - near_minimum, near)),
        "near_maximum": torch.log1p(rival_sum(0.25 - near_maximum, near)),
        "around_T": around,
        "around_end": torch.log1p(rival_sum(end, around)),
    }


def _shown(error: Tensor) -> Tensor:
    """The error where a logarithmic axis that ends at ``FLOOR`` can show it, NaN elsewhere."""
    return torch.where(error >= FLOOR, error, torch.full_like(error, math.nan))


def _branches(coldest: float, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Temperatures up to the last with a minimum, and x at the minimum and at the maximum; (count + 1,) each.

    Both end upright where they meet, so the temperatures crowd there.
    """
    where, hottest = (torch.tensor(value, dtype=torch.float64) for value in fold())
    away = torch.linspace(1, 1 / count, count, dtype=torch.float64)
    branch = hottest - (hottest - coldest) * away**2
    lows = [slice_minimum(affine_reduced(3), t) for t in branch]
    highs = [inner_maximum(t, a) for t, a in zip(branch, lows, strict=True)]
    met = torch.cat([branch, hottest.reshape(1)])
    return met, torch.stack([*lows, where]), torch.stack([*highs, where])


def _error(rivals: Tensor) -> Tensor:
    """1 − p(r*) = S/(1 + S)."""
    return rivals / (1 + rivals)


def _report(end: Batch, p: Cooling, overlap: Tensor, curves: dict[str, Tensor]) -> Cooled:
    """Args: ``overlap`` is ⟨ξ, ε̃⟩, ``curves`` what :func:`chart` has computed."""
    t = p.temperature
    nothing = torch.full_like(t, math.nan)
    turns = _turns(t)
    v = torch.softmax(end.theta, 1)
    lesser = torch.minimum(v[:, 0] + v[:, 1], v[:, 2] + v[:, 3]) / 2  # (R,)
    error = -torch.expm1(-end.loss)
    x = torch.linspace(0, 0.5, 101, dtype=torch.float64)
    moving, others = end.moving[1:] > 0.5, lesser[1:]
    return Cooled(
        **curves,
        slice_x=x,
        slice_loss=torch.log1p(rival_sum((0.25 - x).abs(), t)),
        **turns,
        settled_T=torch.tensor(TEMPERATURES, dtype=torch.float64),
        settled=torch.where(moving, nothing, others),
        unsettled=torch.where(moving, others, nothing),
        runs_error=_shown(error[1:]),
        now_T=t,
        near_loss=torch.where((t >= NEAR[0]) & (t <= NEAR[1]), end.loss[0], nothing),
        shown_error=_shown(error[0]),
        foretold_a=LIMIT + SLOPE * t + BEND * t**2,
        measured_a=lesser[0],
        measured_loss=end.loss[0],
        measured_p=1 - error[0],
        measured_error=error[0],
        foretold_error=RIVALS * torch.exp(-GAP / t),
        **_judged(end, p, overlap, turns, lesser[0]),
    )


def _turns(t: Tensor) -> dict[str, Tensor]:
    """The turning points of the slice at one temperature, and what the theory says there."""
    nothing, quarter = torch.full_like(t, math.nan), torch.full_like(t, 0.25)
    a = slice_minimum(affine_reduced(3), t)
    inside = a > 1e-6
    top = torch.where(inside, inner_maximum(t, torch.clamp(a, min=1e-6)), nothing)
    bottom = torch.where(inside, a, nothing)
    low, high = rival_sum(0.25 - bottom, t), rival_sum(0.25 - top, t)
    low_loss, high_loss = torch.log1p(low), torch.log1p(high)
    end_loss = torch.log1p(rival_sum(quarter, t))
    return {
        "low_x": torch.stack([bottom, 0.5 - bottom]),
        "low_loss": torch.stack([low_loss, low_loss]),
        "high_x": torch.stack([top, 0.5 - top]),
        "high_loss": torch.stack([high_loss, high_loss]),
        "saddle_x": quarter,
        "saddle_loss": torch.log1p(rival_sum(quarter - 0.25, t)),
        "predicted_a": bottom,
        "predicted_loss": low_loss,
        "end_loss": end_loss,
        "predicted_p": 1 / (1 + low),
        "predicted_error": _error(low),
        "barrier": high_loss - low_loss,
        "exists": inside.to(torch.float64),
        "lowest": (low_loss < end_loss).to(torch.float64),  # NaN is not less
        "below": (low < 1).to(torch.float64),
    }


def _judged(
    end: Batch, p: Cooling, overlap: Tensor, turns: dict[str, Tensor], measured: Tensor
) -> dict[str, Tensor]:
    """The hypotheses, the verdict and the story."""
    lowest, below, exists = turns["lowest"], turns["below"], turns["exists"]
    v = torch.softmax(end.theta[0], 0)
    paired = torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs()) < TOLERANCE
    near = (measured - turns["predicted_a"]).abs() < TOLERANCE
    holds = (paired & near & (lowest > 0.5)).to(torch.float64)
    perturbed, small = overlap != 0, end.rise[0] < 1e-9
    finished = end.moving[0] < 0.5
    assumed = (lowest > 0.5) & perturbed & small
    verdict = torch.where(assumed, 1 - holds, 2 + holds)
    verdict = torch.where(assumed & ~finished & (holds < 0.5), torch.full_like(holds, 4), verdict)
    story = 3 - exists - lowest - below  # each threshold implies the warmer ones
    story = torch.where(finished | (exists < 0.5), story, torch.full_like(holds, 4))
    story = torch.where(_lead(v).abs() > ESCAPED, story, torch.full_like(holds, 5))
    return {
        "perturbed": perturbed.to(torch.float64),
        "small_steps": small.to(torch.float64),
        "finished": 0.5 + 0.5 * finished.to(torch.float64),
        "verdict": verdict,
        "story": story,
    }
