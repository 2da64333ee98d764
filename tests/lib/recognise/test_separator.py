"""The separator in closed form against a slow solver, the flow, and the claims that rest on it."""

import pytest
import torch

from lib.recognise.separator import max_margin
from lib.recognise.task import SIGNALS


def number(value):
    return torch.tensor(float(value), dtype=torch.float64)


def slow(counts, length):
    """Coordinate ascent on the dual, sample by sample of explicit word vectors: (g on the signals, ‖g‖²)."""
    labels = [1.0, -1.0, -1.0, -1.0]
    kinds = [k for k, n in enumerate(counts) for _ in range(n)]
    words = 3 + sum(length - len(SIGNALS[k]) for k in kinds)
    rows, fresh = torch.zeros(len(kinds), words, dtype=torch.float64), 3
    for i, k in enumerate(kinds):
        free = length - len(SIGNALS[k])
        rows[i, list(SIGNALS[k])] = labels[k]
        rows[i, fresh : fresh + free] = labels[k]
        fresh += free
    dual = torch.zeros(len(kinds), dtype=torch.float64)
    g = torch.zeros(words, dtype=torch.float64)
    for _ in range(4000):
        for i in range(len(kinds)):
            step = max((1 - float(rows[i] @ g)) / length, -float(dual[i]))
            dual[i] += step
            g += step * rows[i]
    return g[:3], float(g @ g)


@pytest.mark.parametrize(("counts", "length"), [((3, 1, 1, 1), 4), ((4, 1, 2, 1), 6), ((6, 2, 2, 2), 4)])
def test_the_closed_form_is_the_slow_solution(counts, length):
    goal = max_margin(torch.tensor(counts, dtype=torch.float64), number(length))
    signals, square = slow(counts, length)
    torch.testing.assert_close(goal.signals, signals, rtol=0, atol=1e-6)
    assert float(goal.square) == pytest.approx(square, abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_optimality_at_random_shares(seed):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(40):
        counts = 10 ** (4 * torch.rand(4, dtype=torch.float64, generator=generator))
        length = number(int(torch.randint(4, 60, (), generator=generator)))
        goal = max_margin(counts, length)
        assert float(goal.multipliers.min()) >= -1e-9
        assert float(goal.margins.min()) >= 1 - 1e-7
        slack = goal.multipliers * (goal.margins - 1)
        assert float(slack.abs().max()) < 1e-8
        irrelevant = (counts * goal.irrelevant**2 * (length - torch.tensor([3.0, 2, 2, 1]).double())).sum()
        assert float(goal.signals.square().sum() + irrelevant) == pytest.approx(float(goal.square), rel=1e-6)


def test_the_cone_for_any_shares_with_as_many_of_either_target():
    """With ν = n over irrelevant words in one sample: inside where ν₂(ν₁ + ν₄ + 3) + ν₄ > 2ν₁; 0 for ν₄ if inactive."""
    generator = torch.Generator().manual_seed(0)
    for _ in range(300):
        both, single, neither = (10 ** (4 * torch.rand(3, generator=generator).double() - 0.5)).tolist()
        length = int(torch.randint(4, 80, (), generator=generator))
        counts = torch.tensor([both, single, single, neither], dtype=torch.float64)
        goal = max_margin(counts, number(length))
        one, two, four = both / (length - 3), single / (length - 2), neither / (length - 1)
        inactive = 2 * one * two >= 4 * one + two + 1
        assert (goal.multipliers > 1e-9).tolist() == [True, True, True, not inactive]
        four = 0.0 if inactive else four
        first, second, common = goal.signals.tolist()
        assert (-common > first) == (two * (one + four + 3) + four > 2 * one)
        sum_is_positive = one * two + 2 * one * four - two * four + 3 * one - 4 * two - four > 0
        assert (first + second > -common) == sum_is_positive
