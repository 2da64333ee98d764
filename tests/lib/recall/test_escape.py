"""Stage 2 on its own: its restriction against the full reduction, its spectrum, its geometry."""

from __future__ import annotations

import math

import pytest
import torch

from lib.recall.escape import (
    escape_curvature,
    free_gradient,
    free_loss,
    printed_curvature,
    saddle_spectrum,
)
from lib.recall.reduction import affine_reduced, relation_loss

WITHOUT = torch.full((2,), -math.inf, dtype=torch.float64)


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


@pytest.mark.parametrize("temperature", [0.01, 0.05, 0.3, 5.0])
def test_the_spectrum_at_the_saddle(temperature):
    t = number(temperature)
    hessian = torch.func.hessian(lambda x: free_loss(x, t))(torch.zeros(4, dtype=torch.float64))
    directions = torch.tensor([[1, 1, -1, -1], [1, 1, 1, 1], [1, -1, 1, -1], [1, -1, -1, 1]]).double() / 2
    expected = saddle_spectrum(t)
    for direction, value in zip(directions, expected, strict=True):
        assert torch.allclose(hessian @ direction, value * direction, atol=1e-12, rtol=1e-9)
    assert float(expected[0]) == pytest.approx(float(escape_curvature(t)), rel=1e-9)
    assert float(expected[0]) != pytest.approx(float(printed_curvature(t)), rel=1e-6)
