"""A whole gradient flow on the orbit engine, in τ = N₀ t, with the moments from which inequalities hold for good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain
from lib.integrate import Adaptive, adaptive_start, adaptive_step
from lib.program import Program, Stage, record
from lib.recognise import orbit, setting
from lib.recognise.orbit import Orbit, Sizes, unpack
from lib.recognise.random_start import dimensions, random_start
from lib.recognise.setting import pace, scaled
from lib.recognise.task import SIGNS

TOLERANCE = 1e-6
"""Relative and absolute, on the error of one step of the integration."""
_SWITCH: dict[str, Any] = {"low": 0, "high": 1, "integer": True, "default": 1, "scale": "switch"}

DOMAINS = (
    *setting.DOMAINS,
    Domain("random", **_SWITCH, words="random start (off: its mean)"),
    Domain("seed", low=0, high=10**5, integer=True, default=0, words="seed", scale="whole", track=(0, 99)),
    Domain("learned", **_SWITCH, words="attention learns"),
    Domain(
        "end", low=-3, high=12, default=5.0, words="length of the run,", symbol="log₁₀ τ", track=(3, 6, 0.1)
    ),
    Domain("evaluations", low=7, high=10**6, integer=True, default=4000),
)
"""A setting, and how to run it: ``random`` 0 starts at the mean, ``learned`` 0 freezes W_K and W_Q, ``end`` is log₁₀ of
the last τ, and ``evaluations`` is the largest number of evaluations of the right-hand side."""
Parameters = record("Parameters", [domain.name for domain in DOMAINS])
"""The numbers that :data:`DOMAINS` describes, each 0-d."""


def domains(**changes: dict[str, Any]) -> tuple[Domain, ...]:
    """:data:`DOMAINS` for one program: ``domains(end={"default": 4.0, "track": (0, 8, 0.1)})``."""
    return tuple(domain._replace(**changes.get(domain.name, {})) for domain in DOMAINS)


GAPS = 14
"""How many inequalities are followed, each as a gap, a number that is positive where it holds. Their places:"""
COMMON_FASTER = 0
"""−G′(μ₃) > G′(μ₁), G′(μ₂)."""
CORRECT = 1
"""All samples are right: the least y F is positive."""
COMMON_SLOWER = 2
"""−G′(μ₃) < G′(μ₁) + G′(μ₂)."""
SUM_SIGNS = 3
"""G(μ₁) + G(μ₂) + G(μ₃) > 0, and G(μ₁) + G(μ₃) < 0, and G(μ₂) + G(μ₃) < 0."""
SCORES = slice(4, 8)
"""S[μ₂, μ₁] and S[μ₁, μ₂] rise, S[μ₃, μ₁] and S[μ₃, μ₂] fall; the key comes first."""
VALUES = slice(8, 11)
"""v(μ₁)·v(μ₂) rises, v(μ₁)·v(μ₃) and v(μ₂)·v(μ₃) fall. The last three gaps: G(μ₁) and G(μ₂) rise, G(μ₃) falls."""


class State(NamedTuple):
    """A run under way.

    Attributes:
        integration: of the packed orbit over τ.
        gaps: those of the last accepted state, (14,).
        since: the τ since when each gap is positive, (14,); NaN where it is not.
        first_scores: S of the signals at the start, (9,).
    """

    integration: Adaptive
    gaps: Tensor
    since: Tensor
    first_scores: Tensor

    @property
    def time(self) -> Tensor:
        """τ of the last accepted state, 0-d."""
        return self.integration.time

    @property
    def orbit(self) -> Orbit:
        """The last accepted state."""
        return unpack(self.integration.state)

    @property
    def slope(self) -> Orbit:
        """Its derivative with respect to τ."""
        return unpack(self.integration.slopes[0])


class Reading(NamedTuple):
    """What a figure draws of an accepted state."""

    time: Tensor  # 0-d, τ
    output: Tensor  # (3,) G on μ₁, μ₂, μ₃
    losses: Tensor  # (4,) of a sample of each type
    loss: Tensor  # 0-d, the mean over all samples
    grown: Tensor  # (9,) S − S(0) of the signals over κ/(√m L N₀), the unit of Theorem 3.3; rows are keys


def initial_orbit(p: Any) -> Orbit:
    """The start, in the scaled units of :func:`lib.recognise.setting.scaled`: random, or its mean."""
    sizes, kappa = scaled(p, p.learned)
    one = torch.ones_like(kappa)
    mean = orbit.start(kappa, one)
    drawn = random_start(p.seed, p.width, kappa, one, dimensions(sizes.counts, sizes.length))
    return unpack(torch.where(p.random > 0.5, orbit.pack(drawn), orbit.pack(mean)))


def gaps(state: Orbit, slope: Orbit, sizes: Sizes) -> Tensor:
    """How far each inequality is from failing, by the state and its derivative; (14,), see :data:`GAPS`."""
    margins = SIGNS * orbit.outputs(state, sizes)
    g, rise = state.blocks.output, slope.blocks.output[:3]
    score, value = slope.blocks.score, slope.blocks.value
    return torch.stack(
        [
            -rise[2] - torch.maximum(rise[0], rise[1]),
            margins.amin(),
            rise.sum(),
            torch.minimum(g[:3].sum(), -torch.maximum(g[0], g[1]) - g[2]),
            *(score[1, 0], score[0, 1], -score[2, 0], -score[2, 1]),
            *(value[0, 1], -value[0, 2], -value[1, 2]),
            *(rise[0], rise[1], -rise[2]),
        ]
    )


def right_hand_side(sizes: Sizes) -> Callable[[Tensor], Tensor]:
    """The derivative of the packed state with respect to τ: (236,) → (236,)."""
    return lambda vector: orbit.pack(orbit.flow(unpack(vector), sizes))


def start(p: Any) -> State:
    """The state before the first evaluation: no gap is positive yet."""
    begun = initial_orbit(p)
    first_step = torch.full_like(p.end, 1e-4)
    never = torch.zeros(GAPS, dtype=torch.float64)
    first_scores = begun.blocks.score[:3, :3].reshape(-1)
    return State(adaptive_start(orbit.pack(begun), first_step), never + 1, never, first_scores)


def advance(state: State, p: Any, end: Tensor) -> tuple[State, Tensor]:
    """One evaluation on the way to τ = ``end``, 0-d: the new state, and whether the run has come there.

    Gaps are followed between accepted states; the moments at which they change sign are interpolated.
    """
    sizes, _ = scaled(p, p.learned)
    integration, done = adaptive_step(right_hand_side(sizes), state.integration, end, TOLERANCE, TOLERANCE)
    moved = state._replace(integration=integration)
    accepted = moved.time > state.time
    now = gaps(moved.orbit, moved.slope, sizes)
    share = state.gaps / torch.where(state.gaps == now, -1, state.gaps - now)
    crossing = state.time + torch.clamp(share, 0, 1) * (moved.time - state.time)
    since = torch.where(now <= 0, torch.nan, torch.where(state.gaps <= 0, crossing, state.since))
    moved = moved._replace(
        gaps=torch.where(accepted, now, state.gaps), since=torch.where(accepted, since, state.since)
    )
    return moved, done


def has_reached(time: Tensor, end: Tensor) -> Tensor:
    """Whether ``time`` is ``end`` or later; a power of ten is rounded otherwise in a batch than alone."""
    return time >= (1 - 1e-12) * end


def read(state: State, p: Any) -> Reading:
    """What a figure draws of the last accepted state."""
    sizes, _ = scaled(p, p.learned)
    here = state.orbit
    return Reading(
        time=state.time,
        output=here.blocks.output[:3],
        losses=orbit.losses(here, sizes),
        loss=orbit.loss(here, sizes),
        grown=score_growth(state, p),
    )


def score_growth(state: State, p: Any) -> Tensor:
    """S − S(0) of the signals over κ/(√m L N₀), (9,): rows are keys."""
    unit = scaled(p, p.learned)[1] / torch.sqrt(p.width)
    unit = torch.where(unit > 0, unit, 1)
    score = state.orbit.blocks.score[:3, :3].reshape(-1)
    return (score / unit - state.first_scores / unit) * p.length * pace(p)


def program(
    report: Callable[[State, Any], Any],
    watch: Callable[[State, Any], Any] = read,
    offered: tuple[Domain, ...] = DOMAINS,
) -> Program:
    """Gradient flow until τ = 10^``end``.

    Args:
        report: what the program reports, by the last state and the parameters.
        watch: what it watches, likewise.
        offered: :data:`DOMAINS`, or the same with other defaults and tracks.
    """
    return Program(
        parameters=Parameters,
        domains=offered,
        start=start,
        stages=(
            Stage("gradient flow", lambda s, p: s, lambda s, p: advance(s, p, 10**p.end), "evaluations"),
        ),
        watch=watch,
        report=lambda ends, p: report(ends[0], p),
    )
