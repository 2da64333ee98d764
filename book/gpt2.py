"""GPT-2 from a random start: its sizes, and the training loop of every experiment with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.optional import require_optional

WEIGHT_DECAY = 0.01


class Size(NamedTuple):
    """A network, and how it is trained by AdamW."""

    layers: int
    heads: int
    width: int
    subjects: int  # how many facts are told
    steps: int  # of pre-training
    rate: float
    tuned_steps: int  # of fine-tuning
    tuned_rate: float
    every: int  # steps of fine-tuning between two looks at the answers
    tuned: tuple[int, ...]  # n_ft, the numbers of facts to fine-tune; a fine-tuning each


def size_named(name: str, sizes: Mapping[str, Size]) -> Size:
    """A size by its name.

    Raises:
        ValueError: another name.
    """
    if name not in sizes:
        raise ValueError(f"size = {name!r}: must be one of {', '.join(sizes)}")
    return sizes[name]


def gpt2(size: Size, vocabulary: int, places: int, seed: int, **config: Any) -> Any:
    """GPT-2 from a random start, without dropout.

    Args:
        size: of the network.
        vocabulary: how many tokens there are.
        places: how many tokens a text has at most.
        seed: of the start.
        **config: further settings of ``transformers.GPT2Config``.

    Raises:
        MissingExtra: transformers is not installed.
    """
    transformers = require_optional("transformers", "scale", "GPT-2")
    settings = transformers.GPT2Config(
        vocab_size=vocabulary,
        bos_token_id=None,
        n_layer=size.layers,
        n_head=size.heads,
        n_embd=size.width,
        n_positions=places,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        **config,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = transformers.GPT2LMHeadModel(settings)
    return model.to(device())


def device() -> str:
    """The device on which networks are trained: "cuda" if there is one, else "cpu"."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def train(
    model: Any, batch_loss: Callable[[], Tensor], *, steps: int, rate: float, fused: bool | None = None
) -> Iterator[int]:
    """Train a model in place by AdamW; yields how many steps are made, before the first and after each.

    Args:
        model: its parameters that require gradients learn.
        batch_loss: the loss of the next batch, 0-d.
        steps: how many steps to make.
        rate: AdamW's, constant.
        fused: whether AdamW moves all parameters in one kernel; which way a table was made shows in the last digits.
    """
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=rate, weight_decay=WEIGHT_DECAY, fused=fused)
    yield 0
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        batch_loss().backward()
        optimizer.step()
        yield step
