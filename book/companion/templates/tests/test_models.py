"""The network as it stands, beside what the paper derives of it."""

import pytest
import torch
from lib.linear import modes, network

VALUES = torch.tensor([2.0, 1.2, 0.8], dtype=torch.float64)
START = torch.tensor(1e-3, dtype=torch.float64)


def trained(steps: int, rate: float, imbalance: float = 0.0, correlation: float = 0.0) -> torch.Tensor:
    """The strengths after each step of gradient descent on both matrices."""
    of = {name: torch.tensor(value, dtype=torch.float64) for name, value in locals().items()}
    weights = network.aligned_start(START, of["imbalance"])
    seen = []
    for _ in range(steps):
        weights = network.step(
            weights, network.targets(VALUES), network.covariance(of["correlation"]), of["rate"]
        )
        seen.append(network.strengths(weights))
    return torch.stack(seen)


def test_the_singular_vectors_are_orthonormal():
    for matrix in (network.U, network.V, network.R):
        torch.testing.assert_close(matrix.T @ matrix, torch.eye(3, dtype=torch.float64))


@pytest.mark.parametrize("imbalance", [0.0, 1.0])
def test_each_mode_learns_alone_with_whitened_inputs(imbalance):
    """To the last digits: also out of balance."""
    shift = torch.tensor(imbalance, dtype=torch.float64)
    first = torch.sqrt(START) * torch.exp(-shift) * torch.ones(3, dtype=torch.float64)
    second = torch.sqrt(START) * torch.exp(shift) * torch.ones(3, dtype=torch.float64)
    for strengths in trained(600, 0.01, imbalance):
        first, second = modes.layers_step(first, second, VALUES, torch.tensor(0.01, dtype=torch.float64))
        torch.testing.assert_close(strengths, first * second, rtol=1e-10, atol=1e-12)


def test_smaller_steps_come_closer_to_the_curve_in_proportion():
    def distance(rate: float) -> float:
        steps = round(7 / rate)
        time = rate * torch.arange(1, steps + 1, dtype=torch.float64)[:, None]
        return float((trained(steps, rate) - modes.strength(time, VALUES, START)).abs().max())

    assert distance(0.005) < 0.03
    assert distance(0.01) / distance(0.005) == pytest.approx(2, rel=0.1)


def test_half_of_a_mode_is_learned_at_its_half_time():
    half = modes.strength(modes.half_time(VALUES, START), VALUES, START)
    torch.testing.assert_close(half, VALUES / 2)


def test_correlated_inputs_bring_the_modes_elsewhere():
    assert float((trained(1500, 0.01, correlation=0.5)[-1] - VALUES).abs().max()) > 0.1
