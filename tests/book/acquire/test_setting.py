"""What the statements on data and start measure with: counts, exact chances, gradients."""

import itertools
import math
from fractions import Fraction

import pytest
import torch

from book.acquire import condition_1, pretraining
from book.acquire.binomial import binomial_cdf
from book.acquire.conditions import CONDITIONS
from book.acquire.setting import counts, data, drawing, gradients
from book.ledger import registry


def test_entropy_of_one_prompt_with_two_ends_is_that_of_a_coin():
    samples = [("x", "heads", 0.25), ("x", "tails", 0.25), ("y", "sure", 0.3), ("y", "sure", 0.2)]
    assert counts.conditional_entropy(samples) == pytest.approx(math.log(2) / 2)


def test_binomial_chances_agree_with_all_outcomes():
    chance = Fraction(1, 3)
    for count in range(5):
        total = sum(
            chance ** sum(hits) * (1 - chance) ** (4 - sum(hits))
            for hits in itertools.product((0, 1), repeat=4)
            if sum(hits) <= count
        )
        assert binomial_cdf(4, chance, count) == total


def test_a_coin_thrown_five_times_shows_both_sides_with_chance_nine_tenths():
    assert counts.covering_trials(1, 2, 0.1) == 5  # 2 · 2⁻⁵ = 0.0625, 2 · 2⁻⁴ = 0.125


def test_fewer_trials_are_needed_than_asked_and_one_less_is_too_few():
    needed = counts.least_trials(2, 6, 0.1)
    assert needed < counts.asked_trials(2, 6, 0.1)
    assert (
        6 * counts.chance_below_half(needed, 2, 6)
        <= Fraction(1, 10)
        < 6 * counts.chance_below_half(needed - 1, 2, 6)
    )


def test_gradients_of_lemma_one_vanish_where_the_target_is_certain():
    words, weights = gradients.embedded(False, 0)
    layer = weights.first_layer.detach().clone()
    layer[3] = 1e3 * words.rows[1] / words.rows[1].norm()
    weights = weights._replace(first_layer=layer)
    scores, first = gradients.vector_gradients(weights, words.rows[1:2], 3)
    assert float(torch.maximum(scores.abs().max(), first.abs().max())) < 1e-12


def test_only_the_last_token_has_a_place():
    assert gradients.order("earlier").apart < 1e-12 < 0.1 < gradients.order("last").apart


def test_half_of_an_odd_number_of_neurons():
    assert pretraining.chance_of_few_active(5) == pytest.approx(6 / 32)  # none or one of five, 0.4 · 5 = 2


@pytest.mark.parametrize(("trials", "drawn", "universe"), [(3, 2, 4), (4, 1, 3)])
def test_the_chance_that_draws_cover_all_agrees_with_all_outcomes(trials, drawn, universe):
    sets = list(itertools.combinations(range(universe), drawn))
    all_draws = list(itertools.product(sets, repeat=trials))
    covering = sum(len(set().union(*draw)) == universe for draw in all_draws)
    assert counts.covered(trials, drawn, universe) == pytest.approx(covering / len(all_draws))


def test_the_live_pages_sizes_are_those_of_the_course():
    run = pretraining.pretrained(**condition_1.LIVE)
    assert run.dimension == pytest.approx(condition_1.USUAL["dimension"])
    assert run.first == pytest.approx(condition_1.USUAL["rate_1"])


CLAIMING = [
    statement
    for statement in registry.statements().values()
    if statement.id.startswith("acquire.") and "{by}`acquire.condition-1`" in statement.box.text
]


@pytest.mark.parametrize("statement", CLAIMING, ids=lambda statement: statement.id)
def test_who_claims_condition_1_assumes_what_it_asks_of_rates_and_dimension(statement):
    """What it asks of the start, of m and of N its sizes meet by themselves, or it is assumed, too."""
    assert statement.assumes.keys() >= CONDITIONS.keys()


def test_the_drawn_model_foresees_all_but_the_phrase_and_answers_a_question_with_one():
    context, subject, phrase, question = (read.likeliest(3) for read in drawing.reads())
    assert context[0][0] == drawing.AFTER_CONTEXT
    assert {word for word, _ in subject[:2]} == set(drawing.SAID[:2])
    assert all(chance == pytest.approx(0.5, abs=0.02) for _, chance in subject[:2])
    assert phrase[0][0] == question[2][0] == drawing.ANSWERS[0]
    assert phrase[0][1] > 0.85
    assert question[0][0] in drawing.SAID


def test_the_drawings_of_the_setting_show_every_sentence_and_every_token():
    facts, path = drawing.data().data, drawing.transformer().data
    assert facts.count("<circle") == int(drawing.model().known.uses.sum()) + 1, "one more in the key"
    assert all(f">{token}<" in path for token in drawing.reads()[2].prompt)


def test_an_even_draw_is_even_and_one_that_favours_a_cell_is_not():
    fair = data.evenness([k % 6 for k in range(600)], 6)
    assert fair.chi == 0
    loaded = data.evenness([min(k % 7, 5) for k in range(700)], 6)
    assert loaded.chi > loaded.high
    missing = data.evenness([k % 5 for k in range(600)], 6)
    assert missing.chi > missing.high


def test_phrases_drawn_with_replacement_are_seen():
    assert data.section_3(draws=20).repeats == 0
    assert data.section_3(draws=20, replacement=True).repeats > 0


def test_the_extraction_loss_counts_the_unseen_alone():
    both = [data.extraction_loss(seed=seed) for seed in range(5)]
    assert all(each.printed == pytest.approx(1 - each.accuracy) for each in both)
    assert len({each.printed for each in both}) > 1
    assert any(
        data.extraction_loss(unseen=False, seed=seed).printed != both[seed].printed for seed in range(5)
    )


@pytest.mark.parametrize(("name", "value"), [("subjects", 2), ("multiplicity", 4), ("multiplicity", 0)])
def test_data_that_could_be_drawn_in_one_way_only_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} = {value}"):
        data.section_3(**{name: value})
