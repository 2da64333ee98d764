"""The search for a root that the page can run."""

import pytest
import torch

from lib.roots import rising_root


def test_the_root_of_a_rising_slope_is_found_to_rounding():
    zero, one = torch.zeros((), dtype=torch.float64), torch.ones((), dtype=torch.float64)
    assert float(rising_root(lambda x: x**3 - 0.2, zero, one)) == pytest.approx(0.2 ** (1 / 3), abs=1e-11)
    assert float(rising_root(lambda x: x + 1, zero, one)) == 0  # rising throughout: the low end
    assert float(rising_root(lambda x: x - 2, zero, one)) == 1  # falling throughout: the high end
