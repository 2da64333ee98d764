"""The losses of section 2.3, what each depends on, and answers read off at once (Lemma 4), on the full model."""

from __future__ import annotations

import torch

from book.recall.common import seeded
from lib.recall.model import (
    Transformer,
    answer_loss_full,
    attention,
    build,
    cot_loss,
    logits,
    position_block,
    relation_loss_full,
    sequence,
    with_scores,
)
from lib.recall.task import Knowledge, Prompts, affine_family, all_prompts, random_bijections, sample_prompts


def equations_1_3(
    everything: int, temperature: float, subjects: int = 5, relations: int = 12, seed: int = 0
) -> dict[str, float]:
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
    own = torch.zeros(2, *weights.shape, dtype=torch.float64)
    own[0, :6, 5] = 1  # θ
    own[1, :7, 6] = 1  # ω
    stray = torch.stack([first, second]) * trained * (1 - own)
    hot = [
        float(loss(used, known, data, 1e12).detach())
        for loss in (relation_loss_full, answer_loss_full, cot_loss)
    ]
    return {
        "positions_only": not everything,
        "subjects": subjects,
        "relations": relations,
        "stray_1": float(stray[0].abs().max()),
        "stray_2": float(stray[1].abs().max()),
        **dict(zip(("hot_1", "hot_2", "hot"), hot, strict=True)),
        "least_ratio": least_answer_ratio(used, known, data, temperature),
    }


def least_answer_ratio(model: Transformer, known: Knowledge, data: Prompts, temperature: float) -> float:
    """The least of P(a₃), both steps decoded at random, over e^{−ℓ₁ − ℓ₂}: a wrong relation may also give a₃."""
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


def losses_are_cross_entropies() -> bool:
    """L₁ and L₂ as means of −log of the masked softmax, written out token by token; L is their sum."""
    known = random_bijections(4, 7, seeded(5))
    data = sample_prompts(known, 30, seeded(6))
    model = build(known, generator=seeded(7))
    model = model._replace(W_KQ=torch.randn(model.W_KQ.shape, dtype=torch.float64, generator=seeded(8)) / 3)
    sums = [0.0, 0.0]
    for i in range(data.size):
        one = Prompts(data.subjects[i : i + 1], data.relation[i : i + 1])
        r = int(one.relation)
        a = int(known.answers[r, one.subjects[0, 2]])
        first = logits(model, sequence(known, one))[0, 8:15] / 0.3
        second = logits(model, sequence(known, one, decoded=True))[0, 4:8] / 0.3
        sums[0] -= float(first[r] - torch.log(torch.exp(first).sum())) / data.size
        sums[1] -= float(second[a] - torch.log(torch.exp(second).sum())) / data.size
    found = [
        float(loss(model, known, data, 0.3)) for loss in (relation_loss_full, answer_loss_full, cot_loss)
    ]
    return all(abs(x - y) < 1e-9 for x, y in zip(found, (*sums, sum(sums)), strict=True))


def attention_is_softmax_of_scores() -> bool:
    """softmax(θ) and softmax(ω) are the attention from EoS and from the decoded relation."""
    known = affine_family(5)
    data = sample_prompts(known, 20, seeded(9))
    model = build(known, generator=seeded(10))
    theta = torch.randn(6, dtype=torch.float64, generator=seeded(11))
    omega = torch.randn(7, dtype=torch.float64, generator=seeded(12))
    model = with_scores(model, theta, omega)
    pairs = (
        (attention(model, sequence(known, data)), torch.softmax(theta, 0)),
        (attention(model, sequence(known, data, decoded=True)), torch.softmax(omega, 0)),
    )
    return all(float((seen - wanted).abs().max()) < 1e-12 for seen, wanted in pairs)


def random_weights(model: Transformer, seed: int, scale: float) -> Transformer:
    """The model with a full Gaussian W^KQ: tokens and positions attend to each other."""
    noise = torch.randn(model.W_KQ.shape, dtype=torch.float64, generator=seeded(seed))
    return model._replace(W_KQ=scale * noise)


def looking_at_the_query(model: Transformer) -> Transformer:
    """All attention on the query: what Lemma 2 trains the second step to do."""
    omega = torch.zeros(7, dtype=torch.float64)
    omega[4] = 30.0
    return with_scores(model, omega[:6] * 0, omega)


def answers_told(model: Transformer, known: Knowledge, decoded: bool) -> tuple[float, float]:
    """The largest spread of the answers' logits in a prompt, and the accuracy, a tie of m counting 1/m."""
    every = all_prompts(known)
    n = known.subjects
    scores = logits(model, sequence(known, every, decoded))[:, n : 2 * n]
    own = scores.gather(1, known.answers[every.relation, every.subjects[:, -1]][:, None])
    best = scores.amax(1, keepdim=True)
    tied = (scores > best - 1e-9).sum(1, keepdim=True)
    right = (own > best - 1e-9).double() / tied
    return float((best - scores.amin(1, keepdim=True)).max()), float(right.mean())


def at_once(decoded: int, seeds: int = 4, seed: int = 0) -> dict[str, float]:
    """Answers read off in one step, or with the relation decoded first: for random W^KQ and one that sees the query.

    Returns:
        The largest spread of the answers' logits, and the best accuracy for three, five and eight subjects.
    """
    sets = (affine_family(3), affine_family(5), random_bijections(8, 20, seeded(seed)))
    spread, accuracy = 0.0, {}
    for known in sets:
        model = build(known, generator=seeded(seed + 1))
        models = [random_weights(model, seed + k, 0.3 * 3**k) for k in range(seeds)]
        found = [answers_told(one, known, bool(decoded)) for one in (*models, looking_at_the_query(model))]
        spread = max(spread, *(gap for gap, _ in found))
        accuracy[f"right_{known.subjects}"] = max(share for _, share in found)
    return {"at_once": not decoded, "spread": round(spread, 9), **accuracy}


def answers_logit_is_right() -> bool:
    """l(a) = v₁² + v₃² + v₅² for every answer a, in the full model with a random W^KQ, n = 3 and 5."""
    for q in (3, 5):
        known = affine_family(q)
        every = all_prompts(known)
        model = random_weights(build(known, generator=seeded(2)), 3, 1.0)
        tokens = sequence(known, every)
        v = attention(model, tokens)
        printed = v[:, 0] ** 2 + v[:, 2] ** 2 + v[:, 4] ** 2
        if float((logits(model, tokens)[:, q : 2 * q] - printed[:, None]).abs().max()) > 1e-9:
            return False
    return True
