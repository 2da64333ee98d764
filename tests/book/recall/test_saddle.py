"""Theorem 2 and the lemmas of its two stages: the runs, what the statement says of them, every formula listed."""

from __future__ import annotations

import math

import pytest
import torch

from book.recall.common import is_perturbed, never_rises, scalar, searched, three_subjects
from book.recall.saddle import statements
from book.recall.saddle.full_model import both_stages
from book.recall.saddle.program import warm_up
from book.recall.saddle.statements import theorem_2
from lib.program import run, run_many
from lib.recall.landscape import slice_loss, slice_minimum
from lib.recall.reduction import relation_loss


def at(**changes):
    return run(warm_up(), **changes)


def comes_to(**changes) -> str:
    return theorem_2(**changes).key


def test_the_defaults_end_at_the_pairwise_optimum():
    result = theorem_2()
    assert result.key == "holds"
    assert float(result.report.measured_a) == pytest.approx(float(result.report.predicted_a), abs=1e-6)
    assert float(result.report.measured_loss) == pytest.approx(float(result.report.predicted_loss), abs=1e-9)


def test_without_a_perturbation_the_run_stays_at_the_saddle():
    result = theorem_2(perturbation_radius=0.0, steps=400)
    assert float(result.report.measured_a) == 0.25
    assert float(result.report.measured_escape) == math.inf
    assert not is_perturbed(result.report, result.parameters)
    assert result.key == "outside"


def test_the_escape_comes_when_the_curvature_says():
    for radius in (1e-2, 1e-4, 1e-8):
        report = at(perturbation_radius=radius, steps=200).report
        assert abs(float(report.measured_escape - report.predicted_escape)) < 1.5


def test_the_sign_of_the_overlap_decides_which_pair_wins():
    many = run_many(warm_up(), [{"seed": seed, "steps": 600} for seed in range(8)])
    first = (many.overlap > 0).tolist()
    assert (many.attention[:, 0] > many.attention[:, 2]).tolist() == first
    assert (many.first_wins > 0.5).tolist() == first
    assert set(first) == {True, False}


def test_too_large_a_rate_makes_the_loss_rise():
    result = theorem_2(rate_2=1000.0, steps=400)
    assert not never_rises(result.report, result.parameters)
    assert not result.assumed
    assert not result.concluded


def test_a_finite_first_stage_is_not_the_theorem():
    outcome = at(to_limit=0)
    assert not statements.is_endless(outcome.report, outcome.parameters)
    assert float(outcome.report.leak) > 1e-4


def test_too_few_steps_are_not_a_broken_hypothesis():
    result = theorem_2(steps=20)
    assert result.assumed
    assert result.key == "undecided"


def test_between_the_thresholds_the_theorem_holds_above_log_2():
    result = theorem_2(temperature=0.0875)
    assert result.key == "holds"
    assert float(result.report.measured_loss) > math.log(2)


def test_above_its_threshold_the_run_ends_off_the_optimum():
    result = theorem_2(temperature=0.0890, steps=2000)
    assert not statements.is_cold(result.report, result.parameters)
    assert float(result.report.end_loss) < float(result.report.measured_loss)
    assert result.key == "outside"


def test_without_an_inner_minimum_nothing_is_decided():
    """Attention drifts to one pair for ever: the infimum, at a = 0, is nowhere reached."""
    result = theorem_2(temperature=0.12, steps=400)
    assert (result.assumed, result.concluded, result.key) == (False, False, "undecided")


@pytest.mark.parametrize("temperature", [1e-4, 1e-3, 0.0854, 0.0884, 0.0907, 1.0, 10.0])
@pytest.mark.parametrize("radius", [0.0, 1e-10, 1.0])
@pytest.mark.parametrize("rate", [1.0, 1000.0])
def test_nothing_overflows(temperature, radius, rate):
    outcome = at(temperature=temperature, perturbation_radius=radius, rate_1=rate, rate_2=rate, steps=40)
    for name, value in outcome.report._asdict().items():
        nothing_predicted = temperature > 0.0908 and name in (
            "predicted_a",
            "predicted_loss",
        )
        assert nothing_predicted == bool(torch.isnan(torch.as_tensor(value, dtype=torch.float64)).any()), name
    for history in outcome.histories:
        for column in history.rows:
            assert torch.isfinite(column).all()


def test_the_predicted_minimum_is_the_lowest_point_found_by_random_starts():
    for temperature in (0.03, 0.07):
        a = slice_minimum(3, scalar(temperature))
        predicted = float(slice_loss(a, 3, scalar(temperature)))
        _, result = searched(3, temperature, starts=16, steps=400)
        assert predicted <= result + 1e-9
        assert result == pytest.approx(predicted, abs=5e-3)


@pytest.mark.parametrize("statement", [statements.lemma_5, statements.lemma_8])
def test_every_formula_listed_is_as_listed(statement):
    assert all(item.passes() for item in statement.checked)
    for erratum in statement.errata:
        assert erratum.symbolic()
        numbers = erratum.numeric()
        if "measured" in numbers:
            assert numbers["right"] == pytest.approx(numbers["measured"], rel=1e-9)
            assert numbers["paper"] != pytest.approx(numbers["measured"], rel=1e-2)


def test_a_small_step_evens_out_the_pairs():
    """ψ after one small step of descent, where Lemma 8 says that it falls."""
    t, theta = scalar(0.05), torch.tensor([0.9, 0.2, 0.1, -0.2, -40.0, -40.0], dtype=torch.float64)

    def psi(scores: torch.Tensor) -> float:
        ratios = (scores[0] - scores[1], scores[2] - scores[3])
        return max(abs(float(ratio)) for ratio in ratios)

    stepped = theta - 1e-4 * torch.func.grad(relation_loss)(theta, three_subjects(), t)
    assert psi(stepped) < psi(theta)


def test_each_hypothesis_of_lemma_8_is_needed():
    assert statements.lemma_8(query=0.0, certain=1).concluded
    assert not statements.lemma_8(query=0.1, certain=1).concluded
    assert not statements.lemma_8(query=0.0, certain=0).concluded


def test_algorithm_1_does_nothing_without_its_perturbation():
    assert both_stages(0.0, 8).tilt_2 < 1e-9
