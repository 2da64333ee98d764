"""Lamps beside a run: undecided until the step that decides them, then on or off."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.ledger import Bounds, above, at_least, at_most
from book.together.lamps import AWAY, LEAST, Lamp, lamps_of, standing, with_lamps
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


def says(r: Count) -> Bounds:
    """Three claims about a count."""
    return Bounds(
        at_least(4.0, r.taken, "four are taken: all"),
        at_least(0.004, r.taken, "four are taken: some"),
        above(5.0, r.taken, "more than five are taken"),
        at_most(0.0, r.taken - 4, "no fifth is taken"),
    )


LAMPS = (
    Lamp("at least four", says, "four are taken", lambda p: p.steps),
    Lamp("more", says, "more than five", lambda p: p.steps / 2),
    Lamp(
        "of another run", says, "four are taken", lambda p: p.steps, lambda r, p: p.steps > 8, "of long ones"
    ),
)


def test_a_lamp_is_undecided_until_its_step_and_then_as_the_report_says():
    result = run(with_lamps(counting(), LAMPS, lambda state: state.taken))
    rows = result.histories[0].rows.lit
    undecided = rows.isinf().sum(0).tolist()
    assert undecided == [4, 2, 4]
    assert rows[-1].isnan().all()
    assert result.report.stood.tolist() == [LEAST, -LEAST, math.inf]


def test_a_theorem_stands_where_its_worst_bound_does_as_far_as_number_and_limit_are_apart():
    count = Count(torch.tensor(2.0, dtype=torch.float64))
    assert math.isclose(float(standing(says(count), "four are taken")), -math.log10(2))
    assert float(standing(says(count), "no fifth")) == AWAY  # below 0, where no ratio says how far
    assert float(standing(says(Count(torch.tensor(math.nan))), "four are taken")) < 0


def test_the_part_has_a_row_for_each_lamp():
    part = lamps_of("Which hold?", LAMPS)
    assert part.groups == (("", ("at least four", "more", "of another run")),)
    assert [need.size for need in part.needs()] == [3, 3]
    assert part.silent == ("", "", "of long ones")
