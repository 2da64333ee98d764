"""The scene of Proposition 3: through which words the first step of fine-tuning runs, and who answers after such steps.

A band is as wide as its part of the step's squared norm. Before the first step is made, bands lead from words to what
they change; then they are taken apart into what the strongest directions have and what is left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.low_rank.program import ThreeLearners
from book.acquire.scene import PEOPLE
from lib.acquire import course
from lib.acquire.course import MOST_PHRASES, SIZES, SUBJECTS
from lib.acquire.low_rank import projected
from lib.acquire.tokens import TINY
from lib.program import Program, extended
from widgets.figure.panels import Line
from widgets.figure.scenes import Flow, Token

NEARLY, APART = 0.85, 0.1
"""The share of the unseen facts that both kinds of steps must answer for a stop, and by how much they then part."""
STEPS = (Line("answered", 0, "full steps", "measured"), Line("answered", 1, "{directions}", "two"))
FIRST_STEP = Flow(
    "Through which words of the questions the first step runs",
    (*(f"{name}’s birthplace" for name in PEOPLE.split()), "?"),
    (Token("answers", "▲ more likely", "answer"), Token("phrases", "▼ less likely", "phrase")),
    "whole",
    "strongest",
    "remaining",
    "opened",
    "directions",
    STEPS,
    "most_answered",
    "unseen",
    "Unseen facts answered correctly (pale: at the best moment)",
)


class WithFirstStep(NamedTuple):
    """A run, and what is shown of its first step; of that each is a share of ‖G‖²."""

    run: ThreeLearners
    whole: Tensor  # (49, 2) of subjects and format token by answers and phrases
    strongest: Tensor  # (49, 2) the same of its part along the leading directions
    remaining: Tensor  # (49, 2) of what is left
    explained: Tensor  # (1,) of all of that part


def with_first_step(program: Program) -> Program:
    """``program`` whose state holds what is shown of the first step, and which watches it."""

    def start(p: Any) -> WithFirstStep:
        nothing = torch.zeros(SUBJECTS + 1, 2, dtype=torch.float64)
        return WithFirstStep(program.start(p), nothing, nothing, nothing, torch.zeros(1, dtype=torch.float64))

    def enter(s: WithFirstStep, p: Any) -> WithFirstStep:
        run = last.enter(s, p).run
        whole = run.full.down.features
        part = projected(run.full.down, run.first.right, p.ranks).features
        norm = torch.square(whole).sum() + TINY
        parts = {"whole": whole, "strongest": part, "remaining": whole - part}
        shares = {name: _by_kind(torch.square(each)) / norm for name, each in parts.items()}
        return WithFirstStep(run, **shares, explained=(torch.square(part).sum() / norm).reshape(1))

    def watch(s: WithFirstStep, p: Any) -> Any:
        watched = program.watch(s.run, p)
        full, low = watched.accuracy[0], watched.accuracy[1]
        shown = {
            **dict(zip(WithFirstStep._fields[1:], s[1:], strict=True)),
            "opened": s.explained * (s.run.step > 0).to(torch.float64),
            "nearly": torch.minimum(full, low) - NEARLY,
            "apart": full - low - APART,
            "directions": p.ranks,
            "answered": watched.accuracy[:2],
            "most_answered": s.run.best[:2],
            "unseen": SUBJECTS - s.run.full.chosen.sum(),
        }
        return extended(watched, shown)

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


def _by_kind(squares: Tensor) -> Tensor:
    """Subjects and format token by answers and phrases, (49, 2), of squares of features (X, V, m)."""
    of_words = squares.sum(-1)
    asked = torch.cat([of_words[1 : 1 + SUBJECTS], of_words[SIZES.format :]])
    phrases, answers = 1 + SUBJECTS, SIZES.answers
    kinds = asked[:, answers : answers + SUBJECTS], asked[:, phrases : phrases + MOST_PHRASES]
    return torch.stack([kind.sum(1) for kind in kinds], 1)
