"""Balancing: ratios and their limits for any shares, the root that attracts, and what is largest in Phase 2."""

import pytest
import torch

from book.recognise.balancing.figure import CAPTION, turns
from book.recognise.balancing.program import MOST, balancing, drawable, ratios
from book.recognise.balancing.statements import lemma_4_4, lemma_4_5, lemma_f_10, theorem_f_8
from lib.program import reports, run, run_many, with_outputs
from tests.captions import said

WIDE = {"width": 1e30, "random": 0}


def report(**over):
    return run(balancing(), **{**WIDE, **over}).report


def test_the_ratios_of_four_sums():
    result = ratios(torch.tensor([7.0, 5, 5, 0], dtype=torch.float64))
    torch.testing.assert_close(result, torch.tensor([0, 17 / 3, 17 / 2, 17 / 2], dtype=torch.float64))


def test_a_gap_that_is_closed_has_an_infinite_ratio_and_one_nearly_so_is_not_drawn():
    closed = ratios(torch.tensor([5.0, 5, 4, 0], dtype=torch.float64))
    assert closed.isinf().tolist() == [False, False, True, False]
    nearly = drawable(ratios(torch.tensor([5 + 1 / MOST, 5, 4, 0], dtype=torch.float64)))
    assert nearly.isnan().tolist() == [False, False, True, False]


@pytest.mark.parametrize(("samples", "length"), [(120, 6), (600, 20), (6e6, 6)])
def test_the_limits_in_closed_form(samples, length):
    p, limits = samples / 6, report(samples=samples, length=length, single=2 / 3, end=1.0).limits
    top = 51 * p + 5 * length - 12
    assert float(limits[1]) == pytest.approx(top / (9 * p - length), rel=1e-6)
    assert float(limits[2]) == pytest.approx(top / (6 * p + 2 * length - 3), rel=1e-6)


SHARES: tuple[dict[str, float], ...] = (
    {},
    {"positive": 0.1},
    {"first": 0.8},
    {"single": 0.3, "first": 0.4, "positive": 0.7},
)


def test_whatever_the_shares_the_sums_tend_to_the_separator_s():
    result = run_many(balancing(), [{**WIDE, "samples": 1200, **shares, "end": 8.0} for shares in SHARES])
    torch.testing.assert_close(result.pulls, result.goal, rtol=0, atol=3e-3)
    torch.testing.assert_close(result.rate, result.square, rtol=2e-3, atol=0)


@pytest.fixture(scope="module")
def ended():
    """Runs of many samples, by where they end."""
    ends = (2.0, 3.0, 4.0, 6.0)
    many = [{**WIDE, "samples": 6e6, "end": end} for end in ends]
    return dict(zip(ends, reports(balancing(), many), strict=True))


@pytest.mark.parametrize("end", [2.0, 3.0, 4.0, 6.0])
def test_the_quadratic_of_lemma_f_6_has_quotient_minus_two(ended, end):
    """With h = Σ g' by type: c/a = −2, and R follows the positive root, which lies in (1, 2)."""
    result = ended[end]
    h = -result.pulls * torch.sigmoid(result.margins)
    a, b, c = h[0] + h[1], h[2] + h[3] - h[0], -h[1] - h[2] - 2 * h[0]
    root = -b / (2 * a) + torch.sqrt((b / a) ** 2 / 4 - c / a)
    ratio = (result.pulls[1:].sum() - result.pulls[0]) / (result.pulls[0] - result.pulls[1])
    assert float(c / a) == pytest.approx(-2, abs=1e-6)
    assert 1 < float(root) < 2
    assert float(ratio) == pytest.approx(float(root), abs=5e-3)


def test_the_largest_ratios_are_those_of_the_whole_of_phase_2():
    """Not only of the end: at any earlier end they are at most as large, and there at least as at that end."""
    earlier, later = report(first=0.7, end=2.0), report(first=0.7, end=4.0)
    assert float(earlier.apart) <= float(earlier.worst_pair) <= float(later.worst_pair)
    assert float(later.apart) < float(later.worst_pair)


def test_at_infinite_width_the_constant_of_theorem_f_8_is_the_squared_margin():
    result = report(end=5.0)
    assert float(result.slowest * result.square) == pytest.approx(1, abs=0.15)  # early in Phase 2
    assert float(result.fastest * result.square) == pytest.approx(1, abs=0.02)


def test_a_share_of_a_fiftieth_breaks_a_hypothesis_whatever_comes_out():
    """The figure once said "confirmed" there beside a violated light."""
    for statement in (lemma_4_4, lemma_4_5):
        result = statement(positive=0.02)
        assert not result.assumed
        assert result.key in ("beyond", "outside")


def test_lemma_4_5_is_not_said_to_hold_where_lemma_4_3_does_not():
    """Twelve samples of sixty words: all gaps are there, but the inequality is not."""
    result = lemma_4_5(samples=12, length=60, width=4096)
    assert all(float(bound.measured) < 30 for bound in result.bounds[:3])
    assert not result.bounds[3].holds


def test_what_a_run_has_not_come_to_is_not_judged():
    for statement in (lemma_4_4, lemma_4_5, theorem_f_8, lemma_f_10):
        assert statement(end=1.0).key == "undecided"


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"positive = 1\.0: must be"):
        report(positive=1.0)


def test_the_caption_speaks_of_shares_that_have_come_to_their_limit():
    outcome = run(with_outputs(balancing(), turns))
    text = said(CAPTION, (lemma_4_4, lemma_4_5), outcome)
    assert "as predicted, Bob alone keeps 29 % of the error, both words 42 %" in text
    assert float((outcome.report.pulls - outcome.report.goal).abs().amax()) < 0.005


def test_sentences_with_both_words_let_go_only_of_errors_that_they_had():
    few, half = (run(with_outputs(balancing(), turns), positive=share, end=1.7) for share in (0.1, 0.5))
    assert not bool((few.histories[0].rows.both_let_go > 0).any())
    assert float(few.histories[0].rows.shares[0, 0]) < 0.2
    passed = half.histories[0].rows.both_let_go.flatten() > 0
    assert not bool(passed[0])
    assert bool(passed.any())
