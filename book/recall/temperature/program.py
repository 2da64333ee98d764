"""Three subjects at every temperature: the slice's turning points, and stage 2 at ten temperatures at once.

Stage 1 is taken to its limit, t₁ = ∞: attention (¼, ¼, ¼, ¼, 0, 0), from where the restriction to four scores is
exact. The second decoding step has its own scores and does not touch these.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recall.common import SLICE_X
from lib.program import Program, Stage, record
from lib.recall.algorithm import DOMAINS, Exits, at_saddle, descend, perturbation
from lib.recall.escape import free_loss
from lib.recall.landscape import ESCAPE_DIRECTION, inner_maximum, inner_minimum, slice_loss

SUBJECTS = 3

COLDEST, HOTTEST = 0.002, 0.14
"""The temperatures that the page offers."""

NEAR = (0.083, 0.093)
"""Temperatures around the thresholds."""

FLOOR = 1e-5
"""The least 1 − p(r*) that is drawn."""

EXPANSION = 0.018
"""Up to where the law for a(T) is claimed: warmer, the terms e^{−1/(9T)} that it leaves out outgrow T³."""

TEMPERATURES = (0.01, 0.02, 0.03, 0.045, 0.06, 0.07, 0.08, 0.087, 0.11)
"""Those at which runs stand beside the one that is asked for."""

LIMIT, SLOPE, BEND = 1 / 6, -math.log(2) / 2, -9 / 2 * math.log(2) + 3 / 4 * math.log(2) ** 2
"""a(T) = LIMIT + SLOPE T + BEND T² + O(T³) at the slice's inner minimum."""

GAP, RIVALS = 1 / 18, 1.5 * 2 ** (1 / 3)
"""There 1 − p(r*) → RIVALS e^{−GAP/T} as T → 0."""

_CHANGES: dict[str, dict[str, Any]] = {
    "temperature": {
        "low": COLDEST,
        "high": HOTTEST,
        "low_open": False,
        "scale": "linear",
        "track": (COLDEST, HOTTEST, 0.0002),
    },
    "rate_2": {"words": "learning rate (c₂ = η₂/T²)"},
    "steps": {"default": 600, "words": "steps, at most", "track": (0, 2000, 20)},
    "perturbation_radius": {},
    "seed": {},
}
"""The parameters of stage 2 in the page's order, and in what they differ from Algorithm 1's."""

_ALGORITHM_1 = {domain.name: domain for domain in DOMAINS}
COOLING_DOMAINS = tuple(_ALGORITHM_1[name]._replace(**changes) for name, changes in _CHANGES.items())
Cooling = record("Cooling", [domain.name for domain in COOLING_DOMAINS])


class CoolingWatch(NamedTuple):
    """The way of the run at the chosen temperature."""

    position: Tensor  # (1,) x = (v₁ + v₂)/2
    loss: Tensor  # (1,) L₁


class Cooled(NamedTuple):
    """The result of stage 2 at each temperature, beside the turning points of the slice.

    R − 1 runs are at TEMPERATURES, the other one at the chosen temperature.
    """

    slice_loss: Tensor  # (101,) L₁ at SLICE_X
    low_x: Tensor  # (2,) the inner minimum and its mirror image; NaN if there is none
    low_loss: Tensor  # (2,)
    high_x: Tensor  # (2,) the maximum between them and the ends; NaN likewise
    high_loss: Tensor  # (2,)
    saddle_loss: Tensor
    settled: Tensor  # (R − 1,) the lesser pair's attention in the other runs; NaN if still moving
    unsettled: Tensor  # (R − 1,) the same for those still moving
    runs_error: Tensor  # (R − 1,) 1 − p(r*) at their end; NaN below FLOOR
    near_loss: Tensor  # L₁ of the chosen run; NaN unless its temperature is within NEAR
    shown_error: Tensor  # its 1 − p(r*); NaN below FLOOR
    predicted_a: Tensor  # NaN without an inner minimum
    foretold_a: Tensor  # the law's
    measured_a: Tensor
    predicted_loss: Tensor  # NaN without an inner minimum
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
    range: (
        Tensor  # how many properties the inner minimum has lost, 0 … 3: to exist, be lowest, lie below log 2
    )
    overlap: Tensor  # ⟨ξ, ε̃⟩
    rise: Tensor  # the largest rise of L₁ over one step
    finished: Tensor  # the run has come to rest


def cooling() -> Program:
    """Stage 2 of Algorithm 1 for three subjects, at the chosen temperature and at nine others."""
    others = torch.tensor(TEMPERATURES, dtype=torch.float64)

    def temperatures(p: Any) -> Tensor:
        return torch.cat([p.temperature.reshape(1), others])[:, None]  # (R, 1)

    def start(p: Any) -> Exits:
        theta = _perturbation(p) + torch.zeros(len(TEMPERATURES) + 1, 4, dtype=torch.float64)
        return at_saddle(theta, temperatures(p))

    def step(s: Exits, p: Any) -> tuple[Exits, Tensor]:
        state = descend(s, p.rate_2, temperatures(p))
        return state, state.moving.sum() == 0

    def watch(s: Exits, p: Any) -> CoolingWatch:
        v = torch.softmax(s.theta[0], 0)
        return CoolingWatch(((v[0] + v[1]) / 2).reshape(1), s.loss.reshape(1))

    def report(ends: tuple[Exits, ...], p: Any) -> Cooled:
        return _report(ends[0], free_loss(ends[0].theta, temperatures(p)), p)

    stage = Stage("stage 2", lambda s, p: s, step, "steps")
    return Program(Cooling, COOLING_DOMAINS, start, (stage,), watch, report)


def expansion(temperature: Tensor) -> Tensor:
    """The law for a(T), to second order in T."""
    return LIMIT + SLOPE * temperature + BEND * temperature**2


def error_law(temperature: Tensor) -> Tensor:
    """The law for 1 − p(r*) at the inner minimum, as T → 0."""
    return RIVALS * torch.exp(-GAP / temperature)


def drawn_error(error: Tensor) -> Tensor:
    """The error where a logarithmic axis that ends at ``FLOOR`` can show it, NaN elsewhere."""
    return torch.where(error >= FLOOR, error, math.nan)


def _perturbation(p: Any) -> Tensor:
    """The part of ξ that moves θ₁ … θ₄; (4,)."""
    return perturbation(p.seed, p.perturbation_radius)[:4]


def _report(end: Exits, loss: Tensor, p: Any) -> Cooled:
    """Args: ``loss`` (R,) is L₁ of each run at its end."""
    t = p.temperature
    v = torch.softmax(end.theta, 1)
    lesser = torch.minimum(v[:, 0] + v[:, 1], v[:, 2] + v[:, 3]) / 2  # (R,)
    error = -torch.expm1(-loss)
    moving, others, here = end.moving[1:] > 0.5, lesser[1:], v[0]
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    return Cooled(
        slice_loss=slice_loss(SLICE_X, SUBJECTS, t),
        **_turning_points(t),
        settled=torch.where(moving, math.nan, others),
        unsettled=torch.where(moving, others, math.nan),
        runs_error=drawn_error(error[1:]),
        near_loss=torch.where((t >= NEAR[0]) & (t <= NEAR[1]), loss[0], math.nan),
        shown_error=drawn_error(error[0]),
        foretold_a=expansion(t),
        measured_a=lesser[0],
        measured_loss=loss[0],
        measured_p=1 - error[0],
        measured_error=error[0],
        foretold_error=error_law(t),
        mismatch=torch.maximum((here[0] - here[1]).abs(), (here[2] - here[3]).abs()),
        overlap=_perturbation(p) @ direction,
        rise=end.rise,
        finished=end.moving[0] < 0.5,
    )


def _turning_points(t: Tensor) -> dict[str, Tensor]:
    """The turning points of the slice at one temperature, and what the theory says there."""
    bottom = inner_minimum(SUBJECTS, t)
    exists = bottom > 0
    top = torch.where(exists, inner_maximum(SUBJECTS, t, torch.where(exists, bottom, 1e-6)), math.nan)
    low_loss, high_loss = slice_loss(bottom, SUBJECTS, t), slice_loss(top, SUBJECTS, t)
    end_loss = slice_loss(torch.zeros_like(t), SUBJECTS, t)
    is_lowest, is_below = low_loss < end_loss, low_loss < math.log(2)  # NaN is not less
    return {
        "low_x": torch.stack([bottom, 0.5 - bottom]),
        "low_loss": torch.stack([low_loss, low_loss]),
        "high_x": torch.stack([top, 0.5 - top]),
        "high_loss": torch.stack([high_loss, high_loss]),
        "saddle_loss": slice_loss(torch.full_like(t, 0.25), SUBJECTS, t),
        "predicted_a": bottom,
        "predicted_loss": low_loss,
        "lowest_loss": torch.where(is_lowest, low_loss, end_loss),
        "end_loss": end_loss,
        "predicted_p": torch.exp(-low_loss),
        "predicted_error": -torch.expm1(-low_loss),
        "barrier": high_loss - low_loss,
        "range": 3 - torch.stack([exists, is_lowest, is_below]).to(torch.float64).sum(),
    }
