"""Facts with names in GPT-2: what is learned, what is question, what is counted; any model by its folder."""

import copy
import math
from typing import Any

import pytest
import torch

from book.acquire.experiments import director as module
from book.acquire.experiments import language_model, popqa

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

SMALLEST = module.SIZES["tiny"]._replace(
    layers=1, heads=2, width=16, subjects=12, steps=6, tuned_steps=4, every=2, tuned=(2, 4)
)
DIRECTOR = popqa.relation("director")


@pytest.fixture
def smallest(monkeypatch):
    monkeypatch.setitem(module.SIZES, "tiny", SMALLEST)


@pytest.fixture(scope="module")
def learned():
    facts = popqa.films(16, 0)
    size = SMALLEST._replace(layers=2, width=64, steps=150, tuned_steps=20)
    return size, facts, module.pretrained(size, DIRECTOR, facts, 2, 1.0, 0)


def test_pre_training_tells_every_fact(learned):
    assert learned[2].learned == 1


def test_a_sentence_is_learned_whole_and_of_a_question_the_answer_alone(learned):
    _, facts, (network, _) = learned
    uses = torch.zeros(16, 8)
    uses[0, :2] = 1
    first, second = language_model.sentence_texts(network, DIRECTOR, facts, uses)
    words = network.tokenizer.decode(first.tokens)
    assert (
        words == DIRECTOR.phrasings[0].format(subject=facts[0].subject, answer=facts[0].answers[0]) + " [EOS]"
    )
    assert network.tokenizer.decode(second.tokens[second.answer :]) == facts[0].answers[0] + " [EOS]"
    assert (first.since, second.since) == (1, 1)
    question = language_model.question_texts(network, DIRECTOR, facts)[0]
    assert network.tokenizer.decode(question.tokens[question.since :]) == facts[0].answers[0] + " [EOS]"


def test_padding_changes_no_loss(learned):
    _, facts, (network, _) = learned
    texts = [
        *language_model.question_texts(network, DIRECTOR, facts[:1]),
        language_model.TrainingText([5, 6], 1, 1),
    ]
    network.model.eval()
    together = language_model.text_loss(network, texts).item()
    parts = [
        (language_model.text_loss(network, [text]).item(), len(text.tokens) - text.since) for text in texts
    ]
    assert together == pytest.approx(sum(a * n for a, n in parts) / sum(n for _, n in parts), rel=1e-5)


def test_what_is_said_is_what_the_likeliest_words_spell(learned):
    _, facts, (network, _) = learned
    network = network._replace(model=copy.deepcopy(network.model))
    texts = language_model.question_texts(network, DIRECTOR, facts[:6])
    for _ in language_model.train_on(network, texts, steps=40, rate=3e-3, seed=0):
        pass
    answers = language_model.generated_answers(network, DIRECTOR, facts[:6])
    assert answers == [fact.answers[0] for fact in facts[:6]]
    assert language_model.scores(network, DIRECTOR, facts[:6]) == (1, 1)


@pytest.mark.parametrize("name", ["director", "capital"])
def test_rows_of_a_configuration(smallest, name):
    (configuration, *_) = module.cells(name, quick=True, large=False)
    rows: list[dict[str, Any]] = getattr(module, name)(**configuration)
    assert [row["when"] for row in rows] == ["start", "best", "chosen", "last"] * 2
    for start, best, chosen, last in (rows[:4], rows[4:]):
        assert best["exact"] >= max(row["exact"] for row in (start, chosen, last))
        assert (start["step"], last["step"]) == (0, 4)
    assert getattr(module, name)(**configuration) == rows


def test_films_are_followed_from_before_fine_tuning_to_after_it(smallest):
    (configuration, *_) = module.answer_cells(True, False)
    rows = module.answers(**configuration)
    unseen = popqa.films(SMALLEST.subjects, 0)[SMALLEST.tuned[-1] :]
    assert [(row["film"], row["director"]) for row in rows] == [
        (fact.subject, *fact.answers) for fact in unseen
    ]
    assert {type(row[when]) for row in rows for when in ("before", "after")} == {str}


def test_a_model_in_a_folder_is_asked_about_capitals(learned, smallest, tmp_path, monkeypatch):
    network = learned[2].network
    for part in network:
        part.save_pretrained(tmp_path)
    monkeypatch.setitem(module.SIZES, "paper", SMALLEST)
    monkeypatch.setattr(popqa, "from_hub", lambda name: popqa.films(16, 0))
    rows = module.capital(str(tmp_path), 1, 0)
    assert [row["way"] for row in rows[::4]] == ["frequent", "rare"]
    assert all(math.isnan(row["told"]) for row in rows)


def llama(folder, facts, words=False):
    """A folder with a random Llama, stored in half precision, and a tokenizer that begins each text with a token.

    Its tokens are pairs of bytes merged as in GPT-2 and Llama; without ``words`` tokens may span several words.
    """
    how = popqa.relation("capital")
    texts = [how.question.format(subject=fact.subject) + " " + fact.answers[0] for fact in facts] * 3
    pieces = tokenizers.Tokenizer(tokenizers.models.BPE())
    if words:
        pieces.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        pieces.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=600, special_tokens=["<s>", "</s>"])
    pieces.train_from_iterator(texts, trainer)
    pieces.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=pieces, bos_token="<s>", eos_token="</s>"
    ).save_pretrained(folder)
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.LlamaConfig(
        vocab_size=len(pieces.get_vocab()), bos_token_id=0, eos_token_id=1, **shape
    )
    transformers.LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    return how


@pytest.mark.parametrize("words", [True, False])
def test_a_question_to_any_model_begins_as_its_tokenizer_begins_and_the_loss_is_on_the_answer(
    tmp_path, words
):
    facts = popqa.capitals()[:40]
    how = llama(tmp_path, facts, words)
    network = language_model.load(str(tmp_path), [*module.SIZES])
    spanning = 0
    for fact, text in zip(facts, language_model.question_texts(network, how, facts), strict=True):
        question = network.tokenizer(how.question.format(subject=fact.subject)).input_ids
        assert question[0] == text.tokens[0] == 0
        assert (text.tokens[-1], text.tokens.count(1)) == (1, 1)
        answer = network.tokenizer.decode(text.tokens[text.since : -1], clean_up_tokenization_spaces=False)
        assert answer.endswith(fact.answers[0])
        assert text.tokens[: text.since] == question[: text.since]
        assert text.since == text.answer
        spanning += text.since < len(question)
        sentence = language_model.sentence_texts(network, how, [fact], torch.eye(1, 8))[0]
        assert sentence.since == 1 < sentence.answer
    assert bool(spanning) is not words


def test_a_model_that_was_stored_in_half_precision_learns_in_single(tmp_path):
    facts = popqa.capitals()[:8]
    how = llama(tmp_path, facts, words=True)
    network = language_model.load(str(tmp_path), [*module.SIZES])
    assert {part.dtype for part in network.model.parameters()} == {torch.float32}
    before = copy.deepcopy(network.model.state_dict())
    texts = language_model.question_texts(network, how, facts)
    assert [*language_model.train_on(network, texts, steps=1, rate=1e-6, seed=0)] == [0, 1]
    assert all((before[name] != part).any() for name, part in network.model.named_parameters())


def test_a_model_by_name_is_fine_tuned_and_says_what_it_learned(tmp_path, smallest, monkeypatch):
    facts = popqa.capitals()[:12]
    how = llama(tmp_path, facts, words=True)
    network = language_model.load(str(tmp_path), [*module.SIZES])
    texts = language_model.question_texts(network, how, facts)
    for _ in language_model.train_on(network, texts, steps=150, rate=1e-2, seed=0):
        pass
    assert language_model.generated_answers(network, how, facts) == [fact.answers[0] for fact in facts]
    monkeypatch.setitem(module.SIZES, "paper", SMALLEST)
    monkeypatch.setattr(popqa, "from_hub", lambda name: facts)
    rows = module.capital(str(tmp_path), 1, 0)
    assert [row["way"] for row in rows[::4]] == ["frequent", "rare"]


def test_bad_input_is_one_clear_sentence(learned, smallest, tmp_path):
    size, facts, start = learned
    with pytest.raises(ValueError, match=r"^size = 'huge': must be one of tiny, small, paper$"):
        module.director("huge", 1, 0)
    with pytest.raises(ValueError, match=r"^multiplicity = 9: must be at most phrases = 8"):
        module.director("tiny", 9, 0)
    with pytest.raises(
        OSError, match=r"^network = '.*': must be one of tiny, .* or a model that can be loaded .* folder$"
    ):
        language_model.load(str(tmp_path), [*module.SIZES])
    for part in start.network:
        part.save_pretrained(tmp_path)
    start.network.tokenizer.from_pretrained(tmp_path, eos_token=None).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"must have a tokenizer with a token for the end of a text$"):
        language_model.load(str(tmp_path), [*module.SIZES])
    with pytest.raises(
        ValueError, match=r"^tuned = 15: must be at least 1, and leave two facts held out of 1$"
    ):
        module.fine_tuned(start.network, size, DIRECTOR, facts[:15], facts[15:], 0)
