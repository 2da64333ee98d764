"""The pairwise slice for any number of subjects: its loss, slope, minimum and maximum against the reduction."""

from __future__ import annotations

import math

import pytest
import torch

from lib.recall import model, task
from lib.recall.escape import escape_curvature
from lib.recall.landscape import (
    SADDLE,
    best_probability,
    branch,
    depth_slope,
    inner_maximum,
    optimum,
    saddle_curvature,
    slice_loss,
    slice_minimum,
    wrong_odds,
)
from lib.recall.phases import one_pair_from, pairwise_until
from lib.recall.reduction import affine_reduced, relation_loss

COUNTS = (3.0, 4.0, 7.0, 33.0, 1000.0, 1e6)


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def on_slice(depth: torch.Tensor) -> torch.Tensor:
    a, b = 0.25 + depth, 0.25 - depth
    none = torch.zeros_like(a)
    return torch.log(torch.stack([a, a, b, b, none, none]))


def test_the_slice_is_the_loss_at_pairwise_attention():
    reduced = affine_reduced(5)
    for x in (0.01, 0.1, 0.3):
        attention = torch.tensor([x, x, 0.5 - x, 0.5 - x, 0.0, 0.0], dtype=torch.float64)
        expected = relation_loss(torch.log(attention), reduced, number(0.07))
        assert float(slice_loss(number(x), 5, number(0.07))) == pytest.approx(float(expected), rel=1e-13)


def test_the_slice_is_symmetric_about_one_quarter():
    y = torch.linspace(0, 0.25, 30, dtype=torch.float64)
    for sign in (1, -1):
        rows = [on_slice(sign * depth) for depth in y]
        full = torch.stack([relation_loss(row, affine_reduced(3), number(0.05)) for row in rows])
        assert torch.allclose(full, slice_loss(0.25 + y, 3, number(0.05)), atol=1e-14, rtol=0)


@pytest.mark.parametrize("n", COUNTS)
def test_the_slope_is_the_derivative(n):
    for temperature in (0.005, 0.03, 0.3):
        t = number(temperature)
        for depth in (1e-3, 0.05, 0.15, 0.249):
            slope = torch.func.grad(lambda d, t=t: wrong_odds(d, number(n), t))(number(depth))
            least = min(8 * depth**2, 2 * (0.25 - depth) ** 2)
            mine = depth_slope(number(depth), number(n), t) * depth / t * math.exp(-least / temperature)
            assert float(mine) == pytest.approx(float(slope), rel=1e-9)
        middle = depth_slope(number(0), number(n), t)
        assert float(torch.sign(middle)) == float(torch.sign(saddle_curvature(number(n), t)))


@pytest.mark.parametrize(("n", "temperature"), [(3, 0.05), (7, 0.02)])
def test_the_slope_of_the_slice_has_the_sign_of_its_derivative(n, temperature):
    depth, t = torch.linspace(0.001, 0.24, 25, dtype=torch.float64), number(temperature)
    expected = torch.func.grad(lambda d: slice_loss(0.25 + d, n, t).sum())(depth)
    ratio = expected / depth_slope(depth, n, t)
    assert (ratio[expected.abs() > 1e-9] > 0).all()


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


def test_the_minimum_is_known_where_exponentials_underflow():
    for temperature in (1e-3, 1e-4, 1e-5, 1e-6):
        a = float(slice_minimum(3, number(temperature)))
        assert abs(a - 1 / 6) < 0.4 * temperature  # a = 1/6 − O(T)


def test_the_curvature_is_the_lowest_eigenvalue_of_the_hessian():
    saddle = torch.tensor(SADDLE, dtype=torch.float64)

    def loss(four: torch.Tensor) -> torch.Tensor:
        return relation_loss(torch.cat([four, saddle[4:]]), affine_reduced(3), number(0.05))

    hessian = torch.func.hessian(loss)(saddle[:4])
    lowest = torch.linalg.eigvalsh(hessian)[0]
    assert float(lowest) == pytest.approx(float(escape_curvature(number(0.05))), rel=1e-10)
    assert float(lowest) == pytest.approx(float(saddle_curvature(3, number(0.05))), rel=1e-10)


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


@pytest.mark.parametrize(("n", "first", "until"), [(3, 0.0883876, 0.0908607), (1e6, 0.0270597, 0.0272564)])
def test_one_pair_takes_over_where_two_minima_tie(n, first, until):
    count = number(n).reshape(1)
    assert float(one_pair_from(count)) == pytest.approx(first, abs=1e-6)
    assert float(pairwise_until(count)) == pytest.approx(until, abs=1e-6)
    for factor, expected in ((0.999, False), (1.001, True)):
        assert bool(optimum(number(n), number(first * factor)) == 0.25) is expected
    inside, t = branch(number(n), number(first)), number(first)
    top = 0.25 - inner_maximum(number(n), t, 0.25 - inside)
    assert float(inside) < float(top) < 0.25
    odds = [float(wrong_odds(d, number(n), t)) for d in (inside, top, number(0.25))]
    assert odds[1] > max(odds[0], odds[2])


@pytest.mark.parametrize("temperature", [0.004, 0.02, 0.05])
def test_the_maximum_is_near_three_times_the_exponential(temperature):
    t = number(temperature)
    top = inner_maximum(3, t, slice_minimum(3, t))
    assert float(top) == pytest.approx(3 * math.exp(-1 / (2 * temperature)), rel=0.01)


def test_the_surest_attention_is_the_best_of_a_fine_grid():
    x = torch.linspace(0, 0.25, 20001, dtype=torch.float64)
    for n, temperature in ((3, 0.03), (101, 0.008), (10_007, 0.02)):
        best = float(torch.exp(-slice_loss(x, n, number(temperature)).min()))
        assert float(best_probability(n, number(temperature))) >= best - 1e-12
