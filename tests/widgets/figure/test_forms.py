"""Each kind of program that was refused for a wrong reason, or shown with wrong numbers, in ten forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import grad, hessian, jacfwd, jvp, linearize, vmap

from tests.widgets.program import in_the_page
from widgets import controls, live
from widgets.figure.agreement import distance
from widgets.figure.compiled import flatten
from widgets.translate.refusals import UnsupportedOperation

D = torch.float64
X = torch.linspace(1, 2, 9, dtype=D)
Y = torch.sin(3 * X)
P = torch.linspace(-1, 1, 6, dtype=D).reshape(3, 2).sin()
Form = Callable[[Tensor], Any]


def columns(*each: Tensor) -> Tensor:
    return torch.stack(each, 1)


def filled(a: Tensor) -> Tensor:
    y = torch.empty(4, dtype=D)
    for i in range(4):
        y[i] = a * i
    return y


def filled_from_zeros(a: Tensor) -> Tensor:
    y = torch.zeros(4, dtype=D)
    y[0], y[1:3], y[-1] = a, a**2, 1.0
    return y


def filled_rows(a: Tensor) -> Tensor:
    y = torch.empty(3, 2, dtype=D)
    y[:] = P
    y[1] = y[1] * a
    return y


def recurrence(a: Tensor) -> Tensor:
    y = torch.empty(5, dtype=D)
    y[0] = a
    for i in range(1, 5):
        y[i] = torch.sin(y[i - 1])
    return y


def fit(basis: Tensor, target: Tensor = Y) -> Tensor:
    return torch.linalg.lstsq(basis, target[:, None]).solution.flatten()


def fit_two(a: Tensor) -> Tensor:
    powers = a + torch.tensor([2.0, 3.0], dtype=D)
    return torch.linalg.lstsq(vmap(lambda s: columns(X, X**s))(powers), Y.repeat(2, 1)[..., None]).solution[
        ..., 0
    ]


def energy(w: Tensor) -> Tensor:
    return (torch.tanh(P @ w) ** 2).sum() + (w**4).sum()


def in_place(a: Tensor) -> Tensor:
    w = a * X
    w.data = w.data * a
    return w


class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x**3

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> Tensor:
        return 5 * slope * ctx.saved_tensors[0]


class OfBoth(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor, y: Tensor) -> Tensor:
        return x * y

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, Tensor]:
        x, y = ctx.saved_tensors
        return slope * y, -slope * x


class Slope(nn.Module):
    """A network's derivative along its input, as a physics-informed one takes it in its forward."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(1, 3, dtype=D)
        with torch.no_grad():
            self.layer.weight.copy_(torch.tensor([[1.0], [-0.5], [0.3]]))
            self.layer.bias.copy_(torch.tensor([0.1, 0.2, -0.3]))

    def forward(self, x: Tensor) -> Tensor:
        x = x.detach().requires_grad_()
        (slope,) = torch.autograd.grad(torch.tanh(self.layer(x)).sum(), x, create_graph=True)
        return slope


class Curvature(Slope):
    def forward(self, x: Tensor) -> Tensor:
        x = x.detach().requires_grad_()
        (slope,) = torch.autograd.grad(torch.sin(self.layer(x)).sum(), x, create_graph=True)
        (curvature,) = torch.autograd.grad(slope.sum(), x, create_graph=True)
        return curvature + slope


SLOPE, CURVATURE = Slope(), Curvature()
TIES = torch.tensor([2.0, 1, 1, 3, 2, 0, 0, 0], dtype=D)

WORKS: dict[str, list[Form]] = {
    "least squares": [
        lambda a: fit(columns(X, X**2) * a),
        lambda a: fit(columns(torch.ones_like(X), X, X**2, X**3), a * Y),
        lambda a: fit(torch.linalg.vander(X - 1.5, N=3), a * Y),
        lambda a: fit(columns(torch.sin(a * X), torch.cos(a * X))),
        lambda a: torch.linalg.lstsq(columns(X, a / X), columns(Y, Y**2)).solution,
        lambda a: torch.linalg.lstsq(columns(X, a + X**3), Y[:, None], driver="gelsd").residuals,
        lambda a: torch.linalg.lstsq(a * P[:2] + torch.eye(2, dtype=D), P[0, :, None]).solution,
        lambda a: (b := columns(X, X**2)) @ fit(b, torch.exp(a * X)),
        lambda a: fit((a * X)[:, None] ** torch.arange(3)),
        fit_two,
    ],
    "histograms": [
        lambda a: torch.histc(a * X, 5),
        lambda a: torch.histc(a * torch.ones(4, dtype=D), 4),
        lambda a: torch.histc(a * X, 4, 1, 1),
        lambda a: torch.histc(a * X, 3, 0, 4),
        lambda a: torch.histc(a * 0 * X, 3),
        lambda a: torch.histc(torch.sin(a * X), 1),
        lambda a: torch.histc(a * P, 4, -1, 1),
        lambda a: torch.histc(a * X, 4) / len(X),
        lambda a: torch.histc((a * X).round(), 6, 0, 3).cumsum(0),
        lambda a: torch.histc(a * TIES, 5, min=0, max=3),
    ],
    "what was taken for chance": [
        filled,
        filled_from_zeros,
        filled_rows,
        recurrence,
        lambda a: torch.vander(a * X, 3),
        lambda a: torch.linalg.vander(a * X),
        lambda a: torch.empty(3, dtype=D).fill_(2.0) * a,
        lambda a: torch.empty_like(X).copy_(a * X),
        lambda a: torch.linalg.solve(torch.vander(X[:3], 3), a * Y[:3]),
        in_place,
    ],
    "forward mode": [
        lambda a: jvp(energy, (a * P[0],), (P[1],)),
        lambda a: hessian(energy)(a * P[0]),
        lambda a: jacfwd(lambda w: torch.tanh(P @ w))(a * P[0]),
        lambda a: jacfwd(grad(energy))(a * P[0]),
        lambda a: linearize(lambda w: torch.sin(P @ w), a * P[0])[1](P[1]),
        lambda a: torch.linalg.det(hessian(energy)(a * P[0])),
        lambda a: jvp(grad(energy), (a * P[0],), (P[1],))[1],
        lambda a: vmap(lambda v: jvp(energy, (a * P[0],), (v,))[1])(P),
        lambda a: jvp(lambda s: torch.exp(s * X).sum(), (a,), (torch.ones((), dtype=D),))[1],
        lambda a: (j := jacfwd(lambda w: torch.tanh(P @ w))(a * P[0])) @ j.T,
    ],
    "derivatives inside": [
        lambda a: SLOPE(a * X[:, None]).flatten(),
        lambda a: CURVATURE(a * X[:3, None]).flatten(),
        lambda a: (SLOPE(a * X[:, None]) ** 2).mean(),
        lambda a: nn.Parameter(a * X).sum() * a,
        lambda a: (w := nn.Parameter(a * P)).pow(2).sum() + w[0],
        lambda a: F.linear(P, nn.Parameter(a * P)),
        lambda a: Tripled.apply(a * X),
        lambda a: grad(lambda s: Tripled.apply(s * X).sum())(a),
        lambda a: grad(lambda s: OfBoth.apply(s * X, s * Y).sum())(a),
        lambda a: torch.autograd.grad(energy(w := (a * P[0]).detach().requires_grad_()), w)[0] * a,
    ],
    "ties and last digits": [
        lambda a: (a * TIES).sort().values,
        lambda a: (a * TIES).topk(3).values,
        lambda a: (a * TIES).argsort(stable=True),
        lambda a: (a * TIES).kthvalue(2).values,
        lambda a: (a * TIES).median(),
        lambda a: torch.zeros(8, dtype=D).scatter(0, (s := a * TIES).topk(6).indices, s.topk(6).values),
        lambda a: torch.cdist(a * P, a * P),
        lambda a: grad(lambda s: F.hardsigmoid(s * X - 1.5).sum())(a),
        lambda a: torch.linalg.solve(
            (v := torch.vander(X - 1, 6)).T @ v + a * 1e-8 * torch.eye(6, dtype=D), v.T @ Y
        ),
        lambda a: (a * TIES).sort(descending=True).values.cumsum(0),
    ],
}
FORMS = [(kind, place) for kind, forms in WORKS.items() for place in range(len(forms))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "place"), FORMS)
def test_it_works_and_is_torchs(kind, place):
    form = WORKS[kind][place]
    figure = live(
        lambda a: (
            {"y": y} if isinstance(y := form(a), Tensor) else {f"y{i}": each for i, each in enumerate(y)}
        ),
        a=controls.linear(0.8, 0.5, 2, 0.1, "a"),
    ).figure
    settings = (0.8, 0.5, 2.0)
    for a, (_, ours) in zip(settings, in_the_page(figure, [{"a": a} for a in settings]), strict=True):
        assert distance(ours, flatten(figure.check([a]))) < 1e-9


REFUSED: dict[str, tuple[Form, str]] = {
    "a tensor of numbers": (lambda a: torch.tensor([a, 2 * a]).sum() * a, "torch.stack"),
    "a tensor of one": (lambda a: torch.tensor(float(a)) * a, "line"),
    "full": (lambda a: torch.full((3,), a.item()) * a, "line"),
    "leaky_relu": (lambda a: F.leaky_relu(X - 1.5, a.item()), "line"),
    "an index": (lambda a: X[a.long()], "index_select|line"),
    "a branch": (lambda a: X * a if a > 1 else X, "torch.where"),
    "a count": (lambda a: X[: int(4 * a)] * a, "line"),
    "a comparison": (lambda a: a * X if (a * X).max() > 2 else X, "torch.where"),
    "chance": (lambda a: a * torch.rand(3, dtype=D), "line|chance"),
    "numpy": (lambda a: torch.as_tensor(a.numpy() * 2) * a, "line"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_at_its_line_with_a_way_out(name):
    form, words = REFUSED[name]
    with pytest.raises((UnsupportedOperation, ValueError, TypeError), match=words) as refused:
        live(lambda a: {"y": form(a)}, a=controls.linear(0.8, 0.5, 2, 0.1, "a"))
    assert len(str(refused.value)) < 500
