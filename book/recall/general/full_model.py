"""One confusing prompt in the transformer as printed, with any attention."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from book.recall.common import full_logits, transformer
from lib.recall import model
from lib.recall.task import Knowledge, Prompts, affine_family, matches, sample_prompts


def confusing_prompt(alone: bool) -> tuple[Knowledge, Prompts, int]:
    """Return one prompt of the seven-element affine family and which relation swaps its answers.

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
