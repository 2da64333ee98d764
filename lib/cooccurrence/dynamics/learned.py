"""What attention learns, and what it is good for: one run with W_K and W_Q learned, one with both frozen."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.cooccurrence.data import HOLDS, SIGNS
from lib.cooccurrence.dynamics import orbit, whole
from lib.cooccurrence.dynamics.limit import Limit, max_margin
from lib.cooccurrence.setting import pace, scaled
from lib.solve import Program, Stage

DEFAULTS: dict[str, float] = {**whole.DEFAULTS, "layer": 0.02, "sigma_0": 10.0, "end": 4.0}


class Both(NamedTuple):
    """The learned run and the frozen one; ``now`` is 0 while the first goes on, then 1."""

    learned: whole.State
    frozen: whole.State
    now: Tensor


class Watch(NamedTuple):
    """τ; the least margin with attention learned, the same with its attention made uniform, and with attention frozen.

    All 0-d, NaN in the run they are not about.
    """

    time: Tensor
    learned: Tensor
    uniform: Tensor
    frozen: Tensor


class Report(NamedTuple):
    """What the theorem says, and what happened.

    Attributes:
        signs: 1 if C₁₂, C₂₁ > 0 > C₃₁, C₃₂ at the end. ``large``: N₀ at least 10. ``lasting``: the cone.
        attention: L times attention in a sample with both targets, (16,): keys μ₁, μ₂, μ₃, irrelevant by queries.
        grown: C = S − S(0) of the signals over κ/(√m L N₀), (9,). ``goal``: Γ log² τ, its
            limit, NaN where N₀ is below 10.
        random: the largest such entry with an irrelevant word, times n.
        least_learned, least_uniform, least_frozen: least margins at the end. ``share``: 1 − uniform/learned.
        margins_learned, margins_frozen: by type, (4,). ``loss_learned``, ``loss_frozen``: mean losses.
        effect: κ/(m L N₀), how much a score of one unit moves a softmax. ``start``: N₀.
    """

    signs: Tensor
    large: Tensor
    lasting: Tensor
    attention: Tensor
    grown: Tensor
    goal: Tensor
    random: Tensor
    least_learned: Tensor
    least_uniform: Tensor
    least_frozen: Tensor
    share: Tensor
    margins_learned: Tensor
    margins_frozen: Tensor
    loss_learned: Tensor
    loss_frozen: Tensor
    effect: Tensor
    start: Tensor
    verdict: Tensor
    story: Tensor


def score_limits(limit: Limit, counts: Tensor, length: Tensor) -> Tensor:
    """Γ: at infinite width S − S(0) tends to Γ log² τ in units of κ/(√m L N₀); (3, 3), [key, query].

    Γ[h, l] = Σ over the types that hold h and l of y n λ (g[h] − y M/L), with g, λ and the margins M of the separator.
    Traceable.
    """
    weight = SIGNS * counts * limit.multipliers  # (4,)
    ahead = limit.signals[None, :] - (SIGNS * limit.margins / length)[:, None]  # (type, key)
    pairs = HOLDS[:, :, None] * HOLDS[:, None, :]  # (type, key, query)
    return (weight[:, None, None] * pairs * ahead[:, :, None]).sum(0)


def uniform_margins(state: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """Margins if every word got the same attention: y (G over its signals + its irrelevant words); (4,)."""
    irrelevant = sizes.length - HOLDS.sum(1)
    g = state.blocks.output
    each = g[3:] / torch.sqrt(sizes.counts * irrelevant)
    return SIGNS * (HOLDS @ g[:3] + irrelevant * each)


def _least(state: whole.State, p: whole.Parameters) -> Tensor:
    sizes, _ = scaled(whole.settings(p), torch.ones_like(p.end))
    return (SIGNS * orbit.outputs(orbit.unpack(state.going.state), sizes)).amin()


def watch(both: Both, p: whole.Parameters) -> Watch:
    """See :class:`Watch`."""
    sizes, _ = scaled(whole.settings(p), torch.ones_like(p.end))
    first = both.now < 0.5
    uniform = uniform_margins(orbit.unpack(both.learned.going.state), sizes).amin()
    return Watch(
        torch.where(first, both.learned.going.time, both.frozen.going.time),
        torch.where(first, _least(both.learned, p), torch.nan),
        torch.where(first, uniform, torch.nan),
        torch.where(first, torch.nan, _least(both.frozen, p)),
    )


def random_scores(state: orbit.Orbit, begun: orbit.Orbit, sizes: orbit.Sizes) -> Tensor:
    """The largest change of a score between a signal and an irrelevant word, or two of these in one sample; 0-d."""
    change = state.blocks.score - begun.blocks.score
    irrelevant = sizes.length - HOLDS.sum(1)
    many = torch.sqrt(sizes.counts * irrelevant)
    mixed = torch.maximum((change[3:, :3] / many[:, None]).abs().amax(), (change[:3, 3:] / many).abs().amax())
    alpha, beta = (state.scalars - begun.scalars)[0].reshape(2, 4)
    other = change.diagonal()[3:] / many**2 + alpha * (1 / irrelevant - 1 / many**2) - beta / irrelevant
    return torch.maximum(mixed, torch.maximum(other.abs(), (other + beta).abs()).amax())


def report(both: Both, p: whole.Parameters) -> Report:
    """See :class:`Report`."""
    chosen = whole.settings(p)
    sizes, kappa = scaled(chosen, torch.ones_like(p.end))
    learned, frozen = (orbit.unpack(state.going.state) for state in (both.learned, both.frozen))
    n_0 = pace(chosen)
    unit = kappa / (torch.sqrt(p.width) * p.length * n_0)  # S is in units of 1/N₀ here, and κ' = N₀κ
    unit = torch.where(unit > 0, unit, 1)
    grown = whole.read(both.learned, p).grown
    goal = max_margin(sizes.counts, sizes.length)
    logs = torch.log(torch.clamp(both.learned.going.time, min=1)) ** 2
    predicted = score_limits(goal, sizes.counts, sizes.length).reshape(-1) * logs
    ours = SIGNS * orbit.outputs(learned, sizes)
    theirs = SIGNS * orbit.outputs(frozen, sizes)
    even = uniform_margins(learned, sizes)
    weights = sizes.counts / sizes.counts.sum()
    signs = torch.stack([grown[1], grown[3], -grown[6], -grown[7]]).amin() > 0
    number = torch.float64
    share = 1 - even.amin() / ours.amin()
    lasting = goal.signals[2] < -torch.maximum(goal.signals[0], goal.signals[1])
    holds, large = signs & (ours.amin() > 0), n_0 >= 10
    return Report(
        signs=signs.to(number),
        large=large.to(number),
        lasting=lasting.to(number),
        attention=p.length * orbit.attention(learned, sizes)[0].reshape(-1),
        grown=grown,
        goal=torch.where(large, predicted, torch.nan),
        random=p.samples * random_scores(learned, whole.begin(p), sizes) / unit,
        least_learned=ours.amin(),
        least_uniform=even.amin(),
        least_frozen=theirs.amin(),
        share=torch.where(ours.amin() > 0, share, torch.nan),
        margins_learned=ours,
        margins_frozen=theirs,
        loss_learned=(weights * orbit.losses(learned, sizes)).sum(),
        loss_frozen=(weights * orbit.losses(frozen, sizes)).sum(),
        effect=(kappa / n_0) / (p.width * p.length * n_0),
        start=n_0,
        verdict=torch.where(lasting, torch.where(holds, 0, 1), torch.where(holds, 3, 2)).to(number),
        story=torch.where(share > 0.05, 0, torch.where(share > -0.05, 1, 2)).to(number),
    )


def learned_and_frozen() -> Program:
    """Two flows from one start until τ = 10^``end``: attention learned, then frozen."""

    def start(p: whole.Parameters) -> Both:
        begun = whole.start(p)
        return Both(begun, begun, torch.zeros_like(p.end))

    def learn(both: Both, p: whole.Parameters) -> tuple[Both, Tensor]:
        free = p._replace(learned=torch.ones_like(p.end))
        state, done = whole.advance(both.learned, free, 10**p.end)
        return both._replace(learned=state), done

    def freeze(both: Both, p: whole.Parameters) -> tuple[Both, Tensor]:
        fixed = p._replace(learned=torch.zeros_like(p.end))
        state, done = whole.advance(both.frozen, fixed, 10**p.end)
        return both._replace(frozen=state), done

    return Program(
        parameters=whole.Parameters,
        domains=whole.DOMAINS,
        start=start,
        stages=(
            Stage("attention learns", lambda both, p: both, learn, "evaluations"),
            Stage("attention frozen", lambda both, p: both._replace(now=both.now + 1), freeze, "evaluations"),
        ),
        watch=watch,
        report=lambda ends, p: report(ends[1], p),
    )
