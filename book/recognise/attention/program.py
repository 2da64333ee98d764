"""What attention learns, and what it is good for: one run with W_K and W_Q learned, one with both frozen."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.func import jvp

from book.recognise.common import conditions
from lib.program import Program, Stage, run_many
from lib.recognise import orbit, whole
from lib.recognise.fresh import forget
from lib.recognise.limit import max_margin
from lib.recognise.scores import (
    drive,
    largest_score,
    largest_shift,
    random_scores,
    score_limits,
    spread,
    uniform_margins,
)
from lib.recognise.setting import counts, pace, scaled, setting, value_gram
from lib.recognise.task import SIGNS

DOMAINS = whole.domains(
    layer={"default": 0.02},
    sigma_0={"default": 10.0, "track": (0.1, 10)},
    sigma_1={"track": (0.1, 10)},
    end={"default": 4.0, "words": "look at", "track": (0, 8, 0.1)},
)
"""By default attention is made to matter, far outside Condition 1."""
SLIGHT = 1e-3
"""κ/(mLN₀), how much a score of one unit moves a softmax, below which attention is as good as uniform."""
EVEN = 1e-2
"""κ/m, the spread of scores over √m at the start, below which attention starts as good as uniform."""
CARRIED = 0.05
"""The share of the margin from which on attention is said to carry it."""
RESOLVED = 1e10
"""Up to this LN₀ the growth of a random score stands out from rounding, being 1/(LN₀) of the score."""


class Both(NamedTuple):
    """The run under way, the start, how the learned one ended; 1 while attention learns, then 0; its drive and path."""

    going: whole.State
    begun: whole.State
    learned: whole.State
    learns: Tensor
    drive: Tensor
    path: Tensor


class Watch(NamedTuple):
    """τ; the least margin with attention learned, the same with its attention made uniform, and with attention frozen.

    All 0-d, NaN in the run they are not about.
    """

    time: Tensor
    learned: Tensor
    uniform: Tensor
    frozen: Tensor


class LearnedAndFrozen(NamedTuple):
    """What Theorem 3.3 says of attention, and what training comes to without."""

    wide: Tensor  # the hypotheses, see book.recognise.common
    long: Tensor
    many: Tensor
    fit_0: Tensor
    fit_1: Tensor
    shares: Tensor
    unit_layer: Tensor
    trained: Tensor
    mean: Tensor  # the start is the mean one
    enough: Tensor  # n is at least L
    lasting: Tensor  # the separator lies in the cone
    slight: Tensor  # κ/(mLN₀) is below SLIGHT
    even: Tensor  # κ/m is below EVEN
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
    allowed: Tensor  # what is proved of it: L D tanh(β/2), with β the most that a score over √m can be
    margins_learned: Tensor  # (4,) by type
    margins_frozen: Tensor
    loss_learned: Tensor
    loss_frozen: Tensor
    unseen_learned: Tensor  # the least y F of the types with words never seen
    unseen_frozen: Tensor
    effect: Tensor  # κ/(mLN₀)
    start: Tensor  # N₀
    resolved: Tensor  # the growth of a score stands out from rounding
    right: Tensor  # all samples are right, in both runs
    clear: Tensor  # by a margin of 1
    carried: Tensor  # share above CARRIED
    burden: Tensor  # share below −CARRIED


def _watch(both: Both, p: whole.Parameters) -> Watch:
    sizes, _ = scaled(whole.settings(p), torch.ones_like(p.end))
    learns = both.learns > 0.5
    here = orbit.unpack(both.going.going.state)
    least = (SIGNS * orbit.outputs(here, sizes)).amin()
    return Watch(
        both.going.going.time,
        torch.where(learns, least, torch.nan),
        torch.where(learns, uniform_margins(here, sizes).amin(), torch.nan),
        torch.where(learns, torch.nan, least),
    )


def _report(both: Both, p: whole.Parameters) -> LearnedAndFrozen:
    chosen = whole.settings(p)
    sizes, kappa = scaled(chosen, torch.ones_like(p.end))
    learned, frozen, begun = (
        orbit.unpack(state.going.state) for state in (both.learned, both.going, both.begun)
    )
    n_0 = pace(chosen)
    unit = kappa / (torch.sqrt(p.width) * p.length * n_0)  # S is in units of 1/N₀ here, and κ' = N₀κ
    resolved = (kappa > 0) & ((p.random < 0.5) | (p.length * n_0 < RESOLVED))
    grown = torch.where(resolved, whole.grown(both.learned, p), torch.nan)
    goal = max_margin(sizes.counts, sizes.length)
    logs = torch.log(torch.clamp(both.learned.going.time, min=1)) ** 2
    predicted = score_limits(goal, sizes.counts, sizes.length).reshape(-1) * logs
    ours = SIGNS * orbit.outputs(learned, sizes)
    theirs = SIGNS * orbit.outputs(frozen, sizes)
    uniform = uniform_margins(learned, sizes)
    four = torch.stack([grown[1], grown[3], -grown[6], -grown[7]])
    share = 1 - uniform.amin() / ours.amin()
    least = torch.minimum(ours.amin(), theirs.amin())
    effect = (kappa / n_0) / (p.width * p.length * n_0)
    number = torch.float64
    random = p.samples * random_scores(learned, begun, sizes) / torch.where(unit > 0, unit, 1)
    score = largest_score(begun, sizes) / torch.sqrt(sizes.width) + largest_shift(both.path, begun, sizes)
    return LearnedAndFrozen(
        **conditions(p._replace(learned=torch.ones_like(p.end))),
        mean=1 - p.random,
        enough=(p.samples >= p.length).to(number),
        lasting=(goal.signals[2] < -torch.maximum(goal.signals[0], goal.signals[1])).to(number),
        slight=(effect < SLIGHT).to(number),
        even=(value_gram(chosen) < EVEN * p.width).to(number),
        attention=p.length * orbit.attention(learned, sizes)[0].reshape(-1),
        grown=grown,
        goal=torch.where(n_0 >= 10, predicted, torch.nan),
        least=four.amin(),
        fewest=four.amin() / torch.clamp(logs, min=1),
        most=four.amax() / torch.clamp(logs, min=1),
        random=torch.where(resolved, random, torch.nan),
        room=1 + p.samples * p.length / torch.sqrt(p.width),
        least_learned=ours.amin(),
        least_uniform=uniform.amin(),
        least_frozen=theirs.amin(),
        share=torch.where(ours.amin() > 0, share, torch.nan),
        part=(ours - uniform).abs().amax(),
        allowed=p.length * spread(learned, sizes) * torch.tanh(score / 2),
        margins_learned=ours,
        margins_frozen=theirs,
        loss_learned=orbit.loss(learned, sizes),
        loss_frozen=orbit.loss(frozen, sizes),
        unseen_learned=(SIGNS * orbit.outputs(forget(learned), sizes)).amin(),
        unseen_frozen=(SIGNS * orbit.outputs(forget(frozen), sizes)).amin(),
        effect=effect,
        start=n_0,
        resolved=resolved.to(number),
        right=(least > 0).to(number),
        clear=(least >= 1).to(number),
        carried=(share > CARRIED).to(number),
        burden=(share < -CARRIED).to(number),
    )


def learned_and_frozen() -> Program:
    """Two flows from one start until τ = 10^``end``: attention learned, then frozen."""

    def start(p: whole.Parameters) -> Both:
        begun = whole.start(p)
        sizes, _ = scaled(whole.settings(p), p.learned)
        first = drive(orbit.unpack(begun.going.state), sizes)
        return Both(begun, begun, begun, torch.ones_like(p.end), first, torch.zeros_like(p.end))

    def step(both: Both, p: whole.Parameters) -> tuple[Both, Tensor]:
        going, done = whole.advance(both.going, p._replace(learned=both.learns), 10**p.end)
        sizes, _ = scaled(whole.settings(p), both.learns)
        now = drive(orbit.unpack(going.going.state), sizes)
        passed = both.learns * (going.going.time - both.going.going.time)
        path = both.path + passed * torch.maximum(both.drive, now)
        return both._replace(going=going, drive=now, path=path), done

    return Program(
        parameters=whole.Parameters,
        domains=DOMAINS,
        start=start,
        stages=(
            Stage("attention learns", lambda both, p: both, step, "evaluations"),
            Stage(
                "attention frozen",
                lambda both, p: both._replace(going=both.begun, learned=both.going, learns=0 * p.end),
                step,
                "evaluations",
            ),
        ),
        watch=_watch,
        report=lambda ends, p: _report(ends[1], p),
    )


class Slopes(NamedTuple):
    """What Corollary 4.6 and Lemma 4.7 speak of, at four moments of Phase 2."""

    wide: Tensor  # the hypotheses, see book.recognise.common
    long: Tensor
    many: Tensor
    fit_0: Tensor
    fit_1: Tensor
    shares: Tensor
    unit_layer: Tensor
    trained: Tensor
    values: Tensor  # (4, 5) d/dτ of v₁·v₂, v₁·v₁, v₂·v₂, −v₁·v₃, −v₂·v₃
    rates: Tensor  # (4, 4) d/dτ of the four scores over κ𝓛/(√m L), each with its sign
    over_logs: Tensor  # (4, 4) the same over log τ
    turns: Tensor  # (4, 4) d/dτ of attention μ₁ → μ₂, μ₂ → μ₁, and −d/dτ of both → μ₃, over κ𝓛 log τ/(mL²), type 1
    strays: Tensor  # (4,) of a target to an irrelevant word there, over κ𝓛 log τ (1/(nL) + 1/√m + 1/L²)/(mL)
    printed: Tensor  # (4,) the same without the 1/L²
    shifted: Tensor  # (4,) the largest change of attention since the start, times L²


MOMENTS = (1.5, 2.0, 3.0)
"""log₁₀ τ at which Phase 2 is looked at, beside its end."""


def phase_2_slopes() -> Program:
    """Gradient flow until τ = 10^``end``, stopped at each of ``MOMENTS`` on the way."""

    def until(moment: float | None) -> Stage:
        def step(s: whole.State, p: whole.Parameters) -> tuple[whole.State, Tensor]:
            return whole.advance(s, p, 10 ** (p.end if moment is None else torch.full_like(p.end, moment)))

        return Stage(f"to {moment}", lambda s, p: s, step, "evaluations")

    def attended(state: whole.State, p: whole.Parameters) -> tuple[Tensor, ...]:
        sizes, kappa = scaled(whole.settings(p), p.learned)
        here, moving = orbit.unpack(state.going.state), orbit.unpack(state.going.slopes[0])
        p_now, rate = jvp(lambda there: orbit.attention(there, sizes), (here,), (moving,))  # type: ignore[misc]
        unit = torch.where(kappa > 0, kappa, 1) * orbit.loss(here, sizes) * torch.log(state.going.time)
        unit = unit / (p.width * pace(whole.settings(p)) ** 2 * p.length)  # κ' = N₀κ, and τ for t
        four = torch.stack([rate[0, 1, 0], rate[0, 0, 1], -rate[0, 2, 0], -rate[0, 2, 1]])
        stray = rate[0, 3, :2].abs().amax() / unit
        few = 1 / (p.samples * p.length) + 1 / torch.sqrt(p.width)
        began = orbit.attention(whole.begin(p), sizes)
        change = p.length**2 * (p_now - began).abs().amax()
        return four / unit * p.length, stray / (few + 1 / p.length**2), stray / few, change

    def slopes(state: whole.State, p: whole.Parameters) -> tuple[Tensor, Tensor]:
        packed = state.going.slopes[0]
        values = torch.stack([packed[148], packed[147], packed[155], -packed[149], -packed[156]])
        scores = torch.stack([packed[7], packed[1], -packed[14], -packed[15]])
        unit = value_gram(whole.settings(p)) / (
            torch.sqrt(p.width) * p.length
        )  # S in units of 1/N₀, κ' = N₀κ
        return values, scores / torch.where(unit > 0, unit, 1) / whole.read(state, p).loss

    def report(ends: tuple[whole.State, ...], p: whole.Parameters) -> Slopes:
        values, rates = zip(*(slopes(state, p) for state in ends), strict=True)
        turns, strays, printed, shifted = zip(*(attended(state, p) for state in ends), strict=True)
        rate, moments = torch.stack(rates), torch.stack([state.going.time for state in ends])
        return Slopes(
            **conditions(p),
            values=torch.stack(values),
            rates=rate,
            over_logs=rate / torch.log(moments)[:, None],
            turns=torch.stack(turns),
            strays=torch.stack(strays),
            printed=torch.stack(printed),
            shifted=torch.stack(shifted),
        )

    return Program(
        parameters=whole.Parameters,
        domains=whole.DOMAINS,
        start=whole.start,
        stages=tuple(until(moment) for moment in (*MOMENTS, None)),
        watch=whole.read,
        report=report,
    )


ENTRIES = {"C₁₂": 1, "C₃₁": 6, "C₁₁": 0, "C₃₃": 8}
"""Places of the printed C[key, query] among the nine."""


def coefficients(samples: float, length: int) -> dict[str, float]:
    """Γ in closed form: the coefficients of log² τ in C, in units of κ/(√m L N₀)."""
    chosen = setting(samples=samples, length=length)
    kinds = counts(chosen)
    found = score_limits(max_margin(kinds, chosen.length), kinds, chosen.length).reshape(-1)
    return {name: float(found[place]) for name, place in ENTRIES.items()}


def growth(
    samples: float, length: int, ends: tuple[float, float, float] = (3.0, 4.5, 6.0)
) -> dict[str, float]:
    """Γ at m = 10⁶ from the mean start, by second differences in log τ at three moments, and in closed form.

    Args:
        ends: log₁₀ of the three τ, evenly spaced.
    """
    common = {"samples": samples, "length": length, "random": 0, "width": 1e6}
    grown = run_many(whole.program(whole.grown), [{**common, "end": end} for end in ends])
    measured = (grown[2] - 2 * grown[1] + grown[0]) / (2 * ((ends[1] - ends[0]) * math.log(10)) ** 2)
    found = {f"{name} measured": float(measured[place]) for name, place in ENTRIES.items()}
    return {**found, **coefficients(samples, length)}
