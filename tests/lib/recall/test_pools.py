"""Small sets of relations: fields, and sets drawn from them or from all bijections."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from lib.recall import pools, task


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


@pytest.mark.parametrize("size", pools.FIELDS)
def test_the_maps_over_a_field_are_sharply_2_transitive(size):
    known = task.knowledge(pools.field_maps(size))
    assert known.relations == size * (size - 1)
    assert task.assumption_1(known).holds
    if size in (3, 5, 7):
        assert torch.equal(known.answers, task.affine_family(size).answers)


def test_there_is_no_field_of_six():
    with pytest.raises(ValueError, match=r"size = 6: must be one of 3, 4, 5, 7, 8"):
        pools.field_maps(6)


@pytest.mark.parametrize(("n", "affine"), [*itertools.product((3, 4, 5, 7, 8), (True, False)), (6, False)])
def test_a_drawn_set_is_distinct_and_of_its_pool(n, affine):
    table, count = pools.draw(scalar(n), scalar(30), torch.tensor(affine), scalar(5))
    size = n * (n - 1) if affine else math.factorial(n)
    rows = table[: int(count), :n].long()
    assert count == min(30, size)
    known = task.knowledge(rows)  # bijections, all distinct
    if affine:
        assert task.assumption_1(known).holds


@pytest.mark.parametrize(("n", "affine"), [(4, False), (4, True), (7, False)])
def test_a_drawn_relation_is_uniform(n, affine):
    draws = torch.stack(
        [
            pools.draw(scalar(n), scalar(1), torch.tensor(affine), scalar(seed))[0][0, :n]
            for seed in range(600)
        ]
    ).long()
    seen = torch.nn.functional.one_hot(draws, n).double().mean(0)
    assert float((seen - 1 / n).abs().max()) < 4 * math.sqrt(1 / n / 600)
