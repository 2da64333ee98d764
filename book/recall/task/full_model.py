"""The losses of section 2.3 and what each depends on, and answers read off at once (Lemma 4), on the full model."""

from __future__ import annotations

from typing import NamedTuple

import torch

from book.recall.common import seeded
from lib.recall.model import (
    Transformer,
    answer_loss_full,
    build,
    cot_loss,
    logits,
    position_block,
    relation_loss_full,
    sequence,
    with_scores,
)
from lib.recall.task import Knowledge, Prompts, affine_family, all_prompts, random_bijections, sample_prompts


class LossGradients(NamedTuple):
    """What each loss depends on, and its value when it is very hot."""

    stray_1: float  # largest gradient of L₁ outside θ
    stray_2: float  # largest gradient of L₂ outside ω
    hot_1: float  # L₁ when hot
    hot_2: float  # L₂ when hot
    hot: float  # L when hot
    least_ratio: float  # the answer's probability over e^−ℓ, least


class AtOnce(NamedTuple):
    """Answers read off in one step, or with the relation decoded first."""

    spread: float  # largest spread of the answers' logits in a prompt
    right_3: float  # best accuracy, 3 subjects
    right_5: float  # 5 subjects
    right_8: float  # 8 subjects


def equations_1_3(
    everything: int, temperature: float, subjects: int = 5, relations: int = 12, seed: int = 0
) -> LossGradients:
    """The gradients of L₁ and L₂ in W^KQ by automatic differentiation, and both losses when it is very hot."""
    known = random_bijections(subjects, relations, seeded(5 * seed))
    data = sample_prompts(known, 40, seeded(5 * seed + 1))
    model = build(known, generator=seeded(5 * seed + 2))
    size = model.embedding.shape[1]
    theta = torch.randn(6, dtype=torch.float64, generator=seeded(5 * seed + 3))
    omega = torch.randn(7, dtype=torch.float64, generator=seeded(5 * seed + 4))
    weights = position_block(theta, omega, size).requires_grad_()
    used = model._replace(W_KQ=weights)
    first, second = (
        torch.autograd.grad(loss(used, known, data, temperature), weights)[0]
        for loss in (relation_loss_full, answer_loss_full)
    )
    trained = (
        torch.ones_like(weights)
        if everything
        else torch.nn.functional.pad(torch.ones(7, 7), (0, size, 0, size))
    )
    scores = torch.zeros(2, *weights.shape, dtype=torch.float64)
    scores[0, :6, 5] = 1  # θ
    scores[1, :7, 6] = 1  # ω
    stray = torch.stack([first, second]) * trained * (1 - scores)
    hot_1, hot_2, hot = (
        float(loss(used, known, data, 1e12).detach())
        for loss in (relation_loss_full, answer_loss_full, cot_loss)
    )
    return LossGradients(
        float(stray[0].abs().max()),
        float(stray[1].abs().max()),
        hot_1,
        hot_2,
        hot,
        least_answer_ratio(used, known, data, temperature),
    )


def least_answer_ratio(model: Transformer, known: Knowledge, data: Prompts, temperature: float) -> float:
    """Return the least of P(a₃), both steps decoded at random, over e^{−ℓ₁ − ℓ₂}: a wrong relation may also give a₃."""
    n = known.subjects
    p1 = torch.softmax(logits(model, sequence(known, data))[:, 2 * n : -1] / temperature, 1)  # (B, |R|)
    answer = known.answers[data.relation, data.subjects[:, -1]]
    tokens = sequence(known, data, decoded=True)
    total = torch.zeros(data.size, dtype=torch.float64)
    for relation in range(known.relations):
        tokens[:, -1] = 2 * n + relation
        p2 = torch.softmax(logits(model, tokens)[:, n : 2 * n] / temperature, 1)
        chance = p1[:, relation] * p2.gather(1, answer[:, None])[:, 0]
        total = total + chance
        if relation == 0:
            exact = torch.zeros_like(total)
        exact = torch.where(data.relation == relation, chance, exact)
    return float((total / exact).detach().min())


def random_weights(model: Transformer, seed: int, scale: float) -> Transformer:
    """The model with a full Gaussian W^KQ: tokens and positions attend to each other."""
    noise = torch.randn(model.W_KQ.shape, dtype=torch.float64, generator=seeded(seed))
    return model._replace(W_KQ=scale * noise)


def looking_at_the_query(model: Transformer) -> Transformer:
    """All attention on the query: what Lemma 2 trains the second step to do."""
    omega = torch.zeros(7, dtype=torch.float64)
    omega[4] = 30.0
    return with_scores(model, omega[:6] * 0, omega)


def tie_and_accuracy(model: Transformer, known: Knowledge, decoded: bool) -> tuple[float, float]:
    """The largest spread of the answers' logits in a prompt, and the accuracy, a tie of m counting 1/m."""
    every = all_prompts(known)
    n = known.subjects
    scores = logits(model, sequence(known, every, decoded))[:, n : 2 * n]
    right_score = scores.gather(1, known.answers[every.relation, every.subjects[:, -1]][:, None])
    best = scores.amax(1, keepdim=True)
    tied = (scores > best - 1e-9).sum(1, keepdim=True)
    right = (right_score > best - 1e-9).double() / tied
    return float((best - scores.amin(1, keepdim=True)).max()), float(right.mean())


def at_once(decoded: int, seeds: int = 4, seed: int = 0) -> AtOnce:
    """Read answers off in one step, or with r* decoded first: for random W^KQ and one that looks at the query."""
    sets = (affine_family(3), affine_family(5), random_bijections(8, 20, seeded(seed)))
    spreads, accuracies = [], []
    for known in sets:
        model = build(known, generator=seeded(seed + 1))
        models = [random_weights(model, seed + k, 0.3 * 3**k) for k in range(seeds)]
        results = [
            tie_and_accuracy(each, known, bool(decoded)) for each in (*models, looking_at_the_query(model))
        ]
        spreads += [spread for spread, _ in results]
        accuracies.append(max(accuracy for _, accuracy in results))
    return AtOnce(round(max(spreads), 9), *accuracies)
