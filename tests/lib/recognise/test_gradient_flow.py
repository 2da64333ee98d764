"""Whole runs on the orbit engine: units, random starts, moments, and runs side by side."""

import math

import pytest
import torch

from lib.integrate import adaptive_start, adaptive_step
from lib.program import run, run_many
from lib.recognise import gradient_flow, gram, model, orbit
from lib.recognise.random_start import dimensions, random_start
from lib.recognise.setting import counts, pace, scaled, setting, value_gram
from lib.recognise.task import class_counts, draw
from tests.lib.recognise import initial

WATCHED = gradient_flow.program(gradient_flow.read)


def number(value):
    return torch.tensor(float(value), dtype=torch.float64)


def integrate(slope, state, end, tolerance=1e-10):
    going = adaptive_start(state, number(1e-5))
    for _ in range(20000):
        going, done = adaptive_step(slope, going, number(end), tolerance, tolerance)
        if bool(done):
            return going.state
    raise AssertionError("the integration did not end")


def test_time_in_units_of_n_0_is_the_same_training():
    chosen = setting(samples=12, length=5, width=40, neurons=7, layer=0.7, sigma_0=2.0, sigma_1=0.6)
    sizes, kappa = scaled(chosen, number(1))
    plain = orbit.Sizes(counts(chosen), number(5), number(40), number(0.7**2 * 7))
    n_0, tau = float(pace(chosen)), 8.0
    start = orbit.start(value_gram(chosen), pace(chosen))
    direct = orbit.unpack(
        integrate(lambda x: orbit.pack(orbit.flow(orbit.unpack(x), plain)), orbit.pack(start), tau / n_0)
    )
    ours = orbit.unpack(
        integrate(
            lambda x: orbit.pack(orbit.flow(orbit.unpack(x), sizes)),
            orbit.pack(orbit.start(kappa, number(1))),
            tau,
        )
    )
    torch.testing.assert_close(ours.blocks.output, direct.blocks.output, rtol=1e-7, atol=1e-8)
    torch.testing.assert_close(ours.blocks.score, n_0 * direct.blocks.score, rtol=1e-6, atol=1e-8)
    torch.testing.assert_close(orbit.outputs(ours, sizes), orbit.outputs(direct, plain), rtol=1e-7, atol=1e-8)


def test_the_drawn_start_has_the_law_of_a_projected_one():
    """Mean and spread of every number, over 400 starts of each kind, m = 40."""
    sizes = (3, 1, 2, 1)
    data = draw(sizes, 5, torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    real = []
    for _ in range(400):
        weights = model.initial_weights(40, 1, data.vocabulary, 0.5, 0.3, generator)
        real.append(
            orbit.pack(initial.project(gram.grams(weights, torch.ones(1, dtype=torch.float64)), data))
        )
    many = dimensions(torch.tensor(sizes, dtype=torch.float64), number(5))
    ours = torch.func.vmap(
        lambda seed: orbit.pack(random_start(seed, number(40), number(0.25 * 40), number(0.09 * 40), many))
    )(torch.arange(400, dtype=torch.float64))
    first, second = torch.stack(real), ours
    spread = torch.maximum(first.std(0), torch.tensor(1e-9))
    used = torch.ones(236, dtype=torch.bool)
    used[[197, 199, 205, 207, 213, 215, 221, 223]] = False  # α of a type with one sample acts on nothing
    assert float(((first.mean(0) - second.mean(0)).abs() / spread)[used].max()) < 0.4
    ratio = (second.std(0) / spread)[used]
    assert 0.8 < float(ratio.min()) <= float(ratio.max()) < 1.25


def test_a_symmetric_start_is_its_own_projection():
    data = draw((3, 1, 2, 1), 5, torch.Generator().manual_seed(0))
    back = initial.project(initial.expected(data.vocabulary, 1.3, 0.7), data)
    torch.testing.assert_close(back.blocks, orbit.start(number(1.3), number(0.7)).blocks)
    torch.testing.assert_close(back.scalars[1:, [0, 2, 4, 5, 6, 7]], 1.3 * torch.ones(3, 6).double())


@pytest.mark.parametrize("width", [200, 20_000])
def test_what_projection_drops_is_small_and_shrinks_with_width(width):
    """A real start of m words against its orbit part, G of the signals at τ = 20; error falls like 1/√m or faster."""
    data = draw((6, 2, 2, 2), 4, torch.Generator().manual_seed(0))
    state = initial.wishart(data.vocabulary, width, 0.25, 1.0, torch.Generator().manual_seed(5))
    layer = number(0.05)
    words = data.vocabulary
    full = gram.unpack(
        integrate(
            lambda x: gram.pack(gram.flow(gram.unpack(x, words), data, number(width), layer)),
            gram.pack(state),
            20,
            1e-8,
        ),
        words,
    )
    sizes = orbit.Sizes(torch.tensor([6.0, 2, 2, 2], dtype=torch.float64), number(4), number(width), layer)
    short = orbit.unpack(
        integrate(
            lambda x: orbit.pack(orbit.flow(orbit.unpack(x), sizes)),
            orbit.pack(initial.project(state, data)),
            20,
            1e-8,
        )
    )
    error = (short.blocks.output[:3] - full.output[:3]).abs().max() / full.output[:3].abs().max()
    assert float(error) < 1.0 / math.sqrt(width)


def test_moments_do_not_depend_on_the_tolerance(monkeypatch):
    values = {"end": 2.0, "seed": 3}
    program = gradient_flow.program(lambda state, p: gradient_flow.read(state, p)._replace(grown=state.since))
    coarse = run(program, **values).report
    monkeypatch.setattr(gradient_flow, "TOLERANCE", 1e-9)
    fine = run(program, **{**values, "evaluations": 20_000}).report
    torch.testing.assert_close(coarse.output, fine.output, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(coarse.grown, fine.grown, rtol=0.1, atol=0.05, equal_nan=True)


def test_many_runs_side_by_side_are_the_single_ones():
    many = [{"seed": seed, "end": end} for seed, end in ((0, 1.0), (1, 2.0), (2, 0.0))]
    together = run_many(WATCHED, many)
    for k, values in enumerate(many):
        alone = run(WATCHED, **values).report
        for ours, right in zip(together, alone, strict=True):
            torch.testing.assert_close(ours[k], right, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match=r"many = \[\]"):
        run_many(WATCHED, [])


def test_frozen_attention_stays():
    report = run(WATCHED, learned=0, sigma_0=10.0, layer=0.02, end=3.0).report
    assert float(report.grown.abs().max()) == 0


def test_bad_input_gets_one_clear_sentence():
    with pytest.raises(ValueError, match="length = 3: must be a whole number from 4 to 1000"):
        run(WATCHED, length=3)
    with pytest.raises(ValueError, match="positive = 1: must be"):
        setting(positive=1)
    with pytest.raises(ValueError, match="sigma_0 = -1: must be"):
        setting(sigma_0=-1)
    with pytest.raises(ValueError, match=r"parameters = \['depth'\]"):
        setting(depth=2)
    with pytest.raises(ValueError, match="width = 8: must be"):
        setting(width=8)
    assert sum(class_counts(60)) == 60
