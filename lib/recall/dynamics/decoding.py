"""The second decoding step on its own: one large gradient step, then small ones (Huang et al., Lemma 2, appendix D).

Attention from the decoded relation is q = softmax(ω). Only x = (q₁, q₃, q₅) on the three subjects and c = 1 + q₇,
the relation's own weight with the residual stream, reach an answer's logit, and every prompt gives the same loss.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.recall.model import LEARNING_RATE, STEPS, TEMPERATURE
from lib.solve import Program, Stage

DOMAINS = (
    Domain("subjects", low=3, high=1e6),
    TEMPERATURE._replace(low=1e-4, high=1, low_open=False, high_open=True),
    LEARNING_RATE._replace(name="rate_1"),
    LEARNING_RATE._replace(name="rate_2"),
    Domain("seed", low=0, high=1_000_000, integer=True),
    STEPS._replace(low=1, high=20_000),
)
"""What the fields of :class:`Decoding` may be."""

DEFAULTS: dict[str, float] = {
    "subjects": 1000.0,
    "temperature": 0.003,
    "rate_1": 5.0,
    "rate_2": 100.0,
    "seed": 0,
    "steps": 300,
}
"""The configuration that the page opens with."""

FLOOR = 1e-30
"""Smaller error probabilities are drawn here."""

COLD = 1 / 40
"""The paper's constant in T ≤ C/log n."""

SHARP = 16 / 49
"""The logit gap, before training, between a₃ and an answer that is not shown: above T = SHARP/log n they win."""


class Decoding(NamedTuple):
    """The parameters, each a 0-d tensor."""

    subjects: Tensor  # n
    temperature: Tensor  # T
    rate_1: Tensor  # c₁, where η₁ = c₁T^{3/2} log(1/T)
    rate_2: Tensor  # c₂, where η₂ = c₂T²
    seed: Tensor  # of the perturbation, whose radius is T³
    steps: Tensor  # the most small steps


class Answering(NamedTuple):
    """The state."""

    omega: Tensor  # (7,) attention scores from the decoded relation
    worst: Tensor  # 0-d: the largest 1 − p₂(a₃) since the large step
    shrink: Tensor  # 0-d: the most by which ω₅ − max ωᵢ has fallen in a small step
    step: Tensor  # 0-d: small steps taken


class AnswerWatch(NamedTuple):
    """What is drawn while it trains."""

    attention: Tensor  # (7,) q
    error: Tensor  # (2,) log₁₀ of 1 − p₂(a₃) and of the bound e^{−1/√T}
    gap: Tensor  # (2,) ω₅ − max ωᵢ, and the proof's bound on it after the large step


class DecodingReport(NamedTuple):
    """What it comes to."""

    attention_before: Tensor  # (7,) q = 1/7
    attention_predicted: Tensor  # (7,) after the large step, by the printed gradient
    attention_measured: Tensor  # (7,) and by automatic differentiation
    grid_T: Tensor  # (121,) temperatures
    grid_error: Tensor  # (121,) log₁₀ of 1 − p₂(a₃) after one step, by the printed gradient
    grid_bound: Tensor  # (121,) log₁₀ of e^{−1/√T}
    now_T: Tensor
    now_error: Tensor  # log₁₀ of the measured error after the large step
    paper_T: Tensor  # 1/(40 log n)
    sharp_T: Tensor  # 16/(49 log n)
    predicted_gap: Tensor  # ω₅ − max ωᵢ after the large step, by the printed gradient
    printed_gap: Tensor  # its bound 32η₁/(147T)
    measured_gap: Tensor
    end_gap: Tensor  # at the end of stage 2
    shrink: Tensor
    rate_large: Tensor  # η₁
    rate_small: Tensor  # η₂
    error_before: Tensor  # 1 − p₂(a₃) at zero scores
    error_after: Tensor  # after the large step
    error_worst: Tensor  # the largest since
    error_end: Tensor
    error_bound: Tensor  # e^{−1/√T}
    error_limit: Tensor  # with all attention on the query
    needed_rate: (
        Tensor  # c₁ from which the explicit form of the proof's bounds suffices; infinite if none does
    )
    cold: Tensor  # light: T ≤ 1/(40 log n)
    large: Tensor  # light: the large step is large enough at this temperature
    verdict: Tensor  # 0 confirmed, 1 contradicted, 2 outside, 3 beyond
    story: Tensor  # 0 sure of a₃, 1 the shown answers compete, 2 the answers not shown compete


def answer_gaps(attention: Tensor) -> Tensor:
    """l(a) − l(a₃) for a = a₁, a₂ and an answer that is not shown (Huang et al., appendix D): (…, 7) → (…, 3).

    2c(q₁ − q₅), 2c(q₃ − q₅) and −2cq₅, with c = 1 + q₇.
    """
    subjects = torch.cat([attention[..., 0:4:2], torch.zeros_like(attention[..., :1])], -1)  # (…, 3)
    return 2 * (1 + attention[..., 6:]) * (subjects - attention[..., 4:5])


def log_odds(omega: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """log((1 − p)/p) for p = p₂(a₃) = 1/(1 + Σ N_a exp((l(a) − l(a₃))/T)); (…, 7) → (…), traceable.

    There are N = 1, 1 and n − 3 answers of the three kinds. T may have the shape of the result.
    """
    none = torch.zeros_like(subjects)
    count = torch.stack([none, none, torch.log(subjects - 3)], -1)
    return torch.logsumexp(count + answer_gaps(torch.softmax(omega, -1)) / temperature[..., None], -1)


def answer_error(omega: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """1 − p₂(a₃), accurate to its own size however small; (…, 7) → (…)."""
    return torch.sigmoid(log_odds(omega, subjects, temperature))


def decoding_loss(omega: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """L₂ = −log p₂(a₃), whose gradient stays accurate where L₂ is tiny; 0-d, traceable."""
    odds = log_odds(omega, subjects, temperature)
    return torch.logaddexp(odds, torch.zeros_like(odds))


def large_step(rate: Tensor, temperature: Tensor) -> Tensor:
    """η₁ = c₁ T^{3/2} log(1/T)."""
    return rate * temperature**1.5 * torch.log(1 / temperature)


def printed_gradient(subjects: Tensor, temperature: Tensor) -> Tensor:
    """∇_ω ℓ₂ at zero scores, (58p+18, −54p+18, 58p+18, −54p+18, 58p−94, −54p+18, −12p+4)/(343T); (…) → (…, 7).

    There p = p₂(a₁) = p₂(a₂) = p₂(a₃) = 1/(3 + (n − 3)e^{−16/(49T)}).
    """
    p = (1 / (3 + (subjects - 3) * torch.exp(-SHARP / temperature)))[..., None]
    slope = torch.tensor([58.0, -54, 58, -54, 58, -54, -12], dtype=torch.float64)
    level = torch.tensor([18.0, 18, 18, 18, -94, 18, 4], dtype=torch.float64)
    return (slope * p + level) / (343 * temperature[..., None])


def lead(omega: Tensor) -> Tensor:
    """ω₅ − max_{i≠5} ωᵢ; (7,) → 0-d."""
    return omega[4] - torch.cat([omega[:4], omega[5:]]).amax()


def wanted_lead(temperature: Tensor) -> Tensor:
    """The lead in scores that makes 1 − p₂(a₃) ≤ e^{−1/√T} by the proof's own bounds; infinite if none does.

    With q₅ ≥ 1/7 and c ≥ 1 a lead g gives logit gaps of at least (2/7)(1 − e^{−g}) to a₁ and a₂. They suffice if
    this exceeds √T + T log 4, half of the bound being kept for the other answers.
    """
    share = 7 / 2 * (torch.sqrt(temperature) + temperature * math.log(4))
    return torch.where(
        share < 1, -torch.log1p(-torch.clamp(share, max=1 - 1e-12)), torch.full_like(share, math.inf)
    )


def decode() -> Program:
    """Algorithm 1 with t₁ = 1 for the second decoding step: one step with η₁ from zero, ξ, and steps with η₂."""

    def start(p: Decoding) -> Answering:
        zero = torch.zeros((), dtype=torch.float64)
        return Answering(torch.zeros(7, dtype=torch.float64), zero, zero, zero)

    def down(s: Answering, p: Decoding, eta: Tensor) -> Tensor:
        return s.omega - eta * torch.func.grad(decoding_loss)(s.omega, p.subjects, p.temperature)

    def large(s: Answering, p: Decoding) -> tuple[Answering, Tensor]:
        omega = down(s, p, large_step(p.rate_1, p.temperature))
        error = answer_error(omega, p.subjects, p.temperature)
        return s._replace(omega=omega, worst=error), s.step > -1  # one step only

    def perturb(s: Answering, p: Decoding) -> Answering:
        return s._replace(omega=s.omega + noise.ball(p.seed, 13, p.temperature**3)[6:])

    def small(s: Answering, p: Decoding) -> tuple[Answering, Tensor]:
        omega = down(s, p, p.rate_2 * p.temperature**2)
        error = answer_error(omega, p.subjects, p.temperature)
        shrink = torch.maximum(s.shrink, lead(s.omega) - lead(omega))
        return Answering(omega, torch.maximum(s.worst, error), shrink, s.step + 1), s.step < 0

    stages = (
        Stage("one large step", lambda s, p: s, large, "steps"),
        Stage("small steps", perturb, small, "steps"),
    )
    return Program(Decoding, DOMAINS, start, stages, _watch, _report)


def _log10(error: Tensor) -> Tensor:
    return torch.log10(torch.clamp(error, min=FLOOR))


def _bound(temperature: Tensor) -> Tensor:
    return torch.exp(-1 / torch.sqrt(temperature))


def _printed_lead(p: Decoding) -> Tensor:
    """32η₁/(147T)."""
    return 32 * large_step(p.rate_1, p.temperature) / (147 * p.temperature)


def _watch(s: Answering, p: Decoding) -> AnswerWatch:
    error = torch.stack([answer_error(s.omega, p.subjects, p.temperature), _bound(p.temperature)])
    return AnswerWatch(
        torch.softmax(s.omega, 0), _log10(error), torch.stack([lead(s.omega), _printed_lead(p)])
    )


def _report(ends: tuple[Answering, ...], p: Decoding) -> DecodingReport:
    first, last = ends
    n, t = p.subjects, p.temperature
    zero = torch.zeros(7, dtype=torch.float64)
    predicted = -large_step(p.rate_1, t) * printed_gradient(n, t)
    grid = torch.logspace(-4, -0.01, 121, dtype=torch.float64)
    along = -large_step(p.rate_1, grid)[:, None] * printed_gradient(n, grid)
    after = answer_error(first.omega, n, t)
    query = torch.full((7,), -math.inf, dtype=torch.float64)
    query = torch.where(torch.arange(7) == 4, zero, query)
    needed = wanted_lead(t) + math.sqrt(2) * t**3  # what the perturbation may take away
    bound = _bound(t)
    cold, large = t <= COLD / torch.log(n), _printed_lead(p) >= needed
    conclusion = ((last.worst <= bound) & (last.shrink < 1e-9)).to(torch.float64)
    verdict = torch.where(cold & large, 1 - conclusion, 2 + conclusion)
    hidden = torch.log(n - 3) + answer_gaps(torch.softmax(first.omega, 0))[2] / t > torch.log(bound / 2)
    story = torch.where(hidden, torch.full_like(t, 2), torch.ones_like(t))
    return DecodingReport(
        attention_before=torch.softmax(zero, 0),
        attention_predicted=torch.softmax(predicted, 0),
        attention_measured=torch.softmax(first.omega, 0),
        grid_T=grid,
        grid_error=_log10(answer_error(along, n, grid)),
        grid_bound=_log10(_bound(grid)),
        now_T=t,
        now_error=_log10(after),
        paper_T=COLD / torch.log(n),
        sharp_T=SHARP / torch.log(n),
        predicted_gap=lead(predicted),
        printed_gap=_printed_lead(p),
        measured_gap=lead(first.omega),
        end_gap=lead(last.omega),
        shrink=last.shrink,
        rate_large=large_step(p.rate_1, t),
        rate_small=p.rate_2 * t**2,
        error_before=answer_error(zero, n, t),
        error_after=after,
        error_worst=last.worst,
        error_end=answer_error(last.omega, n, t),
        error_bound=bound,
        error_limit=answer_error(query, n, t),
        needed_rate=needed * 147 * t / (32 * large_step(torch.ones_like(t), t)),
        cold=cold,
        large=large,
        verdict=verdict,
        story=torch.where(last.worst <= bound, torch.zeros_like(t), story),
    )
