"""Figure 4's network: the printed one where it should be, and a memory that pretraining fills."""

from functools import partial
from typing import Any

import pytest
import torch
from torch import Generator

from book.recall.experiments import pretraining
from book.recall.experiments import sweeps as experiments
from lib.recall import model, task

ADAM = partial(torch.optim.Adam, lr=1e-2)


def generator(seed: int = 0) -> Generator:
    return Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def known() -> task.Knowledge:
    return task.random_bijections(4, 6, generator())


def untrained(known: task.Knowledge, width: int = 96, activation: str = "square") -> pretraining.Network:
    return pretraining.network(2 * known.subjects + known.relations + 1, 7, activation, width, generator(1))


@pytest.fixture(scope="module")
def stored(known) -> pretraining.Network:
    return pretraining.pretrain(untrained(known), known, 1.0, ADAM, 300, generator(2))[0]


def test_with_the_memory_of_lemma_1_it_is_the_printed_transformer(known):
    built = model.build(known, 2, generator(3))
    built = built._replace(W_KQ=torch.randn(built.W_KQ.shape, generator=generator(4), dtype=torch.float64))
    network = pretraining.Network(built.embedding, built.W, built.V, built.W_KQ, "square")
    shown = task.sample_prompts(known, 9, generator(5))
    for decoded in (False, True):
        tokens = model.sequence(known, shown, decoded)
        h, attention = pretraining.attend(network, tokens)
        assert torch.allclose(attention, model.attention(built, tokens), atol=1e-12)
        assert torch.allclose(pretraining.decode(network, h), model.logits(built, tokens), atol=1e-10)


def test_facts_are_what_the_relations_say(known):
    n = known.subjects
    for subject, relation, answer in pretraining.facts(known).tolist():
        assert known.answers[relation - 2 * n, subject] == answer - n
    assert len(pretraining.facts(known)) == known.subjects * known.relations


def test_pretraining_fills_the_memory(known, stored):
    assert set(pretraining.memory(stored, known).values()) == {1.0}
    assert max(pretraining.memory(untrained(known), known).values()) < 0.9


@pytest.mark.parametrize("prompts", [5, 70])
def test_fine_tuning_moves_attention_alone_and_lowers_the_loss(known, stored, prompts):
    shown = task.sample_prompts(known, prompts, generator(6))
    tuned, end = pretraining.fine_tune(stored, known, shown, 0.1, ADAM, 60, generator(7))
    assert tuned.W is stored.W
    assert tuned.V is stored.V
    assert not tuned.W_KQ.equal(stored.W_KQ)
    before = pretraining.measure(stored, known, shown, 0.1)
    after = pretraining.measure(tuned, known, shown, 0.1)
    assert float(after.answer_probability) > float(before.answer_probability)
    assert end > 0


def test_the_outcome_counts_what_is_named(known, stored):
    shown = task.sample_prompts(known, 50, generator(8))
    result = pretraining.measure(stored, known, shown, 0.2)
    tokens = model.sequence(known, shown, decoded=True)
    relation, answer, *_ = pretraining.both_steps(stored, known, tokens)
    right = known.answers[shown.relation, shown.subjects[:, -1]]
    assert float(result.accuracy) == float((relation.argmax(1) == shown.relation).double().mean())
    assert float(result.answer_accuracy) == float((answer.argmax(1) == right).double().mean())
    assert 0 < float(result.probability) < 1
    assert torch.allclose(result.from_relation.sum(-1), torch.ones(1, 50, dtype=torch.float64))


def test_a_run_reports_before_and_after(monkeypatch):
    monkeypatch.setattr(experiments, "TESTED", 30)
    monkeypatch.setattr(experiments, "DRAWN", 20)
    setting: dict[str, Any] = {"subjects": 5, "relations": 9, "examples": 3, "temperature": 0.1}
    kind: dict[str, Any] = {"activation": "gelu", "width": 32, "pretraining_temperature": 0.5, "seed": 0}
    ways = ((4, "adam"), (20, "descent"))
    rows = pretraining.pretrained(**setting, **kind, pretraining_steps=5, steps=5, ways=ways)
    assert [(row["samples"], row["optimizer"]) for row in rows] == [(0, "none"), (4, "adam"), (20, "descent")]
    assert len({tuple(row) for row in rows}) == 1
    assert all(sum(row[f"v{i}"] for i in range(1, 9)) == pytest.approx(1, abs=1e-5) for row in rows)


def test_an_unknown_activation_is_named():
    with pytest.raises(ValueError, match="activation = 'tanh': must be one of square, relu, gelu"):
        pretraining.network(10, 7, "tanh", 8, generator())
