"""GPT-2 on the chapter's facts: Figure 3 of Xu & Chen, and relation covering, which they do not test on it.

    python -m book experiments acquire transformer [--quick | --large] [--workers N|ADDRESS]

needs the extra "scale". GPT-2 reads whole sentences "o d s r a" and questions "s p a"; all of a step's sentences are
one batch. It has no dropout. ``--quick`` is "tiny", ``--large`` is "paper", of 12 layers, 12 heads and width 768, which
needs a GPU. Numbers of steps and rates are ours: the paper's are lost in the text at hand.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from book.acquire.experiments.outcomes import Looks, outcomes
from book.acquire.sentences import FREQUENT, Forest, first_frequent, forest, forest_logits, questions
from book.gpt2 import WEIGHT_DECAY, Size, gpt2, size_named, train
from lib.acquire import task
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes

SIZES = {
    "tiny": Size(
        layers=2,
        heads=4,
        width=64,
        subjects=48,
        steps=150,
        rate=3e-3,
        tuned_steps=40,
        tuned_rate=3e-4,
        every=2,
        tuned=(4, 16),
    ),
    "small": Size(
        layers=2,
        heads=4,
        width=64,
        subjects=96,
        steps=200,
        rate=3e-3,
        tuned_steps=100,
        tuned_rate=3e-4,
        every=2,
        tuned=(3, 6, 12, 24, 40),
    ),
    "paper": Size(
        layers=12,
        heads=12,
        width=768,
        subjects=1000,
        steps=1000,
        rate=1e-4,
        tuned_steps=2000,
        tuned_rate=1e-5,
        every=10,
        tuned=(10, 25, 50, 100, 250, 400),
    ),
}


def network(size: Size, phrases: int, positions: bool, seed: int) -> Any:
    """GPT-2 whose tokens are those of :class:`~lib.acquire.tokens.Sizes`.

    Without ``positions`` their encodings are 0 and stay so.

    Raises:
        MissingExtra: transformers is not installed.
    """
    outputs = Sizes(size.subjects, phrases, 1).outputs
    model = gpt2(size, outputs, 8, seed, eos_token_id=None, use_cache=False)
    if not positions:
        torch.nn.init.zeros_(model.transformer.wpe.weight).requires_grad_(False)
    return model


def sentence_loss(model: Any, known: Facts, trees: Forest) -> Tensor:
    """⅓ (−log P(d | o) − Σ_S w_S (log P(r | o d s) + log P(a | o d s r))), 0-d; rare facts' gradients times K."""
    n, r = known.rank.shape
    listed, sizes = task.sentences(known), Sizes(n, r, 1)
    logits = forest_logits(model, trees)
    opening = cross_entropy(logits[:1], trees.tokens[0, 1:2])
    phrase = cross_entropy(logits[2 + listed.subject], n + listed.phrase, reduction="none")
    answer = cross_entropy(logits[2 + n :], sizes.answers + listed.subject, reduction="none")
    return (opening + listed.weight.to(logits.dtype) @ (phrase + answer)) / 3


class Pretrained(NamedTuple):
    """A network after pre-training."""

    model: Any
    excess: float  # its loss less the entropy
    learned: float  # the share of sentences whose answer it gives after "o d s r"


def pretrained(size: Size, known: Facts, positions: bool, seed: int) -> Pretrained:
    """Pre-train on all sentences of the facts, which are one batch."""
    n, r = known.rank.shape
    model, trees = network(size, r, positions, seed), forest(known)
    for _ in train(
        model, lambda: sentence_loss(model, known, trees), steps=size.steps, rate=size.rate, fused=True
    ):
        pass
    with torch.no_grad():
        excess = float(sentence_loss(model, known, trees)) - float(task.entropy(known))
        answers = forest_logits(model, trees)[2 + n :].argmax(-1)
    right = answers == Sizes(n, r, 1).answers + task.sentences(known).subject
    return Pretrained(model, excess, float(right.double().mean()))


def fine_tune(model: Any, size: Size, known: Facts, chosen: Tensor, rate: float | None = None) -> Looks:
    """Fine-tune a network in place on the questions about the chosen facts, which are one batch.

    Args:
        chosen: (N,) 1 for a fact that is fine-tuned.
        rate: of AdamW; the size's own unless another is given.
    """
    prompts, answers = (part.to(model.device) for part in questions(known))
    tuned = chosen.to(model.device) > 0
    untuned = answers[~tuned]
    steps, answered = [], []
    training = train(
        model,
        lambda: question_loss(model, prompts[tuned], answers[tuned]),
        steps=size.tuned_steps,
        rate=rate or size.tuned_rate,
        fused=True,
    )
    for step in training:
        if step % size.every == 0 or step == size.tuned_steps:
            with torch.no_grad():
                logits = model(prompts).logits[:, -1]
            steps.append(step)
            answered.append(torch.stack([logits.argmax(-1), untuned[logits[:, untuned].argmax(-1)]]).cpu())
    return Looks(steps, *torch.stack(answered, 1))


def question_loss(model: Any, prompts: Tensor, answers: Tensor) -> Tensor:
    """The mean of −log P(a | s p), 0-d; arguments as from :func:`questions`."""
    return cross_entropy(model(prompts.to(model.device)).logits[:, -1], answers.to(model.device))


def transformer(
    size: str, multiplicity: int, phrases: int, positions: bool, seed: int, reach: int = 0
) -> list[dict[str, Any]]:
    """Pre-train once, then fine-tune for each n_ft of ``Size.tuned``, and on all facts within the first phrases.

    Args:
        size: of ``SIZES``.
        multiplicity, phrases: K and R.
        positions: whether tokens have positions.
        reach: q; all frequent facts stated with the first q phrases alone are fine-tuned too, in a run of its own,
            unless it is 0.

    Returns:
        four rows for each fine-tuning, see :func:`~book.acquire.experiments.outcomes.outcomes`, with ``reach`` (R where
        facts are drawn from all), ``tuned`` (n_ft), ``covered`` (how many phrases state one of them), and of
        :class:`Pretrained` ``excess`` and, as ``told``, ``learned``.

    Raises:
        ValueError: an unknown size, K > R, more facts to be fine-tuned than are frequent, or none within reach.
        MissingExtra: transformers is not installed.
    """
    settings, known = size_and_facts(size, multiplicity, phrases, seed)
    tunings = list(tunings_of(settings, known, reach))
    start = pretrained(settings, known, positions, seed)
    return [
        {**tuning, "excess": start.excess, "told": start.learned, **row}
        for tuning, chosen in tunings
        for row in outcomes(known, chosen, fine_tune(copy.deepcopy(start.model), settings, known, chosen))
    ]


def size_and_facts(size: str, multiplicity: int, phrases: int, seed: int) -> tuple[Size, Facts]:
    """A size by its name, and the facts of a run.

    Raises:
        ValueError: an unknown size, or K > R.
    """
    settings = size_named(size, SIZES)
    return settings, task.facts(settings.subjects, phrases, multiplicity, FREQUENT, seed)


def tunings_of(size: Size, known: Facts, reach: int) -> Iterator[tuple[dict[str, int], Tensor]]:
    """The columns that describe each fine-tuning of :func:`transformer`, and the facts that it is on, (N,).

    Raises:
        ValueError: more facts to be fine-tuned than are frequent, or none within reach.
    """
    phrases = known.rank.shape[1]
    sets = [(phrases, first_frequent(known, count)) for count in size.tuned]
    sets += [(reach, task.within(known, reach))] if reach else []
    for limit, chosen in sets:
        if not chosen.any():
            most = int(known.multiplicity.max())
            raise ValueError(f"reach = {limit}: no frequent fact has its {most} phrases among these")
        covered = int((task.covered(known, chosen) > 0).sum())
        yield {"reach": limit, "tuned": int(chosen.sum()), "covered": covered}, chosen


MULTIPLICITIES, UNIVERSES, PHRASES = (1, 2, 4, 8), (4, 8, 16, 32), 8
REACHES = {1: 4, 2: 5, 4: 6}
"""At R = 8, q for each K: about a fifth to a half of the frequent facts lie within."""
SEEDS = 5
SETTINGS = {
    "frequent": FREQUENT,
    "weight decay": WEIGHT_DECAY,
    **{name: size._asdict() for name, size in SIZES.items()},
}


def cells(quick: bool, large: bool) -> list[dict[str, Any]]:
    """The configurations: every K with every R that is not below it, with positions and without."""
    size = "tiny" if quick else "paper" if large else "small"
    grid = [(k, r) for k in MULTIPLICITIES for r in UNIVERSES if k <= r]
    return [
        {
            "size": size,
            "multiplicity": k,
            "phrases": r,
            "positions": positions,
            "seed": seed,
            "reach": REACHES.get(k, 0) if r == PHRASES else 0,
        }
        for seed in range(1 if quick else SEEDS)
        for positions in ((False,) if quick else (False, True))
        for k, r in ([(1, PHRASES), (4, PHRASES)] if quick else grid)
    ]


def again(quick: bool, large: bool) -> list[dict[str, Any]]:
    """Other starts for what was read off those of :func:`cells`: without positions, with 8 phrases and with 32."""
    return [
        {**cell, "seed": SEEDS + cell["seed"], "reach": 0}
        for cell in cells(quick, large)
        if not cell["positions"] and cell["phrases"] in (PHRASES, 32)
    ]
