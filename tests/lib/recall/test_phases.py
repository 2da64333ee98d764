"""The phase diagram: closed forms against the reduction, the slice against all attention, the run, the claims."""

from __future__ import annotations

import math
import random

import pytest
import torch

from book.recall.demos.phases import FAMILIES
from lib.recall import model, task
from lib.recall.claims import phases as statements
from lib.recall.dynamics import escape_curvature, relation_loss, relation_shares, slice_loss, slice_minimum
from lib.recall.dynamics.phase_run import DEFAULTS, descent, diagram, loss_and_gradient, shares, sure_limit
from lib.recall.dynamics.phases import (
    barrier,
    branch,
    depth_slope,
    one_pair_from,
    opening,
    optimum,
    pairwise_until,
    reaches,
    reaches_law,
    saddle_curvature,
    window,
    wrong_odds,
)
from lib.solve import run

COUNTS = (3.0, 4.0, 7.0, 33.0, 1000.0, 1e6)
REPORT_INFINITE = {"ceiling", "left_floor", "window_floor"}


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def on_slice(depth: torch.Tensor) -> torch.Tensor:
    a, b = 0.25 + depth, 0.25 - depth
    none = torch.zeros_like(a)
    return torch.log(torch.stack([a, a, b, b, none, none]))


@pytest.mark.parametrize("n", COUNTS)
def test_the_closed_form_is_the_loss_of_the_thirteen_classes(n):
    for depth in (0.0, 0.03, 0.1, 0.2, 0.25):
        for temperature in (0.005, 0.03, 0.3):
            mine = torch.log1p(wrong_odds(number(depth), number(n), number(temperature)))
            full = relation_loss(on_slice(number(depth)), statements.affine(n), temperature)
            assert float(mine) == pytest.approx(float(full), abs=1e-12)


def test_at_three_subjects_it_is_the_other_pages_slice():
    x, t = torch.linspace(0, 0.25, 9, dtype=torch.float64), number(0.05)
    mine = torch.log1p(wrong_odds(0.25 - x, number(3), t))
    assert torch.allclose(mine, slice_loss(x, statements.affine(3), t), atol=1e-13)
    assert 0.25 - float(branch(number(3), t)) == pytest.approx(
        float(slice_minimum(statements.affine(3), t)), abs=1e-9
    )


@pytest.mark.parametrize("n", COUNTS)
def test_the_slope_is_the_derivative(n):
    for temperature in (0.005, 0.03, 0.3):
        t = number(temperature)
        for depth in (1e-3, 0.05, 0.15, 0.249):
            slope = torch.func.grad(lambda d, t=t: wrong_odds(d, number(n), t))(number(depth))
            mine = depth_slope(number(depth), number(n), t) * depth / t
            assert float(mine) == pytest.approx(float(slope), rel=1e-9)
        middle = depth_slope(number(0), number(n), t)
        assert float(torch.sign(middle)) == float(torch.sign(saddle_curvature(number(n), t)))


@pytest.mark.parametrize("n", COUNTS)
def test_the_run_has_the_full_gradient(n):
    generator = torch.Generator().manual_seed(int(n) % 97)
    for _ in range(4):
        theta, t = torch.randn(4, dtype=torch.float64, generator=generator), number(0.05)
        padded = torch.cat([theta, torch.full((2,), -math.inf, dtype=torch.float64)])
        loss, gradient, v = loss_and_gradient(theta, number(n), t)
        full = torch.func.grad(relation_loss)(padded, statements.affine(n), t)
        assert torch.allclose(v, torch.softmax(theta, 0))
        assert float(loss) == pytest.approx(float(relation_loss(padded, statements.affine(n), t)), rel=1e-12)
        assert torch.allclose(gradient, full[:4], rtol=1e-9, atol=1e-12)
        classes = relation_shares(padded, statements.affine(n), t)[0]
        right, confusing, one, none = shares(theta, number(n), t).tolist()
        assert right == pytest.approx(float(classes[0]), rel=1e-12)
        assert confusing == pytest.approx(float(classes[1]), rel=1e-12)
        assert right + confusing + one + none == pytest.approx(1)


def test_it_is_the_full_models_loss():
    known = task.affine_family(5)
    prompts = task.all_prompts(known)
    transformer = model.build(known)
    depth, t = 0.07, 0.05
    theta = on_slice(number(depth)).clamp(min=-60)
    block = model.position_block(theta, torch.zeros(7).double(), transformer.embedding.shape[1])
    full = model.relation_loss_full(transformer._replace(W_KQ=block), known, prompts, t)
    mine = torch.log1p(wrong_odds(number(depth), number(5), number(t)))
    assert float(mine) == pytest.approx(float(full), rel=1e-9)


def test_no_attention_is_below_the_slice():
    generator = torch.Generator().manual_seed(0)
    chance = random.Random(0)
    for _ in range(40):
        n, t = round(3 * 10 ** chance.uniform(0, 5.5)), number(10 ** chance.uniform(-2.5, 0))
        spread = 10 ** chance.uniform(-1, 1)
        lowest = float(torch.log1p(wrong_odds(optimum(number(n), t), number(n), t)))
        near = on_slice(optimum(number(n), t)).clamp(min=-8)
        theta = spread * torch.randn(200, 6, dtype=torch.float64, generator=generator)
        theta = torch.cat([theta, near + 0.1 * theta])
        reduced = statements.affine(n)
        found = torch.func.vmap(lambda x, reduced=reduced, t=t: relation_loss(x, reduced, t))(theta)
        assert float(found.min()) >= lowest * (1 - 1e-9)


@pytest.mark.parametrize(
    "step", ["query_and_eos_are_useless", "exchange_leaves_the_sum", "balance_widens_every_gap"]
)
def test_each_step_of_the_proof_holds(step):
    assert getattr(statements, step)()


def test_nothing_on_the_slice_is_below_the_three():
    d = torch.linspace(0, 0.25, 2001, dtype=torch.float64)
    for n in torch.logspace(math.log10(3), 6, 23, dtype=torch.float64):
        for t in torch.logspace(-3, 0, 31, dtype=torch.float64):
            grid = float(torch.log1p(wrong_odds(d, n, t)).min())
            lowest = float(torch.log1p(wrong_odds(optimum(n, t), n, t)))
            assert lowest <= grid * (1 + 1e-12)


def test_the_slope_turns_at_most_twice():
    d = torch.linspace(1e-6, 0.25, 4001, dtype=torch.float64)
    for n in torch.logspace(math.log10(3), 6, 23, dtype=torch.float64):
        for t in torch.logspace(-2.7, 0, 31, dtype=torch.float64):
            rising = depth_slope(d, n, t) > 0
            assert int((rising[1:] != rising[:-1]).sum()) <= 2
            assert not bool(rising[-1])  # one pair alone is always a minimum


@pytest.mark.parametrize("n", COUNTS)
def test_the_curvature_is_that_of_the_full_loss(n):
    for temperature in (0.005, 0.013, 0.05):
        mine = saddle_curvature(number(n), number(temperature))
        full = escape_curvature(statements.affine(n), number(temperature))
        assert float(mine) == pytest.approx(float(full), abs=1e-9 / temperature)


def test_the_window_opens_between_32_and_33_subjects():
    least, at = opening()
    low, high = window(torch.tensor([32.0, 33.0, 1e4], dtype=torch.float64))
    assert 32 < least < 33
    assert torch.isnan(low[0])
    assert torch.isnan(high[0])
    assert float(low[1]) < at < float(high[1])
    for n, ends in ((33, (low[1], high[1])), (1e4, (low[2], high[2]))):
        for end in ends:
            assert float(saddle_curvature(number(n), end)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("n", "first", "until"), [(3, 0.0883876, 0.0908607), (1e6, 0.0270597, 0.0272564)])
def test_one_pair_takes_over_where_two_minima_tie(n, first, until):
    count = number(n).reshape(1)
    assert float(one_pair_from(count, 20_001)) == pytest.approx(first, abs=1e-6)
    assert float(pairwise_until(count, 20_001)) == pytest.approx(until, abs=1e-6)
    for factor, expected in ((0.999, False), (1.001, True)):
        assert bool(optimum(number(n), number(first * factor)) == 0.25) is expected
    inside, t = branch(number(n), number(first)), number(first)
    top = barrier(inside, number(n), t)
    assert float(inside) < float(top) < 0.25
    odds = [float(wrong_odds(d, number(n), t)) for d in (inside, top, number(0.25))]
    assert odds[1] > max(odds[0], odds[2])


def test_the_drawn_boundaries_are_as_good_as_the_fine_ones():
    drawn = diagram()
    n = drawn["grid_n"]
    assert torch.allclose(drawn["one_pair_T"], one_pair_from(n, 5001), rtol=2e-4)
    assert torch.allclose(drawn["until_T"], pairwise_until(n, 5001), rtol=2e-4)
    assert torch.allclose(drawn["sure_T"], reaches(n, 0.999, 5001), rtol=1e-3)
    for count in (3.0, 4.0, 997.0, 31_627.0, 999_983.0):
        exact = float(reaches(number(count).reshape(1), 0.999, 5001))
        assert float(sure_limit(number(count))) == pytest.approx(exact, rel=1e-3)


def test_the_demo_offers_families_that_exist():
    for n in FAMILIES:
        divisor = next(p for p in range(2, n + 1) if n % p == 0)
        power = divisor
        while power < n:
            power *= divisor
        assert power == n


def test_the_law_of_the_constant_is_near_and_tends_to_an_eighth():
    n = torch.logspace(1, 6, 6, dtype=torch.float64)
    for p in (0.99, 0.999):
        ratio = reaches_law(n, p) / reaches(n, p, 5001)
        assert float((ratio - 1).abs().max()) < 0.12
        assert bool((ratio[1:] < ratio[:-1]).all())
    far = number(1e300)
    assert float(reaches_law(far, 0.999) * torch.log(far)) == pytest.approx(0.125, abs=0.02)


def test_no_attention_reaches_one_half_above_an_eighth():
    n = torch.cat(
        [torch.arange(3, 200, dtype=torch.float64), torch.logspace(2.3, 6, 20, dtype=torch.float64)]
    )
    assert float((reaches(n, 0.5) * torch.log(n)).max()) < 0.125


@pytest.mark.parametrize(
    ("n", "temperature", "kind"),
    [
        (3, 0.05, 1),
        (3, 0.12, 2),
        (1e4, 0.008, 1),
        (1e4, 0.014, 0),
        (1e4, 0.025, 1),
        (1e6, 0.01, 0),
        (1e6, 0.05, 2),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_descent_ends_in_the_best(n, temperature, kind, seed):
    report = run(descent(), **{**DEFAULTS, "subjects": n, "temperature": temperature, "seed": seed}).report
    assert float(report.best_kind) == kind
    assert float(report.end_kind) == kind
    assert float(report.verdict) == 0
    assert float(report.story) == kind
    assert float(report.curvature) == pytest.approx(float(report.curvature_formula), abs=1e-9 / temperature)


def test_just_above_the_jump_it_does_not():
    report = run(descent(), **{**DEFAULTS, "subjects": 3, "temperature": 0.0895}).report
    assert (float(report.best_kind), float(report.end_kind)) == (2, 1)
    assert not bool(report.one_valley)
    assert float(report.verdict) == 2
    far = run(descent(), **{**DEFAULTS, "subjects": 3, "temperature": 0.0895, "radius": 10}).report
    assert (float(far.best_kind), float(far.end_kind), float(far.verdict)) == (2, 2, 3)


@pytest.mark.parametrize("radius", [0.0, 1e-9])
def test_only_a_perturbation_leaves_the_saddle(radius):
    report = run(descent(), **{**DEFAULTS, "radius": radius}).report
    assert float(report.end_kind) == (1 if radius else 0)
    assert float(report.verdict) == (0 if radius else 2)


def test_nothing_is_nan():
    chance = random.Random(5)
    for _ in range(25):
        outcome = run(
            descent(),
            subjects=round(3 * 10 ** chance.uniform(0, 5.522)),
            temperature=10 ** chance.uniform(-3, -0.7),
            radius=chance.choice([0.0, 1e-9, 1e-3, 1.0, 10.0]),
            seed=chance.randrange(100),
            rate=10 ** chance.uniform(1, 2.3),
            steps=chance.randrange(60),
        )
        for name, value in outcome.report._asdict().items():
            assert not torch.isnan(value).any(), name
            assert name in REPORT_INFINITE or torch.isfinite(value).all(), name
        assert torch.isfinite(outcome.histories[0].rows.loss).all()


@pytest.mark.parametrize(
    ("name", "value", "range"),
    [
        ("subjects", 2, "a whole number from 3 to 1000000"),
        ("subjects", 1e7, "a whole number from 3 to 1000000"),
        ("temperature", 0.0, "a finite number from 0.001 to 1"),
        ("radius", -1.0, "a finite number at least 0"),
        ("rate", 0.0, "a finite number greater than 0"),
    ],
)
def test_bad_input_is_named(name, value, range):
    with pytest.raises(ValueError, match=f"{name} = .*: must be {range}"):
        run(descent(), **{**DEFAULTS, name: value})
