"""Algorithm 1 on the reduction: the saddle, the escape, the end; and against the full model."""

import math

import pytest
import torch

from lib import noise
from lib.recall import model, task
from lib.recall.claims import DEFAULTS
from lib.recall.claims.escape import paper_curvature, right_curvature
from lib.recall.claims.landscape import threshold
from lib.recall.claims.saddle import lowest_of_random_starts
from lib.recall.dynamics import (
    SADDLE,
    VERDICTS,
    affine_reduced,
    answer_probability,
    escape_curvature,
    reduce,
    relation_loss,
    slice_loss,
    slice_minimum,
    slice_slope,
    two_stage_descent,
    warm_up,
)
from lib.solve import run


def at(**changes):
    return run(warm_up(), **{**DEFAULTS, **changes})


def tensor(value):
    return torch.tensor(value, dtype=torch.float64)


def test_the_defaults_end_at_the_pairwise_optimum():
    report = at().report
    assert float(report.verdict) == 0
    assert float(report.measured_a) == pytest.approx(float(report.predicted_a), abs=1e-6)
    assert float(report.measured_loss) == pytest.approx(float(report.predicted_loss), abs=1e-9)


def test_stage_one_keeps_the_examples_equal():
    history = at(steps=400).histories[0].rows.attention
    assert torch.equal(history[:, 0], history[:, 2])
    assert torch.equal(history[:, 1], history[:, 3])


def test_without_a_perturbation_the_run_stays_at_the_saddle():
    report = at(perturbation_radius=0).report
    assert float(report.measured_a) == 0.25
    assert float(report.measured_escape) == math.inf
    assert not report.perturbed
    assert float(report.verdict) == 2


def test_the_escape_comes_when_the_curvature_says():
    for radius in (1e-2, 1e-4, 1e-8):
        report = at(perturbation_radius=radius).report
        assert abs(float(report.measured_escape - report.predicted_escape)) < 1.5


def test_the_sign_of_the_overlap_decides_which_pair_wins():
    winners = set()
    for seed in range(8):
        outcome = at(seed=seed, steps=600)
        end = outcome.histories[1].rows.attention[-1]
        first_wins = float(outcome.report.overlap) > 0
        assert (float(end[0]) > float(end[2])) == first_wins
        winners.add(first_wins)
    assert winners == {True, False}


def test_too_large_a_rate_makes_the_loss_rise():
    report = at(rate_2=1000).report
    assert not report.small_steps
    assert float(report.verdict) == 2


def test_a_finite_first_stage_is_not_the_theorem():
    report = at(to_limit=0).report
    assert float(report.converged) == 0
    assert float(report.leak) > 1e-4


def test_too_few_steps_are_not_a_broken_hypothesis():
    report = at(steps=20).report
    assert float(report.converged) == 0.5
    assert VERDICTS[int(report.verdict)].startswith("unfinished")


def test_between_the_thresholds_the_theorem_holds_above_log_2():
    report = at(temperature=0.0875).report
    assert float(report.verdict) == 0
    assert float(report.measured_loss) > math.log(2)


def test_above_its_threshold_the_run_ends_off_the_optimum():
    report = at(temperature=0.0890, steps=4000).report
    assert not report.cold
    assert float(report.end_loss) < float(report.measured_loss)
    assert float(report.verdict) == 2


@pytest.mark.parametrize("temperature", [1e-4, 1e-3, 0.0854, 0.0884, 0.0907, 1.0, 10.0])
@pytest.mark.parametrize("radius", [0.0, 1e-10, 1.0])
@pytest.mark.parametrize("rate", [1.0, 1000.0])
def test_nothing_overflows(temperature, radius, rate):
    outcome = at(temperature=temperature, perturbation_radius=radius, rate_1=rate, rate_2=rate, steps=40)
    for name, value in outcome.report._asdict().items():
        nothing_predicted = temperature > 0.0908 and name in (
            "predicted_a",
            "predicted_rest",
            "predicted_loss",
        )
        assert nothing_predicted == bool(torch.isnan(torch.as_tensor(value, dtype=torch.float64)).any()), name
    for history in outcome.histories:
        for column in history.rows:
            assert torch.isfinite(column).all()


def test_the_first_stage_follows_the_full_model():
    """Ten steps of stage 1 against gradient descent through the transformer with its MLP of width 27."""
    knowledge = task.affine_family(3)
    prompts = task.all_prompts(knowledge)
    transformer = model.build(knowledge)
    t, steps = 0.05, 10
    outcome = at(temperature=t, steps=steps, to_limit=0, perturbation_radius=0)
    result = model.fine_tune(
        transformer, knowledge, prompts, temperature=t, learning_rate=DEFAULTS["rate_1"] * t**2, steps=steps
    )
    full = torch.softmax(result.parameters[0], 0)
    reduced = outcome.histories[0].rows.attention[-1]
    assert torch.allclose(full, reduced, rtol=1e-12, atol=1e-15)


def test_the_second_stage_follows_the_full_model():
    """Ten perturbed steps of θ and ω against gradient descent through the transformer."""
    knowledge = task.affine_family(3)
    t, steps, radius = 0.05, 10, 0.3
    xi = noise.ball(tensor(0.0), 13, tensor(radius))

    def train(rate: str, start: tuple[torch.Tensor, ...] | None = None) -> tuple[torch.Tensor, ...]:
        eta = DEFAULTS[rate] * t**2
        transformer, prompts = model.build(knowledge), task.all_prompts(knowledge)
        return model.fine_tune(transformer, knowledge, prompts, t, eta, steps, start=start).parameters

    theta, omega = train("rate_1")
    theta, omega = train("rate_2", (theta + xi[:6], omega + xi[6:]))
    outcome = at(temperature=t, steps=steps, to_limit=0, perturbation_radius=radius)
    assert torch.allclose(torch.softmax(theta, 0), outcome.report.attention, rtol=1e-12, atol=1e-15)
    assert float(outcome.report.answer) == pytest.approx(
        float(answer_probability(omega, affine_reduced(3), t)), rel=1e-12
    )


def test_the_slice_is_the_loss_at_pairwise_attention():
    reduced = affine_reduced(5)
    for x in (0.01, 0.1, 0.3):
        attention = tensor([x, x, 0.5 - x, 0.5 - x, 0.0, 0.0])
        expected = relation_loss(torch.log(attention), reduced, tensor(0.07))
        assert float(slice_loss(tensor([x]), reduced, tensor(0.07))[0]) == pytest.approx(
            float(expected), rel=1e-13
        )


def test_the_slope_of_the_slice_has_the_sign_of_its_derivative():
    x = torch.linspace(0.01, 0.49, 25, dtype=torch.float64)
    for q, t in ((3, 0.05), (7, 0.02)):
        reduced = affine_reduced(q)
        expected = torch.func.grad(lambda x: slice_loss(x, reduced, tensor(t)).sum())(x)  # noqa: B023
        ratio = expected / slice_slope(x, reduced, tensor(t))
        assert (ratio[expected.abs() > 1e-9] > 0).all()  # at x = ¼ both vanish


def test_the_minimum_is_known_where_exponentials_underflow():
    for temperature in (1e-3, 1e-4, 1e-5, 1e-6):
        a = float(slice_minimum(affine_reduced(3), tensor(temperature)))
        assert abs(a - 1 / 6) < 0.4 * temperature  # a = 1/6 − O(T)


def test_the_predicted_minimum_is_the_lowest_point_found_by_random_starts():
    for temperature in (0.03, 0.07):
        a = slice_minimum(affine_reduced(3), tensor(temperature))
        predicted = float(slice_loss(a.reshape(1), affine_reduced(3), tensor(temperature))[0])
        found = lowest_of_random_starts(temperature, starts=16, steps=3000)
        assert predicted <= found + 1e-9
        assert found == pytest.approx(predicted, abs=5e-3)


def test_the_curvature_formula_is_the_second_derivative():
    for temperature in (0.01, 0.05, 0.3, 5.0):
        measured = float(escape_curvature(affine_reduced(3), tensor(temperature)))
        assert measured == pytest.approx(right_curvature(temperature), rel=1e-12)
    assert measured != pytest.approx(paper_curvature(temperature), rel=1e-6)


def test_the_curvature_is_the_lowest_eigenvalue_of_the_hessian():
    saddle = tensor(SADDLE)

    def loss(four: torch.Tensor) -> torch.Tensor:
        return relation_loss(torch.cat([four, saddle[4:]]), affine_reduced(3), tensor(0.05))

    hessian = torch.func.hessian(loss)(saddle[:4])
    lowest = torch.linalg.eigvalsh(hessian)[0]
    assert float(lowest) == pytest.approx(float(escape_curvature(affine_reduced(3), tensor(0.05))), rel=1e-10)


def test_the_thresholds_are_where_a_fine_grid_sees_them():
    x = torch.linspace(0, 0.25, 20001, dtype=torch.float64)

    def seen(temperature: float) -> tuple[bool, bool, bool]:
        loss = slice_loss(x, affine_reduced(3), tensor(temperature))
        dips = (loss[1:-1] < loss[:-2]) & (loss[1:-1] < loss[2:])
        lowest = loss[1:-1][dips].min() if dips.any() else math.inf
        return bool(dips.any()), bool(lowest < loss[0]), bool(lowest < math.log(2))

    for index, condition in enumerate(("inside", "global", "log 2")):
        t = threshold(condition)
        assert seen(t - 2e-5)[index]
        assert not seen(t + 2e-5)[index]


def test_an_unknown_threshold_is_named():
    with pytest.raises(ValueError, match="condition = 'warm': must be one of"):
        threshold("warm")


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
