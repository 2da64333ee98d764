"""Low rank in GPT-2: fine-tuning by LoRA, and whether the first step has one direction, that of the format token.

    python -m book experiments acquire adapted|first-step [--quick | --large] [--workers N|ADDRESS]

needs the extra "scale". LoRA, by peft, is on every weight matrix of the blocks.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from book.acquire.experiments import transformer
from book.acquire.experiments.outcomes import outcomes
from book.acquire.sentences import first_frequent, questions
from book.optional import require_optional
from lib.acquire import task
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes

MATRICES = ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
TUNED = {"tiny": 16, "small": 24, "paper": 250}
"""How many facts are fine-tuned at each size, n_ft."""
FULL_RATES = (3e-5, 1e-4, 3e-4, 1e-3, 3e-3)
LOW_RATES = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
WAYS: dict[str, tuple[float, ...]] = {
    "full": FULL_RATES,
    **{f"rank {rank}": LOW_RATES for rank in (16, 4, 2, 1)},
    "format token": LOW_RATES,
    "phrase": LOW_RATES,
    "random": LOW_RATES,
}
"""Rates of AdamW for each way of fine-tuning. In the last three a matrix reads its input along one direction that does
not learn: its mean input at the format token, over all questions, before fine-tuning; at the phrases of all sentences;
or a random one."""

COLUMNS = ("when", "step", "right", "others", "fit")
"""Columns of the rows of :func:`~book.acquire.experiments.outcomes.outcomes`."""


def inputs(model: Any, tokens: Tensor, place: int) -> dict[str, Tensor]:
    """What each weight matrix of the blocks is multiplied with at one place of the sentences: name to (B, in)."""
    inputs_of: dict[str, Tensor] = {}

    def record(name: str, _module: Any, arguments: tuple[Tensor, ...], _output: Any) -> None:
        inputs_of[name] = arguments[0][:, place].detach().cpu()

    hooks = [module.register_forward_hook(partial(record, name)) for name, module in matrices(model)]
    with torch.no_grad():
        model(tokens.to(model.device))
    for hook in hooks:
        hook.remove()
    return inputs_of


def sentences(known: Facts) -> Tensor:
    """[o d s r], (S, 4), of all sentences."""
    n, r = known.rank.shape
    listed = task.sentences(known)
    opening = torch.tensor([n + r, Sizes(n, r, 1).follower]).expand(len(listed.subject), 2)
    return torch.cat([opening, listed.subject[:, None], n + listed.phrase[:, None]], 1)


def matrices(model: Any) -> Iterator[tuple[str, Any]]:
    """The weight matrices of the blocks by name, such as "transformer.h.0.mlp.c_fc"; x ↦ x W + b, W (in, out)."""
    return ((name, module) for name, module in model.named_modules() if name.endswith(MATRICES))


def adapted(model: Any, way: str, known: Facts, seed: int) -> Any:
    """A copy that learns by one of ``WAYS``.

    Raises:
        MissingExtra: peft is not installed.
    """
    model = copy.deepcopy(model)
    if way == "full":
        return model
    peft = require_optional("peft", "scale", "LoRA")
    is_lora = way.startswith("rank ")
    rank = int(way.removeprefix("rank ")) if is_lora else 1
    device = model.device
    directions = inputs(model, sentences(known) if way == "phrase" else questions(known)[0], -1)
    names = {name.rpartition(".")[2] for name in MATRICES}
    config = peft.LoraConfig(r=rank, lora_alpha=rank, target_modules=[*names], fan_in_fan_out=True)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = peft.get_peft_model(model, config).to(device)
        for name, module in model.base_model.model.named_modules():
            if not is_lora and name in directions:
                down = module.lora_A["default"].weight.requires_grad_(False)
                along = torch.randn(down.shape[1]) if way == "random" else directions[name].mean(0)
                down[0] = along / along.norm()
    return model


def low_rank(
    size: str, multiplicity: int, phrases: int, positions: bool, seed: int, quick: bool = False
) -> list[dict[str, Any]]:
    """Pre-train once, then fine-tune on the same facts in each of ``WAYS`` at each of its rates.

    Args:
        quick: whether one rate of each way is enough.

    Returns:
        for each ``way`` and ``rate`` four rows, with ``COLUMNS`` and, as ``told``, the share of sentences that the
        network has learned in pre-training.

    Raises:
        ValueError: an unknown size, or K > R. MissingExtra: transformers or peft is not installed.
    """
    settings, known = transformer.size_and_facts(size, multiplicity, phrases, seed)
    start = transformer.pretrained(settings, known, positions, seed)
    chosen = first_frequent(known, TUNED[size])
    rows = []
    for way, rates in WAYS.items():
        for rate in rates[2:3] if quick else rates:
            looks = transformer.fine_tune(
                adapted(start.model, way, known, seed), settings, known, chosen, rate
            )
            for row in outcomes(known, chosen, looks):
                shown = {name: row[name] for name in COLUMNS}
                rows.append({"way": way, "rate": rate, "told": start.learned, **shown})
    return rows


def first_step(
    size: str, multiplicity: int, phrases: int, positions: bool, seed: int
) -> list[dict[str, Any]]:
    """The gradient G of each weight matrix, (in, out), before the first step of fine-tuning.

    Returns:
        for each ``matrix`` one row: ``rank_1``, σ₁²/‖G‖²; cosines, without sign, of G's first direction of input with
        the mean input at the ``format`` token of unseen questions, at the ``subject`` before it, and at the ``phrase``
        of a sentence "o d s r".

    Raises:
        ValueError: an unknown size, or K > R. MissingExtra: transformers is not installed.
    """
    settings, known = transformer.size_and_facts(size, multiplicity, phrases, seed)
    model = transformer.pretrained(settings, known, positions, seed).model
    chosen = first_frequent(known, TUNED[size]) > 0
    prompts, answers = questions(known)
    model.zero_grad()
    transformer.question_loss(model, prompts[chosen], answers[chosen]).backward()
    unseen = prompts[~chosen]
    places = {"format": (unseen, 1), "subject": (unseen, 0), "phrase": (sentences(known), 3)}
    inputs_at = {name: inputs(model, tokens, place) for name, (tokens, place) in places.items()}
    rows = []
    for name, module in matrices(model):
        left, values, _ = torch.linalg.svd(module.weight.grad.cpu().double(), full_matrices=False)
        row: dict[str, Any] = {"matrix": name.removeprefix("transformer."), "rank_1": _share(values)}
        for place, inputs_of in inputs_at.items():
            mean = inputs_of[name].double().mean(0)
            row[place] = float(torch.abs(left[:, 0] @ mean) / mean.norm())
        rows.append(row)
    return rows


def _share(values: Tensor) -> float:
    """The share of the largest singular value's square in the sum of all."""
    return float(values[0] ** 2 / (values**2).sum())


def cells(quick: bool, large: bool) -> list[dict[str, Any]]:
    """At R = 8: K = 1 and 4, with positions and without."""
    return [
        {name: value for name, value in cell.items() if name != "reach"}
        for cell in transformer.cells(quick, large)
        if cell["phrases"] == transformer.PHRASES and cell["multiplicity"] in (1, 4)
    ]


def low_rank_cells(quick: bool, large: bool) -> list[dict[str, Any]]:
    """The configurations with low-rank adapters, with one rate of each way if it must be quick."""
    return [{**cell, **({"quick": True} if quick else {})} for cell in cells(quick, large)]
