"""The phase diagram: closed forms against all thirteen classes, the steps of the proof, and descent."""

from __future__ import annotations

import math
import random

import pytest
import torch

from book.recall.common import affine, curvature_by_autograd
from book.recall.phases import proofs
from book.recall.phases.diagram import sure_limit
from book.recall.phases.program import descent
from book.recall.phases.statements import nearest_is_lowest, phase_diagram
from lib.program import run
from lib.recall.escape import free_gradient, free_loss, free_shares
from lib.recall.landscape import optimum, saddle_curvature, wrong_odds
from lib.recall.phases import reaches
from lib.recall.reduction import relation_loss, relation_shares
from lib.recall.task import FAMILIES

COUNTS = (3.0, 4.0, 7.0, 33.0, 1000.0, 1e6)


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def on_slice(depth: torch.Tensor) -> torch.Tensor:
    a, b = 0.25 + depth, 0.25 - depth
    none = torch.zeros_like(a)
    return torch.log(torch.stack([a, a, b, b, none, none]))


@pytest.mark.parametrize("n", COUNTS)
def test_the_closed_form_is_the_loss_of_the_thirteen_classes(n):
    for depth in (0.0, 0.03, 0.1, 0.2, 0.25):
        for temperature in (0.005, 0.03, 0.3):
            mine = torch.log1p(wrong_odds(number(depth), number(n), number(temperature)))
            full = relation_loss(on_slice(number(depth)), affine(n), temperature)
            assert float(mine) == pytest.approx(float(full), abs=1e-12)


@pytest.mark.parametrize("n", COUNTS)
def test_the_run_has_the_full_gradient(n):
    generator = torch.Generator().manual_seed(int(n) % 97)
    for _ in range(4):
        theta, t = torch.randn(4, dtype=torch.float64, generator=generator), number(0.05)
        padded = torch.cat([theta, torch.full((2,), -math.inf, dtype=torch.float64)])
        loss, gradient = free_loss(theta, t, number(n)), free_gradient(theta, t, number(n))
        full = torch.func.grad(relation_loss)(padded, affine(n), t)
        assert float(loss) == pytest.approx(float(relation_loss(padded, affine(n), t)), rel=1e-12)
        assert torch.allclose(gradient, full[:4], rtol=1e-9, atol=1e-12)
        classes = relation_shares(padded, affine(n), t)[0]
        right, confusing, one, none = free_shares(theta, t, number(n)).tolist()
        assert right == pytest.approx(float(classes[0]), rel=1e-12)
        assert confusing == pytest.approx(float(classes[1]), rel=1e-12)
        assert right + confusing + one + none == pytest.approx(1)


def test_no_attention_is_below_the_slice():
    generator = torch.Generator().manual_seed(0)
    chance = random.Random(0)
    for _ in range(40):
        n, t = round(3 * 10 ** chance.uniform(0, 5.5)), number(10 ** chance.uniform(-2.5, 0))
        spread = 10 ** chance.uniform(-1, 1)
        lowest = float(torch.log1p(wrong_odds(optimum(number(n), t), number(n), t)))
        near = on_slice(optimum(number(n), t)).clamp(min=-8)
        theta = spread * torch.randn(200, 6, dtype=torch.float64, generator=generator)
        theta = torch.cat([theta, near + 0.1 * theta])
        reduced = affine(n)
        result = torch.func.vmap(lambda x, reduced=reduced, t=t: relation_loss(x, reduced, t))(theta)
        assert float(result.min()) >= lowest * (1 - 1e-9)


@pytest.mark.parametrize(
    "step", ["query_and_eos_are_useless", "exchange_leaves_the_sum", "balance_widens_every_gap"]
)
def test_each_step_of_the_proof_holds(step):
    assert getattr(proofs, step)()


@pytest.mark.parametrize("n", COUNTS)
def test_the_curvature_is_that_of_the_full_loss(n):
    for temperature in (0.005, 0.013, 0.05):
        mine = saddle_curvature(number(n), number(temperature))
        full = curvature_by_autograd(affine(n), number(temperature))
        assert float(mine) == pytest.approx(float(full), abs=1e-9 / temperature)


def test_the_demo_offers_families_that_exist():
    for n in FAMILIES:
        divisor = next(p for p in range(2, n + 1) if n % p == 0)
        power = divisor
        while power < n:
            power *= divisor
        assert power == n


def test_the_limit_between_the_table_s_numbers_of_subjects_is_near():
    for count in (3.0, 4.0, 997.0, 31_627.0, 999_983.0):
        exact = float(reaches(number(count).reshape(1), 0.999))
        assert float(sure_limit(number(count))) == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize(
    ("n", "temperature", "kind"),
    [
        (3, 0.05, 1),
        (3, 0.12, 2),
        (1e4, 0.008, 1),
        (1e4, 0.014, 0),
        (1e4, 0.025, 1),
        (1e6, 0.01, 0),
        (1e6, 0.05, 2),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_descent_ends_in_the_best(n, temperature, kind, seed):
    result = phase_diagram(subjects=n, temperature=temperature, seed=seed)
    report = result.report
    assert float(report.best_kind) == kind
    assert float(report.end_kind) == kind
    assert result.key == "holds"
    assert float(report.curvature) == pytest.approx(float(report.curvature_formula), abs=1e-9 / temperature)


def test_just_above_the_jump_it_does_not():
    result = phase_diagram(subjects=3, temperature=0.0895)
    assert (float(result.report.best_kind), float(result.report.end_kind)) == (2, 1)
    assert not nearest_is_lowest(result.report, result.parameters)
    assert result.key == "outside"
    far = phase_diagram(subjects=3, temperature=0.0895, radius=10.0)
    assert (float(far.report.best_kind), float(far.report.end_kind), far.key) == (2, 2, "beyond")


@pytest.mark.parametrize("radius", [0.0, 1e-9])
def test_only_a_perturbation_leaves_the_saddle(radius):
    result = phase_diagram(subjects=997, temperature=0.01, radius=radius)
    assert float(result.report.end_kind) == (1 if radius else 0)
    assert result.key == ("holds" if radius else "outside")


def test_a_true_statement_may_be_of_no_use():
    """Hot and with many subjects the best attention is result, and r* is hopeless: the third chip says so."""
    result = phase_diagram(subjects=997, temperature=0.2)
    assert result.key == "holds"
    assert result.good is not None
    assert not bool(result.good.holds)


def test_nothing_is_nan():
    chance = random.Random(5)
    for _ in range(25):
        outcome = run(
            descent(),
            subjects=round(3 * 10 ** chance.uniform(0, 5.522)),
            temperature=10 ** chance.uniform(-3, -0.7),
            radius=chance.choice([0.0, 1e-9, 1e-3, 1.0, 10.0]),
            seed=chance.randrange(100),
            rate=10 ** chance.uniform(1, 2.3),
            steps=chance.randrange(60),
        )
        for name, value in outcome.report._asdict().items():
            assert not torch.isnan(value).any(), name
            assert torch.isfinite(value).all(), name
        assert torch.isfinite(outcome.histories[0].rows.loss).all()


@pytest.mark.parametrize(
    ("name", "value", "range"),
    [
        ("subjects", 2, "a whole number from 3 to 1000000"),
        ("subjects", 1e7, "a whole number from 3 to 1000000"),
        ("temperature", 0.0, "a finite number from 0.001 to 1"),
        ("radius", -1.0, "a finite number at least 0"),
        ("rate", 0.0, "a finite number greater than 0"),
    ],
)
def test_bad_input_is_named(name, value, range):
    with pytest.raises(ValueError, match=f"{name} = .*: must be {range}"):
        run(descent(), **{name: value})
