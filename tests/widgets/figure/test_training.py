"""``live(module, optimizer, loss, data)``: each step is torch's own, bit by bit, and the page's to 1e-12."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop
from torch.utils import _pytree as pytree
from torch.utils.data import DataLoader, TensorDataset

from lib.program import Program, parameters, run
from tests.widgets.node import Node
from tests.widgets.program import in_the_page
from widgets import live, training
from widgets.figure import training as module_under_test
from widgets.figure.agreement import distance
from widgets.figure.compiled import flatten
from widgets.translate.trace import UnsupportedOperation, compile

D = torch.float64
X = torch.randn(12, 3, dtype=D, generator=torch.Generator().manual_seed(0))
Y = X[:, :2].sin()
CLASSES = (X[:, 0] * X[:, 1] > 0).long()
STEPS = 25


class Net(nn.Module):
    """Two layers, one parameter that is used twice, one that is frozen, and one that nothing uses."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 2)
        self.gain = nn.Parameter(torch.ones(3))
        self.frozen = nn.Parameter(torch.full((2,), 0.3), requires_grad=False)
        self.idle = nn.Parameter(torch.ones(2))

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.tanh(self.first(x)) * self.gain
        return self.second(torch.tanh(self.first(hidden))) + self.frozen


def net() -> Net:
    torch.manual_seed(3)
    return Net().to(D)


def groups(module: nn.Module) -> list[dict[str, Any]]:
    """Biases without decay, and learning more slowly."""
    named = dict(module.named_parameters())
    biases = [parameter for name, parameter in named.items() if name.endswith("bias")]
    others = [parameter for name, parameter in named.items() if not name.endswith("bias")]
    return [{"params": others}, {"params": biases, "lr": 0.005, "weight_decay": 0.0}]


OPTIMIZERS: dict[str, Callable[[nn.Module], Optimizer]] = {
    "SGD": lambda m: SGD(m.parameters(), lr=0.1),
    "SGD, momentum": lambda m: SGD(m.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01),
    "SGD, Nesterov": lambda m: SGD(m.parameters(), lr=0.05, momentum=0.8, nesterov=True),
    "Adam": lambda m: Adam(m.parameters(), lr=0.01),
    "Adam, amsgrad": lambda m: Adam(m.parameters(), lr=0.01, amsgrad=True, weight_decay=0.1),
    "AdamW": lambda m: AdamW(m.parameters(), lr=0.01, betas=(0.8, 0.95)),
    "AdamW, two groups": lambda m: AdamW(groups(m), lr=0.01, weight_decay=0.1),
    "RMSprop": lambda m: RMSprop(m.parameters(), lr=0.01, momentum=0.5, centered=True),
    "Adagrad": lambda m: Adagrad(m.parameters(), lr=0.05, lr_decay=0.01),
    "SGD, maximized": lambda m: SGD(m.parameters(), lr=1e-3, maximize=True),
}


def plain_loop(module: nn.Module, optimizer: Optimizer, steps: int) -> list[float]:
    """As people write it; returns the losses."""
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.mse_loss(module(X), Y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def descended(program: Program, steps: int) -> Any:
    """The state after so many steps at the defaults."""
    p = parameters(program, {})
    state = program.start(p)
    for _ in range(steps):
        state, _done = program.stages[0].step(state, p)
    return state


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_each_step_is_torchs_own_bit_by_bit(name):
    module = net()
    optimizer = OPTIMIZERS[name](module)
    program = training(module, optimizer, F.mse_loss, (X, Y))
    plain_loop(module, optimizer, STEPS)
    state = descended(program, STEPS)
    for key, parameter in module.named_parameters():
        assert torch.equal(state.parameters[key], parameter), key
        for moment, value in optimizer.state.get(parameter, {}).items():
            assert torch.equal(state.moments[key][moment], value.to(D)), (key, moment)


@pytest.mark.parametrize(
    "name", [name for name in OPTIMIZERS if name not in ("SGD", "Adam", "SGD, maximized")]
)
def test_the_pages_steps_are_torchs_to_1e_12(name):
    module = net()
    program = training(module, OPTIMIZERS[name](module), F.mse_loss, (X, Y))
    state, p = program.start(parameters(program, {})), parameters(program, {})
    leaves, shape = pytree.tree_flatten(state)

    def flat(*inputs: Tensor) -> list[Tensor]:
        inner = pytree.tree_unflatten(list(inputs[: len(leaves)]), shape)
        return pytree.tree_leaves(program.stages[0].step(inner, type(p)(*inputs[len(leaves) :])))

    kernel = compile(flat, [*leaves, *p], name, state=len(leaves))
    with Node() as node:
        ours = leaves
        for _ in range(STEPS):
            outputs = node.run(kernel, *ours, *p)
            ours = [leaf if place in kernel.stays else outputs[place] for place, leaf in enumerate(ours)]
    for mine, theirs in zip(ours, pytree.tree_leaves(descended(program, STEPS)), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)


def test_a_figure_in_twelve_lines_from_the_docstring_is_the_same_in_the_page():
    text = (module_under_test.__doc__ or "").split("::\n")[1].split("is the loop")[0]
    lines = [line.strip() for line in text.strip().splitlines()]
    assert len(lines) + len(("import torch", "from torch import nn", "from widgets import live")) <= 12
    torch.manual_seed(0)
    space: dict[str, Any] = {"torch": torch, "nn": nn, "live": live}
    exec("\n".join([*lines[:-1], f"figure = {lines[-1]}"]), space)
    figure = space["figure"]
    assert list(figure.controls) == ["learning_rate", "momentum", "weight_decay", "steps"]
    assert [part.kind for part in figure.view.scene.parts] == ["time", "curve"]
    (curves,) = (part.series for part in figure.view.scene.parts if part.kind == "curve")
    assert [(curve.y, curve.when) for curve in curves] == [("target", ""), ("prediction", "now")]
    settings = {entry["name"]: entry["default"] for entry in figure.figure.spec["parameters"]}
    runs = [settings, {**settings, "momentum": 0.0, "weight_decay": 0.01, "learning_rate": 0.03}]
    outcomes = [run(figure.figure.program, **values) for values in runs]
    for (_steps, numbers), outcome in zip(in_the_page(figure.figure, runs), outcomes, strict=True):
        assert distance(numbers, flatten(outcome)) < 1e-12
    assert outcomes[0].report["loss"] < outcomes[0].histories[0].rows.loss[0] / 10
    untrained = space["net"].to(D)(space["x"].to(D)).flatten()
    assert torch.equal(outcomes[0].histories[0].rows.prediction[0], untrained.detach())


@pytest.mark.parametrize("name", ["SGD", "AdamW"])
def test_batches_come_in_the_order_of_the_data_as_from_a_data_loader(name):
    module = net()
    optimizer = OPTIMIZERS[name](module)
    program = training(module, optimizer, F.mse_loss, (X, Y), batch=4)
    for _ in range(3):
        for x, y in DataLoader(TensorDataset(X, Y), batch_size=4):
            optimizer.zero_grad()
            F.mse_loss(module(x), y).backward()
            optimizer.step()
    state = descended(program, 9)
    for key, parameter in module.named_parameters():
        assert torch.equal(state.parameters[key], parameter), key
    assert run(program, steps=9).report["loss"] == F.mse_loss(module(X), Y)  # of all data


def test_the_page_takes_the_same_batches():
    module = linear()
    figure = live(module, sgd(module), F.mse_loss, (X, Y), batch=3, steps=10).figure
    settings = {entry["name"]: entry["default"] for entry in figure.spec["parameters"]}
    ((_steps, numbers),) = in_the_page(figure, [settings])
    assert distance(numbers, flatten(run(figure.program, **settings))) < 1e-12


@pytest.mark.parametrize("batch", [0, 5, 24, 2.5])
def test_batches_that_do_not_come_out_even_are_refused(batch):
    module = linear()
    with pytest.raises(
        ValueError, match=f"batch = {batch}, of data of 12 rows: must be a whole number that divides"
    ):
        live(module, sgd(module), F.mse_loss, (X, Y), batch=batch)


def test_sliders_set_what_the_optimizer_is_made_with():
    module = net()
    program = training(module, SGD(module.parameters(), lr=0.1), F.mse_loss, (X, Y), steps=STEPS)
    outcome = run(program, learning_rate=0.02, momentum=0.7, weight_decay=0.1)
    other = SGD(module.parameters(), lr=0.02, momentum=0.7, weight_decay=0.1)
    losses = plain_loop(module, other, STEPS + 1)
    assert outcome.histories[0].rows.loss.tolist() == losses


def test_a_training_goes_on_where_it_was():
    module = net()
    optimizer = AdamW(module.parameters(), lr=0.01)
    plain_loop(module, optimizer, 5)
    program = training(module, optimizer, F.mse_loss, (X, Y))
    plain_loop(module, optimizer, STEPS)
    assert torch.equal(descended(program, STEPS).parameters["first.weight"], module.first.weight)


def test_the_module_is_copied_and_float32_becomes_float64():
    module = nn.Linear(3, 2)
    before = module.weight.clone()
    program = training(module, SGD(module.parameters(), lr=0.1), F.mse_loss, (X.float(), Y.float().numpy()))
    assert run(program, steps=3).report["loss"].dtype == D
    assert torch.equal(module.weight, before)
    assert module.weight.dtype == torch.float32


def test_classes_have_an_accuracy_and_the_author_watches_more():
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = Adam(module.parameters(), lr=0.05)

    def weights(module: nn.Module) -> dict[str, Tensor]:
        return {"first": module[0].weight}  # type: ignore[index]

    program = training(module, optimizer, nn.CrossEntropyLoss(), (X, CLASSES), watch=weights, steps=60)
    outcome = run(program)
    assert outcome.histories[0].rows._fields == ("loss", "accuracy", "first")
    assert outcome.report["accuracy"] == 1
    assert outcome.report["first"].shape == (8, 3)


def test_it_stops_where_the_loss_is_no_number():
    module = net()
    program = training(module, SGD(module.parameters(), lr=0.1), lambda o, t: (o**4).sum(), (X, Y))
    outcome = run(program, learning_rate=1e6)
    assert outcome.histories[0].steps[-1] < 10


def sgd(module: nn.Module) -> Optimizer:
    return SGD(module.parameters(), lr=0.1)


def linear(*more: nn.Module) -> nn.Module:
    return nn.Sequential(nn.Linear(3, 2), *more)


def random_forward() -> nn.Module:
    class Random(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return F.dropout(super().forward(x), 0.5)

    return Random(3, 2)


REFUSED: dict[str, tuple[Callable[[], tuple[Any, ...]], str]] = {
    "dropout": (
        lambda: given(linear(nn.Dropout(0.2))),
        r"module '1', Dropout, drops out 0.2.*module.eval\(\)",
    ),
    "attention": (
        lambda: given(nn.TransformerEncoderLayer(3, 1, 4, batch_first=True), data=(X, X)),
        r"module 'self_attn', MultiheadAttention, drops out 0.1",
    ),
    "dropout, a function": (
        lambda: given(random_forward()),
        "each step draws at random, from torch's generator",
    ),
    "batch norm": (
        lambda: given(linear(nn.BatchNorm1d(2))),
        r"module changes '1.running_mean' in each step, as batch norm.*module.eval\(\).*LayerNorm",
    ),
    "LBFGS": (
        lambda: given(linear(), torch.optim.LBFGS),
        "LBFGS, which calls a closure, is not repeated in a page: must be one of SGD, Adam, AdamW, RMSprop, Adagrad",
    ),
    "another optimizer": (lambda: given(linear(), torch.optim.Rprop), "optimizer = Rprop is not repeated"),
    "a class": (
        lambda: (linear(), SGD, F.mse_loss, (X, Y)),
        "must be a torch.optim optimizer of the module's",
    ),
    "another module's": (
        lambda: (linear(), sgd(linear()), F.mse_loss, (X, Y)),
        r"moves a parameter of shape \(2, 3\): must be one of the module's",
    ),
    "dampening": (
        lambda: given(linear(), lambda p: SGD(p, lr=0.1, momentum=0.9, dampening=0.5)),
        "dampening = 0.5: must be 0",
    ),
    "a rate of 0": (lambda: given(linear(), lambda p: SGD(p, lr=0.0)), "lr = 0: must be above 0"),
    "a loader": (
        lambda: given(linear(), data=DataLoader(TensorDataset(X, Y))),
        "data = DataLoader: must be a tensor, or a tuple of tensors whose last is the target; each step takes all",
    ),
    "a closure": (lambda: given(linear(), data=lambda: X), "data = function: must be a tensor"),
    "another shape": (
        lambda: given(linear(), data=(X[:, :2], Y)),
        r"data of shapes \(12, 2\), \(12, 2\) do not fit the module and the loss: mat1 and mat2",
    ),
    "too many numbers": (
        lambda: given(linear(), data=(torch.zeros(100_000, 3), torch.zeros(100_000, 2))),
        "data: 500,000 numbers: must be at most 262,144",
    ),
    "many losses": (
        lambda: given(linear(), loss=nn.MSELoss(reduction="none")),
        r"loss returns shape \(12, 2\): must be one number",
    ),
    "a loss of floats": (lambda: given(linear(), loss=lambda o, t: 3.0), "loss returns float: must be one"),
    "nothing to learn": (
        lambda: given(linear(), loss=lambda o, t: t.mean()),
        "nothing that the optimizer moves has a part in it",
    ),
    "no data": (
        lambda: given(linear())[:3],
        r"live\(module, optimizer, loss, data\): 3 of the four are given",
    ),
    "a module alone": (
        lambda: (linear(),),
        r"live\(module, optimizer, loss, data\): 1 of the four are given",
    ),
}


def given(
    module: nn.Module,
    optimizer: Callable[[Iterable[nn.Parameter]], Optimizer] = lambda p: SGD(p, lr=0.1),
    loss: Callable[..., Any] = F.mse_loss,
    data: Any = (X, Y),
) -> tuple[Any, ...]:
    return module, optimizer(module.parameters()), loss, data


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_program_is_refused_in_words(name):
    arguments, sentence = REFUSED[name]
    with pytest.raises((ValueError, UnsupportedOperation), match=f"(?s){sentence}"):
        live(*arguments())
