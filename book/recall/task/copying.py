"""What the prompts leave to copy, and what masking leaves out: remarks of Sections 1.1 and 2.3, on the full model."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from book.recall.decoding.both_steps import both_steps
from lib.recall.model import build, logits, position_block, sequence
from lib.recall.task import affine_family, all_prompts


class ToCopy(NamedTuple):
    """Shares of prompts."""

    answered: float  # with the answer among their tokens
    repeated: float  # with the query among the examples' subjects


class Unmasked(NamedTuple):
    """The largest probability, over all prompts, that a softmax over all tokens gives to those of the wrong kind."""

    untrained: float  # in the first step, before training
    first: float  # in the first step, trained
    second: float  # in the second, trained


def to_copy(subjects: int = 5, repeated: int = 0) -> ToCopy:
    """What an induction head could copy in the prompts of an affine family.

    Args:
        subjects: n, a prime.
        repeated: 1 to ask for the first example's subject instead.
    """
    known = affine_family(subjects)
    prompts = all_prompts(known)
    shown = prompts.subjects[:, :2]
    query = shown[:, 0] if repeated else prompts.subjects[:, 2]
    answers = known.answers[prompts.relation[:, None], shown]
    answer = known.answers[prompts.relation, query]
    return ToCopy(
        answered=float((answers == answer[:, None]).any(1).double().mean()),
        repeated=float((shown == query[:, None]).any(1).double().mean()),
    )


def unmasked(subjects: int = 5, warmth: float = 1.0) -> Unmasked:
    """How much a softmax over the whole vocabulary would give to tokens of the wrong kind, in both decoding steps.

    Args:
        subjects: n, a prime.
        warmth: T over 1/(40 log n).
    """
    temperature = warmth / (40 * math.log(subjects))
    known = affine_family(subjects)
    prompts = all_prompts(known)
    tokens = sequence(known, prompts)
    built = build(known)
    end = both_steps(subjects, 1 / (40 * math.log(subjects)))
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
