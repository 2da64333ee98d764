"""Figure 4 and Table 2 of Xu & Chen: facts with names, asked in words, of GPT-2 and of any causal language model.

    python -m book experiments acquire director|capital [--quick | --large] [--workers N|ADDRESS]

needs the extra "scale". GPT-2 is pre-trained here, from scratch, word by word. A model by name or folder comes with its
own tokenizer, and knows what it knows: ``capital("openai-community/gpt2", 1, seed=0)``. ``--large`` is PopQA, which the
hub must give: GPT-2 at the paper's size, and Llama. Steps and rates are ours, and constant: the paper's are lost in the
text at hand, but for a warm-up, and a cosine schedule in pre-training.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from operator import itemgetter
from statistics import fmean
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.experiments import popqa
from book.acquire.experiments.popqa import Named, Relation
from book.acquire.experiments.transformer import DECAY, Size, device, gpt2, sized
from book.optional import require_optional
from lib.acquire import task

BATCH = 128
MULTIPLICITIES, SEEDS = (1, 2, 4, 8), 5
LLAMA = "meta-llama/Llama-3.2-1B"
SIZES = {
    "tiny": Size(2, 4, 64, 48, 150, 3e-3, 20, 1e-3, 5, (12, 24)),
    "small": Size(2, 4, 128, 192, 400, 2e-3, 100, 3e-4, 10, (24, 48, 96, 144)),
    "paper": Size(12, 12, 768, 1000, 10_000, 1e-4, 1000, 1e-5, 20, (50, 100, 250, 500)),
}
SETTINGS = {
    "weight decay": DECAY,
    "batch": BATCH,
    **{name: one._asdict() for name, one in SIZES.items()},
}


class Speaker(NamedTuple):
    """A causal language model and its tokenizer."""

    model: Any
    tokenizer: Any


def loaded(name: str) -> Speaker:
    """A causal language model by its name on the hub, or by its folder, in single precision.

    Raises:
        OSError: neither the hub nor a copy that was loaded before has it.
        ValueError: its tokenizer has no token for the end of a text.
        ModuleNotFoundError: transformers is not installed.
    """
    transformers = require_optional("transformers", "scale", "a model by name")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        # many models are stored in half precision, in which small steps of AdamW are rounded away
        model = transformers.AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32)
    except (OSError, ValueError) as error:
        raise OSError(
            f"network = {name!r}: must be one of {', '.join(SIZES)}, or a model that can be loaded from the Hugging "
            "Face hub, where some ask you to log in first, or from a folder"
        ) from error
    if tokenizer.eos_token_id is None:
        raise ValueError(f"network = {name!r}: must have a tokenizer with a token for the end of a text")
    return Speaker(model.to(device()), tokenizer)


def newborn(size: Size, texts: Sequence[str], seed: int) -> Speaker:
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
    return Speaker(model, tokenizer)


class Taught(NamedTuple):
    """A text to learn; the loss is on what stands from token ``since`` on, its end included.

    Attributes:
        answer: the first token of the answer.
    """

    tokens: list[int]
    answer: int
    since: int


def statements(speaker: Speaker, how: Relation, told: Sequence[Named], uses: Tensor) -> list[Taught]:
    """A sentence for each fact and each phrasing that it is told in; ``uses`` is (N, R)."""
    return [
        _taught(speaker, form.format(subject=one.subject, answer="").strip(), one.answers[0], whole=True)
        for one, used in zip(told, uses, strict=True)
        for form, is_used in zip(how.told, used, strict=True)
        if is_used
    ]


def answers(speaker: Speaker, how: Relation, told: Sequence[Named]) -> list[Taught]:
    """A question and its answer for each fact; the loss is on the answer."""
    return [_taught(speaker, how.asked.format(subject=one.subject), one.answers[0]) for one in told]


def _taught(speaker: Speaker, before: str, answer: str, whole: bool = False) -> Taught:
    tokens, asked = (speaker.tokenizer(text).input_ids for text in (f"{before} {answer}", before))
    # not len(asked): a tokenizer may join the end of what is asked and the start of the answer in one token
    since = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(tokens, asked, strict=False)))
    return Taught([*tokens, speaker.tokenizer.eos_token_id], since, 1 if whole else since)


def trained(speaker: Speaker, texts: Sequence[Taught], steps: int, rate: float, seed: int) -> Iterator[float]:
    """Train in place; before the first step NaN, then after each the loss of its batch."""
    rule = torch.optim.AdamW(speaker.model.parameters(), lr=rate, weight_decay=DECAY)
    yield math.nan
    for batch in islice(_batches(len(texts), torch.Generator().manual_seed(seed)), steps):
        rule.zero_grad()
        loss = _loss(speaker, [texts[place] for place in batch.tolist()])
        loss.backward()
        rule.step()
        yield loss.item()


def _batches(count: int, chance: torch.Generator) -> Iterator[Tensor]:
    while True:
        yield from torch.randperm(count, generator=chance).split(BATCH)


def _loss(speaker: Speaker, texts: Sequence[Taught]) -> Tensor:
    longest, model = max(len(text.tokens) for text in texts), speaker.model
    tokens = torch.zeros(len(texts), longest, dtype=torch.int64)
    wanted = torch.full_like(tokens, -100)
    seen = torch.zeros_like(tokens)
    for row, text in enumerate(texts):
        end = len(text.tokens)
        tokens[row, :end], seen[row, :end] = torch.tensor(text.tokens), 1
        wanted[row, text.since : end] = tokens[row, text.since : end]
    given = (part.to(model.device) for part in (tokens, seen, wanted))
    return model(**dict(zip(("input_ids", "attention_mask", "labels"), given, strict=True))).loss


@torch.no_grad()
def said(speaker: Speaker, how: Relation, about: Sequence[Named]) -> list[str]:
    """What each question is answered with, word by likeliest word."""
    asked = [speaker.tokenizer(how.asked.format(subject=one.subject)).input_ids for one in about]
    longest = max(len(text.tokens) - text.answer for text in answers(speaker, how, about))
    found = [""] * len(about)
    for length in {*map(len, asked)}:  # questions of one length need no padding
        places = [place for place, tokens in enumerate(asked) if len(tokens) == length]
        batch = torch.tensor([asked[place] for place in places]).to(speaker.model.device)
        new = speaker.model.generate(
            batch,
            attention_mask=torch.ones_like(batch),
            do_sample=False,
            max_new_tokens=longest,
            pad_token_id=speaker.tokenizer.eos_token_id,
        )[:, length:]
        for place, text in zip(
            places, speaker.tokenizer.batch_decode(new, skip_special_tokens=True), strict=True
        ):
            found[place] = text.strip()
    return found


def tuned(
    speaker: Speaker, size: Size, how: Relation, chosen: Sequence[Named], unseen: Sequence[Named], seed: int
) -> list[dict[str, Any]]:
    """Fine-tune a copy on the questions about the chosen facts.

    Returns:
        four rows: ``when`` is "start", "best" (the first step that is best on the test, which flatters), "chosen" (best
        on the other half of the unseen facts) and "last"; ``step``; ``exact`` and ``f1`` on the test; ``others``, exact
        match on the other half; ``fit``, on the fine-tuned facts at the end.

    Raises:
        ValueError: fewer than two facts are unseen, or none is chosen.
    """
    if len(unseen) < 2 or not chosen:
        raise ValueError(
            f"tuned = {len(chosen)}: must be at least 1, and leave two facts held out of {len(unseen)}"
        )
    speaker = speaker._replace(model=copy.deepcopy(speaker.model))
    looks = []
    learning = trained(speaker, answers(speaker, how, chosen), size.tuned_steps, size.tuned_rate, seed)
    for step, _ in enumerate(learning):
        if step % size.every == 0 or step == size.tuned_steps:
            exact, f1 = scored(speaker, how, unseen[::2])
            others, _ = scored(speaker, how, unseen[1::2])
            looks.append({"step": step, "exact": exact, "f1": f1, "others": others})
    fit, _ = scored(speaker, how, chosen)
    best, fair = (max(looks, key=itemgetter(by)) for by in ("exact", "others"))
    moments = {"start": looks[0], "best": best, "chosen": fair, "last": looks[-1]}
    return [{"when": when, **look, "fit": fit} for when, look in moments.items()]


def scored(speaker: Speaker, how: Relation, about: Sequence[Named]) -> tuple[float, float]:
    """The mean exact match and the mean F1 of what the questions about these facts are answered with."""
    heard = said(speaker, how, about)
    right = [one.answers for one in about]
    return fmean(map(popqa.exact, heard, right)), fmean(map(popqa.f1, heard, right))


class Learned(NamedTuple):
    """A network after pre-training; the facts that are told in K phrasings come first.

    Attributes:
        told: the share of sentences whose answer it gives, word by word, after what stands before it.
    """

    speaker: Speaker
    told: float


def learned(
    size: Size, how: Relation, facts: Sequence[Named], multiplicity: int, share: float, seed: int
) -> Learned:
    """GPT-2 pre-trained on the facts, the first ``share`` of them told in K phrasings and the others in one.

    Raises:
        ValueError: K above the number of phrasings.
    """
    uses = task.facts(len(facts), len(how.told), multiplicity, share, seed).uses
    every = [form.format(subject=one.subject, answer=one.answers[0]) for one in facts for form in how.told]
    speaker = newborn(size, [*every, *(how.asked.format(subject=one.subject) for one in facts)], seed)
    texts = statements(speaker, how, facts, uses)
    for _ in trained(speaker, texts, size.steps, size.rate, seed):
        pass
    return Learned(speaker, _told(speaker, texts))


@torch.no_grad()
def _told(speaker: Speaker, texts: Sequence[Taught]) -> float:
    right = 0
    for text in texts:
        tokens = torch.tensor(text.tokens)
        likeliest = speaker.model(tokens[None].to(speaker.model.device)).logits[0].argmax(-1).cpu()
        right += bool((likeliest[:-1] == tokens[1:])[text.answer - 1 :].all())
    return right / len(texts)


def director(size: str, multiplicity: int, seed: int) -> list[dict[str, Any]]:
    """Figure 4: films, all told in K phrasings; PopQA's at the paper's size, else made-up ones.

    Returns:
        the rows of :func:`tuned` for each n_ft of ``Size.tuned``, with ``tuned`` and ``told`` of :class:`Learned`.

    Raises:
        ValueError: an unknown size, or K above the number of phrasings.
    """
    of, how = sized(size, SIZES), popqa.relation("director")
    facts = popqa.from_hub("director")[: of.subjects] if size == "paper" else popqa.films(of.subjects, seed)
    found = learned(of, how, facts, multiplicity, 1.0, seed)
    return [
        {"tuned": count, "told": found.told, **row}
        for count in of.tuned
        for row in tuned(found.speaker, of, how, facts[:count], facts[count:], seed)
    ]


def capital(network: str, multiplicity: int, seed: int) -> list[dict[str, Any]]:
    """Table 2: a quarter of the facts is fine-tuned, all popular ones or all rare ones, and one test put to both.

    Args:
        network: a size, pre-trained here on the book's capitals, the popular half told in K phrasings and the others in
            one; or a causal language model's name or folder, asked about PopQA's capitals, and K is its own affair.

    Returns:
        the rows of :func:`tuned` for each ``way``, "frequent" and "rare", with ``told`` of :class:`Learned`, NaN for a
        model by name.

    Raises:
        ValueError: K above the number of phrasings. OSError: there is no model of this name.
    """
    how, known = popqa.relation("capital"), network in SIZES
    of = SIZES[network if known else "paper"]
    facts = popqa.capitals() if known else popqa.from_hub("capital")
    found = learned(of, how, facts, multiplicity, 0.5, seed) if known else Learned(loaded(network), math.nan)
    order = torch.randperm(len(facts), generator=torch.Generator().manual_seed(seed)).tolist()
    popular, rare = ([facts[j] for j in order if (j < len(facts) // 2) == wanted] for wanted in (True, False))
    count = len(facts) // 4
    unseen = [*popular[count:], *rare[count:]]
    unseen = [
        unseen[j] for j in torch.randperm(len(unseen), generator=torch.Generator().manual_seed(seed)).tolist()
    ]
    return [
        {"way": way, "told": found.told, **row}
        for way, chosen in (("frequent", popular[:count]), ("rare", rare[:count]))
        for row in tuned(found.speaker, of, how, chosen, unseen, seed)
    ]


def cells(name: str, quick: bool, large: bool) -> list[dict[str, Any]]:
    """The configurations of "director" and of "capital", which has those of a model by name at its large size."""
    size = "tiny" if quick else "paper" if large else "small"
    seeds = range(1 if quick else SEEDS)
    if name == "director":
        grid = (1, 4) if quick else MULTIPLICITIES
        return [{"size": size, "multiplicity": k, "seed": seed} for seed in seeds for k in grid]
    network = LLAMA if large else size
    return [
        {"network": network, "multiplicity": k, "seed": seed}
        for seed in seeds
        for k in ((1,) if large else (1, 4))
    ]
