"""What masking leaves out: a remark of Section 2.3, on the full model."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from book.recall.decoding.both_steps import both_steps
from lib.recall.model import build, logits, position_block, sequence
from lib.recall.task import affine_family, all_prompts


class Unmasked(NamedTuple):
    """The largest probability, over all prompts, that a softmax over all tokens gives to those of the wrong kind."""

    untrained: float  # in the first step, before training
    first: float  # in the first step, trained
    second: float  # in the second, trained


def unmasked(subjects: int = 5, warmth: float = 1.0) -> Unmasked:
    """How much a softmax over the whole vocabulary would give to tokens of the wrong kind, in both decoding steps.

    Args:
        subjects: n, a prime.
        warmth: T over 1/(40 log n).
    """
    coldest = 1 / (40 * math.log(subjects))
    temperature = warmth * coldest
    known = affine_family(subjects)
    prompts = all_prompts(known)
    tokens = sequence(known, prompts)
    built = build(known)
    end = both_steps(subjects, coldest)
    trained = built._replace(W_KQ=position_block(end.theta, end.omega, built.embedding.shape[1]))
    relations, answers = slice(2 * subjects, -1), slice(subjects, 2 * subjects)

    def wrong(scores: torch.Tensor, kind: slice) -> float:
        return float((1 - torch.softmax(scores / temperature, 1)[:, kind].sum(1)).max())

    decoded = sequence(known, prompts, decoded=True)
    return Unmasked(
        untrained=wrong(logits(built, tokens), relations),
        first=wrong(logits(trained, tokens), relations),
        second=wrong(logits(trained, decoded), answers),
    )
