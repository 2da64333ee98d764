"""The start: gradients (Lemma 1), Gaussian tails (Lemmas 2–4, 7, 8), active neurons (Lemma 10), first answers."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from book.acquire.common import SLACK, Run, pretrained, short_of
from book.acquire.tuned import RATE
from lib.acquire import course, model
from lib.acquire.extraction import answer_kinds
from lib.acquire.task import fact_weight, facts, fine_tuned, sentences
from lib.acquire.tokens import Sizes, State, acquire, extract, fine_tuning, moved

TINY = Sizes(subjects=4, phrases=3, neurons=3)
WIDTH = 18
"""Dimension in which the tokens of ``TINY`` are embedded."""


def _embedded(orthogonal: bool, seed: int) -> tuple[model.Vocabulary, model.Weights]:
    generator = torch.Generator().manual_seed(seed)
    words = model.vocabulary(TINY, 7.0, WIDTH, generator)
    if not orthogonal:
        rows = torch.randn(words.rows.shape, dtype=torch.float64, generator=generator)
        words = words._replace(
            rows=rows / rows.norm(dim=1, keepdim=True) * words.rows.norm(dim=1, keepdim=True)
        )
    weights = model.initial(TINY, WIDTH, 0.3, 2.5, generator)
    return words, weights._replace(
        scores=weights.scores.requires_grad_(), first_layer=weights.first_layer.requires_grad_()
    )


def order(moved: str = "earlier", seed: int = 0) -> dict[str, float]:
    """By how much the logits of [o s r] change when o and s change places, or when the last token does; relative."""
    words, weights = _embedded(True, seed)
    places = {"earlier": [2, 0, 6], "last": [0, 6, 2]}[moved]
    one, other = (model.logits(weights, words.rows[at]).detach() for at in ([0, 2, 6], places))
    return {"earlier": moved == "earlier", "apart": float((one - other).norm() / one.norm())}


def _apart(one: State, other: State) -> float:
    pairs = zip(tree_leaves(one), tree_leaves(other), strict=True)
    return max(float((x - y).abs().max()) for x, y in pairs)


def step_error(orthogonal: bool, tuning: bool, seed: int = 0) -> float:
    """One step by autograd on the explicit model against one in token coordinates; relative to the step."""
    words, weights = _embedded(orthogonal, seed)
    known = facts(4, 3, 2, 0.5, seed)
    before, scale = model.in_tokens(weights, words, TINY), weights.gain**2 / TINY.neurons
    if tuning:
        loss = model.question_loss(weights, words, [0, 2], TINY)
        chosen = torch.tensor([1.0, 0.0, 1.0, 0.0], dtype=torch.float64)
        down = extract(before, chosen, TINY).down
    else:
        loss = model.pretraining_loss(weights, words, sentences(known), TINY)
        down = acquire(before, known, sentences(known), TINY, words.context, fact_weight(known)).down
    rate = 0.4
    after = model.in_tokens(model.step(weights, loss, rate), words, TINY)
    ours = moved(before, down, rate * scale, 1 / scale)
    return _apart(after, ours) / _apart(after, before)


def gradients(orthogonal: bool, seed: int = 0) -> dict[str, float]:
    """The largest relative error of a step in token coordinates, over five starts."""
    return {
        "orthogonal": orthogonal,
        "acquiring": max(step_error(orthogonal, False, seed + k) for k in range(5)),
        "asking": max(step_error(orthogonal, True, seed + k) for k in range(5)),
    }


def vector_gradients(weights: model.Weights, prompt: Tensor, target: int) -> tuple[Tensor, Tensor]:
    """Lemma 1 for one prompt X (T, D), any embeddings: gradients of its loss by Z and by w.

    With δ = e_y − softmax(f) and g = (λ/m) Σ_{v,k} δ_v 1[⟨w_{v,k}, Ξ⟩ > 0] w_{v,k}:
    ∂w_{v,k} = −(λ/m) δ_v 1[⟨w_{v,k}, Ξ⟩ > 0] Ξ and ∂Z = −Xᵀ (diag α − ααᵀ) X g x_lastᵀ.
    """
    scores, layer = weights.scores.detach(), weights.first_layer.detach()
    attention = torch.softmax(prompt @ scores @ prompt[-1], 0)
    mixed = attention @ prompt + prompt[-1]
    pre = layer @ mixed
    share = weights.gain / layer.shape[1]
    delta = -torch.softmax(share * torch.relu(pre).sum(-1), 0)
    delta[target] += 1
    push = share * delta[:, None] * (pre > 0)
    pull = torch.einsum("vk,vkd->d", push, layer)
    turn = torch.diag(attention) - torch.outer(attention, attention)
    return -torch.outer(prompt.T @ turn @ prompt @ pull, prompt[-1]), -push[:, :, None] * mixed


def gradients_by_autograd() -> bool:
    """Lemma 1's formula against autograd, on embeddings that are not orthogonal."""
    words, weights = _embedded(False, 0)
    prompt = words.rows[[0, 2, 6]]
    loss = -torch.log_softmax(model.logits(weights, prompt), 0)[9]
    found = torch.autograd.grad(loss, (weights.scores, weights.first_layer))
    ours = vector_gradients(weights, prompt, 9)
    return all(float((x - y).abs().max()) < 1e-12 for x, y in zip(found, ours, strict=True))


def exceeds(threshold: float, entries: int) -> float:
    """P[max |x| > t] for so many independent N(0, 1) entries, exactly."""
    return -math.expm1(entries * math.log1p(-math.erfc(threshold / math.sqrt(2))))


def tails(outputs: int, neurons: int, tokens: int, delta: float, union: bool = True) -> dict[str, float]:
    """Exact chances that an entry of the first layer exceeds the bound, or one is tiny; σ₀ = 1."""
    entries = outputs * neurons * tokens
    threshold = math.sqrt(2 * math.log(2 * (entries if union else 1) / delta))
    grid = [0.01 * k for k in range(1, 500)]
    return {
        "union": union,
        "delta": delta,
        "tail": max(math.erfc(t / math.sqrt(2)) / (2 * math.exp(-t * t / 2)) for t in grid),
        "narrow": max(math.erf(c / math.sqrt(2)) / (c * math.sqrt(2 / math.pi)) for c in grid),
        "largest": exceeds(threshold, entries),
        "threshold": threshold,
    }


def lemma_8_by_sympy() -> bool:
    """E|x| = σ√(2/π)."""
    import sympy as sp

    x, s = sp.symbols("x sigma", positive=True)
    density = sp.exp(-(x**2) / (2 * s**2)) / (s * sp.sqrt(2 * sp.pi))
    return bool(sp.simplify(2 * sp.integrate(x * density, (x, 0, sp.oo)) - s * sp.sqrt(2 / sp.pi)) == 0)


def least_neurons(cases: int, delta: float) -> int:
    """The least multiple of 5 from which on, up to what Hoeffding asks, ``cases`` times the exact "
    "chance is ≤ δ."""
    m = 5 * math.ceil(10 * math.log(cases / delta))
    while m > 5 and cases * short_of(m - 5) <= delta:
        m -= 5
    return m


def same_sign(dimension: float) -> float:
    """The chance that a neuron is active on [o s r] as on [o]: 1 − arctan(√17/√d)/π, with β = (⅓, ⅓, 4/3)."""
    return 1 - math.atan(math.sqrt(17 / dimension)) / math.pi


def active_neurons(
    subjects: int = 6, phrases: int = 3, neurons: int = 320, stretch: float = 1.0, delta: float = 0.1
) -> dict[str, float]:
    """Shares of active neurons of right outputs at ten starts."""
    runs = [
        pretrained(subjects, phrases, 2, neurons, stretch=stretch, steps_2=0, steps_3=0, seed=seed)
        for seed in range(10)
    ]
    least = [min(run.moments[0].active) for run in runs]
    cases = 1 + 2 * max(len(run.data.subject) for run in runs)
    asked = 50 * math.log(cases / delta)
    return {
        "wide": neurons >= asked,
        "sure": 1 - delta,
        "share": sum(part >= 0.4 for part in least) / len(runs),
        "least": min(least),
        "asked": asked,
        "needed": least_neurons(cases, delta),
        "agreeing": sum(map(_agreeing, runs)) / len(runs),
        "agreeing_foretold": same_sign(runs[0].dimension),
    }


def _agreeing(run: Run) -> float:
    """Which share of the right answers' neurons is active on [o s r] as on [o]; attention is all but uniform."""
    (j, i, _), a = run.data, run.begun.features
    answer = run.sizes.answers + j
    pre = (a[0, answer] + a[1 + j, answer] + 4 * a[1 + run.sizes.subjects + i, answer]) / 3
    return float(((pre > 0) == (a[0, answer] > 0)).double().mean())


USUAL = {domain.name: domain.default for domain in course.DOMAINS if domain.default is not None}
LIVE: dict[str, Any] = {
    "subjects": course.SUBJECTS,
    "phrases": USUAL["phrases"],
    "multiplicity": USUAL["multiplicity"],
    "neurons": course.NEURONS,
    "unused": course.SIZES.outputs - Sizes(course.SUBJECTS, int(USUAL["phrases"]), course.NEURONS).outputs,
    "kappa": USUAL["kappa"],
    "stretch": USUAL["dimension"] / course.SIZES.outputs,
    "first": USUAL["rate_1"] / SLACK,
    "pace": USUAL["rate_2"],
    "steps_2": USUAL["steps_2"],
    "steps_3": USUAL["steps_3"],
}
"""The sizes that the live pages open with."""


def items(run: Run, scale: float = 1e-3, delta: float = 0.1) -> dict[str, float]:
    """Condition 1 as read here, all constants 1 where none is ours."""
    n, r, m, d = run.sizes.subjects, run.sizes.phrases, run.sizes.neurons, run.dimension
    return {
        **run.conditions,
        "small_start": scale <= 1 / math.sqrt(d),
        "wide": m >= math.log((n + r) / delta),
        "many": n >= math.log(1 / delta),
    }


def condition_1(scale: float = 1e-3, **over: float) -> dict[str, float]:
    """Condition 1's items, what pre-training leaves of the excess loss, and both at the live pages' sizes."""
    run, live = pretrained(scale=scale, **over), pretrained(**LIVE)
    return {
        **items(run, scale),
        "left": left(run),
        "context": run.dimension * run.at(run.ends[0]).on_context,
        "met": sum(items(live).values()),
        "room_live": live.dimension / asked_dimension(live),
        "slow_live": live.kappa * live.sizes.subjects / live.sizes.phrases,
        "neurons_live": live.sizes.neurons,
        "asked_live": math.log((live.sizes.subjects + live.sizes.phrases) / 0.1),
        "left_live": left(live),
    }


def asked_dimension(run: Run) -> float:
    """4φc² NW log(2d), W the weight of the phrase used most."""
    weight = float((run.known.uses / run.known.multiplicity[:, None]).sum(0).max())
    return 4 * run.moments[0].active[0] * run.first**2 * weight * math.log(2 * run.dimension)


def left(run: Run) -> float:
    """The share of the excess loss that pre-training leaves."""
    return run.moments[-1].excess / run.moments[0].excess


ASKED: dict[str, Any] = {
    "subjects": 24,
    "phrases": 8,
    "multiplicity": 4,
    "neurons": 8,
    "pace": 4.0,
    "steps_3": 60,
}


def questions(tuned: int, **over: Any) -> dict[str, float]:
    """Answers to [s_j p] and [s_j] of a pre-trained model, after ``tuned`` steps of fine-tuning."""
    run = pretrained(**{**ASKED, **over})
    n, answers = run.sizes.subjects, run.sizes.answers
    chosen = fine_tuned(run.known, 0.5)
    passes = fine_tuning(run.state, chosen, run.sizes, run.kappa, tuned, RATE)
    state, now = deque(passes, 1).pop()
    kinds = answer_kinds(now.logits, run.known, chosen, answers).mean(0)
    subjects = torch.arange(n)
    alone = torch.relu(2 * state.features[1 : 1 + n]).mean(-1)  # the logits of [s_j]
    among = now.logits[:, answers : answers + n].argmax(1) == subjects
    return {
        "untuned": tuned == 0,
        "right": float(kinds[4]),
        "right_alone": float((alone.argmax(1) == answers + subjects).double().mean()),
        "own_phrase": float(kinds[3]),
        "right_among_answers": float(among.double().mean()),
        "stated": run.at(run.ends[2]).answer[0],
    }
