"""The second decoding step as Algorithm 1 trains it: one large step, then small ones, for any number of subjects."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain
from lib.program import Program, Stage, record
from lib.recall.algorithm import perturbation
from lib.recall.decoding import (
    SHARP,
    answer_error,
    answer_gaps,
    decoding_loss,
    lead,
    printed_gradient,
    wanted_lead,
)
from lib.recall.general import (
    COLD,
    COLD_TEMPERATURE,
    LARGE_STEP,
    SMALL_STEPS,
    SUBJECTS,
    allowed_error,
    large_rate,
)
from lib.recall.model import STEPS

DOMAINS = (
    SUBJECTS._replace(default=1000.0, words="subjects", scale="log", track=(3.0, 1e6)),
    COLD_TEMPERATURE._replace(low=1e-4, default=0.003, track=(1e-4, 0.9)),
    LARGE_STEP._replace(default=5.0, track=(0.1, 1000.0)),
    SMALL_STEPS._replace(default=100.0, track=(1.0, 1000.0)),
    Domain("seed", low=0, high=1_000_000, integer=True, default=0, scale="whole", track=(0, 99)),
    STEPS._replace(
        low=1, high=20_000, default=300, words="number of small steps", scale="whole", track=(20, 2000, 20)
    ),
)
Decoding = record("Decoding", (domain.name for domain in DOMAINS))
"""The parameters: n, T, c₁, c₂, the seed of the perturbation, whose radius is T³, and the most small steps."""

FLOOR = 1e-30
"""Smaller error probabilities are drawn here."""

GRID = torch.logspace(-4, -0.01, 121, dtype=torch.float64)
"""The temperatures at which the error after one step is drawn."""


class Answering(NamedTuple):
    """The state of the training."""

    omega: Tensor  # (7,) attention scores from the decoded relation
    worst: Tensor  # 0-d: the largest 1 − p₂(a₃) since the large step
    shrink: Tensor  # 0-d: the most by which ω₅ − max ωᵢ has fallen in a small step


class AnswerWatch(NamedTuple):
    """What is drawn while it trains."""

    attention: Tensor  # (7,) q
    error: Tensor  # (2,) log₁₀ of 1 − p₂(a₃) and of the bound e^{−1/√T}
    gap: Tensor  # (2,) ω₅ − max ωᵢ, and the proof's bound on it after the large step


class DecodingReport(NamedTuple):
    """The result, beside what Lemma 2 predicts."""

    attention_before: Tensor  # (7,) q = 1/7
    attention_predicted: Tensor  # (7,) after the large step, by the printed gradient
    attention_measured: Tensor  # (7,) and by automatic differentiation
    grid_error: Tensor  # (121,) log₁₀ of 1 − p₂(a₃) after one step at the temperatures of GRID, by the printed gradient
    now_error: Tensor  # log₁₀ of the measured error after the large step
    paper_T: Tensor  # 1/(40 log n)
    sharp_T: Tensor  # 16/(49 log n)
    predicted_gap: Tensor  # ω₅ − max ωᵢ after the large step, by the printed gradient
    printed_gap: Tensor  # its bound 32η₁/(147T)
    needed_gap: Tensor  # the lead that the proof's other bounds need
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
    needed_rate: Tensor  # c₁ from which the proof's bounds with numbers suffice; infinite if none does
    ratios: Tensor  # (3,) error over bound after one large step at T, T/3 and T/10
    hidden_odds: Tensor  # log of the odds of all answers that are not shown, after the large step


def decode() -> Program:
    """Algorithm 1 with t₁ = 1 for the second decoding step: one step with η₁ from zero, ξ, and steps with η₂."""

    def start(p: Any) -> Answering:
        zero = torch.zeros((), dtype=torch.float64)
        return Answering(torch.zeros(7, dtype=torch.float64), zero, zero)

    def down(s: Answering, p: Any, eta: Tensor) -> Tensor:
        return s.omega - eta * torch.func.grad(decoding_loss)(s.omega, p.subjects, p.temperature)

    def large(s: Answering, p: Any) -> tuple[Answering, Tensor]:
        omega = down(s, p, large_rate(p.rate_1, p.temperature))
        error = answer_error(omega, p.subjects, p.temperature)
        return s._replace(omega=omega, worst=error), p.steps > 0  # one step only

    def perturb(s: Answering, p: Any) -> Answering:
        return s._replace(omega=s.omega + perturbation(p.seed, p.temperature**3)[6:])

    def small(s: Answering, p: Any) -> tuple[Answering, Tensor]:
        omega = down(s, p, p.rate_2 * p.temperature**2)
        error = answer_error(omega, p.subjects, p.temperature)
        shrink = torch.maximum(s.shrink, lead(s.omega) - lead(omega))
        return Answering(omega, torch.maximum(s.worst, error), shrink), p.steps < 0

    stages = (
        Stage("one large step", lambda s, p: s, large, "steps"),
        Stage("small steps", perturb, small, "steps"),
    )
    return Program(Decoding, DOMAINS, start, stages, _watch, _report)


def drawn_error(error: Tensor) -> Tensor:
    """log₁₀ of an error, at least of ``FLOOR``."""
    return torch.log10(torch.clamp(error, min=FLOOR))


def _printed_lead(p: Any) -> Tensor:
    """32η₁/(147T)."""
    return 32 * large_rate(p.rate_1, p.temperature) / (147 * p.temperature)


def _watch(s: Answering, p: Any) -> AnswerWatch:
    error = torch.stack([answer_error(s.omega, p.subjects, p.temperature), allowed_error(p.temperature)])
    return AnswerWatch(
        torch.softmax(s.omega, 0), drawn_error(error), torch.stack([lead(s.omega), _printed_lead(p)])
    )


def _report(ends: tuple[Answering, ...], p: Any) -> DecodingReport:
    first, last = ends
    n, t = p.subjects, p.temperature
    zero = torch.zeros(7, dtype=torch.float64)
    predicted = _one_printed_step(p, t)
    after = answer_error(first.omega, n, t)
    only_query = torch.where(torch.arange(7) == 4, zero, -math.inf)
    needed_gap = wanted_lead(t) + math.sqrt(2) * t**3  # what the perturbation may take away
    colder = t / torch.tensor([1.0, 3.0, 10.0], dtype=torch.float64)
    return DecodingReport(
        attention_before=torch.softmax(zero, 0),
        attention_predicted=torch.softmax(predicted, 0),
        attention_measured=torch.softmax(first.omega, 0),
        grid_error=drawn_error(answer_error(_one_printed_step(p, GRID), n, GRID)),
        now_error=drawn_error(after),
        paper_T=COLD / torch.log(n),
        sharp_T=SHARP / torch.log(n),
        predicted_gap=lead(predicted),
        printed_gap=_printed_lead(p),
        needed_gap=needed_gap,
        measured_gap=lead(first.omega),
        end_gap=lead(last.omega),
        shrink=last.shrink,
        rate_large=large_rate(p.rate_1, t),
        rate_small=p.rate_2 * t**2,
        error_before=answer_error(zero, n, t),
        error_after=after,
        error_worst=last.worst,
        error_end=answer_error(last.omega, n, t),
        error_bound=allowed_error(t),
        error_limit=answer_error(only_query, n, t),
        needed_rate=needed_gap * 147 * t / (32 * large_rate(torch.ones_like(t), t)),
        ratios=answer_error(_one_printed_step(p, colder), n, colder) / allowed_error(colder),
        hidden_odds=torch.log(n - 3) + answer_gaps(torch.softmax(first.omega, 0))[2] / t,
    )


def _one_printed_step(p: Any, temperature: Tensor) -> Tensor:
    """The scores ω after one large step from zero by the printed gradient; (…) → (…, 7)."""
    return -large_rate(p.rate_1, temperature)[..., None] * printed_gradient(p.subjects, temperature)
