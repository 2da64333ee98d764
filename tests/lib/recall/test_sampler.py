"""Sampled histograms against real families."""

from __future__ import annotations

import pytest
import torch
from torch import Generator, Tensor

from lib.recall import task
from lib.recall.general import gaps, histogram_loss
from lib.recall.reduction import affine_counts, match_classes, prompt_histograms, reduce, relation_loss
from lib.recall.sampler import (
    answer_quality,
    bayes_ceiling,
    binomial,
    confusing_chance,
    normal_quantile,
    sample_counts,
)


def number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


@pytest.mark.parametrize("q", [5, 7, 11])
def test_affine_counts_are_those_of_the_affine_family(q):
    known = task.affine_family(q)
    histograms = prompt_histograms(known, task.sample_prompts(known, 20, Generator().manual_seed(0)))
    assert (histograms == affine_counts(number(q)).to(torch.int64)).all()


def test_a_binomial_number_is_the_inverse_of_the_distribution_function():
    from math import comb

    for trials, chance in ((1, 0.5), (7, 0.3), (20, 0.9), (60, 0.1)):
        masses = [comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(trials + 1)]
        edges = torch.cumsum(torch.tensor(masses, dtype=torch.float64), 0)
        u = torch.linspace(0.003, 0.997, 301, dtype=torch.float64)
        numbers = binomial(u, number(trials), number(chance))
        if chance <= 0.5:
            assert torch.equal(numbers, (u[:, None] > edges).to(torch.float64).sum(1))
        assert abs(float(numbers.mean()) - trials * chance) < 0.05 * trials**0.5


def test_the_normal_quantile_is_the_inverse():
    u = torch.linspace(1e-6, 1 - 1e-6, 1001, dtype=torch.float64)
    assert float((normal_quantile(u) - torch.special.ndtri(u)).abs().max()) < 5e-4


@pytest.mark.parametrize("bijections", [0, 1])
def test_sampled_prompts_are_like_those_of_real_families(bijections):
    """Mean number of relations in each class, over many families of n = 7 and ρ = ½."""
    generator = Generator().manual_seed(1)
    real = []
    for _ in range(60):
        known = (
            task.random_bijections(7, 21, generator) if bijections else task.affine_subset(7, 21, generator)
        )
        real.append(prompt_histograms(known, task.sample_prompts(known, 40, generator)).to(torch.float64))
    drawn = sample_counts(number(3), 2400, number(7), number(0.5), number(bijections))
    kinds = (slice(0, 1), slice(1, 6), slice(6, 12), slice(12, 13))
    for kind in kinds:
        theirs, ours = torch.cat(real)[:, kind].mean(), drawn[:, kind].mean()
        assert float(theirs) == pytest.approx(float(ours), rel=0.08, abs=0.03)


def test_histogram_loss_and_gaps_are_the_reductions():
    known = task.affine_subset(7, 20, Generator().manual_seed(2))
    prompts = task.sample_prompts(known, 12, Generator().manual_seed(3))
    counts = prompt_histograms(known, prompts).to(torch.float64)
    theta = torch.randn(6, dtype=torch.float64, generator=Generator().manual_seed(4))
    weights = torch.full((12,), 1 / 12, dtype=torch.float64)
    ours = histogram_loss(theta, counts, weights, number(0.1))
    torch.testing.assert_close(ours, relation_loss(theta, reduce(known, prompts), 0.1), rtol=1e-12, atol=0)
    assert gaps(theta).shape == (len(match_classes(2)),)


def test_accuracy_counts_a_tie_of_m_as_one_mth():
    tested = torch.zeros(1, 13, dtype=torch.float64)
    tested[0, :2] = 1  # r* and a confusing relation
    accuracy, probability = answer_quality(torch.zeros(6, dtype=torch.float64), tested, number(0.1))
    assert float(accuracy) == 0.5
    assert float(probability) == pytest.approx(0.5)


def test_the_ceiling_and_the_confusing_chance():
    assert float(bayes_ceiling(number(7), number(0.5), number(0))) == 1
    p, r = 1 / 42, 42
    assert float(bayes_ceiling(number(7), number(1), number(1))) == pytest.approx(
        (1 - (1 - p) ** r) / (r * p)
    )
    assert float(confusing_chance(number(7), number(0.3), number(0))) == 0.3
    assert float(confusing_chance(number(7), number(1), number(1))) == pytest.approx(1 - (1 - p) ** (r - 1))


def test_prompts_come_in_fours():
    with pytest.raises(ValueError, match="prompts = 6: must be a multiple of 4"):
        sample_counts(number(0), 6, number(7), number(0.5))
