"""The memory: one question's scores against the faithful MLP, the chips and the evidence of Lemma 1."""

from __future__ import annotations

import math
import random

import pytest
import torch

from book.recall import compact_memory
from book.recall.common import random_embedding, seeded
from book.recall.memory import full_model, proofs
from book.recall.memory.figure import CAPTION, NEURONS, given_answer, given_subject, shown_scores
from book.recall.memory.program import Recollection, memory
from book.recall.memory.statements import figure_1, lemma_1
from lib.program import run
from lib.recall import pools
from lib.recall.memory import ANSWER, RELATION, SUBJECT
from lib.recall.model import Transformer, memory_layers, memory_scores
from lib.recall.task import random_bijections
from tests.captions import said


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def recalled(**changes: float) -> Recollection:
    return run(memory(), **changes).report


def positions(count: int) -> list[dict[str, float]]:
    chance = random.Random(0)
    return [
        {
            "ask": chance.randrange(3),
            "first": chance.randint(1, 8),
            "second": chance.randint(1, 64),
            "subjects": chance.choice(pools.FIELDS),
            "relations": chance.randint(1, 64),
            "family": chance.randrange(2),
            "sharing": chance.choice([1, 1, 2, 4, 8]),
            "overlap": chance.choice([0.0, 0.0, 0.1, 0.5]),
            "seed": chance.randrange(100),
        }
        for _ in range(count)
    ]


def table_of(values: dict[str, float]) -> torch.Tensor:
    """The relations that are kept, with the answers that are shared."""
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
    table, result = table_of(values), recalled(**values)
    relations, n = table.shape
    embedding = random_embedding(2 * n + relations + 1, values["overlap"])
    W, V = memory_layers(full_model.as_maps(table), embedding)
    transformer = Transformer(embedding, W, V, torch.zeros(1, 1))
    first, second = (int(value) - 1 for value in (result.first_given, result.second_given))
    first += n if values["ask"] == SUBJECT else 0
    second += n if values["ask"] == RELATION else 2 * n
    wanted = memory_scores(transformer, first, second)
    mine = torch.cat(
        [
            result.subjects_scores[:n],
            result.answers[:n],
            result.relations_scores[:relations],
            result.eos[None],
        ]
    )
    assert mine.tolist() == pytest.approx(wanted.tolist(), rel=1e-9, abs=1e-9)
    assert torch.isnan(result.answers[n:]).all()
    assert torch.isnan(result.relations_scores[relations:]).all()


def test_for_bijections_and_orthonormal_embeddings_the_scores_are_4_2_1_and_0():
    for values in positions(60):
        result = recalled(**{**values, "sharing": 1, "overlap": 0.0})
        for kind in ("answers", "subjects", "relations"):
            scores = getattr(result, kind if kind == "answers" else f"{kind}_scores")
            right = getattr(result, f"{kind}_right")
            assert torch.equal(scores.nan_to_num(-1), right.nan_to_num(-1))
        assert result.eos == 0
        assert result.completing == 0 or (result.wrong == 0 and result.maximisers == result.completing)


def test_the_lemma_holds_wherever_its_hypotheses_do():
    for values in positions(40):
        assert lemma_1(**values).key != "contradicted", values


def test_tokens_beyond_the_last_are_counted_round():
    assert recalled(first=7).first_given == 2
    assert recalled(second=23).second_given == 3
    assert recalled(ask=RELATION, second=64).second_given == 4
    assert torch.equal(recalled(first=7, second=23).answers[:5], recalled(first=2, second=3).answers[:5])


def test_numbers_are_missing_only_where_they_mean_nothing():
    for values in positions(80):
        result = recalled(**values)
        for name, value in result._asdict().items():
            if value.dim() == 0 and (
                name not in ("top", "top_right", "margin", "margin_right") or result.completing > 0
            ):
                assert math.isfinite(value), (name, values)


def test_the_grid_sums_to_the_scores():
    neurons = {ask: recalled(ask=ask).neurons.reshape(8, 8)[:5, :5] for ask in (ANSWER, RELATION, SUBJECT)}
    assert torch.equal(neurons[ANSWER].sum(0), recalled().answers[:5])
    assert torch.equal(neurons[SUBJECT].sum(1), recalled(ask=SUBJECT).subjects_scores[:5])
    result = recalled(ask=RELATION)
    framed = result.facts.reshape(8, 8)[:5, :5]
    assert (neurons[RELATION] * framed).sum() == result.top == 4


@pytest.mark.parametrize(
    ("ask", "below", "right", "row", "column"),
    [(ANSWER, True, False, 1, None), (RELATION, False, False, 1, 2), (SUBJECT, False, True, None, 1)],
)
def test_the_drawing_adds_up_what_is_asked_for_and_names_the_words_given(ask, below, right, row, column):
    outcome = run(memory(), ask=ask, first=2, second=3)
    r, p = outcome.report, outcome.parameters
    cells = r.neurons.reshape(8, 8)[:5, :5]
    sums = {name: getattr(NEURONS, name)(r, p)[:5] for name in ("below", "right")}
    assert torch.equal(sums["below"], cells.sum(0)) if below else torch.isnan(sums["below"]).all()
    assert torch.equal(sums["right"], cells.sum(1)) if right else torch.isnan(sums["right"]).all()
    for given, place in ((given_subject(r, p), row), (given_answer(r, p), column)):
        assert given.nonzero().flatten().tolist() == ([] if place is None else [place])


def test_several_relations_that_join_two_tokens_tie_and_that_is_true_but_no_good():
    result = lemma_1.at({"ask": RELATION})
    report = result.report
    assert (report.completing, report.maximisers, report.wrong, report.chance) == (4, 4, 0, 0.25)
    assert result.key == "holds"
    assert result.good is not None
    assert not bool(result.good.holds)


@pytest.mark.parametrize(("sharing", "key"), [(1, "holds"), (2, "beyond"), (3, "outside"), (4, "outside")])
def test_three_subjects_with_one_answer_are_too_many(sharing, key):
    result = lemma_1.at({"sharing": sharing, "first": 5})
    assert (result.report.margin, result.key) == (min(2, 3 - sharing), key)


def test_where_no_fact_joins_the_tokens_the_lemma_says_nothing():
    one = {"ask": RELATION, "family": 1, "relations": 1, "first": 1}
    result = [lemma_1.at({**one, "second": a}) for a in range(1, 6)]
    assert sorted(item.key for item in result) == ["holds"] + ["outside"] * 4
    assert all(item.assumed == bool(item.report.completing > 0) for item in result)
    assert all(item.report.relations == 1 for item in result)


def test_all_that_complete_a_fact_tie_whatever_is_broken():
    for values in positions(100):
        result = recalled(**values)
        assert result.wrong > 0 or result.maximisers == result.completing, values


def test_embeddings_that_overlap_break_the_memory():
    maps = full_model.as_maps(full_model.FACTS["affine, 5"])
    assert full_model.winners_are_right(maps)
    assert not full_model.winners_are_right(maps, 0.1)
    broken = lemma_1.at({"ask": RELATION, "overlap": 0.1})
    assert (broken.key, broken.assumed) == ("outside", False)


def test_a_narrow_lead_does_not_read_as_a_tie():
    outcome = run(memory(), overlap=0.5)
    assert 0 < float(outcome.report.margin) < 1 < 900 < float(outcome.report.rival)
    assert "leads any other by 0.25" in said(CAPTION, lemma_1, outcome)


def test_every_fact_is_recalled_and_a_wrong_score_would_be_seen(monkeypatch):
    assert proofs.every_fact_is_recalled()
    monkeypatch.setitem(full_model.RIGHT, "others", 1.0)  # as printed
    assert not proofs.every_fact_is_recalled()


def test_the_other_scores_are_2_and_not_1():
    for ask in (ANSWER, SUBJECT):
        numbers = proofs.other_scores(ask)
        assert numbers["measured"] == pytest.approx(2)
        assert numbers["paper"] == 1


def test_an_answer_that_the_relation_never_gives_scores_1():
    rest = full_model.others_of_its_kind(full_model.injections(3, 5, 6), ANSWER)
    assert set(rest.round(decimals=6).tolist()) == {1.0, 2.0}


def test_the_cosine_at_which_recall_fails_is_predicted():
    result = full_model.cosine_that_fails(5)
    assert result.measured == pytest.approx(result.predicted, abs=1e-3)


def test_figure_1_needs_an_answer_of_its_own_for_each_subject():
    assert figure_1(sharing=1).key == "holds"
    assert figure_1(sharing=2).key == "outside"


@pytest.mark.parametrize(("ask", "shown"), [(ANSWER, 5), (RELATION, 20), (SUBJECT, 5)])
def test_the_chart_shows_what_is_asked_for_and_what_beats_it(ask, shown):
    outcome = run(memory(), ask=ask)
    scores = shown_scores(outcome.report, outcome.parameters)
    assert int(torch.isfinite(scores).sum()) == shown
    assert float(scores[torch.isfinite(scores)].max()) == float(outcome.report.top)
    overlapping = run(memory(), ask=RELATION, overlap=0.1)
    everything = shown_scores(overlapping.report, overlapping.parameters)
    assert int(torch.isfinite(everything).sum()) == 5 + 20 + 5


def test_a_compact_memory_is_asked_what_lemma_1_is():
    maps = full_model.as_maps(random_bijections(5, 6, seeded(0)).answers)
    ours = compact_memory.questions(5, 6, seed=0)
    for ask, block in zip((ANSWER, SUBJECT, RELATION), ours.given.split(30), strict=True):
        _, completing = full_model.recalled(maps, ask)
        rows = {row.tobytes() for row in completing.numpy()}
        start = {ANSWER: 0, SUBJECT: 30, RELATION: 60}[ask]
        assert {row.tobytes() for row in ours.completing[start : start + 30].numpy()} == rows
        assert all(
            (block[k] < 17).all() and not ours.completing[start + k][block[k]].any() for k in range(30)
        )


def test_a_learned_memory_serves_in_the_transformer_as_printed():
    learned = compact_memory.learned(8, 4, "square", 16.0, seed=0)
    asked = compact_memory.questions(8, 4, seed=0)
    assert learned.answered == 1
    assert learned.embedding.shape[1] < 2 * 8 + 4 + 1  # so embeddings cannot be orthogonal
    embedding, W, V = learned.embedding.double(), learned.W.double(), learned.V.double()
    no_attention = torch.zeros(0, 0, dtype=torch.float64)
    scores = memory_scores(Transformer(embedding, W, V, no_attention), asked.given[:, 0], asked.given[:, 1])
    assert bool(asked.completing.gather(1, scores.argmax(1, keepdim=True)).all())


def test_with_too_few_parameters_it_forgets():
    assert compact_memory.learned(8, 4, "square", 2.0, seed=0).answered < 1
