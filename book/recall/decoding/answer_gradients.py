"""The second decoding step in the transformer as printed: logits of the answers, and Claim 2's gradients of ℓ₂."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.func import grad

from book.recall.common import full_logits
from lib.recall.model import build, sequence
from lib.recall.task import affine_family, all_prompts


class GradientError(NamedTuple):
    """How far the printed gradients are from the full model's."""

    error: float  # largest difference, over the largest gradient


def decoded_logits(subjects: int, wrong: int, q: Tensor) -> Tensor:
    """Return the full model's logits of all answers, a₃, a₁, a₂ first, at attention q from the decoded relation; (n,).

    One prompt of the affine family over ``subjects`` elements; ``wrong`` decodes another relation than r*.
    """
    known = affine_family(subjects)
    prompt = all_prompts(known)
    row = prompt.size // 3  # any prompt would do
    chosen = prompt._replace(subjects=prompt.subjects[row : row + 1], relation=prompt.relation[row : row + 1])
    tokens = sequence(known, chosen, decoded=True)  # (1, 7)
    if wrong:
        tokens[0, -1] = 2 * subjects + (int(chosen.relation) + 1) % known.relations
    built = build(known, generator=torch.Generator().manual_seed(0))
    scores = full_logits(built, tokens, q)[0, subjects : 2 * subjects]
    shown = known.answers[chosen.relation[0], chosen.subjects[0]].tolist()  # a₁, a₂, a₃
    rest = [answer for answer in range(subjects) if answer not in shown]
    return scores[[shown[2], shown[0], shown[1], *rest]]


def printed_q_gradient(q: Tensor, probability: Tensor, temperature: float) -> Tensor:
    """Claim 2: the gradient of ℓ₂ with respect to q, from p₂(a₁), p₂(a₂), p₂(a₃); (7,)."""
    p1, p2, p3 = probability
    c, none = 1 + q[6], torch.zeros_like(p1)
    seventh = p1 * q[0] + p2 * q[2] + p3 * q[4] - q[4]
    return 2 / temperature * torch.stack([c * p1, none, c * p2, none, c * (p3 - 1), none, seventh])


def gradient_error(subjects: int, temperature: float, wrong: int) -> GradientError:
    """The printed gradients against automatic differentiation of the full model at random attention."""
    worst = largest = 0.0
    generator = torch.Generator().manual_seed(1)
    for _ in range(5):
        q = torch.softmax(torch.randn(7, dtype=torch.float64, generator=generator), 0)

        measured = grad(
            lambda at: -torch.log_softmax(decoded_logits(subjects, wrong, at) / temperature, 0)[0]
        )(q)
        probability = torch.softmax(decoded_logits(subjects, wrong, q) / temperature, 0)
        printed = printed_q_gradient(q, probability[[1, 2, 0]], temperature)
        worst = max(worst, float((measured - printed).abs().max()))
        largest = max(largest, float(measured.abs().max()))
    return GradientError(worst / largest)
