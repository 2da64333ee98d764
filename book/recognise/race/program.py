"""Where the three numbers G(μ₁), G(μ₂), G(μ₃) go, and whether they stay in the cone of Lemma 4.3."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recognise.common import conditions, latest, scalar
from lib.program import Program
from lib.recognise import orbit, whole
from lib.recognise.limit import max_margin, pace_of_loss
from lib.recognise.setting import counts, scaled, setting
from lib.recognise.task import HOLDS, SIGNS

WORDS = torch.arange(4, 41, dtype=torch.float64)
"""Lengths for which the border of the cone is drawn."""


class Watch(NamedTuple):
    """What is drawn while the flow runs; NaN where no target's number is positive."""

    time: Tensor  # τ
    along: Tensor  # the larger of G(μ₁), G(μ₂)
    away: Tensor  # −G(μ₃)
    ratio: Tensor  # away over along
    slopes: Tensor  # the same of G′
    pace: Tensor  # (3,) τ G′(μ)


class Race(NamedTuple):
    """What the lemma and the closed form say, and what happened. Moments are τ."""

    wide: Tensor  # the hypotheses of the theorems, see book.recognise.common
    long: Tensor
    many: Tensor
    fit_0: Tensor
    fit_1: Tensor
    shares: Tensor
    unit_layer: Tensor
    trained: Tensor
    enough: Tensor  # n > 3(L + 1)
    infinite: Tensor  # the width is infinite
    clear: Tensor  # every type either supports the separator or exceeds its margin, by a fifth at least
    reached: Tensor  # the run came to its end
    late: Tensor  # at τ = 10⁶ or more
    last: Tensor  # τ at the end
    half: Tensor  # from when −G′(μ₃) exceeds G′(μ₁), G′(μ₂); NaN if it does not at the end
    below: Tensor  # from when it is below their sum
    inside: Tensor  # both hold at the end
    above_targets: Tensor  # the first does
    left: Tensor  # C of the lemma's left inequality at the end; NaN where no target rises
    right: Tensor  # C of the right one
    ratio: Tensor  # −G(μ₃) over the larger of the targets' at the end
    slopes: Tensor  # the same of G′
    limit: Tensor  # of both, at the end of time
    pace: Tensor  # (3,) τ G′(μ) at the end
    goal: Tensor  # (3,) its limit at infinite width
    apart: Tensor  # the largest distance of the two
    loss: Tensor  # τ N/N₀ times the loss, times 1 + ‖a‖²gᵀGg/(N‖g‖²)
    square: Tensor  # its limit, ‖g‖² of the separator
    unseen: Tensor  # the least y F of the four types by the three words alone
    words: Tensor  # (37,)
    border: Tensor  # (37,) 3(L + 1)
    squares: Tensor  # (37,) L²
    floor: Tensor
    ceiling: Tensor
    now_n: Tensor
    now_length: Tensor
    ray_x: Tensor  # (2,) lines of the cone and of the limit
    ray_high: Tensor
    ray_limit: Tensor
    span: Tensor
    low: Tensor
    high: Tensor


def race() -> Program:
    """Gradient flow until 10^``end``, watched as a race."""
    return whole.program(
        _report,
        _watch,
        whole.domains(
            sigma_1={"track": (0.03, 10)},
            end={"default": 8.0, "track": (2, 8, 0.1)},
        ),
    )


def separator(samples: float, length: float) -> dict[str, float]:
    """The limit of −G(μ₃)/G(μ₁), and ‖g‖², for Definition 2.1's shares."""
    goal = max_margin(counts(setting(samples=samples, length=length)), scalar(length))
    return {"ratio": float(-goal.signals[2] / goal.signals[0]), "square": float(goal.square)}


def _over(values: Tensor, most: float) -> Tensor:
    """−third over the larger of the first two; NaN where that is not positive or the quotient leaves ±``most``."""
    along = torch.maximum(values[0], values[1])
    quotient = -values[2] / torch.where(along > 0, along, torch.nan)
    return torch.where(quotient.abs() <= most, quotient, torch.nan)


def _watch(state: whole.State, p: Any) -> Watch:
    g, rise = state.going.state[228:231], state.going.slopes[0, 228:231]
    time = state.going.time
    return Watch(time, torch.maximum(g[0], g[1]), -g[2], _over(g, 4.0), _over(rise, 4.0), time * rise)


def _report(state: whole.State, p: Any) -> Race:
    sizes, _ = scaled(whole.settings(p), p.learned)
    here = orbit.unpack(state.going.state)
    goal = max_margin(sizes.counts, sizes.length)
    support = goal.multipliers / goal.multipliers.amax()
    limit = -goal.signals[2] / torch.maximum(goal.signals[0], goal.signals[1])
    seen = _watch(state, p)
    rise = state.going.slopes[0, 228:231]
    most, sum_ = torch.maximum(rise[0], rise[1]), rise[0] + rise[1]
    number = torch.float64
    reach = torch.clamp(seen.along, min=1.0)
    ends = torch.stack([torch.zeros_like(reach), reach])
    one = torch.ones(2, dtype=number)
    return Race(
        **conditions(p),
        enough=(p.samples > 3 * (p.length + 1)).to(number),
        infinite=(p.width > 1e20).to(number),
        clear=(torch.maximum(support, goal.margins - 1).amin() > 0.2).to(number),
        reached=(seen.time >= 10**p.end).to(number),
        late=(seen.time >= 1e6).to(number),
        last=seen.time,
        half=state.since[0],
        below=state.since[2],
        inside=((state.gaps[0] > 0) & (state.gaps[2] > 0)).to(number),
        above_targets=(state.gaps[0] > 0).to(number),
        left=-rise[2] / torch.where(most > 0, most, torch.nan) - 1,
        right=1 + rise[2] / torch.where(sum_ > 0, sum_, torch.nan),
        ratio=seen.ratio,
        slopes=seen.slopes,
        limit=limit,
        pace=seen.pace,
        goal=goal.signals,
        apart=(seen.pace - goal.signals).abs().amax(),
        loss=seen.time * orbit.loss(here, sizes) * pace_of_loss(here, sizes),
        square=goal.square,
        unseen=(SIGNS * (HOLDS @ here.blocks.output[:3])).amin(),
        words=WORDS,
        border=3 * (WORDS + 1),
        squares=WORDS**2,
        floor=torch.full_like(WORDS, 6.0),
        ceiling=torch.full_like(WORDS, 1e6),
        now_n=p.samples,
        now_length=p.length,
        ray_x=ends,
        ray_high=2 * ends,
        ray_limit=limit * ends,
        span=torch.tensor([1e-1, 1e8], dtype=number),
        low=one,
        high=2 * one,
    )


def moment(r: Race) -> Tensor:
    """T₀.₅: from when both of the lemma's inequalities hold until the run's end; infinite if never."""
    return latest(torch.stack([r.half, r.below]))
