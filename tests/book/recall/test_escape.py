"""Stage 2 on its own: its times and its statements."""

from __future__ import annotations

import math
import random

import pytest
import torch

from book.recall.common import curvature_by_autograd, is_perturbed, never_rises
from book.recall.escape import smoothness
from book.recall.escape.derivatives import along_escape_direction
from book.recall.escape.drawn_functions import FAMILIES, drawn, drawn_descent
from book.recall.escape.perturbed_descent import guaranteed_drop, proof_temperature, saddle_gap
from book.recall.escape.program import escape
from book.recall.escape.statements import lemma_6, lemma_7, lemma_12
from book.recall.escape.steps_to_fall import paper_radius
from book.recall.saddle.program import warm_up
from lib.program import run
from lib.recall.escape import GRADIENT_LIPSCHITZ, HESSIAN_LIPSCHITZ, printed_curvature, saddle_spectrum
from lib.recall.reduction import affine_reduced
from tests.book.test_agreement import seen
from tests.figures import figure_named
from widgets.figure.compiled import flatten


def tensor(value):
    return torch.tensor(value, dtype=torch.float64)


def test_the_curvature_formula_is_the_second_derivative():
    for temperature in (0.01, 0.05, 0.3, 5.0):
        t = tensor(temperature)
        measured = float(curvature_by_autograd(affine_reduced(3), t))
        assert measured == pytest.approx(float(saddle_spectrum(t)[0]), rel=1e-12)
    assert measured != pytest.approx(float(printed_curvature(t)), rel=1e-6)


REPORT_NAN = {"runs", "lowest"}


def test_a_run_is_algorithm_1s_second_stage():
    mine = run(escape())
    whole = run(warm_up())
    assert float(mine.report.measured_escape) == float(whole.report.measured_escape)
    assert float(mine.report.predicted_escape) == pytest.approx(
        float(whole.report.predicted_escape), rel=1e-12
    )
    steps = mine.histories[0].steps
    theirs = dict(zip(whole.histories[1].steps, whole.histories[1].rows.attention, strict=True))
    common = [k for k in steps if k in theirs]
    assert len(common) > 50
    ours = dict(zip(steps, mine.histories[0].rows.attention, strict=True))
    assert max(float((ours[k] - theirs[k][:4]).abs().max()) for k in common) < 1e-9


@pytest.mark.parametrize("radius", [1e-9, 1e-5, 1e-3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_curvature_foretells_the_time_and_the_winner(radius, seed):
    report = run(escape(), perturbation_radius=radius, seed=seed).report
    late = float(report.measured_escape) - float(report.predicted_escape)
    assert -0.5 < late < 1.5
    assert float(report.predicted_winner) == float(report.measured_winner)
    assert float(report.end_loss) == pytest.approx(float(report.lowest), abs=1e-6)


def test_without_a_perturbation_the_run_never_leaves():
    outcome = run(escape(), perturbation_radius=0, steps=4000)
    report = outcome.report
    assert math.isinf(float(report.measured_escape))
    assert math.isinf(float(report.predicted_escape))
    assert not is_perturbed(report, outcome.parameters)
    assert float(report.gain) == 0


def test_too_hot_the_run_escapes_but_not_below_log_2():
    result = lemma_6(temperature=0.087)
    assert math.isinf(float(result.report.fallen))
    assert math.isfinite(float(result.report.measured_escape))
    assert not result.assumed
    assert not result.concluded


def test_too_large_steps_raise_the_loss():
    for rate, rises in ((500, True), (100, False)):
        outcome = run(escape(), rate_2=rate)
        assert bool(never_rises(outcome.report, outcome.parameters)) is not rises


def test_nothing_is_nan_that_should_not_be():
    chance = random.Random(5)
    for _ in range(12):
        outcome = run(
            escape(),
            temperature=10 ** chance.uniform(-4, 1),
            perturbation_radius=chance.choice([0.0, 1e-10, 1e-3, 1.0]),
            seed=chance.randrange(100),
            rate_2=10 ** chance.uniform(0, 3),
            steps=chance.randrange(40),
        )
        for name, value in outcome.report._asdict().items():
            assert name in REPORT_NAN or not torch.isnan(value).any(), name
        assert not any(torch.isnan(x).any() for x in outcome.histories[0].rows)
        assert len(flatten(outcome)) > 0


@pytest.mark.parametrize(
    ("name", "value"), [("temperature", 0.0), ("perturbation_radius", -1.0), ("rate_2", 0.0), ("steps", 1.5)]
)
def test_bad_input_is_named(name, value):
    with pytest.raises(ValueError, match=f"{name} = .*: must be"):
        run(escape(), **{name: value})


def test_the_proofs_temperature_is_where_drop_and_gap_cross():
    t = proof_temperature(0.1)
    assert guaranteed_drop(t, 0.1) == pytest.approx(saddle_gap(t), rel=1e-6)
    assert proof_temperature(0.01) < t < 0.0854


def test_the_drop_of_lemma_7_has_the_measured_constants():
    gamma, alpha, rho = 1 / (8 * 0.01), GRADIENT_LIPSCHITZ / 0.01**2, HESSIAN_LIPSCHITZ / 0.01**3
    expected = gamma**3 / rho**2 / math.log(4 * alpha / (0.1 * gamma)) ** 3
    assert guaranteed_drop(0.01, 0.1) == pytest.approx(expected, rel=1e-12)


def test_the_constant_1_is_too_much_for_lemma_7():
    assert not lemma_7(constant=1.0, draws=1000).concluded
    assert lemma_7(constant=0.5, draws=1000).concluded


def test_no_random_point_is_rougher_than_the_tie():
    t = 0.01
    assert smoothness.largest(t, 2) * t**2 == pytest.approx(GRADIENT_LIPSCHITZ, rel=1e-3)
    assert smoothness.largest(t, 3) * t**3 == pytest.approx(HESSIAN_LIPSCHITZ, rel=0.02)


def test_autograd_agrees_with_the_corrected_terms_only():
    t = 0.07
    p, _, bends = along_escape_direction(t).probabilities
    rest = float(bends[0]) - float(p[0]) / (8 * t)
    right = -float(p[0] * p[2]) / (32 * t**2)
    assert rest == pytest.approx(right, rel=1e-9)
    assert rest != pytest.approx(-float(p[0] * p[2] ** 2) / (16 * t**2), rel=0.1)


@pytest.mark.parametrize(
    "far",
    [
        {"temperature": 0.00078, "rate": 16.7, "steps": 698, "seed": 852},
        {"temperature": 0.0002, "rate": 31.0, "steps": 600, "seed": 1},
    ],
)
def test_the_movement_bound_is_judged_on_numbers_at_the_coldest(far):
    """The loss there is log(1 + e^(gap/T)) with gaps of hundreds of T."""
    result = lemma_12(**far)
    assert result.key == "holds"
    assert math.isfinite(float(result.report.moved))


def test_without_a_push_nobody_is_told_to_wait():
    said = lemma_6(perturbation_radius=0.0, steps=20).sentence
    assert "Does not apply here: there is no push to set the two examples apart; " in said
    assert "Too early" not in said


def test_the_caption_speaks_of_no_push_where_there_is_none_and_nowhere_else():
    cases = [case.name for case in figure_named("recall.escape").view.caption]
    for place in seen("recall.escape"):
        assert (cases[place.said] == "not perturbed") is (place.values["perturbation_radius"] == 0), (
            place.values
        )


@pytest.mark.parametrize("family", FAMILIES)
def test_the_constants_of_drawn_functions_bound_their_derivatives(family):
    function = drawn(family, 4, 5.0, seed=3)
    hessian = torch.func.hessian(function.value)
    generator = torch.Generator().manual_seed(0)
    assert float(torch.func.grad(function.value)(torch.zeros(4, dtype=torch.float64)).norm()) == 0
    for _ in range(50):
        x, step = torch.randn(2, 4, generator=generator, dtype=torch.float64)
        one, other = hessian(3 * x), hessian(3 * x + 0.3 * step)
        assert float(torch.linalg.matrix_norm(one, 2)) <= function.alpha * (1 + 1e-9)
        change = float(torch.linalg.matrix_norm(one - other, 2) / (0.3 * step).norm())
        assert change <= function.rho * (1 + 1e-9)


def test_the_steepest_well_is_as_deep_as_its_constants_say():
    well = drawn("steepest", 1, 1.0, seed=0)  # g″ = min(|y| − 1, 1), least at y = 2
    depth = well.value(torch.linspace(-4, 4, 801, dtype=torch.float64)[:, None]).min()
    assert float(depth) == pytest.approx(-2 / 3, abs=1e-4)


def test_without_a_push_from_the_saddle_itself_nothing_falls():
    assert drawn_descent("waves", 3, 2.0, 0.1, 0.5, slope=0.0, draws=10, radius_factor=0.0).share == 0


def test_as_printed_lemma_7_promises_more_than_there_is():
    run = drawn_descent("steepest", 1, 1.0, 0.9, 0.5, slope=0.0, draws=100)  # dα/γ = 1, and δ below it
    assert run.log < 1
    assert run.share == 0 < 1 - 0.9


def test_an_unknown_family_is_named():
    with pytest.raises(ValueError, match="family = 'hills'"):
        drawn("hills", 2, 2.0, 0)


def test_the_logarithm_in_the_radius_costs_no_more_than_its_own_logarithm():
    run = paper_radius(0.02, 1e-3, 100.0, draws=200)
    assert run.later == pytest.approx(run.predicted, abs=0.2)
    assert run.later < run.allowed / 5
