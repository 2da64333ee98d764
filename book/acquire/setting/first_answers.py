"""What a pre-trained model answers to questions, before fine-tuning and after a few steps of it (Remark 2)."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import torch

from book.acquire.fine_tuning import RATE
from book.acquire.pretraining import pretrained
from lib.acquire.extraction import answer_kinds
from lib.acquire.task import fine_tuned
from lib.acquire.tokens import fine_tuning

USUAL: dict[str, Any] = {
    "subjects": 24,
    "phrases": 8,
    "multiplicity": 4,
    "neurons": 8,
    "pace": 4.0,
    "steps_3": 60,
}
"""Arguments of ``pretrained`` unless others are given."""


class FirstAnswers(NamedTuple):
    """Shares of the answers to all questions."""

    right: float  # to [s p]
    right_alone: float  # to [s]
    own_phrase: float  # to [s p], one of the fact's own phrases
    right_among_answers: float  # to [s p], among all tokens that are no phrase
    stated: float  # least probability of the answer after [o s r]


def questions(tuned: int, **configuration: Any) -> FirstAnswers:
    """Answers to [s_j p] and [s_j] of a pre-trained model.

    Args:
        tuned: steps of fine-tuning.
        **configuration: of :func:`~book.acquire.pretraining.pretrained`, over :data:`USUAL`.
    """
    run = pretrained(**{**USUAL, **configuration})
    n, first_answer = run.sizes.subjects, run.sizes.answers
    chosen = fine_tuned(run.known, 0.5)
    passes = fine_tuning(run.state, chosen, run.sizes, run.kappa, tuned, RATE)
    state, last = deque(passes, 1).pop()
    kinds = answer_kinds(last.logits, run.known, chosen, first_answer).mean(0)
    subject = torch.arange(n)
    alone = torch.relu(2 * state.features[1 : 1 + n]).mean(-1)  # the logits of [s_j]
    others = last.logits.clone()
    others[:, 1 + n : 1 + n + run.sizes.phrases] = -torch.inf
    return FirstAnswers(
        right=float(kinds[4]),
        right_alone=float((alone.argmax(1) == first_answer + subject).double().mean()),
        own_phrase=float(kinds[3]),
        right_among_answers=float((others.argmax(1) == first_answer + subject).double().mean()),
        stated=run.at(run.ends[2]).answer[0],
    )
