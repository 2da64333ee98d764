"""The program of Theorem 2 with steps enough to see it undone, and what attention does on the way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor

from book.acquire.conditions import FAILURE
from book.acquire.extraction import extraction
from lib.acquire.course import FREQUENT, SCALE, SUBJECTS
from lib.acquire.extraction import Tuning, with_defaults
from lib.program import Program, run


def overfitting() -> Program:
    """Pre-training, then full and rank-1 fine-tuning for 120 steps by default."""
    program = extraction()
    return program._replace(domains=with_defaults(program.domains, steps=120))


class Evenness(NamedTuple):
    """How evenly a question's two tokens share its attention, each 0-d; the greatest of all questions."""

    before: Tensor  # |α − ½| before fine-tuning
    ever: Tensor  # … ever, by full or by rank-1 steps
    bound: Tensor  # what the random start allows: (√2/4)σ₀ √(2 log(2N/δ))
    tuned: Tensor  # facts that are fine-tuned


def on_questions() -> Program:
    """The program with its attention on questions. No figure shows it: late rank-1 steps depend on rounding."""

    def report(ends: tuple[Tuning, ...], p: Any) -> Evenness:
        s = ends[-1]
        bound = math.sqrt(2) / 4 * SCALE * math.sqrt(2 * math.log(2 * SUBJECTS / FAILURE))
        return Evenness(s.uneven[0], s.uneven[1], torch.full_like(s.step, bound), s.learner.chosen.sum())

    return overfitting()._replace(report=report)


def windows(facts: Sequence[int], steps: int) -> pd.DataFrame:
    """Accuracy on unseen facts step by step, a run for each number of fine-tuned facts."""
    frames = []
    for count in facts:
        tuning = run(overfitting(), share=count / FREQUENT, steps=steps).histories[-1]
        accuracy = tuning.rows.accuracy[:, 0].tolist()
        frames.append(pd.DataFrame({"facts": count, "step": tuning.steps, "accuracy": accuracy}))
    return pd.concat(frames)
