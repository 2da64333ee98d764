"""The memory: the page's scores against the faithful MLP, its pools of relations, and the claims of Lemma 1."""

from __future__ import annotations

import itertools
import math
import random

import pytest
import torch

from lib.recall import task
from lib.recall.claims import memory as claim
from lib.recall.dynamics import memory, pools
from lib.recall.dynamics.memory import ANSWER, DEFAULTS, RELATION, SUBJECT, recollect
from lib.recall.model import Transformer, memory_layers, memory_scores


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def recalled(**changes: float) -> memory.Recollection:
    return recollect(**{name: scalar(value) for name, value in {**DEFAULTS, **changes}.items()})


def positions(count: int) -> list[dict[str, float]]:
    chance = random.Random(0)
    return [
        {
            "ask": chance.randrange(3),
            "first": chance.randint(1, 8),
            "second": chance.randint(1, 64),
            "subjects": chance.choice(memory.SUBJECTS),
            "relations": chance.randint(1, 64),
            "family": chance.randrange(2),
            "sharing": chance.choice([1, 1, 2, 4, 8]),
            "overlap": chance.choice([0.0, 0.0, 0.1, 0.5]),
            "seed": chance.randrange(100),
        }
        for _ in range(count)
    ]


def table_of(values: dict[str, float]) -> torch.Tensor:
    """The relations that the page keeps, with the answers that are shared."""
    n = int(values["subjects"])
    drawn, count = pools.draw(
        scalar(n),
        scalar(values["relations"]),
        torch.tensor(values["family"] < 0.5),
        scalar(values["seed"]),
    )
    answers = drawn[: int(count), :n].long()
    return torch.where(torch.arange(n) < values["sharing"], answers[:, :1], answers)


@pytest.mark.parametrize("values", positions(30))
def test_every_score_is_the_faithful_mlps(values):
    table, found = table_of(values), recalled(**values)
    relations, n = table.shape
    embedding = claim.random_embedding(2 * n + relations + 1, values["overlap"])
    maps = claim.as_maps(table, n)
    W, V = memory_layers(maps, embedding)
    transformer = Transformer(embedding, W, V, torch.zeros(1, 1))
    first, second = (int(value) - 1 for value in (found.first_given, found.second_given))
    first += n if values["ask"] == SUBJECT else 0
    second += n if values["ask"] == RELATION else 2 * n
    wanted = memory_scores(transformer, first, second)
    mine = torch.cat(
        [found.subjects_scores[:n], found.answers[:n], found.relations_scores[:relations], found.eos[None]]
    )
    assert mine.tolist() == pytest.approx(wanted.tolist(), rel=1e-9, abs=1e-9)
    assert torch.isnan(found.answers[n:]).all()
    assert torch.isnan(found.relations_scores[relations:]).all()


def test_for_bijections_and_orthonormal_embeddings_the_scores_are_4_2_1_and_0():
    for values in positions(60):
        found = recalled(**{**values, "sharing": 1, "overlap": 0.0})
        for kind in ("answers", "subjects", "relations"):
            scores = getattr(found, kind if kind == "answers" else f"{kind}_scores")
            right = getattr(found, f"{kind}_right")
            assert torch.equal(scores.nan_to_num(-1), right.nan_to_num(-1))
        assert found.eos == 0
        assert found.verdict in (0, 4, 5)


def test_tokens_beyond_the_last_are_counted_round():
    assert recalled(first=7).first_given == 2
    assert recalled(second=23).second_given == 3
    assert recalled(ask=RELATION, second=64).second_given == 4
    assert torch.equal(recalled(first=7, second=23).answers[:5], recalled(first=2, second=3).answers[:5])


def test_numbers_are_missing_only_where_they_mean_nothing():
    for values in positions(80):
        found = recalled(**values)
        for name, value in found._asdict().items():
            if value.dim() == 0 and (
                name not in ("top", "top_right", "margin", "margin_right") or found.stored
            ):
                assert math.isfinite(value), (name, values)


def test_the_grid_sums_to_the_scores():
    neurons = {ask: recalled(ask=ask).neurons.reshape(8, 8)[:5, :5] for ask in (ANSWER, RELATION, SUBJECT)}
    assert torch.equal(neurons[ANSWER].sum(0), recalled().answers[:5])
    assert torch.equal(neurons[SUBJECT].sum(1), recalled(ask=SUBJECT).subjects_scores[:5])
    found = recalled(ask=RELATION)
    framed = found.facts.reshape(8, 8)[:5, :5]
    assert (neurons[RELATION] * framed).sum() == found.top == 4


def test_several_relations_that_join_two_tokens_tie():
    found = recalled(ask=RELATION)
    assert (found.completing, found.maximisers, found.verdict, found.unique) == (4, 4, 4, 0)


@pytest.mark.parametrize(("sharing", "verdict"), [(1, 0), (2, 3), (3, 2), (4, 2)])
def test_three_subjects_with_one_answer_are_too_many(sharing, verdict):
    found = recalled(sharing=sharing, first=5)
    assert (found.margin, found.verdict) == (min(2, 3 - sharing), verdict)


def test_no_fact_no_claim():
    found = recalled(ask=RELATION, family=1, relations=1, first=1)
    others = [recalled(ask=RELATION, family=1, relations=1, first=1, second=a) for a in range(1, 6)]
    assert sorted(float(item.verdict) for item in others) == [0, 5, 5, 5, 5]
    assert found.relations == 1


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


def test_embeddings_that_overlap_break_the_memory():
    assert claim.lemma_1(1, 0.0).conclusion
    broken = claim.lemma_1(1, 0.1)
    assert not broken.conclusion
    assert not all(broken.hypotheses.values())


def test_the_other_scores_are_2_and_not_1():
    for ask in (ANSWER, SUBJECT):
        numbers = claim._others(ask)
        assert numbers["measured"] == pytest.approx(2)
        assert numbers["paper"] == 1


def test_an_answer_that_the_relation_never_gives_scores_1():
    maps = claim.injections(3, 5, 6)
    scores, completing = claim.recalled(maps, ANSWER)
    rest = scores[:, 3:8][~completing[:, 3:8]]
    assert set(rest.round(decimals=6).tolist()) == {1.0, 2.0}
