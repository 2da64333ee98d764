"""Low rank in GPT-2: what learns in each way, and what its first step looks like; one layer on the same facts."""

import math
from typing import Any

import pytest
import torch

from book.acquire.experiments import adapted as module
from book.acquire.experiments import predicted, transformer
from book.acquire.sentences import first_frequent, questions
from lib.acquire import task
from lib.acquire.tokens import Sizes

TINY: dict[str, Any] = {"size": "tiny", "multiplicity": 4, "phrases": 8, "positions": False, "seed": 0}
SMALLEST = transformer.SIZES["tiny"]._replace(
    layers=1, heads=2, width=8, subjects=12, steps=3, rate=1e-3, tuned_steps=4, tuned_rate=1e-3, tuned=(2, 4)
)
MATRICES = [f"transformer.h.0.{name}" for name in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")]


@pytest.fixture
def smallest(monkeypatch):
    pytest.importorskip("peft")
    monkeypatch.setitem(transformer.SIZES, "tiny", SMALLEST)
    monkeypatch.setitem(module.TUNED, "tiny", 4)


@pytest.fixture
def stored(smallest):
    _, known = transformer.size_and_facts("tiny", 4, 8, 0)
    return known, transformer.pretrained(SMALLEST, known, False, 0).model


@pytest.mark.parametrize("way", module.WAYS)
def test_each_way_begins_with_the_same_answers_and_learns_what_it_says(stored, way):
    known, model = stored
    copy = module.adapted(model, way, known, seed=0)
    prompts, answers = questions(known)
    with torch.no_grad():
        assert torch.equal(copy(prompts).logits, model(prompts).logits)
    learned = {name: part for name, part in copy.named_parameters() if part.requires_grad}
    if way == "full":
        assert len(learned) == sum(part.requires_grad for part in model.parameters())
        return
    both = way.startswith("rank ")
    assert len(learned) == len(MATRICES) * (1 + both)
    rank = int(way.removeprefix("rank ")) if both else 1
    assert {part.shape[1] for name, part in learned.items() if "lora_B" in name} == {rank}
    transformer.question_loss(copy, prompts, answers).backward()
    moved = [float(part.grad.abs().max()) for name, part in learned.items() if "lora_B" in name]
    assert all(size > 0 for size in moved)


def test_one_direction_is_that_of_the_questions(stored):
    known, model = stored
    copy = module.adapted(model, "format token", known, seed=0)
    read = module.inputs(model, questions(known)[0], -1)
    assert sorted(read) == sorted(MATRICES)
    for name, seen in read.items():
        down = dict(copy.base_model.model.named_modules())[name].lora_A["default"].weight
        assert torch.allclose(down[0], seen.mean(0) / seen.mean(0).norm(), atol=1e-6)
        assert not down.requires_grad


def test_rows_of_every_way_and_rate(smallest):
    rows = module.low_rank(**TINY)
    assert [row["when"] for row in rows[:4]] == ["start", "best", "chosen", "last"]
    prompts = [(row["way"], row["rate"]) for row in rows[::4]]
    assert prompts == [(way, rate) for way, rates in module.WAYS.items() for rate in rates]
    start = rows[0]["right"]
    assert all(row["right"] == start for row in rows[::4])


def test_the_first_direction_is_that_of_the_gradient(smallest):
    rows = module.first_step(**TINY)
    assert [f"transformer.{row['matrix']}" for row in rows] == MATRICES
    for row in rows:
        assert 1 / 8 <= row["rank_1"] <= 1
        assert all(0 <= row[place] <= 1 for place in ("format", "subject", "phrase"))
    first = rows[0]  # without positions the format token's input to the first block is always the same
    known = transformer.size_and_facts("tiny", 4, 8, 0)[1]
    model = transformer.pretrained(SMALLEST, known, False, 0).model
    chosen = first_frequent(known, 4) > 0
    prompts, answers = questions(known)
    log = torch.log_softmax(model(prompts[chosen]).logits[:, -1], -1)
    loss = -log.gather(1, answers[chosen][:, None]).mean()
    slope = torch.autograd.grad(loss, model.transformer.h[0].attn.c_attn.weight)[0].double()
    assert first["rank_1"] == pytest.approx(
        float(torch.linalg.matrix_norm(slope, 2) / slope.norm()) ** 2, rel=1e-4
    )


def test_sentences_are_those_of_the_chapter():
    known = task.facts(12, 8, 2, 0.5, seed=3)
    said, sizes = task.sentences(known), Sizes(12, 8, 1)
    whole = module.sentences(known)
    assert whole.shape == (len(said.subject), 4)
    assert whole[5].tolist() == [20, sizes.follower, int(said.subject[5]), 12 + int(said.phrase[5])]


def test_one_layer_is_asked_what_gpt_2_is_asked(monkeypatch):
    monkeypatch.setitem(transformer.SIZES, "tiny", SMALLEST._replace(subjects=16, tuned=(2, 6)))
    rows = predicted.predicted("tiny", 1, 8, 0, reach=5)
    assert [(row["reach"], row["tuned"]) for row in rows[:8:4]] == [(8, 2), (8, 6)]
    assert rows[8]["reach"] == 5
    for start, best, chosen, last in (rows[place : place + 4] for place in range(0, 12, 4)):
        assert best["right"] >= max(row["right"] for row in (start, chosen, last))
        assert last["fit"] == 1
        shut = [row["shut_frequent"] for row in (start, best, chosen, last)]
        assert all(math.isnan(share) or share == 0 for share in shut)  # covering is sharp in one layer
        assert last["own_covered"] + last["own_uncovered"] + last["tuned_answer"] > 0.9
