"""Attention fine-tuned over any memory that is a quadratic form: Algorithm 1 of Huang et al., reduced exactly.

A prompt s₁ a₁ s₂ a₂ s₃ EoS is attended alike whatever its tokens, v = softmax(θ), so the MLP sees
h = φ(EoS) + Σᵢ vᵢ φ(xᵢ). With x² a wording y of a relation has the logit hᵀ B_y h = Σᵢⱼ uᵢ uⱼ B_y[xᵢ, xⱼ], u = v + e₆:
of the embeddings, the width and the neurons nothing is left but the correlations B_y of the tokens, 21 numbers for each
prompt and wording. A relation's probability is that of its wordings together:

    L₁(θ) = −mean over the 36 prompts of log p(r*),   p(r) ∝ Σ_{i ≤ R} exp(hᵀ B_{r,i} h / T).

What follows from this for every memory (``tie``) and for a symmetric one (``symmetrised``) stands there.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import torch
from torch import Tensor

from lib.recall.landscape import SWAP
from lib.together.memory import ANSWERS, FIRST, RELATIONS, SUBJECTS, WORDINGS, World

ORDERS = torch.tensor(list(permutations(range(SUBJECTS))))
"""(6, 3) the subjects of a prompt: two examples, then the query."""
ASKED = torch.arange(RELATIONS).repeat_interleave(len(ORDERS))
"""(36,) the hidden relation of each prompt."""
_SHOWN = ORDERS.repeat(RELATIONS, 1)
_SAID = SUBJECTS + ANSWERS[ASKED[:, None], _SHOWN]
PROMPTS = torch.stack(
    [_SHOWN[:, 0], _SAID[:, 0], _SHOWN[:, 1], _SAID[:, 1], _SHOWN[:, 2], torch.full_like(ASKED, FIRST)], 1
)
"""(36, 6) every prompt once: subjects 0 … 2, answers 3 … 5, EoS 6."""
_I, _J = torch.triu_indices(6, 6)
_TWICE = torch.where(_I == _J, 1.0, 2.0).to(torch.float64)
_PAIR = torch.zeros(6, 6, dtype=torch.int64)
_PAIR[_I, _J] = _PAIR[_J, _I] = torch.arange(len(_I))
_TWICE_EQUAL = 1 + torch.eye(6, dtype=torch.float64)
IS_TRUE = torch.nn.functional.one_hot(ASKED, RELATIONS).to(torch.float64)
"""(36, 6) 1 for each prompt's own relation."""
_RIVAL = ANSWERS[None, :, :].expand(36, -1, -1).gather(2, _SHOWN[:, None].expand(-1, RELATIONS, -1))
_OWN = ANSWERS[ASKED[:, None], _SHOWN]
IS_RIVAL = ((_RIVAL[..., 0] == _OWN[:, None, 1]) & (_RIVAL[..., 1] == _OWN[:, None, 0])).to(torch.float64)
"""(36, 6) 1 for the relation that exchanges the two answers."""


def constructed_form(images: Tensor) -> Tensor:
    """B_r = Σ_s (e_s + e_{r(s)})(e_s + e_{r(s)})ᵀ, of the neurons of Lemma 1 of Huang et al. that write r; (7, 7).

    Args:
        images: (3,), r(s).
    """
    pairs = torch.zeros(SUBJECTS, FIRST + 1, dtype=torch.float64)
    pairs[torch.arange(SUBJECTS), torch.arange(SUBJECTS)] = 1
    pairs[torch.arange(SUBJECTS), SUBJECTS + images] = 1
    return pairs.T @ pairs


def _alike() -> Tensor:
    """Which correlations of the six relations renaming exchanges: (9, 6, 7, 7), each entry 1 in one of nine groups."""
    kind = torch.tensor([0] * SUBJECTS + [1] * SUBJECTS + [2])
    together = (
        torch.stack([constructed_form(images) for images in ANSWERS]) > 0
    )  # s with r(s), and each with itself
    together = together | torch.eye(FIRST + 1, dtype=torch.bool)
    group = 6 * torch.minimum(kind[:, None], kind) + 2 * torch.maximum(kind[:, None], kind) + together
    return torch.stack([group == each for each in group.unique()]).to(torch.float64)


_ALIKE = _alike()


def correlations(forms: Tensor) -> Tensor:
    """Each wording's logit as a quadratic form in u, of each prompt: (36 · 24, 21), off-diagonal entries doubled.

    Args:
        forms: (24, 7, 7), of ``memory.forms``.
    """
    pairs = forms[:, PROMPTS[:, _I], PROMPTS[:, _J]]  # (24, 36, 21)
    return (pairs.permute(1, 0, 2) * _TWICE).reshape(-1, len(_TWICE))


def with_eos(attention: Tensor) -> Tensor:
    """u = v + e₆: what the MLP sees of the prompt's tokens, (6,)."""
    return attention + (torch.arange(6) == 5).to(torch.float64)


def logits(attention: Tensor, table: Tensor) -> Tensor:
    """hᵀ B h of each wording of each relation, (36, 6, 4).

    Args:
        attention: (6,), v.
        table: of :func:`correlations`.
    """
    u = with_eos(attention)
    return (table @ (u[_I] * u[_J])).reshape(len(ASKED), RELATIONS, WORDINGS)


class Believed(NamedTuple):
    """What the model believes of each prompt."""

    within: Tensor
    """(36, 6, 4) the probability of each wording among those of its relation."""
    logs: Tensor
    """(36, 6) log p(r)."""


def believe(theta: Tensor, table: Tensor, temperature: Tensor, phrases: Tensor) -> Believed:
    """The probabilities of wordings and relations; wordings from R on do not exist."""
    exists = torch.arange(WORDINGS, dtype=torch.float64) < phrases
    scaled = torch.where(exists, logits(torch.softmax(theta, 0), table) / temperature, -torch.inf)
    return Believed(torch.softmax(scaled, -1), torch.log_softmax(torch.logsumexp(scaled, -1), -1))


def relation_loss(theta: Tensor, table: Tensor, temperature: Tensor, phrases: Tensor) -> Tensor:
    """L₁, 0-d, in nats.

    While both examples have equal attention it is at least log 2, whatever the memory: r* and the relation that
    exchanges its two answers belong to two prompts with the same tokens in the two examples, hence with the same h.
    Their probabilities at this h add up to 1 at most, so −log p − log p′ ≥ 2 log 2.
    """
    return loss_of(believe(theta, table, temperature, phrases).logs)


def loss_of(logs: Tensor) -> Tensor:
    """L₁ by the logs of :func:`believe`, 0-d."""
    return -(IS_TRUE * logs).sum() / len(ASKED)


def loss_gradient(theta: Tensor, table: Tensor, temperature: Tensor, believed: Believed) -> Tensor:
    """∂L₁/∂θ in closed form by what is believed at θ: (6,).

    With p the wordings' probabilities and π those given r*, ∂L₁/∂u = Σ (p − π) ∂(uᵀBu)/∂u / 36T, over prompts and
    wordings, and ∂L₁/∂θᵢ = vᵢ(∂L₁/∂uᵢ − v·∂L₁/∂u).
    """
    pull = believed.within * (torch.exp(believed.logs) - IS_TRUE)[..., None] / (len(ASKED) * temperature)
    by_pair = (pull.reshape(-1) @ table)[_PAIR] * _TWICE_EQUAL  # (6, 6)
    v = torch.softmax(theta, 0)
    by_u = by_pair @ with_eos(v)
    return v * (by_u - (v * by_u).sum())


def beliefs(logs: Tensor) -> Tensor:
    """Mean probability of the true relation, of the one that exchanges its answers, and of the other four; (3,)."""
    p = torch.exp(logs)
    true, rival = (IS_TRUE * p).sum() / len(ASKED), (IS_RIVAL * p).sum() / len(ASKED)
    return torch.stack([true, rival, 1 - true - rival])


def named(logs: Tensor) -> Tensor:
    """The number of prompts whose own relation is more probable than any other, 0-d."""
    others = torch.where(IS_TRUE > 0, -torch.inf, logs).amax(1)
    return ((IS_TRUE * logs).sum(1) > others).to(torch.float64).sum()


def determined(known: World) -> Tensor:
    """(36,) 1 for a prompt whose two examples are facts that some wording of its relation states, both as they are."""
    said = known.weight.sum(2) * known.right[..., None] > 0  # (3, 6, 4)
    relations = said.permute(1, 0, 2)[ASKED]  # (36, 3, 4)
    first, second = (
        relations.gather(1, _SHOWN[:, i, None, None].expand(-1, 1, WORDINGS))[:, 0] for i in (0, 1)
    )
    return (first & second).any(1).to(torch.float64)


def symmetrised(forms: Tensor) -> Tensor:
    """The memory's correlations, averaged over all renamings of subjects, answers and wordings: (24, 7, 7).

    Renaming the subjects by g and the answers by h turns the relation r into h r g⁻¹. Averaged over these, B_r[s, a]
    is μ where r(s) = a and ν elsewhere, and all other entries are the same for every relation. Hence

        hᵀ B_r h = 2(μ − ν) Σ_s u_s u_{r(s)} + what all relations share,

    which is the constructed memory's logit times μ − ν: a symmetric memory is the constructed one at the temperature
    T/(μ − ν), exactly, whatever its other correlations. Its lead is 2(μ − ν).
    """
    by_relation = forms.reshape(RELATIONS, WORDINGS, FIRST + 1, FIRST + 1).mean(1)
    means = (_ALIKE * by_relation).sum((1, 2, 3)) / _ALIKE.sum((1, 2, 3))
    return (_ALIKE * means[:, None, None, None]).sum(0).repeat_interleave(WORDINGS, 0)


def constructed() -> Tensor:
    """The correlations of the constructed memory, each relation in every wording: (24, 7, 7)."""
    return torch.stack([constructed_form(images) for images in ANSWERS]).repeat_interleave(WORDINGS, 0)


def tie_curvature(theta: Tensor, table: Tensor, temperature: Tensor, phrases: Tensor) -> Tensor:
    """The least curvature of L₁ at θ along (x, y, −x, −y, 0, 0), the directions that set the two examples apart; 0-d.

    At equal attention it is an eigenvalue of the Hessian: below 0 the tie is a saddle, above it none among these.
    """

    def along(x: Tensor) -> Tensor:
        return relation_loss(
            theta + torch.cat([x, -x, torch.zeros_like(x)]) / 2**0.5, table, temperature, phrases
        )

    hessian = torch.func.jacrev(torch.func.grad(along))(torch.zeros(2, dtype=torch.float64))
    mean, gap = (hessian[0, 0] + hessian[1, 1]) / 2, (hessian[0, 0] - hessian[1, 1]) / 2
    return mean - torch.sqrt(gap**2 + hessian[0, 1] ** 2)


def is_balanced(theta: Tensor) -> Tensor:
    """Whether the two examples have equal scores."""
    return (theta == theta[torch.tensor(SWAP)]).all()


def balanced(theta: Tensor, gradient: Tensor) -> Tensor:
    """The gradient, symmetrised while the two examples have equal scores: rounding must not break their tie; (6,)."""
    return torch.where(is_balanced(theta), (gradient + gradient[torch.tensor(SWAP)]) / 2, gradient)
