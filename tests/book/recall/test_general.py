"""Lemmas 9 to 11 as run, what the large step leaves on samples, and every formula of Appendix C that is listed."""

from __future__ import annotations

import math

import pytest
import torch

from book.recall.common import scalar
from book.recall.drawn_samples import drawn_samples, large_step
from book.recall.general import statements
from book.recall.general.figure import CAPTION
from book.recall.general.large_step import asymmetry, behind, least_cold, least_rate
from book.recall.general.program import one_large_step
from book.recall.general.proofs import lemma_10
from book.recall.slow_steps import answer_gradient, train
from lib import noise
from lib.program import defaults, run
from lib.recall.decoding import decoding_loss
from lib.recall.general import allowed_error, errors, histogram_loss, large_rate, population
from lib.recall.reduction import affine_reduced, relation_loss
from tests.captions import said

USUAL = defaults(one_large_step())


def at(**changed: float):
    return run(one_large_step(), **changed).report


def test_two_steps_are_gradient_descent_on_the_reduction():
    values = {"subjects": 7, "temperature": 0.02, "density": 1.0, "steps": 1, "rate_1": 20.0}
    t, reduced = scalar(0.02), affine_reduced(7)
    slope = torch.func.grad(relation_loss)
    theta = -large_rate(scalar(20.0), t) * slope(torch.zeros(6, dtype=torch.float64), reduced, t)
    report = run(one_large_step(), **values).report
    torch.testing.assert_close(report.measured_attention, torch.softmax(theta, 0), rtol=1e-12, atol=0)
    theta = theta + noise.ball(scalar(0), 13, scalar(USUAL["radius"]))[:6]
    theta = theta - USUAL["rate_2"] * t**2 * slope(theta, reduced, t)
    seen = run(one_large_step(), **values).histories[1].rows.attention[-1]
    torch.testing.assert_close(seen, torch.softmax(theta, 0), rtol=1e-10, atol=0)


@pytest.mark.parametrize("subjects", [101.0, 10_007.0, 999_983.0])
def test_the_closed_form_of_the_large_step(subjects):
    t = 1 / (60 * float(torch.log(scalar(subjects))))
    report = at(subjects=subjects, temperature=t, steps=1)
    torch.testing.assert_close(report.measured_attention, report.exact_attention, rtol=0, atol=1e-4)
    assert float(report.measured_rate) == pytest.approx(float(report.rate), rel=1e-3)


def test_without_a_perturbation_the_tie_is_exact():
    result = statements.lemma_11(radius=0.0, steps=3000)
    assert float(result.report.confusing) == pytest.approx(0.5, abs=1e-9)
    assert statements.is_tied(result.report, result.parameters)
    assert all(result.settled.values())
    assert result.lights[statements.SMALL_STEPS["perturbed"][0]] == 0


@pytest.mark.parametrize("name", ["subjects", "temperature", "density", "rate_1", "rate_2"])
def test_no_number_is_lost_at_a_sliders_end(name):
    ends = {
        "subjects": (3.0, 999_983.0),
        "temperature": (1e-3, 0.2),
        "density": (0.05, 1.0),
        "rate_1": (1.0, 300.0),
        "rate_2": (10.0, 400.0),
    }[name]
    for value in ends:
        report = at(**{name: value, "steps": 40})
        deliberate = {"others", "others_after", "safe_after", "freed_after"}  # no such prompts; not reached
        for field, entry in report._asdict().items():
            assert field in deliberate or bool(torch.as_tensor(entry).isfinite().all()), (value, field)


def test_bad_parameters_are_named():
    with pytest.raises(ValueError, match=r"temperature = 0\.0001: must be a finite number at least 0\.001"):
        at(temperature=1e-4)
    with pytest.raises(ValueError, match="prompts = 0: must be a whole number from 1 to 64"):
        at(prompts=0)


def test_at_the_coldest_the_last_decimals_are_not_decided_yet():
    """Item 9 of the redesign: the run is at 0.9986, neither far from the 0.999 asked for nor, rounded, there."""
    outcome = run(one_large_step(), temperature=1e-3)
    assert not statements.safe_or_late(outcome.report, outcome.parameters)
    assert 0.9 <= float(outcome.report.worst) < 0.999
    text = said(CAPTION, (statements.lemma_9, statements.lemma_10, statements.lemma_11), outcome)
    assert "the last decimals come slowly" in text
    assert "0.999" not in text


def test_warmer_than_its_large_step_can_bear_is_outside_and_no_contradiction():
    """Above T₀ even T = 1/(40 log n) is too warm: Lemma 9's error says so before anything is trained."""
    result = statements.lemma_9(temperature=0.0027, rate_1=150.0)
    assert not result.concluded
    assert [words for words, value in result.lights.items() if value < 0.5] == [
        statements.LARGE_STEP["cold"][0]
    ]
    assert statements.lemma_9(temperature=0.0027, subjects=999_983).key == "outside"


def test_beyond_its_constants_lemma_9_fails():
    """T₀ and both ends of the large step's size are needed, nearly: a little beyond each the error is too large."""
    n, m = 999_983, 2 / 3
    for size, t in ((300.0, 0.0018), (1200.0, 0.0018)):
        c_1 = size / (m * math.log(1 / t))
        result = statements.lemma_9(subjects=n, density=1.0, temperature=t, rate_1=c_1)
        assert not statements.is_large_enough(result.report, result.parameters)
        assert result.key == "outside"
    for size in (360.0, 400.0, 700.0, 850.0):
        c_1 = size / (m * math.log(1 / 0.0018))
        assert statements.lemma_9(subjects=n, density=1.0, temperature=0.0018, rate_1=c_1).key == "holds"


def test_least_rate_is_where_the_mismatched_relations_are_silent():
    for t in (3e-3, 1e-4):
        after = behind(least_rate(t), t)
        assert after.mismatched == pytest.approx(after.wanted + float(torch.log(scalar(4.0))), rel=1e-9)


def test_the_two_examples_after_the_large_step_on_samples():
    """Many data sets of 4000 prompts: the spread of v₁ − v₃ against the closed form's."""
    n, t, eta = scalar(10_007), scalar(0.002), large_rate(scalar(10.0), scalar(0.002))
    counts, weights = population(n, scalar(0.5))
    generator = torch.Generator().manual_seed(0)
    drawn = torch.multinomial(weights.expand(2000, 32), 4000, True, generator=generator)
    shares = torch.stack([torch.bincount(row, minlength=32) for row in drawn]) / 4000  # (2000, 32)
    slopes = torch.func.vmap(
        lambda share: torch.func.grad(histogram_loss)(torch.zeros(6).double(), counts, share, t)
    )
    v = torch.softmax(-eta * slopes(shares.double()), 1)
    three = asymmetry(4000, 10_007, 0.002, 10.0).subject
    assert float((v[:, 0] - v[:, 2]).std()) == pytest.approx(three / 3, rel=0.1)


def test_lemma_9_asks_for_less_cold_where_subjects_are_many():
    colds = [least_cold(subjects).constant for subjects in (101.0, 10_007.0, 999_983.0)]
    assert colds == sorted(colds, reverse=True)
    subjects = 10_007.0
    cold, rate = least_cold(subjects)
    t = 1 / (cold * float(torch.log(scalar(subjects))))
    result = at(subjects=subjects, temperature=t, rate_1=rate, steps=1).measured_attention
    assert float(errors(result, scalar(subjects), scalar(t))[0]) <= allowed_error(scalar(t))


@pytest.mark.parametrize("name", ["recall.lemma-10", "recall.equations-19-31"])
def test_every_formula_of_appendix_c_is_as_listed(name):
    [one] = [one for one in vars(statements).values() if getattr(one, "id", "") == name]
    assert all(item.passes() for item in one.checked)
    for erratum in one.errata:
        assert erratum.proved() is not False
        numbers = erratum.numeric()
        if {"paper", "right", "measured"} <= set(numbers):
            assert numbers["right"] == pytest.approx(numbers["measured"], rel=1e-6)
            assert numbers["paper"] != pytest.approx(numbers["measured"], rel=1e-2)


def test_a_wrong_bend_would_be_seen(monkeypatch):
    result = lemma_10.bend()
    monkeypatch.setattr(lemma_10, "bend", lambda: (result[1], result[0], *result[2:]))
    assert not lemma_10.bend_by_sympy()


def test_a_drawn_step_is_gradient_descent_on_its_histograms():
    """With so many prompts that the draw is the mean, the step is that of automatic differentiation on all prompts."""
    step = large_step(10_007.0, 0.002, 0.5, 120.0, 1e15, 2, 0)
    counts, weights = population(scalar(10_007.0), scalar(0.5))
    zero = torch.zeros(6, dtype=torch.float64)
    slope = torch.func.grad(histogram_loss)(zero, counts, weights, scalar(0.002))
    expected = torch.softmax(-large_rate(scalar(120.0), scalar(0.002)) * slope, 0)
    assert torch.allclose(step.attention, expected.expand(2, 6), atol=1e-6)
    v = step.attention
    assert torch.allclose(step.subject_gap, v[:, 0] - v[:, 2], atol=1e-14)


def test_a_family_whose_prompts_are_all_alike_leaves_nothing_to_draw():
    with pytest.raises(ValueError, match=r"density = 1\.0, cold = 0\.025: must be inside"):
        drawn_samples(density=1.0)


def test_slow_steps_are_those_of_the_program():
    """The gradients that are written out lead where automatic differentiation does: 0.999 comes at the same step."""
    end = train(10_007.0, 0.002, 0.5, 120.0, 400.0, prompts=1e15, radius=8e-9, draws=2, seed=0)
    report = at(subjects=10_007, temperature=0.002, rate_1=120.0, rate_2=400.0, radius=8e-9)
    assert abs(end.safe - float(report.safe_after)).max() < 0.2 * float(report.safe_after)


def test_the_second_steps_gradient_is_that_of_its_loss():
    omega = torch.linspace(-0.3, 0.4, 7, dtype=torch.float64)
    expected = torch.func.grad(decoding_loss)(omega, scalar(11.0), scalar(0.05))
    assert answer_gradient(omega[None].numpy(), 11.0, 0.05)[0] == pytest.approx(expected.numpy())
