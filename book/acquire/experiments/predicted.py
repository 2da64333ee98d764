"""The one-layer model on the very facts that GPT-2 learns and is fine-tuned on: what the theory predicts of it.

python -m book experiments acquire predicted [--quick] [--workers N|ADDRESS]
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.experiments import sweeps, transformer
from book.acquire.experiments.outcomes import Looks, outcomes
from book.acquire.fine_tuning import RATE
from lib.acquire.tokens import Sizes, fine_tuning


def predicted(size: str, multiplicity: int, phrases: int, seed: int, reach: int = 0) -> list[dict[str, Any]]:
    """The model of Figure 2 in place of GPT-2.

    Returns:
        rows as of :func:`~book.acquire.experiments.transformer.transformer`, but for ``told``.

    Raises:
        ValueError: as there.
    """
    settings, known = transformer.size_and_facts(size, multiplicity, phrases, seed)
    tunings = list(transformer.tunings_of(settings, known, reach))
    run = sweeps.pretrained(settings.subjects, phrases, multiplicity, seed)
    rows = []
    for tuning, chosen in tunings:
        passes = fine_tuning(run.state, chosen, run.sizes, run.kappa, sweeps.TUNED_STEPS, RATE)
        answers = torch.stack([_answers(passed.logits, chosen, run.sizes) for _, passed in passes], 1)
        looks = Looks(list(range(sweeps.TUNED_STEPS + 1)), *answers)
        excess = run.moments[-1].excess
        rows += [{**tuning, "excess": excess, **row} for row in outcomes(known, chosen, looks)]
    return rows


def _answers(logits: Tensor, chosen: Tensor, sizes: Sizes) -> Tensor:
    """(2, N) int64, the answer to each question, and the likeliest one to other questions than the fine-tuned."""
    n, r = sizes.subjects, sizes.phrases
    o_behind_phrases = torch.cat([logits[:, 1 : 1 + n + r], logits[:, :1], logits[:, 1 + n + r :]], 1)
    answers = logits[:, sizes.answers : sizes.answers + n]
    untuned = answers.masked_fill(chosen > 0, -torch.inf).argmax(-1)
    return torch.stack([o_behind_phrases.argmax(-1), sizes.answers + untuned])


def cells(quick: bool, large: bool) -> list[dict[str, Any]]:
    """Those of the table "transformer" without positions, which one layer does not have."""
    return [
        {name: value for name, value in cell.items() if name != "positions"}
        for cell in transformer.cells(quick, large)
        if not cell["positions"]
    ]
