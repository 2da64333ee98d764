"""Who wins, prompt by prompt: where the three conditions and the largest logit disagree."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from book.recall.common import seeded, some_attention
from book.recall.logits.full_model import printed_eq_18
from lib.recall.logits import conditions
from lib.recall.task import affine_subset, matches, sample_prompts


class Disagreements(NamedTuple):
    """How the three conditions compare with the largest logit."""

    subjects: int
    relations: int
    all_rivals: bool  # every prompt has its confusing and its four mismatched relations
    met: float  # share of the attentions that meet the conditions
    leads_beyond: int  # cases in which r* leads though a condition is broken
    fails: int  # cases in which it does not though all hold


def disagreements(subjects: int, relations: int) -> Disagreements:
    """Compare the three conditions with the largest logit, for 12 prompts at 400 random attentions."""
    known = affine_subset(subjects, relations, seeded(6))
    prompts = sample_prompts(known, 12, seeded(7))
    hit = torch.cat(list(matches(known, prompts))).to(torch.float64)
    is_true = torch.nn.functional.one_hot(prompts.relation, known.relations).bool()
    beyond = fails = met = 0
    for v in some_attention(400, seed=8):
        predicted = torch.stack(conditions(v)).all()
        logits = printed_eq_18(v, hit)
        alone = logits[is_true] > logits.masked_fill(is_true, -math.inf).amax(1) + 1e-12
        beyond += int((alone & ~predicted).sum())
        fails += int((~alone & predicted).sum())
        met += int(predicted)
    every = bool(((hit.sum((-2, -1)) == 2).sum(1) == 6).all())
    return Disagreements(subjects, relations, every, met / 400, beyond, fails)
