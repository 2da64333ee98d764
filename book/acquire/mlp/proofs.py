"""That an MLP is not necessary: weights without one, written down, whose loss is near the entropy."""

from __future__ import annotations

import math

import torch

from book.acquire.table_3 import LARGE, of
from book.ledger.proofs import Rank, Survival, erratum

SUBJECTS, PHRASES, SIZE = 12, 4, 100.0


def linear_excess() -> float:
    """Loss less entropy of a linear map with uniform attention and the residual, on orthogonal three-token sentences.

    In products with the tokens, with c = ``SIZE``: each phrase has c on every subject and −c on every phrase, an answer
    c/2 on its subject. After [s] the subject's product counts twice; after [s r] it counts ½, and the phrase's 3/2.
    """
    outputs = PHRASES + SUBJECTS
    subject = torch.zeros(SUBJECTS, outputs, dtype=torch.float64)
    subject[:, :PHRASES] = SIZE
    subject[torch.arange(SUBJECTS), PHRASES + torch.arange(SUBJECTS)] = SIZE / 2
    phrase = torch.zeros(outputs, dtype=torch.float64)
    phrase[:PHRASES] = -SIZE
    after_subject = -torch.log_softmax(2 * subject, 1)[:, :PHRASES].mean()
    after_both = -torch.log_softmax(subject / 2 + 1.5 * phrase, 1)
    answers = after_both[torch.arange(SUBJECTS), PHRASES + torch.arange(SUBJECTS)].mean()
    return float(after_subject + answers - math.log(PHRASES)) / 2


def over(kind: str) -> float:
    """Loss over entropy of the stored run of this model at the paper's size."""
    runs = of(kind)
    return float(runs[runs.subjects == LARGE].over.iloc[0])


@erratum(
    "acquire.table-3-size",
    rank=Rank.STATEMENT,
    where="Appendix A, what Table 3 is said to imply",
    printed=r"\text{an MLP is necessary for transformers to acquire knowledge}",
    right=r"\text{without an MLP and without biases they do not, if there are many more facts than dimensions}",
    survival=Survival.ONCE_CORRECTED,
    survives="The numbers of the table do. Attention alone lacks a constant, which biases come near to supplying in "
    "our run, or a dimension for each token: with orthogonal tokens, which the theory assumes, a linear map stores "
    "the facts.",
    numbers=lambda: {
        "loss over entropy of a linear map, orthogonal tokens": linear_excess(),
        "of attention alone with biases, trained at N = 1000": over("attention, biases"),
        "without biases": over("attention"),
    },
)
def a_linear_map_stores() -> bool:
    """A linear map without MLP comes within a millionth of the entropy."""
    return abs(linear_excess()) < 1e-6
