"""How cold: the thresholds by two equations, the runs and what the statement says of them, and the page's figure."""

from __future__ import annotations

import math
import random

import pytest
import torch

from book.recall.common import is_perturbed, scalar
from book.recall.temperature import statements
from book.recall.temperature.best_at_constant import log_wrong_odds
from book.recall.temperature.curves import branches
from book.recall.temperature.program import (
    BEND,
    COLDEST,
    GAP,
    HOTTEST,
    LIMIT,
    RIVALS,
    SLOPE,
    TEMPERATURES,
    cooling,
)
from book.recall.temperature.proofs.claim_1 import roots_numbers
from book.recall.temperature.proofs.theorem_4 import PRINTED_LIMIT
from book.recall.temperature.slice import critical_points, off_the_slice
from book.recall.temperature.statements import attention_of_temperature, how_cold, sharp_thresholds
from book.recall.temperature.thresholds import by_two_equations, turning
from lib.program import Run, defaults, run
from lib.recall.algorithm import two_stage_descent
from lib.recall.escape import free_gradient
from lib.recall.landscape import (
    ESCAPE_DIRECTION,
    depth_slope,
    slice_loss,
    slice_minimum,
    wrong_odds,
)
from lib.recall.phases import fold, thresholds
from lib.recall.reduction import affine_reduced

DEFAULTS = defaults(cooling())
MAY_BE_NAN = {
    "low_x", "low_loss", "high_x", "high_loss", "settled", "unsettled",
    "runs_error", "near_loss", "shown_error", "predicted_a", "predicted_loss", "predicted_p", "predicted_error",
    "barrier",
}  # fmt: skip
"""Fields in which NaN says that there is nothing to draw or to predict."""


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def at(**settings: float) -> Run:
    return run(cooling(), **settings)


def test_two_equations_find_the_same_thresholds():
    assert list(thresholds()) == pytest.approx(list(by_two_equations()), abs=1e-12)


def test_at_each_threshold_its_two_equations_hold():
    known = thresholds()
    for temperature, other in ((known.below_log_2, math.log(2)), (known.lowest, None)):
        t = number(temperature)
        loss = float(slice_loss(slice_minimum(3, t), 3, t))
        wanted = other if other else float(slice_loss(number(0), 3, t))
        assert loss == pytest.approx(wanted, abs=1e-12)
    x, hottest = fold()
    y, t = number(0.25 - x), number(hottest)
    assert float(turning(y, t)) == pytest.approx(0, abs=1e-13)
    assert float(torch.func.grad(turning)(y, t)) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("temperature", [0.002, 0.02, 0.0884, 0.14])
def test_the_equation_of_the_page_turns_where_the_slope_does(temperature):
    y, t = torch.linspace(0.001, 0.249, 60, dtype=torch.float64), number(temperature)
    assert torch.equal(torch.sign(turning(y, t)), -torch.sign(depth_slope(y, 3, t)))


def test_both_branches_turn_and_meet_at_the_fold():
    curves = branches()
    for x in (curves.minimum, curves.maximum):
        inner = x > 1e-100
        residual = turning(0.25 - x, curves.temperature)
        assert float(residual[inner].abs().max()) < 1e-7
    assert (curves.minimum >= curves.maximum).all()
    assert float(curves.minimum[-1]) == float(curves.maximum[-1]) == fold()[0]
    assert (curves.minimum.diff() < 0).all()
    assert (curves.maximum.diff() > 0).all()


def test_the_expansion_is_right_to_second_order():
    for temperature in (0.002, 0.001):
        a = float(slice_minimum(3, number(temperature)))
        left = a - LIMIT - SLOPE * temperature - BEND * temperature**2
        assert abs(left) < 18 * temperature**3


def test_the_law_of_the_error_is_approached():
    ratios = []
    for temperature in (0.01, 0.005, 0.0025):
        a = slice_minimum(3, number(temperature))
        error = float(wrong_odds(0.25 - a, 3, number(temperature)))
        ratios.append(error / (RIVALS * math.exp(-GAP / temperature)))
    away = [abs(ratio - 1) for ratio in ratios]
    assert away[0] > away[1] > away[2]
    assert away[2] < 0.002


def test_the_limit_is_not_the_printed_one():
    a = float(slice_minimum(3, number(1e-3)))
    assert abs(a - 1 / 6) < 1e-3 < abs(a - PRINTED_LIMIT)


def test_every_settled_run_ends_at_the_root():
    report = at(steps=1500).report
    settled = ~torch.isnan(report.settled)
    assert settled.sum() >= 7
    temperatures = torch.tensor(TEMPERATURES, dtype=torch.float64)
    for temperature, a in zip(temperatures[settled], report.settled[settled], strict=True):
        assert float(a) == pytest.approx(float(slice_minimum(3, temperature)), abs=1e-7)


def test_the_batch_is_algorithm_1_at_each_temperature():
    mine = at(temperature=0.03, seed=3).report
    whole = run(two_stage_descent(affine_reduced(3)), temperature=0.03, seed=3, steps=600).report
    assert float(mine.measured_a) == pytest.approx(float(whole.lesser), abs=1e-9)
    assert float(mine.settled[TEMPERATURES.index(0.03)]) == pytest.approx(float(mine.measured_a), abs=1e-9)
    assert float(mine.measured_loss) == pytest.approx(float(whole.loss), abs=1e-12)


@pytest.mark.parametrize(
    ("temperature", "properties", "key"),
    [
        (0.05, (1, 1, 1), "holds"),
        (0.0868, (1, 1, 0), "holds"),
        (0.0896, (1, 0, 0), "outside"),
        (0.1, (0, 0, 0), "undecided"),
    ],
)
def test_each_threshold_takes_a_property(temperature, properties, key):
    result = sharp_thresholds(temperature=temperature, steps=1500)
    report, p = result.report, result.parameters
    predicates = (statements.has_minimum, statements.is_lowest, statements.is_below_log_2)
    assert tuple(float(holds(report, p)) for holds in predicates) == properties
    assert float(report.range) == 3 - sum(properties)
    assert statements.is_lost_at_thresholds(report, p)
    assert result.key == key


def test_very_cold_runs_do_not_finish_and_say_so():
    result = sharp_thresholds(temperature=0.004, steps=600)
    assert not result.report.finished
    assert result.key == "undecided"


def test_without_a_perturbation_the_run_stays():
    result = sharp_thresholds(perturbation_radius=0.0)
    assert float(result.report.measured_a) == 0.25
    assert not is_perturbed(result.report, result.parameters)
    assert result.key == "outside"


def test_the_law_is_claimed_only_where_the_terms_left_out_are_small():
    """At T = 0.03 the terms e^{−1/(9T)} are already larger than T³ times 25."""
    assert attention_of_temperature().key == "holds"
    assert not attention_of_temperature(temperature=0.03).assumed
    assert not attention_of_temperature(temperature=0.03).concluded


def test_the_steps_needed_grow_as_the_exercise_says():
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    for temperature in (0.006, 0.004):
        t = number(temperature)
        a = slice_minimum(3, t)
        half = torch.log(2 * a / (1 - 2 * a)) / 2
        theta = torch.stack([half, half, -half, -half])
        pull = free_gradient(theta + 1e-4 * direction, t) @ direction
        shrink = DEFAULTS["rate_2"] * temperature**2 * float(pull) / 1e-4
        assert shrink == pytest.approx(
            4 * 2 ** (1 / 3) / 243 * DEFAULTS["rate_2"] * math.exp(-1 / (18 * temperature)), rel=0.07
        )


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


def test_claim_1s_leading_part_has_three_roots_and_the_slope_two():
    numbers = roots_numbers()
    assert numbers["measured"] == numbers["right"] == 3
    assert len(critical_points(0.02)) == 2


def test_random_starts_find_nothing_lower_than_training():
    for temperature in (0.03, 0.06, 0.085):
        trained = float(at(temperature=temperature, steps=1500).report.measured_loss)
        assert trained < off_the_slice(temperature).search + 1e-6


def test_odds_that_round_to_0_have_a_logarithm():
    """At C = 0.01 and n = 10¹⁰⁰ they are some 10⁻⁵⁰⁰; where they do not round, both forms agree."""
    assert how_cold(constant=0.01, subjects=1e100).key == "holds"
    depth, n, t = scalar(0.2), scalar(43.0), scalar(0.01)
    assert float(log_wrong_odds(depth, n, t)) == pytest.approx(float(torch.log(wrong_odds(depth, n, t))))


@pytest.mark.parametrize("subjects", [9.0, 1e30, 8e93, 1e140, 1e300])
def test_how_cold_is_judged_on_numbers_however_many_subjects_there_are(subjects):
    """At n = 8·10⁹³ the odds once rounded to 0, and their logarithm to −∞."""
    result = how_cold(constant=0.1, subjects=subjects)
    assert all(math.isfinite(float(bound.measured)) for bound in result.bounds)
    assert result.key == "holds" or subjects < 1e30


def test_how_cold_needs_a_family_of_root_n_subjects():
    with pytest.raises(ValueError, match=r"subjects = 8\.0: must be at least 9"):
        how_cold(subjects=8.0)
