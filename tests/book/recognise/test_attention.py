"""What attention learns and what it is worth, where it can be told and where it cannot."""

from __future__ import annotations

import math

import pytest
import torch

from book.recognise.attention import proofs
from book.recognise.attention.program import attention_carries
from book.recognise.attention.scene import with_scene
from book.recognise.attention.score_coefficients import coefficients
from book.recognise.attention.statements import (
    attention_new_words,
    attention_share,
    lemma_4_7,
    theorem_3_3_attention,
)
from lib.program import run


def test_the_growth_of_a_random_score_cannot_be_read_at_infinite_width():
    result = theorem_3_3_attention(width=1e30)
    assert result.key == "undecided"
    assert math.isnan(float(result.report.least))
    assert theorem_3_3_attention(width=1e30, random=0).key == "holds"
    assert attention_share(width=1e30).key == "holds"
    assert abs(float(result.report.share)) < 1e-9
    assert not attention_carries(result.report, result.parameters)


def test_too_early_is_not_the_time_that_theorem_3_3_promises():
    result = theorem_3_3_attention(end=0.0)
    assert "not with this choice: attention between the three words has moved less" in result.sentence


def test_entries_of_irrelevant_words_may_be_of_the_second_order():
    """With n far above m² they are more than twenty times C₁₂/n, as the second term of the printed bound allows."""
    result = theorem_3_3_attention(samples=1e6)
    n_times = next(bound for bound in result.bounds if "irrelevant" in bound.name)
    assert n_times.measured > 20
    assert result.key == "holds"


def test_random_attention_at_the_start_is_no_share_learned():
    """At |a| = 1 and σ₀ tenfold κ/(mLN₀) is tiny, and yet a part of the margin comes from attention as it started."""
    result = attention_share(layer=1.0, sigma_0=10.0)
    assert result.lights["κ/(mLN₀) below 0.001"] == 1
    assert result.key == "outside"


@pytest.mark.parametrize(("width", "most"), [(256.0, 0.1), (4096.0, 1e-3)])
def test_what_is_proved_of_attention_says_something_at_the_papers_scale(width, most):
    """And it falls like 1/m² from the mean start."""
    r = attention_share(layer=1.0, sigma_0=1.0, width=width, random=0).report
    assert 0 < r.part <= r.allowed < most


@pytest.mark.parametrize("random", [0, 1])
def test_what_is_proved_of_attention_holds_where_it_is_strong(random):
    r = attention_share(layer=0.02, sigma_0=10.0, width=32.0, random=random).report
    assert r.part <= r.allowed


@pytest.mark.parametrize(("samples", "decides"), [(18, True), (120, False)])
def test_attention_decides_on_new_words_where_samples_are_few(samples, decides):
    r = attention_new_words(samples=samples).report
    assert (r.unseen_frozen < 0 < r.unseen_learned) == decides


def test_while_samples_are_wrong_there_is_no_margin_to_share():
    assert attention_share(layer=1.0, sigma_0=1.0, end=0.0).key == "undecided"


def test_the_rates_of_lemma_4_7():
    assert lemma_4_7(seed=1).key == "holds"


def test_many_long_samples_have_the_limits_in_whole_numbers():
    result = coefficients(1e8, 1000)
    assert result == pytest.approx({"C₁₂": 14, "C₃₁": -6, "C₁₁": 4, "C₃₃": 9}, rel=0.01)


def test_the_algebra():
    assert proofs.limits_by_sympy()
    assert proofs.logarithms_by_sympy()


@pytest.mark.parametrize("width", [32.0, 256.0])
def test_the_shares_of_the_arcs_add_up_and_are_those_of_the_heat_map(width):
    outcome = run(with_scene(), width=width, end=2.0)
    learned, frozen = (history.rows for history in outcome.histories)
    rest = torch.tensor([1.0, float(learned.others[0]), 1.0, 1.0], dtype=torch.float64)
    heat = outcome.report.attention.reshape(4, 4)[[0, 3, 2, 1]] / 6
    for query, rows in enumerate((learned.from_first, learned.from_second)):
        torch.testing.assert_close(rows @ rest, torch.ones(len(rows), dtype=torch.float64))
        torch.testing.assert_close(rows[-1], heat[:, query])
    torch.testing.assert_close(frozen.from_first, learned.from_first[-1:].expand_as(frozen.from_first))
    torch.testing.assert_close(
        torch.cat([learned.margin, frozen.margin]), torch.cat([learned.learned, frozen.frozen])
    )
