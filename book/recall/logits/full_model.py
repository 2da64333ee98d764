"""Table 2, eqs 4–10 and eq. 18 with its gradients, against the transformer as printed."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.func import grad

from book.recall.common import full_logits, seeded, some_attention, table_rows, transformer
from lib.recall import model
from lib.recall.logits import printed_gradient, printed_logits
from lib.recall.model import Transformer
from lib.recall.task import (
    Knowledge,
    Prompts,
    affine_family,
    affine_subset,
    all_prompts,
    matches,
    random_bijections,
    sample_prompts,
)


class Table2Errors(NamedTuple):
    """The largest differences between Table 2 and the full model, by the kind of token."""

    subjects: float
    answers: float
    relations: float


class GradientErrors(NamedTuple):
    """The largest differences between eqs 4–10 and the full model."""

    by_v: float  # eqs 4–9
    by_theta: float  # eq. 10


class Equation18Errors(NamedTuple):
    """The largest differences between eq. 18, with the gradients after it, and the full model."""

    logits: float
    gradients: float


def table_2(overlap: float, seed: int = 0) -> Table2Errors:
    """All twelve rows of Table 2 against the faithful model, for every prompt of the warm-up."""
    known = affine_family(3)
    built = transformer(known, overlap)
    prompts = sample_prompts(known, 24, seeded(seed + 1))
    tokens = model.sequence(known, prompts)
    subjects = answers = relations = 0.0
    places = table_rows(known, prompts).int().argmax(1)  # (B, 6): the relation that is r₁ … r₆
    for v in some_attention(20, seed):
        scores = full_logits(built, tokens, v)
        v1, v2, v3, v4, v5, _ = v
        ours = scores.gather(1, 6 + places) - torch.stack(printed_logits(v1, v2, v3, v4, v5))
        subjects = max(subjects, float((scores[:, :3] - v2**2 - v4**2).abs().max()))
        answers = max(answers, float((scores[:, 3:6] - v1**2 - v3**2 - v5**2).abs().max()))
        relations = max(relations, float(ours.abs().max()))
    return Table2Errors(subjects, answers, relations)


def equations_4_10(subjects: int, temperature: float, seed: int = 0) -> GradientErrors:
    """Eqs 4–9 and 10 against automatic differentiation of the faithful model."""
    known = affine_family(subjects)
    built = transformer(known)
    prompts = sample_prompts(known, 6, seeded(seed + 2))
    by_v = by_theta = 0.0
    for v in some_attention(8, seed=seed + 3):
        gradient = grad(_loss)(v, built, known, prompts, 2, temperature)
        logits = torch.stack(printed_logits(*v[:5]))
        printed = 2 / temperature * torch.stack(printed_gradient(v, torch.softmax(logits / temperature, 0)))
        theta = v.log().requires_grad_()
        loss = model.relation_loss_full(model.with_scores(built, theta), known, prompts, temperature)
        (measured,) = torch.autograd.grad(loss, theta)
        by_v = max(by_v, float((gradient - printed).abs().max()))
        by_theta = max(by_theta, float((measured - v * (printed - v @ printed)).abs().max()))
    return GradientErrors(by_v, by_theta)


def printed_eq_18(v: Tensor, hit: Tensor) -> Tensor:
    """Eq. 18 as printed: (B, R, 3, 2) matches → (B, R)."""
    pairs = v[0:5:2, None] * v[None, 1:4:2]  # (3, 2)
    return 2 * (hit * pairs).sum((-2, -1)) + (v[:5] ** 2).sum()


def printed_general_gradient(v: Tensor, hit: Tensor, p: Tensor) -> Tensor:
    """T ∂ℓ₁/∂v as Appendix C prints it after eq. 18, averaged over prompts: (6,).

    Args:
        v: (6,).
        hit: (B, R, 3, 2), whether r(sᵢ) = aⱼ.
        p: (B, R), probabilities of the relations.
    """
    v1, v2, v3, v4, v5, _ = v
    (m11, m12), (m21, m22), (m31, m32) = (
        [(p * hit[..., i, j]).sum(1).mean() for j in range(2)] for i in range(3)
    )
    return 2 * torch.stack(
        [
            m11 * v2 + m12 * v4 - v2,
            m11 * v1 + m21 * v3 + m31 * v5 - v1,
            m22 * v4 + m21 * v2 - v4,
            m22 * v3 + m12 * v1 + m32 * v5 - v3,
            m31 * v2 + m32 * v4,
            torch.zeros_like(v1),
        ]
    )


def equation_18(power: int, temperature: float, seed: int = 0) -> Equation18Errors:
    """Eq. 18 and the gradients after it against the faithful model, for affine and for random relations."""
    generator = seeded(seed + 4)
    logits = gradients = 0.0
    families = (affine_family(5), affine_subset(7, 15, generator), random_bijections(6, 40, generator))
    for known in families:
        built = transformer(known)
        prompts = sample_prompts(known, 8, generator)
        tokens = model.sequence(known, prompts)
        hit = torch.cat(list(matches(known, prompts))).to(torch.float64)  # (B, R, 3, 2)
        for v in some_attention(4, seed=seed + 5):
            scores = full_logits(built, tokens, v, power)[:, 2 * known.subjects : -1]
            printed = printed_eq_18(v, hit)
            share = torch.softmax(printed / temperature, 1)
            gradient = grad(_loss)(v, built, known, prompts, power, temperature) * temperature
            ours = printed_general_gradient(v, hit, share)
            logits = max(logits, float((scores - printed).abs().max()))
            gradients = max(gradients, float((gradient - ours).abs().max()))
    return Equation18Errors(logits, gradients)


def _loss(
    v: Tensor, built: Transformer, known: Knowledge, prompts: Prompts, power: int, temperature: float
) -> Tensor:
    scores = full_logits(built, model.sequence(known, prompts), v, power)[:, 2 * known.subjects : -1]
    return torch.nn.functional.cross_entropy(scores / temperature, prompts.relation)


class PromptGradients(NamedTuple):
    """How far the gradients of ℓ₁ by θ differ from prompt to prompt."""

    apart: float  # largest difference, over the largest gradient
    prompts: float


def prompt_gradients(subjects: int, temperature: float, seed: int = 0) -> PromptGradients:
    """∇ℓ₁(θ, Z) of the faithful model at random θ for prompts Z: all with three subjects, 24 of part of the family."""
    known = affine_family(3) if subjects == 3 else affine_subset(subjects, 2 * subjects, seeded(seed))
    prompts = all_prompts(known) if subjects == 3 else sample_prompts(known, 24, seeded(seed + 1))
    built, apart = transformer(known), 0.0
    omega, width = torch.zeros(7, dtype=torch.float64), transformer(known).embedding.shape[1]
    for v in some_attention(2, seed):
        slopes = []
        for k in range(prompts.size):
            single = Prompts(prompts.subjects[k : k + 1], prompts.relation[k : k + 1])

            def loss(theta: Tensor, single: Prompts = single) -> Tensor:
                block = model.position_block(theta, omega, width)
                return model.relation_loss_full(built._replace(W_KQ=block), known, single, temperature)

            slopes.append(grad(loss)(v.log()))
        rows = torch.stack(slopes)
        apart = max(apart, float((rows - rows[0]).abs().max() / rows.abs().max()))
    return PromptGradients(apart, float(prompts.size))
