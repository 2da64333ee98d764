"""Facts with names in GPT-2: what is learned, what is asked, what is counted; any model by its folder."""

import copy
import math
from typing import Any

import pytest
import torch

from book.acquire.experiments import director as module
from book.acquire.experiments import popqa

pytest.importorskip("transformers")

SMALLEST = module.Size(1, 2, 16, 12, 6, 3e-3, 4, 1e-3, 2, (2, 4))
DIRECTOR = popqa.relation("director")


@pytest.fixture
def smallest(monkeypatch):
    monkeypatch.setitem(module.SIZES, "tiny", SMALLEST)


@pytest.fixture(scope="module")
def learned():
    facts = popqa.films(16, 0)
    size = SMALLEST._replace(layers=2, width=64, steps=150, tuned_steps=20)
    return size, facts, module.learned(size, DIRECTOR, facts, 2, 1.0, 0)


def test_pre_training_tells_every_fact(learned):
    assert learned[2].told == 1


def test_a_sentence_is_learned_whole_and_of_a_question_the_answer_alone(learned):
    _, facts, (speaker, _) = learned
    uses = torch.zeros(16, 8)
    uses[0, :2] = 1
    first, second = module.statements(speaker, DIRECTOR, facts, uses)
    words = speaker.tokenizer.decode(first.tokens)
    assert words == DIRECTOR.told[0].format(subject=facts[0].subject, answer=facts[0].answers[0]) + " [EOS]"
    assert speaker.tokenizer.decode(second.tokens[second.answer :]) == facts[0].answers[0] + " [EOS]"
    assert (first.since, second.since) == (1, 1)
    asked = module.answers(speaker, DIRECTOR, facts)[0]
    assert speaker.tokenizer.decode(asked.tokens[asked.since :]) == facts[0].answers[0] + " [EOS]"


def test_padding_changes_no_loss(learned):
    _, facts, (speaker, _) = learned
    texts = [*module.answers(speaker, DIRECTOR, facts[:1]), module.Taught([5, 6], 1, 1)]
    speaker.model.eval()
    together = module._loss(speaker, texts).item()
    parts = [(module._loss(speaker, [text]).item(), len(text.tokens) - text.since) for text in texts]
    assert together == pytest.approx(sum(a * n for a, n in parts) / sum(n for _, n in parts), rel=1e-5)


def test_what_is_said_is_what_the_likeliest_words_spell(learned):
    _, facts, (speaker, _) = learned
    speaker = speaker._replace(model=copy.deepcopy(speaker.model))
    for _ in module.trained(speaker, module.answers(speaker, DIRECTOR, facts[:6]), 40, 3e-3, 0):
        pass
    heard = module.said(speaker, DIRECTOR, facts[:6])
    assert heard == [one.answers[0] for one in facts[:6]]
    assert module.scored(speaker, DIRECTOR, facts[:6]) == (1, 1)


@pytest.mark.parametrize("name", ["director", "capital"])
def test_rows_of_a_configuration(smallest, name):
    (configuration, *_) = module.cells(name, quick=True, large=False)
    rows: list[dict[str, Any]] = getattr(module, name)(**configuration)
    assert [row["when"] for row in rows] == ["start", "best", "chosen", "last"] * 2
    for start, best, chosen, last in (rows[:4], rows[4:]):
        assert best["exact"] >= max(row["exact"] for row in (start, chosen, last))
        assert (start["step"], last["step"]) == (0, 4)
    assert getattr(module, name)(**configuration) == rows


def test_a_model_in_a_folder_is_asked_about_capitals(learned, smallest, tmp_path, monkeypatch):
    speaker = learned[2].speaker
    for part in speaker:
        part.save_pretrained(tmp_path)
    monkeypatch.setitem(module.SIZES, "paper", SMALLEST)
    monkeypatch.setattr(popqa, "from_hub", lambda name: popqa.films(16, 0))
    rows = module.capital(str(tmp_path), 1, 0)
    assert [row["way"] for row in rows[::4]] == ["frequent", "rare"]
    assert all(math.isnan(row["told"]) for row in rows)


def test_bad_input_is_one_clear_sentence(learned, smallest, tmp_path):
    size, facts, found = learned
    with pytest.raises(ValueError, match=r"^size = 'huge': must be one of tiny, small, paper$"):
        module.director("huge", 1, 0)
    with pytest.raises(ValueError, match=r"^multiplicity = 9: must be at most phrases = 8"):
        module.director("tiny", 9, 0)
    with pytest.raises(OSError, match=r"cannot be loaded, from the Hugging Face hub or as a folder$"):
        module.loaded(str(tmp_path))
    with pytest.raises(
        ValueError, match=r"^tuned = 15: must be at least 1, and leave two facts held out of 1$"
    ):
        module.tuned(found.speaker, size, DIRECTOR, facts[:15], facts[15:], 0)
