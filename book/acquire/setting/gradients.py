"""Lemma 1 and Remark 1 on explicit embeddings: a step of the full model against one in token coordinates."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from lib.acquire import model
from lib.acquire.task import fact_weight, facts, sentences
from lib.acquire.tokens import Sizes, State, acquire, extract, moved

SMALLEST = Sizes(subjects=4, phrases=3, neurons=3)
WIDTH = 18
"""Dimension in which the tokens of ``SMALLEST`` are embedded."""


def embedded(orthogonal: bool, seed: int) -> tuple[model.Vocabulary, model.Weights]:
    """A vocabulary of orthogonal or of random embeddings, and random weights that require gradients."""
    generator = torch.Generator().manual_seed(seed)
    words = model.vocabulary(SMALLEST, 7.0, WIDTH, generator)
    if not orthogonal:
        rows = torch.randn(words.rows.shape, dtype=torch.float64, generator=generator)
        words = words._replace(
            rows=rows / rows.norm(dim=1, keepdim=True) * words.rows.norm(dim=1, keepdim=True)
        )
    weights = model.initial(SMALLEST, WIDTH, 0.3, 2.5, generator)
    return words, weights._replace(
        scores=weights.scores.requires_grad_(), first_layer=weights.first_layer.requires_grad_()
    )


class OrderChange(NamedTuple):
    """What a change of the tokens' order does to the logits."""

    apart: float  # change of the logits, relative


def order(moved: str = "earlier", seed: int = 0) -> OrderChange:
    """By how much the logits of [o s r] change when tokens change places.

    Args:
        moved: "earlier", o and s; or "last", the last token.
    """
    words, weights = embedded(True, seed)
    places = {"earlier": [2, 0, 6], "last": [0, 6, 2]}[moved]
    before, after = (model.logits(weights, words.rows[at]).detach() for at in ([0, 2, 6], places))
    return OrderChange(float((before - after).norm() / before.norm()))


class StepErrors(NamedTuple):
    """The largest error of a step in token coordinates, relative to the step, over five starts."""

    acquiring: float  # in pre-training
    asking: float  # in fine-tuning


def gradients(orthogonal: bool, seed: int = 0) -> StepErrors:
    """The largest relative error of a step in token coordinates, over five starts."""
    return StepErrors(
        acquiring=max(step_error(orthogonal, False, seed + k) for k in range(5)),
        asking=max(step_error(orthogonal, True, seed + k) for k in range(5)),
    )


def step_error(orthogonal: bool, tuning: bool, seed: int = 0) -> float:
    """One step by autograd on the explicit model against one in token coordinates; relative to the step."""
    words, weights = embedded(orthogonal, seed)
    known = facts(4, 3, 2, 0.5, seed)
    before, scale = model.in_tokens(weights, words, SMALLEST), weights.gain**2 / SMALLEST.neurons
    if tuning:
        loss = model.question_loss(weights, words, [0, 2], SMALLEST)
        chosen = torch.tensor([1.0, 0.0, 1.0, 0.0], dtype=torch.float64)
        down = extract(before, chosen, SMALLEST).down
    else:
        loss = model.pretraining_loss(weights, words, sentences(known), SMALLEST)
        down = acquire(before, known, sentences(known), SMALLEST, words.context, fact_weight(known)).down
    rate = 0.4
    by_autograd = model.in_tokens(model.step(weights, loss, rate), words, SMALLEST)
    in_tokens = moved(before, down, rate * scale, 1 / scale)
    return _distance(by_autograd, in_tokens) / _distance(by_autograd, before)


def _distance(first: State, second: State) -> float:
    """The largest difference of two states' numbers."""
    pairs = zip(tree_leaves(first), tree_leaves(second), strict=True)
    return max(float((x - y).abs().max()) for x, y in pairs)


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
