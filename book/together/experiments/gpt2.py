"""GPT-2 stores facts and then learns to look them up in prompts: the page *Stored, then looked up*, at full size.

    python -m book experiments together gpt2 [--quick] [--workers N|ADDRESS]

needs the extra "scale", and a GPU, where products of matrices are in TF32: 12 layers, 12 heads and width 768.
``--quick`` is "small".

A relation joins subject s to c + s or to c − s modulo p. So every pair of a subject and an answer belongs to two of the
2p relations, and a prompt of two examples to one. If its two answers change places, its *rival* is right instead.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor

from book.gpt2 import WEIGHT_DECAY, Size, gpt2, size_named, train

WORDINGS = 4
"""R, how many wordings a relation has."""
BATCH = 1024
"""Statements in each step of pre-training."""
PROMPTS = 256
"""Prompts in each step of fine-tuning."""
TESTED = 2048
"""New prompts that a look is at, at most."""
PLACES = 5
"""The tokens of a prompt: s₁ a₁ s₂ a₂ EoS."""
SIZES = {
    "tiny": Size(
        layers=2,
        heads=4,
        width=64,
        subjects=5,
        steps=150,
        rate=1e-3,
        tuned_steps=40,
        tuned_rate=3e-4,
        every=20,
        tuned=(100,),
    ),
    "small": Size(
        layers=2,
        heads=4,
        width=64,
        subjects=7,
        steps=600,
        rate=1e-3,
        tuned_steps=400,
        tuned_rate=3e-4,
        every=20,
        tuned=(400,),
    ),
    "paper": Size(
        layers=12,
        heads=12,
        width=768,
        subjects=23,
        steps=2000,
        rate=3e-4,
        tuned_steps=1000,
        tuned_rate=5e-5,
        every=25,
        tuned=(4096,),
    ),
}
"""``subjects`` is p, ``tuned`` the number of prompts to fine-tune on."""
WAYS = ("all", "attention")
"""What fine-tuning moves: all weights, or those of attention alone."""


class Prompts(NamedTuple):
    """All prompts of two examples."""

    tokens: Tensor
    """(B, 5) int64: s₁ a₁ s₂ a₂ EoS."""
    relation: Tensor
    """(B,) int64."""
    rival: Tensor
    """(B,) int64, the relation once the answers have changed places."""


def answer(p: int, relation: Tensor, subject: Tensor) -> Tensor:
    """c + s for relation c, c − s for relation p + c, modulo p; any shapes that broadcast."""
    return (relation + torch.where(relation < p, subject, -subject)) % p


def wording(p: int, relation: Tensor, i: Tensor | int) -> Tensor:
    """The token of a relation's wording; subjects are 0 … p − 1, answers p … 2p − 1, and EoS comes last."""
    return 2 * p + relation * WORDINGS + i


def vocabulary(p: int) -> int:
    """2p + 2pR + 1."""
    return 2 * p * (1 + WORDINGS) + 1


def statements(p: int, multiplicity: int, seed: int) -> Tensor:
    """(6p²K, 3) int64: each of the 2p² facts in K wordings drawn for it, in three orders; the last is to be completed.

    Raises:
        ValueError: K is below 0 or above R.
    """
    if not 0 <= multiplicity <= WORDINGS:
        raise ValueError(
            f"multiplicity = {multiplicity}: must be from 0 to the {WORDINGS} wordings of a relation"
        )
    relation, subject = torch.cartesian_prod(torch.arange(2 * p), torch.arange(p)).unbind(1)
    drawn = torch.rand(len(subject), WORDINGS, generator=Generator().manual_seed(seed))
    chosen = drawn.argsort(1)[:, :multiplicity]
    words = wording(p, relation[:, None], chosen).flatten()
    s, a = (part[:, None].expand_as(chosen).flatten() for part in (subject, p + answer(p, relation, subject)))
    return torch.cat([torch.stack(order, 1) for order in ((s, words, a), (s, a, words), (a, words, s))])


def prompts(p: int) -> Prompts:
    """All 2p²(p − 1) prompts: a relation and two different subjects."""
    relation, first, second = torch.cartesian_prod(
        torch.arange(2 * p), torch.arange(p), torch.arange(p)
    ).unbind(1)
    apart = first != second
    relation, first, second = relation[apart], first[apart], second[apart]
    one, other = answer(p, relation, first), answer(p, relation, second)
    end = torch.full_like(first, vocabulary(p) - 1)
    rival = torch.where(relation < p, p + (first + other) % p, (other - first) % p)
    return Prompts(torch.stack([first, p + one, second, p + other, end], 1), relation, rival)


def log_relations(model: Any, tokens: Tensor, p: int) -> Tensor:
    """(B, 2p) log of what all wordings of each relation have together, of the whole vocabulary, after a prompt."""
    below = model(tokens.to(model.device)).logits[:, -1].log_softmax(-1)
    return below[:, 2 * p : -1].unflatten(1, (2 * p, WORDINGS)).logsumexp(-1)


def naming_loss(model: Any, some: Prompts, p: int) -> Tensor:
    """The mean of −log p(relation), 0-d."""
    named = log_relations(model, some.tokens, p)
    return -named.gather(1, some.relation.to(named.device)[:, None]).mean()


def take(some: Prompts, rows: Tensor) -> Prompts:
    """The prompts of these rows."""
    return Prompts(*(part[rows] for part in some))


def pretrained(size: Size, multiplicity: int, seed: int) -> tuple[Any, float]:
    """GPT-2 after pre-training on statements, and the share of them that it completes; with K = 0 its start, and 0.

    A statement begins at any of the first places, so that all places of a prompt are seen.
    """
    p, generator = size.subjects, Generator().manual_seed(seed)
    known = statements(p, multiplicity, seed)
    model = gpt2(size, vocabulary(p), PLACES, seed, eos_token_id=None)
    if not len(known):
        return model, 0.0

    def loss() -> Tensor:
        rows = known[torch.randint(len(known), (BATCH,), generator=generator)]
        below = completions(model, rows, torch.randint(PLACES - 1, (BATCH, 1), generator=generator))
        return -below.gather(1, rows[:, 2:].to(below.device)).mean()

    for _ in train(model, loss, steps=size.steps, rate=size.rate, fused=True):
        pass
    return model, completed(model, known)


def completions(model: Any, rows: Tensor, begins: Tensor) -> Tensor:
    """(B, vocabulary) log-probabilities of a statement's third word; it begins at place ``begins``, (B, 1)."""
    places = begins + torch.arange(2)
    shown = rows[:, :2].to(model.device)
    return model(shown, position_ids=places.to(model.device)).logits[:, -1].log_softmax(-1)


@torch.no_grad()
def completed(model: Any, known: Tensor) -> float:
    """The share of statements whose likeliest third word is one that some statement has there."""
    told = {tuple(row) for row in known.tolist()}
    said = []
    for rows in known.split(4096):
        third = completions(model, rows, torch.zeros(len(rows), 1, dtype=torch.int64)).argmax(-1).cpu()
        said += [
            (*shown, last) in told for shown, last in zip(rows[:, :2].tolist(), third.tolist(), strict=True)
        ]
    return sum(said) / len(said)


def looked_up(size: str, multiplicity: int, seed: int) -> list[dict[str, Any]]:
    """Pre-train on statements, then fine-tune on prompts, in each of ``WAYS``.

    Args:
        size: of ``SIZES``.
        multiplicity: K; 0 for no statements at all.
        seed: of the start, the wordings and the prompts.

    Returns:
        a row for each look: ``way``; ``step``; ``told``, the share of statements that the memory completes; ``loss`` on
        new prompts; ``named``, the share of them named right; ``tie``, the mean of
        p(relation) / (p(relation) + p(rival)); and ``pairing``, see :func:`pairing`.

    Raises:
        ValueError: an unknown size, or K out of its range.
        MissingExtra: transformers is not installed.
    """
    settings = size_named(size, SIZES)
    torch.backends.cuda.matmul.allow_tf32 = True
    start, told = pretrained(settings, multiplicity, seed)
    everything = prompts(settings.subjects)
    order = torch.randperm(len(everything.relation), generator=Generator().manual_seed(seed))
    (count,) = settings.tuned
    seen, new = take(everything, order[:count]), take(everything, order[count : count + TESTED])
    return [
        {"way": way, "told": told, **row}
        for way in WAYS
        for row in fine_tune(copy.deepcopy(start), settings, way, seen, new, seed)
    ]


def fine_tune(
    model: Any, size: Size, way: str, seen: Prompts, new: Prompts, seed: int
) -> Iterator[dict[str, Any]]:
    """Fine-tune a network in place on ``seen``; yields ``step`` and the columns of :func:`look` at ``new``."""
    if way == "attention":
        for name, part in model.named_parameters():
            part.requires_grad_(".attn." in name)
    generator = Generator().manual_seed(seed)

    def loss() -> Tensor:
        rows = torch.randint(len(seen.relation), (PROMPTS,), generator=generator)
        return naming_loss(model, take(seen, rows), size.subjects)

    for step in train(model, loss, steps=size.tuned_steps, rate=size.tuned_rate, fused=True):
        if step % size.every == 0 or step == size.tuned_steps:
            yield {"step": step, **look(model, new, size.subjects)}


@torch.no_grad()
def look(model: Any, new: Prompts, p: int) -> dict[str, float]:
    """The columns of a look, see :func:`looked_up`."""
    named = log_relations(model, new.tokens, p).double().cpu()
    right, rival = (named.gather(1, each[:, None])[:, 0] for each in (new.relation, new.rival))
    return {
        "loss": float(-right.mean()),
        "named": float((named.argmax(1) == new.relation).double().mean()),
        "tie": float((right - rival).sigmoid().mean()),
        "pairing": pairing(model, new),
    }


def pairing(model: Any, new: Prompts) -> float:
    """By how much the second answer attends to its own subject more than to the first: the largest over all heads.

    It is from −1 to 1, and the mean over at most 256 prompts.
    """
    attention = model.config._attn_implementation
    model.set_attn_implementation("eager")
    read = model(new.tokens[:256].to(model.device), output_attentions=True).attentions
    model.set_attn_implementation(attention)
    own, other = (torch.stack([layer[:, :, 3, place].mean(0) for layer in read]) for place in (2, 0))
    return float((own - other).max())


SEEDS = 2
SETTINGS: dict[str, Any] = {
    "wordings": WORDINGS,
    "weight decay": WEIGHT_DECAY,
    **{name: {**size._asdict(), "tuned": list(size.tuned)} for name, size in SIZES.items()},
}


def cells(quick: bool, large: bool) -> list[dict[str, Any]]:
    """No statements, each fact in one wording, and each in all of them."""
    return [
        {"size": "small" if quick else "paper", "multiplicity": k, "seed": seed}
        for seed in range(1 if quick else SEEDS)
        for k in (0, 1, WORDINGS)
    ]
