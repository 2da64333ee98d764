"""The IC-recall task: generators, Definition 1, and the paper's assumptions against brute force."""

import math
import re
from collections.abc import Callable
from itertools import combinations, permutations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.recall import task

quick = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 10_000)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def rows(table: torch.Tensor) -> set[tuple[int, ...]]:
    return {tuple(row) for row in table.tolist()}


@quick
@given(st.integers(3, 6), st.integers(1, 24), seeds)
def test_random_bijections_are_distinct_bijections(subjects: int, relations: int, seed: int) -> None:
    relations = min(relations, math.factorial(subjects))
    answers = task.random_bijections(subjects, relations, generator(seed)).answers
    assert answers.dtype == torch.int64
    assert len(rows(answers)) == relations
    assert all(sorted(row) == list(range(subjects)) for row in answers.tolist())


def test_random_bijections_can_be_all_of_them() -> None:
    assert rows(task.random_bijections(4, 24, generator()).answers) == set(permutations(range(4)))


def test_random_bijections_are_uniform() -> None:
    for relations in (2, 4):  # by rejection, and by choosing from the list of all
        draws = [task.random_bijections(3, relations, generator(seed)).answers for seed in range(600)]
        seen = torch.zeros(3, 3)
        for answers in draws:
            seen += torch.nn.functional.one_hot(answers, 3).sum(0)
        share = seen / (600 * relations)
        assert (share - 1 / 3).abs().max() < 0.06


def test_the_same_seed_draws_the_same_knowledge_and_prompts() -> None:
    first, second = (task.random_bijections(12, 9, generator(5)) for _ in range(2))
    assert torch.equal(first.answers, second.answers)
    a, b = (task.sample_prompts(first, 7, generator(6)) for _ in range(2))
    assert torch.equal(a.subjects, b.subjects)
    assert torch.equal(a.relation, b.relation)


@pytest.mark.parametrize("q", [3, 5, 7, 11])
def test_affine_family_has_exactly_one_relation_through_any_two_pairs(q: int) -> None:
    family = task.affine_family(q)
    assert (family.relations, family.subjects) == (q * (q - 1), q)
    assert torch.equal(family.answers[q + 1], (2 * torch.arange(q) + 1) % q)
    for s1, s2 in combinations(range(q), 2):
        assert rows(family.answers[:, [s1, s2]]) == set(permutations(range(q), 2))


def test_affine_family_of_three_is_all_six_bijections() -> None:
    assert rows(task.affine_family(3).answers) == set(permutations(range(3)))


@pytest.mark.parametrize("q", [3, 5, 7, 31])
def test_affine_family_satisfies_assumption_1(q: int) -> None:
    assert task.assumption_1(task.affine_family(q)) == (0, 1)


@pytest.mark.parametrize("q", [3, 5, 7])
def test_affine_family_satisfies_assumption_2_with_zeta_one(q: int) -> None:
    family = task.affine_family(q)
    result = task.assumption_2(family, task.all_prompts(family))
    assert result.holds
    assert result.zeta == 1


@quick
@given(st.sampled_from([3, 5, 7]), st.integers(1, 6), seeds)
def test_affine_subset_is_part_of_the_family_and_keeps_assumption_1(
    q: int, relations: int, seed: int
) -> None:
    subset = task.affine_subset(q, relations, generator(seed))
    assert len(rows(subset.answers)) == relations
    assert rows(subset.answers) <= rows(task.affine_family(q).answers)
    assert task.assumption_1(subset).holds


@quick
@given(st.integers(3, 5), st.integers(1, 20), seeds)
def test_assumption_1_agrees_with_brute_force(subjects: int, relations: int, seed: int) -> None:
    known = task.random_bijections(subjects, min(relations, math.factorial(subjects)), generator(seed))
    shared: dict[tuple[int, ...], int] = {}
    for answers in known.answers.tolist():
        for s1, s2 in combinations(range(subjects), 2):
            key = (s1, s2, answers[s1], answers[s2])
            shared[key] = shared.get(key, 0) + 1
    result = task.assumption_1(known)
    assert result == (sum(count > 1 for count in shared.values()), max(shared.values()))
    assert result.holds == (max(shared.values()) == 1)


@quick
@given(st.integers(3, 6), st.integers(1, 12), seeds)
def test_assumption_2_agrees_with_brute_force(subjects: int, relations: int, seed: int) -> None:
    known = task.random_bijections(subjects, min(relations, math.factorial(subjects)), generator(seed))
    shown = task.sample_prompts(known, 20, generator(seed))
    confusing = mismatched = 0
    for (s1, s2, s3), r in zip(shown.subjects.tolist(), shown.relation.tolist(), strict=True):
        maps = known.answers.tolist()
        a1, a2 = maps[r][s1], maps[r][s2]
        two = [m for m in maps if sum(m[s] in (a1, a2) for s in (s1, s2, s3)) == 2]
        confusing += any(m[s1] == a2 and m[s2] == a1 for m in two)
        mismatched += any(m[s3] in (a1, a2) for m in two)
    result = task.assumption_2(known, shown)
    assert result == (confusing, mismatched, 20)
    assert (
        result.zeta
        == min(result.confusing_fraction, result.mismatched_fraction)
        == min(confusing, mismatched) / 20
    )


def test_assumption_2_fails_when_one_kind_of_prompt_is_missing() -> None:
    swap_only = task.knowledge([[0, 1, 2], [1, 0, 2]])
    result = task.assumption_2(swap_only, task.prompts(swap_only, [[0, 1, 2]], [0]))
    assert result == (1, 0, 1)
    assert not result.holds


@quick
@given(st.integers(3, 5), st.integers(1, 20), st.integers(2, 3), seeds)
def test_bayes_ceiling_agrees_with_brute_force(
    subjects: int, relations: int, examples: int, seed: int
) -> None:
    known = task.random_bijections(subjects, min(relations, math.factorial(subjects)), generator(seed))
    shown = task.sample_prompts(known, 20, generator(seed), min(examples, subjects - 1))
    best = 0.0
    for row, r in zip(shown.subjects[:, :-1].tolist(), shown.relation.tolist(), strict=True):
        maps = known.answers.tolist()
        best += 1 / sum(all(m[s] == maps[r][s] for s in row) for m in maps)
    assert task.bayes_ceiling(known, shown) == pytest.approx(best / 20, rel=1e-14)


def test_bayes_ceiling_is_one_under_assumption_1_and_below_without_it() -> None:
    family = task.affine_family(5)
    assert task.bayes_ceiling(family, task.all_prompts(family)) == 1
    every = task.random_bijections(4, 24, generator())
    assert task.bayes_ceiling(every, task.all_prompts(every)) == 0.5


def test_the_checks_do_not_depend_on_how_prompts_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    known = task.random_bijections(5, 30, generator())
    shown = task.all_prompts(known)
    whole = task.assumption_2(known, shown), task.bayes_ceiling(known, shown)
    monkeypatch.setattr(task, "CHUNK", 1000)
    assert len(list(task.matches(known, shown))) > 100
    assert task.assumption_2(known, shown) == whole[0]
    assert task.bayes_ceiling(known, shown) == pytest.approx(whole[1], rel=1e-14)


@pytest.mark.parametrize(("subjects", "examples"), [(3, 2), (4, 2), (4, 3), (5, 3)])
def test_all_prompts_lists_each_prompt_once(subjects: int, examples: int) -> None:
    known = task.random_bijections(subjects, 4, generator())
    shown = task.all_prompts(known, examples)
    assert shown.examples == examples
    assert shown.size == 4 * math.perm(subjects, examples + 1)
    listed = {(*row, r) for row, r in zip(shown.subjects.tolist(), shown.relation.tolist(), strict=True)}
    assert listed == {(*row, r) for row in permutations(range(subjects), examples + 1) for r in range(4)}


@quick
@given(st.integers(3, 9), st.integers(2, 5), seeds)
def test_sampled_prompts_are_valid(subjects: int, examples: int, seed: int) -> None:
    known = task.random_bijections(subjects, 3, generator(seed))
    shown = task.sample_prompts(known, 11, generator(seed), min(examples, subjects - 1))
    again = task.prompts(known, shown.subjects, shown.relation)
    assert again.size == 11
    assert again.subjects.dtype == again.relation.dtype == torch.int64


def test_sampled_prompts_follow_definition_1() -> None:
    known = task.random_bijections(4, 3, generator())
    shown = task.sample_prompts(known, 24_000, generator(1))
    code = ((shown.relation * 4 + shown.subjects[:, 0]) * 4 + shown.subjects[:, 1]) * 4 + shown.subjects[:, 2]
    _, counts = code.unique(return_counts=True)
    assert len(counts) == 3 * 24
    expected = 24_000 / 72
    assert ((counts - expected) ** 2 / expected).sum() < 120  # χ² with 71 degrees of freedom: 1 in 4 000


KNOWN = task.knowledge([[0, 1, 2, 3], [1, 0, 3, 2]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: task.knowledge([[0, 1, 2], [0, 2, 2]]),
            "relation 1 gives answer 2 to subjects [1, 2]: must be a b",
        ),
        (lambda: task.knowledge([[0, 1]]), "subjects = 2: must be a whole number at least 3"),
        (
            lambda: task.knowledge(torch.empty(0, 3, dtype=torch.int64)),
            "relations = 0: must be a whole number at",
        ),
        (
            lambda: task.knowledge([[0, 1, 2], [2, 1, 0], [0, 1, 2]]),
            "relations 0 and 2 are equal: must be distinct",
        ),
        (lambda: task.knowledge([[0, 1, 3]]), "answers = 3: must be a whole number from 0 to 2"),
        (lambda: task.knowledge([[0, 1, -1]]), "answers = -1: must be a whole number from 0 to 2"),
        (
            lambda: task.knowledge(torch.rand(2, 3)),
            "answers = torch.float32 of shape (2, 3): must be a table",
        ),
        (lambda: task.knowledge(torch.arange(3)), "answers = torch.int64 of shape (3,): must be a table"),
        (
            lambda: task.random_bijections(2, 1, generator()),
            "subjects = 2: must be a whole number at least 3",
        ),
        (
            lambda: task.random_bijections(3, 7, generator()),
            "relations = 7: must be a whole number from 1 to 6",
        ),
        (
            lambda: task.random_bijections(3, 0, generator()),
            "relations = 0: must be a whole number from 1 to 6",
        ),
        (
            lambda: task.random_bijections(999, 0, generator()),
            "relations = 0: must be a whole number at least 1",
        ),
        (lambda: task.affine_family(9), "q = 9: must be a prime number, and 3 divides it"),
        (lambda: task.affine_family(2), "q = 2: must be a whole number from 3 to 199"),
        (lambda: task.affine_family(211), "q = 211: must be a whole number from 3 to 199"),
        (lambda: task.affine_subset(4, 2, generator()), "q = 4: must be a prime number, and 2 divides it"),
        (
            lambda: task.affine_subset(5, 21, generator()),
            "relations = 21: must be a whole number from 1 to 20",
        ),
        (lambda: task.affine_subset(5, 0, generator()), "relations = 0: must be a whole number from 1 to 20"),
        (lambda: task.prompts(KNOWN, [[0, 1, 1]], [0]), "subjects[0] = [0, 1, 1]: must be distinct"),
        (lambda: task.prompts(KNOWN, [[0, 1, 4]], [0]), "subjects = 4: must be a whole number from 0 to 3"),
        (lambda: task.prompts(KNOWN, [[0, 1, 2]], [2]), "relation = 2: must be a whole number from 0 to 1"),
        (lambda: task.prompts(KNOWN, [[0, 1]], [0]), "examples = 1: must be a whole number from 2 to 3"),
        (
            lambda: task.prompts(KNOWN, [[0, 1, 2, 3, 0]], [0]),
            "examples = 4: must be a whole number from 2 to 3",
        ),
        (
            lambda: task.prompts(KNOWN, [[0, 1, 2]], [0, 1]),
            "have shapes (1, 3) and (2,): must be (B, K+1) and (B,)",
        ),
        (
            lambda: task.prompts(KNOWN, torch.rand(1, 3), [0]),
            "subjects = torch.float32: must be whole numbers",
        ),
        (
            lambda: task.prompts(KNOWN, torch.empty(0, 3).long(), []),
            "number of prompts = 0: must be a whole number",
        ),
        (lambda: task.all_prompts(KNOWN, 4), "examples = 4: must be a whole number from 2 to 3"),
        (lambda: task.all_prompts(KNOWN, 1), "examples = 1: must be a whole number from 2 to 3"),
        (
            lambda: task.all_prompts(task.affine_family(31)),
            "number of prompts = 25082100: must be a whole number from 1 to 10000000",
        ),
        (
            lambda: task.sample_prompts(KNOWN, 0, generator()),
            "count = 0: must be a whole number from 1 to 10000000",
        ),
        (
            lambda: task.sample_prompts(KNOWN, 5, generator(), 4),
            "examples = 4: must be a whole number from 2 to 3",
        ),
        (
            lambda: task.assumption_2(KNOWN, task.all_prompts(KNOWN, 3)),
            "examples = 3: must be a whole number from 2 to 2",
        ),
    ],
)
def test_bad_input_is_refused_with_its_name_and_the_range(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
