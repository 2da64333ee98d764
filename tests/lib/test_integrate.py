"""The adaptive integration of differential equations, evaluation by evaluation and between accepted states."""

import pytest
import torch

from lib.integrate import adaptive_start, adaptive_step, integrate


def test_an_adaptive_run_ends_on_time_and_within_its_tolerance():
    end, rates = torch.tensor(3.0, dtype=torch.float64), torch.tensor([1.0, 40.0], dtype=torch.float64)
    run, done = adaptive_start(torch.ones(2, dtype=torch.float64), torch.ones_like(end)), False
    while not done:
        run, ended = adaptive_step(lambda x: -rates * x, run, end, 1e-9, 1e-12)
        done = bool(ended)
    assert float(run.time) == 3
    torch.testing.assert_close(run.state, torch.exp(-3 * rates), rtol=1e-7, atol=1e-11)


def test_an_adaptive_run_recovers_from_an_attempt_that_overflows():
    end = torch.tensor(10.0, dtype=torch.float64)
    run, done = adaptive_start(torch.zeros(1, dtype=torch.float64), end), False
    for _ in range(50000):
        run, ended = adaptive_step(lambda x: 1 - torch.exp(400 * (x - 1)), run, end, 1e-8, 1e-8)
        done = done or bool(ended)
        if done:
            break
    assert done
    assert bool(torch.isfinite(run.state).all())


def test_integrate_gives_the_start_and_every_accepted_state():
    end = torch.tensor(2.0, dtype=torch.float64)
    start = adaptive_start(torch.ones(1, dtype=torch.float64), torch.ones_like(end) / 10)
    states = list(integrate(lambda x: -x, start, end, 1e-9, 1e-12))
    times = [float(state.time) for state in states]
    assert times == sorted(set(times))
    assert (times[0], times[-1]) == (0, 2)
    for state in states:
        assert float(state.state[0]) == pytest.approx(float(torch.exp(-state.time)), rel=1e-7)
