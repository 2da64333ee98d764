"""What people write that has no JavaScript, and what they are told: their line, what is missing, the way out."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.widgets.node import Node
from widgets import controls, live
from widgets.figure.controls import linear
from widgets.translate.refusals import UnsupportedOperation
from widgets.translate.trace import compile

D = torch.float64
X = torch.randn(4, 5, dtype=D, generator=torch.Generator().manual_seed(0))
TABLE = torch.ones(5, dtype=D)
NAMES = [1.0, 2.0, 3.0]
ASKS = "Python asks for a number here that a slider will change, which a trace does not have: "
VALUE = r"Python asks for a number here that a slider will change.*torch\.where.*index_select"
CHANCE = r"no torch generator: pass the noise in"
SHAPE = r"shapes must not depend on values.*weigh with torch\.where"


def while_large(x: Tensor) -> Tensor:
    while x.sum() < 10:
        x = x * 2
    return x


def loop_to_a_slider(x: Tensor) -> Tensor:
    for _ in range(x[0, 0]):
        x = x + 1
    return x


def asserted(x: Tensor) -> Tensor:
    assert (x < 100).all()
    return x


def changed_outside(x: Tensor) -> Tensor:
    TABLE[0] = x[0, 0]
    return TABLE


def learns_outside(x: Tensor, weights: Tensor = torch.ones(5, dtype=D)) -> Tensor:  # noqa: B008 - it is changed
    weights -= 0.1 * x[0]
    return weights


def descends(x: Tensor) -> Tensor:
    weights = nn.Parameter(TABLE.clone())
    optimizer = torch.optim.LBFGS([weights])

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = ((weights - x[0]) ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return weights


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return 2 * gradient


REFUSED: dict[str, tuple[Callable[[Tensor], Any], str, str]] = {
    # a number of a tensor
    "if": (lambda x: x if x.sum() > 0 else -x, "x.sum() > 0", VALUE),
    "while": (while_large, "x.sum() < 10", VALUE),
    "item": (lambda x: x * x.sum().item(), ".item", r"_local_scalar_dense.*Python asks"),
    "float": (lambda x: x * float(x[0, 0]), "float(x[0, 0])", "Python asks"),
    "math": (lambda x: x * math.sin(x[0, 0]), "math.sin", VALUE),
    "range": (loop_to_a_slider, "range(x[0, 0])", ASKS),
    "a list's place": (lambda x: x * NAMES[x[0, 0].long()], "NAMES[x[0, 0].long()]", ASKS),
    "a format": (lambda x: x * len(f"{x[0, 0]:.2f}"), ":.2f", VALUE),
    "tolist": (lambda x: x * sum(x[0].tolist()), "tolist", VALUE),
    "max": (lambda x: max(x[0, 0], x[0, 1]) * x, "max(", VALUE),
    "sorted": (lambda x: torch.stack(sorted(x[0])), "sorted", VALUE),
    "allclose": (lambda x: x * torch.allclose(x, x + 1), "allclose", VALUE),
    "assert": (asserted, "assert", VALUE),
    "a list of numbers": (
        lambda x: torch.tensor([x[0, 0], 1.0], dtype=D),
        "torch.tensor",
        ASKS + ".*torch\\.stack",
    ),
    "a number repeated": (
        lambda x: torch.full((3,), x[0, 0]),  # type: ignore[call-overload]
        "torch.full",
        ASKS + ".*a \\* torch\\.ones",
    ),
    "a number repeated like another": (
        lambda x: torch.full_like(x, x[0, 0]),  # type: ignore[arg-type]
        "torch.full_like",
        ASKS + ".*ones_like",
    ),
    "a slope": (lambda x: F.leaky_relu(x, x[0, 0]), "F.leaky_relu", ASKS + ".*torch\\.where"),  # type: ignore[arg-type]
    "an exponential slope": (lambda x: F.elu(x, x[0, 0]), "F.elu", ASKS + ".*torch\\.expm1"),  # type: ignore[arg-type]
    "a width": (
        lambda x: F.huber_loss(x, 0 * x, delta=x[0, 0]),  # type: ignore[arg-type]
        "F.huber_loss",
        ASKS + ".*torch\\.where",
    ),
    "a place": (lambda x: TABLE[x[0, 0].long()], "TABLE[x[0, 0].long()]", ASKS + ".*index_select"),
    "a place from the end": (
        lambda x: x[0][-x[0, 0].long()],
        "x[0][-x[0, 0].long()]",
        ASKS + ".*index_select",
    ),
    "an end": (lambda x: x[: x[0, 0].long()], "x[: x[0, 0].long()]", ASKS + ".*a slice has a fixed size"),
    "a shift": (lambda x: torch.roll(x, x[0, 0].long()), "torch.roll", ASKS + ".*index_select"),  # type: ignore[arg-type]
    "a count": (lambda x: x.topk(x[0, 0].long()), "x.topk", ASKS + ".*pass a Python number"),  # type: ignore[arg-type]
    "single precision": (lambda x: torch.linspace(0, 1, 5) * x[0, 0], "linspace", "set_default_dtype"),
    "arange": (lambda x: torch.arange(0, x[0, 0], 1.0), "torch.arange", ASKS),  # type: ignore[call-overload]
    "a distribution's check": (
        lambda x: torch.distributions.Normal(0.0, 1.0, validate_args=True).log_prob(x),
        "log_prob(x)",
        r"torch/distributions/\w+\.py asks.*validate_args=False",
    ),
    "an optimizer that asks": (descends, "optimizer.step(closure)", r"torch/optim/.*write the update out"),
    # shapes that depend on numbers
    "mask": (lambda x: x[x > 0], "x[x > 0]", r"integers, not a mask: weigh with torch\.where"),
    "nonzero": (lambda x: torch.nonzero(x), "torch.nonzero(x)", SHAPE),
    "unique": (lambda x: torch.unique(x), "torch.unique(x)", SHAPE),
    "repeat_interleave": (
        lambda x: x.repeat_interleave(x[:, 0].long(), 0),
        "x.repeat_interleave(x[:, 0].long(), 0)",
        SHAPE,
    ),
    "repeat_interleave of a constant": (
        lambda x: x.repeat_interleave(torch.tensor([1, 2, 1, 1]), 0),
        "x.repeat_interleave",
        SHAPE,
    ),
    "a mask for each row": (
        lambda x: torch.func.vmap(lambda row: row[row > 0].sum())(x),
        "row[row > 0]",
        r"each row of a vmap: weigh with torch\.where",
    ),
    # chance
    "randn": (lambda x: x + torch.randn(4, 5, dtype=D), "torch.randn(4, 5, dtype=D)", CHANCE),
    "dropout": (lambda x: F.dropout(x), "F.dropout(x)", CHANCE),
    "bernoulli": (lambda x: torch.bernoulli(torch.sigmoid(x)), "torch.bernoulli", CHANCE),
    "multinomial": (lambda x: torch.multinomial(x.abs(), 1), "torch.multinomial", CHANCE),
    "gumbel": (lambda x: F.gumbel_softmax(x), "F.gumbel_softmax(x)", CHANCE),
    "a layer made inside": (lambda x: nn.Linear(5, 2).double()(x), "nn.Linear(5, 2)", CHANCE),
    "a sample": (
        lambda x: torch.distributions.Categorical(logits=x, validate_args=False).sample(),
        "sample",
        CHANCE,
    ),
    # what is outside
    "a constant changed in place": (changed_outside, "TABLE[0]", "made outside: start from a clone"),
    "weights changed in place": (learns_outside, "weights -= 0.1 * x[0]", "made outside: start from a clone"),
    "the input's data": (lambda x: x.data.mul_(2) + x, "x.data.mul_(2)", "made outside: start from a clone"),
    "NumPy": (lambda x: torch.tensor(np.sin(x)), "np.sin(x)", r"as NumPy does.*torch\.as_tensor"),
    # torch's own machinery
    "deepcopy": (lambda x: copy.deepcopy(x) * 2, "copy.deepcopy(x)", r"\.clone\(\) in place of deepcopy"),
    "cond": (
        lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)),
        "torch.cond",
        r"both branches, and choose with torch\.where",
    ),
    "torch.compile": (
        lambda x: torch.compile(torch.sin, backend="eager")(x),
        "torch.compile",
        "leave torch.compile out",
    ),
    "an autograd.Function": (
        lambda x: torch.func.grad(lambda y: Twice.apply(y).sum())(x),
        "Twice.apply",
        "setup_context",
    ),
    "a derivative of floor division": (
        lambda x: torch.func.grad(lambda y: (y // 0.3).sum())(x),
        "torch.func.grad",
        "floor division has no derivative",
    ),
    "a sparse product": (lambda x: torch.eye(4, dtype=D).to_sparse() @ x, "to_sparse", r"\.to_dense\(\)"),
    "a sample of a beta": (
        lambda x: torch.distributions.Beta(x.exp(), 1.0, validate_args=False).sample(),
        "sample()",
        "a page has no torch generator",
    ),
    # types
    "complex": (lambda x: torch.exp(1j * x), "torch.exp(1j * x)", "returns complex numbers"),
    "float32": (lambda x: torch.zeros(4, 5) + x.float(), "x.float()", "float32: make its operands float64"),
    "bits": (lambda x: x.long() & 3, "x.long() & 3", "int64: convert to float64, or compare"),
    # no JavaScript
    "eigenvalues": (lambda x: torch.linalg.eigvals(x[:, :4]), "torch.linalg.eigvals", "power iteration"),
    "histogram": (lambda x: torch.histogram(x, 10)[0], "torch.histogram(x, 10)", "torch.histc"),
    "matrix exponential": (lambda x: torch.matrix_exp(x[:, :4]), "torch.matrix_exp", "sum the series"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_what_people_write_is_refused_at_their_line_with_a_way_out(name):
    function, code, sentence = REFUSED[name]
    with pytest.raises(
        UnsupportedOperation, match=rf"(?s)kernel 'report': line \d+ of test_refusals\.py.*(?:{sentence})"
    ) as said:
        compile(function, [X], "report")
    number = int(str(said.value).split("line ")[1].split(" ")[0])
    assert code in Path(__file__).read_text().splitlines()[number - 1]


ACCEPTED: dict[str, Callable[[Tensor], Any]] = {
    "a clone changed in place": lambda x: TABLE.clone().add_(x[0]),
    "circular padding": lambda x: F.pad(x[None], (1, 2), mode="circular"),
    "BCE with logits": lambda x: F.binary_cross_entropy_with_logits(x, (x > 0).to(D)),
    "BCE with logits of a constant": lambda x: F.binary_cross_entropy_with_logits(
        x, torch.eye(4, 5, dtype=D)
    ),
    "a distribution": lambda x: torch.distributions.Normal(x[0], x[1].exp(), validate_args=False).log_prob(
        x[2]
    ),
}


def filled(x: Tensor) -> Tensor:
    rows = torch.empty(4, dtype=D)
    for row in range(4):
        rows[row] = 2 * x[row, 0]
    return rows


def taped(x: Tensor) -> Tensor:
    weights = TABLE.clone().requires_grad_()
    (weights**2 * x).sum().backward()
    assert weights.grad is not None
    return weights.grad


def taken(x: Tensor) -> Tensor:
    weights = TABLE.clone().requires_grad_()
    return torch.autograd.grad((weights**3 * x).sum(), weights)[0]


def trained(make: Callable[..., torch.optim.Optimizer]) -> Callable[[Tensor], Tensor]:
    def train(x: Tensor) -> Tensor:
        weights = nn.Parameter(TABLE.clone())
        optimizer = make([weights])
        for _ in range(3):
            optimizer.zero_grad()
            ((x @ weights) ** 2).sum().backward()
            optimizer.step()
        return weights

    return train


ACCEPTED |= {
    "an empty tensor that is filled": filled,
    "backward": taped,
    "autograd.grad": taken,
    "SGD": trained(lambda weights: torch.optim.SGD(weights, lr=0.01, momentum=0.9, weight_decay=0.1)),
    "Adam": trained(lambda weights: torch.optim.Adam(weights, lr=0.01)),
    "AdamW": trained(lambda weights: torch.optim.AdamW(weights, lr=0.01)),
    "RMSprop": trained(lambda weights: torch.optim.RMSprop(weights, lr=0.01)),
}
"""What was once refused, or blamed on something else."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ACCEPTED)
def test_what_people_write_is_computed(name):
    function = ACCEPTED[name]
    with Node() as node:
        (ours,) = node.run(compile(function, [X]), X)
    torch.testing.assert_close(ours, function(X).detach(), rtol=1e-12, atol=1e-14)


def test_an_optimizer_inside_a_figures_function_is_no_chance():
    def losses(rate: Tensor) -> dict[str, Tensor]:
        x = torch.linspace(0, 1, 5, dtype=D)
        return {"x": x, "weights": rate * ACCEPTED["SGD"](X)}

    live(losses, rate=linear(1.0, 0, 2, 0.5, "rate"))


def test_an_error_of_the_function_itself_is_its_own():
    def wrong(x: Tensor) -> Tensor:
        raise ValueError("temperature = 0")

    with pytest.raises(ValueError, match="temperature = 0"):
        compile(wrong, [X])


def test_a_default_is_a_constant():
    def curve(height: Tensor, points: int = 3, *, power: float = 2.0) -> dict[str, Tensor]:
        x = torch.linspace(0, 1, points, dtype=D)
        return {"x": x, "y": height * x**power}

    shown = live(curve, height=controls.whole(1, 0, 2, "height"))
    assert shown.figure.check([2.0]).report["y"].tolist() == [0.0, 0.5, 2.0]
    moved = live(curve, height=controls.whole(1, 0, 2, "height"), power=linear(1.0, 1, 3, 0.5, "power"))
    assert list(moved.controls) == ["height", "power"]
    assert moved.figure.check([2.0, 1.0]).report["y"].tolist() == [0.0, 1.0, 2.0]
