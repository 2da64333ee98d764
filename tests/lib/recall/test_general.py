"""One large step, then small ones: against the reduction of a real family, its closed forms, Appendix C's list."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from lib import claims, noise
from lib.recall import task
from lib.recall.claims import general_algebra
from lib.recall.claims.general import allowed, asymmetry, errors, least_cold, worst_prompts
from lib.recall.dynamics import affine_reduced, reduce, relation_loss
from lib.recall.dynamics.general import (
    DEFAULTS,
    after_large_step,
    growth_rate,
    histogram_loss,
    large_rate,
    mismatched_part,
    one_large_step,
    population,
    true_probability,
    worst_probability,
)
from lib.solve import run


def number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


def at(**changed: float):
    return run(one_large_step(), **{**DEFAULTS, **changed})


def test_the_whole_affine_family_is_its_reduction():
    counts, weights = population(number(7), number(1))
    for seed in range(5):
        theta = torch.randn(6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        ours = histogram_loss(theta, counts, weights, number(0.2))
        torch.testing.assert_close(ours, relation_loss(theta, affine_reduced(7), 0.2), rtol=1e-12, atol=0)


def test_the_loss_of_a_real_subset_is_near_that_of_the_population():
    """Random halves of the affine maps over 23 elements, cold enough for relations with two matches to rule."""
    theta, t = torch.tensor([0.3, 0.1, 0.1, 0.0, -0.4, 0.0], dtype=torch.float64), 0.01
    counts, weights = population(number(23), number(0.5))
    generator = torch.Generator().manual_seed(0)
    real = []
    for _ in range(8):
        known = task.affine_subset(23, 253, generator)
        prompts = task.sample_prompts(known, 400, generator)
        real.append(float(relation_loss(theta, reduce(known, prompts), t)))
    assert sum(real) / len(real) == pytest.approx(
        float(histogram_loss(theta, counts, weights, number(t))), rel=0.05
    )


def test_two_steps_are_gradient_descent_on_the_reduction():
    values = {**DEFAULTS, "subjects": 7, "temperature": 0.02, "density": 1.0, "steps": 1, "rate_1": 20.0}
    t, reduced = number(0.02), affine_reduced(7)
    slope = torch.func.grad(relation_loss)
    theta = -large_rate(number(20.0), t) * slope(torch.zeros(6, dtype=torch.float64), reduced, t)
    report = run(one_large_step(), **values).report
    torch.testing.assert_close(report.measured_attention, torch.softmax(theta, 0), rtol=1e-12, atol=0)
    theta = theta + noise.ball(number(0), 13, number(DEFAULTS["radius"]))[:6]
    theta = theta - DEFAULTS["rate_2"] * t**2 * slope(theta, reduced, t)
    seen = run(one_large_step(), **values).histories[1].rows.attention[-1]
    torch.testing.assert_close(seen, torch.softmax(theta, 0), rtol=1e-10, atol=0)


@pytest.mark.parametrize("subjects", [101.0, 10_007.0, 999_983.0])
def test_the_closed_form_of_the_large_step(subjects):
    t = 1 / (60 * float(torch.log(number(subjects))))
    report = at(subjects=subjects, temperature=t, steps=1).report
    torch.testing.assert_close(report.measured_attention, report.exact_attention, rtol=0, atol=1e-4)
    assert float(report.measured_rate) == pytest.approx(float(report.rate), rel=1e-3)


def test_the_mismatched_part_counts_four_of_five_rivals():
    assert mismatched_part(population(number(7), number(1))[0])[-1] == pytest.approx(4 / 6)


def test_lemma_9_to_first_order():
    share, t = number(0.6), number(0.001)
    eta = large_rate(number(1.0), t)
    alpha = eta * share / (216 * t)
    shift = torch.tensor([1, 0, 1, 0, -2, 0], dtype=torch.float64)
    near = after_large_step(share, eta, t)
    assert float((near - (1 / 6 + alpha * shift)).abs().max()) < float(40 * alpha**2)


def test_the_errors_are_those_of_the_probabilities():
    n, t = number(1009), number(0.01)
    theta = torch.tensor([0.3, 0.1, 0.3, 0.1, -0.4, 0.0], dtype=torch.float64)
    plain, confusing = true_probability(theta, worst_prompts(n), t)
    found = errors(torch.softmax(theta, 0), n, t)
    torch.testing.assert_close(found, torch.stack([1 - plain, 0.5 - confusing]), rtol=1e-9, atol=0)


def test_the_two_examples_after_the_large_step_on_samples():
    """Many data sets of 4000 prompts: the spread of v₁ − v₃ against the closed form's."""
    n, t, eta = number(10_007), number(0.002), large_rate(number(10.0), number(0.002))
    counts, weights = population(n, number(0.5))
    generator = torch.Generator().manual_seed(0)
    drawn = torch.multinomial(weights.expand(2000, 32), 4000, True, generator=generator)
    shares = torch.stack([torch.bincount(row, minlength=32) for row in drawn]) / 4000  # (2000, 32)
    slopes = torch.func.vmap(
        lambda share: torch.func.grad(histogram_loss)(torch.zeros(6).double(), counts, share, t)
    )
    v = torch.softmax(-eta * slopes(shares.double()), 1)
    three, _ = asymmetry(4000, 10_007, 0.002, 10.0)
    assert float((v[:, 0] - v[:, 2]).std()) == pytest.approx(three / 3, rel=0.1)


def test_lemma_9_asks_for_less_cold_where_subjects_are_many():
    colds = [least_cold(subjects)[0] for subjects in (101.0, 10_007.0, 999_983.0)]
    assert colds == sorted(colds, reverse=True)
    subjects = 10_007.0
    cold, rate = least_cold(subjects)
    t = 1 / (cold * float(torch.log(number(subjects))))
    found = at(subjects=subjects, temperature=t, rate_1=rate, steps=1).report.measured_attention
    assert float(errors(found, number(subjects), number(t))[0]) <= allowed(t)


def test_growth_at_even_attention():
    even = torch.full((6,), 1 / 6, dtype=torch.float64)
    assert float(growth_rate(even, number(0.5), number(2.0), number(0.1))) == pytest.approx(
        2 * 0.5 / (18 * 0.1)
    )


def test_the_worst_prompt_is_the_worst():
    theta = torch.tensor([0.3, 0.1, 0.1, 0.0, -0.4, 0.0], dtype=torch.float64)
    counts, _ = population(number(1009), number(0.7))
    assert (
        worst_probability(theta, number(1009), number(0.01))
        <= true_probability(theta, counts, number(0.01)).min()
    )


def test_without_a_perturbation_the_tie_is_exact():
    report = at(radius=0.0, steps=3000).report
    assert float(report.confusing) == pytest.approx(0.5, abs=1e-9)
    assert int(report.story) == 2


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
        report = at(**{name: value, "steps": 40}).report
        deliberate = {"others", "others_after", "safe_after"}  # no such prompts; not reached
        for field, entry in report._asdict().items():
            assert field in deliberate or bool(entry.isfinite().all()), (value, field)


def test_bad_parameters_are_named():
    with pytest.raises(ValueError, match=r"temperature = 0\.0001: must be a finite number at least 0\.001"):
        at(temperature=1e-4)
    with pytest.raises(ValueError, match="prompts = 0: must be a whole number from 1 to 64"):
        at(prompts=0)


@pytest.mark.parametrize("name", ["recall.lemma-10", "recall.equations-19-31"])
def test_every_formula_of_appendix_c_is_as_listed(name):
    claim = claims.registry()[name]
    assert all(item.passes() for item in claim.checked)
    for erratum in claim.errata:
        assert erratum.symbolic()
        numbers = erratum.numeric()
        if {"paper", "right", "measured"} <= set(numbers):
            assert numbers["right"] == pytest.approx(numbers["measured"], rel=1e-6)
            assert numbers["paper"] != pytest.approx(numbers["measured"], rel=1e-2)


def test_a_wrong_bend_would_be_seen(monkeypatch):
    found = general_algebra.bend()
    monkeypatch.setattr(general_algebra, "bend", lambda: (found[1], found[0], *found[2:]))
    assert not general_algebra.bend_by_sympy()
