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
from book.optional import require_optional
from lib.acquire import task
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes

MATRICES = ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
TUNED = {"tiny": 16, "small": 24, "paper": 250}
"""n_ft."""
FULL = (3e-5, 1e-4, 3e-4, 1e-3, 3e-3)
LOW = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
WAYS: dict[str, tuple[float, ...]] = {
    "full": FULL,
    **{f"rank {rank}": LOW for rank in (16, 4, 2, 1)},
    "format token": LOW,
    "phrase": LOW,
    "random": LOW,
}
"""Rates of AdamW for each way of fine-tuning. In the last three a matrix reads its input along one direction that does
not learn: its mean input at the format token, over all questions, before fine-tuning; at the phrases of all sentences;
or a random one."""

SHOWN = ("when", "step", "right", "others", "fit")


def inputs(model: Any, tokens: Tensor, place: int) -> dict[str, Tensor]:
    """What each weight matrix of the blocks is multiplied with at one place of the sentences: name to (B, in)."""
    seen: dict[str, Tensor] = {}

    def keep(name: str, _module: Any, given: tuple[Tensor, ...], _output: Any) -> None:
        seen[name] = given[0][:, place].detach().cpu()

    hooks = [module.register_forward_hook(partial(keep, name)) for name, module in matrices(model)]
    with torch.no_grad():
        model(tokens.to(model.device))
    for hook in hooks:
        hook.remove()
    return seen


def sentences(known: Facts) -> Tensor:
    """[o d s r], (S, 4), of all sentences."""
    n, r = known.rank.shape
    said = task.sentences(known)
    opening = torch.tensor([n + r, Sizes(n, r, 1).follower]).expand(len(said.subject), 2)
    return torch.cat([opening, said.subject[:, None], n + said.phrase[:, None]], 1)


def matrices(model: Any) -> Iterator[tuple[str, Any]]:
    """The weight matrices of the blocks by name, such as "transformer.h.0.mlp.c_fc"; x ↦ x W + b, W (in, out)."""
    return ((name, module) for name, module in model.named_modules() if name.endswith(MATRICES))


def adapted(model: Any, way: str, known: Facts, seed: int) -> Any:
    """A copy that learns by one of ``WAYS``.

    Raises:
        ModuleNotFoundError: peft is not installed.
    """
    model = copy.deepcopy(model)
    if way == "full":
        return model
    peft = require_optional("peft", "scale", "LoRA")
    rank = int(way.removeprefix("rank ")) if way.startswith("rank ") else 1
    device = model.device
    read = inputs(model, sentences(known) if way == "phrase" else transformer.questions(known)[0], -1)
    names = [name.rpartition(".")[2] for name in MATRICES]
    how = peft.LoraConfig(r=rank, lora_alpha=rank, target_modules=[*{*names}], fan_in_fan_out=True)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = peft.get_peft_model(model, how).to(device)
        for name, module in model.base_model.model.named_modules():
            if not way.startswith("rank ") and name in read:
                down = module.lora_A["default"].weight.requires_grad_(False)
                along = torch.randn(down.shape[1]) if way == "random" else read[name].mean(0)
                down[0] = along / along.norm()
    return model


def low_rank(size: str, multiplicity: int, phrases: int, positions: bool, seed: int) -> list[dict[str, Any]]:
    """Pre-train once, then fine-tune on the same facts in each of ``WAYS`` at each of its rates.

    Returns:
        for each ``way`` and ``rate`` four rows, with ``told`` of :class:`~book.acquire.experiments.transformer.Stored`
        and ``SHOWN`` of :func:`~book.acquire.experiments.transformer.outcomes`.

    Raises:
        ValueError: an unknown size, or K > R. ModuleNotFoundError: transformers or peft is not installed.
    """
    how, known = transformer.setting(size, multiplicity, phrases, seed)
    stored = transformer.pretrained(how, known, positions, seed)
    chosen = transformer.drawn(known, TUNED[size])
    rows = []
    for way, rates in WAYS.items():
        adapt = partial(adapted, way=way, known=known, seed=seed)
        for rate in rates:
            found = transformer.fine_tuned(stored.model, how, known, chosen, rate, adapt)
            about = {"way": way, "rate": rate, "told": stored.told}
            for row in transformer.outcomes(known, chosen, *found):
                rows.append({**about, **{name: row[name] for name in SHOWN}})
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
        ValueError: an unknown size, or K > R. ModuleNotFoundError: transformers is not installed.
    """
    how, known = transformer.setting(size, multiplicity, phrases, seed)
    model = transformer.pretrained(how, known, positions, seed).model
    chosen = transformer.drawn(known, TUNED[size]) > 0
    asked, answers = transformer.questions(known)
    model.zero_grad()
    transformer.question_loss(model, asked[chosen], answers[chosen]).backward()
    unseen = asked[~chosen]
    places = {"format": (unseen, 1), "subject": (unseen, 0), "phrase": (sentences(known), 3)}
    read = {name: inputs(model, tokens, place) for name, (tokens, place) in places.items()}
    rows = []
    for name, module in matrices(model):
        left, values, _ = torch.linalg.svd(module.weight.grad.cpu().double(), full_matrices=False)
        row: dict[str, Any] = {"matrix": name.removeprefix("transformer."), "rank_1": _share(values)}
        for place, seen in read.items():
            mean = seen[name].double().mean(0)
            row[place] = float(torch.abs(left[:, 0] @ mean) / mean.norm())
        rows.append(row)
    return rows


def _share(values: Tensor) -> float:
    return float(values[0] ** 2 / (values**2).sum())


def cells(quick: bool, large: bool) -> list[dict[str, Any]]:
    """At R = 8: K = 1 and 4, with positions and without."""
    return [
        {name: value for name, value in cell.items() if name != "reach"}
        for cell in transformer.cells(quick, large)
        if cell["phrases"] == transformer.PHRASES and cell["multiplicity"] in (1, 4)
    ]
