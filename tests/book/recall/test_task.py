"""The task: the figure's laws against exact ones and counts, its chips, and the evidence of Lemma 4 and Table 1."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import pytest
import torch
from scipy.stats import hypergeom

from book.recall.task import full_model
from book.recall.task.figure import HINTS, fitting
from book.recall.task.program import Giveaway, giveaway
from book.recall.task.statements import assumption_1, assumption_2, table_1
from lib.program import run
from lib.recall import ceiling, pools, task
from lib.recall.task import Knowledge


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def given(**changes: float) -> Giveaway:
    return run(giveaway(), **changes).report


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def none_drawn(pool: int, marked: int, draws: int) -> float:
    """P(``draws`` of a ``pool`` without replacement contain none of the ``marked``)."""
    return math.comb(pool - marked, draws) / math.comb(pool, draws)


def pool_sizes(subjects: int, affine: bool, examples: int = 2) -> tuple[int, int]:
    """The relations that may be drawn, and how many of them pass through K given examples of one of them."""
    if affine:
        return subjects * (subjects - 1), 1
    return math.factorial(subjects), math.factorial(subjects - examples)


def exact_ceiling(subjects: int, relations: int, affine: bool, examples: int = 2) -> float:
    """The pool falls into N/m classes of equal answers; the ceiling is the number that is occupied, over |R|."""
    pool, marked = pool_sizes(subjects, affine, examples)
    return pool / marked / relations * (1 - none_drawn(pool, marked, relations))


def exact_shares(subjects: int, relations: int, affine: bool) -> list[float]:
    """The mean shares of prompts with another agreeing, with a confusing and with a mismatched relation."""
    pool, marked = pool_sizes(subjects, affine)
    return [1 - none_drawn(pool - 1, kind, relations - 1) for kind in (marked - 1, marked, 4 * marked)]


def exact_violations(subjects: int, relations: int, affine: bool) -> float:
    """The expected number of (s₁ < s₂, a₁, a₂) that two or more relations share."""
    pool, marked = pool_sizes(subjects, affine)
    places = subjects * (subjects - 1) * subjects * (subjects - 1) // 2
    one = relations * marked / pool * none_drawn(pool - 1, marked - 1, relations - 1)
    return places * (1 - none_drawn(pool, marked, relations) - one)


@pytest.mark.parametrize(("n", "affine", "size"), [(3, True, 4), (4, False, 2), (4, False, 3), (5, True, 3)])
def test_the_exact_laws_are_means_over_all_sets(n, affine, size):
    pool = torch.tensor(
        pools.field_maps(n) if affine else [list(p) for p in itertools.permutations(range(n))]
    )
    sets = [Knowledge(pool[list(rows)]) for rows in itertools.combinations(range(len(pool)), size)]
    result = [task.assumption_2(known, task.all_prompts(known)) for known in sets]
    agreeing, confusing, mismatched = exact_shares(n, size, affine)
    count = len(sets)
    assert sum(x.confusing_fraction for x in result) / count == pytest.approx(confusing)
    assert sum(x.mismatched_fraction for x in result) / count == pytest.approx(mismatched)
    assert sum(ceiling.occupied_share(known) for known in sets) / count == pytest.approx(
        exact_ceiling(n, size, affine)
    )
    shared = sum(task.assumption_1(known).violations for known in sets) / count
    assert shared == pytest.approx(exact_violations(n, size, affine))
    assert (agreeing == 0) == affine


@pytest.mark.parametrize("load", [0.02, 0.3, 1.0, 8 / 7, 4.0, 10.0])
@pytest.mark.parametrize("family", [0, 1])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 9, 12, 18])
def test_the_figures_laws_are_exact(n, family, load):
    result = given(subjects=n, family=family, load=load)
    relations, affine = int(result.relations), family == 0
    wanted = (
        exact_ceiling(n, relations, affine),
        *exact_shares(n, relations, affine),
        exact_violations(n, relations, affine),
    )
    mine = (result.ceiling, result.met, result.confusing, result.mismatched, result.violations)
    assert [float(x) for x in mine] == pytest.approx(wanted, rel=1e-9, abs=1e-11)
    assert float(result.others.sum()) == pytest.approx(1)
    assert float(result.others[0]) == pytest.approx(1 - float(result.met), abs=1e-12)


@pytest.mark.parametrize("examples", [2, 3, 4])
def test_more_examples_are_exact_too(examples):
    result = given(examples=examples)
    assert float(result.ceiling) == pytest.approx(exact_ceiling(8, 64, False, examples), rel=1e-12)


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
def test_what_the_figure_counts_is_what_the_task_counts(n, family, load, examples):
    result = given(subjects=n, family=family, load=load, examples=examples, seed=3)
    table, count = pools.draw(scalar(n), result.relations, torch.tensor(family < 0.5), scalar(3))
    known = task.knowledge(table[: int(count), :n].long())
    kinds = task.assumption_2(known, task.all_prompts(known))
    assert result.measured_confusing == pytest.approx(kinds.confusing_fraction)
    assert result.measured_mismatched == pytest.approx(kinds.mismatched_fraction)
    assert result.shared == result.measured_violations == task.assumption_1(known).violations
    slow = task.bayes_ceiling(known, task.all_prompts(known, examples))
    assert float(result.measured_ceiling) == pytest.approx(slow)
    assert float(result.best) == pytest.approx(slow)
    assert float(result.measured_others.sum()) == pytest.approx(1)


def test_no_number_is_missing_but_what_cannot_be_counted_or_does_not_exist():
    for n, family, load, examples in itertools.product(
        (3, 4, 6, 8, 9, 20, 21, 170, 1000, 1e6), (0, 1), (0.01, 1, 10), (2, 4)
    ):
        result = given(subjects=n, family=family, load=load, examples=examples)
        for name, value in result._asdict().items():
            if name in ("shared", "best", "mismatched_here"):
                assert bool(torch.isfinite(value)) == bool(result.family_exists), (name, n, family, load)
            elif not name.startswith("measured") and not name.endswith("curve"):
                assert torch.isfinite(value).all(), (name, n, family, load)
        counted = n <= 8 and result.relations <= pools.ROWS and not (n == 6 and family == 0)
        assert bool(torch.isfinite(result.measured_ceiling)) == counted


def test_a_million_subjects_follow_the_limit():
    result = given(subjects=1e6, load=2.0)
    assert float(result.ceiling) == pytest.approx((1 - math.exp(-2)) / 2, rel=1e-5)
    assert float(result.mismatched) == pytest.approx(1 - math.exp(-8), rel=1e-5)
    assert result.broken == 1


@pytest.mark.parametrize(
    ("n", "exists"), [(4, 1), (6, 0), (9, 1), (10, 0), (128, 1), (999_983, 1), (999_981, 0)]
)
def test_fields_have_powers_of_primes(n, exists):
    assert given(subjects=n, family=0).family_exists == exists


@pytest.mark.parametrize(
    ("n", "family", "load", "first", "second", "good"),
    [
        (8, 0, 1, "holds", "holds", True),
        (8, 1, 8 / 7, "outside", "beyond", False),
        (1e4, 1, 0.01, "outside", "outside", True),  # broken, but hardly a prompt notices
        (3, 1, 1, "holds", "holds", True),  # the six bijections of three subjects are affine
        (8, 0, 0.05, "holds", "outside", True),
        (999_983, 0, 1, "holds", "holds", True),
        (6, 0, 1, "undecided", "undecided", None),
    ],
)
def test_the_chips_say_which_case_it_is(n, family, load, first, second, good):
    result = assumption_1.at({"subjects": n, "family": family, "load": load})
    assert (result.key, result.good and bool(result.good.holds)) == (first, good)
    assert assumption_2.at({"subjects": n, "family": family, "load": load}).key == second


def test_figure_and_statement_ask_for_the_same_zeta_exactly_where_relations_suffice():
    settings = [{"family": 0, "subjects": 11, "load": relations / 110} for relations in (11, 12, 13)]
    results = assumption_2.at_each(settings)
    assert [result.assumed for result in results] == [False, True, True]
    assert [bool(result.report.confusing >= 0.1) for result in results] == [False, True, True]


@pytest.mark.parametrize("known", [task.affine_family(7), task.random_bijections(8, 3, generator(1))])
def test_lemma_4_holds_for_any_facts(known):
    model = full_model.random_weights(full_model.build(known, generator=generator(2)), 3, 1.0)
    spread, accuracy = full_model.tie_and_accuracy(model, known, decoded=False)
    assert spread < 1e-9
    assert accuracy == pytest.approx(1 / known.subjects)
    spread, accuracy = full_model.tie_and_accuracy(
        full_model.looking_at_the_query(model), known, decoded=True
    )
    assert spread > 1
    assert accuracy == 1


def test_four_subjects_are_not_in_the_table():
    assert table_1(subjects=3).key == "holds"
    assert table_1(subjects=4).key == "outside"


@pytest.mark.parametrize(("subjects", "examples"), [(4, 2), (5, 2), (6, 3), (7, 4), (6, 2)])
@pytest.mark.parametrize("load", [0.5, 3.0, 5.9, 6.0, 40.0])
def test_how_many_others_fit_is_hypergeometric_even_where_nearly_all_are_drawn(subjects, examples, load):
    result = run(giveaway(), family=1, subjects=subjects, load=load, examples=examples).report
    pool, answers = math.factorial(subjects), math.perm(subjects, min(examples, subjects - 1))
    law = hypergeom(pool - 1, pool // answers - 1, round(float(result.relations)) - 1).pmf(range(6))
    assert result.others.tolist() == pytest.approx([*law, 1 - law.sum()], abs=1e-9)


@pytest.mark.parametrize(("n", "family", "load"), [(8, 0, 1), (8, 1, 1), (5, 1, 6), (4, 1, 1), (7, 0, 0.4)])
def test_the_squares_show_how_many_relations_fit_the_first_examples(n, family, load):
    examples = min(4, n - 1)
    p = SimpleNamespace(family=scalar(family))
    report = given(family=family, subjects=n, load=load, examples=examples)
    counts = []
    for seed in range(60):
        table, size = pools.draw(scalar(n), report.relations, torch.tensor(family == 0), scalar(seed))
        answers = table[: int(size)]
        same = answers[:, None, :] == answers[None]  # the subjects in order: the set of relations is random
        counts.append([same[..., :j].all(-1).to(torch.float64).sum(1).mean() for j in range(examples + 1)])
    shown = fitting(report, p)
    assert shown[examples + 1 :].isnan().all()
    assert shown[0] == report.relations
    assert shown[examples] == pytest.approx(float(report.agreeing))
    means = torch.tensor(counts, dtype=torch.float64).mean(0)
    assert torch.allclose(shown[: examples + 1], means, rtol=0.03)
    assert len(HINTS) == len(shown)
