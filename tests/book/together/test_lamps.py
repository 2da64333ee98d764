"""Lamps beside a run: undecided until the step that decides them, then on or off."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.ledger import Bounds, Statement, above, at_least, at_most
from book.together.lamps import AWAY, LEAST, Lamp, cases, lamps_of, position, with_lamps
from book.together.relaxed import Theorem
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
        at_least(4.0, r.taken, "four are taken, all"),
        at_least(0.004, r.taken, "four are taken, some"),
        above(5.0, r.taken, "more than five are taken"),
        at_most(0.0, r.taken - 4, "no fifth is taken"),
    )


JUDGE = Statement("together.relaxed-count", says, runs=counting)
FOUR = Theorem("four are taken", "enough", "count", 1)
LAMPS = (
    Lamp(FOUR, JUDGE),
    Lamp(Theorem("more than five", "many", "count", 0), JUDGE),
    Lamp(FOUR._replace(applies=lambda r, p: p.steps > 8, silent="of long ones"), JUDGE),
)


def test_a_lamp_is_undecided_until_its_stage_ends_and_then_as_the_report_says():
    result = run(with_lamps(counting(), LAMPS, lambda state: state.taken))
    rows = result.histories[0].rows.lamps
    undecided = rows.isinf().sum(0).tolist()
    assert undecided == [4, 0, 4]
    assert rows[-1].isnan().all()
    assert result.report.lamps_at_end.tolist() == [LEAST, -LEAST, math.inf]


def at(count: float, name: str) -> float:
    lamp = Lamp(FOUR._replace(name=name), JUDGE)
    return float(position(lamp.bounds(Count(torch.tensor(count, dtype=torch.float64)))))


def test_a_lamp_stands_where_its_worst_bound_does_as_far_as_number_and_limit_are_apart():
    assert math.isclose(at(2.0, "four are taken"), -math.log10(2))
    assert at(2.0, "no fifth") == AWAY  # below 0, where no ratio says how far
    assert at(math.nan, "four are taken") < 0


def test_the_part_has_a_row_for_each_lamp():
    part = lamps_of("Which hold?", LAMPS)
    assert part.groups == (
        ("", ("four are taken: enough", "more than five: many", "four are taken: enough")),
    )
    assert [need.size for need in part.needs()] == [3, 3]
    assert part.silent == ("", "", "of long ones")


def test_a_caption_has_a_case_for_the_first_theorem_that_fails():
    report = run(counting()).report
    named = cases([*LAMPS, Lamp(FOUR._replace(name="four are taken, all"), JUDGE)])
    assert list(named) == ["four are taken fails", "more than five fails", "all hold"]
    four, five = (bool(case(report, None)) for case in named.values() if case)
    assert (four, five) == (False, True)
