"""The paper's experiment on the orbit engine: gradient descent with finite steps beside gradient flow.

Five readings of "Kaiming initialization" (Appendix A), with fan-in d = 64 for W_V, W_K and W_Q, m for W, and m₁ = 256
for a. The clock is t in the paper's epochs, 100 t, whatever the rate. Irrelevant words are distinct here.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.cooccurrence.data import FRACTIONS, HOLDS, SIGNS
from lib.cooccurrence.dynamics import orbit
from lib.cooccurrence.dynamics.draw import dimensions, drawn
from lib.cooccurrence.dynamics.fresh import forget, margins
from lib.cooccurrence.dynamics.limit import max_margin
from lib.domain import Domain
from lib.solve import Adaptive, Program, Stage, adaptive_start, adaptive_step

READINGS = (
    "normal, a = ±1",
    "normal, all layers",
    "uniform, a = ±1",
    "uniform, a = ±1/16",
    "uniform, all layers",
)
FAN_IN, NEURONS, RATE, EPOCHS = 64.0, 256.0, 0.01, 30_000.0
_SPREAD = torch.tensor([2.0, 2.0, 1 / 3, 1 / 3, 1 / 3], dtype=torch.float64)
"""Variance of a weight, times fan-in, in each reading."""
_LAYER = torch.tensor([NEURONS, 2.0, NEURONS, 1.0, 1 / 3], dtype=torch.float64)
"""‖a‖² in each reading, in the mean."""
_SHARES = torch.tensor(FRACTIONS, dtype=torch.float64)
TOLERANCE = 1e-6
BLOWN = 1e6
"""Descent is given up as divergent where the loss passes this."""


class Choices(NamedTuple):
    """reading: its place in ``READINGS``. rate: of descent; epochs: its steps. samples: n. length: L. width: m.

    random: 1 draws the start of ``seed``, 0 takes its mean. evaluations: of the flow's right-hand side, at most.
    All 0-d.
    """

    reading: Tensor
    rate: Tensor
    epochs: Tensor
    samples: Tensor
    length: Tensor
    width: Tensor
    random: Tensor
    seed: Tensor
    evaluations: Tensor


DOMAINS = (
    Domain("reading", low=0, high=len(READINGS) - 1, integer=True),
    Domain("rate", low=1e-4, high=100),
    Domain("epochs", low=1, high=30_000, integer=True),
    Domain("samples", low=6, high=1e6),
    Domain("length", low=4, high=100, integer=True),
    Domain("width", low=16, high=1e6),
    Domain("random", low=0, high=1, integer=True),
    Domain("seed", low=0, high=10**5, integer=True),
    Domain("evaluations", low=7, high=10**6, integer=True),
)
DEFAULTS: dict[str, float] = {
    "reading": 4,
    "rate": 0.3,
    "epochs": 1000,
    "samples": 60.0,
    "length": 5,
    "width": 128.0,
    "random": 1,
    "seed": 0,
    "evaluations": 4000,
}


class State(NamedTuple):
    """A run: descent's packed state (236,), its epochs and whether it blew up; the flow, and what is followed in it.

    ``correct``: t since which the flow has all samples right, NaN if it has not. ``peak``: the largest loss so far of
    types 2 and 3, mean. ``first``: S of the signals at the start, (9,). ``now``: 0 in descent, 1 in the flow.
    """

    descent: Tensor
    taken: Tensor
    blown: Tensor
    flow: Adaptive
    correct: Tensor
    peak: Tensor
    first: Tensor
    now: Tensor


class Watch(NamedTuple):
    """What the figure draws; ``epoch`` is 100 t. Each is NaN in the stage it is not about.

    Losses by type (4,) and their mean under descent and the flow; growth of S of the signals (9,), not over √m; the
    flow's loss on sentences of unseen words.
    """

    epoch: Tensor
    descent: Tensor
    descent_loss: Tensor
    flow: Tensor
    loss: Tensor
    grown: Tensor
    unseen: Tensor


class Report(NamedTuple):
    """What came of it.

    Attributes:
        wide, many, sized: m ≥ m₁; n ≥ L²; 64 words suffice for distinct ones. ``fit_0``, ``fit_1``: σ₀ and σ₁ within a
            factor 3 of Condition 1's. ``unit``: |a| = 1.
        pace: N₀. ``stiffness``: rate times the largest curvature at the mean start; descent overshoots above 2.
        correct: the paper's epoch from which the flow has all samples right. ``part``: that over all epochs.
        rises: by how much the mean loss of types 2 and 3 rises first. ``scores``: the least of the growths of S₁₂,
            S₂₁, −S₃₁, −S₃₂ at the end.
        loss, descent_loss, unseen: at the end. ``apart``: the largest difference of G(μ) between descent and flow at
            descent's end, over the largest G; ``blown``: the step at which descent was given up, else NaN.
        least_unseen, least_recombined: the separator's least margin on new sentences.
    """

    wide: Tensor
    many: Tensor
    sized: Tensor
    fit_0: Tensor
    fit_1: Tensor
    unit: Tensor
    pace: Tensor
    stiffness: Tensor
    correct: Tensor
    part: Tensor
    rises: Tensor
    scores: Tensor
    loss: Tensor
    descent_loss: Tensor
    unseen: Tensor
    apart: Tensor
    blown: Tensor
    least_unseen: Tensor
    least_recombined: Tensor
    verdict: Tensor
    story: Tensor


def _pick(table: Tensor, p: Choices) -> Tensor:
    return table.index_select(0, p.reading.to(torch.int64).reshape(1))[0]


def value_gram(p: Choices) -> Tensor:
    """κ = σ₀² m; 0-d."""
    return _pick(_SPREAD, p) * p.width / FAN_IN


def pace(p: Choices) -> Tensor:
    """N₀ = ‖a‖² σ₁² m; 0-d."""
    return _pick(_LAYER, p) * _pick(_SPREAD, p)


def sizes(p: Choices) -> orbit.Sizes:
    """The paper's shares of the four types; attention learned."""
    return orbit.Sizes(p.samples * _SHARES, p.length, p.width, _pick(_LAYER, p), torch.ones_like(p.width))


def start(p: Choices) -> State:
    """Both at the same start."""
    kappa, size = value_gram(p), pace(p)
    draw = drawn(p.seed, p.width, kappa, size, dimensions(p.samples * _SHARES, p.length))
    packed = torch.where(p.random > 0.5, orbit.pack(draw), orbit.pack(orbit.start(kappa, size)))
    zero = torch.zeros_like(p.rate)
    begun = orbit.unpack(packed)
    return State(
        packed,
        zero,
        zero,
        adaptive_start(packed, 1e-4 / size),
        zero + torch.nan,
        orbit.losses(begun, sizes(p))[1:3].mean(),
        begun.blocks.score[:3, :3].reshape(-1),
        zero,
    )


def descend(state: State, p: Choices) -> tuple[State, Tensor]:
    """One step of gradient descent. Where the loss passes ``BLOWN`` the last state is kept and the stage ends."""
    moved = orbit.pack(orbit.step(orbit.unpack(state.descent), sizes(p), p.rate))
    loss = (_SHARES * orbit.losses(orbit.unpack(moved), sizes(p))).sum()
    fine = (loss <= BLOWN) & torch.isfinite(moved).all()
    blown = torch.where(fine, state.blown, state.taken + 1)
    kept = torch.where(fine, moved, state.descent)
    return state._replace(descent=kept, taken=state.taken + fine, blown=blown), ~fine


def advance(state: State, p: Choices, end: Tensor) -> tuple[State, Tensor]:
    """One evaluation of the flow on the way to t = ``end``."""
    here = sizes(p)
    going, done = adaptive_step(
        lambda x: orbit.pack(orbit.flow(orbit.unpack(x), here)), state.flow, end, TOLERANCE, TOLERANCE
    )
    outputs = orbit.outputs(orbit.unpack(going.state), here)
    right = (SIGNS * outputs).amin() > 0
    since = torch.where(torch.isnan(state.correct), going.time, state.correct)
    losses = torch.nn.functional.softplus(-SIGNS * outputs)
    return state._replace(
        flow=going,
        correct=torch.where(right, since, torch.nan),
        peak=torch.maximum(state.peak, losses[1:3].mean()),
    ), done


def watch(state: State, p: Choices) -> Watch:
    """See :class:`Watch`."""
    here = sizes(p)
    flowing = state.now > 0.5
    descent, flow = orbit.unpack(state.descent), orbit.unpack(state.flow.state)
    losses, others = orbit.losses(descent, here), orbit.losses(flow, here)
    grown = flow.blocks.score[:3, :3].reshape(-1) - state.first
    unseen = (_SHARES * orbit.losses(forget(flow), here)).sum()
    return Watch(
        torch.where(flowing, state.flow.time, state.taken * p.rate) / RATE,
        torch.where(flowing, torch.nan, losses),
        torch.where(flowing, torch.nan, (_SHARES * losses).sum()),
        torch.where(flowing, others, torch.nan),
        torch.where(flowing, (_SHARES * others).sum(), torch.nan),
        torch.where(flowing, grown, torch.nan),
        torch.where(flowing, unseen, torch.nan),
    )


def largest(p: Choices) -> Tensor:
    """The largest curvature of the loss at the mean start: ¼ of the largest eigenvalue of the kernel over n; 0-d.

    There g is 0 and G = κ I, so the kernel is (N₀ + ‖a‖² κ) C Cᵀ, C the word counts. On the four types, with L − |held|
    on the diagonal, power iteration finds its largest eigenvalue.
    """
    counts = p.samples * _SHARES
    root = torch.sqrt(counts)
    matrix = root[:, None] * (HOLDS @ HOLDS.T) * root + torch.diag(p.length - HOLDS.sum(1))
    vector = root / torch.sqrt(p.samples)
    for _ in range(20):
        vector = matrix @ vector
        vector = vector / torch.sqrt(torch.square(vector).sum())
    top = vector @ (matrix @ vector)
    return (pace(p) + _pick(_LAYER, p) * value_gram(p)) * top / (4 * p.samples)


def report(states: tuple[State, ...], p: Choices) -> Report:
    """See :class:`Report`. ``states``: at the end of descent, of the flow until the same t, and of the flow."""
    here, end = sizes(p), states[2]
    descent, same, flow = (orbit.unpack(x) for x in (end.descent, states[1].flow.state, states[2].flow.state))
    limit = max_margin(here.counts, p.length)
    new = margins(limit, p.length)
    grown = flow.blocks.score[:3, :3].reshape(-1) - end.first
    scores = torch.stack([grown[1], grown[3], -grown[6], -grown[7]]).amin()
    first = torch.nn.functional.softplus(-SIGNS * orbit.outputs(orbit.unpack(start(p).descent), here))
    rises = end.peak - first[1:3].mean()
    g, other = descent.blocks.output[:3], same.blocks.output[:3]
    apart = (g - other).abs().amax() / torch.maximum(other.abs().amax(), torch.full_like(p.rate, 1e-12))
    spread, number = _pick(_SPREAD, p), torch.float64
    fit_0 = torch.sqrt(spread / FAN_IN * p.length * p.width)  # σ₀ √(Lm), 1 in Condition 1
    fit_1 = torch.sqrt(spread * NEURONS / p.width)  # σ₁ √m₁
    needed = 3 + p.samples * (p.length - 7 / 3)
    blown = end.blown > 0
    seen = (rises > 0.005) & (scores > 0)
    early = end.correct / RATE < EPOCHS / 300
    return Report(
        wide=(p.width >= NEURONS).to(number),
        many=(p.samples >= p.length**2).to(number),
        sized=(needed <= FAN_IN).to(number),
        fit_0=((fit_0 <= 3) & (fit_0 >= 1 / 3)).to(number),
        fit_1=((fit_1 <= 3) & (fit_1 >= 1 / 3)).to(number),
        unit=(_pick(_LAYER, p) >= NEURONS).to(number),
        pace=pace(p),
        stiffness=p.rate * largest(p),
        correct=end.correct / RATE,
        part=end.correct / RATE / EPOCHS,
        rises=rises,
        scores=scores,
        loss=(_SHARES * orbit.losses(flow, here)).sum(),
        descent_loss=(_SHARES * orbit.losses(descent, here)).sum(),
        unseen=(_SHARES * orbit.losses(forget(flow), here)).sum(),
        apart=torch.where(blown, torch.nan, apart),
        blown=torch.where(blown, end.blown, torch.nan),
        least_unseen=new.unseen.amin(),
        least_recombined=new.recombined.amin(),
        verdict=torch.where(seen, torch.where(early, 1, 0), 2).to(number),
        story=torch.where(blown, 2, torch.where(apart < 0.05, 0, 1)).to(number),
    )


def paper_run() -> Program:
    """Descent for ``epochs`` steps; the flow until the same t; the flow on until the paper's 30 000 epochs."""
    last = EPOCHS * RATE

    def until(state: State, p: Choices) -> Tensor:
        return torch.clamp(state.taken * p.rate, min=1e-6)

    def to_same(state: State, p: Choices) -> tuple[State, Tensor]:
        return advance(state, p, until(state, p))

    def to_last(state: State, p: Choices) -> tuple[State, Tensor]:
        return advance(state, p, torch.clamp(until(state, p), min=last))

    return Program(
        parameters=Choices,
        domains=DOMAINS,
        start=start,
        stages=(
            Stage("gradient descent", lambda s, p: s, descend, "epochs"),
            Stage(
                "gradient flow, as far as descent",
                lambda s, p: s._replace(now=torch.ones_like(s.now)),
                to_same,
                "evaluations",
            ),
            Stage("gradient flow, to 30 000 epochs", lambda s, p: s, to_last, "evaluations"),
        ),
        watch=watch,
        report=report,
    )
