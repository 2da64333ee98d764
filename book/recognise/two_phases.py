"""Phase 1 until τ = C, that is T₁ = C/N₀, then Phase 2: the program of two pages, "phases" and "breaking"."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.ledger import Bound, above, at_least, at_most
from book.recognise.common import conditions, latest
from lib.domain import Domain
from lib.program import Program, Stage, record, run
from lib.recognise import orbit, whole
from lib.recognise.limit import max_margin
from lib.recognise.setting import pace, scaled
from lib.recognise.task import SIGNS

LEAST = 0.1
"""What the theorems' Ω(1) and Θ(1) are measured with."""
CLOSE = 0.25
"""What counts as close to the start: a relative change, or a change of a score over √m."""
AMPLE = 25.0
"""The C from which on Phase 1 is long enough for Theorem 3.2."""
DOMAINS = (
    *whole.DOMAINS,
    Domain("constant", low=0.1, high=1e4, default=30.0, words="C in T₁ = C/N₀", scale="log", track=(1, 1000)),
)
Parameters = record("Parameters", [domain.name for domain in DOMAINS])
"""The fields of :class:`lib.recognise.whole.Parameters`, then ``constant``."""


class Course(NamedTuple):
    """A run under way, its start (236,), the τ it runs to, and the least of Theorem 3.2's items 3 and 4 in it."""

    run: whole.State
    begun: Tensor
    until: Tensor
    least: Tensor


class TwoPhases(NamedTuple):
    """What Theorems 3.1 and 3.2 speak of. Moments are τ; NaN where something is not so at the end."""

    wide: Tensor  # the hypotheses, see book.recognise.common
    long: Tensor
    many: Tensor
    fit_0: Tensor
    fit_1: Tensor
    shares: Tensor
    unit_layer: Tensor
    trained: Tensor
    ample: Tensor  # C is at least AMPLE
    lasting: Tensor  # the limit of −G(μ₃)/max G(μ₁), G(μ₂) is above 1
    half: Tensor  # from when Lemma 4.3's left inequality holds
    correct: Tensor  # from when all samples are right
    signs: Tensor  # from when the sums of Theorem 3.2's fourth item have its signs
    scores: Tensor  # from when all four scores move as Theorem 3.2 says; inf if never
    products: Tensor  # the same of the three value products
    since: Tensor  # (14,) the same for every entry of whole.GAPS
    line: Tensor  # C
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
    unit: Tensor  # T₁ in the paper's own time
    reached_1: Tensor  # the run came to T₁
    reached: Tensor  # and to its end
    finally_right: Tensor  # all samples are right at the end
    aligned: Tensor  # whether the bounds of phase_1 hold: item 1, 2, 3, 4
    right: Tensor
    still: Tensor
    large: Tensor
    directed: Tensor  # of phase_2: items 1 and 2
    signed: Tensor  # items 3 and 4


def phase_1(r: TwoPhases) -> tuple[Bound, ...]:
    """Theorem 3.1's four items at T₁."""
    return (
        at_least(LEAST, _aligned(r.signals), "item 1, least of G(μ₁), G(μ₂), −G(μ₃) at T₁"),
        above(0.0, r.margin, "item 2, least margin y F at T₁"),
        at_most(CLOSE, r.moved_v, "item 3, ‖W_Vμ‖² until T₁, relative change"),
        at_most(CLOSE, r.moved_n, "item 3, N until T₁, relative change"),
        at_most(CLOSE, r.moved_k, "item 3, ‖W_Kμ‖², ‖W_Qμ‖² until T₁, relative change"),
        at_most(CLOSE, r.moved_s, "item 3, scores over √m until T₁, change"),
        at_least(LEAST, r.loss_1, "item 4, loss at T₁"),
    )


def phase_2(r: TwoPhases) -> tuple[Bound, ...]:
    """Theorem 3.2's four items from T₁ = C/N₀ until the run's end."""
    return (
        at_most(r.line, r.scores, "item 1, scores move as stated from τ"),
        at_most(r.line, r.products, "item 2, value products move as stated from τ"),
        at_least(LEAST, r.least_output, "item 3, least of G(μ₁), G(μ₂), −G(μ₃) in Phase 2"),
        at_most(r.line, r.signs, "item 4, the three sums have their signs from τ"),
        at_least(LEAST, r.least_sum, "item 4, least of the three sums in Phase 2, in size"),
    )


def two_phases() -> Program:
    """Gradient flow until τ = ``constant``, then until 10^``end``."""

    def start(p: Any) -> Course:
        begun = whole.start(p)
        return Course(begun, begun.going.state, p.constant, _levels(begun))

    def step(s: Course, p: Any) -> tuple[Course, Tensor]:
        going, done = whole.advance(s.run, p, s.until)
        return s._replace(run=going, least=torch.minimum(s.least, _levels(going))), done

    def second(s: Course, p: Any) -> Course:
        return s._replace(until=_last(p), least=_levels(s.run))

    return Program(
        parameters=Parameters,
        domains=DOMAINS,
        start=start,
        stages=(
            Stage("Phase 1", lambda s, p: s, step, "evaluations"),
            Stage("Phase 2", second, step, "evaluations"),
        ),
        watch=lambda s, p: whole.read(s.run, p),
        report=_report,
    )


def _last(p: Any) -> Tensor:
    """The last τ; Phase 2 is never shorter than a hundredth of Phase 1."""
    return torch.maximum(10**p.end, 1.01 * p.constant)


def _aligned(g: Tensor) -> Tensor:
    return torch.stack([g[0], g[1], -g[2]]).amin()


def _levels(state: whole.State) -> Tensor:
    """Theorem 3.2's items 3 and 4 at the last accepted state, each as a number that is to be of order 1; (2,)."""
    g = state.going.state[228:231]
    sums = torch.minimum(g.sum(), -torch.maximum(g[0], g[1]) - g[2])
    return torch.stack([_aligned(g), sums])


def _report(ends: tuple[Course, ...], p: Any) -> TwoPhases:
    sizes, _ = scaled(whole.settings(p), p.learned)
    middle, end, least = ends[0].run, ends[1].run, ends[1].least
    begun, at_1, last = map(orbit.unpack, (ends[0].begun, middle.going.state, end.going.state))
    late = last.blocks.output[:3]
    goal = max_margin(sizes.counts, sizes.length).signals
    limit = -goal[2] / torch.maximum(goal[0], goal[1])
    number, unknown = torch.float64, torch.full_like(p.constant, torch.nan)
    r = TwoPhases(
        **conditions(p),
        ample=(p.constant >= AMPLE).to(number),
        lasting=(limit > 1 + 1e-9).to(number),
        half=end.since[0],
        correct=end.since[1],
        signs=end.since[3],
        scores=latest(end.since[4:8]),
        products=latest(end.since[8:11]),
        since=end.since,
        line=p.constant,
        signals=at_1.blocks.output[:3],
        margin=(SIGNS * orbit.outputs(at_1, sizes)).amin(),
        margin_end=(SIGNS * orbit.outputs(last, sizes)).amin(),
        loss_1=orbit.loss(at_1, sizes),
        loss=orbit.loss(last, sizes),
        moved_k=torch.maximum(
            _change(at_1.blocks.key, begun.blocks.key), _change(at_1.blocks.query, begun.blocks.query)
        ),
        moved_v=_change(at_1.blocks.value, begun.blocks.value),
        moved_n=(at_1.blocks.size / begun.blocks.size - 1).abs(),
        moved_s=(at_1.blocks.score - begun.blocks.score)[:3, :3].abs().amax() / torch.sqrt(sizes.width),
        least_output=least[0],
        least_sum=least[1],
        ratio=-late[2] / torch.maximum(late[0], late[1]),
        limit=limit,
        unit=p.constant / pace(whole.settings(p)),
        reached_1=(middle.going.time >= p.constant).to(number),
        reached=(end.going.time >= _last(p)).to(number),
        finally_right=(end.gaps[1] > 0).to(number),
        **dict.fromkeys(("aligned", "right", "still", "large", "directed", "signed"), unknown),
    )
    holds = torch.stack([bound.holds for bound in (*phase_1(r), *phase_2(r))]).to(number)
    return r._replace(
        aligned=holds[0],
        right=holds[1],
        still=holds[2:6].amin(),
        large=holds[6],
        directed=holds[7:9].amin(),
        signed=holds[9:].amin(),
    )


def _change(after: Tensor, before: Tensor) -> Tensor:
    """The largest relative change of a squared length on μ₁, μ₂, μ₃."""
    then = before.diagonal()[:3]
    return ((after.diagonal()[:3] - then).abs() / torch.where(then > 0, then, 1)).amax()


def course(**settings: float) -> dict[str, list[float]]:
    """One run on the clock τ: G of a target and of the common word, and the loss of samples with one target."""
    rows = [history.rows for history in run(two_phases(), **settings).histories]
    return {
        "τ": torch.cat([part.time for part in rows]).tolist(),
        "G of a target": torch.cat([part.output[:, 0] for part in rows]).tolist(),
        "G of the common word": torch.cat([part.output[:, 2] for part in rows]).tolist(),
        "loss, one target": torch.cat([part.losses[:, 1] for part in rows]).tolist(),
    }
