"""How fast values, scores and attention change in Phase 2: Corollary 4.6, Lemma 4.7 and Corollary F.17."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.func import jvp

from book.recognise.common import END_OF_PHASE_1
from lib.program import Program, Stage
from lib.recognise import gradient_flow, orbit
from lib.recognise.setting import pace, scaled, value_gram

MOMENTS = (math.log10(END_OF_PHASE_1), 2.0, 3.0)
"""log₁₀ τ at which Phase 2 is looked at, from T₁ on, beside its end."""


class Slopes(NamedTuple):
    """Derivatives with respect to τ at four moments of Phase 2."""

    values: Tensor  # (4, 5) of v₁·v₂, v₁·v₁, v₂·v₂, −v₁·v₃, −v₂·v₃
    rates: Tensor  # (4, 4) of the four scores over κ𝓛/(√m L), each with its sign
    over_logs: Tensor  # (4, 4) the same over log τ
    irrelevant: Tensor  # (4,) the largest with an irrelevant word, over κ𝓛 log² τ (1/(nL) + 1/√m)/√m
    moved: Tensor  # (3,) the largest change since T₁ of the nine scores, over κ(1 + L/√m) log² τ/(√m L N₀)
    turns: Tensor  # (4, 4) of attention μ₁ → μ₂, μ₂ → μ₁, and less that of both → μ₃, over κ𝓛 log τ/(mL²), type 1
    strays: Tensor  # (4,) of a target to an irrelevant word there, over κ𝓛 log τ (1/(nL) + 1/√m + 1/L²)/(mL)
    printed: Tensor  # (4,) the same without the 1/L²
    shifted: Tensor  # (4,) the largest change of attention since the start, times L²


class _AttentionSlopes(NamedTuple):
    """The last four fields of :class:`Slopes` at one moment."""

    turns: Tensor  # (4,)
    strays: Tensor
    printed: Tensor
    shifted: Tensor


def phase_2_slopes() -> Program:
    """Gradient flow until τ = 10^``end``, stopped at each of :data:`MOMENTS` on the way."""
    return Program(
        parameters=gradient_flow.Parameters,
        domains=gradient_flow.DOMAINS,
        start=gradient_flow.start,
        stages=tuple(_until(moment) for moment in (*MOMENTS, None)),
        watch=gradient_flow.read,
        report=_report,
    )


def _until(moment: float | None) -> Stage:
    """The flow until τ = 10^``moment``, or until the run's end."""

    def step(s: gradient_flow.State, p: Any) -> tuple[gradient_flow.State, Tensor]:
        end = p.end if moment is None else torch.full_like(p.end, moment)
        return gradient_flow.advance(s, p, 10**end)

    return Stage(f"to {moment}", lambda s, p: s, step, "evaluations")


def _report(ends: tuple[gradient_flow.State, ...], p: Any) -> Slopes:
    attention = [_attention_slopes(state, p) for state in ends]
    rates = torch.stack([_score_rates(state, p) for state in ends])
    moments = torch.stack([state.time for state in ends])
    return Slopes(
        values=torch.stack([_value_slopes(state) for state in ends]),
        rates=rates,
        over_logs=rates / torch.log(moments)[:, None],
        irrelevant=torch.stack([_irrelevant_rate(state, p) for state in ends]) / torch.log(moments) ** 2,
        moved=_moved(ends, moments, p),
        turns=torch.stack([each.turns for each in attention]),
        strays=torch.stack([each.strays for each in attention]),
        printed=torch.stack([each.printed for each in attention]),
        shifted=torch.stack([each.shifted for each in attention]),
    )


def _value_slopes(state: gradient_flow.State) -> Tensor:
    """The slopes of five products of values, each with the sign that Corollary 4.6 gives it; (5,)."""
    value = state.slope.blocks.value
    return torch.stack([value[0, 1], value[0, 0], value[1, 1], -value[0, 2], -value[1, 2]])


def _score_rates(state: gradient_flow.State, p: Any) -> Tensor:
    """The slopes of four scores over κ𝓛/(√m L), each with the sign that Lemma 4.7 gives it; (4,)."""
    score = state.slope.blocks.score
    four = torch.stack([score[1, 0], score[0, 1], -score[2, 0], -score[2, 1]])
    unit = value_gram(p) / (torch.sqrt(p.width) * p.length)  # S in units of 1/N₀, κ' = N₀κ
    return four / torch.where(unit > 0, unit, 1) / gradient_flow.read(state, p).loss


def _irrelevant_rate(state: gradient_flow.State, p: Any) -> Tensor:
    """The largest slope of a score between a signal and an irrelevant word, over Lemma F.16's bound; 0-d."""
    sizes, _ = scaled(p, p.learned)
    moving, _ = orbit.scores(state.slope, sizes)
    largest = torch.maximum(moving[:, :3, 3].abs().amax(), moving[:, 3, :3].abs().amax())
    few = 1 / (p.samples * p.length) + 1 / torch.sqrt(p.width)
    unit = value_gram(p) / torch.sqrt(p.width) * few
    return largest / torch.where(unit > 0, unit, 1) / gradient_flow.read(state, p).loss


def _moved(ends: tuple[gradient_flow.State, ...], moments: Tensor, p: Any) -> Tensor:
    """The largest change since T₁ of a score among μ₁, μ₂, μ₃, at the later moments, over its order; (3,)."""
    grown = torch.stack([gradient_flow.score_growth(state, p) for state in ends])
    change = (grown[1:] - grown[0]).abs().amax(1)
    return change / (1 + p.length / torch.sqrt(p.width)) / torch.log(moments[1:]) ** 2


def _attention_slopes(state: gradient_flow.State, p: Any) -> _AttentionSlopes:
    sizes, kappa = scaled(p, p.learned)
    here, moving = state.orbit, state.slope
    now, rate = jvp(lambda there: orbit.attention(there, sizes), (here,), (moving,))  # type: ignore[misc]
    unit = torch.where(kappa > 0, kappa, 1) * orbit.loss(here, sizes) * torch.log(state.time)
    unit = unit / (p.width * pace(p) ** 2 * p.length)  # κ' = N₀κ, and τ for t
    four = torch.stack([rate[0, 1, 0], rate[0, 0, 1], -rate[0, 2, 0], -rate[0, 2, 1]])
    stray = rate[0, 3, :2].abs().amax() / unit
    few = 1 / (p.samples * p.length) + 1 / torch.sqrt(p.width)
    began = orbit.attention(gradient_flow.initial_orbit(p), sizes)
    return _AttentionSlopes(
        turns=four / unit * p.length,
        strays=stray / (few + 1 / p.length**2),
        printed=stray / few,
        shifted=p.length**2 * (now - began).abs().amax(),
    )
