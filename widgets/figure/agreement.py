"""Whether a page's numbers are torch's: to nine digits, or as near as torch's own last digits let them be.

A run that is chaotic, or that passes close by a border between two ends, blows a difference in the last digit up until
it is as large as the numbers themselves. How far is measured: torch runs again with its parameters and its start moved
by a few last digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from lib.domain import Domain
from lib.program import Program, run
from widgets.figure.compiled import flatten
from widgets.translate.verify import gaps

CLOSE = 1e-9
"""Numbers that differ by less are the same, relative above 1."""
LAST_DIGITS = 1e-14
"""The relative amount by which the parameters and the start are moved."""
SLACK = 100
"""A page may round this many times as much as the moved runs show."""


def distance(ours: Tensor, theirs: Tensor) -> float:
    """The largest of the gaps between two runs, 0 for no numbers, and infinite for another count of them."""
    if len(ours) != len(theirs):
        return math.inf
    return float(gaps(ours, theirs).max()) if len(ours) else 0.0


def unexplained(ours: Tensor, program: Program, values: Mapping[str, float]) -> float:
    """How far the numbers of a run are from torch's, where torch's own last digits do not explain it; else 0.

    Args:
        ours: every number of the run, in the order of :func:`widgets.figure.compiled.flatten`.
        values: of the parameters.
    """
    theirs = flatten(run(program, **values))
    if (far := distance(ours, theirs)) < CLOSE:
        return far
    moved = [flatten(run(other, **near)) for other, near in nearby(program, values)]
    if any(len(other) != len(theirs) for other in moved):
        return 0.0  # the run ends at another step
    if len(ours) != len(theirs):
        return far
    own = torch.stack([gaps(other, theirs) for other in moved]).amax(0)
    apart = gaps(ours, theirs)
    return float(torch.where((apart < CLOSE) | (apart <= SLACK * own), 0.0, apart).max())


def nearby(program: Program, values: Mapping[str, float]) -> Iterator[tuple[Program, dict[str, float]]]:
    """Runs that differ from one in the last digits: of the parameters, then of the state that it starts from."""
    for factor in (1 + LAST_DIGITS, 1 - LAST_DIGITS):
        yield (
            program,
            {domain.name: _moved(domain, values[domain.name], factor) for domain in program.domains},
        )
    if program.stages:
        for factor in (1 + LAST_DIGITS, 1 - LAST_DIGITS):
            yield program._replace(start=_moved_start(program, factor)), dict(values)


def _moved(domain: Domain, value: float, factor: float) -> float:
    """A parameter with other last digits, if it may have them."""
    if domain.integer or domain.scale == "choice":
        return value
    return min(max(value * factor, domain.low), domain.high)


def _moved_start(program: Program, factor: float) -> Any:
    def start(p: Any) -> Any:
        return pytree.tree_map(
            lambda leaf: leaf * factor if leaf.is_floating_point() else leaf, program.start(p)
        )

    return start
