"""Figure 4 and Table 2 of Xu & Chen: facts with names, asked in words, of GPT-2 and of any causal language model.

    python -m book experiments acquire director|answers|capital [--quick | --large] [--workers N|ADDRESS]

needs the extra "scale". GPT-2 is pre-trained here, from scratch, word by word. A model by name or folder comes with its
own tokenizer, and knows what it knows: ``capital("openai-community/gpt2", 1, seed=0)``. ``--large`` is PopQA, which the
hub must give: GPT-2 at the paper's size, and Llama. Steps and rates are ours, and constant: the paper's are lost in the
text at hand, but for a warm-up, and a cosine schedule in pre-training.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import torch

from book.acquire.experiments import popqa
from book.acquire.experiments.language_model import (
    BATCH,
    LanguageModel,
    generated_answers,
    learned_share,
    load,
    new_gpt2,
    question_texts,
    scores,
    sentence_texts,
    train_on,
)
from book.acquire.experiments.popqa import NamedFact, Relation
from book.gpt2 import WEIGHT_DECAY, Size, size_named
from lib.acquire import task

MULTIPLICITIES, SEEDS = (1, 2, 4, 8), 5
LLAMA = "meta-llama/Llama-3.2-1B"
SIZES = {
    "tiny": Size(
        layers=2,
        heads=4,
        width=64,
        subjects=48,
        steps=150,
        rate=3e-3,
        tuned_steps=20,
        tuned_rate=1e-3,
        every=5,
        tuned=(12, 24),
    ),
    "small": Size(
        layers=2,
        heads=4,
        width=128,
        subjects=192,
        steps=400,
        rate=2e-3,
        tuned_steps=100,
        tuned_rate=3e-4,
        every=10,
        tuned=(24, 48, 96, 144),
    ),
    "paper": Size(
        layers=12,
        heads=12,
        width=768,
        subjects=1000,
        steps=10_000,
        rate=1e-4,
        tuned_steps=1000,
        tuned_rate=1e-5,
        every=20,
        tuned=(50, 100, 250, 500),
    ),
}
SETTINGS = {
    "weight decay": WEIGHT_DECAY,
    "batch": BATCH,
    **{name: size._asdict() for name, size in SIZES.items()},
}


class Pretrained(NamedTuple):
    """A network after pre-training."""

    network: LanguageModel
    learned: float  # the share of sentences whose answer it gives; NaN for a model by name


def pretrained(
    size: Size, relation: Relation, facts: Sequence[NamedFact], multiplicity: int, share: float, seed: int
) -> Pretrained:
    """GPT-2 pre-trained on the facts, the first ``share`` of them told in K phrasings and the others in one.

    Raises:
        ValueError: K above the number of phrasings.
    """
    uses = task.facts(len(facts), len(relation.phrasings), multiplicity, share, seed).uses
    vocabulary = [
        form.format(subject=fact.subject, answer=fact.answers[0])
        for fact in facts
        for form in relation.phrasings
    ]
    vocabulary += [relation.question.format(subject=fact.subject) for fact in facts]
    network = new_gpt2(size, vocabulary, seed)
    texts = sentence_texts(network, relation, facts, uses)
    for _ in train_on(network, texts, steps=size.steps, rate=size.rate, seed=seed):
        pass
    return Pretrained(network, learned_share(network, texts))


def fine_tuned(
    network: LanguageModel,
    size: Size,
    relation: Relation,
    chosen: Sequence[NamedFact],
    unseen: Sequence[NamedFact],
    seed: int,
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
    network = network._replace(model=copy.deepcopy(network.model))
    texts = question_texts(network, relation, chosen)
    looks = []
    for step in train_on(network, texts, steps=size.tuned_steps, rate=size.tuned_rate, seed=seed):
        if step % size.every == 0 or step == size.tuned_steps:
            exact, f1 = scores(network, relation, unseen[::2])
            others, _ = scores(network, relation, unseen[1::2])
            looks.append({"step": step, "exact": exact, "f1": f1, "others": others})
    fit, _ = scores(network, relation, chosen)
    rows = {
        "start": looks[0],
        "best": max(looks, key=itemgetter("exact")),
        "chosen": max(looks, key=itemgetter("others")),
        "last": looks[-1],
    }
    return [{"when": when, **look, "fit": fit} for when, look in rows.items()]


def director(size: str, multiplicity: int, seed: int) -> list[dict[str, Any]]:
    """Figure 4: films, all told in K phrasings; PopQA's at the paper's size, else made-up ones.

    Returns:
        the rows of :func:`fine_tuned` for each n_ft of ``Size.tuned``, with ``tuned``, n_ft, and, as ``told``,
        ``learned`` of :class:`Pretrained`.

    Raises:
        ValueError: an unknown size, or K above the number of phrasings.
    """
    settings, relation = size_named(size, SIZES), popqa.relation("director")
    subjects = settings.subjects
    facts = popqa.from_hub("director")[:subjects] if size == "paper" else popqa.films(subjects, seed)
    start = pretrained(settings, relation, facts, multiplicity, 1.0, seed)
    return [
        {"tuned": count, "told": start.learned, **row}
        for count in settings.tuned
        for row in fine_tuned(start.network, settings, relation, facts[:count], facts[count:], seed)
    ]


def answers(size: str, multiplicity: int, seed: int) -> list[dict[str, Any]]:
    """What is said of made-up films that are not fine-tuned: a row for each, after fine-tuning on the largest n_ft.

    Returns:
        ``film``; ``director``, the right answer; ``before`` and ``after``, what the question is answered with.

    Raises:
        ValueError: an unknown size, or K above the number of phrasings.
    """
    settings, relation = size_named(size, SIZES), popqa.relation("director")
    facts = popqa.films(settings.subjects, seed)
    network = pretrained(settings, relation, facts, multiplicity, 1.0, seed).network
    practised, unseen = facts[: settings.tuned[-1]], facts[settings.tuned[-1] :]
    before = generated_answers(network, relation, unseen)
    texts = question_texts(network, relation, practised)
    for _ in train_on(network, texts, steps=settings.tuned_steps, rate=settings.tuned_rate, seed=seed):
        pass
    after = generated_answers(network, relation, unseen)
    return [
        {"film": fact.subject, "director": fact.answers[0], "before": first, "after": last}
        for fact, first, last in zip(unseen, before, after, strict=True)
    ]


def capital(network: str, multiplicity: int, seed: int) -> list[dict[str, Any]]:
    """Table 2: a quarter of the facts is fine-tuned, all popular ones or all rare ones, and one test put to both.

    Args:
        network: a size, pre-trained here on the book's capitals, the popular half told in K phrasings and the others in
            one; or a causal language model's name or folder, asked about PopQA's capitals, and K is its own affair.

    Returns:
        the rows of :func:`fine_tuned` for each ``way``, "frequent" and "rare", with, as ``told``, ``learned`` of
        :class:`Pretrained`.

    Raises:
        ValueError: K above the number of phrasings. OSError: there is no model of this name.
    """
    relation, is_size = popqa.relation("capital"), network in SIZES
    settings = SIZES[network if is_size else "paper"]
    if is_size:
        facts = popqa.capitals()
        start = pretrained(settings, relation, facts, multiplicity, 0.5, seed)
    else:
        facts = popqa.from_hub("capital")
        start = Pretrained(load(network, [*SIZES]), math.nan)
    half, count = len(facts) // 2, len(facts) // 4
    order = _shuffled(range(len(facts)), seed)
    popular, rare = ([facts[j] for j in order if (j < half) == is_popular] for is_popular in (True, False))
    unseen = _shuffled([*popular[count:], *rare[count:]], seed)
    return [
        {"way": way, "told": start.learned, **row}
        for way, chosen in (("frequent", popular[:count]), ("rare", rare[:count]))
        for row in fine_tuned(start.network, settings, relation, chosen, unseen, seed)
    ]


def _shuffled(items: Sequence[Any], seed: int) -> list[Any]:
    """The items in a random order."""
    order = torch.randperm(len(items), generator=torch.Generator().manual_seed(seed))
    return [items[place] for place in order.tolist()]


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


def answer_cells(quick: bool, _large: bool) -> list[dict[str, Any]]:
    """The configurations of "answers": one start, few wordings and several."""
    return [{"size": "tiny" if quick else "small", "multiplicity": k, "seed": 0} for k in (1, 4)]
