"""Balancing: ratios and their limits for any shares, the root that attracts, and the loss's rate."""

import pytest
import torch

from lib.cooccurrence.claims.balancing import WIDE
from lib.cooccurrence.dynamics.balancing import DEFAULTS, MOST, balancing, ratios
from lib.solve import run


def report(**over):
    return run(balancing(), **{**DEFAULTS, **WIDE, **over}).report


def test_the_ratios_of_four_sums():
    found = ratios(torch.tensor([7.0, 5, 5, 0], dtype=torch.float64))
    torch.testing.assert_close(found, torch.tensor([0, 17 / 3, 17 / 2, 17 / 2], dtype=torch.float64))


def test_a_gap_that_is_closed_or_nearly_so_has_no_ratio():
    closed = ratios(torch.tensor([5.0, 5, 4, 0], dtype=torch.float64))
    assert closed.isnan().tolist() == [False, False, True, False]
    nearly = ratios(torch.tensor([5 + 1 / MOST, 5, 4, 0], dtype=torch.float64))
    assert nearly.isnan().tolist() == [False, False, True, False]


@pytest.mark.parametrize(("samples", "length"), [(120, 6), (600, 20), (6e6, 6)])
def test_the_limits_in_closed_form(samples, length):
    p, limits = samples / 6, report(samples=samples, length=length, end=1.0).limits
    top = 51 * p + 5 * length - 12
    assert float(limits[1]) == pytest.approx(top / (9 * p - length), rel=1e-6)
    assert float(limits[2]) == pytest.approx(top / (6 * p + 2 * length - 3), rel=1e-6)


@pytest.mark.parametrize(
    "shares", [{}, {"positive": 0.1}, {"first": 0.8}, {"single": 0.3, "first": 0.4, "positive": 0.7}]
)
def test_whatever_the_shares_the_sums_tend_to_the_separator_s(shares):
    found = report(samples=1200, **shares, end=8.0)
    torch.testing.assert_close(found.shares, found.goal, rtol=0, atol=3e-3)
    assert float(found.rate) == pytest.approx(float(found.square), rel=2e-3)


@pytest.mark.parametrize("end", [2.0, 3.0, 4.0, 6.0])
def test_the_quadratic_of_lemma_f_6_has_quotient_minus_two(end):
    """With h = Σ g' by type: c/a = −2, and R follows the positive root, which lies in (1, 2)."""
    found = report(samples=6e6, end=end)
    h = -found.shares * torch.sigmoid(found.margins)
    a, b, c = h[0] + h[1], h[2] + h[3] - h[0], -h[1] - h[2] - 2 * h[0]
    root = -b / (2 * a) + torch.sqrt((b / a) ** 2 / 4 - c / a)
    ratio = (found.shares[1:].sum() - found.shares[0]) / (found.shares[0] - found.shares[1])
    assert float(c / a) == pytest.approx(-2, abs=1e-6)
    assert 1 < float(root) < 2
    assert float(ratio) == pytest.approx(float(root), abs=5e-3)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"positive = 1\.0: must be"):
        report(positive=1.0)
