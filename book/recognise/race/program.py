"""Where the three numbers G(μ₁), G(μ₂), G(μ₃) go, and whether they stay in the cone of Lemma 4.3."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recognise.common import latest_moment, scalar
from lib.program import Program, Stage
from lib.recognise import gradient_flow, orbit
from lib.recognise.gradient_flow import COMMON_FASTER, COMMON_SLOWER
from lib.recognise.separator import loss_pace, max_margin
from lib.recognise.setting import counts, scaled, setting
from lib.recognise.task import HOLDS, SIGNS

ROOM = 0.05
"""The C with which Lemma 4.3's inequality is followed; ours."""


class State(NamedTuple):
    """A run under way."""

    flow: gradient_flow.State
    since: Tensor  # τ of the first accepted state since which the inequality holds with C = ROOM; NaN where it does not


class Watch(NamedTuple):
    """What is drawn while the flow runs; NaN where no target's number is positive."""

    time: Tensor  # τ
    along: Tensor  # the larger of G(μ₁), G(μ₂)
    away: Tensor  # −G(μ₃)
    ratio: Tensor  # away over along
    slopes: Tensor  # the same of G′
    pace: Tensor  # (3,) τ G′(μ)


class Race(NamedTuple):
    """What the lemma and the closed form say, and what happened; each 0-d unless stated. Moments are τ."""

    last: Tensor  # τ at the end
    half: Tensor  # from when −G′(μ₃) exceeds G′(μ₁), G′(μ₂); NaN if it does not at the end
    below: Tensor  # from when it is below their sum; NaN likewise
    roomy: Tensor  # from when both sides hold with C = ROOM; NaN likewise
    faster: Tensor  # −G′(μ₃) less the larger of G′(μ₁), G′(μ₂), at the end
    slower: Tensor  # G′(μ₁) + G′(μ₂) + G′(μ₃), at the end
    along: Tensor  # the larger of G(μ₁), G(μ₂) at the end
    brink: Tensor  # by how much each type supports the separator (λ over the largest), or exceeds its margin; least
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


def race() -> Program:
    """Gradient flow until 10^``end``, watched as a race."""
    return Program(
        parameters=gradient_flow.Parameters,
        domains=gradient_flow.domains(
            sigma_1={"track": (0.03, 10)},
            end={"default": 8.0, "track": (2, 8, 0.1)},
        ),
        start=lambda p: State(gradient_flow.start(p), torch.full_like(p.end, torch.nan)),
        stages=(Stage("gradient flow", lambda s, p: s, _step, "evaluations"),),
        watch=lambda s, p: _watch(s.flow, p),
        report=lambda ends, p: _report(ends[0], p),
    )


def _step(s: State, p: Any) -> tuple[State, Tensor]:
    flow, done = gradient_flow.advance(s.flow, p, 10**p.end)
    rise = flow.slope.blocks.output[:3]
    left = -rise[2] - (1 + ROOM) * torch.maximum(rise[0], rise[1])
    right = rise[2] + (1 - ROOM) * (rise[0] + rise[1])
    holding = torch.where(torch.isnan(s.since), flow.time, s.since)
    since = torch.where(torch.minimum(left, right) >= 0, holding, torch.nan)
    return State(flow, torch.where(flow.time > s.flow.time, since, s.since)), done


def separator(samples: float, length: float) -> dict[str, float]:
    """The limit of −G(μ₃)/G(μ₁), and ‖g‖², for Definition 2.1's shares."""
    goal = max_margin(counts(setting(samples=samples, length=length)), scalar(length))
    return {"ratio": float(-goal.signals[2] / goal.signals[0]), "square": float(goal.square)}


def _over(values: Tensor, most: float) -> Tensor:
    """−third over the larger of the first two; NaN where that is not positive or the quotient leaves ±``most``."""
    along = torch.maximum(values[0], values[1])
    quotient = -values[2] / torch.where(along > 0, along, torch.nan)
    return torch.where(quotient.abs() <= most, quotient, torch.nan)


def _watch(state: gradient_flow.State, p: Any) -> Watch:
    g, rise = state.orbit.blocks.output[:3], state.slope.blocks.output[:3]
    return Watch(
        time=state.time,
        along=torch.maximum(g[0], g[1]),
        away=-g[2],
        ratio=_over(g, 4.0),
        slopes=_over(rise, 4.0),
        pace=state.time * rise,
    )


def _report(end: State, p: Any) -> Race:
    state = end.flow
    sizes, _ = scaled(p, p.learned)
    here = state.orbit
    goal = max_margin(sizes.counts, sizes.length)
    support = goal.multipliers / goal.multipliers.amax()
    seen = _watch(state, p)
    rise = state.slope.blocks.output[:3]
    quicker, both = torch.maximum(rise[0], rise[1]), rise[0] + rise[1]
    return Race(
        last=seen.time,
        half=state.since[COMMON_FASTER],
        below=state.since[COMMON_SLOWER],
        roomy=end.since,
        faster=state.gaps[COMMON_FASTER],
        slower=state.gaps[COMMON_SLOWER],
        along=seen.along,
        brink=torch.maximum(support, goal.margins - 1).amin(),
        left=-rise[2] / torch.where(quicker > 0, quicker, torch.nan) - 1,
        right=1 + rise[2] / torch.where(both > 0, both, torch.nan),
        ratio=seen.ratio,
        slopes=seen.slopes,
        limit=-goal.signals[2] / torch.maximum(goal.signals[0], goal.signals[1]),
        pace=seen.pace,
        goal=goal.signals,
        apart=(seen.pace - goal.signals).abs().amax(),
        loss=seen.time * orbit.loss(here, sizes) * loss_pace(here, sizes),
        square=goal.square,
        unseen=(SIGNS * (HOLDS @ here.blocks.output[:3])).amin(),
    )


def ratio_lasts(r: Any, p: Any) -> Tensor:
    """Whether n > 3(L + 1), so that the separator lies in the cone of Lemma 4.3."""
    return torch.as_tensor(p.samples > 3 * (p.length + 1))


def comes_above_targets(r: Race, p: Any) -> Tensor:
    """Whether −G′(μ₃) exceeds G′(μ₁) and G′(μ₂) at the end."""
    return r.faster > 0


def ends_inside(r: Race, p: Any) -> Tensor:
    """Whether both inequalities of Lemma 4.3 hold at the end."""
    return (r.faster > 0) & (r.slower > 0)


def moment(r: Race) -> Tensor:
    """From when both of the lemma's inequalities hold with C = 0 until the run's end; infinite if never."""
    return latest_moment(torch.stack([r.half, r.below]))


def moment_with_room(r: Race) -> Tensor:
    """T₀.₅: from when both hold with C = ROOM until the run's end; infinite if never."""
    return latest_moment(r.roomy)
