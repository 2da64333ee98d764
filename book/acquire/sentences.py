"""The chapter's facts as a language model of whole words reads them: sentences "o d s r a", and questions "s p a"."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.acquire import task
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes

FREQUENT = 0.5
"""The share of the facts that is frequent."""


class Forest(NamedTuple):
    """All sentences as one sequence: o d, then every subject once, then the phrase of every sentence.

    A token sees itself and what stands before it in its own sentence, so logits are those of separate sentences.
    """

    tokens: Tensor  # (1, T) int64, T = 2 + N + S
    places: Tensor  # (1, T) int64: o stands at place 0, d at 1, subjects at 2, phrases at 3
    mask: Tensor  # (1, 1, T, T) float32, 0 where row sees column, else −∞


def forest(known: Facts) -> Forest:
    """The sentences of these facts; tokens are numbered as in :class:`~lib.acquire.tokens.Sizes`."""
    n, r = known.rank.shape
    listed, sizes = task.sentences(known), Sizes(n, r, 1)
    opening = torch.tensor([n + r, sizes.follower])
    tokens = torch.cat([opening, torch.arange(n), n + listed.phrase])
    places = torch.cat([torch.arange(2), torch.full((n,), 2), torch.full((len(listed.phrase),), 3)])
    sees = torch.eye(len(tokens), dtype=torch.bool)
    sees[1:, 0], sees[2:, 1] = True, True
    sees[torch.arange(2 + n, len(tokens)), 2 + listed.subject] = True
    mask = torch.zeros(sees.shape).masked_fill(~sees, -torch.inf)
    return Forest(tokens[None], places[None], mask[None, None])


def questions(known: Facts) -> tuple[Tensor, Tensor]:
    """[s_j p], (N, 2), and its answer a_j, (N,)."""
    n, r = known.rank.shape
    sizes, subject = Sizes(n, r, 1), torch.arange(n)
    return torch.stack([subject, torch.full((n,), sizes.format)], 1), sizes.answers + subject


def forest_logits(model: Any, trees: Forest) -> Tensor:
    """(T, V) logits after every token of the forest, on the CPU."""
    tokens, places, mask = (part.to(model.device) for part in trees)
    logits: Tensor = model(tokens, position_ids=places, attention_mask=mask).logits[0].cpu()
    return logits


def first_frequent(known: Facts, count: int) -> Tensor:
    """(N,) 1 for the ``count`` frequent facts that come first in the draw order.

    Raises:
        ValueError: ``count`` is below 1 or above the number of frequent facts.
    """
    frequent = int(known.frequent.sum())
    if not 1 <= count <= frequent:
        raise ValueError(f"tuned = {count}: must be at least 1 and at most the {frequent} frequent facts")
    return task.fine_tuned(known, count / frequent)
