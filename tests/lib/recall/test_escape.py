"""Stage 2 on its own: its restriction against the full reduction, its spectrum, its times, its claims."""

from __future__ import annotations

import math
import random

import pytest
import torch

from lib.recall.claims import escape_algebra as algebra
from lib.recall.claims import smoothness
from lib.recall.claims.common import DEFAULTS
from lib.recall.claims.escape import ESCAPE, guaranteed_drop, lemma_7, proof_temperature, saddle_gap
from lib.recall.dynamics import affine_reduced, escape_curvature, relation_loss, warm_up
from lib.recall.dynamics.escape import (
    GRADIENT_LIPSCHITZ,
    HESSIAN_LIPSCHITZ,
    escape,
    escape_share,
    free_gradient,
    free_loss,
    printed_curvature,
    saddle_spectrum,
)
from lib.solve import run
from widgets.live import flatten

WITHOUT = torch.full((2,), -math.inf, dtype=torch.float64)
REPORT_NAN = {"runs", "lowest"}


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


def scores(count: int) -> torch.Tensor:
    return 2 * torch.randn(count, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("temperature", [0.01, 0.1, 3.0])
def test_the_restriction_is_the_reduction_without_query_and_eos(temperature):
    t, reduced = number(temperature), affine_reduced(3)
    for theta in scores(10):
        whole = torch.cat([theta, WITHOUT])
        assert float(free_loss(theta, t)) == pytest.approx(float(relation_loss(whole, reduced, t)), abs=1e-13)
        full = torch.func.grad(relation_loss)(whole, reduced, t)
        assert torch.allclose(free_gradient(theta, t), full[:4], atol=1e-12)
        assert not full[4:].any()


def test_a_run_is_algorithm_1s_second_stage():
    mine = run(escape(), **ESCAPE)
    whole = run(warm_up(), **DEFAULTS)
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


@pytest.mark.parametrize("temperature", [0.01, 0.05, 0.3, 5.0])
def test_the_spectrum_at_the_saddle(temperature):
    t = number(temperature)
    hessian = torch.func.hessian(lambda x: free_loss(x, t))(torch.zeros(4, dtype=torch.float64))
    directions = torch.tensor([[1, 1, -1, -1], [1, 1, 1, 1], [1, -1, 1, -1], [1, -1, -1, 1]]).double() / 2
    expected = saddle_spectrum(t)
    for direction, value in zip(directions, expected, strict=True):
        assert torch.allclose(hessian @ direction, value * direction, atol=1e-12, rtol=1e-9)
    assert float(expected[0]) == pytest.approx(float(escape_curvature(affine_reduced(3), t)), rel=1e-9)
    assert float(expected[0]) != pytest.approx(float(printed_curvature(t)), rel=1e-6)


@pytest.mark.parametrize("radius", [1e-9, 1e-5, 1e-3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_curvature_foretells_the_time_and_the_winner(radius, seed):
    report = run(escape(), **{**ESCAPE, "perturbation_radius": radius, "seed": seed}).report
    late = float(report.measured_escape) - float(report.predicted_escape)
    assert -0.5 < late < 1.5
    assert float(report.predicted_winner) == float(report.measured_winner)
    assert float(report.end_loss) == pytest.approx(float(report.lowest), abs=1e-6)


def test_without_a_perturbation_the_run_never_leaves():
    report = run(escape(), **{**ESCAPE, "perturbation_radius": 0, "steps": 4000}).report
    assert math.isinf(float(report.measured_escape))
    assert math.isinf(float(report.predicted_escape))
    assert float(report.verdict) == 2
    assert float(report.story) == 1
    assert float(report.gain) == 0


def test_too_hot_the_run_escapes_but_not_below_log_2():
    report = run(escape(), **{**ESCAPE, "temperature": 0.087}).report
    assert math.isinf(float(report.fallen))
    assert math.isfinite(float(report.measured_escape))
    assert float(report.verdict) == 2


def test_too_large_steps_raise_the_loss():
    assert float(run(escape(), **{**ESCAPE, "rate_2": 500}).report.small_steps) == 0
    assert float(run(escape(), **{**ESCAPE, "rate_2": 100}).report.small_steps) == 1


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
        run(escape(), **{**ESCAPE, name: value})


def test_the_share_of_slow_draws_is_bounded_by_geometry():
    generator = torch.Generator().manual_seed(0)
    normal = torch.randn(200_000, 13, dtype=torch.float64, generator=generator)
    length = torch.rand(200_000, 1, dtype=torch.float64, generator=generator) ** (1 / 13)
    first = (length * normal / normal.norm(dim=1, keepdim=True))[:, 0]
    for small in (0.01, 0.03):
        share = float((first.abs() < small).double().mean())
        assert share == pytest.approx(escape_share(13) * small, rel=0.05)


def test_the_proofs_temperature_is_where_drop_and_gap_cross():
    t = proof_temperature(0.1)
    assert guaranteed_drop(t, 0.1) == pytest.approx(saddle_gap(t), rel=1e-6)
    assert proof_temperature(0.01) < t < 0.0854


def test_the_drop_of_lemma_7_has_the_measured_constants():
    gamma, alpha, rho = 1 / (8 * 0.01), GRADIENT_LIPSCHITZ / 0.01**2, HESSIAN_LIPSCHITZ / 0.01**3
    expected = gamma**3 / rho**2 / math.log(4 * alpha / (0.1 * gamma)) ** 3
    assert guaranteed_drop(0.01, 0.1) == pytest.approx(expected, rel=1e-12)


def test_the_constant_1_is_too_much_for_lemma_7():
    assert not lemma_7(0.02, 0.1, 1.0, 1.0, draws=1000).conclusion
    assert lemma_7(0.02, 0.1, 0.5, 1.0, draws=1000).conclusion


def test_no_random_point_is_rougher_than_the_tie():
    t = 0.01
    assert smoothness.largest(t, 2) * t**2 == pytest.approx(GRADIENT_LIPSCHITZ, rel=1e-3)
    assert smoothness.largest(t, 3) * t**3 == pytest.approx(HESSIAN_LIPSCHITZ, rel=0.02)


def test_autograd_agrees_with_the_corrected_terms_only():
    t = 0.07
    found = algebra.by_autograd(t)
    rest = float(found.probability_2) - float(found.probability) / (8 * t)
    right = -float(found.probability * found.mismatched) / (32 * t**2)
    assert rest == pytest.approx(right, rel=1e-9)
    assert rest != pytest.approx(-float(found.probability * found.mismatched**2) / (16 * t**2), rel=0.1)
    assert algebra.gradient_by_autograd()[4] == 0.5
