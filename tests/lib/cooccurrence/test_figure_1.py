"""The paper's experiment on the orbit engine: descent beside the flow, and what happens when a step is too large."""

import pytest
import torch

from lib.cooccurrence import experiments
from lib.cooccurrence.dynamics import figure_1
from lib.solve import run


def outcome(**over):
    return run(figure_1.paper_run(), **{**figure_1.DEFAULTS, **over})


def test_the_readings_are_the_experiments():
    assert tuple(experiments.READINGS) == figure_1.READINGS
    assert figure_1.READINGS[int(figure_1.DEFAULTS["reading"])] == experiments.DEFAULT


@pytest.mark.parametrize("reading", range(5))
def test_scales_are_those_of_real_weights(reading):
    name = figure_1.READINGS[reading]
    values = {**figure_1.DEFAULTS, "reading": reading}
    p = figure_1.Choices(*(torch.tensor(float(values[key])).double() for key in figure_1.Choices._fields))
    generator = torch.Generator().manual_seed(0)
    drawn = [experiments.initial(experiments.READINGS[name], 64, 128, generator) for _ in range(40)]
    value = torch.stack([weights.value.square().sum(0).mean() for weights, _ in drawn]).mean()
    size = torch.stack([(weights.neurons.T @ layer).square().sum() for weights, layer in drawn]).mean()
    assert float(value / figure_1.value_gram(p)) == pytest.approx(1, abs=0.05)
    assert float(size / figure_1.pace(p)) == pytest.approx(1, abs=0.15)


def test_descent_with_a_small_rate_is_the_flow_and_closer_the_smaller_it_is():
    gaps = [
        float(outcome(rate=rate, epochs=epochs, random=0).report.apart)
        for rate, epochs in ((0.2, 500), (0.1, 1000))
    ]
    assert gaps[1] < 0.6 * gaps[0] < 0.01


def test_a_step_that_diverges_is_said_and_nothing_else_suffers():
    report = outcome(rate=30.0).report
    assert float(report.story) == 2
    assert 1 <= float(report.blown) <= 1000
    assert torch.isnan(report.apart)
    assert float(report.correct) == pytest.approx(float(outcome(rate=0.3).report.correct), rel=1e-6)


def test_the_mean_start_is_stiff_as_its_kernel_says():
    report = outcome(random=0).report
    found = [
        experiments.stiffness(experiments.trial(experiments.DEFAULT, seed, "distinct"), 1.0)
        for seed in range(10)
    ]
    assert float(report.stiffness) / 0.3 == pytest.approx(sum(found) / 10, rel=0.1)


def test_a_normal_start_with_a_of_one_hides_phase_1():
    quick, slow = outcome(reading=0, rate=0.01).report, outcome(rate=0.01).report
    assert float(quick.correct) < 50 < 500 < float(slow.correct)
    assert float(slow.verdict) == 0
