"""Four class gradients on their way to the separator's multipliers, and what is largest of their ratios in Phase 2."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recognise.common import END_OF_PHASE_1, conditions, latest
from lib.program import Program, Stage
from lib.recognise import orbit, whole
from lib.recognise.limit import max_margin, pace_of_loss
from lib.recognise.orbit import Orbit, Sizes
from lib.recognise.setting import scaled
from lib.recognise.task import SIGNS

MOST = 60.0
"""Ratios beyond this are not drawn."""


class Course(NamedTuple):
    """A run under way, and what is followed of it from T₁ = 30/N₀ on."""

    run: whole.State
    worst: Tensor  # (4,) the largest of each ratio in size, infinite where one has not existed
    time: Tensor  # τ at the first state of Phase 2, NaN before
    loss: Tensor  # the loss there
    size: Tensor  # N/N₀ there
    least: Tensor  # of c in loss = 1/(c N₀ (t − T₁) + 1/loss(T₁))
    most: Tensor


class Watch(NamedTuple):
    """What is drawn while the flow runs."""

    time: Tensor  # τ
    shares: Tensor  # (4,) the class gradients Σ g_i over their total
    ratios: Tensor  # (4,) of Lemma 4.4 and Lemma 4.5; NaN beyond MOST
    rates: Tensor  # (2,) τ times the loss; the same times N/N₀ and 1 + ‖a‖²gᵀGg/(N‖g‖²)


class Balancing(NamedTuple):
    """What the lemmas say, and what happened. Ratios are in the order of :func:`ratios`; NaN beyond MOST."""

    wide: Tensor  # the hypotheses of the theorems, see book.recognise.common
    long: Tensor
    many: Tensor
    fit_0: Tensor
    fit_1: Tensor
    shares: Tensor
    unit_layer: Tensor
    trained: Tensor
    reached: Tensor  # the run came to its end, in Phase 2
    late: Tensor  # at τ = 30 000 or more
    pulls: Tensor  # (4,) shares of the class gradients at the end
    goal: Tensor  # (4,) in the limit
    ratios: Tensor  # (4,) at the end
    limits: Tensor  # (4,) in the limit
    worst_pair: Tensor  # the largest of each ratio in Phase 2, the first one in size
    worst_first: Tensor
    worst_second: Tensor
    worst_third: Tensor
    inside: Tensor  # τ from which Lemma 4.3's inequality holds; infinite if it does not at the end
    open: Tensor  # all gaps of Lemma 4.5 are there at the end
    lasting: Tensor  # all are there in the limit
    paired: Tensor  # Lemma 4.4's ratio is at most MOST at the end
    rate: Tensor  # τ times loss at the end, corrected for N and G
    square: Tensor  # its limit, ‖g‖² of the separator
    loss: Tensor
    margins: Tensor  # (4,) y F by type at the end
    size: Tensor  # N/N₀ at the end
    growth: Tensor  # (N − N(T₁))/N₀ over (‖a‖²/N₀²)‖g‖² log² τ
    slowest: Tensor  # the least c of Theorem F.8 in Phase 2
    fastest: Tensor  # the largest
    drift: Tensor  # log(fastest/slowest) over log(τ/30): as a power of time, by so much c changes
    unbalance: Tensor  # the entries of ratios and limits that captions tell
    apart: Tensor  # unbalance in size
    first: Tensor
    first_limit: Tensor
    second: Tensor
    second_limit: Tensor


def ratios(sums: Tensor) -> Tensor:
    """(Σ₂ − Σ₃)/min, Σ/(Σ₂ + Σ₃ + Σ₄ − Σ₁), Σ/(Σ₁ − Σ₂), Σ/(Σ₁ − Σ₃) from (4,); infinite for gaps not positive."""
    total = sums.sum()
    small = torch.minimum(sums[1], sums[2])
    parts = torch.stack([sums[1] - sums[2], total, total, total])
    under = torch.stack([small, sums[1:].sum() - sums[0], sums[0] - sums[1], sums[0] - sums[2]])
    return torch.where(under > 0, parts / torch.where(under > 0, under, 1), torch.inf)


def drawn(values: Tensor) -> Tensor:
    """NaN for what is beyond ``MOST``."""
    return torch.where(values.abs() <= MOST, values, torch.nan)


def balancing() -> Program:
    """Gradient flow until 10^``end``, watched class by class."""
    offered = whole.domains(
        single={"default": 0.667},  # where its slider can stand
        length={"track": (4, 60)},
        sigma_1={"track": (0.03, 10)},
        end={"default": 6.0, "track": (2, 8, 0.1)},
    )
    return Program(
        parameters=whole.Parameters,
        domains=offered,
        start=_start,
        stages=(Stage("gradient flow", lambda s, p: s, _step, "evaluations"),),
        watch=lambda s, p: _watch(s.run, p),
        report=lambda ends, p: _report(ends[0], p),
    )


def _start(p: Any) -> Course:
    none, ever = torch.full_like(p.end, torch.nan), torch.full_like(p.end, torch.inf)
    return Course(whole.start(p), torch.zeros(4, dtype=torch.float64), none, none, none, ever, -ever)


def _step(s: Course, p: Any) -> tuple[Course, Tensor]:
    run, done = whole.advance(s.run, p, 10**p.end)
    sizes, _ = scaled(whole.settings(p), p.learned)
    here = orbit.unpack(run.going.state)
    sums, loss = _sums(here, sizes), orbit.loss(here, sizes)
    time = run.going.time
    late = (time >= END_OF_PHASE_1) & (time > s.run.going.time)  # an accepted state of Phase 2
    first = late & torch.isnan(s.time)
    begun = torch.where(first, time, s.time)
    from_loss = torch.where(first, loss, s.loss)
    since = time - begun
    rate = (1 / loss - 1 / from_loss) / torch.where(since > 0, since, 1)
    rated = late & (since > 0)
    course = Course(
        run,
        torch.where(late, torch.maximum(s.worst, ratios(sums).abs()), s.worst),
        begun,
        from_loss,
        torch.where(first, here.blocks.size, s.size),
        torch.where(rated, torch.minimum(s.least, rate), s.least),
        torch.where(rated, torch.maximum(s.most, rate), s.most),
    )
    return course, done


def _sums(state: Orbit, sizes: Sizes) -> Tensor:
    """Σ g_i over the samples of each type, over n, (4,)."""
    return sizes.counts / sizes.counts.sum() * torch.sigmoid(-SIGNS * orbit.outputs(state, sizes))


def _watch(state: whole.State, p: Any) -> Watch:
    sizes, _ = scaled(whole.settings(p), p.learned)
    here = orbit.unpack(state.going.state)
    sums = _sums(here, sizes)
    rate = state.going.time * orbit.loss(here, sizes)
    return Watch(
        state.going.time,
        sums / sums.sum(),
        drawn(ratios(sums)),
        torch.stack([rate, rate * pace_of_loss(here, sizes)]),
    )


def _report(s: Course, p: Any) -> Balancing:
    sizes, _ = scaled(whole.settings(p), p.learned)
    here, time = orbit.unpack(s.run.going.state), s.run.going.time
    goal = max_margin(sizes.counts, sizes.length)
    number = torch.float64
    seen = _watch(s.run, p)
    wanted = sizes.counts * goal.multipliers
    limits = drawn(ratios(wanted))
    return Balancing(
        **conditions(p),
        reached=((time >= 10**p.end) & (time > END_OF_PHASE_1)).to(number),
        late=(time >= 1000 * END_OF_PHASE_1).to(number),
        pulls=seen.shares,
        goal=wanted / wanted.sum(),
        ratios=seen.ratios,
        limits=limits,
        worst_pair=s.worst[0],
        worst_first=s.worst[1],
        worst_second=s.worst[2],
        worst_third=s.worst[3],
        inside=latest(s.run.since[0:3:2]),
        open=torch.isfinite(seen.ratios[1:]).all().to(number),
        lasting=torch.isfinite(limits[1:]).all().to(number),
        paired=torch.isfinite(seen.ratios[0]).to(number),
        rate=seen.rates[1],
        square=goal.square,
        loss=orbit.loss(here, sizes),
        margins=SIGNS * orbit.outputs(here, sizes),
        size=here.blocks.size,
        growth=(here.blocks.size - s.size) / (sizes.layer * goal.square * torch.log(time) ** 2),
        slowest=s.least,
        fastest=s.most,
        drift=torch.log(s.most / s.least) / torch.log(torch.clamp(time / END_OF_PHASE_1, min=2)),
        unbalance=seen.ratios[0],
        apart=seen.ratios[0].abs(),
        first=seen.ratios[1],
        first_limit=limits[1],
        second=seen.ratios[2],
        second_limit=limits[2],
    )
