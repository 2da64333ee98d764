"""The pairwise slice at every temperature: closed forms, thresholds, batched runs, and their claims."""

from __future__ import annotations

import math
import random

import pytest
import torch

from lib.recall.claims import DEFAULTS as WARM_UP
from lib.recall.claims import landscape as proof
from lib.recall.claims import temperature as statements
from lib.recall.dynamics import (
    affine_reduced,
    match_classes,
    relation_logits,
    slice_loss,
    slice_minimum,
    slice_slope,
    warm_up,
)
from lib.recall.dynamics.escape import ESCAPE_DIRECTION, free_gradient
from lib.recall.dynamics.reduction import affine_log_counts
from lib.recall.dynamics.temperature import (
    BEND,
    COLDEST,
    DEFAULTS,
    ENOUGH,
    GAP,
    HOTTEST,
    LIMIT,
    RIVALS,
    SLOPE,
    TEMPERATURES,
    chart,
    cold_enough,
    cooling,
    fold,
    inner_maximum,
    rival_sum,
    surest,
    thresholds,
    turning,
)
from lib.solve import Run, run

MAY_BE_NAN = {
    "law", "minimum_error", "law_error", "low_x", "low_loss", "high_x", "high_loss", "settled", "unsettled",
    "runs_error", "near_loss", "shown_error", "predicted_a", "predicted_loss", "predicted_p", "predicted_error",
    "barrier",
}  # fmt: skip
"""Fields in which NaN says that there is nothing to draw or to predict."""


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def at(**settings: float) -> Run:
    return run(cooling(), **{**DEFAULTS, **settings})


@pytest.mark.parametrize("temperature", [0.002, 0.02, 0.0884, 0.14])
def test_the_closed_form_is_the_slice_and_turns_where_it_turns(temperature):
    y = torch.linspace(0.001, 0.25, 60, dtype=torch.float64)
    t = number(temperature)
    expected = slice_loss(0.25 - y, affine_reduced(3), t)
    rounding = 1e-15 / temperature  # of the exponents, which are of order 1/T
    assert torch.allclose(torch.log1p(rival_sum(y, t)), expected, atol=rounding, rtol=0)
    inside = y[:-1]  # at x = 0 the slope is positive by less than rounding
    slope = slice_slope(0.25 - inside, affine_reduced(3), t)
    assert torch.equal(torch.sign(turning(inside, t)), torch.sign(slope))


def test_the_slice_is_symmetric_about_one_quarter():
    y = torch.linspace(0, 0.25, 30, dtype=torch.float64)
    one, other = (slice_loss(0.25 + sign * y, affine_reduced(3), number(0.05)) for sign in (1, -1))
    assert torch.allclose(one, other, atol=1e-14, rtol=0)


def test_the_thresholds_are_ordered_and_bisection_finds_the_same():
    known = thresholds()
    assert 0 < known.below_log_2 < known.lowest < known.exists < 0.1
    seen = [proof.threshold(condition) for condition in ("log 2", "global", "inside")]
    assert list(known) == pytest.approx(seen, abs=1e-8)


def test_at_each_threshold_its_two_equations_hold():
    known = thresholds()
    for temperature, other in ((known.below_log_2, math.log(2)), (known.lowest, None)):
        t = number(temperature)
        a = slice_minimum(affine_reduced(3), t)
        loss = float(torch.log1p(rival_sum(0.25 - a, t)))
        wanted = other if other else float(torch.log1p(rival_sum(number(0.25), t)))
        assert loss == pytest.approx(wanted, abs=1e-12)
    x, hottest = fold()
    y, t = number(0.25 - x), number(hottest)
    assert float(turning(y, t)) == pytest.approx(0, abs=1e-14)
    assert float(torch.func.grad(turning)(y, t)) == pytest.approx(0, abs=1e-12)


def test_both_branches_turn_and_meet_at_the_fold():
    curves = chart()
    for name in ("minimum", "maximum"):
        inner = curves[name] > 1e-100
        residual = turning(0.25 - curves[name], curves["branch_T"])
        assert float(residual[inner].abs().max()) < 1e-7
    assert (curves["minimum"] >= curves["maximum"]).all()
    assert float(curves["minimum"][-1]) == float(curves["maximum"][-1]) == fold()[0]
    assert (curves["minimum"].diff() < 0).all()
    assert (curves["maximum"].diff() > 0).all()


@pytest.mark.parametrize("temperature", [0.004, 0.02, 0.05])
def test_the_maximum_is_near_three_times_the_exponential(temperature):
    t = number(temperature)
    top = inner_maximum(t, slice_minimum(affine_reduced(3), t))
    assert float(top) == pytest.approx(3 * math.exp(-1 / (2 * temperature)), rel=0.01)


def test_the_expansion_is_right_to_second_order():
    for temperature in (0.002, 0.001):
        a = float(slice_minimum(affine_reduced(3), number(temperature)))
        left = a - LIMIT - SLOPE * temperature - BEND * temperature**2
        assert abs(left) < 18 * temperature**3


def test_the_law_of_the_error_is_approached():
    ratios = []
    for temperature in (0.01, 0.005, 0.0025):
        a = slice_minimum(affine_reduced(3), number(temperature))
        error = float(rival_sum(0.25 - a, number(temperature)))
        ratios.append(error / (RIVALS * math.exp(-GAP / temperature)))
    away = [abs(ratio - 1) for ratio in ratios]
    assert away[0] > away[1] > away[2]
    assert away[2] < 0.002


def test_the_limit_is_not_the_printed_one():
    a = float(slice_minimum(affine_reduced(3), number(1e-3)))
    assert abs(a - 1 / 6) < 1e-3 < abs(a - proof.PRINTED_LIMIT)


def test_every_settled_run_ends_at_the_root():
    report = at(steps=1500).report
    settled = ~torch.isnan(report.settled)
    assert settled.sum() >= 7
    for temperature, a in zip(report.settled_T[settled], report.settled[settled], strict=True):
        assert float(a) == pytest.approx(float(slice_minimum(affine_reduced(3), temperature)), abs=1e-7)


def test_the_batch_is_algorithm_1_at_each_temperature():
    mine = at(temperature=0.03, seed=3).report
    whole = run(warm_up(), **{**WARM_UP, "temperature": 0.03, "seed": 3, "steps": 600}).report
    assert float(mine.measured_a) == pytest.approx(float(whole.measured_a), abs=1e-9)
    assert float(mine.settled[TEMPERATURES.index(0.03)]) == pytest.approx(float(mine.measured_a), abs=1e-9)
    assert float(mine.measured_loss) == pytest.approx(float(whole.measured_loss), abs=1e-12)


@pytest.mark.parametrize(
    ("temperature", "lights", "story", "verdict"),
    [
        (0.05, (1, 1, 1), 0, 0),
        (0.0868, (1, 1, 0), 1, 0),
        (0.0896, (1, 0, 0), 2, 2),
        (0.1, (0, 0, 0), 3, 2),
    ],
)
def test_each_threshold_puts_out_a_light(temperature, lights, story, verdict):
    report = at(temperature=temperature, steps=1500).report
    assert (float(report.exists), float(report.lowest), float(report.below)) == lights
    assert float(report.story) == story
    assert float(report.verdict) == verdict


def test_very_cold_runs_do_not_finish_and_say_so():
    report = at(temperature=0.004).report
    assert float(report.finished) == 0.5
    assert float(report.verdict) == 4
    assert float(report.story) == 4


def test_without_a_perturbation_the_run_stays():
    report = at(perturbation_radius=0.0).report
    assert float(report.measured_a) == 0.25
    assert float(report.perturbed) == 0
    assert float(report.story) == 5
    assert float(report.verdict) == 2


def test_the_steps_needed_grow_as_the_exercise_says():
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    for temperature in (0.006, 0.004):
        t = number(temperature)
        a = slice_minimum(affine_reduced(3), t)
        half = torch.log(2 * a / (1 - 2 * a)) / 2
        theta = torch.stack([half, half, -half, -half])
        pull = free_gradient(theta + 1e-4 * direction, t) @ direction
        shrink = DEFAULTS["rate_2"] * temperature**2 * float(pull) / 1e-4
        assert shrink == pytest.approx(
            4 * 2 ** (1 / 3) / 243 * DEFAULTS["rate_2"] * math.exp(-1 / (18 * temperature)), rel=0.07
        )


def test_the_surest_attention_is_the_best_of_a_fine_grid():
    x = torch.linspace(0, 0.25, 20001, dtype=torch.float64)
    for n, temperature in ((3, 0.03), (101, 0.008), (10_007, 0.02)):
        counts = affine_log_counts(number(n))[None]
        reduced = affine_reduced(3)._replace(log_counts=counts)
        best = float(slice_loss(x, reduced, number(temperature)).min())
        assert surest(n, temperature)[0] <= -math.expm1(-best) + 1e-12


def test_the_error_is_at_most_what_was_asked_and_no_warmer_would_do():
    for n in (3, 31):
        t = cold_enough(n, 0.99)
        assert surest(n, t * 0.999)[0] < 0.01 < surest(n, t * 1.001)[0]


def test_one_eighth_is_sharp():
    far = [surest(n, 0.12 / math.log(n))[0] for n in (1e50, 1e100, 1e150)]
    assert far[0] > far[1] > far[2]
    assert surest(1e150, (ENOUGH + 0.01) / math.log(1e150))[0] > 0.99
    generator = torch.Generator().manual_seed(0)
    matches = match_classes(2)
    single = matches.sum((1, 2)) == 1
    for _ in range(300):
        v = torch.softmax(3 * torch.randn(6, dtype=torch.float64, generator=generator), 0)
        logits = relation_logits(v, matches)
        assert float((logits[0] - logits[single]).min()) <= ENOUGH


def test_nothing_is_nan_that_should_not_be():
    chance = random.Random(3)
    places = [
        COLDEST,
        HOTTEST,
        *thresholds(),
        0.0908,
        0.09086,
        *(chance.uniform(COLDEST, HOTTEST) for _ in range(8)),
    ]
    for temperature in places:
        outcome = at(
            temperature=temperature,
            perturbation_radius=chance.choice([0.0, 1e-10, 1.0]),
            seed=chance.randrange(100),
            rate_2=10 ** chance.uniform(0, 3),
            steps=chance.randrange(60),
        )
        for name, value in outcome.report._asdict().items():
            assert name in MAY_BE_NAN or not torch.isnan(value).any(), (name, temperature)
        assert not torch.isnan(outcome.histories[0].rows.loss).any()


@pytest.mark.parametrize(
    ("name", "value", "range"),
    [
        ("temperature", 0.001, "a finite number from 0.002 to 0.14"),
        ("temperature", math.nan, "a finite number from 0.002 to 0.14"),
        ("rate_2", 0.0, "a finite number greater than 0"),
        ("perturbation_radius", -1.0, "a finite number at least 0"),
    ],
)
def test_bad_input_is_named(name, value, range):
    with pytest.raises(ValueError, match=f"{name} = .*: must be {range}"):
        at(**{name: value})


def test_half_a_probability_is_refused():
    with pytest.raises(
        ValueError, match=r"probability = 0\.5: must be a finite number greater than 0\.5 and less than 1"
    ):
        cold_enough(3, 0.5)


def test_claim_1s_leading_part_has_three_roots_and_the_slope_two():
    numbers = proof._roots_numbers()
    assert numbers["measured"] == numbers["right"] == 3
    assert len(proof.critical_points(0.02)) == 2


def test_random_starts_find_nothing_lower_than_training():
    for temperature in (0.03, 0.06, 0.085):
        trained = float(at(temperature=temperature, steps=1500).report.measured_loss)
        assert trained < statements.lowest_loss(temperature) + 1e-6
