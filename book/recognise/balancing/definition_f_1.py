"""Phase 2 as Definition F.1 of Yang et al. has it: whether all its items last until the loss is about 1/m."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.func import jvp

from book.recognise.common import END_OF_PHASE_1
from lib.program import Program, Stage
from lib.recognise import gradient_flow, orbit
from lib.recognise.orbit import Orbit, Sizes
from lib.recognise.setting import pace, scaled, value_gram
from lib.recognise.task import SIGNS

MOMENTS = 6
"""From T₁ to the end at τ = 20 m, evenly spaced on a logarithmic clock."""
STUDENT = 2.776
"""Student's t for 95 % and ``MOMENTS`` − 2 degrees of freedom."""


class LastingPhase2(NamedTuple):
    """What Definition F.1 requires, each at the worst of ``MOMENTS`` moments, and what the lemmas say of it; 0-d."""

    order: Tensor  # the least gap between Σ₄, Σ₂ and Σ₃, Σ₁, and the sum of the negatives, over Σ
    pair: Tensor  # the larger of Σ₂, Σ₃ over the smaller
    margin: Tensor  # the least margin
    largest: Tensor  # |G| of the three words over log τ
    ratios: Tensor  # the largest of G(μ₁), G(μ₂), −G(μ₃) over the least; infinite where one is not positive
    others: Tensor  # what all irrelevant words of a sample say together, over 1 + L log τ/n
    own_slopes: Tensor  # G′ of an irrelevant word over its bound in F.14
    size: Tensor  # N/N₀
    products: Tensor  # change of W_KᵀW_K and W_QᵀW_Q since the start, over κ/√m
    products_since: Tensor  # the same since T₁, over κ log² τ/(m N₀)
    attention: Tensor  # change of attention since the start, times L²
    values: Tensor  # change of W_VᵀW_V since T₁, times N₀/log² τ
    by_values: Tensor  # Corollary F.12: the largest |Σ_j a_j w_j′·v(μ)| over N and the mean g, times L
    by_attention: Tensor  # Corollary F.18: the largest part of F′ due to attention, over N and the mean g
    loss: Tensor  # m times the loss at the end
    power: Tensor  # of τ in the loss, by least squares over all moments
    interval: Tensor  # half of its 95 % interval


def phase_2_to_the_end() -> Program:
    """Gradient flow until τ = 20 m, looked at on the way."""
    return Program(
        parameters=gradient_flow.Parameters,
        domains=gradient_flow.DOMAINS,
        start=gradient_flow.start,
        stages=tuple(Stage(f"moment {k}", lambda s, p: s, _until(k), "evaluations") for k in range(MOMENTS)),
        watch=gradient_flow.read,
        report=_report,
    )


def _until(moment: int) -> Callable[[gradient_flow.State, Any], tuple[gradient_flow.State, Tensor]]:
    """A step of the flow on the way to the moment of this number."""

    def step(s: gradient_flow.State, p: Any) -> tuple[gradient_flow.State, Tensor]:
        share = moment / (MOMENTS - 1)
        return gradient_flow.advance(s, p, END_OF_PHASE_1 ** (1 - share) * (20 * p.width) ** share)

    return step


def _report(ends: tuple[gradient_flow.State, ...], p: Any) -> LastingPhase2:
    sizes, kappa = scaled(p, p.learned)
    states = [end.orbit for end in ends]
    logs = torch.log(torch.stack([end.time for end in ends]))  # (MOMENTS,), as losses and total below
    losses = torch.stack([orbit.loss(here, sizes) for here in states])
    margins = torch.stack([SIGNS * orbit.outputs(here, sizes) for here in states])
    sums = sizes.counts / sizes.counts.sum() * torch.sigmoid(-margins)
    power, interval = _slope(logs, torch.log(losses))
    return LastingPhase2(
        **_order_of_sums(sums),
        margin=margins.amin(),
        **_outputs(states, logs, sizes, p),
        **_rates(states, losses, sums.sum(1), sizes, p),
        size=torch.stack([here.blocks.size for here in states]).amax(),
        **_changes(states, logs, sizes, kappa, p),
        loss=losses[-1] * p.width,
        power=power,
        interval=interval,
    )


def _order_of_sums(sums: Tensor) -> dict[str, Tensor]:
    """The fields that compare the class gradients Σ₁ … Σ₄, (MOMENTS, 4)."""
    negatives = sums[:, 1:].sum(1)
    low, high = sums[:, 1:3].amin(1), sums[:, 1:3].amax(1)
    gaps = torch.stack([low - sums[:, 3], sums[:, 0] - high, negatives - sums[:, 0]])
    return {"order": (gaps / sums.sum(1)).amin(), "pair": (high / low).amax()}


def _outputs(states: list[Orbit], logs: Tensor, sizes: Sizes, p: Any) -> dict[str, Tensor]:
    """The fields that speak of G on the words."""
    signs = torch.tensor([1.0, 1.0, -1.0], dtype=torch.float64)
    g = torch.stack([here.blocks.output[:3] for here in states]) * signs
    least = g.amin(1)
    of_a_word = torch.stack([orbit.word_outputs(here, sizes)[:, 3] for here in states])
    together = of_a_word.abs() * orbit.irrelevant(sizes)
    return {
        "largest": (g.abs().amax(1) / logs).amax(),
        "ratios": torch.where(least > 0, g.amax(1) / torch.where(least > 0, least, 1), torch.inf).amax(),
        "others": (together.amax(1) / (1 + p.length * logs / p.samples)).amax(),
    }


def _changes(states: list[Orbit], logs: Tensor, sizes: Sizes, kappa: Tensor, p: Any) -> dict[str, Tensor]:
    """The fields that speak of changes since the start, or since T₁."""
    begun = gradient_flow.initial_orbit(p)
    products = torch.stack([torch.stack([here.blocks.key, here.blocks.query]) for here in states]) / kappa
    first = torch.stack([begun.blocks.key, begun.blocks.query]) / kappa
    values = torch.stack([here.blocks.value for here in states])
    shifted = torch.stack([orbit.attention(s, sizes) - orbit.attention(begun, sizes) for s in states])
    return {
        "products": (products - first).abs().amax() * torch.sqrt(p.width),
        "products_since": ((products - products[0]).abs().amax((1, 2, 3)) / logs**2).amax()
        * p.width
        * pace(p),
        "attention": p.length**2 * shifted.abs().amax(),
        "values": ((values - values[0]).abs().amax((1, 2)) / logs**2).amax(),
    }


def _rates(states: list[Orbit], losses: Tensor, total: Tensor, sizes: Sizes, p: Any) -> dict[str, Tensor]:
    """The fields that speak of slopes."""
    unit = value_gram(p)
    slow = p.neurons * (p.length * (unit / torch.sqrt(p.width) + 1 / p.width) + unit) / pace(p)
    rates = [_rates_of(here, sizes) for here in states]
    own_slopes, by_values, by_attention = (torch.stack(list(each)) for each in zip(*rates, strict=True))
    return {
        "own_slopes": (own_slopes / losses / (1 / p.samples + slow)).amax(),
        "by_values": p.length * (by_values / total).amax(),
        "by_attention": (by_attention / total).amax(),
    }


def _rates_of(here: Orbit, sizes: Sizes) -> tuple[Tensor, Tensor, Tensor]:
    """The largest |G′| of an irrelevant word; the largest turn by neurons and by attention, over N; 0-d each."""
    moving, g = orbit.flow(here, sizes), here.blocks.output
    pushed = moving.blocks.value @ g  # W_VᵀW_V changes by gbᵀ + bgᵀ: so b
    b = (pushed - g * (g @ pushed) / (2 * g @ g)) / (g @ g)
    only_scores = moving.blocks._replace(
        **{name: torch.zeros_like(part) for name, part in moving.blocks._asdict().items() if name != "score"}
    )
    turning = Orbit(only_scores, torch.cat([moving.scalars[:1], torch.zeros_like(moving.scalars[1:])]))
    by_attention = jvp(lambda there: orbit.outputs(there, sizes), (here,), (turning,))[1]
    return (
        orbit.word_outputs(moving, sizes)[:, 3].abs().amax(),
        sizes.layer * (here.blocks.value @ b).abs().amax() / here.blocks.size,
        by_attention.abs().amax() / here.blocks.size,
    )


def _slope(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Least squares: the slope of y against x, and half of its 95 % interval."""
    at = x - x.mean()
    slope = (at * y).sum() / (at * at).sum()
    error = y - y.mean() - slope * at
    return slope, STUDENT * torch.sqrt((error * error).sum() / (MOMENTS - 2) / (at * at).sum())
