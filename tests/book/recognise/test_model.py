"""The page of the model: its checks can fail, and a random start keeps bounds that may fail almost never."""

import pytest

from book.recognise.model.drawing import readings, transformer
from book.recognise.model.equation_1 import by_hand
from book.recognise.model.gradients import LINES, gradients
from book.recognise.model.inner_products import SYSTEM, is_the_derivative, slopes
from book.recognise.model.random_start import start
from book.recognise.model.statements import appendix_d
from book.recognise.real_model import real_model, sample_arrays, small_model


def test_the_outputs_need_a_linear_mlp():
    assert by_hand(3).output < 1e-12 < by_hand(3, relu=True).output


def test_exchanging_keys_and_queries_makes_every_matrix_wrong():
    wrong = gradients(2, turned=True)
    assert all(getattr(wrong, name) > 0.01 for name in LINES)


def test_twelve_lines_are_examined():
    assert sum(len(lines) for lines in LINES.values()) == 12


@pytest.mark.parametrize("name", SYSTEM)
def test_repeated_words_break_what_writes_one_place_for_a_word(name):
    needs_places = name in ("lemma_c_1", "lemma_c_3") or name.startswith("lemma_c_4")
    assert is_the_derivative(name)
    assert (getattr(slopes(1, distinct=False), name) > 0.01) is needs_places


def test_attention_of_the_appendices_is_over_keys():
    chosen = small_model(0)
    attention = sample_arrays(*chosen[:3]).attention
    assert float((attention.sum(2) - 1).abs().max()) < 1e-12


def test_a_start_has_the_variances_that_were_asked_for():
    chosen = real_model(0, 60, 5, 512, 128, 0.5, 2.0)
    assert chosen.variance_0 == pytest.approx(0.25 / (5 * 512))
    assert float(chosen.weights.value.var()) == pytest.approx(chosen.variance_0, rel=0.05)
    assert float(chosen.weights.neurons.var()) == pytest.approx(chosen.variance_1, rel=0.05)


def test_bounds_that_may_fail_once_in_a_million_do_not():
    assert all(appendix_d(seed=seed, delta=1e-6).concluded for seed in range(20))
    assert any(start(seed).d_5_printed > 1 for seed in range(10))


def test_the_drawn_sentences_add_up_to_their_answers():
    yes, *others = readings()
    assert yes.output > 0 > max(no.output for no in others)
    for read in readings():
        assert float(read.adds.sum()) == pytest.approx(read.output)
        assert float(read.votes.sum()) == pytest.approx(read.output)
        assert round(sum(round(adds, 2) for adds in read.adds.tolist()), 2) == round(read.output, 2)
        assert float((read.attention - 1 / len(read.words)).abs().max()) < 0.001
    assert all(f">{word}<" in transformer().data for read in readings() for word in read.words)
