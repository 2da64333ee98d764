"""The simplified one-layer transformer as Xu & Chen define it (Section 2), on explicit embeddings; slow and faithful.

Inferred from the proofs' fragments, since the text at hand lost its formulas: no 1/√d in the scores, a residual
connection around attention, one block of m neurons for each output token, a fixed second layer, a factor λ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from lib.acquire.task import Sentences
from lib.acquire.tokens import Scores, Sizes, State


class Vocabulary(NamedTuple):
    """Embeddings of the tokens that occur in prompts: o, s_1 … s_N, r_1 … r_R, p."""

    rows: Tensor  # (N + R + 2, D), orthogonal; ‖o‖² = ``context``, all others have length 1
    context: float  # ‖o‖²


class Weights(NamedTuple):
    """What training moves, and λ."""

    scores: Tensor  # Z, (D, D): prompt token x gets the score xᵀ Z x_last
    first_layer: Tensor  # w, (V, m, D)
    gain: float  # λ


def vocabulary(sizes: Sizes, context: float, dimension: int, generator: torch.Generator) -> Vocabulary:
    """Orthogonal embeddings, rotated at random.

    Raises:
        ValueError: a dimension too small for so many orthogonal tokens.
    """
    if dimension < sizes.tokens:
        raise ValueError(
            f"dimension = {dimension}: must be at least {sizes.tokens} to hold orthogonal tokens"
        )
    square = torch.randn(dimension, dimension, dtype=torch.float64, generator=generator)
    rows = torch.linalg.qr(square).Q[: sizes.tokens]
    return Vocabulary(torch.cat([rows[:1] * math.sqrt(context), rows[1:]]), context)


def initial(sizes: Sizes, dimension: int, sigma: float, gain: float, generator: torch.Generator) -> Weights:
    """Every entry of Z and w independent N(0, σ₀²)."""
    shape = (sizes.outputs, sizes.neurons, dimension)
    return Weights(
        sigma * torch.randn(dimension, dimension, dtype=torch.float64, generator=generator),
        sigma * torch.randn(shape, dtype=torch.float64, generator=generator),
        gain,
    )


def logits(weights: Weights, prompt: Tensor, residual: float = 1.0) -> Tensor:
    """f of one prompt (T, D) → (V,).

    α = softmax(X Z x_last), Ξ = Σ α_i x_i + ``residual`` x_last, f_v = (λ/m) Σ_k max(⟨w_{v,k}, Ξ⟩, 0).
    """
    attention = torch.softmax(prompt @ weights.scores @ prompt[-1], 0)
    mixed = attention @ prompt + residual * prompt[-1]
    return weights.gain * torch.relu(weights.first_layer @ mixed).mean(-1)


def pretraining_loss(weights: Weights, words: Vocabulary, data: Sentences, sizes: Sizes) -> Tensor:
    """⅓ Σ_sentences ω (ℓ([o] → d) + ℓ([o s] → r) + ℓ([o s r] → a)), 0-d, differentiable."""
    n = sizes.subjects
    total = torch.zeros((), dtype=torch.float64)
    for j, i, weight in zip(data.subject.tolist(), data.phrase.tolist(), data.weight, strict=True):
        o, s, r = words.rows[0], words.rows[1 + j], words.rows[1 + n + i]
        targets = (sizes.follower, 1 + n + i, sizes.answers + j)
        for prompt, target in zip(([o], [o, s], [o, s, r]), targets, strict=True):
            chances = torch.log_softmax(logits(weights, torch.stack(prompt)), 0)
            total = total - weight * chances[target] / 3
    return total


def question_loss(
    weights: Weights, words: Vocabulary, subjects: Sequence[int], sizes: Sizes, residual: float = 1.0
) -> Tensor:
    """The mean of ℓ([s_j p] → a_j) over the given facts, 0-d, differentiable."""
    prompts = [torch.stack([words.rows[1 + j], words.rows[sizes.format]]) for j in subjects]
    losses = [
        -torch.log_softmax(logits(weights, prompt, residual), 0)[sizes.answers + j]
        for j, prompt in zip(subjects, prompts, strict=True)
    ]
    return torch.stack(losses).mean()


def step(weights: Weights, loss: Tensor, rate: float) -> Weights:
    """One step of gradient descent with rate η on Z and w; both must require gradients."""
    scores, first_layer = torch.autograd.grad(loss, (weights.scores, weights.first_layer))
    return weights._replace(
        scores=(weights.scores - rate * scores).detach().requires_grad_(),
        first_layer=(weights.first_layer - rate * first_layer).detach().requires_grad_(),
    )


def in_tokens(weights: Weights, words: Vocabulary, sizes: Sizes) -> State:
    """The parameters in token coordinates: A[x, v, k] = λ⟨w_{v,k}, x⟩ and z[x, q] = xᵀ Z q."""
    n, r = sizes.subjects, sizes.phrases
    features = weights.gain * torch.einsum("vkd,xd->xvk", weights.first_layer, words.rows)
    table = words.rows @ weights.scores @ words.rows.T
    s, f, p = slice(1, 1 + n), slice(1 + n, 1 + n + r), sizes.format
    scores = Scores(
        context_subject=table[0, s],
        subject_subject=table[s, s].diagonal(),
        context_phrase=table[0, f],
        subject_phrase=table[s, f],
        phrase_phrase=table[f, f].diagonal(),
        subject_format=table[s, p],
        format_format=table[p, p],
    )
    return State(features.detach(), Scores(*(z.detach() for z in scores)))
