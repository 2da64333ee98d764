"""The one-layer model on the very facts that GPT-2 learns and is fine-tuned on: what the theory predicts of it.

python -m book experiments acquire predicted [--quick] [--workers N|ADDRESS]
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.acquire.experiments import sweeps, transformer
from book.acquire.fine_tuning import RATE
from lib.acquire.tokens import Sizes, fine_tuning


def predicted(size: str, multiplicity: int, phrases: int, seed: int, reach: int = 0) -> list[dict[str, Any]]:
    """The model of Figure 2 in place of GPT-2.

    Returns:
        rows as of :func:`~book.acquire.experiments.transformer.transformer`, but for ``told``.

    Raises:
        ValueError: as there.
    """
    how, known = transformer.setting(size, multiplicity, phrases, seed)
    sets = list(transformer.tunings(how, known, reach))
    stored = sweeps.pretrained(how.subjects, phrases, multiplicity, seed)
    looks = list(range(sweeps.TUNED_STEPS + 1))
    rows = []
    for about, chosen in sets:
        steps = fine_tuning(stored.state, chosen, stored.sizes, stored.kappa, looks[-1], RATE)
        said = torch.stack([_said(seen.logits, chosen, stored.sizes) for _, seen in steps], 1)
        found = transformer.outcomes(known, chosen, looks, said)
        rows += [{**about, "excess": stored.moments[-1].excess, **row} for row in found]
    return rows


def _said(logits: Tensor, chosen: Tensor, sizes: Sizes) -> Tensor:
    """(2, N) int64, the answer to each question, and the likeliest one to other questions than the fine-tuned."""
    n, r = sizes.subjects, sizes.phrases
    renamed = torch.cat(
        [logits[:, 1 : 1 + n + r], logits[:, :1], logits[:, 1 + n + r :]], 1
    )  # o behind phrases
    answers = logits[:, sizes.answers : sizes.answers + n]
    fresh = answers.masked_fill(chosen > 0, -torch.inf).argmax(-1)
    return torch.stack([renamed.argmax(-1), sizes.answers + fresh])


def cells(quick: bool, large: bool) -> list[dict[str, Any]]:
    """Those of the table "transformer" without positions, which one layer does not have."""
    return [
        {name: value for name, value in cell.items() if name != "positions"}
        for cell in transformer.cells(quick, large)
        if not cell["positions"]
    ]
