"""Laws of random relations: occupied places, agreeing pairs, none drawn; and how much room the assumptions leave."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from lib.recall import ceiling, task
from lib.recall.task import Knowledge


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(("n", "relations", "examples"), [(4, 9, 2), (4, 20, 3), (5, 30, 2), (6, 12, 4)])
def test_the_ceiling_counts_occupied_places(n, relations, examples):
    known = task.random_bijections(n, relations, generator())
    slow = task.bayes_ceiling(known, task.all_prompts(known, examples))
    assert ceiling.occupied_share(known, examples) == pytest.approx(slow)


@pytest.mark.parametrize("n", range(3, 8))
def test_agreeing_pairs_are_counted_right(n):
    fixed = [sum(i == x for i, x in enumerate(p)) for p in itertools.permutations(range(n))]
    assert ceiling.agreeing_pairs(n) == pytest.approx(sum(k >= 2 for k in fixed) / len(fixed))


@pytest.mark.parametrize(
    ("pool", "marked", "draws"), [(24, 2, 5), (120, 6, 60), (5040, 720, 300), (40, 30, 20)]
)
def test_the_chance_that_none_is_drawn_is_a_quotient_of_binomials(pool, marked, draws):
    exact = math.comb(pool - marked, draws) / math.comb(pool, draws)
    share, rare, count = (torch.tensor([x], dtype=torch.float64) for x in (marked / pool, 1 / pool, draws))
    assert float(ceiling.log_none(share, rare, count).exp()) == pytest.approx(exact, rel=1e-9)


def test_affine_maps_leave_no_room():
    family = task.affine_family(5).answers
    known = {tuple(row) for row in family.tolist()}
    for other in itertools.permutations(range(5)):
        if other not in known:
            assert not task.assumption_1(Knowledge(torch.cat([family, torch.tensor([other])]))).holds


@pytest.mark.parametrize("q", [5, 7, 11])
def test_under_assumption_1_mismatched_prompts_are_bounded(q):
    sets = [task.affine_subset(q, size, generator(size)) for size in (2, 3, q, 2 * q)]
    answers = task.affine_family(q).answers
    slopes = torch.remainder(answers[:, 1] - answers[:, 0], q)
    sets.append(Knowledge(answers[(slopes == 1) | (slopes == q - 1)]))  # x ↦ ±x + b
    for known in sets:
        result = task.assumption_2(known, task.all_prompts(known))
        assert result.mismatched_fraction <= 4 * (known.relations - 1) / (q * (q - 2)) + 1e-12
    assert result.confusing_fraction == 1


def test_two_relations_make_some_prompt_confusing_or_mismatched():
    every = [list(p) for p in itertools.permutations(range(4))]
    for other in every[1:]:
        known = task.knowledge([every[0], other])
        result = task.assumption_2(known, task.all_prompts(known))
        assert result.confusing + result.mismatched > 0
