"""The filter page: its program against a plain loop, what decides its two propositions, and the lemmas' measures."""

import math
from typing import Any

import pytest
import torch

from book.acquire import pretraining
from book.acquire.conditions import CONDITIONS
from book.acquire.filter import measurements
from book.acquire.filter.figure import CAPTION, figure
from book.acquire.filter.program import Filtering, filtering
from book.acquire.filter.scene import contributions, shown, spoken
from book.acquire.filter.single_rate import rates_of, scheduled, single_rate
from book.acquire.filter.statements import SMALL_STEPS, proposition_1, proposition_2, stopped
from lib.acquire import course, task
from lib.acquire.course import SIZES, SUBJECTS
from lib.acquire.tokens import acquire, moved
from lib.program import defaults, parameters, run
from tests.captions import said

SMALL: dict[str, Any] = {"subjects": 6, "phrases": 3, "neurons": 16, "steps_2": 2, "steps_3": 10}
SHORT: dict[str, Any] = {"steps_2": 5, "steps_3": 5}
USUAL = defaults(filtering())


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def test_a_course_is_gradient_descent_on_the_listed_sentences():
    values = {**USUAL, **SHORT}
    p = Filtering(*(scalar(values[name]) for name in Filtering._fields))
    begun = course.start(p)
    listed = task.sentences(begun.known)
    share = task.fact_weight(begun.known)
    state = begun.model
    rates = [float(p.rate_1 * course.first_rate(SIZES, p.dimension, p.kappa))] * 2 + [4.0 * SUBJECTS] * 10
    for rate in rates:
        state = moved(
            state, acquire(state, begun.known, listed, SIZES, p.dimension, share).down, rate, p.kappa
        )
    last = acquire(state, begun.known, listed, SIZES, p.dimension, share)
    excess = last.loss - task.entropy(begun.known)
    report = run(filtering(), **values).report
    assert float(report.excess) == pytest.approx(float(excess), abs=1e-9)
    assert float(report.context_3) == pytest.approx(
        float(torch.cat([last.attention_subject[:, 0], last.attention_phrase[:, 0]]).max()), rel=1e-8
    )


def test_the_ratio_after_stage_i_is_the_expected_one_in_the_mean():
    report = run(filtering(), **{**USUAL, **SHORT, "dimension": 2000.0}).report
    assert float(report.ratio_low_1) < float(report.expected) < float(report.ratio_high_1)


def test_the_propositions_hold_at_the_defaults_and_fail_where_they_should():
    outcome = run(filtering())
    for proposition in (proposition_1, proposition_2):
        assert bool(proposition.judge(outcome.report, outcome.parameters)["concluded"])
    slow = proposition_1(rate_1=0.5)
    assert slow.key == "outside"
    assert not slow.bounds[0].holds
    assert float(run(filtering(), dimension=109.0, **SHORT).report.ratio_low_1) < 0.8


def test_a_rate_that_silences_the_neurons_ends_the_run_and_is_said():
    outcome = run(filtering(), rate_2=60.0)
    assert float(outcome.report.dead) > course.LOST
    condition = CAPTION["stopped"]
    assert condition
    assert bool(condition(outcome.report, outcome.parameters))
    assert bool(stopped(outcome.report, outcome.parameters))
    assert outcome.histories[1].steps[-1] < USUAL["steps_2"]


def test_training_on_after_the_loss_is_near_optimal_does_not_count_against_proposition_1():
    """Attention drifts without end; the statement speaks of the time until stage III has done its work."""
    long = run(filtering(), kappa=0.0016, steps_2=100, steps_3=100)
    least = float(1 / (1 + long.report.ratio_high_3))
    assert least < 0.3 < float(long.report.least_share)
    assert float(long.report.excess) < course.NEAR


def test_where_nothing_was_trained_nothing_is_decided():
    outcome = run(filtering(), steps_2=0, steps_3=0)
    assert proposition_2(steps_2=0, steps_3=0).key == "undecided"
    assert "No step follows" in said(CAPTION, (proposition_1, proposition_2), outcome)


def test_a_loss_that_still_falls_is_undecided_and_one_that_rises_breaks_a_hypothesis():
    assert proposition_2(rate_3=0.25).key == "undecided"
    outcome = run(filtering(), rate_3=8.0)
    _, small_steps = SMALL_STEPS
    assert not bool(small_steps(outcome.report, outcome.parameters))


def test_the_figure_opens_where_the_harness_s_conditions_hold():
    """The hypotheses of figure and lemmas are one function: κ = 0.004 is too large for 48 facts and 8 phrases."""
    assert all(proposition_1().lights.values())
    outcome = run(filtering(), kappa=0.004, **SHORT)
    _, slow = CONDITIONS["slow"]
    assert not bool(slow(outcome.report, outcome.parameters))


def test_the_most_telling_controls_come_first():
    front = ["rate_1", "kappa", "dimension", "rate_2", "rate_3"]
    assert list(figure().controls) == [*front, "phrases", "multiplicity", "steps_2", "steps_3", "seed"]


def after_six_steps():
    """The parameters, and the learner after three steps of each of the first two stages."""
    program = filtering()
    p = parameters(program, {})
    learner = program.start(p)
    for stage in program.stages[:2]:
        learner = stage.enter(learner, p)
        for _ in range(3):
            learner, _ = stage.step(learner, p)
    return p, learner


def test_what_the_scene_s_tokens_add_are_the_model_s_logits():
    _, s = after_six_steps()
    a, z = s.model
    wanted = torch.zeros(3, dtype=torch.float64)
    for j, i, weight in zip(*(field.tolist() for field in s.data), strict=True):
        scores = torch.stack([z.context_phrase[i], z.subject_phrase[j, i], z.phrase_phrase[i]])
        mixture = torch.softmax(scores, 0) + torch.tensor([0.0, 0.0, 1.0])
        logits = torch.relu(torch.einsum("t,tvk->vk", mixture, a[[0, 1 + j, 1 + SUBJECTS + i]])).mean(1)
        wanted += weight * logits[[SIZES.follower, 1 + SUBJECTS + i, SIZES.answers + j]]
    torch.testing.assert_close(contributions(s)[0].sum(0), wanted)


def test_the_scene_draws_the_sentences_that_the_proposition_is_worst_for():
    for settings in ({}, {"rate_1": 0.7}):
        outcome = run(shown(), **settings, steps_2=2, steps_3=0)
        rows, report = outcome.histories[1].rows, outcome.report
        torch.testing.assert_close(rows.name_looks[0, 0], rows.on_context[0])  # before the phrase it is worst
        phrase_looks = rows.phrase_looks[:, 1:]
        torch.testing.assert_close(phrase_looks.amin(), report.least_share)


def test_what_the_scene_s_model_says_has_the_probability_that_it_has_for_the_model():
    p, learner = after_six_steps()
    after_name, after_phrase = spoken(learner)
    share = task.fact_weight(learner.known)
    model = acquire(learner.model, learner.known, learner.data, SIZES, p.dimension, share)
    torch.testing.assert_close(after_phrase[:, 1], model.answer_chance)
    phrases = model.phrase_chance * learner.known.uses / learner.known.multiplicity[:, None]
    torch.testing.assert_close(after_name[:, 1], phrases.sum(1))


@pytest.mark.parametrize("first", [0.8, 1.2])
@pytest.mark.parametrize(("phrases", "stretch"), [(2, 2), (6, 2), (6, 10)])
def test_what_stage_one_does_to_the_ratio_is_predicted(first, phrases, stretch):
    run = pretraining.pretrained(
        12, phrases, 2, 64, stretch=stretch, unused=60, first=first, steps_2=0, steps_3=0
    )
    predicted = measurements.expected_log_ratio(run)
    assert math.log(run.at(2).ratio[1]) == pytest.approx(predicted, rel=0.2)


def test_hitting_interpolates_and_may_never_happen():
    run = pretraining.pretrained(**SMALL)
    before, last = run.moments[-2:]
    middle = math.sqrt(before.excess * last.excess)
    assert measurements.hitting_step(run, middle) == pytest.approx((before.step + last.step) / 2)
    assert measurements.hitting_step(run, last.excess / 2) == math.inf


@pytest.mark.parametrize(("seed", "rare"), [(0, False), (11, True)])
def test_a_phrase_used_once_needs_a_larger_vocabulary(seed, rare):
    """The first step silences its neurons just where V is below 17/(3W), though above 17/2 N."""
    case = {**pretraining.GOOD, "seed": seed, "steps_2": 1, "steps_3": 0}
    run = pretraining.pretrained(**case)
    assert run.sizes.outputs >= 17 / 2 * run.sizes.subjects
    assert (run.sizes.outputs < measurements.needed_outputs(run)) is rare
    assert (min(run.at(1).active) < 0.4) is rare


def test_single_rates_go_from_below_the_first_to_above_the_last():
    first, last = rates_of(1000.0, 0.004)
    assert single_rate(0.0).rate == pytest.approx(first / 4)
    assert single_rate(1.0).rate == pytest.approx(2 * last)
    assert scheduled().rate == pytest.approx(last)


def test_a_small_single_rate_leaves_the_context_and_a_large_one_silences_neurons():
    assert single_rate(0.0).context > 1e-3 > scheduled().context
    assert single_rate(1.0).silent > 0 == scheduled().silent
