"""Lamps beside a run: undecided until the step that decides them, then on or off."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.together.lamps import AWAY, Lamp, always, lamps_of, with_lamps
from lib.domain import Domain
from lib.program import Program, Stage, record, run

DOMAINS = (Domain("steps", 0, 9, integer=True, default=4),)
SETTINGS = record("Settings", ["steps"])


class Count(NamedTuple):
    """Steps taken."""

    taken: Tensor


def counting() -> Program:
    """A run that counts its steps."""
    stage = Stage("count", lambda s, p: s, lambda s, p: (Count(s.taken + 1), s.taken < 0), "steps")
    zero = torch.zeros((), dtype=torch.float64)
    return Program(
        SETTINGS, DOMAINS, lambda p: Count(zero), (stage,), lambda s, p: s, lambda ends, p: ends[-1]
    )


LAMPS = (
    Lamp("four are taken", lambda r, p: r.taken == 4, lambda p: p.steps),
    Lamp("five are taken", lambda r, p: r.taken == 5, lambda p: p.steps / 2),
    Lamp("of another run", always, lambda p: p.steps, lambda r, p: p.steps > 8),
)


def test_a_lamp_is_undecided_until_its_step_and_then_as_the_report_says():
    result = run(with_lamps(counting(), LAMPS, lambda state: state.taken))
    rows = result.histories[0].rows.lit
    undecided = rows.isinf().sum(0).tolist()
    assert undecided == [4, 2, 4]
    assert rows[-1].isnan().all()
    assert result.report.stood.tolist() == [AWAY, -AWAY, math.inf]


def test_the_part_has_a_row_for_each_lamp():
    part = lamps_of("Which hold?", "Counts", LAMPS)
    assert part.groups == (("Counts", ("four are taken", "five are taken", "of another run")),)
    assert [need.size for need in part.needs()] == [3, 3]
