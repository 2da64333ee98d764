"""All passes together: a kernel computes the same with them as without, to the last bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.widgets.node import Node
from tests.widgets.translate.test_kernels import ROWS, W, X, chosen, rows
from widgets.translate import passes
from widgets.translate.trace import compile

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "rows": (lambda x, w: torch.softmax(x * w[:, None, None], -1).cumsum(0).sum((1, 2)), (X, W)),
    "gathered": (
        lambda x, w, places: torch.zeros_like(x[:5]).index_add(0, places, rows(x, w).sin()),
        (X, W, ROWS),
    ),
    "parts": (lambda x: torch.softmax(torch.cat([x.sin(), x.cos()], -1), -1)[..., ::2], (X,)),
    "product": (lambda x: torch.tanh(x[0] @ x[1].T) @ x[2], (X,)),
    "extremes": (lambda x: (x.argmax(-1), x.amax(0), x.max(1).values), (X,)),
    **{f"choices {seed}": (chosen(seed), (X, W)) for seed in range(8)},
}


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with Node() as process:
        yield process


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_pass_changes_a_bit(node, monkeypatch, name):
    fn, inputs = PROGRAMS[name]
    optimised = compile(fn, inputs)
    monkeypatch.setattr(passes, "optimise", lambda statements, arrays, *_: (statements, arrays))
    plain = compile(fn, inputs)
    assert plain.source != optimised.source
    for ours, theirs in zip(node.run(optimised, *inputs), node.run(plain, *inputs), strict=True):
        assert ours.numpy().tobytes() == theirs.numpy().tobytes()
