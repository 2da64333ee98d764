"""The scene of Proposition 3: the first gradient of fine-tuning as a column times a row, and what is left.

Of the tokens six fine-tuned subjects and the format token are shown, of the outputs six phrases and those subjects'
answers, each as the mean of its neurons.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from book.acquire.charts import FINE_TUNING, tuning
from book.acquire.low_rank.program import Three
from lib.acquire import course
from lib.acquire.course import MOST_DRAWN, SIZES, SUBJECTS
from lib.acquire.extraction import ROUNDS
from lib.acquire.tokens import TINY, rank_one
from lib.solve import Program, record
from widgets.panels import Line
from widgets.scenes import Scene, Split, Stop

SHOWN = 6
GRADIENT = Split(
    "The first gradient of fine-tuning",
    (("phrases", MOST_DRAWN), ("answers", SHOWN)),
    (("subjects", SHOWN), ("p", 1)),
    "gradient",
    "leading",
    "explained",
)
FOLLOWED = tuning(
    "Unseen facts right",
    Line("accuracy", 0, "full steps", "first"),
    Line("accuracy", 1, "low rank", "second"),
    Line("explained_now", 0, "rank 1’s share of the gradient", "eos", "5 3"),
)
SCENE = Scene(
    ((GRADIENT,), (FOLLOWED,)),
    (1.8, 1.0),
    (Stop("first right", FINE_TUNING, passes=("accuracy", 0)), Stop("end", FINE_TUNING)),
    since=FINE_TUNING,
)


class Kept(NamedTuple):
    """A run, and of its first gradient what is shown, the same of its rank-1 part, and that part's share of ‖G‖²."""

    run: Three
    gradient: Tensor
    leading: Tensor
    explained: Tensor


def keeping(program: Program) -> Program:
    """``program``, the first gradient kept and watched; and watched what rank 1 explains of the next step's."""

    def start(p: Any) -> Kept:
        nothing = torch.zeros(MOST_DRAWN + SHOWN, SHOWN + 1, dtype=torch.float64)
        return Kept(program.start(p), nothing, nothing, torch.zeros(1, dtype=torch.float64))

    def enter(s: Kept, p: Any) -> Kept:
        run = last.enter(s, p).run
        whole = run.full.down.features
        part = rank_one(whole, ROUNDS)
        return Kept(run, _shown(whole, run.full.chosen), _shown(part, run.full.chosen), _share(whole, part))

    def watch(s: Kept, p: Any) -> Any:
        seen, whole = program.watch(s.run, p), s.run.full.down.features
        fields = (*seen._fields, *Kept._fields[1:], "explained_now")
        return record("Split", fields)(*seen, *s[1:], _share(whole, rank_one(whole, ROUNDS)))

    *earlier, last = course.inside(program.stages, "run")
    stages = (*earlier, last._replace(enter=enter))
    return program._replace(
        start=start,
        stages=stages,
        watch=watch,
        report=lambda ends, p: program.report(tuple(end.run for end in ends), p),
    )


def _share(whole: Tensor, part: Tensor) -> Tensor:
    """Of the squared norm, (1,)."""
    return (torch.square(part).sum() / (torch.square(whole).sum() + TINY)).reshape(1)


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
