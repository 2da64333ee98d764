"""Random numbers that torch and the page draw alike: are they random enough?"""

import pytest
import torch

from lib import noise


def seeds(count: int) -> list[torch.Tensor]:
    return [torch.tensor(float(seed), dtype=torch.float64) for seed in range(count)]


def test_uniform_numbers_fill_the_interval_evenly():
    numbers = torch.stack([noise.uniform(seed, 64) for seed in seeds(500)]).flatten()
    counts = torch.histc(numbers, bins=50, min=0, max=1)
    expected = numbers.numel() / 50
    chi_squared = float(((counts - expected) ** 2 / expected).sum())
    assert 25 < chi_squared < 85  # 49 degrees of freedom
    assert 0 < float(numbers.min()) < 1e-3
    assert 1 - 1e-3 < float(numbers.max()) < 1


def test_neighbouring_seeds_and_places_are_uncorrelated():
    table = torch.stack([noise.uniform(seed, 32) for seed in seeds(2000)])
    between_places = torch.corrcoef(table.T).fill_diagonal_(0)
    between_seeds = torch.corrcoef(torch.stack([table[:-1].flatten(), table[1:].flatten()]))[0, 1]
    assert float(between_places.abs().max()) < 0.1
    assert abs(float(between_seeds)) < 0.02


def test_no_two_seeds_share_a_number():
    numbers = torch.stack([noise.uniform(seed, 64) for seed in seeds(300)]).flatten()
    assert len(torch.unique(numbers)) == numbers.numel()


def test_a_point_of_the_ball_is_uniform_in_it():
    points = torch.stack(
        [noise.ball(seed, 13, torch.tensor(2.0, dtype=torch.float64)) for seed in seeds(2000)]
    )
    volumes = (points.norm(dim=1) / 2) ** 13  # uniform on (0, 1)
    assert float(points.norm(dim=1).max()) <= 2
    assert abs(float(volumes.mean()) - 0.5) < 0.03
    assert float(points.mean(0).abs().max()) < 0.1


def test_a_ball_of_radius_zero_is_its_centre():
    point = noise.ball(torch.tensor(5.0, dtype=torch.float64), 13, torch.tensor(0.0, dtype=torch.float64))
    assert torch.equal(point, torch.zeros(13, dtype=torch.float64))


def test_too_many_numbers_are_refused():
    with pytest.raises(ValueError, match="count = 65: must be a whole number from 1 to 64"):
        noise.uniform(torch.tensor(0.0), 65)


def test_normal_numbers_have_mean_0_variance_1_and_no_ties():
    draws = torch.cat([noise.normal(seed, 64) for seed in seeds(200)])
    assert abs(float(draws.mean())) < 0.03
    assert abs(float(draws.var()) - 1) < 0.04
    assert len(draws.unique()) == len(draws)


def test_many_normal_numbers_are_those_of_neighbouring_seeds():
    drawn = noise.normals(torch.tensor(3.0, dtype=torch.float64), 100, 50)
    both = [noise.normal(torch.tensor(56.0 + k, dtype=torch.float64), 64) for k in range(2)]
    assert torch.equal(drawn, torch.cat(both)[:100])
