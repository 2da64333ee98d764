"""The separator in closed form against a slow solver, the flow, and the claims that rest on it."""

import pytest
import torch

from lib import claims
from lib.cooccurrence.data import SIGNALS
from lib.cooccurrence.dynamics.limit import max_margin
from lib.solve import run


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
        own = (counts * goal.irrelevant**2 * (length - torch.tensor([3.0, 2, 2, 1]).double())).sum()
        assert float(goal.signals.square().sum() + own) == pytest.approx(float(goal.square), rel=1e-6)


@pytest.mark.parametrize("name", [name for name in claims.registry() if name.startswith("recognise.")])
def test_every_formula_of_the_chapter_is_as_listed(name):
    claim = claims.registry()[name]
    assert all(item.passes() for item in claim.checked)
    for erratum in claim.errata:
        assert erratum.symbolic()


def test_the_moments_of_phase_1_without_end():
    from lib.cooccurrence.dynamics.phases import DEFAULTS, two_phases

    wide = {**DEFAULTS, "width": 1e30, "random": 0, "samples": 6e6, "end": 2.0}
    report = run(two_phases(), **wide).report
    assert float(report.half) == pytest.approx(3.59, abs=0.01)
    assert float(report.correct) == pytest.approx(13.0, abs=0.02)
