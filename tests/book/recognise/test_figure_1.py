"""The paper's experiment: its program, its statements at the sliders' ends, and what the stored table shows."""

import pytest
import torch

from book.recognise.experiments.agreement import AGREEING
from book.recognise.experiments.figure_1 import SEEDS
from book.recognise.experiments.paper_model import EPOCHS, READINGS
from book.recognise.figure_1 import stored_runs
from book.recognise.figure_1.program import paper_run
from book.recognise.figure_1.statements import LEAST_RISE, MOST_EARLY, figure_1_a, figure_1_b
from book.sweep import read
from lib.program import run


def outcome(**over):
    return run(paper_run(), **over)


def test_descent_with_a_small_rate_is_the_flow_and_closer_the_smaller_it_is():
    gaps = [
        float(outcome(rate=rate, epochs=epochs, random=0).report.apart)
        for rate, epochs in ((0.2, 500), (0.1, 1000))
    ]
    assert gaps[1] < 0.6 * gaps[0] < 0.01


def test_a_step_that_diverges_is_said_and_nothing_else_suffers():
    report = outcome(rate=30.0).report
    assert not torch.isnan(report.blown)
    assert 1 <= float(report.blown) <= 1000
    assert torch.isnan(report.apart)
    assert float(report.correct) == pytest.approx(float(outcome(rate=0.3).report.correct), rel=1e-6)


@pytest.mark.parametrize("rate", [5.0, 100.0])
def test_where_descent_leaves_the_flow_the_figure_is_not_seen(rate):
    for statement in (figure_1_a, figure_1_b):
        result = statement(rate=rate)
        assert result.key == "outside"
        assert result.good
        assert not bool(result.good.holds) or rate < 100


def test_too_few_samples_for_their_length_are_outside_not_a_contradiction():
    for over in ({"samples": 6.0}, {"length": 40}, {"samples": 18.0, "length": 30}):
        result = figure_1_b(epochs=100, **over)
        assert result.key == "outside"
        assert "too few training sentences for their length" in result.sentence


def test_a_normal_start_with_a_of_one_hides_phase_1():
    quick, slow = figure_1_a(reading=0, rate=0.01), figure_1_a()
    assert float(quick.report.correct) < 50 < 500 < float(slow.report.correct)
    assert quick.good
    assert slow.good
    assert (bool(quick.good.holds), bool(slow.good.holds)) == (False, True)
    assert slow.key == "holds"


def test_the_flow_turns_where_the_statement_says():
    seen = outcome(epochs=100)
    report, history = seen.report, seen.histories[2].rows
    assert float(report.climb) < 0
    assert float(report.peaked) < float(report.correct)
    assert float(history.flow[-1, 1:3].mean()) < float(report.rises)
    assert 0 < float(report.gain) < float(report.scores)


@pytest.mark.parametrize("reading", READINGS)
def test_every_reading_has_its_seeds_and_no_number_is_missing(reading):
    rows = stored_runs.every_reading()
    part = rows[rows.reading == reading]
    assert len(part) == SEEDS
    assert not part.isna().any(axis=None)
    assert not any(value != value for value in stored_runs.apart(reading).values())


@pytest.mark.parametrize("method", ["flow", "descent"])
def test_the_table_has_ten_seeds_of_figure_1_and_it_shows_what_the_paper_says(method):
    seeds = stored_runs.summary(stored_runs.runs(method=method))
    assert len(seeds) == SEEDS
    assert float(seeds.rise.min()) > 0.01
    assert float(seeds.growth.min()) > 0
    assert float(seeds.right.max()) < 3000


def test_the_stored_runs_bear_the_statements_out_and_fail_where_they_must():
    assert stored_runs.parts_late(MOST_EARLY)
    assert stored_runs.rises_first(LEAST_RISE)
    assert not stored_runs.parts_late(0.1)
    assert not stored_runs.rises_first(0.05)
    assert stored_runs.frozen()["loss"] < 0.05


def test_first_right_is_the_first_look_after_the_last_wrong_one():
    rows = stored_runs.runs()
    seeds = stored_runs.summary(rows)
    for seed, right in enumerate(seeds.right):
        part = rows[rows.seed == seed]
        assert float(part[part.epoch >= right].margin.min()) > 0
        assert float(part[part.epoch < right].margin.iloc[-1]) <= 0


def test_the_engine_agrees_with_automatic_differentiation_over_the_whole_run():
    rows = read("recognise-agreement").rows
    assert set(rows.reading) == set(AGREEING)
    assert (rows.epochs == EPOCHS).all()
    assert float(rows.apart.max()) < 1e-9
    assert float(rows.moved.min()) > 1e-3
