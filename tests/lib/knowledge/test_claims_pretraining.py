"""What the claims about pre-training measure with: counts, exact chances, moments of a run."""

import itertools
import math
from fractions import Fraction

import pytest
import torch

from lib.knowledge.claims import common, data, stages, start
from lib.knowledge.data import fact_weight
from lib.knowledge.dynamics.tokens import acquire

SMALL = {"subjects": 6, "phrases": 3, "neurons": 16, "steps_2": 2, "steps_3": 10}


def test_entropy_of_one_prompt_with_two_ends_is_that_of_a_coin():
    samples = [("x", "heads", 0.25), ("x", "tails", 0.25), ("y", "sure", 0.3), ("y", "sure", 0.2)]
    assert data.conditional_entropy(samples) == pytest.approx(math.log(2) / 2)


def test_binomial_chances_agree_with_all_outcomes():
    chance = Fraction(1, 3)
    for count in range(5):
        total = sum(
            chance ** sum(hits) * (1 - chance) ** (4 - sum(hits))
            for hits in itertools.product((0, 1), repeat=4)
            if sum(hits) <= count
        )
        assert data.at_most(4, chance, count) == total


def test_a_coin_thrown_five_times_shows_both_sides_with_chance_nine_tenths():
    assert data.covering_trials(1, 2, 0.1) == 5  # 2 · 2⁻⁵ = 0.0625, 2 · 2⁻⁴ = 0.125


def test_fewer_trials_are_needed_than_asked_and_one_less_is_too_few():
    needed = data.least_trials(2, 6, 0.1)
    assert needed < data.asked_trials(2, 6, 0.1)
    assert 6 * data.below_half(needed, 2, 6) <= Fraction(1, 10) < 6 * data.below_half(needed - 1, 2, 6)


def test_unused_outputs_come_after_the_answers_and_d_stays_last():
    sizes = common.sizes_of(4, 3, 2, unused=10)
    assert (sizes.outputs, sizes.answers, sizes.follower) == (24, 9, 23)


def test_moments_agree_with_the_losses():
    run = common.pretrained(**SMALL)
    for moment in run.moments:
        assert moment.answer[0] <= math.exp(-moment.losses[2]) <= moment.answer[1]
    begin, end = run.moments[0], run.moments[-1]
    assert begin.own == begin.others == 0
    assert end.excess < begin.excess
    assert end.step == run.ends[2] == 14


def test_active_shares_are_those_of_the_simulator():
    run = common.pretrained(**{**SMALL, "neurons": 1})
    dead = run.moments[0].active[2] == 0
    got = acquire(run.begun, run.known, run.data, run.sizes, run.dimension, fact_weight(run.known))
    assert dead == bool(got.dead.any())


def test_a_moment_that_was_not_measured_is_refused():
    with pytest.raises(ValueError, match="step = 11: must be one of 0, 1"):
        common.pretrained(**SMALL).at(11)


def test_outputs_that_follow_a_token():
    run = common.pretrained(**SMALL)
    follows = common._follows(run.data, run.sizes)
    j, i = int(run.data.subject[0]), int(run.data.phrase[0])
    answer = run.sizes.answers + j
    assert follows[[0, 1 + j, 7 + i], [run.sizes.follower, 7 + i, answer]].all()
    assert not follows[1 + j, [answer + 1, run.sizes.follower]].any()
    assert not follows[:, 1:7].any()  # no subject is ever predicted


@pytest.mark.parametrize("first", [0.8, 1.2])
@pytest.mark.parametrize(("phrases", "stretch"), [(2, 2), (6, 2), (6, 10)])
def test_what_stage_one_does_to_the_ratio_is_predicted(first, phrases, stretch):
    run = common.pretrained(12, phrases, 2, 64, stretch=stretch, unused=60, first=first, steps_2=0, steps_3=0)
    predicted = stages.filtered_ratio(run, first)
    assert math.log(run.at(2).ratio[1]) == pytest.approx(predicted, rel=0.2)


def test_hitting_interpolates_and_may_never_happen():
    run = common.pretrained(**SMALL)
    one, two = run.moments[-2:]
    middle = math.sqrt(one.excess * two.excess)
    assert stages.hitting(run, middle) == pytest.approx((one.step + two.step) / 2)
    assert stages.hitting(run, two.excess / 2) == math.inf


def test_gradients_of_lemma_one_vanish_where_the_target_is_certain():
    words, weights = start._embedded(False, 0)
    layer = weights.first_layer.detach().clone()
    layer[3] = 1e3 * words.rows[1] / words.rows[1].norm()
    weights = weights._replace(first_layer=layer)
    scores, first = start.vector_gradients(weights, words.rows[1:2], 3)
    assert float(torch.maximum(scores.abs().max(), first.abs().max())) < 1e-12


def test_half_of_an_odd_number_of_neurons():
    assert start.short_of(5) == pytest.approx(6 / 32)  # none or one of five, 0.4 · 5 = 2
