"""More than two examples: the families, the reduction to eight scores, the law, the run, the claims."""

from __future__ import annotations

import itertools
import math
import random

import pytest
import torch

from lib.recall import model, task
from lib.recall.claims import more_examples as statements
from lib.recall.dynamics import Reduced, match_classes, reduce, relation_loss
from lib.recall.dynamics.more_examples import (
    CONJUGATES,
    DEFAULTS,
    SHARES,
    agreeing,
    excess_loss,
    family,
    law,
    lesson,
    pair_attention,
    spacing,
)
from lib.solve import run

CASES = list(itertools.product((2, 3, 4), repeat=2))
REPORT_NAN = {"law", "warm_law", "masses", "gaps", "third", "fourth", "saddle_curvature"}


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


@pytest.mark.parametrize("fixing", [2, 3, 4])
def test_any_t_pairs_belong_to_exactly_one_relation(fixing):
    answers = family(fixing).answers
    for subjects in itertools.permutations(range(5), fixing):
        shown = {tuple(row) for row in answers[:, list(subjects)].tolist()}
        assert len(shown) == len(answers) == math.perm(5, fixing)


def test_the_affine_maps_have_six_conjugates_the_others_one():
    assert CONJUGATES.sum(0).tolist() == [20] * 6 + [60, 120]
    assert (SHARES > 0).sum(1).tolist() == [6, 1, 1]
    assert SHARES.sum(1).tolist() == pytest.approx([1, 1, 1])


@pytest.mark.parametrize(("examples", "fixing"), CASES)
def test_the_loss_is_that_of_all_prompts_of_the_family(examples, fixing):
    known = family(fixing)
    prompts = task.all_prompts(known, examples)
    reduced = reduce(known, prompts)
    generator = torch.Generator().manual_seed(examples)
    theta = torch.randn(8, dtype=torch.float64, generator=generator)
    without = torch.full((2,), -math.inf, dtype=torch.float64)
    k, t = number(examples), number(fixing)
    full = relation_loss(torch.cat([theta[: 2 * examples], without]), reduced, number(0.03))
    mine = excess_loss(theta, k, t, number(0.03)) + torch.log(agreeing(k, t))
    assert float(mine) == pytest.approx(float(full), abs=1e-12)


def test_the_loss_is_the_full_models():
    known = family(2)
    prompts = task.all_prompts(known, 3)
    kept = prompts._replace(subjects=prompts.subjects[:120], relation=prompts.relation[:120])
    transformer = model.build(known, examples=3)
    theta = torch.randn(8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    theta[6:] = -60.0  # query and EoS
    block = model.position_block(theta, torch.zeros(9).double(), transformer.embedding.shape[1])
    full = model.relation_loss_full(transformer._replace(W_KQ=block), known, kept, 0.05)
    assert float(excess_loss(theta, number(3), number(2), number(0.05))) == pytest.approx(
        float(full), rel=1e-9
    )


def test_unused_pairs_count_for_nothing():
    theta = torch.randn(8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    other = theta.clone()
    other[4:] += 5
    for scores in (theta, other):
        x, y = pair_attention(scores, number(2))
        assert float(x.sum() + y.sum()) == pytest.approx(1)
        assert not x[2:].any()
        assert not y[2:].any()
    same = [float(excess_loss(scores, number(2), number(4), number(0.1))) for scores in (theta, other)]
    assert same[0] == pytest.approx(same[1], abs=1e-14)


@pytest.mark.parametrize(("examples", "fixing"), CASES)
def test_the_law_adds_up_and_has_equal_steps(examples, fixing):
    k, t = number(examples), number(fixing)
    for warmth in (0.0, 0.2, 1.0):
        masses = law(k, t, number(warmth))
        assert float(masses[:examples].sum()) == pytest.approx(1)
        assert torch.isnan(masses[examples:]).all()
    used = min(examples, fixing)
    cold = law(k, t, number(0.0))[:examples].tolist()
    d = float(spacing(k, t))
    assert cold == pytest.approx([d * (used - i) for i in range(used)] + [0.0] * (examples - used), abs=1e-15)


def test_no_attention_has_a_larger_smallest_gap():
    generator = torch.Generator().manual_seed(2)
    for k in (2, 3, 4):
        best = 2 / (k * (k + 1)) ** 2
        for _ in range(300):
            v = torch.softmax(3 * torch.randn(2 * k + 2, dtype=torch.float64, generator=generator), 0)
            x, y = v[0:-2:2], v[1:-2:2]
            missed = 2 * x * y
            pairs = itertools.combinations(range(k), 2)
            swapped = [2 * float((x[i] - x[j]) * (y[i] - y[j])) for i, j in pairs]
            assert min([float(missed.min()), *swapped]) <= best


@pytest.mark.parametrize(("examples", "fixing"), [(k, t) for k, t in CASES if k <= t])
@pytest.mark.parametrize("seed", [0, 1])
def test_training_ends_at_the_law_in_the_order_of_the_perturbation(examples, fixing, seed):
    report = run(lesson(), **{**DEFAULTS, "examples": examples, "fixing": fixing, "seed": seed}).report
    assert float(report.verdict) == 0
    assert float(report.story) == 0
    assert float(report.foretold) == float(report.winner)
    assert torch.allclose(report.masses[:examples], report.warm_law[:examples], atol=0.01)
    assert float(report.mismatch) < 1e-3


@pytest.mark.parametrize(("examples", "fixing"), [(3, 2), (4, 2), (4, 3)])
def test_unneeded_examples_fade(examples, fixing):
    settings = {**DEFAULTS, "examples": examples, "fixing": fixing, "rate_2": 1000.0}
    report = run(lesson(), **settings).report
    assert float(report.verdict) == 0
    assert float(report.masses[fixing:examples].max()) < 0.01


@pytest.mark.parametrize("setting", [{"perturbation_radius": 0.0}, {"tie": 0.0}])
def test_what_is_tied_exactly_stays_tied(setting):
    outcome = run(lesson(), **{**DEFAULTS, **setting})
    masses = outcome.histories[0].rows.masses
    assert float((masses[:, 0] - masses[:, 1]).abs().max()) == 0
    assert not bool(outcome.report.perturbed)
    assert float(outcome.report.verdict) == 2
    assert float(outcome.report.story) == 1


def test_a_long_tie_is_a_plateau_at_log_2():
    loss = run(lesson(), **{**DEFAULTS, "tie": 1e-6, "warmth": 0.2}).histories[0].rows.loss[:, 0]
    waits = ((loss - math.log(2)).abs() < 0.05).sum()
    free = run(lesson(), **{**DEFAULTS, "warmth": 0.2}).histories[0].rows.loss[:, 0]
    assert int(waits) > 5 * max(1, int(((free - math.log(2)).abs() < 0.05).sum()))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_equal_masses_are_a_saddle_of_known_loss_and_curvature(k):
    report = run(lesson(), **{**DEFAULTS, "examples": k, "fixing": k, "warmth": 0.2, "steps": 1}).report
    assert float(report.start_loss) == pytest.approx(math.lgamma(k + 1), abs=1e-3)
    assert float(report.curvature) == pytest.approx(float(report.saddle_curvature), rel=0.01)


def test_too_warm_the_lightest_pair_is_given_up():
    report = run(lesson(), **{**DEFAULTS, "warmth": 2.0, "rate_2": 30.0}).report
    assert float(report.masses[2]) < 0.01
    assert float(report.verdict) == 2
    assert float(report.story) == 2


def test_nothing_is_nan_that_should_not_be():
    chance = random.Random(7)
    for _ in range(12):
        outcome = run(
            lesson(),
            examples=chance.choice([2, 3, 4]),
            fixing=chance.choice([2, 3, 4]),
            warmth=10 ** chance.uniform(-1, 0.477),
            perturbation_radius=chance.choice([0.0, 1e-10, 1e-3, 1.0]),
            tie=chance.choice([0.0, 1e-6, 1.0]),
            seed=chance.randrange(100),
            rate_2=10 ** chance.uniform(1, 3.4),
            steps=chance.randrange(60),
        )
        for name, value in outcome.report._asdict().items():
            assert name in REPORT_NAN or not torch.isnan(value).any(), name
        rows = outcome.histories[0].rows
        assert not torch.isnan(rows.loss).any()
        assert not torch.isnan(rows.probability).any()


@pytest.mark.parametrize(
    ("name", "value", "range"),
    [
        ("examples", 5, "a whole number from 2 to 4"),
        ("examples", 1, "a whole number from 2 to 4"),
        ("fixing", 2.5, "a whole number from 2 to 4"),
        ("warmth", 0.0, "a finite number from 0.01 to 10"),
        ("tie", -1.0, "a finite number from 0 to 1"),
        ("rate_2", 0.0, "a finite number greater than 0"),
    ],
)
def test_bad_input_is_named(name, value, range):
    with pytest.raises(ValueError, match=f"{name} = .*: must be {range}"):
        run(lesson(), **{**DEFAULTS, name: value})


def test_an_unknown_family_is_refused():
    with pytest.raises(ValueError, match="fixing = 5: must be a whole number from 2 to 4"):
        family(5)


def general_prompt(examples: int, q: int) -> Reduced:
    """The first of some random prompts of which no relation but r* matches three pairs."""
    known, generator = task.affine_family(q), torch.Generator().manual_seed(0)
    matched = match_classes(examples).sum((1, 2))
    for _ in range(50):
        reduced = reduce(known, task.sample_prompts(known, 1, generator, examples))
        many = reduced.log_counts[0, (matched > 2) & (torch.arange(len(matched)) > 0)]
        if torch.isinf(many).all():
            return reduced
    raise AssertionError("no prompt in general position")


@pytest.mark.parametrize("examples", [2, 3, 4])
def test_general_position_counts_all_relations_and_is_what_a_large_field_has(examples):
    q = 199
    matches, log_counts = statements.general_position(examples, q)
    assert float(torch.exp(log_counts).sum()) == pytest.approx(q * (q - 1))
    reduced = general_prompt(examples, q)
    theta = torch.randn(2 * examples + 2, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    mine = reduced._replace(matches=matches, log_counts=log_counts[None])
    expected = float(relation_loss(theta, reduced, number(0.1)))
    assert float(relation_loss(theta, mine, number(0.1))) == pytest.approx(expected, rel=1e-12)
