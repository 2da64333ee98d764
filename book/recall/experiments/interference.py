"""What a learned memory adds to the scores of a constructed one: products of tokens that do not belong together.

With σ(x) = x² the logit of a relation is a quadratic form in the hidden state, Σ_xy h_x h_y B_r[x, y]/2. In the
memory of Lemma 1 only a subject and its own answer under r score more for r than for other relations. Pretraining
shows a subject with an answer, never two subjects: how those score is left to chance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor

from book.recall.experiments import pretraining, sweeps
from book.recall.experiments.pretraining import Network
from lib.recall.task import Knowledge

SUBJECTS, RELATIONS, EXAMPLES = 8, 64, 2
"""n, |R| and K, as in Figure 4."""
STEPS = 1500
"""Steps of pretraining."""


class Interference(NamedTuple):
    """Scores of products of two tokens, less their mean over relations, which cancels in the softmax."""

    signal: Tensor
    """0-d: the mean over relations and subjects of B_r[s, r(s)]."""
    wrong_pair: Tensor
    """0-d: the standard deviation of B_r[s, a] for a ≠ r(s)."""
    two_subjects: Tensor
    """0-d: that of B_r[s, s′] for s ≠ s′."""
    two_answers: Tensor
    """0-d: that of B_r[a, a′] for a ≠ a′."""


def interference(network: Network, knowledge: Knowledge) -> Interference:
    """Signal and noise in the relations' scores.

    Raises:
        ValueError: the activation is not x².
    """
    if network.activation != "square":
        raise ValueError(
            f"activation = {network.activation!r}: must be square, or a score is no quadratic form"
        )
    n = knowledge.subjects
    relations = slice(2 * n, 2 * n + knowledge.relations)
    inner = (network.W @ network.embedding[: 2 * n].T).double()  # (m, 2n): subjects, then answers
    outer = (network.V @ network.embedding[relations].T).double()  # (m, R)
    B = 2 * torch.einsum("kr,kx,ky->rxy", outer, inner, inner)  # (R, 2n, 2n)
    B = B - B.mean(0)
    is_fact = torch.nn.functional.one_hot(knowledge.answers, n).bool()  # (R, n, n)
    pairs, apart = B[:, :n, n:], ~torch.eye(n, dtype=torch.bool)
    return Interference(
        pairs[is_fact].mean(),
        pairs[~is_fact].std(),
        B[:, :n, :n][:, apart].std(),
        B[:, n:, n:][:, apart].std(),
    )


def memories(quick: bool, large: bool) -> list[dict[str, Any]]:
    """The widths of the memories whose scores are measured."""
    return [{"width": 64, "steps": 100}] if quick else [{"width": width} for width in (64, 256)]


def learned(width: int, steps: int = STEPS) -> list[dict[str, Any]]:
    """Signal and noise, over the signal, in a memory with x² that was pretrained at T = 1 on eight subjects.

    Args:
        width: m.
        steps: of pretraining.
    """
    knowledge = sweeps.trial(SUBJECTS, RELATIONS, EXAMPLES, seed=0).knowledge
    generator = Generator().manual_seed(0)
    vocabulary, places = 2 * SUBJECTS + RELATIONS + 1, 2 * EXAMPLES + 3
    start = pretraining.network(vocabulary, places, "square", width, generator)
    stored, _ = pretraining.pretrain(start, knowledge, 1.0, sweeps.rule_of("adam", 1.0), steps, generator)
    scores = interference(stored, knowledge)
    noise = {name: float(getattr(scores, name) / scores.signal) for name in scores._fields[1:]}
    return [{"width": width, "signal": float(scores.signal), **noise}]
