"""Appendix C in numbers: its bounds prompt by prompt and along a run, and one prompt of the faithful model."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Generator, Tensor
from torch.func import grad, vmap

from book.recall.common import full_logits, scalar, transformer
from book.recall.general.large_step import asymmetry
from book.recall.general.program import curvature, lead_of, one_large_step
from lib.program import defaults, run
from lib.recall import model
from lib.recall.general import (
    COLD,
    allowed_error,
    errors,
    large_rate,
    mismatched_part,
    population,
    true_probability,
    worst_prompts,
)
from lib.recall.reduction import match_classes, relation_logits
from lib.recall.task import Knowledge, Prompts, affine_family, matches, sample_prompts

DEFAULTS = defaults(one_large_step())

EVEN = torch.full((6,), 1 / 6, dtype=torch.float64)
"""Attention at the start."""


def loss_of(v: Tensor, counts: Tensor, weights: Tensor, temperature: Tensor) -> Tensor:
    """L₁ of free attention v on histograms: Σ_h w_h log Σ_c N_hc exp((l_c − l_0)/T)."""
    matches = match_classes(2)
    logits = relation_logits(v, matches - matches[:1])  # (13,)
    return weights @ torch.logsumexp(counts.log() + logits / temperature, 1)


def confusing_prompt(alone: bool) -> tuple[Knowledge, Prompts, int]:
    """One prompt of the seven-element affine family and which relation swaps its answers.

    Args:
        alone: keep only these two relations.
    """
    known = affine_family(7)
    prompt = sample_prompts(known, 1, Generator().manual_seed(13))
    hit = torch.cat(list(matches(known, prompt)))[0]  # (R, 3, 2)
    rival = int((hit[:, 0, 1] & hit[:, 1, 0]).nonzero()[0])
    if not alone:
        return known, prompt, rival
    pair = Knowledge(known.answers[[int(prompt.relation), rival]])
    return pair, prompt._replace(relation=torch.zeros(1, dtype=torch.int64)), 1


def full_model(v: Tensor, temperature: float, alone: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """ℓ₁, p₁(r*) and p₁ of the confusing relation by the faithful model on :func:`confusing_prompt`; 0-d each."""
    known, prompt, rival = confusing_prompt(alone)
    scores = full_logits(transformer(known), model.sequence(known, prompt), v)[0, 2 * known.subjects : -1]
    log_p = torch.log_softmax(scores / temperature, 0)
    own = log_p[int(prompt.relation)]
    return -own, own.exp(), log_p[rival].exp()


def at_the_start(subjects: float, temperature: float, density: float) -> dict[str, Any]:
    """Eqs 19–21 on all prompts of a random part of the family, beside their printed bounds."""
    counts, weights = population(scalar(subjects), scalar(density))
    slope = grad(loss_of)(EVEN, counts, weights, scalar(temperature))
    present = weights * (counts[:, 2:6].sum(1) > 0)
    ahead = slope[4] - slope[[0, 1, 2, 3, 5]]
    return {
        "cold": temperature <= COLD / math.log(subjects),
        "small": (math.exp(-1 / (36 * temperature)) + 1e-15) / temperature,  # give or take rounding
        "low": float((present / counts[:, :6].sum(1)).sum()) / (3 * temperature),
        "high": 2 * float(present.sum()) / (3 * temperature),
        "least": float(ahead.min()),
        "largest": float(ahead.max()),
        "still": float(slope[[1, 3, 5]].abs().max()),
        "balance": abs(float(slope[[0, 2, 4]].sum())),
        "part": float(slope[4] * 3 * temperature / (weights @ mismatched_part(counts))),
    }


def bounds_at_random() -> bool:
    """The bounds before eq. 19, prompt by prompt of a random half of the affine family at n = 10⁴, T = 0.0025."""
    t, one = scalar(0.0025), torch.ones(1, dtype=torch.float64)
    counts, _ = population(scalar(1e4), scalar(0.5))
    small = torch.exp(-1 / (36 * t)) / t
    slope = vmap(lambda row: grad(loss_of)(EVEN, row[None], one, t))(counts)  # (32, 6)
    ahead = slope[:, 4:5] - slope[:, [0, 1, 2, 3, 5]]
    mismatched = counts[:, 2:6].sum(1) > 0
    low = torch.where(mismatched, 1 / (3 * t * counts[:, :6].sum(1)) - small, -1e-9)
    high = torch.where(mismatched, 2 / (3 * t), small)
    still = torch.cat([slope[:, [1, 3, 5]], slope[:, [0, 2, 4]].sum(1, keepdim=True)], 1)
    return bool(((ahead > low[:, None]) & (ahead < high[:, None])).all() & (still.abs() <= small).all())


def start_by_counting() -> bool:
    """p₁(r*) = 1/I − O(e^{−1/36T}) at the start, for each of the 32 kinds of prompt, I from 1 to 6; n = 10⁴."""
    counts, _ = population(scalar(1e4), scalar(1.0))
    t = torch.tensor([0.001, 0.0025], dtype=torch.float64)
    chance = vmap(lambda at: true_probability(EVEN.log(), counts, at))(t)  # (2, 32)
    left = (1 / counts[:, :6].sum(1) - chance).abs()
    return bool((left <= torch.exp(-1 / (36 * t))[:, None]).all())


def examples_stay_even() -> bool:
    """Lemma 9's bounds on |v₁ − v₃| and |v₂ − v₄|, on twenty times as many prompts as it asks for, n to 10⁶."""
    for n in (1e3, 1e4, 1e5, 1e6):
        t = 1 / (45 * math.log(n))
        left = asymmetry(20 * math.log(1 / t) ** 2 / t**3, n, t)
        if left["subject"] > left["subject_allowed"] or left["answer"] > left["answer_allowed"]:
            return False
    return True


def step_by_size() -> bool:
    """v₁ + v₃ + v₅ − ½ falls like η₁², v₁ − v₅ like η₁, for one step with c₁ = 4, 2, 1, ½; n = 10⁴."""
    t = scalar(DEFAULTS["temperature"])
    first, second = [], []
    for rate in (4.0, 2.0, 1.0, 0.5):
        v = run(one_large_step(), rate_1=rate, steps=1).report.measured_attention
        eta = float(large_rate(scalar(rate), t) / t)
        first.append(float(v[0] - v[4]) / eta)
        second.append(float(v[[0, 2, 4]].sum() - 0.5) / eta**2)
    return all(max(row) / min(row) < 1.1 for row in (first, second)) and max(second) < 1


def quiet_after_the_step() -> bool:
    """The bounds at θ̃: gradients by v, and eq. 25's curvature along ε̃; worst prompts, v₁ − v₃ = T², n = 10⁴."""
    t, n = scalar(DEFAULTS["temperature"]), scalar(DEFAULTS["subjects"])
    after = run(one_large_step(), steps=1).report.measured_attention
    error, one = allowed_error(t), torch.ones(1, dtype=torch.float64)
    v = after + t**2 / 2 * torch.tensor([1.0, 0, -1, 0, 0, 0], dtype=torch.float64)
    plain, confusing = worst_prompts(n)[:, None]
    at_plain, at_confusing = (t * grad(loss_of)(v, row, one, t).abs().amax() for row in (plain, confusing))
    bent = curvature(lambda shift: loss_of(torch.softmax(v.log() + shift, 0), plain, one, t))
    return bool(
        (at_plain < error)
        & (at_confusing < v[0] - v[2] + error)
        & ((t * bent).abs() < error)
        & (errors(v, n, t) < error).all()
    )


def along_a_run() -> bool:
    """The lower bound on p₁ of Lemmas 10 and 11, the right upper one, and eq. 31, until 0.999; n = 10⁴."""
    t, n, c_2 = (DEFAULTS[name] for name in ("temperature", "subjects", "rate_2"))
    history = run(one_large_step()).histories[1]
    g = lead_of(history.rows.attention)  # (S,)
    chance = history.rows.probability[:, 2]
    rest = 4 * math.exp(-math.sqrt(1 / t)) + n**2 * math.exp(-1 / (18 * t))
    above = chance >= 1 / (1 + torch.exp(-2 * g / t) + rest)
    below = chance <= 1 / (1 + torch.exp(-2 * g / t)) * (1 + 1e-12)
    steps = torch.tensor(history.steps, dtype=torch.float64)
    least = torch.log1p(scalar(c_2 * t * DEFAULTS["density"] / 10_000)) * steps.diff()
    escaped = g[:-1] > t**4
    grows = (g[1:] / g[:-1]).log() >= least
    return bool((above & below).all() and grows[escaped].all() and escaped.any())
