"""Both decoding steps together, as in Theorem 1, and how cold and how large a step they need."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from scipy.optimize import brentq
from torch import Tensor

from book.recall.common import scalar
from book.recall.decoding.program import decode
from lib.program import run
from lib.recall.algorithm import perturbation
from lib.recall.decoding import answer_error, log_odds, printed_gradient
from lib.recall.general import large_rate
from lib.recall.model import build, logits, position_block, sequence
from lib.recall.reduction import (
    affine_reduced,
    answer_loss,
    answer_probability,
    relation_loss,
    relation_shares,
)
from lib.recall.task import affine_family, all_prompts


class BothSteps(NamedTuple):
    """Scores and probabilities after training both decoding steps."""

    theta: Tensor  # (6,)
    omega: Tensor  # (7,)
    relation: float  # p₁(r*)
    answer: float  # p₂(a₃), once r* is decoded
    both: float  # their product


class LeastConstants(NamedTuple):
    """The least c₁ for 3, 1000 and a million subjects, and the one that the proof's inequalities give."""

    three: float
    thousand: float
    million: float
    proof: float


class FinalAnswer(NamedTuple):
    """Theorem 1's probabilities, the same on every prompt."""

    relation: float  # p₁(r*)
    error: float  # 1 − p₂(a₃)
    both: float  # probability of the final answer


def both_steps(
    subjects: int,
    temperature: float,
    rate_1: float = 100.0,
    rate_2: float = 200.0,
    patience: float = 1.0,
    seed: int = 0,
) -> BothSteps:
    """Train both decoding steps by Algorithm 1 on the affine family, t₁ = 1 and t₂ = patience · log(1/T)/T.

    All prompts of the whole family have one and the same loss, so any data set trains alike: |D| plays no part.
    """
    reduced, t = affine_reduced(subjects), scalar(temperature)
    theta, omega = torch.zeros(6, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
    first, second = torch.func.grad(relation_loss), torch.func.grad(answer_loss)

    def step(theta: Tensor, omega: Tensor, eta: Tensor) -> tuple[Tensor, Tensor]:
        return theta - eta * first(theta, reduced, t), omega - eta * second(omega, reduced, t)

    theta, omega = step(theta, omega, large_rate(scalar(rate_1), t))
    xi = perturbation(scalar(float(seed)), t**3)
    theta, omega = theta + xi[:6], omega + xi[6:]
    for _ in range(math.ceil(patience * math.log(1 / temperature) / temperature)):
        theta, omega = step(theta, omega, scalar(rate_2) * t**2)
    relation = float(relation_shares(theta, reduced, t)[0, 0])
    answer = float(answer_probability(omega, reduced, t))
    return BothSteps(theta, omega, relation, answer, relation * answer)


def least_constant(subjects: float, temperature: float) -> float:
    """The least c₁ whose large step brings the error below e^{−1/√T}; NaN if no c₁ up to 10⁴ does."""
    n, t = scalar(float(subjects)), scalar(temperature)

    def excess(log: float) -> float:
        omega = -large_rate(scalar(math.exp(log)), t) * printed_gradient(n, t)
        return float(log_odds(omega, n, t)) + 1 / math.sqrt(temperature)

    low, high = math.log(1e-3), math.log(1e4)
    return math.exp(brentq(excess, low, high)) if excess(high) < 0 else math.nan


def constants(temperature: float) -> LeastConstants:
    """:func:`least_constant` for three numbers of subjects, and the c₁ that the proof's inequalities give."""
    return LeastConstants(
        three=least_constant(3, temperature),
        thousand=least_constant(1e3, temperature),
        million=least_constant(1e6, temperature),
        proof=float(run(decode(), temperature=temperature, steps=1).report.needed_rate),
    )


def greedy_accuracy(theta: Tensor, omega: Tensor, subjects: int) -> float:
    """The share of all prompts of the affine family that the full model, decoding greedily twice, answers rightly."""
    known = affine_family(subjects)
    prompts = all_prompts(known)
    transformer = build(known)
    transformer = transformer._replace(W_KQ=position_block(theta, omega, transformer.embedding.shape[1]))
    tokens = sequence(known, prompts)
    relation = logits(transformer, tokens)[:, 2 * subjects : -1].argmax(1, keepdim=True)
    scores = logits(transformer, torch.cat([tokens, 2 * subjects + relation], 1))
    answer = scores[:, subjects : 2 * subjects].argmax(1)
    return float((answer == known.answers[prompts.relation, prompts.subjects[:, -1]]).double().mean())


def final_answer(
    subjects: int, temperature: float, rate_1: float, rate_2: float, patience: float, seed: int = 0
) -> FinalAnswer:
    """Train both decoding steps on the affine family, every prompt of which is a worst case, and return the result."""
    end = both_steps(subjects, temperature, rate_1, rate_2, patience, seed)
    error = float(answer_error(end.omega, scalar(float(subjects)), scalar(temperature)))
    return FinalAnswer(end.relation, error, end.both)
