"""What attention learns, and what it is good for: one run with W_K and W_Q learned, one with both frozen."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.program import Program, Stage
from lib.recognise import gradient_flow, orbit
from lib.recognise.attention_scores import (
    irrelevant_score_growth,
    largest_score,
    largest_shift,
    output_spread,
    score_drive,
    score_limits,
    uniform_margins,
)
from lib.recognise.new_sentences import forget_irrelevant
from lib.recognise.orbit import Orbit, Sizes
from lib.recognise.separator import Separator, max_margin
from lib.recognise.setting import pace, scaled, value_gram
from lib.recognise.task import SIGNS

DOMAINS = gradient_flow.domains(
    layer={"default": 0.02},
    sigma_0={"default": 10.0, "track": (0.1, 10)},
    sigma_1={"track": (0.1, 10)},
    end={"default": 4.0, "words": "moment shown,", "track": (0, 8, 0.1)},
)
"""By default attention is made to matter, far outside Condition 1."""
CARRIED = 0.05
"""The share of the margin from which on attention is said to carry it."""
RESOLVED = 1e10
"""Up to this LN₀ the growth of a random score stands out from rounding, being 1/(LN₀) of the score."""


class State(NamedTuple):
    """Two runs from one start, one after the other."""

    flow: gradient_flow.State  # the run under way
    begun: gradient_flow.State
    learned: gradient_flow.State  # the end of the run in which attention learns
    learns: Tensor  # 0-d, 1 while attention learns, then 0
    drive: Tensor  # 0-d, score_drive of the last accepted state
    path: Tensor  # 0-d, its integral over τ while attention learned, from above


class Watch(NamedTuple):
    """Least margins over time; all 0-d, NaN in the run that they do not speak of."""

    time: Tensor  # τ
    learned: Tensor  # with attention learned
    uniform: Tensor  # the same, with its attention made uniform
    frozen: Tensor  # with attention frozen


class LearnedAndFrozen(NamedTuple):
    """What Theorem 3.3 says of attention, and how training ends without it; each 0-d unless stated."""

    lasting: Tensor  # 1 if the separator lies in the cone, else 0
    attention: Tensor  # (16,) L times attention in a sample with both targets: keys μ₁, μ₂, μ₃, irrelevant by queries
    grown: Tensor  # (9,) C = S − S(0) of the signals over κ/(√m L N₀); NaN where it is lost in rounding
    goal: Tensor  # (9,) its limit Γ log² τ; NaN where N₀ is below 10
    least: Tensor  # of C₁₂, C₂₁, −C₃₁, −C₃₂
    fewest: Tensor  # the same over log² τ
    most: Tensor  # the largest, over log² τ
    random: Tensor  # the largest such entry with an irrelevant word, in the mean of its type, times n
    room: Tensor  # 1 + nL/√m: n times what Theorem 3.3 allows such an entry, over the order of the four
    least_learned: Tensor  # least margins at the end
    least_uniform: Tensor
    least_frozen: Tensor
    share: Tensor  # 1 − uniform/learned; NaN while a sample is wrong
    part: Tensor  # the largest |F − F with attention made uniform|
    allowed: Tensor  # its proved bound: L D tanh(β/2), with β the most that a score over √m can be
    margins_learned: Tensor  # (4,) by type
    margins_frozen: Tensor  # (4,)
    loss_learned: Tensor
    loss_frozen: Tensor
    unseen_learned: Tensor  # the least y F of the types with words never seen
    unseen_frozen: Tensor
    effect: Tensor  # κ/(mLN₀)
    start: Tensor  # N₀


def growth_is_resolved(r: Any, p: Any) -> Tensor:
    """Whether the growth of a score stands out from the rounding of a random start."""
    return (value_gram(p) * pace(p) > 0) & ((p.random < 0.5) | (p.length * pace(p) < RESOLVED))


def least_margin(r: LearnedAndFrozen) -> Tensor:
    """The least margin of both runs at the end; 0-d."""
    return torch.minimum(r.least_learned, r.least_frozen)


def attention_carries(r: LearnedAndFrozen, p: Any) -> Tensor:
    """Whether attention adds a share of the least margin that is worth mentioning."""
    return torch.as_tensor(r.share > CARRIED)


def attention_burdens(r: LearnedAndFrozen, p: Any) -> Tensor:
    """Whether attention takes such a share away."""
    return torch.as_tensor(r.share < -CARRIED)


def learned_and_frozen() -> Program:
    """Two flows from one start until τ = 10^``end``: attention learned, then frozen, whatever ``learned`` says."""

    def start(p: Any) -> State:
        begun = gradient_flow.start(p)
        sizes, _ = scaled(p, p.learned)
        drive = score_drive(begun.orbit, sizes)
        return State(begun, begun, begun, torch.ones_like(p.end), drive, torch.zeros_like(p.end))

    def step(state: State, p: Any) -> tuple[State, Tensor]:
        flow, done = gradient_flow.advance(state.flow, p._replace(learned=state.learns), 10**p.end)
        sizes, _ = scaled(p, state.learns)
        drive = score_drive(flow.orbit, sizes)
        passed = state.learns * (flow.time - state.flow.time)
        path = state.path + passed * torch.maximum(state.drive, drive)
        return state._replace(flow=flow, drive=drive, path=path), done

    def freeze(state: State, p: Any) -> State:
        return state._replace(flow=state.begun, learned=state.flow, learns=0 * p.end)

    return Program(
        parameters=gradient_flow.Parameters,
        domains=DOMAINS,
        start=start,
        stages=(
            Stage("attention learns", lambda state, p: state, step, "evaluations"),
            Stage("attention frozen", freeze, step, "evaluations"),
        ),
        watch=_watch,
        report=lambda ends, p: _report(ends[1], p),
    )


def _watch(state: State, p: Any) -> Watch:
    sizes, _ = scaled(p, torch.ones_like(p.end))
    learns = state.learns > 0.5
    here = state.flow.orbit
    least = (SIGNS * orbit.outputs(here, sizes)).amin()
    return Watch(
        time=state.flow.time,
        learned=torch.where(learns, least, torch.nan),
        uniform=torch.where(learns, uniform_margins(here, sizes).amin(), torch.nan),
        frozen=torch.where(learns, torch.nan, least),
    )


def _report(state: State, p: Any) -> LearnedAndFrozen:
    sizes, kappa = scaled(p, torch.ones_like(p.end))
    learned, frozen = state.learned.orbit, state.flow.orbit
    separator = max_margin(sizes.counts, sizes.length)
    signals = separator.signals
    n_0 = pace(p)
    return LearnedAndFrozen(
        lasting=(signals[2] < -torch.maximum(signals[0], signals[1])).to(torch.float64),
        attention=p.length * orbit.attention(learned, sizes)[0].reshape(-1),
        **_score_growth(state, separator, sizes, kappa, p),
        room=1 + p.samples * p.length / torch.sqrt(p.width),
        **_margins(state, sizes, p),
        loss_learned=orbit.loss(learned, sizes),
        loss_frozen=orbit.loss(frozen, sizes),
        unseen_learned=_least_unseen(learned, sizes),
        unseen_frozen=_least_unseen(frozen, sizes),
        effect=(kappa / n_0) / (p.width * p.length * n_0),
        start=n_0,
    )


def _score_growth(
    state: State, separator: Separator, sizes: Sizes, kappa: Tensor, p: Any
) -> dict[str, Tensor]:
    """The fields of the report that speak of the growth of scores."""
    n_0 = pace(p)
    unit = kappa / (torch.sqrt(p.width) * p.length * n_0)  # S is in units of 1/N₀ here, and κ' = N₀κ
    resolved = growth_is_resolved(None, p)
    grown = torch.where(resolved, gradient_flow.score_growth(state.learned, p), torch.nan)
    logs = torch.log(torch.clamp(state.learned.time, min=1)) ** 2
    predicted = score_limits(separator, sizes.counts, sizes.length).reshape(-1) * logs
    four = torch.stack([grown[1], grown[3], -grown[6], -grown[7]])  # rows are keys: C₁₂, C₂₁, −C₃₁, −C₃₂
    irrelevant = p.samples * irrelevant_score_growth(state.learned.orbit, state.begun.orbit, sizes)
    return {
        "grown": grown,
        "goal": torch.where(n_0 >= 10, predicted, torch.nan),
        "least": four.amin(),
        "fewest": four.amin() / torch.clamp(logs, min=1),
        "most": four.amax() / torch.clamp(logs, min=1),
        "random": torch.where(resolved, irrelevant / torch.where(unit > 0, unit, 1), torch.nan),
    }


def _margins(state: State, sizes: Sizes, p: Any) -> dict[str, Tensor]:
    """The fields of the report that speak of margins, and of the part that attention has in them."""
    learned, begun = state.learned.orbit, state.begun.orbit
    with_attention = SIGNS * orbit.outputs(learned, sizes)
    uniform = uniform_margins(learned, sizes)
    without = SIGNS * orbit.outputs(state.flow.orbit, sizes)
    least, least_uniform = with_attention.amin(), uniform.amin()
    score = largest_score(begun, sizes) / torch.sqrt(sizes.width) + largest_shift(state.path, begun, sizes)
    return {
        "least_learned": least,
        "least_uniform": least_uniform,
        "least_frozen": without.amin(),
        "share": torch.where(least > 0, 1 - least_uniform / least, torch.nan),
        "part": (with_attention - uniform).abs().amax(),
        "allowed": p.length * output_spread(learned, sizes) * torch.tanh(score / 2),
        "margins_learned": with_attention,
        "margins_frozen": without,
    }


def _least_unseen(here: Orbit, sizes: Sizes) -> Tensor:
    """The least margin of sentences of unseen words; 0-d."""
    return (SIGNS * orbit.outputs(forget_irrelevant(here), sizes)).amin()
