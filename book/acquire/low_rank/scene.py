"""The scene of Proposition 3: the first gradient of fine-tuning, its strongest part, and what is left.

The part has as many directions as the updates: of rank 1 it is a column times a row.

Of the tokens four fine-tuned subjects and the format token are shown, of the outputs six phrases and those subjects'
answers, each as the mean of its neurons. Before the first step is made the gradient stands alone; then it is taken
apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from book.acquire.low_rank.program import ThreeLearners
from lib.acquire import course
from lib.acquire.course import MOST_DRAWN, SIZES, SUBJECTS
from lib.acquire.low_rank import projected
from lib.acquire.tokens import TINY
from lib.program import Program, extended
from widgets.figure.scenes import Split

SHOWN = 4
"""Subjects, and so many answers."""
NEARLY, APART = 0.85, 0.1
"""The share of the unseen facts that both kinds of steps must answer for a stop, and by how much they then part."""
GRADIENT = Split(
    "The first step of fine-tuning",
    (("phrases", MOST_DRAWN), ("answers", SHOWN)),
    (("people", SHOWN), ("?", 1)),
    "gradient",
    "leading",
    "opened",
)


class WithGradient(NamedTuple):
    """A run, and what is shown of its first gradient."""

    run: ThreeLearners
    gradient: Tensor  # (10, 5) outputs by tokens
    leading: Tensor  # (10, 5) the same of its part along the leading directions
    explained: Tensor  # (1,) that part's share of ‖G‖²


def with_first_gradient(program: Program) -> Program:
    """``program`` whose state holds what is shown of the first gradient, and which watches it."""

    def start(p: Any) -> WithGradient:
        nothing = torch.zeros(MOST_DRAWN + SHOWN, SHOWN + 1, dtype=torch.float64)
        return WithGradient(program.start(p), nothing, nothing, torch.zeros(1, dtype=torch.float64))

    def enter(s: WithGradient, p: Any) -> WithGradient:
        run = last.enter(s, p).run
        whole, chosen = run.full.down.features, run.full.chosen
        part = projected(run.full.down, run.first.right, p.ranks).features
        share = torch.square(part).sum() / (torch.square(whole).sum() + TINY)
        return WithGradient(run, _shown(whole, chosen), _shown(part, chosen), share.reshape(1))

    def watch(s: WithGradient, p: Any) -> Any:
        watched = program.watch(s.run, p)
        full, low = watched.accuracy[0], watched.accuracy[1]
        opened = s.explained * (s.run.step > 0).to(torch.float64)
        marks = {"opened": opened, "nearly": torch.minimum(full, low) - NEARLY, "apart": full - low - APART}
        return extended(watched, {**dict(zip(WithGradient._fields[1:], s[1:], strict=True)), **marks})

    *earlier, last = course.inside(program.stages, "run")
    stages = (*earlier, last._replace(enter=enter))
    return program._replace(
        start=start,
        stages=stages,
        watch=watch,
        report=lambda ends, p: _with_share(program.report(tuple(end.run for end in ends), p)),
    )


def _with_share(report: Any) -> Any:
    """The report with ``held``, the share of the first gradient's squared norm along as many directions as updates."""
    return extended(report, {"held": 1 - report.left_here})


def _shown(features: Tensor, chosen: Tensor) -> Tensor:
    """Outputs by tokens, (10, 5), of features (X, V, m); 0 where fewer than four facts are fine-tuned."""
    place = torch.cumsum(chosen, 0)
    one_hot = (place == torch.arange(1, SHOWN + 1)[:, None]) * chosen  # (4, N)
    phrases = torch.eye(MOST_DRAWN, dtype=torch.float64)
    tokens = torch.cat([_at(one_hot, 1, SIZES.tokens), _at(torch.ones(1, 1), SIZES.format, SIZES.tokens)])
    outputs = torch.cat(
        [_at(phrases, 1 + SUBJECTS, SIZES.outputs), _at(one_hot, SIZES.answers, SIZES.outputs)]
    )
    return outputs @ (tokens @ features.mean(-1)).T


def _at(values: Tensor, begin: int, count: int) -> Tensor:
    """Columns at their place among ``count``, with columns of 0 around them."""
    return pad(values.to(torch.float64), (begin, count - begin - values.shape[1]))
