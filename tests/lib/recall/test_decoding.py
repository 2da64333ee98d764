"""The second decoding step: its closed forms against the full model and the reduction, its run, its claims."""

from __future__ import annotations

import math
import random

import pytest
import torch

from lib import noise
from lib.recall import model, task
from lib.recall.claims import decoding as statements
from lib.recall.dynamics import affine_reduced, answer_loss
from lib.recall.dynamics.decoding import (
    DEFAULTS,
    SHARP,
    answer_error,
    answer_gaps,
    decode,
    decoding_loss,
    large_step,
    printed_gradient,
    wanted_lead,
)
from lib.solve import run


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


def scores(count: int) -> torch.Tensor:
    return 2 * torch.randn(count, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("n", [3.0, 11.0, 1e6])
@pytest.mark.parametrize("temperature", [0.03, 0.3])
def test_the_loss_is_the_reductions(n, temperature):
    reduced, t = affine_reduced(3)._replace(subjects=number(n)), number(temperature)
    for omega in scores(6):
        expected = answer_loss(omega, reduced, t)
        assert float(decoding_loss(omega, number(n), t)) == pytest.approx(
            float(expected), rel=1e-12, abs=1e-13
        )
        mine = torch.func.grad(decoding_loss)(omega, number(n), t)
        assert torch.allclose(mine, torch.func.grad(answer_loss)(omega, reduced, t), rtol=1e-9, atol=1e-11)


def test_the_loss_and_its_gradient_are_the_full_models():
    known = task.affine_family(5)
    prompts = task.sample_prompts(known, 6, torch.Generator().manual_seed(0))
    transformer = model.build(known, generator=torch.Generator().manual_seed(1))
    for omega in scores(3):
        leaf = omega.clone().requires_grad_()
        block = model.position_block(torch.zeros(6).double(), leaf, transformer.embedding.shape[1])
        loss = model.answer_loss_full(transformer._replace(W_KQ=block), known, prompts, 0.2)
        (gradient,) = torch.autograd.grad(loss, leaf)
        assert float(decoding_loss(omega, number(5.0), number(0.2))) == pytest.approx(
            float(loss.detach()), rel=1e-11
        )
        mine = torch.func.grad(decoding_loss)(omega, number(5.0), number(0.2))
        assert torch.allclose(mine, gradient, rtol=1e-9, atol=1e-11)


def test_a_tiny_error_is_accurate_to_its_own_size():
    omega = torch.zeros(7, dtype=torch.float64)
    omega[4] = 3.0
    n, t = number(1000.0), number(0.01)
    gaps = answer_gaps(torch.softmax(omega, 0)) / t
    expected = 2 * torch.exp(gaps[0]) + 997 * torch.exp(gaps[2])
    assert 0 < float(expected) < 1e-20
    assert float(answer_error(omega, n, t)) == pytest.approx(float(expected), rel=1e-12)


def test_untrained_the_three_shown_answers_tie_and_the_others_are_16_49ths_behind():
    gaps = answer_gaps(torch.full((7,), 1 / 7, dtype=torch.float64))
    assert gaps.tolist() == pytest.approx([0, 0, -SHARP], abs=1e-15)


@pytest.mark.parametrize("n", [3.0, 50.0, 1e6])
@pytest.mark.parametrize("temperature", [1e-3, 0.05, 0.8])
def test_one_large_step_is_the_printed_one_and_leads_by_the_printed_bound(n, temperature):
    report = run(decode(), **{**DEFAULTS, "subjects": n, "temperature": temperature, "steps": 1}).report
    assert torch.allclose(report.attention_measured, report.attention_predicted, atol=1e-12)
    assert float(report.measured_gap) >= float(report.printed_gap) * (1 - 1e-12)
    if n == 3:
        assert float(report.measured_gap) == pytest.approx(float(report.printed_gap), rel=1e-9)


def test_the_program_takes_algorithm_1s_steps():
    n, t = number(DEFAULTS["subjects"]), number(DEFAULTS["temperature"])
    reduced = affine_reduced(3)._replace(subjects=n)
    slope = torch.func.grad(answer_loss)
    omega = -large_step(number(0.2), t) * printed_gradient(n, t)
    omega = omega + noise.ball(number(3.0), 13, t**3)[6:]
    for _ in range(10):
        omega = omega - 100 * t**2 * slope(omega, reduced, t)
    outcome = run(decode(), **{**DEFAULTS, "rate_1": 0.2, "seed": 3, "steps": 10})
    assert torch.allclose(outcome.histories[1].rows.attention[-1], torch.softmax(omega, 0), atol=1e-12)


@pytest.mark.parametrize("n", [3.0, 1000.0, 1e6])
def test_where_the_lights_are_on_the_lemma_holds(n):
    for part in (1.0, 0.3, 0.05):
        t = max(part / (40 * math.log(n)), 1e-4)
        needed = float(
            run(decode(), **{**DEFAULTS, "subjects": n, "temperature": t, "steps": 1}).report.needed_rate
        )
        for times in (1.01, 3.0, 30.0):
            settings = {**DEFAULTS, "subjects": n, "temperature": t, "rate_1": needed * times, "steps": 50}
            report = run(decode(), **settings).report
            assert bool(report.cold)
            assert bool(report.large)
            assert float(report.verdict) == 0


def test_a_lead_that_suffices_may_not_exist():
    assert math.isinf(float(wanted_lead(number(0.5))))
    assert 0 < float(wanted_lead(number(0.001))) < 1


def test_too_small_a_step_and_too_many_subjects_are_told_apart():
    assert float(run(decode(), **{**DEFAULTS, "rate_1": 0.5}).report.story) == 1
    hot = run(decode(), **{**DEFAULTS, "temperature": 0.3}).report
    assert float(hot.story) == 2
    assert float(hot.verdict) == 2


def test_nothing_is_nan():
    chance = random.Random(2)
    for _ in range(12):
        outcome = run(
            decode(),
            subjects=10 ** chance.uniform(math.log10(3), 6),
            temperature=10 ** chance.uniform(-4, -0.05),
            rate_1=10 ** chance.uniform(-1, 3),
            rate_2=10 ** chance.uniform(0, 3),
            seed=chance.randrange(100),
            steps=chance.randrange(1, 30),
        )
        for name, value in outcome.report._asdict().items():
            assert not torch.isnan(value).any(), name
        assert not any(torch.isnan(x).any() for history in outcome.histories for x in history.rows)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("subjects", 2.0),
        ("subjects", 2e6),
        ("temperature", 1.0),
        ("rate_1", 0.0),
        ("seed", 0.5),
        ("steps", 0),
    ],
)
def test_bad_input_is_named(name, value):
    with pytest.raises(ValueError, match=f"{name} = .*: must be"):
        run(decode(), **{**DEFAULTS, name: value})


def test_both_steps_are_those_of_the_full_model():
    end = statements.both_steps(5, 0.005, 100.0, 200.0, 1.0)
    known = task.affine_family(5)
    prompts = task.all_prompts(known)
    transformer = model.build(known)
    block = model.position_block(end["theta"], end["omega"], transformer.embedding.shape[1])
    transformer = transformer._replace(W_KQ=block)
    first = model.relation_loss_full(transformer, known, prompts, 0.005)
    assert math.exp(-float(first)) == pytest.approx(end["relation"], rel=1e-9)
    assert end["both"] > 0.99
    assert statements.greedy_accuracy(end["theta"], end["omega"], 5) == 1.0


def test_greedy_decoding_fails_untrained():
    zero = torch.zeros(6, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
    assert statements.greedy_accuracy(*zero, 5) < 0.9
