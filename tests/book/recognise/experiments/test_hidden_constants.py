"""Draws inside the hypotheses, fitted powers, and the share of starts that fail."""

import random

import numpy as np
import pytest

from book.recognise.common import ASSUMED
from book.recognise.experiments.failing_starts import failures
from book.recognise.experiments.hidden_constants import SIZES, phase_1, phase_2, powers
from lib.recognise.setting import setting


def test_draws_of_phase_2_are_inside_condition_1():
    for place in range(50):
        drawn = phase_2(random.Random(place))
        drawn.pop("seed")
        p = setting(**drawn)
        items = {name: bool(ASSUMED[name][1](None, p)) for name in ("wide", "long", "many", "fit_0", "fit_1")}
        assert all(items.values()), items


def test_draws_of_phase_1_have_width_and_samples_enough():
    for place in range(50):
        drawn = phase_1(random.Random(place), quiet=False)
        assert drawn["width"] >= max(drawn["neurons"], drawn["length"] ** 2)
        assert drawn["samples"] >= 3 * drawn["length"] ** 2
        assert drawn["width"] * (drawn["sigma_0"] * drawn["sigma_1"]) ** 2 >= 32 * drawn["length"]


def test_powers_are_found_and_their_intervals_cover_them():
    rng = np.random.default_rng(0)
    sizes = {name: rng.uniform(0, 3, 200) for name in SIZES}
    fitted = powers(sizes, np.exp(2 * sizes["n"] - sizes["L"] + 0.1 * rng.standard_normal(200)))
    for name, right in {"n": 2, "L": -1, "m": 0}.items():
        assert abs(fitted[f"power of {name}"] - right) < 2 * fitted[f"give or take {name}"] < 0.1
    assert powers(sizes, sizes["n"] - 1) == {}


def test_no_failure_leaves_an_interval_of_delta():
    (row,) = failures("recognise.theorem-3-1", 1024.0, 1.0, chosen=False, many=6)
    assert (row["failed"], row["of"], row["low"]) == (0, 6, 0)
    assert row["high"] == pytest.approx(1 - 0.025 ** (1 / 6))
