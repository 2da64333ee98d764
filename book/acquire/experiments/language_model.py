"""Causal language models with their tokenizers: loaded or new, trained on texts, asked questions and scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from statistics import fmean
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.experiments import popqa
from book.acquire.experiments.popqa import NamedFact, Relation
from book.gpt2 import Size, device, gpt2, train
from book.optional import require_optional

BATCH = 128
IGNORED = -100
"""The label of a token that is in no loss, as ``transformers`` has it."""


class LanguageModel(NamedTuple):
    """A causal language model and its tokenizer."""

    model: Any
    tokenizer: Any


def load(name: str, sizes: Sequence[str]) -> LanguageModel:
    """A causal language model by its name on the hub, or by its folder, in single precision.

    Args:
        sizes: what else could have been named, for the error.

    Raises:
        OSError: neither the hub nor a copy that was loaded before has it.
        ValueError: its tokenizer has no token for the end of a text.
        MissingExtra: transformers is not installed.
    """
    transformers = require_optional("transformers", "scale", "a model by name")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        # many models are stored in half precision, in which small steps of AdamW are rounded away
        model = transformers.AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32)
    except (OSError, ValueError) as error:
        raise OSError(
            f"network = {name!r}: must be one of {', '.join(sizes)}, or a model that can be loaded from the Hugging "
            "Face hub, where some ask you to log in first, or from a folder"
        ) from error
    if tokenizer.eos_token_id is None:
        raise ValueError(f"network = {name!r}: must have a tokenizer with a token for the end of a text")
    return LanguageModel(model.to(device()), tokenizer)


def new_gpt2(size: Size, texts: Sequence[str], seed: int) -> LanguageModel:
    """GPT-2 from a random start, whose tokens are the words and signs of the texts."""
    transformers = require_optional("transformers", "scale", "GPT-2")
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.trainers import WordLevelTrainer

    words = Tokenizer(WordLevel(unk_token="[UNK]"))
    words.pre_tokenizer = Whitespace()
    words.train_from_iterator(texts, WordLevelTrainer(special_tokens=["[UNK]", "[EOS]"]))
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token="[UNK]", eos_token="[EOS]", pad_token="[EOS]"
    )
    longest = max(len(tokenizer(text).input_ids) for text in texts)
    model = gpt2(size, len(tokenizer), longest + 8, seed, eos_token_id=tokenizer.eos_token_id)
    return LanguageModel(model, tokenizer)


class TrainingText(NamedTuple):
    """A text to learn."""

    tokens: list[int]
    answer: int  # the place of the answer's first token
    since: int  # the loss is on what stands from this token on, the text's end included


def sentence_texts(
    network: LanguageModel, relation: Relation, facts: Sequence[NamedFact], uses: Tensor
) -> list[TrainingText]:
    """A sentence for each fact and each phrasing that it is told in, learned whole.

    Args:
        uses: (N, R) 1 for a phrasing that the fact is told in.
    """
    return [
        _training_text(
            network, form.format(subject=fact.subject, answer="").strip(), fact.answers[0], whole=True
        )
        for fact, used in zip(facts, uses, strict=True)
        for form, is_used in zip(relation.phrasings, used, strict=True)
        if is_used
    ]


def question_texts(
    network: LanguageModel, relation: Relation, facts: Sequence[NamedFact]
) -> list[TrainingText]:
    """A question and its answer for each fact; the loss is on the answer."""
    return [
        _training_text(network, relation.question.format(subject=fact.subject), fact.answers[0])
        for fact in facts
    ]


def _training_text(network: LanguageModel, before: str, answer: str, whole: bool = False) -> TrainingText:
    tokens, tokens_before = (network.tokenizer(text).input_ids for text in (f"{before} {answer}", before))
    # not len(tokens_before): a tokenizer may join the end of a question and the start of its answer in one token
    same = takewhile(lambda pair: pair[0] == pair[1], zip(tokens, tokens_before, strict=False))
    first = sum(1 for _ in same)
    return TrainingText([*tokens, network.tokenizer.eos_token_id], first, 1 if whole else first)


def train_on(
    network: LanguageModel, texts: Sequence[TrainingText], *, steps: int, rate: float, seed: int
) -> Iterator[int]:
    """Train in place on batches of the texts in random order; yields how many steps are made, see :func:`train`."""
    batches = _batches(len(texts), torch.Generator().manual_seed(seed))

    def batch_loss() -> Tensor:
        return text_loss(network, [texts[place] for place in next(batches).tolist()])

    return train(network.model, batch_loss, steps=steps, rate=rate)


def _batches(count: int, generator: torch.Generator) -> Iterator[Tensor]:
    """Batches of places without end, each pass in a new order."""
    while True:
        yield from torch.randperm(count, generator=generator).split(BATCH)


def text_loss(network: LanguageModel, texts: Sequence[TrainingText]) -> Tensor:
    """The mean of −log P over the tokens that are in the loss, 0-d."""
    longest, model = max(len(text.tokens) for text in texts), network.model
    tokens = torch.zeros(len(texts), longest, dtype=torch.int64)
    labels = torch.full_like(tokens, IGNORED)
    mask = torch.zeros_like(tokens)
    for row, text in enumerate(texts):
        end = len(text.tokens)
        tokens[row, :end], mask[row, :end] = torch.tensor(text.tokens), 1
        labels[row, text.since : end] = tokens[row, text.since : end]
    tokens, mask, labels = (part.to(model.device) for part in (tokens, mask, labels))
    loss: Tensor = model(input_ids=tokens, attention_mask=mask, labels=labels).loss
    return loss


@torch.no_grad()
def generated_answers(network: LanguageModel, relation: Relation, facts: Sequence[NamedFact]) -> list[str]:
    """What each question is answered with, token by likeliest token."""
    questions = [
        network.tokenizer(relation.question.format(subject=fact.subject)).input_ids for fact in facts
    ]
    longest = max(len(text.tokens) - text.answer for text in question_texts(network, relation, facts))
    answers = [""] * len(facts)
    for length in {*map(len, questions)}:  # questions of one length need no padding
        places = [place for place, tokens in enumerate(questions) if len(tokens) == length]
        batch = torch.tensor([questions[place] for place in places]).to(network.model.device)
        new = network.model.generate(
            batch,
            attention_mask=torch.ones_like(batch),
            do_sample=False,
            max_new_tokens=longest,
            pad_token_id=network.tokenizer.eos_token_id,
        )[:, length:]
        texts = network.tokenizer.batch_decode(new, skip_special_tokens=True)
        for place, text in zip(places, texts, strict=True):
            answers[place] = text.strip()
    return answers


def scores(network: LanguageModel, relation: Relation, facts: Sequence[NamedFact]) -> tuple[float, float]:
    """The mean exact match and the mean F1 of what the questions about these facts are answered with."""
    answers = generated_answers(network, relation, facts)
    right = [fact.answers for fact in facts]
    return fmean(map(popqa.exact, answers, right)), fmean(map(popqa.f1, answers, right))


@torch.no_grad()
def learned_share(network: LanguageModel, texts: Sequence[TrainingText]) -> float:
    """The share of texts whose answer is given, word by word, after what stands before it."""
    right = 0
    for text in texts:
        tokens = torch.tensor(text.tokens)
        likeliest = network.model(tokens[None].to(network.model.device)).logits[0].argmax(-1).cpu()
        right += bool((likeliest[:-1] == tokens[1:])[text.answer - 1 :].all())
    return right / len(texts)
