"""What the prompts leave to copy: a remark of Section 1.1."""

from __future__ import annotations

from typing import NamedTuple

from lib.recall.task import affine_family, all_prompts


class ToCopy(NamedTuple):
    """Shares of prompts."""

    answered: float  # with the answer among their tokens
    repeated: float  # with the query among the examples' subjects


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
