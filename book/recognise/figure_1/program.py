"""The paper's experiment on the orbit engine: gradient descent with finite steps beside gradient flow.

The clock is t in the paper's epochs, 100 t, whatever the rate. Irrelevant words are distinct here.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recognise.experiments.paper_model import DEFAULT, EPOCHS, PAPER, RATE, READINGS
from lib.domain import Domain
from lib.integrate import Adaptive, adaptive_start, adaptive_step
from lib.program import Program, Stage, record
from lib.recognise import gradient_flow, orbit
from lib.recognise.new_sentences import forget_irrelevant, margins
from lib.recognise.random_start import dimensions, random_start
from lib.recognise.separator import max_margin
from lib.recognise.task import FRACTIONS, HOLDS, SIGNS

_SPREAD = torch.tensor(
    [2.0 if law == "normal" else 1 / 3 for law, _ in READINGS.values()], dtype=torch.float64
)
"""Variance of a weight, times fan-in, in each reading."""
_SIZE_OF_SIGNS = {"sign": float(PAPER.neurons), "small sign": 1.0}
"""‖a‖² if the entries of a are ±1, or ±1/√m₁."""
_LAYER = torch.tensor(
    [
        _SIZE_OF_SIGNS.get(layer, float(spread))
        for (_, layer), spread in zip(READINGS.values(), _SPREAD, strict=True)
    ],
    dtype=torch.float64,
)
"""‖a‖² in each reading, in the mean."""
_SHARES = torch.tensor(FRACTIONS, dtype=torch.float64)
TOLERANCE = 1e-6
"""Relative and absolute, on the error of one step of the flow's integration."""
BLOWN = 1e6
"""Descent is given up as divergent where the loss passes this."""
FOUR, SIDES = torch.tensor([1, 3, 6, 7]), torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64)
"""Scores S₁₂, S₂₁, S₃₁ and S₃₂ among the nine of the signals, and the side on which each ends."""

DOMAINS = (
    Domain(
        "reading",
        low=0,
        high=len(READINGS) - 1,
        integer=True,
        default=list(READINGS).index(DEFAULT),
        words="how weights start",
        scale="menu",
        track=tuple(READINGS),
    ),
    Domain(
        "rate",
        low=1e-4,
        high=100,
        default=0.3,
        words="learning rate",
        scale="log",
        track=(1e-3, 100),
    ),
    Domain(
        "epochs",
        low=1,
        high=30_000,
        integer=True,
        default=1000,
        words="epochs of descent",
        scale="whole",
        track=(10, 1000, 10),
    ),
    *(
        domain
        for domain in gradient_flow.domains(
            samples={"high": 1e6, "default": 60.0, "track": (6, 1e4)},
            length={"high": 100, "default": 5},
            width={"high": 1e6, "default": 128.0, "track": (32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)},
        )
        if domain.name in ("samples", "length", "width", "random", "seed", "evaluations")
    ),
)
"""``reading``: its place in ``READINGS``. ``random`` 0 takes the mean start. ``evaluations``: of the flow's right-hand
side, at most."""
Choices = record("Choices", [domain.name for domain in DOMAINS])


class State(NamedTuple):
    """A run: gradient descent, then the flow from the same start."""

    descent: Tensor  # (236,) descent's packed state
    taken: Tensor  # its steps
    blown: Tensor  # the step at which it was given up, 0 while it is not
    before: Tensor  # its mean loss before the last step
    rise: Tensor  # the largest rise of that over one step
    flow: Adaptive
    losses: Tensor  # (4,) the flow's, by type
    correct: Tensor  # t since which the flow has all samples right, NaN if it has not
    border: Tensor  # (9,) S of the signals at that t
    climb: Tensor  # the largest change of a type's loss over a step of the flow since then
    fall: Tensor  # the largest change of the loss of type 1 over a step before
    peak: Tensor  # the largest loss so far of types 2 and 3, mean
    peaked: Tensor  # t of it
    first: Tensor  # (9,) S of the signals at the start
    now: Tensor  # 0 in descent, 1 in the flow as far as that, 2 in the rest


class Watch(NamedTuple):
    """What the figure draws; each is NaN in the stage of which it does not speak."""

    epoch: Tensor  # 100 t
    descent: Tensor  # (4,) losses by type under descent
    descent_loss: Tensor  # their mean over all samples
    flow: Tensor  # (4,) losses by type under the flow
    loss: Tensor  # their mean over all samples
    grown: Tensor  # (9,) growth of S of the signals, not over √m
    unseen: Tensor  # the flow's loss on sentences of unseen words


class Report(NamedTuple):
    """What the run shows, each 0-d. Epochs are the paper's, 100 t. Of Condition 1 each item is 1 or 0."""

    wide: Tensor  # m ≥ m₁
    sized: Tensor  # 64 words suffice for distinct ones
    fit_0: Tensor  # σ₀ within a factor 3 of Condition 1's
    fit_1: Tensor  # σ₁ too
    unit: Tensor  # |a| = 1
    output: Tensor  # the largest |F| at the start
    time: Tensor  # t to which the flow was followed
    margin: Tensor  # the flow's least y F at its end
    given_up: Tensor  # the step at which descent was given up as divergent, 0 if it was not
    pace: Tensor  # N₀
    stiffness: Tensor  # rate times the largest curvature at the mean start; descent overshoots above 2
    correct: Tensor  # the epoch from which the flow has all samples right; NaN if it has not at the end
    part: Tensor  # that over all epochs
    rises: Tensor  # by how much the mean loss of types 2 and 3 rises first
    peaked: Tensor  # the epoch at which it is largest
    climb: Tensor  # the largest change of a type's loss over a step of the flow in Phase 2
    fall: Tensor  # the largest change of the loss of samples with both targets over a step in Phase 1
    scores: Tensor  # the least of the growths of S₁₂, S₂₁, −S₃₁, −S₃₂ at the end
    gain: Tensor  # the same in Phase 2 alone
    early: Tensor  # the part of all four scores' change that falls into Phase 1
    loss: Tensor  # the flow's at the end
    descent_loss: Tensor
    unseen: Tensor  # the flow's on sentences of unseen words
    apart: Tensor  # the largest difference of G(μ) between descent and flow at descent's end, over the largest |G|
    rise: Tensor  # the largest rise of the loss over a step of descent
    blown: Tensor  # given_up, NaN if it was not
    least_unseen: Tensor  # the separator's least margin on sentences of unseen words
    least_recombined: Tensor  # and on those that recombine words of the training set


def _of_reading(table: Tensor, p: Any) -> Tensor:
    """The entry of a table, (5,), for the chosen reading; 0-d."""
    return table.index_select(0, p.reading.to(torch.int64).reshape(1))[0]


def value_gram(p: Any) -> Tensor:
    """κ = σ₀² m; 0-d."""
    return _of_reading(_SPREAD, p) * p.width / PAPER.words


def pace(p: Any) -> Tensor:
    """N₀ = ‖a‖² σ₁² m; 0-d."""
    return _of_reading(_LAYER, p) * _of_reading(_SPREAD, p)


def sizes(p: Any) -> orbit.Sizes:
    """The sizes of a training with the paper's shares of the four types; attention learns."""
    return orbit.Sizes(
        p.samples * _SHARES, p.length, p.width, _of_reading(_LAYER, p), torch.ones_like(p.width)
    )


def start(p: Any) -> State:
    """Descent and flow at the same start."""
    kappa, size = value_gram(p), pace(p)
    drawn = random_start(p.seed, p.width, kappa, size, dimensions(p.samples * _SHARES, p.length))
    packed = torch.where(p.random > 0.5, orbit.pack(drawn), orbit.pack(orbit.start(kappa, size)))
    zero = torch.zeros_like(p.rate)
    begun = orbit.unpack(packed)
    losses, score = orbit.losses(begun, sizes(p)), begun.blocks.score[:3, :3].reshape(-1)
    return State(
        descent=packed,
        taken=zero,
        blown=zero,
        before=orbit.loss(begun, sizes(p)),
        rise=zero,
        flow=adaptive_start(packed, 1e-4 / size),
        losses=losses,
        correct=zero + math.nan,
        border=score + math.nan,
        climb=zero - math.inf,
        fall=zero - math.inf,
        peak=losses[1:3].mean(),
        peaked=zero,
        first=score,
        now=zero,
    )


def descend(state: State, p: Any) -> tuple[State, Tensor]:
    """One step of gradient descent. Where the loss passes ``BLOWN`` the last state is kept and the stage ends."""
    moved = orbit.pack(orbit.step(orbit.unpack(state.descent), sizes(p), p.rate))
    loss = orbit.loss(orbit.unpack(moved), sizes(p))
    fine = (loss <= BLOWN) & torch.isfinite(moved).all()
    return state._replace(
        descent=torch.where(fine, moved, state.descent),
        taken=state.taken + fine,
        blown=torch.where(fine, state.blown, state.taken + 1),
        before=loss,
        rise=torch.where(fine, torch.maximum(state.rise, loss - state.before), torch.inf),
    ), ~fine


def advance(state: State, p: Any) -> tuple[State, Tensor]:
    """One evaluation of the flow, on the way to descent's t, and after that to the last epoch's."""
    same = torch.clamp(state.taken * p.rate, min=1e-6)
    end = torch.where(state.now > 1.5, torch.clamp(same, min=EPOCHS * RATE), same)
    here = sizes(p)
    slope = gradient_flow.right_hand_side(here)
    flow, done = adaptive_step(slope, state.flow, end, TOLERANCE, TOLERANCE)
    seen = orbit.unpack(flow.state)
    outputs = orbit.outputs(seen, here)
    right = (SIGNS * outputs).amin() > 0
    waiting = torch.isnan(state.correct)
    losses = torch.nn.functional.softplus(-SIGNS * outputs)
    stepped = flow.time > state.flow.time
    change = torch.where(stepped & ~waiting, (losses - state.losses).amax(), -torch.inf)
    first = torch.where(stepped & waiting, losses[0] - state.losses[0], -torch.inf)
    single = losses[1:3].mean()
    score = seen.blocks.score[:3, :3].reshape(-1)
    return state._replace(
        flow=flow,
        losses=losses,
        correct=torch.where(right, torch.where(waiting, flow.time, state.correct), torch.nan),
        border=torch.where(right, torch.where(waiting, score, state.border), torch.nan),
        climb=torch.where(right, torch.maximum(state.climb, change), -torch.inf),
        fall=torch.maximum(state.fall, first),
        peak=torch.maximum(state.peak, single),
        peaked=torch.where(single > state.peak, flow.time, state.peaked),
    ), done


def watch(state: State, p: Any) -> Watch:
    """What the figure draws of a state."""
    here = sizes(p)
    flowing = state.now > 0.5
    descent, flow = orbit.unpack(state.descent), orbit.unpack(state.flow.state)
    grown = flow.blocks.score[:3, :3].reshape(-1) - state.first
    return Watch(
        epoch=torch.where(flowing, state.flow.time, state.taken * p.rate) / RATE,
        descent=torch.where(flowing, torch.nan, orbit.losses(descent, here)),
        descent_loss=torch.where(flowing, torch.nan, orbit.loss(descent, here)),
        flow=torch.where(flowing, orbit.losses(flow, here), torch.nan),
        loss=torch.where(flowing, orbit.loss(flow, here), torch.nan),
        grown=torch.where(flowing, grown, torch.nan),
        unseen=torch.where(flowing, orbit.loss(forget_irrelevant(flow), here), torch.nan),
    )


def largest_curvature(p: Any) -> Tensor:
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
    return (pace(p) + _of_reading(_LAYER, p) * value_gram(p)) * top / (4 * p.samples)


def condition_1(p: Any) -> dict[str, Tensor]:
    """The items of Condition 1 and of Assumption 2.3 (ii) that the table shows, each 1 or 0."""
    spread, layer = _of_reading(_SPREAD, p), _of_reading(_LAYER, p)
    words_needed = 3 + p.samples * (p.length - 7 / 3)
    items = {
        "wide": p.width >= PAPER.neurons,
        "sized": words_needed <= PAPER.words,
        "fit_0": _near_one(torch.sqrt(spread / PAPER.words * p.length * p.width)),  # σ₀ √(Lm)
        "fit_1": _near_one(torch.sqrt(spread * PAPER.neurons / p.width)),  # σ₁ √m₁
        "unit": layer >= PAPER.neurons,
    }
    return {name: item.to(torch.float64) for name, item in items.items()}


def _near_one(scale: Tensor) -> Tensor:
    """Whether a scale that Condition 1 makes 1 is that to within a factor of 3; 0-d bool."""
    return (scale >= 1 / 3) & (scale <= 3)


def report(states: tuple[State, ...], p: Any) -> Report:
    """What the run shows.

    Args:
        states: at the end of descent, of the flow until the same t, and of the flow.
    """
    here, end = sizes(p), states[2]
    descent, flow = orbit.unpack(end.descent), orbit.unpack(end.flow.state)
    new = margins(max_margin(here.counts, p.length), p.length)
    outputs = orbit.outputs(orbit.unpack(start(p).descent), here)
    first_losses = torch.nn.functional.softplus(-SIGNS * outputs)
    diverged = end.blown > 0
    return Report(
        **condition_1(p),
        output=outputs.abs().amax(),
        time=end.flow.time,
        margin=(SIGNS * orbit.outputs(flow, here)).amin(),
        given_up=end.blown,
        pace=pace(p),
        stiffness=p.rate * largest_curvature(p),
        correct=end.correct / RATE,
        part=end.correct / RATE / EPOCHS,
        rises=end.peak - first_losses[1:3].mean(),
        peaked=end.peaked / RATE,
        climb=end.climb,
        fall=end.fall,
        **_score_growth(end, flow),
        loss=orbit.loss(flow, here),
        descent_loss=orbit.loss(descent, here),
        unseen=orbit.loss(forget_irrelevant(flow), here),
        apart=torch.where(diverged, torch.nan, _distance(descent, orbit.unpack(states[1].flow.state))),
        rise=end.rise,
        blown=torch.where(diverged, end.blown, torch.nan),
        least_unseen=new.unseen.amin(),
        least_recombined=new.recombined.amin(),
    )


def _score_growth(end: State, flow: orbit.Orbit) -> dict[str, Tensor]:
    """The fields of the report that speak of the growth of the four scores, in both phases and in each."""
    score = flow.blocks.score[:3, :3].reshape(-1)
    grown, before, after = (
        SIDES * change[FOUR] for change in (score - end.first, end.border - end.first, score - end.border)
    )
    return {
        "scores": grown.amin(),
        "gain": after.amin(),
        "early": before.abs().sum() / (before.abs() + after.abs()).sum(),
    }


def _distance(descent: orbit.Orbit, flow: orbit.Orbit) -> Tensor:
    """The largest difference of G on the signals, over the flow's largest in size; 0-d."""
    ours, theirs = descent.blocks.output[:3], flow.blocks.output[:3]
    return (ours - theirs).abs().amax() / torch.clamp(theirs.abs().amax(), min=1e-12)


def paper_run() -> Program:
    """Descent for ``epochs`` steps; the flow until the same t; the flow on until the paper's 30 000 epochs."""

    def enter(s: State, p: Any) -> State:
        return s._replace(now=s.now + 1)

    return Program(
        parameters=Choices,
        domains=DOMAINS,
        start=start,
        stages=(
            Stage("gradient descent", lambda s, p: s, descend, "epochs"),
            Stage("gradient flow, as far as descent", enter, advance, "evaluations"),
            Stage("gradient flow, to 30 000 epochs", enter, advance, "evaluations"),
        ),
        watch=watch,
        report=report,
    )
