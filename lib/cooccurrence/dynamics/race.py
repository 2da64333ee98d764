"""Lemma 4.3 on one run: where the three numbers G(μ₁), G(μ₂), G(μ₃) go, and whether they stay in its cone."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.cooccurrence.dynamics import orbit, whole
from lib.cooccurrence.dynamics.limit import max_margin
from lib.cooccurrence.setting import scaled
from lib.solve import Program

DEFAULTS: dict[str, float] = {**whole.DEFAULTS, "end": 8.0}
WORDS = torch.arange(4, 41, dtype=torch.float64)
"""Lengths for which the border of the cone is drawn."""


class Watch(NamedTuple):
    """τ; x = the larger of G(μ₁), G(μ₂); y = −G(μ₃); y/x; the same of their slopes; τ G'(μ) (3,). NaN where x ≤ 0."""

    time: Tensor
    along: Tensor
    away: Tensor
    ratio: Tensor
    slopes: Tensor
    pace: Tensor


class Report(NamedTuple):
    """What the lemma says, and what happened.

    Attributes:
        lasting: 1 where the limit lies inside the cone. ``many``: 1 where n ≥ L². ``shares``: of Definition 2.1.
        half: T₀.₅ in τ. ``below``: τ from which −G'(μ₃) < G'(μ₁) + G'(μ₂). NaN: not at the end.
        ratio, slopes: −G(μ₃) and −G'(μ₃) over the larger of the targets' at the end. ``limit``: of both.
        pace: τ G'(μ) at the end, (3,). ``goal``: its limit, (3,), at infinite width.
        loss: τ N/N₀ times the loss, times 1 + ‖a‖²gᵀGg/(N‖g‖²). ``square``: its limit, ‖g‖² of the separator.
        border: 3(L + 1), and ``squares``: L², at ``words``: (37,). ``now_n``, ``now_length``: the present.
        ray_x, ray_low, ray_high, ray_limit: lines of the cone and of the limit, (2,).
        verdict, story: what to say.
    """

    lasting: Tensor
    many: Tensor
    shares: Tensor
    half: Tensor
    below: Tensor
    ratio: Tensor
    slopes: Tensor
    limit: Tensor
    pace: Tensor
    goal: Tensor
    loss: Tensor
    square: Tensor
    words: Tensor
    border: Tensor
    squares: Tensor
    floor: Tensor
    ceiling: Tensor
    now_n: Tensor
    now_length: Tensor
    ray_x: Tensor
    ray_low: Tensor
    ray_high: Tensor
    ray_limit: Tensor
    span: Tensor
    low: Tensor
    high: Tensor
    verdict: Tensor
    story: Tensor


def _over(values: Tensor, most: float) -> Tensor:
    """−third over the larger of the first two; NaN where that is not positive or the quotient leaves ±``most``."""
    along = torch.maximum(values[0], values[1])
    quotient = -values[2] / torch.where(along > 0, along, torch.nan)
    return torch.where(quotient.abs() <= most, quotient, torch.nan)


def watch(state: whole.State, p: whole.Parameters) -> Watch:
    """See :class:`Watch`."""
    g, rise = state.going.state[228:231], state.going.slopes[0, 228:231]
    time = state.going.time
    return Watch(time, torch.maximum(g[0], g[1]), -g[2], _over(g, 4.0), _over(rise, 4.0), time * rise)


def pace_of_loss(state: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """N + ‖a‖²gᵀGg/‖g‖² in units of N₀: what the loss falls with, once g's direction has settled; 0-d."""
    g = state.blocks.output
    square = torch.clamp(g @ g, min=1e-300)
    return state.blocks.size + sizes.layer * (g @ state.blocks.value @ g) / square


def report(state: whole.State, p: whole.Parameters) -> Report:
    """See :class:`Report`."""
    chosen = whole.settings(p)
    sizes, _ = scaled(chosen, p.learned)
    here = orbit.unpack(state.going.state)
    goal = max_margin(sizes.counts, sizes.length)
    number = torch.float64
    limit = -goal.signals[2] / torch.maximum(goal.signals[0], goal.signals[1])
    read = watch(state, p)
    losses = orbit.losses(here, sizes)
    loss = (sizes.counts * losses).sum() / sizes.counts.sum()
    shares = sizes.counts / sizes.counts.sum()
    assumed = torch.tensor([1 / 2, 1 / 6, 1 / 6, 1 / 6], dtype=number)
    lasting = limit > 1 + 1e-9
    inside = (state.gaps[0] > 0) & (state.gaps[2] > 0)
    verdict = torch.where(lasting, torch.where(inside, 0, 1), torch.where(inside, 3, 2))
    reach = torch.clamp(read.along, min=1.0)
    ends = torch.stack([torch.zeros_like(reach), reach])
    one = torch.ones(2, dtype=number)
    return Report(
        lasting=lasting.to(number),
        many=(p.samples >= p.length**2).to(number),
        shares=((shares - assumed).abs().amax() < 0.01).to(number),
        half=state.since[0],
        below=state.since[2],
        ratio=read.ratio,
        slopes=read.slopes,
        limit=limit,
        pace=read.pace,
        goal=goal.signals,
        loss=read.time * loss * pace_of_loss(here, sizes),
        square=goal.square,
        words=WORDS,
        border=3 * (WORDS + 1),
        squares=WORDS**2,
        floor=torch.full_like(WORDS, 6.0),
        ceiling=torch.full_like(WORDS, 1e6),
        now_n=p.samples,
        now_length=p.length,
        ray_x=ends,
        ray_low=ends,
        ray_high=2 * ends,
        ray_limit=limit * ends,
        span=torch.tensor([1e-1, 1e8], dtype=number),
        low=one,
        high=2 * one,
        verdict=verdict.to(number),
        story=torch.where(lasting, torch.where(inside, 0, 1), torch.where(inside, 1, 2)).to(number),
    )


def race() -> Program:
    """Gradient flow until 10^``end``, watched as a race."""
    return whole.program(report)._replace(watch=watch)
