"""Does GPT-2 store a fact at its phrases? The pre-trained network is asked with phrases that never stated the fact.

python -m book experiments acquire swapped [--quick | --large] [--workers N|ADDRESS]
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.experiments import transformer
from book.acquire.sentences import questions
from lib.acquire import task
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes


def answered(model: Any, known: Facts, opening: list[int]) -> tuple[Tensor, Tensor]:
    """Which facts are answered rightly after ``opening``, their subject and a phrase.

    Args:
        opening: the tokens before the subject.

    Returns:
        (N, R) float64, for each phrase 1 or 0; (N,), where the phrase is the mean of all phrases' embeddings.
    """
    n, r = known.rank.shape
    embeddings = model.get_input_embeddings().weight
    phrases = embeddings[n : n + r]
    phrases = torch.cat([phrases, phrases.mean(0, keepdim=True)]).repeat(n, 1)  # (N (R + 1), width)
    subjects = embeddings[:n].repeat_interleave(r + 1, 0)
    first = embeddings[torch.tensor(opening, dtype=torch.int64)].expand(len(subjects), -1, -1)
    logits = model(inputs_embeds=torch.cat([first, subjects[:, None], phrases[:, None]], 1)).logits[:, -1]
    answers = logits.argmax(-1).cpu().reshape(n, r + 1)
    right = (answers == questions(known)[1][:, None]).to(torch.float64)
    return right[:, :r], right[:, r]


def swapped(size: str, multiplicity: int, phrases: int, positions: bool, seed: int) -> list[dict[str, Any]]:
    """Pre-train as :func:`~book.acquire.experiments.transformer.transformer` does, and ask with every phrase.

    Returns:
        for each ``prompt``, "o d s r" and "s r", and ``facts``, "frequent" and "rare", one row: the share of right
        answers with the fact's ``own`` phrases, with ``other`` ones (NaN at K = R), with the ``mean`` phrase.

    Raises:
        ValueError: an unknown size, or K > R. MissingExtra: transformers is not installed.
    """
    settings, known = transformer.size_and_facts(size, multiplicity, phrases, seed)
    model = transformer.pretrained(settings, known, positions, seed).model
    n, r = known.rank.shape
    rows = []
    for prompt, opening in (("o d s r", [n + r, Sizes(n, r, 1).follower]), ("s r", [])):
        with torch.no_grad():
            right, right_after_mean = answered(model, known, opening)
        for facts, group in (("frequent", known.frequent), ("rare", 1 - known.frequent)):
            own_phrases, other_phrases = group[:, None] * known.uses, group[:, None] * (1 - known.uses)
            shares = {
                "own": task.mean_of(right, own_phrases),
                "other": task.mean_of(right, other_phrases),
                "mean": task.mean_of(right_after_mean, group),
            }
            rows.append(
                {"prompt": prompt, "facts": facts, **{name: float(share) for name, share in shares.items()}}
            )
    return rows


def cells(quick: bool, large: bool) -> list[dict[str, Any]]:
    """Those of the table "transformer" at R = 8."""
    return [
        {name: value for name, value in cell.items() if name != "reach"}
        for cell in transformer.cells(quick, large)
        if cell["phrases"] == transformer.PHRASES
    ]
