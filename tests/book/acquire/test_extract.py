"""Theorem 2 and its figure: the same run, the same hypotheses, and captions that speak of what was run."""

import math
from typing import Any

import pytest
import torch

from book.acquire.extract.figure import CAPTION, figure
from book.acquire.extract.statements import _window, theorem_2, theorem_2_condition_1
from book.acquire.extraction import extraction
from lib.acquire import course
from lib.program import Run, defaults, run
from tests.captions import said

SHORT: dict[str, Any] = {"steps_2": 5, "steps_3": 5}


@pytest.fixture(scope="module")
def extracted() -> Run:
    return run(extraction())


def test_with_few_statements_of_each_fact_the_theorem_says_nothing(extracted):
    """Lemma 6 requires almost four times as many fine-tuned facts; caption and statement say so alike."""
    result = theorem_2.at({})
    judged = theorem_2.judge(extracted.report, extracted.parameters)
    assert not result.assumed
    assert result.key == "outside"
    assert float(judged["assumed"]) == 0
    assert float(judged["concluded"]) == float(result.concluded) == 0
    assert float(extracted.report.asked_for / extracted.report.tuned) == pytest.approx(3.9, abs=0.05)
    assert "more than there are here" in said(CAPTION, theorem_2, extracted)


def test_the_figure_s_runs_break_condition_1_and_the_larger_one_meets_it(extracted):
    """Six neurons for each output are fewer than log((N + R)/0.1), and κN/R is above 0.01."""
    assert math.log((course.SUBJECTS + 7) / 0.1) > course.NEURONS
    assert float(extracted.parameters.kappa) * course.SUBJECTS / 7 > 0.01
    assert theorem_2_condition_1(seed=9).key == "holds"


def test_with_more_phrases_pre_training_is_given_the_steps_that_more_sentences_need():
    """After 100 steps of stage III, whatever the size, too many rare facts were wrong here."""
    large = {"subjects": 120, "phrases": 16, "multiplicity": 8, "share": 0.9, "kappa": 0.0003}
    assert theorem_2_condition_1(**large, seed=0).key == "holds"


def test_what_lemma_6_asks_for_makes_its_bound_for_all_phrases_one_tenth(extracted):
    n, r, k = float(extracted.report.asked_for), 8, 3
    assert r * math.exp(-n * k**2 / (2 * r**2)) == pytest.approx(0.1)


def test_the_best_step_is_the_first_of_the_best(extracted):
    curve = extracted.histories[3].rows.accuracy[:, 0]
    assert float(extracted.report.best) == float(curve.max())
    assert int(extracted.report.best_step) == int((curve >= curve.max() - 1e-9).nonzero()[0])


def test_the_step_that_counts_is_the_same_for_all_runs(extracted):
    """η̃t = 80: step 20 at η̃ = 4, whatever the unseen facts say."""
    report, curve = extracted.report, extracted.histories[3].rows.accuracy[:, 0]
    assert float(report.then) == float(curve[20])
    assert float(report.then) < float(report.best)
    assert theorem_2(**SHORT, steps=30, rate=2.0).key == "undecided"


def test_kinds_of_answers_add_up_and_begin_with_the_fact_s_own_phrase(extracted):
    kinds = extracted.histories[3].rows.kinds
    assert torch.allclose(kinds.sum(1), torch.ones(len(kinds), dtype=torch.float64))
    assert float(extracted.report.before[3]) == 1


def test_fine_tuning_on_nothing_changes_nothing():
    outcome = run(extraction(), **SHORT, share=0.0)
    accuracy = outcome.histories[3].rows.accuracy[:, 0]
    assert bool((accuracy == accuracy[0]).all())
    assert said(CAPTION, theorem_2, outcome).startswith("No fact is fine-tuned")


def test_without_a_step_nothing_is_judged():
    result = theorem_2.at({**SHORT, "steps": 0})
    assert result.key == "undecided"
    assert said(CAPTION, theorem_2, result).startswith("No step of fine-tuning is made")


def test_the_most_telling_controls_come_first():
    assert list(figure().controls) == ["share", "multiplicity", "phrases", "steps", "rate", "seed"]


def test_bad_values_are_refused():
    for over, message in (
        ({"kappa": 0.0}, "kappa = 0.0: must be a finite number greater than 0"),
        ({"multiplicity": 7}, "multiplicity = 7: must be a whole number from 1 to 6"),
        ({"share": -0.1}, r"share = -0.1: must be a finite number from 0 to 1"),
        ({"dimension": 50.0}, "dimension = 50.0: must be a finite number from 109"),
    ):
        with pytest.raises(ValueError, match=message):
            run(extraction(), **{**defaults(extraction()), **over})


@pytest.mark.parametrize(
    ("right", "window"),
    [([0, 0.9, 1, 0.5, 1], (4, 8)), ([0, 0.5], (math.inf, 0)), ([0, 0, 1], (8, 8)), ([1, 0], (0, 0))],
)
def test_a_window_is_from_its_first_step_to_the_last_before_fewer_are_right(right, window):
    assert _window(torch.tensor(right, dtype=torch.float64)) == window
