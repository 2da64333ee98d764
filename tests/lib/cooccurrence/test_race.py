"""The race against a slow integration of four margins, its cone for any shares, and both sides of its border."""

import math

import pytest
import torch

from lib.cooccurrence.claims.race import WIDE, forever, races
from lib.cooccurrence.data import HOLDS, SIGNS
from lib.cooccurrence.dynamics import whole
from lib.cooccurrence.dynamics.limit import max_margin
from lib.cooccurrence.dynamics.race import DEFAULTS, race
from lib.solve import run


def slow(samples, length, end, step=0.004):
    """−G'(μ₃)/G'(μ₁) at τ = ``end`` ≥ 1, of logistic regression on word counts, by Runge and Kutta in log τ."""
    counts = samples * torch.tensor([3, 1, 1, 1], dtype=torch.float64) / 6
    matrix = (HOLDS @ HOLDS.T) * torch.outer(SIGNS, SIGNS) * counts + torch.diag(length - HOLDS.sum(1))

    def rise(margins):
        return matrix @ torch.sigmoid(-margins) / samples

    def advance(slope, at, margins, h):
        a = slope(at, margins)
        b = slope(at + h / 2, margins + h / 2 * a)
        c = slope(at + h / 2, margins + h / 2 * b)
        return margins + h / 6 * (a + 2 * b + 2 * c + slope(at + h, margins + h * c))

    margins = torch.zeros(4, dtype=torch.float64)
    for _ in range(200):
        margins = advance(lambda _, z: rise(z), 0.0, margins, 1 / 200)
    many = math.ceil(math.log(end) / step)
    for k in range(many):
        h = math.log(end) / many
        margins = advance(lambda at, z: math.exp(at) * rise(z), k * h, margins, h)
    pulls = counts * torch.sigmoid(-margins)
    return float((pulls[1:].sum() - pulls[0]) / (pulls[0] - pulls[1]))


@pytest.mark.parametrize(("samples", "length"), [(120, 6), (24, 6), (30, 10), (600, 40)])
def test_infinite_width_is_logistic_regression_on_word_counts(samples, length, monkeypatch):
    """To seven digits with a tight tolerance; with the page's own, 1e-6 a step, to three and a half."""
    wanted = slow(samples, length, 1e3)
    loose = races(**WIDE, samples=samples, length=length, end=3.0)
    assert float(loose.slopes[0]) == pytest.approx(wanted, abs=3e-4)
    monkeypatch.setattr(whole, "TOLERANCE", 1e-10)
    tight = races(**WIDE, samples=samples, length=length, end=3.0, evaluations=20_000)
    assert float(tight.slopes[0]) == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize(("length", "below", "above"), [(6, 18, 24), (10, 30, 36), (20, 60, 66)])
def test_the_cone_lasts_on_one_side_of_the_border(length, below, above):
    assert forever(samples=above, length=length).conclusion
    assert not forever(samples=below, length=length).conclusion


@pytest.mark.parametrize(("samples", "length", "sign"), [(18, 5, 1), (24, 7, 1), (36, 11, -1)])
def test_on_the_border_the_ratio_tends_to_one_from_either_side(samples, length, sign):
    assert samples == 3 * (length + 1)
    excess = slow(samples, length, 1e6) - 1
    assert 0 < sign * excess < 1e-4


def test_the_cone_for_any_shares_with_as_many_of_either_target():
    """With ν = n over irrelevant words in one sample: inside where ν₂(ν₁ + ν₄ + 3) + ν₄ > 2ν₁; 0 for ν₄ if inactive."""
    generator = torch.Generator().manual_seed(0)
    for _ in range(300):
        both, single, neither = (10 ** (4 * torch.rand(3, generator=generator).double() - 0.5)).tolist()
        length = int(torch.randint(4, 80, (), generator=generator))
        counts = torch.tensor([both, single, single, neither], dtype=torch.float64)
        goal = max_margin(counts, torch.tensor(float(length), dtype=torch.float64))
        one, two, four = both / (length - 3), single / (length - 2), neither / (length - 1)
        inactive = 2 * one * two >= 4 * one + two + 1
        assert (goal.multipliers > 1e-9).tolist() == [True, True, True, not inactive]
        four = 0.0 if inactive else four
        first, second, common = goal.signals.tolist()
        assert (-common > first) == (two * (one + four + 3) + four > 2 * one)
        sum_is_positive = one * two + 2 * one * four - two * four + 3 * one - 4 * two - four > 0
        assert (first + second > -common) == sum_is_positive


@pytest.mark.parametrize(
    ("values", "text"),
    [({"samples": 3}, "samples = 3: must be"), ({"length": 3}, "length = 3: must be")],
)
def test_bad_input_is_named(values, text):
    with pytest.raises(ValueError, match=text):
        run(race(), **{**DEFAULTS, **values})
