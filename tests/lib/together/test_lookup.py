"""Attention over any quadratic memory: the closed gradient, the tie, symmetric memories, the constructed one."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
import torch

from lib.recall.reduction import affine_reduced, relation_shares
from lib.recall.reduction import relation_loss as constructed_loss
from lib.together import lookup, memory

FOUR = torch.tensor(4.0, dtype=torch.float64)


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def random_scores(seed: int) -> torch.Tensor:
    return torch.randn(6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("phrases", [1, 3, 4])
@pytest.mark.parametrize("temperature", [0.001, 0.05, 2.0])
def test_the_closed_gradient_is_autograds(temperature, phrases):
    table = lookup.correlations(memory.forms(memory.start(number(2)) * 10))
    t, r, theta = number(temperature), number(phrases), random_scores(1)
    by_hand = lookup.loss_gradient(theta, table, t, lookup.believe(theta, table, t, r))
    assert torch.allclose(
        by_hand, torch.func.grad(lookup.relation_loss)(theta, table, t, r), atol=1e-12 / temperature
    )


@pytest.mark.parametrize("temperature", [0.02, 0.3])
def test_the_constructed_correlations_give_recalls_reduction(temperature):
    table, t, reduced = lookup.correlations(lookup.constructed()), number(temperature), affine_reduced(3)
    for seed in range(5):
        theta = random_scores(seed)
        logs = lookup.believe(theta, table, t, FOUR).logs
        assert float(lookup.loss_of(logs)) == pytest.approx(
            float(constructed_loss(theta, reduced, t)), abs=1e-12
        )
        shares = relation_shares(theta, reduced, t)[0]
        expected = torch.stack([shares[0], shares[1], shares[2:].sum()])
        assert torch.allclose(lookup.beliefs(logs), expected, atol=1e-12)


def test_with_equal_attention_no_memory_is_below_log_2():
    for seed in range(20):
        theta = random_scores(seed)
        equal = torch.cat([theta[:2], theta[:2], theta[2:4]])
        table = lookup.correlations(memory.forms(memory.start(number(seed)) * 20))
        assert float(lookup.relation_loss(equal, table, number(0.05), FOUR)) >= math.log(2)


def test_averaging_over_renamings_twice_changes_nothing_more():
    forms = memory.forms(memory.start(number(0)))
    mean = lookup.symmetrised(forms)
    assert torch.allclose(lookup.symmetrised(mean), mean, atol=1e-15)
    assert not torch.allclose(mean, forms, atol=1e-3)
    assert torch.equal(lookup.symmetrised(lookup.constructed()), lookup.constructed())


def test_the_average_is_that_over_all_renamings():
    """Subjects by g, answers by h, and each relation r to h r g⁻¹."""
    forms = memory.forms(memory.start(number(5))).reshape(6, 4, 7, 7).mean(1)
    rows = {tuple(images): place for place, images in enumerate(memory.ANSWERS.tolist())}
    total = torch.zeros_like(forms)
    for g in permutations(range(3)):
        for h in permutations(range(3)):
            places = [*g, *(3 + a for a in h), 6]
            for images, place in rows.items():
                renamed = [0, 0, 0]
                for s, a in enumerate(images):
                    renamed[g[s]] = h[a]
                total[place] += forms[rows[tuple(renamed)]][places][:, places] / 36
    assert torch.allclose(lookup.symmetrised(forms.repeat_interleave(4, 0))[::4], total, atol=1e-15)


def test_a_symmetric_memory_is_the_constructed_one_at_another_temperature():
    mean = lookup.symmetrised(memory.forms(memory.start(number(7)) * 10))
    own = lookup.constructed()[0, :3, 3:6] > 0
    between = mean[0, :3, 3:6]
    gap = between[own].mean() - between[~own].mean()
    theta, t = random_scores(0), number(0.05)
    ours = lookup.believe(theta, lookup.correlations(mean), gap * t, FOUR).logs
    theirs = lookup.believe(theta, lookup.correlations(lookup.constructed()), t, FOUR).logs
    assert torch.allclose(ours, theirs, atol=1e-10)


def test_the_curvature_of_the_tie_is_the_hessians_least_eigenvalue_there():
    table, t = lookup.correlations(memory.forms(memory.start(number(4)) * 10)), number(0.1)
    theta = torch.tensor([0.3, -0.2, 0.3, -0.2, -1.0, -2.0], dtype=torch.float64)
    hessian = torch.func.hessian(lambda x: lookup.relation_loss(x, table, t, FOUR))(theta)
    apart = torch.tensor([[1, 0, -1, 0, 0, 0], [0, 1, 0, -1, 0, 0]], dtype=torch.float64) / 2**0.5
    expected = torch.linalg.eigvalsh(apart @ hessian @ apart.T)[0]
    assert float(lookup.tie_curvature(theta, table, t, FOUR)) == pytest.approx(float(expected), abs=1e-10)


def test_a_prompt_is_determined_by_two_right_facts_in_a_common_wording():
    weight = torch.zeros(3, 6, 3, 4, dtype=torch.float64)
    right = torch.zeros(3, 6, dtype=torch.float64)
    for subject, wording in ((0, 1), (1, 1), (2, 2)):
        weight[subject, 0, int(memory.ANSWERS[0, subject]), wording] = 1 / 3
        right[subject, 0] = 1
    found = lookup.determined(memory.World(weight, right, number(3 / 72))).nonzero().flatten().tolist()
    assert [lookup.ORDERS[place].tolist() for place in found] == [[0, 1, 2], [1, 0, 2]]  # of relation 0
