"""More than two examples: the run, its plateaus, and prompts in general position."""

from __future__ import annotations

import itertools
import math
import random

import pytest
import torch

from book.recall.common import never_rises
from book.recall.more_examples.figure import MOST_BLOCKS, is_still_tied, piles
from book.recall.more_examples.program import lesson
from book.recall.more_examples.search import general_position
from book.recall.more_examples.statements import equal_masses, has_settled, is_cold, is_set_apart, pair_masses
from lib.program import run, with_outputs
from lib.recall import task
from lib.recall.reduction import Reduced, match_classes, reduce, relation_loss

CASES = list(itertools.product((2, 3, 4), repeat=2))
REPORT_NAN = {"law", "warm_law", "masses", "gaps", "third", "fourth", "saddle_curvature"}


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


@pytest.mark.parametrize(("fixing", "examples"), [(3, 3), (2, 4), (4, 4), (3, 2)])
def test_blocks_are_the_laws_and_add_up_to_all_attention(fixing, examples):
    outcome = run(
        with_outputs(lesson(), piles),
        fixing=fixing,
        examples=examples,
        rate_2=1000,
        steps=400,
        perturbation_radius=0.1,
    )
    (history,) = outcome.histories
    blocks = history.rows.blocks.reshape(-1, 4, MOST_BLOCKS)
    pile, k = history.rows.pile, min(fixing, examples)
    assert torch.nansum(pile, 1).tolist() == pytest.approx([k * (k + 1) / 2] * len(pile))
    assert (torch.nansum(blocks, 2) - torch.nan_to_num(pile)).abs().max() < 0.1 + 1e-9
    assert torch.isnan(blocks[:, examples:]).all()
    assert (blocks.isfinite().sum(2)[:, :examples] >= k).all()
    ends = sorted(pile[-1, :examples].tolist())
    assert ends == pytest.approx([max(0, k - examples + 1 + i) for i in range(examples)], abs=0.25)
    assert float(history.rows.most[-1]) == max(ends)
    assert float(history.rows.least[-1]) == min(ends)


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
    matches, log_counts = general_position(examples, q)
    assert float(torch.exp(log_counts).sum()) == pytest.approx(q * (q - 1))
    reduced = general_prompt(examples, q)
    theta = torch.randn(2 * examples + 2, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    mine = reduced._replace(matches=matches, log_counts=log_counts[None])
    expected = float(relation_loss(theta, reduced, number(0.1)))
    assert float(relation_loss(theta, mine, number(0.1))) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("examples", "fixing"), [(k, t) for k, t in CASES if k <= t])
@pytest.mark.parametrize("seed", [0, 1])
def test_training_ends_at_the_law_in_the_order_of_the_perturbation(examples, fixing, seed):
    outcome = run(lesson(), **{"examples": examples, "fixing": fixing, "seed": seed})
    report = outcome.report
    assert pair_masses.says(report)[0].holds
    assert all(holds(report, outcome.parameters) for holds in (is_cold, is_set_apart, never_rises))
    assert float(report.predicted) == float(report.winner)
    assert torch.allclose(report.masses[:examples], report.warm_law[:examples], atol=0.01)
    assert float(report.mismatch) < 1e-3


def test_unneeded_examples_fade():
    sizes = ((3, 2), (4, 2), (4, 3))
    settings = [{"examples": examples, "fixing": fixing, "rate_2": 1000.0} for examples, fixing in sizes]
    for (examples, fixing), result in zip(sizes, pair_masses.at_each(settings), strict=True):
        assert result.bounds[0].holds
        assert float(result.report.masses[fixing:examples].max()) < 0.01


@pytest.mark.parametrize("setting", [{"perturbation_radius": 0.0}, {"tie": 0.0}])
def test_what_is_tied_exactly_stays_tied(setting):
    outcome = run(lesson(), **{**setting})
    masses = outcome.histories[0].rows.masses
    assert float((masses[:, 0] - masses[:, 1]).abs().max()) == 0
    assert not is_set_apart(outcome.report, outcome.parameters)
    assert has_settled(outcome.report, outcome.parameters)
    assert is_still_tied(outcome.report, outcome.parameters)


def test_a_long_tie_is_a_plateau_at_log_2():
    loss = run(lesson(), **{"tie": 1e-6, "warmth": 0.2}).histories[0].rows.loss[:, 0]
    waits = ((loss - math.log(2)).abs() < 0.05).sum()
    free = run(lesson(), **{"warmth": 0.2}).histories[0].rows.loss[:, 0]
    assert int(waits) > 5 * max(1, int(((free - math.log(2)).abs() < 0.05).sum()))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_equal_masses_are_a_saddle_of_known_loss_and_curvature(k):
    report = run(lesson(), **{"examples": k, "fixing": k, "warmth": 0.2, "steps": 1}).report
    assert float(report.start_loss) == pytest.approx(math.lgamma(k + 1), abs=1e-3)
    assert float(report.curvature) == pytest.approx(float(report.saddle_curvature), rel=0.01)


def test_too_warm_the_lightest_pair_is_given_up():
    outcome = run(lesson(), **{"warmth": 2.0, "rate_2": 30.0})
    report = outcome.report
    assert float(report.masses[2]) < 0.01
    assert not pair_masses.says(report)[0].holds
    assert not is_cold(report, outcome.parameters)
    assert has_settled(report, outcome.parameters)


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
            assert name in REPORT_NAN or not torch.isnan(torch.as_tensor(value)).any(), name
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
        run(lesson(), **{name: value})


def test_equal_masses_too_cold_for_floating_point_are_an_error_and_no_verdict():
    with pytest.raises(ValueError, match=r"temperature = 0\.00025: must be at least 0\.0005"):
        equal_masses(examples=3, subjects=999_983, temperature=2.5e-4)
