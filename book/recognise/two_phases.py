"""Phase 1 until τ = C, that is T₁ = C/N₀, then Phase 2: the program of two pages, "phases" and "breaking"."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.ledger import Bound, above, at_least, at_most
from book.recognise.common import END_OF_PHASE_1, latest_moment
from lib.domain import Domain
from lib.program import Program, Stage, record, run
from lib.recognise import gradient_flow, orbit
from lib.recognise.gradient_flow import COMMON_FASTER, CORRECT, SCORES, SUM_SIGNS, VALUES
from lib.recognise.orbit import Orbit, Sizes
from lib.recognise.separator import max_margin
from lib.recognise.setting import pace, scaled
from lib.recognise.task import SIGNS

LEAST = 0.1
"""What the theorems' Ω(1) and Θ(1) are measured with."""
CLOSE = 0.25
"""What counts as close to the start for values and neurons: a relative change, ours."""
STILL = 1e-3
"""The bound for keys and queries, which move far less; a tenth of it for scores over √m."""
DOMAINS = (
    *gradient_flow.DOMAINS,
    Domain(
        "constant",
        low=0.1,
        high=1e4,
        default=END_OF_PHASE_1,
        words="end Phase 1 at τ = C",
        scale="log",
        track=(1, 1000),
    ),
)
Parameters = record("Parameters", [domain.name for domain in DOMAINS])
"""The fields of :data:`lib.recognise.gradient_flow.Parameters`, then ``constant``."""


class State(NamedTuple):
    """A run under way."""

    flow: gradient_flow.State
    begun: Tensor  # (236,) the packed start
    until: Tensor  # 0-d, the τ at which this phase ends
    least: Tensor  # (2,) the least levels in this phase, see _levels


class TwoPhases(NamedTuple):
    """What Theorems 3.1 and 3.2 speak of, each 0-d unless stated. Moments are τ; NaN if something fails at the end."""

    half: Tensor  # from when Lemma 4.3's left inequality holds
    correct: Tensor  # from when all samples are right
    signs: Tensor  # from when the sums of Theorem 3.2's fourth item have its signs
    scores: Tensor  # from when all four scores move as Theorem 3.2 says; inf if never
    products: Tensor  # the same of the three value products
    since: Tensor  # (14,) the same for every gap of lib.recognise.gradient_flow
    signals: Tensor  # (3,) G on μ₁, μ₂, μ₃ at T₁
    margin: Tensor  # the least y F at T₁
    margin_end: Tensor
    loss_1: Tensor  # at T₁
    loss: Tensor  # at the end
    moved_k: Tensor  # the largest relative change of K and Q in Phase 1
    moved_v: Tensor  # of G = W_VᵀW_V
    moved_n: Tensor  # of N
    moved_s: Tensor  # the largest change of a score of the signals in Phase 1, over √m
    least_output: Tensor  # the least of G(μ₁), G(μ₂), −G(μ₃) in Phase 2
    least_sum: Tensor  # of G(μ₁) + G(μ₂) + G(μ₃), −G(μ₁) − G(μ₃), −G(μ₂) − G(μ₃) in Phase 2
    ratio: Tensor  # −G(μ₃)/max G(μ₁), G(μ₂) at the end
    limit: Tensor  # the same at the end of time
    lasting: Tensor  # 1 where that limit is above 1, else 0
    unit: Tensor  # T₁ in the paper's own time
    time_1: Tensor  # τ to which Phase 1 was followed
    time: Tensor  # and Phase 2


def alignment(r: TwoPhases) -> tuple[Bound, ...]:
    """Theorem 3.1's first item at T₁."""
    return (at_least(LEAST, _aligned(r.signals), "item 1, least of G(μ₁), G(μ₂), −G(μ₃) at T₁"),)


def correctness(r: TwoPhases) -> tuple[Bound, ...]:
    """Theorem 3.1's second item at T₁."""
    return (above(0.0, r.margin, "item 2, least margin y F at T₁"),)


def stillness(r: TwoPhases) -> tuple[Bound, ...]:
    """Theorem 3.1's third item at T₁."""
    return (
        at_most(CLOSE, r.moved_v, "item 3, ‖W_Vμ‖² until T₁, relative change"),
        at_most(CLOSE, r.moved_n, "item 3, N until T₁, relative change"),
        at_most(STILL, r.moved_k, "item 3, ‖W_Kμ‖², ‖W_Qμ‖² until T₁, relative change"),
        at_most(STILL / 10, r.moved_s, "item 3, scores over √m until T₁, change"),
    )


def remaining_loss(r: TwoPhases) -> tuple[Bound, ...]:
    """Theorem 3.1's fourth item at T₁."""
    return (at_least(LEAST, r.loss_1, "item 4, loss at T₁"),)


def phase_1(r: TwoPhases) -> tuple[Bound, ...]:
    """Theorem 3.1's four items at T₁."""
    return (*alignment(r), *correctness(r), *stillness(r), *remaining_loss(r))


def directions(r: TwoPhases, p: Any) -> tuple[Bound, ...]:
    """Theorem 3.2's items 1 and 2 from T₁ = C/N₀ until the run's end."""
    return (
        at_most(p.constant, r.scores, "item 1, scores move as stated from τ"),
        at_most(p.constant, r.products, "item 2, value products move as stated from τ"),
    )


def levels(r: TwoPhases, p: Any) -> tuple[Bound, ...]:
    """Theorem 3.2's items 3 and 4 from T₁ = C/N₀ until the run's end."""
    return (
        at_least(LEAST, r.least_output, "item 3, least of G(μ₁), G(μ₂), −G(μ₃) in Phase 2"),
        at_most(p.constant, r.signs, "item 4, the three sums have their signs from τ"),
        at_least(LEAST, r.least_sum, "item 4, least of the three sums in Phase 2, in size"),
    )


def phase_2(r: TwoPhases, p: Any) -> tuple[Bound, ...]:
    """Theorem 3.2's four items from T₁ = C/N₀ until the run's end."""
    return (*directions(r, p), *levels(r, p))


def all_hold(bounds: tuple[Bound, ...]) -> Tensor:
    """Whether every bound holds, 0-d bool."""
    return torch.stack([bound.holds for bound in bounds]).all()


def came_to_phase_2(r: TwoPhases, p: Any) -> Tensor:
    """Whether the run came to T₁."""
    return torch.as_tensor(r.time_1 >= p.constant)


def came_to_the_end(r: TwoPhases, p: Any) -> Tensor:
    """Whether the run came to its last τ."""
    return gradient_flow.has_reached(r.time, _last(p))


def two_phases() -> Program:
    """Gradient flow until τ = ``constant``, then until 10^``end``."""

    def start(p: Any) -> State:
        begun = gradient_flow.start(p)
        return State(begun, begun.integration.state, p.constant, _levels(begun))

    def step(s: State, p: Any) -> tuple[State, Tensor]:
        flow, done = gradient_flow.advance(s.flow, p, s.until)
        return s._replace(flow=flow, least=torch.minimum(s.least, _levels(flow))), done

    def second(s: State, p: Any) -> State:
        return s._replace(until=_last(p), least=_levels(s.flow))

    return Program(
        parameters=Parameters,
        domains=DOMAINS,
        start=start,
        stages=(
            Stage("Phase 1", lambda s, p: s, step, "evaluations"),
            Stage("Phase 2", second, step, "evaluations"),
        ),
        watch=lambda s, p: gradient_flow.read(s.flow, p),
        report=_report,
    )


def _last(p: Any) -> Tensor:
    """The last τ; Phase 2 is never shorter than a hundredth of Phase 1."""
    return torch.maximum(10**p.end, 1.01 * p.constant)


def _aligned(g: Tensor) -> Tensor:
    """The least of G(μ₁), G(μ₂), −G(μ₃); 0-d."""
    return torch.stack([g[0], g[1], -g[2]]).amin()


def _levels(state: gradient_flow.State) -> Tensor:
    """Theorem 3.2's items 3 and 4 at the last accepted state, each as a number that is to be of order 1; (2,)."""
    g = state.orbit.blocks.output[:3]
    sums = torch.minimum(g.sum(), -torch.maximum(g[0], g[1]) - g[2])
    return torch.stack([_aligned(g), sums])


def _report(ends: tuple[State, ...], p: Any) -> TwoPhases:
    sizes, _ = scaled(p, p.learned)
    end_1, end = ends[0].flow, ends[1].flow
    last = end.orbit
    late = last.blocks.output[:3]
    goal = max_margin(sizes.counts, sizes.length).signals
    limit = -goal[2] / torch.maximum(goal[0], goal[1])
    return TwoPhases(
        **_moments(end.since),
        **_at_t_1(end_1.orbit, orbit.unpack(ends[0].begun), sizes),
        margin_end=(SIGNS * orbit.outputs(last, sizes)).amin(),
        loss=orbit.loss(last, sizes),
        least_output=ends[1].least[0],
        least_sum=ends[1].least[1],
        ratio=-late[2] / torch.maximum(late[0], late[1]),
        limit=limit,
        lasting=(limit > 1 + 1e-9).to(torch.float64),
        unit=p.constant / pace(p),
        time_1=end_1.time,
        time=end.time,
    )


def _moments(since: Tensor) -> dict[str, Tensor]:
    """The fields of the report that are moments, by those since when each gap is positive."""
    return {
        "half": since[COMMON_FASTER],
        "correct": since[CORRECT],
        "signs": since[SUM_SIGNS],
        "scores": latest_moment(since[SCORES]),
        "products": latest_moment(since[VALUES]),
        "since": since,
    }


def _at_t_1(here: Orbit, begun: Orbit, sizes: Sizes) -> dict[str, Tensor]:
    """The fields of the report that speak of T₁, by the states there and at the start."""
    now, then = here.blocks, begun.blocks
    return {
        "signals": now.output[:3],
        "margin": (SIGNS * orbit.outputs(here, sizes)).amin(),
        "loss_1": orbit.loss(here, sizes),
        "moved_k": torch.maximum(_change(now.key, then.key), _change(now.query, then.query)),
        "moved_v": _change(now.value, then.value),
        "moved_n": (now.size / then.size - 1).abs(),
        "moved_s": (now.score - then.score)[:3, :3].abs().amax() / torch.sqrt(sizes.width),
    }


def _change(after: Tensor, before: Tensor) -> Tensor:
    """The largest relative change of a squared length on μ₁, μ₂, μ₃."""
    then = before.diagonal()[:3]
    return ((after.diagonal()[:3] - then).abs() / torch.where(then > 0, then, 1)).amax()


def course(**settings: float) -> dict[str, list[float]]:
    """The curves of one run over τ: G of a target and of the common word, and the loss of samples with one target."""
    rows = [history.rows for history in run(two_phases(), **settings).histories]
    return {
        "τ": torch.cat([part.time for part in rows]).tolist(),
        "G of a target": torch.cat([part.output[:, 0] for part in rows]).tolist(),
        "G of the common word": torch.cat([part.output[:, 2] for part in rows]).tolist(),
        "loss, one target": torch.cat([part.losses[:, 1] for part in rows]).tolist(),
    }
