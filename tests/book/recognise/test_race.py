"""The race against a slow integration of four margins, both sides of its border, and what its statements decide."""

import math

import pytest
import torch

from book.recognise.race.figure import LENGTHS, turns
from book.recognise.race.program import race, separator
from book.recognise.race.statements import WIDE, forever, lemma_4_3
from lib.program import run, with_outputs
from lib.recognise import gradient_flow
from lib.recognise.task import HOLDS, SIGNS


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
    settings = {**WIDE, "samples": samples, "length": length, "end": 3.0}
    assert float(run(race(), **settings).report.slopes) == pytest.approx(wanted, abs=3e-4)
    monkeypatch.setattr(gradient_flow, "TOLERANCE", 1e-10)
    tight = run(race(), **settings, evaluations=20_000).report
    assert float(tight.slopes) == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize(("length", "below", "above"), [(6, 18, 24), (10, 30, 36), (20, 60, 66)])
def test_the_cone_lasts_on_one_side_of_the_border(length, below, above):
    assert forever(samples=above, length=length).concluded
    assert not forever(samples=below, length=length).concluded


@pytest.mark.parametrize(("samples", "length", "sign"), [(18, 5, 1), (24, 7, 1), (36, 11, -1)])
def test_on_the_border_the_ratio_tends_to_one_from_either_side(samples, length, sign):
    assert samples == 3 * (length + 1)
    excess = slow(samples, length, 1e6) - 1
    assert 0 < sign * excess < 1e-4


@pytest.mark.parametrize("length", LENGTHS[::6].tolist())
def test_the_border_is_where_the_separator_leaves_the_cone(length):
    """What the finding assumes, n > 3(L + 1), is what decides."""
    border = 3 * (length + 1)
    assert separator(border + 0.01, length)["ratio"] > 1 > separator(border - 0.01, length)["ratio"]


def test_the_right_inequality_is_measured_against_the_sum_of_both_targets():
    """At a random start they do not rise alike: twice the larger would be too generous."""
    r = run(race(), width=64, end=math.log10(30)).report
    assert float(r.right) < 1 - float(r.slopes) / 2


def test_a_run_that_ends_too_early_does_not_contradict_the_lemma():
    result = lemma_4_3(end=0.1)
    assert result.assumed
    assert not result.concluded
    assert "not with this choice: the run ends before" in result.sentence


def test_at_finite_width_uniform_attention_ends_at_the_separator():
    """By the theorem on homogeneous networks; from the mean start, and slowly."""
    ends = [
        run(race(), width=64.0, samples=60, random=0, learned=0, end=end, evaluations=20_000).report
        for end in (2.0, 6.0, 12.0)
    ]
    apart = [float((r.slopes - r.limit).abs()) for r in ends]
    assert apart[0] > 2 * apart[1] > 2.5 * apart[2]


def test_new_words_are_told_apart_inside_the_cone_only():
    """Just inside the inequality is true, and of no use."""
    goods = [forever(samples=n).good for n in (1000, 36, 30)]
    far, near, outside = (float(good.measured) for good in goods if good)
    assert far > 0.9 > near > 0.5 > outside


@pytest.mark.parametrize(
    ("values", "text"),
    [({"samples": 3}, "samples = 3: must be"), ({"length": 3}, "length = 3: must be")],
)
def test_bad_input_is_named(values, text):
    with pytest.raises(ValueError, match=text):
        run(race(), **values)


def test_with_few_long_sentences_the_common_word_is_always_too_slow():
    rows = run(with_outputs(race(), turns), samples=12, length=20).histories[0].rows
    assert not bool((rows.leads > 0).any())
    assert bool((run(with_outputs(race(), turns), end=2.0).histories[0].rows.leads > 0).any())
