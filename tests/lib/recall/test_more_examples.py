"""More than two examples: the families, the reduction to eight scores, the law."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from lib.recall import model, task
from lib.recall.more_examples import (
    CONJUGATES,
    SHARES,
    agreeing,
    excess_loss,
    family,
    law,
    pair_attention,
    spacing,
)
from lib.recall.reduction import reduce, relation_loss

CASES = list(itertools.product((2, 3, 4), repeat=2))


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
    first = prompts._replace(subjects=prompts.subjects[:120], relation=prompts.relation[:120])
    transformer = model.build(known, examples=3)
    theta = torch.randn(8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    theta[6:] = -60.0  # query and EoS
    block = model.position_block(theta, torch.zeros(9).double(), transformer.embedding.shape[1])
    full = model.relation_loss_full(transformer._replace(W_KQ=block), known, first, 0.05)
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


def test_an_unknown_family_is_refused():
    with pytest.raises(ValueError, match="fixing = 5: must be a whole number from 2 to 4"):
        family(5)
