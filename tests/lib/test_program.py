"""The loop around a program: stages, limits, histories, defaults, and runs side by side."""

from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from lib.domain import Domain
from lib.program import ROWS, Program, Stage, defaults, extended, run, run_many, with_outputs


class Settings(NamedTuple):
    rate: Tensor
    steps: Tensor


class Place(NamedTuple):
    x: Tensor


def halving() -> Program:
    """x ← x (1 − rate), twice, from 1; done once x < 1e-3."""

    def step(s: Place, p: Settings) -> tuple[Place, Tensor]:
        x = s.x * (1 - p.rate)
        return Place(x), x < 1e-3

    return Program(
        parameters=Settings,
        domains=(Domain("rate", low=0, high=1), Domain("steps", low=0, integer=True)),
        start=lambda p: Place(torch.ones((), dtype=torch.float64)),
        stages=(
            Stage("down", lambda s, p: s, step, "steps"),
            Stage("again", lambda s, p: Place(s.x + 1), step, "steps"),
        ),
        watch=lambda s, p: s,
        report=lambda ends, p: Place(ends[0].x + ends[1].x),
    )


def test_a_stage_stops_when_its_step_says_so():
    outcome = run(halving(), rate=0.5, steps=100)
    assert outcome.histories[0].steps == list(range(11))
    assert float(outcome.histories[0].rows.x[-1]) == 2**-10


def test_a_program_may_watch_and_report_more_beside_its_own():
    wider = with_outputs(
        halving(),
        lambda seen, state, p: {"twice": 2 * seen.x},
        lambda report, ends, p: {"ends": torch.stack([end.x for end in ends])},
    )
    plain, more = (run(program, rate=0.5, steps=3) for program in (halving(), wider))
    assert float(more.report.x) == float(plain.report.x) == float(more.report.ends.sum())
    for one, other in zip(plain.histories, more.histories, strict=True):
        assert torch.equal(one.rows.x, other.rows.x)
        assert torch.equal(2 * one.rows.x, other.rows.twice)
    first, second = torch.tensor(1.0), torch.tensor(2.0)
    assert extended({"x": first}, {"y": second}) == {"x": first, "y": second}


def test_a_stage_stops_at_its_limit():
    outcome = run(halving(), rate=0.5, steps=3)
    assert [history.steps[-1] for history in outcome.histories] == [3, 3]
    assert float(outcome.report.x) == 0.125 + 1.125 / 8


def test_no_steps_leave_the_start():
    outcome = run(halving(), rate=0.5, steps=0)
    assert outcome.histories[1].steps == [0]


def test_a_long_history_is_thinned_but_keeps_its_ends():
    history = run(halving(), rate=1e-5, steps=5000).histories[0]
    assert len(history.steps) <= ROWS + 1
    assert history.steps[0] == 0
    assert history.steps[-1] == 5000
    strides = {b - a for a, b in zip(history.steps[:-2], history.steps[1:-1], strict=True)}
    assert strides == {32}
    assert float(history.rows.x[-1]) == pytest.approx((1 - 1e-5) ** 5000, rel=1e-12)


def test_a_parameter_outside_its_domain_is_refused():
    with pytest.raises(ValueError, match=r"rate = 1\.5: must be"):
        run(halving(), rate=1.5, steps=3)
    with pytest.raises(ValueError, match="must be exactly"):
        run(halving(), rate=0.5)


def test_what_is_not_given_stands_at_its_default():
    program = halving()
    rate, steps = program.domains
    program = program._replace(domains=(rate._replace(default=0.5), steps))
    assert defaults(program) == {"rate": 0.5}
    assert float(run(program, steps=3).report.x) == 0.125 + 1.125 / 8
    assert run_many(program, [{"steps": 3}, {"steps": 3, "rate": 0}]).x.tolist() == [0.125 + 1.125 / 8, 3]
    for bad in ({}, {"steps": 3, "speed": 1}):
        with pytest.raises(ValueError, match="must be exactly"):
            run(program, **bad)
