"""The second decoding step: its closed forms against the full model and the reduction, its run, its claims."""

from __future__ import annotations

import math

import pytest
import torch

from lib.recall import model, task
from lib.recall.decoding import (
    SHARP,
    answer_error,
    answer_gaps,
    decoding_loss,
    wanted_lead,
)
from lib.recall.reduction import affine_reduced, answer_loss


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


def scores(count: int) -> torch.Tensor:
    return 2 * torch.randn(count, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("n", [3.0, 11.0, 1e6])
@pytest.mark.parametrize("temperature", [0.03, 0.3])
def test_the_loss_is_the_reductions(n, temperature):
    reduced, t = affine_reduced(3)._replace(subjects=number(n)), number(temperature)
    for omega in scores(6):
        expected = answer_loss(omega, reduced, t)
        assert float(decoding_loss(omega, number(n), t)) == pytest.approx(
            float(expected), rel=1e-12, abs=1e-13
        )
        mine = torch.func.grad(decoding_loss)(omega, number(n), t)
        assert torch.allclose(mine, torch.func.grad(answer_loss)(omega, reduced, t), rtol=1e-9, atol=1e-11)


def test_the_loss_and_its_gradient_are_the_full_models():
    known = task.affine_family(5)
    prompts = task.sample_prompts(known, 6, torch.Generator().manual_seed(0))
    transformer = model.build(known, generator=torch.Generator().manual_seed(1))
    for omega in scores(3):
        leaf = omega.clone().requires_grad_()
        block = model.position_block(torch.zeros(6).double(), leaf, transformer.embedding.shape[1])
        loss = model.answer_loss_full(transformer._replace(W_KQ=block), known, prompts, 0.2)
        (gradient,) = torch.autograd.grad(loss, leaf)
        assert float(decoding_loss(omega, number(5.0), number(0.2))) == pytest.approx(
            float(loss.detach()), rel=1e-11
        )
        mine = torch.func.grad(decoding_loss)(omega, number(5.0), number(0.2))
        assert torch.allclose(mine, gradient, rtol=1e-9, atol=1e-11)


def test_a_tiny_error_is_accurate_to_its_own_size():
    omega = torch.zeros(7, dtype=torch.float64)
    omega[4] = 3.0
    n, t = number(1000.0), number(0.01)
    gaps = answer_gaps(torch.softmax(omega, 0)) / t
    expected = 2 * torch.exp(gaps[0]) + 997 * torch.exp(gaps[2])
    assert 0 < float(expected) < 1e-20
    assert float(answer_error(omega, n, t)) == pytest.approx(float(expected), rel=1e-12)


def test_untrained_the_three_shown_answers_tie_and_the_others_are_16_49ths_behind():
    gaps = answer_gaps(torch.full((7,), 1 / 7, dtype=torch.float64))
    assert gaps.tolist() == pytest.approx([0, 0, -SHARP], abs=1e-15)


def test_a_lead_that_suffices_may_not_exist():
    assert math.isinf(float(wanted_lead(number(0.5))))
    assert 0 < float(wanted_lead(number(0.001))) < 1
