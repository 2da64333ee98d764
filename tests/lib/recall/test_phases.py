"""The boundaries of the phase diagram: against fine grids, their laws, and the sharp constant."""

from __future__ import annotations

import math

import pytest
import torch

from lib.recall.landscape import best_probability, depth_slope, saddle_curvature, slice_loss, wrong_odds
from lib.recall.phases import (
    ENOUGH,
    PRINTED,
    fold,
    one_pair_from,
    opening,
    pairwise_until,
    printed_suffices_from,
    reaches,
    reaches_law,
    thresholds,
    window,
)
from lib.recall.reduction import match_classes, relation_logits


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


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


def test_a_fine_grid_of_depths_sees_the_boundaries_where_they_are():
    n = torch.tensor([3.0, 4, 33, 997, 1e6], dtype=torch.float64)
    depths = torch.linspace(0, 0.25, 5001, dtype=torch.float64)
    for count, first, until, sure in zip(
        n, one_pair_from(n), pairwise_until(n), reaches(n, 0.999), strict=True
    ):
        for factor, holds in ((1 - 1e-5, True), (1 + 1e-5, False)):
            odds = wrong_odds(depths, count, first * factor)
            assert bool(odds[:-1].min() < odds[-1]) is holds
            assert bool((depth_slope(depths, count, until * factor) > 0).any()) is holds
            assert bool(wrong_odds(depths, count, sure * factor).min() <= 1 / 0.999 - 1) is holds


def test_the_thresholds_are_where_a_fine_grid_sees_them():
    x = torch.linspace(0, 0.25, 20001, dtype=torch.float64)

    def seen(temperature: float) -> tuple[bool, bool, bool]:
        loss = slice_loss(x, 3, number(temperature))
        dips = (loss[1:-1] < loss[:-2]) & (loss[1:-1] < loss[2:])
        lowest = loss[1:-1][dips].min() if dips.any() else math.inf
        return bool(dips.any()), bool(lowest < loss[0]), bool(lowest < math.log(2))

    known = thresholds()
    assert 0 < known.below_log_2 < known.lowest < known.exists < 0.1
    for index, t in enumerate(reversed(known)):
        assert seen(t - 2e-5)[index]
        assert not seen(t + 2e-5)[index]


def test_minimum_and_maximum_meet_where_the_slope_has_a_double_root():
    x, hottest = fold()
    depth, t = number(0.25 - x), number(hottest)
    assert float(depth_slope(depth, 3, t)) == pytest.approx(0, abs=1e-9)
    assert float(torch.func.grad(depth_slope)(depth, 3, t)) == pytest.approx(0, abs=1e-3)


def test_the_law_of_the_constant_is_near_and_tends_to_an_eighth():
    n = torch.logspace(1, 6, 6, dtype=torch.float64)
    for p in (0.99, 0.999):
        ratio = reaches_law(n, p) / reaches(n, p)
        assert float((ratio - 1).abs().max()) < 0.12
        assert bool((ratio[1:] < ratio[:-1]).all())
    far = number(1e300)
    assert float(reaches_law(far, 0.999) * torch.log(far)) == pytest.approx(0.125, abs=0.02)


def test_no_attention_reaches_one_half_above_an_eighth():
    n = torch.cat(
        [torch.arange(3, 200, dtype=torch.float64), torch.logspace(2.3, 6, 20, dtype=torch.float64)]
    )
    assert float((reaches(n, 0.5 + 1e-12) * torch.log(n)).max()) < 0.125


def test_one_eighth_is_sharp():
    def best(n: float, constant: float) -> float:
        return float(best_probability(n, number(constant / math.log(n))))

    far = [best(n, 0.12) for n in (1e50, 1e100, 1e150)]
    assert far[0] < far[1] < far[2]
    assert best(1e150, ENOUGH + 0.01) < 0.01
    generator = torch.Generator().manual_seed(0)
    matches = match_classes(2)
    single = matches.sum((1, 2)) == 1
    for _ in range(300):
        v = torch.softmax(3 * torch.randn(6, dtype=torch.float64, generator=generator), 0)
        logits = relation_logits(v, matches)
        assert float((logits[0] - logits[single]).min()) <= ENOUGH


def test_the_error_is_at_most_what_was_asked_and_no_warmer_would_do():
    for n in (3, 31):
        t = float(reaches(number(n).reshape(1), 0.99))
        assert (
            float(best_probability(n, number(t * 0.999)))
            > 0.99
            > float(best_probability(n, number(t * 1.001)))
        )


def test_half_a_probability_is_refused():
    with pytest.raises(
        ValueError, match=r"probability = 0\.5: must be a finite number greater than 0\.5 and less than 1"
    ):
        reaches(number(3).reshape(1), 0.5)


def test_the_printed_constant_is_enough_from_exactly_there():
    for probability in (0.99, 0.999):
        n = printed_suffices_from(probability)
        just, short = (float(best_probability(m, number(PRINTED / math.log(m)))) for m in (n, n - 1))
        assert short < probability <= just
    assert printed_suffices_from(0.999) == 119  # and not 120, as a coarse grid of depths had it
