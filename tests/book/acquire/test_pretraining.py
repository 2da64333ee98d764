"""The harness of pre-training: moments of a run."""

import math

import pytest

from book.acquire import pretraining
from lib.acquire.task import fact_weight
from lib.acquire.tokens import acquire

SMALL = {"subjects": 6, "phrases": 3, "neurons": 16, "steps_2": 2, "steps_3": 10}


def test_unused_outputs_come_after_the_answers_and_d_stays_last():
    sizes = pretraining.sizes_of(4, 3, 2, unused=10)
    assert (sizes.outputs, sizes.answers, sizes.follower) == (24, 9, 23)


def test_moments_agree_with_the_losses():
    run = pretraining.pretrained(**SMALL)
    for moment in run.moments:
        assert moment.answer[0] <= math.exp(-moment.losses[2]) <= moment.answer[1]
    begin, end = run.moments[0], run.moments[-1]
    assert begin.related_rise == begin.unrelated_rise == 0
    assert end.excess < begin.excess
    assert end.step == run.ends[2] == 14


def test_active_shares_are_those_of_the_simulator():
    run = pretraining.pretrained(**{**SMALL, "neurons": 1})
    dead = run.moments[0].active[2] == 0
    passed = acquire(run.begun, run.known, run.data, run.sizes, run.dimension, fact_weight(run.known))
    assert dead == bool(passed.dead.any())


def test_a_moment_that_was_not_measured_is_refused():
    with pytest.raises(ValueError, match="step = 11: must be one of 0, 1"):
        pretraining.pretrained(**SMALL).at(11)


def test_outputs_that_follow_a_token():
    run = pretraining.pretrained(**SMALL)
    follows = pretraining._follows(run.data, run.sizes)
    j, i = int(run.data.subject[0]), int(run.data.phrase[0])
    answer = run.sizes.answers + j
    assert follows[[0, 1 + j, 7 + i], [run.sizes.follower, 7 + i, answer]].all()
    assert not follows[1 + j, [answer + 1, run.sizes.follower]].any()
    assert not follows[:, 1:7].any()  # no subject is ever predicted
