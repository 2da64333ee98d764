"""Three subjects at every temperature: the slice's turning points, and stage 2 at ten temperatures at once.

Stage 1 is taken to its limit, t₁ = ∞: attention (¼, ¼, ¼, ¼, 0, 0), from where the restriction to four scores is
exact. The second decoding step has its own scores and does not touch these.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.program import Program, Stage, record
from lib.recall.algorithm import CONVERGED, DOMAINS, ESCAPED
from lib.recall.escape import free_gradient, free_loss
from lib.recall.landscape import (
    ESCAPE_DIRECTION,
    imbalance,
    inner_maximum,
    inner_minimum,
    slice_loss,
    slice_minimum,
)
from lib.recall.phases import fold, thresholds

SUBJECTS = 3

COLDEST, HOTTEST = 0.002, 0.14
"""The temperatures that the page offers."""

NEAR = (0.083, 0.093)
"""Temperatures around the thresholds."""

FLOOR = 1e-5
"""The least 1 − p(r*) that is drawn."""

WARMEST_LAW = 0.065
"""Up to where the law for a(T) is drawn."""

EXPANSION = 0.018
"""Up to where it is claimed: warmer, the terms e^{−1/(9T)} that it leaves out outgrow T³."""

TEMPERATURES = (0.01, 0.02, 0.03, 0.045, 0.06, 0.07, 0.08, 0.087, 0.11)
"""Those at which runs stand beside the one that is asked for."""

LIMIT, SLOPE, BEND = 1 / 6, -math.log(2) / 2, -9 / 2 * math.log(2) + 3 / 4 * math.log(2) ** 2
"""a(T) = LIMIT + SLOPE T + BEND T² + O(T³) at the slice's inner minimum."""

GAP, RIVALS = 1 / 18, 1.5 * 2 ** (1 / 3)
"""There 1 − p(r*) → RIVALS e^{−GAP/T} as T → 0."""

OFFERED: dict[str, dict[str, Any]] = {
    "temperature": {
        "low": COLDEST,
        "high": HOTTEST,
        "low_open": False,
        "scale": "linear",
        "track": (COLDEST, HOTTEST, 0.0002),
    },
    "rate_2": {"words": "c₂ in η₂ = c₂T²"},
    "steps": {"default": 600, "words": "steps, at most", "track": (0, 2000, 20)},
    "perturbation_radius": {},
    "seed": {},
}
"""The parameters of stage 2, and in what they differ from Algorithm 1's."""

Cooling = record("Cooling", OFFERED)


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
    lowest_loss: Tensor  # of the slice, and so of all attention
    end_loss: Tensor  # L₁ at x = 0
    predicted_p: Tensor
    measured_p: Tensor  # p(r*)
    measured_error: Tensor  # 1 − p(r*)
    predicted_error: Tensor
    foretold_error: Tensor  # the law's
    barrier: Tensor  # loss at the maximum minus loss at the minimum
    mismatch: Tensor  # the larger of |v₁ − v₂| and |v₃ − v₄|
    exists: Tensor  # an inner minimum exists
    lowest: Tensor  # it is the lowest point of the slice
    below: Tensor  # its loss is below log 2
    range: Tensor  # how many of the three are lost, 0 … 3
    as_foretold: Tensor  # each is lost on the side of its threshold where it should be
    expansion: Tensor  # T is at most EXPANSION
    perturbed: Tensor
    small_steps: Tensor
    finished: Tensor  # the run has converged
    left: Tensor  # the two pairs have unlike attention


def cooling() -> Program:
    """Stage 2 of Algorithm 1 for three subjects, at the asked temperature and at nine others."""
    curves = chart()
    others = torch.tensor(TEMPERATURES, dtype=torch.float64)
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    known = {domain.name: domain for domain in DOMAINS}
    domains = tuple(known[name]._replace(**changes) for name, changes in OFFERED.items())

    def every(p: Any) -> Tensor:
        return torch.cat([p.temperature.reshape(1), others])[:, None]  # (R, 1)

    def perturbation(p: Any) -> Tensor:
        return noise.ball(p.seed, 13, p.perturbation_radius)[:4]  # as in Algorithm 1: the first 4 of θ, ω

    def start(p: Any) -> Batch:
        theta = perturbation(p) + torch.zeros(len(TEMPERATURES) + 1, 4, dtype=torch.float64)
        loss = free_loss(theta, every(p))
        return Batch(theta, loss, torch.zeros_like(loss), torch.ones_like(loss))

    def step(s: Batch, p: Any) -> tuple[Batch, Tensor]:
        t = every(p)
        gradient = free_gradient(s.theta, t)
        theta = s.theta - p.rate_2 * t**2 * gradient
        loss = free_loss(theta, t)
        still = (t * gradient).abs().amax(1) < CONVERGED
        left = imbalance(torch.softmax(theta, 1)).abs() > ESCAPED
        moving = 1 - (still & (left | (s.theta @ direction == 0))).to(torch.float64)
        state = Batch(theta, loss, torch.maximum(s.rise, loss - s.loss), moving)
        return state, moving.sum() == 0

    def watch(s: Batch, p: Any) -> BatchWatch:
        v = torch.softmax(s.theta[0], 0)
        return BatchWatch(((v[0] + v[1]) / 2).reshape(1), free_loss(s.theta[0], p.temperature).reshape(1))

    def report(ends: tuple[Batch, ...], p: Any) -> Cooled:
        return _report(ends[0], p, perturbation(p) @ direction, curves)

    return Program(Cooling, domains, start, (Stage("stage 2", lambda s, p: s, step, "steps"),), watch, report)


@functools.cache
def chart() -> dict[str, Tensor]:
    """The curves that no slider moves: fields ``branch_T`` to ``around_end`` of :class:`Cooled`."""
    branch, minimum, maximum = _branches(COLDEST, 60)
    near, near_minimum, near_maximum = _branches(NEAR[0], 30)
    around = torch.linspace(*NEAR, 21, dtype=torch.float64)
    wide = torch.linspace(COLDEST, HOTTEST, 70, dtype=torch.float64)
    end = torch.zeros((), dtype=torch.float64)
    edges = torch.tensor([0, *thresholds(), HOTTEST], dtype=torch.float64)
    bands = dict(zip(("proved_T", "kept_T", "local_T", "none_T"), edges.unfold(0, 2, 1), strict=True))
    spread = torch.logspace(math.log10(COLDEST), math.log10(HOTTEST), 81, dtype=torch.float64)
    lows = torch.stack([inner_minimum(SUBJECTS, t) for t in spread])
    return {
        "branch_T": branch,
        "minimum": minimum,
        "maximum": maximum,
        "wide_T": wide,
        "law": torch.where(wide < WARMEST_LAW, foretold(wide), math.nan),
        "error_T": spread,
        "minimum_error": _shown(-torch.expm1(-_loss(lows, spread))),
        "law_error": _shown(RIVALS * torch.exp(-GAP / spread)),
        "end_error": -torch.expm1(-_loss(end, spread)),
        **bands,
        "band_low": torch.full((2,), 0.258, dtype=torch.float64),
        "band_high": torch.full((2,), 0.29, dtype=torch.float64),
        "near_T": near,
        "near_minimum": _loss(near_minimum, near),
        "near_maximum": _loss(near_maximum, near),
        "around_T": around,
        "around_end": _loss(end, around),
    }


def foretold(temperature: Tensor) -> Tensor:
    """a(T) to second order."""
    return LIMIT + SLOPE * temperature + BEND * temperature**2


def _loss(x: Tensor, temperature: Tensor) -> Tensor:
    return slice_loss(x, SUBJECTS, temperature)


def _shown(error: Tensor) -> Tensor:
    """The error where a logarithmic axis that ends at ``FLOOR`` can show it, NaN elsewhere."""
    return torch.where(error >= FLOOR, error, math.nan)


def _branches(coldest: float, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Temperatures up to the last with a minimum, and x at the minimum and at the maximum; (count + 1,) each.

    Both end upright where they meet, so the temperatures crowd there.
    """
    where, hottest = (torch.tensor(value, dtype=torch.float64) for value in fold())
    away = torch.linspace(1, 1 / count, count, dtype=torch.float64)
    branch = hottest - (hottest - coldest) * away**2
    lows = [slice_minimum(SUBJECTS, t) for t in branch]
    highs = [inner_maximum(SUBJECTS, t, a) for t, a in zip(branch, lows, strict=True)]
    met = torch.cat([branch, hottest.reshape(1)])
    return met, torch.stack([*lows, where]), torch.stack([*highs, where])


def _report(end: Batch, p: Any, overlap: Tensor, curves: dict[str, Tensor]) -> Cooled:
    """Args: ``overlap`` is ⟨ξ, ε̃⟩, ``curves`` what :func:`chart` has computed."""
    t = p.temperature
    v = torch.softmax(end.theta, 1)
    lesser = torch.minimum(v[:, 0] + v[:, 1], v[:, 2] + v[:, 3]) / 2  # (R,)
    error = -torch.expm1(-end.loss)
    x = torch.linspace(0, 0.5, 101, dtype=torch.float64)
    moving, others, here = end.moving[1:] > 0.5, lesser[1:], v[0]
    return Cooled(
        **curves,
        slice_x=x,
        slice_loss=_loss(x, t),
        **_turns(t),
        settled_T=torch.tensor(TEMPERATURES, dtype=torch.float64),
        settled=torch.where(moving, math.nan, others),
        unsettled=torch.where(moving, others, math.nan),
        runs_error=_shown(error[1:]),
        now_T=t,
        near_loss=torch.where((t >= NEAR[0]) & (t <= NEAR[1]), end.loss[0], math.nan),
        shown_error=_shown(error[0]),
        foretold_a=foretold(t),
        measured_a=lesser[0],
        measured_loss=end.loss[0],
        measured_p=1 - error[0],
        measured_error=error[0],
        foretold_error=RIVALS * torch.exp(-GAP / t),
        mismatch=torch.maximum((here[0] - here[1]).abs(), (here[2] - here[3]).abs()),
        expansion=t <= EXPANSION,
        perturbed=overlap != 0,
        small_steps=end.rise[0] < 1e-9,
        finished=end.moving[0] < 0.5,
        left=imbalance(here).abs() > ESCAPED,
    )


def _turns(t: Tensor) -> dict[str, Tensor]:
    """The turning points of the slice at one temperature, and what the theory says there."""
    quarter = torch.full_like(t, 0.25)
    bottom = inner_minimum(SUBJECTS, t)
    inside = bottom > 0
    top = torch.where(inside, inner_maximum(SUBJECTS, t, torch.where(inside, bottom, 1e-6)), math.nan)
    low_loss, high_loss = _loss(bottom, t), _loss(top, t)
    end_loss = _loss(torch.zeros_like(t), t)
    lowest, below = low_loss < end_loss, low_loss < math.log(2)  # NaN is not less
    known = thresholds()
    return {
        "low_x": torch.stack([bottom, 0.5 - bottom]),
        "low_loss": torch.stack([low_loss, low_loss]),
        "high_x": torch.stack([top, 0.5 - top]),
        "high_loss": torch.stack([high_loss, high_loss]),
        "saddle_x": quarter,
        "saddle_loss": _loss(quarter, t),
        "predicted_a": bottom,
        "predicted_loss": low_loss,
        "lowest_loss": torch.where(lowest, low_loss, end_loss),
        "end_loss": end_loss,
        "predicted_p": torch.exp(-low_loss),
        "predicted_error": -torch.expm1(-low_loss),
        "barrier": high_loss - low_loss,
        "exists": inside,
        "lowest": lowest,
        "below": below,
        "range": 3 - inside.to(torch.float64) - lowest.to(torch.float64) - below.to(torch.float64),
        "as_foretold": (inside == (t < known.exists))
        & (lowest == (t < known.lowest))
        & (below == (t < known.below_log_2)),
    }
