"""Algorithm 1 on the reduction: its stages against the full model."""

import math

import pytest
import torch

from lib import noise
from lib.program import defaults, run
from lib.recall import model, task
from lib.recall.algorithm import two_stage_descent
from lib.recall.reduction import affine_reduced, answer_probability, reduce

ALGORITHM = two_stage_descent(affine_reduced(3))
RATE = defaults(ALGORITHM)["rate_1"]
"""The learning rate of either stage, in units of T²."""


def at(**changes):
    return run(ALGORITHM, **changes)


def tensor(value):
    return torch.tensor(value, dtype=torch.float64)


def test_stage_one_keeps_the_examples_equal():
    history = at(steps=400).histories[0].rows.attention
    assert torch.equal(history[:, 0], history[:, 2])
    assert torch.equal(history[:, 1], history[:, 3])


def test_without_a_perturbation_stage_2_stays_where_it_is():
    report = at(perturbation_radius=0).report
    assert float(report.lesser) == 0.25
    assert float(report.escape) == math.inf
    assert float(report.steps) < defaults(ALGORITHM)["steps"]


def test_the_first_stage_follows_the_full_model():
    """Ten steps of stage 1 against gradient descent through the transformer with its MLP of width 27."""
    knowledge = task.affine_family(3)
    prompts = task.all_prompts(knowledge)
    transformer = model.build(knowledge)
    t, steps = 0.05, 10
    outcome = at(temperature=t, steps=steps, to_limit=0, perturbation_radius=0)
    result = model.fine_tune(
        transformer, knowledge, prompts, temperature=t, learning_rate=RATE * t**2, steps=steps
    )
    full = torch.softmax(result.parameters[0], 0)
    reduced = outcome.histories[0].rows.attention[-1]
    assert torch.allclose(full, reduced, rtol=1e-12, atol=1e-15)


def test_the_second_stage_follows_the_full_model():
    """Ten perturbed steps of θ and ω against gradient descent through the transformer."""
    knowledge = task.affine_family(3)
    t, steps, radius = 0.05, 10, 0.3
    xi = noise.ball(tensor(0.0), 13, tensor(radius))

    def train(start: tuple[torch.Tensor, torch.Tensor] | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        eta = RATE * t**2
        transformer, prompts = model.build(knowledge), task.all_prompts(knowledge)
        return model.fine_tune(transformer, knowledge, prompts, t, eta, steps, start=start).parameters

    theta, omega = train()
    theta, omega = train((theta + xi[:6], omega + xi[6:]))
    outcome = at(temperature=t, steps=steps, to_limit=0, perturbation_radius=radius)
    assert torch.allclose(torch.softmax(theta, 0), outcome.report.attention, rtol=1e-12, atol=1e-15)
    assert float(outcome.report.answer) == pytest.approx(
        float(answer_probability(omega, affine_reduced(3), t)), rel=1e-12
    )


def test_a_data_set_that_tells_the_examples_apart_is_refused():
    generator = torch.Generator().manual_seed(1)
    knowledge = task.random_bijections(5, 20, generator)
    few = task.sample_prompts(knowledge, 3, generator)
    with pytest.raises(ValueError, match="change places"):
        two_stage_descent(reduce(knowledge, few))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", 0.0),
        ("temperature", -1.0),
        ("perturbation_radius", -1e-3),
        ("rate_1", math.nan),
        ("rate_2", 0.0),
        ("seed", 0.5),
        ("steps", -1),
        ("to_limit", 2),
    ],
)
def test_a_bad_parameter_is_named_with_its_range(name, value):
    with pytest.raises(ValueError, match=f"{name} = .*: must be"):
        at(**{name: value})
