"""Both decoding steps together, as Theorem 1 has them, and how cold and how large a step they need."""

from __future__ import annotations

import math
from typing import Any

import torch
from scipy.optimize import brentq
from torch import Tensor

from book.recall.common import scalar
from book.recall.decoding.program import decode
from lib import noise
from lib.program import run
from lib.recall.decoding import answer_error, log_odds, printed_gradient
from lib.recall.general import UNITS, is_cold, is_large, large_rate
from lib.recall.model import build, logits, position_block, sequence
from lib.recall.reduction import (
    affine_reduced,
    answer_loss,
    answer_probability,
    relation_loss,
    relation_shares,
)
from lib.recall.task import affine_family, all_prompts


def both_steps(
    subjects: int,
    temperature: float,
    rate_1: float = 100.0,
    rate_2: float = 200.0,
    patience: float = 1.0,
    seed: int = 0,
) -> dict[str, Any]:
    """Algorithm 1 with t₁ = 1 and t₂ = patience · log(1/T)/T on the affine family, both decoding steps together.

    All prompts of the whole family have one and the same loss, so any data set trains alike: |D| plays no part.

    Returns:
        θ, ω and the probabilities of r*, of a₃ after it, and of both.
    """
    reduced, t = affine_reduced(subjects), scalar(temperature)
    theta, omega = torch.zeros(6, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
    first, second = torch.func.grad(relation_loss), torch.func.grad(answer_loss)

    def step(theta: Tensor, omega: Tensor, eta: Tensor) -> tuple[Tensor, Tensor]:
        return theta - eta * first(theta, reduced, t), omega - eta * second(omega, reduced, t)

    theta, omega = step(theta, omega, large_rate(scalar(rate_1), t))
    xi = noise.ball(scalar(float(seed)), 13, t**3)
    theta, omega = theta + xi[:6], omega + xi[6:]
    for _ in range(math.ceil(patience * math.log(1 / temperature) / temperature)):
        theta, omega = step(theta, omega, scalar(rate_2) * t**2)
    relation = float(relation_shares(theta, reduced, t)[0, 0])
    answer = float(answer_probability(omega, reduced, t))
    return {"theta": theta, "omega": omega, "relation": relation, "answer": answer, "both": relation * answer}


def least_constant(subjects: float, temperature: float) -> float:
    """The least c₁ whose large step brings the error below e^{−1/√T}; NaN if no c₁ up to 10⁴ does."""
    n, t = scalar(float(subjects)), scalar(temperature)

    def excess(log: float) -> float:
        omega = -large_rate(scalar(math.exp(log)), t) * printed_gradient(n, t)
        return float(log_odds(omega, n, t)) + 1 / math.sqrt(temperature)

    low, high = math.log(1e-3), math.log(1e4)
    return math.exp(brentq(excess, low, high)) if excess(high) < 0 else math.nan


def constants(temperature: float) -> dict[str, float]:
    """:func:`least_constant` for three numbers of subjects, and the c₁ that the proof's inequalities give."""
    return {
        "three": least_constant(3, temperature),
        "thousand": least_constant(1e3, temperature),
        "million": least_constant(1e6, temperature),
        "proof": float(run(decode(), temperature=temperature, steps=1).report.needed_rate),
    }


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


def theorem(
    subjects: int, temperature: float, rate_1: float, rate_2: float, patience: float, seed: int = 0
) -> dict[str, Any]:
    """Both decoding steps on the affine family; every prompt of it is a worst case, so one number says it all."""
    end = both_steps(subjects, temperature, rate_1, rate_2, patience, seed)
    n, t = scalar(float(subjects)), scalar(temperature)
    return {
        "cold": is_cold(n, t),
        "large": is_large(scalar(2 / 3), scalar(rate_1), t),
        "patient": rate_2 * patience >= UNITS,
        "relation": end["relation"],
        "error": float(answer_error(end["omega"], n, t)),
        "both": end["both"],
    }
