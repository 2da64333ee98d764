"""The mean field: counts of shared phrases, and classes without facts."""

from __future__ import annotations

import pytest
import torch

from book.acquire.experiments import mean_field
from lib.acquire import task as data

KAPPA = 0.004


PACE = ((2, 20.0), (30, 100.0))


def test_counts_of_shared_phrases_are_expected_ones_on_average() -> None:
    """(N_e − [c = e]) K_e/R other facts of class e have a given phrase of a fact of class c."""
    drawn = [mean_field.of_facts(data.facts(24, 6, 3, 0.5, seed), KAPPA).together for seed in range(60)]
    expected = torch.tensor([[11 * 3, 12], [12 * 3, 11]], dtype=torch.float64) / 6
    assert float(((torch.stack(drawn).mean(0) - expected) / expected).abs().max()) < 0.1
    exact = mean_field.of_facts(data.facts(6, 4, 4, 1.0), KAPPA).together
    assert float(exact[0, 0]) == 5  # all others share every phrase


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_class_without_facts_is_no_trouble(share: float) -> None:
    task = mean_field.of_facts(data.facts(8, 4, 2, share), KAPPA)
    for block in mean_field.pretrained(task, PACE):
        assert all(bool(torch.isfinite(field).all()) for field in block)
