"""Four class gradients on their way to the separator's multipliers, and what is largest of their ratios in Phase 2."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recognise.common import END_OF_PHASE_1, latest_moment
from lib.program import Program, Stage
from lib.recognise import gradient_flow, orbit
from lib.recognise.gradient_flow import COMMON_FASTER, COMMON_SLOWER
from lib.recognise.orbit import Orbit, Sizes
from lib.recognise.separator import loss_pace, max_margin
from lib.recognise.setting import scaled
from lib.recognise.task import SIGNS

MOST = 60.0
"""Ratios beyond this are not drawn."""


class State(NamedTuple):
    """A run under way, and what is followed of it from T₁ on."""

    flow: gradient_flow.State
    worst: Tensor  # (4,) the largest of each ratio in size, infinite where one has not existed
    time: Tensor  # τ at the first state of Phase 2, NaN before
    loss: Tensor  # the loss there
    size: Tensor  # N/N₀ there
    slowest: Tensor  # the least c in loss = 1/(c N₀ (t − T₁) + 1/loss(T₁))
    fastest: Tensor  # the largest
    constants: Tensor  # (2,) the least C of either side of Lemma 4.3's inequality since T₁
    uneven: Tensor  # the largest of G′(μ₁)/G′(μ₂) and its inverse since then
    rising: Tensor  # the least slope of N/N₀ since then


class Watch(NamedTuple):
    """What is drawn while the flow runs."""

    time: Tensor  # τ
    shares: Tensor  # (4,) the class gradients Σ g_i over their total
    ratios: Tensor  # (4,) of Lemma 4.4 and Lemma 4.5; NaN beyond MOST
    rates: Tensor  # (2,) τ times the loss; the same times N/N₀ and 1 + ‖a‖²gᵀGg/(N‖g‖²)


class Balancing(NamedTuple):
    """What the lemmas say, and what happened; each 0-d unless stated.

    Ratios are in the order of :func:`ratios`, and NaN beyond MOST.
    """

    time: Tensor  # τ at the end
    pulls: Tensor  # (4,) shares of the class gradients at the end
    goal: Tensor  # (4,) in the limit
    ratios: Tensor  # (4,) at the end
    limits: Tensor  # (4,) in the limit
    worst_pair: Tensor  # the largest of each ratio in Phase 2, the first one in size
    worst_first: Tensor
    worst_second: Tensor
    worst_third: Tensor
    inside: Tensor  # τ from which Lemma 4.3's inequality holds; infinite if it does not at the end
    rate: Tensor  # τ times loss at the end, corrected for N and G
    square: Tensor  # its limit, ‖g‖² of the separator
    loss: Tensor
    margins: Tensor  # (4,) y F by type at the end
    size: Tensor  # N/N₀ at the end
    growth: Tensor  # (N − N(T₁))/N₀ over (‖a‖²/N₀²)‖g‖² log² τ
    left: Tensor  # the least C of the left side of that inequality in Phase 2
    right: Tensor  # and of the right one
    uneven: Tensor  # the largest in Phase 2 of the larger of G′(μ₁), G′(μ₂) over the smaller
    rising: Tensor  # the least slope of N/N₀ in Phase 2
    slowest: Tensor  # the least c of Theorem F.8 in Phase 2
    fastest: Tensor  # the largest
    drift: Tensor  # log(fastest/slowest) over log(τ/30): as a power of time, by so much c changes
    pair: Tensor  # the first ratio at the end, in size
    widest: Tensor  # the largest of the other ratios at the end, infinite where a gap is closed
    widest_limit: Tensor  # the same in the limit
    unbalance: Tensor  # the entries of ratios and limits that captions quote
    apart: Tensor  # unbalance in size
    first: Tensor
    first_limit: Tensor
    second: Tensor
    second_limit: Tensor


def ratios(sums: Tensor) -> Tensor:
    """(Σ₂ − Σ₃)/min, Σ/(Σ₂ + Σ₃ + Σ₄ − Σ₁), Σ/(Σ₁ − Σ₂), Σ/(Σ₁ − Σ₃), (4,); infinite for gaps that are not positive.

    Args:
        sums: Σ₁ … Σ₄, the class gradients, (4,).
    """
    total = sums.sum()
    small = torch.minimum(sums[1], sums[2])
    parts = torch.stack([sums[1] - sums[2], total, total, total])
    under = torch.stack([small, sums[1:].sum() - sums[0], sums[0] - sums[1], sums[0] - sums[2]])
    return torch.where(under > 0, parts / torch.where(under > 0, under, 1), torch.inf)


def drawable(values: Tensor) -> Tensor:
    """The values, with NaN for those beyond ``MOST``."""
    return torch.where(values.abs() <= MOST, values, torch.nan)


def balancing() -> Program:
    """Gradient flow until 10^``end``, watched class by class."""
    offered = gradient_flow.domains(
        single={"default": 0.667},  # where its slider can stand
        length={"track": (4, 60)},
        sigma_1={"track": (0.03, 10)},
        end={"default": 6.0, "track": (2, 8, 0.1)},
    )
    return Program(
        parameters=gradient_flow.Parameters,
        domains=offered,
        start=_start,
        stages=(Stage("gradient flow", lambda s, p: s, _step, "evaluations"),),
        watch=lambda s, p: _watch(s.flow, p),
        report=lambda ends, p: _report(ends[0], p),
    )


def _start(p: Any) -> State:
    unknown, infinite = torch.full_like(p.end, torch.nan), torch.full_like(p.end, torch.inf)
    return State(
        flow=gradient_flow.start(p),
        worst=torch.zeros(4, dtype=torch.float64),
        time=unknown,
        loss=unknown,
        size=unknown,
        slowest=infinite,
        fastest=-infinite,
        constants=torch.stack([infinite, infinite]),
        uneven=0 * p.end,
        rising=infinite,
    )


def _sides(slopes: Tensor) -> tuple[Tensor, Tensor]:
    """The C of either side of Lemma 4.3's inequality, (2,), and the larger of both targets' slopes over the smaller.

    Args:
        slopes: G′ of μ₁, μ₂, μ₃, (3,). Where no target rises there is no C: it counts as −∞, and the quotient as ∞.
    """
    quicker, slower = torch.maximum(slopes[0], slopes[1]), torch.minimum(slopes[0], slopes[1])
    both = slopes[0] + slopes[1]
    left = torch.where(quicker > 0, -slopes[2] / torch.where(quicker > 0, quicker, 1) - 1, -torch.inf)
    right = torch.where(both > 0, 1 + slopes[2] / torch.where(both > 0, both, 1), -torch.inf)
    uneven = torch.where(slower > 0, quicker / torch.where(slower > 0, slower, 1), torch.inf)
    return torch.stack([left, right]), uneven


def _step(s: State, p: Any) -> tuple[State, Tensor]:
    flow, done = gradient_flow.advance(s.flow, p, 10**p.end)
    sizes, _ = scaled(p, p.learned)
    here, time = flow.orbit, flow.time
    sums, loss = _sums(here, sizes), orbit.loss(here, sizes)
    late = (time >= END_OF_PHASE_1) & (time > s.flow.time)  # an accepted state of Phase 2
    first = late & torch.isnan(s.time)
    begun = torch.where(first, time, s.time)
    from_loss = torch.where(first, loss, s.loss)
    since = time - begun
    rate = (1 / loss - 1 / from_loss) / torch.where(since > 0, since, 1)
    rated = late & (since > 0)
    constants, uneven = _sides(flow.slope.blocks.output[:3])
    moved = State(
        flow=flow,
        worst=torch.where(late, torch.maximum(s.worst, ratios(sums).abs()), s.worst),
        time=begun,
        loss=from_loss,
        size=torch.where(first, here.blocks.size, s.size),
        slowest=torch.where(rated, torch.minimum(s.slowest, rate), s.slowest),
        fastest=torch.where(rated, torch.maximum(s.fastest, rate), s.fastest),
        constants=torch.where(late, torch.minimum(s.constants, constants), s.constants),
        uneven=torch.where(late, torch.maximum(s.uneven, uneven), s.uneven),
        rising=torch.where(late, torch.minimum(s.rising, flow.slope.blocks.size), s.rising),
    )
    return moved, done


def _sums(state: Orbit, sizes: Sizes) -> Tensor:
    """Σ g_i over the samples of each type, over n, (4,)."""
    return sizes.counts / sizes.counts.sum() * torch.sigmoid(-SIGNS * orbit.outputs(state, sizes))


def _watch(state: gradient_flow.State, p: Any) -> Watch:
    sizes, _ = scaled(p, p.learned)
    here = state.orbit
    sums = _sums(here, sizes)
    rate = state.time * orbit.loss(here, sizes)
    return Watch(
        time=state.time,
        shares=sums / sums.sum(),
        ratios=drawable(ratios(sums)),
        rates=torch.stack([rate, rate * loss_pace(here, sizes)]),
    )


def _report(s: State, p: Any) -> Balancing:
    sizes, _ = scaled(p, p.learned)
    here, time = s.flow.orbit, s.flow.time
    goal = max_margin(sizes.counts, sizes.length)
    seen = _watch(s.flow, p)
    wanted = sizes.counts * goal.multipliers
    at_the_end, in_the_limit = ratios(_sums(here, sizes)), ratios(wanted)
    limits = drawable(in_the_limit)
    return Balancing(
        time=time,
        pulls=seen.shares,
        goal=wanted / wanted.sum(),
        ratios=seen.ratios,
        limits=limits,
        worst_pair=s.worst[0],
        worst_first=s.worst[1],
        worst_second=s.worst[2],
        worst_third=s.worst[3],
        inside=latest_moment(torch.stack([s.flow.since[COMMON_FASTER], s.flow.since[COMMON_SLOWER]])),
        rate=seen.rates[1],
        square=goal.square,
        loss=orbit.loss(here, sizes),
        margins=SIGNS * orbit.outputs(here, sizes),
        size=here.blocks.size,
        growth=(here.blocks.size - s.size) / (sizes.layer * goal.square * torch.log(time) ** 2),
        left=s.constants[0],
        right=s.constants[1],
        uneven=s.uneven,
        rising=s.rising,
        slowest=s.slowest,
        fastest=s.fastest,
        drift=torch.log(s.fastest / s.slowest) / torch.log(torch.clamp(time / END_OF_PHASE_1, min=2)),
        pair=at_the_end[0].abs(),
        widest=at_the_end[1:].amax(),
        widest_limit=in_the_limit[1:].amax(),
        unbalance=seen.ratios[0],
        apart=seen.ratios[0].abs(),
        first=seen.ratios[1],
        first_limit=limits[1],
        second=seen.ratios[2],
        second_limit=limits[2],
    )


def came_to_the_end(r: Balancing, p: Any) -> Tensor:
    """Whether the run came to its end, and this lies in Phase 2."""
    return gradient_flow.has_reached(r.time, 10**p.end) & (r.time > END_OF_PHASE_1)


def gaps_are_open(r: Balancing, p: Any) -> Tensor:
    """Whether all gaps of Lemma 4.5 are there at the end."""
    return r.widest <= MOST


def gaps_last(r: Balancing, p: Any) -> Tensor:
    """Whether all gaps of Lemma 4.5 are there in the limit."""
    return r.widest_limit <= MOST


def singles_are_paired(r: Balancing, p: Any) -> Tensor:
    """Whether Lemma 4.4's ratio is at most MOST at the end."""
    return r.pair <= MOST
