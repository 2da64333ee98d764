"""Both decoding steps of the faithful model, as Theorem 1 and Lemma 2 have them."""

from __future__ import annotations

import math
import random

import pytest
import torch

from book.recall.common import affine, scalar
from book.recall.decoding import statements
from book.recall.decoding.both_steps import both_steps, greedy_accuracy
from book.recall.decoding.figure import is_crowded
from book.recall.decoding.program import decode
from book.recall.decoding.statements import lemma_2
from lib import noise
from lib.program import defaults, run
from lib.recall import model, task
from lib.recall.decoding import printed_gradient
from lib.recall.general import large_rate
from lib.recall.reduction import answer_loss


def test_both_steps_are_those_of_the_full_model():
    end = both_steps(5, 0.005, 100.0, 200.0, 1.0)
    known = task.affine_family(5)
    prompts = task.all_prompts(known)
    transformer = model.build(known)
    block = model.position_block(end.theta, end.omega, transformer.embedding.shape[1])
    transformer = transformer._replace(W_KQ=block)
    first = model.relation_loss_full(transformer, known, prompts, 0.005)
    assert math.exp(-float(first)) == pytest.approx(end.relation, rel=1e-9)
    assert end.both > 0.99
    assert greedy_accuracy(end.theta, end.omega, 5) == 1.0


def test_greedy_decoding_fails_untrained():
    zero = torch.zeros(6, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
    assert greedy_accuracy(*zero, 5) < 0.9


DEFAULTS = defaults(decode())


@pytest.mark.parametrize("n", [3.0, 50.0, 1e6])
@pytest.mark.parametrize("temperature", [1e-3, 0.05, 0.8])
def test_one_large_step_is_the_printed_one_and_leads_by_the_printed_bound(n, temperature):
    report = run(decode(), **{"subjects": n, "temperature": temperature, "steps": 1}).report
    assert torch.allclose(report.attention_measured, report.attention_predicted, atol=1e-12)
    assert float(report.measured_gap) >= float(report.printed_gap) * (1 - 1e-12)
    if n == 3:
        assert float(report.measured_gap) == pytest.approx(float(report.printed_gap), rel=1e-9)


def test_the_program_takes_algorithm_1s_steps():
    n, t = scalar(DEFAULTS["subjects"]), scalar(DEFAULTS["temperature"])
    slope = torch.func.grad(answer_loss)
    omega = -large_rate(scalar(0.2), t) * printed_gradient(n, t)
    omega = omega + noise.ball(scalar(3.0), 13, t**3)[6:]
    for _ in range(10):
        omega = omega - 100 * t**2 * slope(omega, affine(DEFAULTS["subjects"]), t)
    outcome = run(decode(), **{"rate_1": 0.2, "seed": 3, "steps": 10})
    assert torch.allclose(outcome.histories[1].rows.attention[-1], torch.softmax(omega, 0), atol=1e-12)


@pytest.mark.parametrize("n", [3.0, 1000.0, 1e6])
def test_where_the_lights_are_on_the_lemma_holds(n):
    for part in (1.0, 0.3, 0.05):
        t = max(part / (40 * math.log(n)), 1e-4)
        needed = float(run(decode(), **{"subjects": n, "temperature": t, "steps": 1}).report.needed_rate)
        for times in (1.01, 3.0, 30.0):
            settings = {"subjects": n, "temperature": t, "rate_1": needed * times, "steps": 50}
            result = lemma_2.at(settings)
            assert statements.is_cold_enough(result.report, result.parameters)
            assert statements.is_large_enough(result.report, result.parameters)
            assert result.key == "holds"


def test_too_small_a_step_and_too_many_subjects_are_told_apart():
    for settings, crowded in (({"rate_1": 0.5}, False), ({"temperature": 0.3}, True)):
        outcome = run(decode(), **settings)
        assert bool(is_crowded(outcome.report, outcome.parameters)) is crowded
    assert lemma_2(temperature=0.3).key == "outside"


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
        run(decode(), **{name: value})
