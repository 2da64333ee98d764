"""What the scenes draw beside a program's own numbers is what their words say."""

from __future__ import annotations

import math

import pytest
import torch

from book.recall.decoding.figure import figure as decoding
from book.recall.decoding.program import decode
from book.recall.escape.figure import FARTHEST
from book.recall.escape.figure import figure as escape
from book.recall.saddle.figure import settled_at, two_steps
from book.recall.scene import answering
from book.recall.temperature.program import cooling
from book.recall.temperature.scene import cooled
from lib.program import attributes, run
from lib.recall.decoding import answer_error, answer_gaps
from lib.recall.landscape import slice_loss
from lib.recall.phases import thresholds


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


@pytest.mark.parametrize("subjects", [3.0, 4.0, 1e6])
@pytest.mark.parametrize("temperature", [1e-4, 0.05, 0.9])
def test_answers_have_the_lemmas_gaps_and_its_error(subjects, temperature):
    omega = torch.randn(7, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    n, t = number(subjects), number(temperature)
    seen = answering(omega, n, t)
    gaps = answer_gaps(torch.softmax(omega, 0))
    ours = torch.cat([seen["looked_up"], torch.zeros(1, dtype=torch.float64)]) - seen["looked_up"][2]
    assert ours[[0, 1, 3]].tolist() == pytest.approx(gaps.tolist())
    assert float(seen["answered"].sum()) == pytest.approx(1)
    right = float(answer_error(omega, n, t))
    assert float(seen["answered"][[0, 1, 3]].sum()) == pytest.approx(right, rel=1e-9, abs=1e-300)


def test_one_large_step_turns_the_look_to_the_query():
    rows = run(decoding().figure.program, steps=20).histories
    before, after = rows[0].rows.answered[0], rows[0].rows.answered[-1]
    assert before[:3].tolist() == pytest.approx([1 / 3] * 3, abs=1e-9)
    assert float(after[2]) > 0.999
    assert int(rows[0].rows.relation_attention[-1].argmax()) == 4


def test_the_scene_leaves_the_runs_as_they_are():
    for program, more in ((cooling(), cooled(cooling())), (decode(), decoding().figure.program)):
        narrower, wider = run(program, steps=40), run(more, steps=40)
        for field in narrower.report._fields:
            one, other = getattr(narrower.report, field), getattr(wider.report, field)
            assert torch.equal(torch.nan_to_num(one.double()), torch.nan_to_num(other.double())), field


def test_both_steps_are_those_of_algorithm_1():
    outcome = run(two_steps().figure.program, steps=400)
    first, last = outcome.histories
    assert float(last.rows.answered[-1, 2]) == pytest.approx(float(outcome.report.answer))
    assert float(last.rows.believed[-1, 0]) == pytest.approx(float(outcome.report.probability))
    assert torch.allclose(first.rows.found[:, 0], first.rows.answered[:, 2] - 0.5)
    assert (first.rows.relation_attention.sum(1) - 1).abs().max() < 1e-12


@pytest.mark.parametrize("temperature", [0.01, 0.05, 0.0868, 0.0896, 0.1, 0.14])
def test_the_close_up_shows_the_valley_while_there_is_one(temperature):
    outcome = run(cooled(cooling()), temperature=temperature)
    report, rows = outcome.report, outcome.histories[0].rows
    x, loss = report.valley_x, report.valley_loss
    assert torch.equal(loss, slice_loss(x, 3, number(temperature)))
    assert (float(x[0]), float(loss[0])) == (0.0, float(report.end_loss))
    turns = (loss[1:-1] < loss[:-2]) & (loss[1:-1] <= loss[2:])
    assert bool(turns.any()) == (temperature < thresholds().exists)
    assert float(x[-1]) <= 0.25
    assert float(rows.lesser[-1, 0]) == pytest.approx(float(report.measured_a), abs=1e-3)
    assert bool((rows.below_log_2 > 0).any()) == (temperature < thresholds().below_log_2)
    assert float(rows.loss[-1, 0]) == pytest.approx(math.log(2) - float(rows.below_log_2[-1, 0]))


def test_the_ball_starts_above_the_pass_and_rests_on_neither_side_without_a_push():
    settled = {}
    for radius in (1e-3, 0.0):
        outcome = run(two_steps().figure.program, steps=200, perturbation_radius=radius)
        assert float(outcome.histories[0].rows.place[0]) == 0.25
        report = attributes(outcome.report._asdict() | {"undecided": torch.tensor(False)})
        settled[radius] = float(settled_at(report, outcome.parameters))
    assert 0 < settled[1e-3] <= 200
    assert math.isnan(settled[0.0])


def test_the_escape_is_foretold_as_long_as_it_grows_and_not_without_a_push():
    pushed, still = (run(escape().figure.program, perturbation_radius=radius) for radius in (1e-3, 0.0))
    line = pushed.histories[0].rows.foretold
    grows = torch.isfinite(line)
    assert grows[0]
    assert not grows[-1]
    assert (line[grows] < FARTHEST).all()
    assert float(pushed.report.rests) > float(pushed.report.measured_escape)
    assert not torch.isfinite(still.histories[0].rows.foretold).any()
    assert math.isnan(float(still.report.rests))


@pytest.mark.parametrize(("temperature", "drawn"), [(0.05, None), (0.0866, 1), (0.0896, 2), (0.12, None)])
def test_the_close_ups_show_what_each_threshold_takes_away(temperature, drawn):
    """The present temperature takes the place of its range's example, if it is near enough to be seen there."""
    report = attributes(run(cooled(cooling()), temperature=temperature, steps=0).report)
    ground, at = report.close_up.reshape(4, -1), report.close_up_at
    edges = [0, *thresholds(), math.inf]
    assert all(low < value < high for low, value, high in zip(edges, at.tolist(), edges[1:], strict=False))
    assert [i for i, value in enumerate(at.tolist()) if value == temperature] == [drawn] * (drawn is not None)
    rests = report.close_up_rests
    assert torch.isnan(rests).tolist() == [False, False, False, True]
    lowest = slice_loss(rests, 3, at)
    assert (lowest < ground[:, 0]).tolist() == [True, True, False, False]
    assert (lowest < math.log(2)).tolist() == [True, False, False, False]
