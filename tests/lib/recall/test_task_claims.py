"""The task's counts: closed forms against enumeration, the page's numbers, and the claims of section 2."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from lib.recall import task
from lib.recall.claims import task as claim
from lib.recall.dynamics import ceiling, pools
from lib.recall.dynamics.giveaway import DEFAULTS, Giveaway, giveaway
from lib.recall.task import Knowledge


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def given(**changes: float) -> Giveaway:
    return giveaway(**{name: scalar(value) for name, value in {**DEFAULTS, **changes}.items()})


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def every_set(pool: torch.Tensor, size: int) -> list[Knowledge]:
    return [Knowledge(pool[list(rows)]) for rows in itertools.combinations(range(len(pool)), size)]


@pytest.mark.parametrize(("n", "affine", "size"), [(3, True, 4), (4, False, 2), (4, False, 3), (5, True, 3)])
def test_the_laws_are_means_over_all_sets(n, affine, size):
    pool = torch.tensor(
        pools.field_maps(n) if affine else [list(p) for p in itertools.permutations(range(n))]
    )
    sets = every_set(pool, size)
    found = [task.assumption_2(known, task.all_prompts(known)) for known in sets]
    agreeing, confusing, mismatched = ceiling.exact_shares(n, size, affine)
    count = len(sets)
    assert sum(x.confusing_fraction for x in found) / count == pytest.approx(confusing)
    assert sum(x.mismatched_fraction for x in found) / count == pytest.approx(mismatched)
    assert sum(ceiling.occupied_share(known) for known in sets) / count == pytest.approx(
        ceiling.exact_ceiling(n, size, affine)
    )
    shared = sum(task.assumption_1(known).violations for known in sets) / count
    assert shared == pytest.approx(ceiling.exact_violations(n, size, affine))
    assert (agreeing == 0) == affine


@pytest.mark.parametrize(("n", "relations", "examples"), [(4, 9, 2), (4, 20, 3), (5, 30, 2), (6, 12, 4)])
def test_the_ceiling_counts_occupied_places(n, relations, examples):
    known = task.random_bijections(n, relations, generator())
    slow = task.bayes_ceiling(known, task.all_prompts(known, examples))
    assert ceiling.occupied_share(known, examples) == pytest.approx(slow)


@pytest.mark.parametrize("n", range(3, 8))
def test_agreeing_pairs_are_counted_right(n):
    fixed = [sum(i == x for i, x in enumerate(p)) for p in itertools.permutations(range(n))]
    assert ceiling.agreeing_pairs(n) == pytest.approx(sum(k >= 2 for k in fixed) / len(fixed))


@pytest.mark.parametrize("load", [0.02, 0.3, 1.0, 8 / 7, 4.0, 10.0])
@pytest.mark.parametrize("family", [0, 1])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 9, 12, 18])
def test_the_pages_closed_forms_are_exact(n, family, load):
    found = given(subjects=n, family=family, load=load)
    relations, affine = int(found.relations), family == 0
    wanted = (
        ceiling.exact_ceiling(n, relations, affine),
        *ceiling.exact_shares(n, relations, affine),
        ceiling.exact_violations(n, relations, affine),
    )
    mine = (found.ceiling, found.met, found.confusing, found.mismatched, found.violations)
    assert [float(x) for x in mine] == pytest.approx(wanted, rel=1e-9, abs=1e-11)
    assert float(found.others.sum()) == pytest.approx(1)
    assert float(found.others[0]) == pytest.approx(1 - float(found.met), abs=1e-12)


@pytest.mark.parametrize("examples", [2, 3, 4])
def test_more_examples_are_exact_too(examples):
    found = given(examples=examples)
    assert float(found.ceiling) == pytest.approx(ceiling.exact_ceiling(8, 64, False, examples), rel=1e-12)


@pytest.mark.parametrize(
    ("n", "family", "load", "examples"),
    [
        (3, 0, 1, 2),
        (4, 1, 1.5, 3),
        (5, 0, 0.5, 2),
        (5, 1, 3, 2),
        (7, 0, 0.6, 2),
        (8, 1, 8 / 7, 2),
        (8, 1, 1.9, 3),
    ],
)
def test_what_the_page_counts_is_what_the_task_counts(n, family, load, examples):
    found = given(subjects=n, family=family, load=load, examples=examples, seed=3)
    table, count = pools.draw(scalar(n), found.relations, torch.tensor(family < 0.5), scalar(3))
    known = task.knowledge(table[: int(count), :n].long())
    kinds = task.assumption_2(known, task.all_prompts(known))
    assert found.measured_confusing == pytest.approx(kinds.confusing_fraction)
    assert found.measured_mismatched == pytest.approx(kinds.mismatched_fraction)
    assert found.measured_violations == task.assumption_1(known).violations
    slow = task.bayes_ceiling(known, task.all_prompts(known, examples))
    assert float(found.measured_ceiling) == pytest.approx(slow)
    assert float(found.measured_others.sum()) == pytest.approx(1)


def test_no_number_is_missing_but_what_cannot_be_counted():
    for n, family, load, examples in itertools.product(
        (3, 4, 6, 8, 9, 20, 21, 170, 1000, 1e6), (0, 1), (0.01, 1, 10), (2, 4)
    ):
        found = given(subjects=n, family=family, load=load, examples=examples)
        for name, value in found._asdict().items():
            if not name.startswith("measured") and not name.endswith("curve"):
                assert torch.isfinite(value).all(), (name, n, family, load)
        counted = n <= 8 and found.relations <= pools.ROWS and not (n == 6 and family == 0)
        assert bool(torch.isfinite(found.measured_ceiling)) == counted


def test_a_million_subjects_follow_the_limit():
    found = given(subjects=1e6, load=2.0)
    assert float(found.ceiling) == pytest.approx((1 - math.exp(-2)) / 2, rel=1e-5)
    assert float(found.mismatched) == pytest.approx(1 - math.exp(-8), rel=1e-5)
    assert found.broken == 1


@pytest.mark.parametrize(
    ("n", "exists"), [(4, 1), (6, 0), (9, 1), (10, 0), (128, 1), (999_983, 1), (999_981, 0)]
)
def test_fields_have_powers_of_primes(n, exists):
    assert given(subjects=n, family=0).family_exists == exists


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
        found = task.assumption_2(known, task.all_prompts(known))
        assert found.mismatched_fraction <= ceiling.mismatched_bound(q, known.relations) + 1e-12
    assert found.confusing_fraction == 1


def test_two_relations_make_some_prompt_confusing_or_mismatched():
    every = [list(p) for p in itertools.permutations(range(4))]
    for other in every[1:]:
        known = task.knowledge([every[0], other])
        found = task.assumption_2(known, task.all_prompts(known))
        assert found.confusing + found.mismatched > 0


@pytest.mark.parametrize("known", [task.affine_family(7), task.random_bijections(8, 3, generator(1))])
def test_lemma_4_holds_for_any_facts(known):
    model = claim.random_weights(claim.build(known, generator=generator(2)), 3, 1.0)
    spread, accuracy = claim.answers_told(model, known, decoded=False)
    assert spread < 1e-9
    assert accuracy == pytest.approx(1 / known.subjects)
    spread, accuracy = claim.answers_told(claim.looking_at_the_query(model), known, decoded=True)
    assert spread > 1
    assert accuracy == 1


def test_four_subjects_are_not_in_the_table():
    assert claim.table_1(3).conclusion
    assert not claim.table_1(4).conclusion


@pytest.mark.parametrize(
    ("n", "family", "load", "verdict", "story"),
    [(8, 0, 1, 0, 0), (8, 1, 8 / 7, 2, 1), (1e4, 1, 0.01, 3, 2), (3, 1, 1, 0, 3), (6, 0, 1, 4, 4)],
)
def test_the_verdict_says_which_case_it_is(n, family, load, verdict, story):
    found = given(subjects=n, family=family, load=load)
    assert (found.verdict, found.story) == (verdict, story)
