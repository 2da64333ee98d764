"""A whole gradient flow on the orbit engine, in τ = N₀ t, with the moments that the theorems speak of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain
from lib.integrate import Adaptive, adaptive_start, adaptive_step
from lib.program import Program, Stage
from lib.recognise import orbit, setting
from lib.recognise.draw import dimensions, drawn
from lib.recognise.setting import Setting, scaled
from lib.recognise.task import SIGNS

TOLERANCE = 1e-6
_SWITCH: dict[str, Any] = {"low": 0, "high": 1, "integer": True, "default": 1, "scale": "switch"}

DOMAINS = (
    *setting.DOMAINS,
    Domain("random", **_SWITCH, words="random start (off: its mean)"),
    Domain("seed", low=0, high=10**5, integer=True, default=0, words="seed", scale="whole", track=(0, 99)),
    Domain("learned", **_SWITCH, words="attention learns"),
    Domain("end", low=-3, high=12, default=5.0, words="end of the run,", symbol="log₁₀ τ", track=(3, 6, 0.1)),
    Domain("evaluations", low=7, high=10**6, integer=True, default=4000),
)
"""A setting, and how to run it: ``random`` 0 starts at the mean, ``learned`` 0 freezes W_K and W_Q, ``end`` is log₁₀ of
the last τ, and ``evaluations`` how often the right-hand side is computed, at most."""


class Parameters(NamedTuple):
    """The numbers that :data:`DOMAINS` describes, each 0-d; a setting's come first."""

    samples: Tensor
    positive: Tensor
    single: Tensor
    first: Tensor
    length: Tensor
    width: Tensor
    neurons: Tensor
    layer: Tensor
    sigma_0: Tensor
    sigma_1: Tensor
    random: Tensor
    seed: Tensor
    learned: Tensor
    end: Tensor
    evaluations: Tensor


def domains(**changes: dict[str, Any]) -> tuple[Domain, ...]:
    """``DOMAINS`` for one program: ``domains(end={"default": 4.0, "track": (0, 8, 0.1)})``."""
    return tuple(domain._replace(**changes.get(domain.name, {})) for domain in DOMAINS)


GAPS = (
    "−G′(μ₃) > G′(μ₁), G′(μ₂)",
    "all samples right",
    "−G′(μ₃) < G′(μ₁) + G′(μ₂)",
    "signs of item 4",
    "score μ₂ ← μ₁ rises",
    "score μ₁ ← μ₂ rises",
    "score μ₃ ← μ₁ falls",
    "score μ₃ ← μ₂ falls",
    "v(μ₁)·v(μ₂) rises",
    "v(μ₁)·v(μ₃) falls",
    "v(μ₂)·v(μ₃) falls",
    "G(μ₁) rises",
    "G(μ₂) rises",
    "G(μ₃) falls",
)
"""What the theorems say of Phase 2, each as a number that has to be positive: Lemma 4.3 (0, 2), Theorem 3.1's second
item (1), Theorem 3.2's fourth (3: the three words add up to more than 0, μ₃ and one target to less), first (4 to 7) and
second (8 to 10), and the signs behind its third (11 to 13)."""


class State(NamedTuple):
    """A run under way: the integration, the gaps of the last accepted state, since when each is positive (NaN: it is
    not), both (14,), and the scores S of the signals at the start, (9,)."""

    going: Adaptive
    gaps: Tensor
    since: Tensor
    first: Tensor


class Reading(NamedTuple):
    """What a figure draws of an accepted state.

    Attributes:
        time: τ, 0-d. ``output``: G on μ₁, μ₂, μ₃ (3,). ``losses``: of each type, (4,). ``loss``: their mean, 0-d.
        grown: S − S(0) of the signals over κ/(√m L N₀), the unit of Theorem 3.3, (9,), rows keys.
    """

    time: Tensor
    output: Tensor
    losses: Tensor
    loss: Tensor
    grown: Tensor


def settings(p: Parameters) -> Setting:
    """The first fields."""
    return Setting(*p[: len(Setting._fields)])


def begin(p: Parameters) -> orbit.Orbit:
    """The start, in the scaled units of :func:`lib.recognise.setting.scaled`."""
    chosen = settings(p)
    sizes, kappa = scaled(chosen, p.learned)
    one = torch.ones_like(kappa)
    mean = orbit.start(kappa, one)
    draw = drawn(p.seed, p.width, kappa, one, dimensions(sizes.counts, sizes.length))
    return orbit.unpack(torch.where(p.random > 0.5, orbit.pack(draw), orbit.pack(mean)))


def gaps(state: orbit.Orbit, slopes: Tensor, sizes: orbit.Sizes) -> Tensor:
    """What has to be positive, in the order of ``GAPS``; (14,). ``slopes``: the packed right-hand side, (236,)."""
    margins = SIGNS * orbit.outputs(state, sizes)
    g = state.blocks.output
    rise = slopes[228:231]  # dG/dτ on μ₁, μ₂, μ₃
    inequality = [-rise[2] - torch.maximum(rise[0], rise[1]), margins.amin(), rise.sum()]
    signs = torch.minimum(g[:3].sum(), -torch.maximum(g[0], g[1]) - g[2])
    scores = [slopes[7], slopes[1], -slopes[14], -slopes[15]]  # S [key, query] is the first 7 × 7
    values = [slopes[148], -slopes[149], -slopes[156]]  # of the fourth, from 147 on
    return torch.stack([*inequality, signs, *scores, *values, rise[0], rise[1], -rise[2]])


def slope(sizes: orbit.Sizes) -> Callable[[Tensor], Tensor]:
    """The right-hand side of gradient flow, packed."""
    return lambda vector: orbit.pack(orbit.flow(orbit.unpack(vector), sizes))


def start(p: Parameters) -> State:
    """Before the first evaluation: no gap is positive yet."""
    begun = begin(p)
    size = torch.full_like(p.end, 1e-4)
    from_0 = torch.zeros(len(GAPS), dtype=torch.float64)
    return State(
        adaptive_start(orbit.pack(begun), size), from_0 + 1, from_0, begun.blocks.score[:3, :3].reshape(-1)
    )


def advance(state: State, p: Parameters, end: Tensor) -> tuple[State, Tensor]:
    """One evaluation on the way to τ = ``end``; gaps are followed between accepted states, crossings interpolated."""
    sizes, _ = scaled(settings(p), p.learned)
    going, done = adaptive_step(slope(sizes), state.going, end, TOLERANCE, TOLERANCE)
    accepted = going.time > state.going.time
    now = gaps(orbit.unpack(going.state), going.slopes[0], sizes)
    share = state.gaps / torch.where(state.gaps == now, -1, state.gaps - now)
    crossing = state.going.time + torch.clamp(share, 0, 1) * (going.time - state.going.time)
    since = torch.where(now <= 0, torch.nan, torch.where(state.gaps <= 0, crossing, state.since))
    kept = torch.where(accepted, now, state.gaps), torch.where(accepted, since, state.since)
    return State(going, *kept, state.first), done


def read(state: State, p: Parameters) -> Reading:
    """See :class:`Reading`."""
    sizes, _ = scaled(settings(p), p.learned)
    here = orbit.unpack(state.going.state)
    return Reading(
        time=state.going.time,
        output=here.blocks.output[:3],
        losses=orbit.losses(here, sizes),
        loss=orbit.loss(here, sizes),
        grown=grown(state, p),
    )


def grown(state: State, p: Parameters) -> Tensor:
    """S − S(0) of the signals over κ/(√m L N₀), (9,)."""
    unit = scaled(settings(p), p.learned)[1] / torch.sqrt(p.width)
    unit = torch.where(unit > 0, unit, 1)
    score = orbit.unpack(state.going.state).blocks.score[:3, :3].reshape(-1)
    return (score / unit - state.first / unit) * p.length * setting.pace(settings(p))


def program(
    report: Callable[[State, Parameters], Any],
    watch: Callable[[State, Parameters], Any] = read,
    offered: tuple[Domain, ...] = DOMAINS,
) -> Program:
    """Gradient flow until τ = 10^``end``; ``report(last state, parameters)`` is what a figure tells at the end."""
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
