"""Theorems 3.1 and 3.2 on one run: Phase 1 until τ = C, that is T₁ = C/N₀, then Phase 2."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.cooccurrence.data import FRACTIONS, SIGNS
from lib.cooccurrence.dynamics import orbit, whole
from lib.cooccurrence.dynamics.limit import max_margin
from lib.cooccurrence.setting import Setting, pace, scaled
from lib.domain import Domain
from lib.solve import Program, Stage

LEAST = 0.1
"""What the theorems' Ω(1) is measured with."""


class Parameters(NamedTuple):
    """The fields of :class:`lib.cooccurrence.dynamics.whole.Parameters`, then C of T₁ = C/N₀; all 0-d."""

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
    constant: Tensor


DOMAINS = (*whole.DOMAINS, Domain("constant", low=0.1, high=1e4))
DEFAULTS = {**whole.DEFAULTS, "constant": 30.0}


class Report(NamedTuple):
    """What the theorems say, and what happened.

    Attributes:
        wide, long, many, fit_0, fit_1: 1 where the items of Condition 1 hold with constants and logarithms 1.
        shares: 1 where the types have the shares of Assumption 2.3 (i).
        lasting: 1 where the limit of −G(μ₃)/max G(μ₁), G(μ₂) is above 1: by Definition 2.1's shares n > 3(L + 1).
        half, correct, signs: τ from which Lemma 4.3's left inequality holds, all samples are right, Theorem 3.2's
            fourth item has its signs; NaN where they do not at the end.
        since: the same for every entry of ``whole.GAPS``, (14,).
        signals: G on μ₁, μ₂, μ₃ at T₁, (3,). ``margin``: the least y F there. ``loss_1``, ``loss``: at T₁, at the end.
        moved_k, moved_v, moved_n: largest relative change in Phase 1 of K and Q, of G = W_VᵀW_V, and of N.
        moved_s: largest change of a score of the signals in Phase 1, over √m.
        ratio, limit: −G(μ₃)/max G(μ₁), G(μ₂) at the end and at the end of time.
        first, second: whether Theorem 3.1, Theorem 3.2 holds here. ``verdict``, ``story``: what to say.
        unit: T₁ in the paper's own time, C/N₀. ``reached``: 1 if the run came to its end.
    """

    wide: Tensor
    long: Tensor
    many: Tensor
    fit_0: Tensor
    fit_1: Tensor
    shares: Tensor
    lasting: Tensor
    half: Tensor
    correct: Tensor
    signs: Tensor
    since: Tensor
    line: Tensor
    signals: Tensor
    margin: Tensor
    loss_1: Tensor
    loss: Tensor
    moved_k: Tensor
    moved_v: Tensor
    moved_n: Tensor
    moved_s: Tensor
    ratio: Tensor
    limit: Tensor
    first: Tensor
    second: Tensor
    verdict: Tensor
    story: Tensor
    unit: Tensor
    reached: Tensor


def _change(after: Tensor, before: Tensor) -> Tensor:
    """The largest relative change of a squared length on μ₁, μ₂, μ₃."""
    then = before.diagonal()[:3]
    return ((after.diagonal()[:3] - then).abs() / torch.where(then > 0, then, 1)).amax()


def report(ends: tuple[whole.State, ...], p: Parameters) -> Report:
    """See :class:`Report`."""
    chosen = Setting(*p[: len(Setting._fields)])
    sizes, _ = scaled(chosen, p.learned)
    middle, end = ends
    begun, at_1, last = (
        whole.begin(whole.Parameters(*p[:-1])),
        orbit.unpack(middle.going.state),
        orbit.unpack(end.going.state),
    )
    margin = (SIGNS * orbit.outputs(at_1, sizes)).amin()
    g, late = at_1.blocks.output[:3], last.blocks.output[:3]
    goal = max_margin(sizes.counts, sizes.length)
    moved = (at_1.blocks.score - begun.blocks.score)[:3, :3].abs().amax() / torch.sqrt(sizes.width)
    shares = sizes.counts / sizes.counts.sum()
    loss_1, loss = ((shares * orbit.losses(state, sizes)).sum() for state in (at_1, last))
    aligned = torch.stack([g[0], g[1], -g[2]]).amin() >= LEAST
    first = aligned & (margin > 0) & (loss_1 > LEAST**2)
    items = torch.nan_to_num(end.since[3:], nan=float("inf"))
    second = aligned & (items <= p.constant).all()
    hypotheses = _condition(chosen)
    limit = -goal.signals[2] / torch.maximum(goal.signals[0], goal.signals[1])
    granted = torch.stack([*hypotheses.values(), _as_assumed(shares)]).amin() > 0.5
    holds = first & second
    verdict = torch.where(granted, torch.where(holds, 0, 1), torch.where(holds, 3, 2))
    story = torch.where(holds, 0, torch.where(first, 1, 2))
    number = torch.float64
    return Report(
        **hypotheses,
        shares=_as_assumed(shares),
        lasting=(limit > 1 + 1e-9).to(number),
        half=end.since[0],
        correct=end.since[1],
        signs=end.since[3],
        since=end.since,
        line=p.constant,
        signals=g,
        margin=margin,
        loss_1=loss_1,
        loss=loss,
        moved_k=torch.maximum(
            _change(at_1.blocks.key, begun.blocks.key), _change(at_1.blocks.query, begun.blocks.query)
        ),
        moved_v=_change(at_1.blocks.value, begun.blocks.value),
        moved_n=(at_1.blocks.size / begun.blocks.size - 1).abs(),
        moved_s=moved,
        ratio=-late[2] / torch.maximum(late[0], late[1]),
        limit=limit,
        first=first.to(number),
        second=second.to(number),
        verdict=verdict.to(number),
        story=story.to(number),
        unit=p.constant / pace(chosen),
        reached=(end.going.time >= _last(p)).to(number),
    )


def _condition(s: Setting) -> dict[str, Tensor]:
    """Condition 1's five items as in :func:`lib.cooccurrence.setting.condition_1`, each 1 or 0."""
    items = {
        "wide": s.width >= s.neurons,
        "long": s.width >= s.length**2,
        "many": s.samples >= s.length**2,
        "fit_0": (s.sigma_0 >= 1 / 3) & (s.sigma_0 <= 3),
        "fit_1": (s.sigma_1 >= 1 / 3) & (s.sigma_1 <= 3),
    }
    return {name: item.to(torch.float64) for name, item in items.items()}


def _as_assumed(shares: Tensor) -> Tensor:
    """1 where the types' shares are ½, ⅙, ⅙, ⅙, each to within a hundredth."""
    return ((shares - torch.tensor(FRACTIONS, dtype=torch.float64)).abs().amax() < 0.01).to(torch.float64)


def _last(p: Parameters) -> Tensor:
    """The last τ; Phase 2 is never shorter than a hundredth of Phase 1."""
    return torch.maximum(10**p.end, 1.01 * p.constant)


def two_phases() -> Program:
    """Gradient flow until τ = ``constant``, then until 10^``end``."""
    return Program(
        parameters=Parameters,
        domains=DOMAINS,
        start=whole.start,
        stages=(
            Stage("Phase 1", lambda s, p: s, lambda s, p: whole.advance(s, p, p.constant), "evaluations"),
            Stage("Phase 2", lambda s, p: s, lambda s, p: whole.advance(s, p, _last(p)), "evaluations"),
        ),
        watch=whole.read,
        report=report,
    )
