"""Lemma 1's MLP in closed form: every score of the memory by counting tokens, also where embeddings overlap.

The layers are those of ``model.associative_memory``, 3n² neurons. Embeddings may all have one cosine c with each
other, φ(u)ᵀφ(u′) = c; then wᵀh = (1 − c)·(tokens in common) + c·|w||h|, |·| counting tokens, and the scores follow.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

ANSWER, RELATION, SUBJECT = 0, 1, 2
"""The kinds of element that can be asked for. Given are then a subject and a relation, a subject and an answer, or an
answer and a relation."""


class Memory(NamedTuple):
    """A set of facts and the two tokens of a question."""

    maps: Tensor  # (R, S, A) 1 where relation r maps s to a
    pairs: Tensor  # (S, A) 1 where there are such a subject and such an answer
    given: tuple[Tensor, Tensor, Tensor]  # (S,), (A,), (R,): 1 for the given subject, answer, relation
    overlap: Tensor  # c


class Scores(NamedTuple):
    """φ(u)ᵀ f(h) for every token u, and the squared activations of the three groups of neurons."""

    answers: Tensor  # (A,)
    relations: Tensor  # (R,)
    subjects: Tensor  # (S,)
    eos: Tensor
    groups: Tensor  # (3, S, A): those that write answers, relations, subjects


def scores(memory: Memory) -> Scores:
    """The exact scores of the MLP of Lemma 1 (Huang et al.) on h = φ(u₁) + φ(u₂), with σ(x) = x²."""
    s, a, r = memory.given
    c = memory.overlap
    reached = torch.einsum("rsa,r->sa", memory.maps, r)
    joined = memory.maps.sum(0)
    common = torch.stack([s[:, None] + reached, s[:, None] + a, a + reached])  # tokens of h in each w
    sizes = torch.stack([1 + joined, 2 + torch.zeros_like(joined), 1 + joined])
    fired = ((1 - c) * common + 2 * c * sizes) ** 2 * memory.pairs
    shared = c * (fired[0].sum() + (fired[1] * joined).sum() + fired[2].sum())
    return Scores(
        answers=(1 - c) * fired[0].sum(0) + shared,
        relations=(1 - c) * torch.einsum("rsa,sa->r", memory.maps, fired[1]) + shared,
        subjects=(1 - c) * fired[2].sum(1) + shared,
        eos=shared,
        groups=fired,
    )
