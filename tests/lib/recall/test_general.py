"""Histograms against the reduction of a real family, and the closed forms of the large step."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from lib.recall import task
from lib.recall.general import (
    after_large_step,
    errors,
    growth_rate,
    histogram_loss,
    large_rate,
    mismatched_part,
    population,
    rivals_left,
    true_probability,
    worst_probability,
    worst_prompts,
)
from lib.recall.reduction import affine_reduced, reduce, relation_loss


def number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


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


def test_the_mismatched_part_counts_four_of_five_rivals():
    assert mismatched_part(population(number(7), number(1))[0])[-1] == pytest.approx(4 / 6)


def test_lemma_9_to_first_order():
    share, t = number(0.6), number(0.001)
    eta = large_rate(number(1.0), t)
    alpha = eta * share / (216 * t)
    shift = torch.tensor([1, 0, 1, 0, -2, 0], dtype=torch.float64)
    near = after_large_step(share, eta, t)
    assert float((near - (1 / 6 + alpha * shift)).abs().max()) < float(40 * alpha**2)


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


def test_the_errors_are_those_of_the_probabilities():
    n, t = number(1009), number(0.01)
    theta = torch.tensor([0.3, 0.1, 0.3, 0.1, -0.4, 0.0], dtype=torch.float64)
    plain, confusing = true_probability(theta, worst_prompts(n), t)
    measured = errors(torch.softmax(theta, 0), n, t)
    torch.testing.assert_close(measured, torch.stack([1 - plain, 0.5 - confusing]), rtol=1e-9, atol=0)


def test_the_rivals_left_are_the_errors_by_the_closed_form():
    n, t, share = number(1009), number(0.003), number(0.6)
    eta = large_rate(number(100.0), t)
    mismatched, fewer = rivals_left(share, eta, n, t)
    error = errors(after_large_step(share, eta, t), n, t)[0]
    odds = mismatched + fewer
    torch.testing.assert_close(error, odds / (1 + odds), rtol=1e-12, atol=0)
