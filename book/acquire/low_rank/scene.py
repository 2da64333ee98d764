"""The scene of Proposition 3: the first gradient of fine-tuning as a column times a row, and what is left.

Of the tokens six fine-tuned subjects and the format token are shown, of the outputs six phrases and those subjects'
answers, each as the mean of its neurons.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from book.acquire.low_rank.program import Three
from lib.acquire import course
from lib.acquire.course import MOST_DRAWN, SIZES, SUBJECTS
from lib.acquire.extraction import ROUNDS
from lib.acquire.tokens import TINY, rank_one
from lib.program import Program, extended
from widgets.figure.scenes import Split

SHOWN = 6
GRADIENT = Split(
    "The first gradient of fine-tuning",
    (("phrases", MOST_DRAWN), ("answers", SHOWN)),
    (("subjects", SHOWN), ("p", 1)),
    "gradient",
    "leading",
    "explained",
)


class Kept(NamedTuple):
    """A run, and of its first gradient what is shown, the same of its rank-1 part, and that part's share of ‖G‖²."""

    run: Three
    gradient: Tensor
    leading: Tensor
    explained: Tensor


def keeping(program: Program) -> Program:
    """``program``, in which what is shown of the first gradient is kept and watched."""

    def start(p: Any) -> Kept:
        nothing = torch.zeros(MOST_DRAWN + SHOWN, SHOWN + 1, dtype=torch.float64)
        return Kept(program.start(p), nothing, nothing, torch.zeros(1, dtype=torch.float64))

    def enter(s: Kept, p: Any) -> Kept:
        run = last.enter(s, p).run
        whole, chosen = run.full.down.features, run.full.chosen
        part = rank_one(whole, ROUNDS)
        share = torch.square(part).sum() / (torch.square(whole).sum() + TINY)
        return Kept(run, _shown(whole, chosen), _shown(part, chosen), share.reshape(1))

    def watch(s: Kept, p: Any) -> Any:
        return extended(program.watch(s.run, p), dict(zip(Kept._fields[1:], s[1:], strict=True)))

    *earlier, last = course.inside(program.stages, "run")
    stages = (*earlier, last._replace(enter=enter))
    return program._replace(
        start=start,
        stages=stages,
        watch=watch,
        report=lambda ends, p: program.report(tuple(end.run for end in ends), p),
    )


def _shown(features: Tensor, chosen: Tensor) -> Tensor:
    """Outputs by tokens, (12, 7), of features (X, V, m); 0 where fewer than six facts are fine-tuned."""
    place = torch.cumsum(chosen, 0)
    each = (place == torch.arange(1, SHOWN + 1)[:, None]) * chosen  # (6, N)
    phrases = torch.eye(MOST_DRAWN, dtype=torch.float64)
    tokens = torch.cat([_at(each, 1, SIZES.tokens), _at(torch.ones(1, 1), SIZES.format, SIZES.tokens)])
    outputs = torch.cat([_at(phrases, 1 + SUBJECTS, SIZES.outputs), _at(each, SIZES.answers, SIZES.outputs)])
    return outputs @ (tokens @ features.mean(-1)).T


def _at(values: Tensor, begin: int, count: int) -> Tensor:
    """Columns at their place among ``count``."""
    return pad(values.to(torch.float64), (begin, count - begin - values.shape[1]))
