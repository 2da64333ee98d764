"""Training as its author writes it: a module, an optimizer of ``torch.optim``, a loss and data become a program.

::

    x = torch.linspace(-2, 2, 41)[:, None]
    net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    live(net, optimizer, nn.functional.mse_loss, (x, torch.sin(2 * x)))

is the loop ::

    for step in range(steps):
        optimizer.zero_grad()
        loss(net(x), target).backward()
        optimizer.step()

with sliders for the learning rate, the weight decay, the momentum and the number of steps. A step is torch's own: its
optimizer runs, bit by bit the same in Jupyter, and is translated for the page. All of it is float64.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop
from torch.overrides import TorchFunctionMode

from lib.domain import Domain
from lib.program import Program, Stage, record
from widgets.figure.compiled import MOST_NUMBERS

Watch = Callable[[nn.Module], Mapping[str, Tensor]]
"""What else to follow: named tensors of the module as it stands."""

OPTIMIZERS = (SGD, Adam, AdamW, RMSprop, Adagrad)
"""Those whose state is tensors alone, and whose steps are all alike."""
MOST_STEPS = 1_000_000
DECAYS = (0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""The weight decays that a slider offers, beside the optimizer's own."""
ONE_BY_ONE = {"foreach": False, "fused": False, "capturable": False, "differentiable": False}
"""The options for that way of torch's to write a step which takes each parameter in turn: a CPU's own."""


class Descent(NamedTuple):
    """The state of a training."""

    parameters: dict[str, Tensor]
    """Those that the optimizer moves, by their names in the module."""
    moments: dict[str, dict[str, Tensor]]
    """What the optimizer keeps of each."""
    batch: Tensor
    """0-d: the number of the batch that the next step takes."""


def training(
    module: nn.Module,
    optimizer: Optimizer,
    loss: Callable[..., Tensor],
    data: Any,
    *,
    watch: Watch | None = None,
    steps: int = 200,
    batch: int | None = None,
) -> Program:
    """Gradient descent on ``loss(module(*inputs), target)``, as a program that sliders rerun.

    Args:
        module: starts from its parameters as they are; it is copied, and stays as it is.
        optimizer: SGD, Adam, AdamW, RMSprop or Adagrad, of the module's parameters. If it has made steps already, the
            run goes on from there. Groups keep the ratios of their learning rates and of their weight decays.
        loss: of the module's output and the target, one number. Of the output alone, where ``data`` is one tensor.
        data: tensors or arrays, the inputs and, last, the target; each step takes all of them, or a batch.
        watch: of the module as it stands, named tensors that are watched while it runs, and reported at its end.
        steps: the default number of steps.
        batch: so many rows of the data are a batch. Each step takes the next one, in the order of the data, as a
            ``DataLoader`` without shuffling does; after the last one comes the first.

    Returns:
        A program with the parameters ``learning_rate``, ``weight_decay``, ``steps`` and, for SGD, ``momentum``. It
        watches ``loss``, and ``accuracy`` if the target are classes. At its end it reports both and, for a function of
        one number, ``x``, ``target`` and ``prediction``, in the order of x. It stops where the loss is not finite.

    Raises:
        ValueError: a module that draws at random or changes a buffer, another optimizer, data that do not fit.
    """
    _check_optimizer(optimizer)
    tensors = _tensors(data)
    names = _names(module, optimizer)
    twin = copy.deepcopy(module).to(torch.float64)
    _check_module(twin)
    task = _Task(twin, loss, tensors, watch)
    batches = _batches(tensors, batch)
    start = _start(module, optimizer, names, task)
    domains = _domains(optimizer, steps)

    def step(state: Descent, p: Any) -> tuple[Descent, Tensor]:
        rows = [tensor.index_select(0, state.batch.long().reshape(1)).squeeze(0) for tensor in batches]
        gradients, value = torch.func.grad_and_value(task.loss)(state.parameters, rows)
        used = {name: gradients[name] for name in task.used}
        moved = _moved(optimizer, names, state, used, p)
        if batches:
            moved = moved._replace(batch=torch.remainder(state.batch + 1, len(batches[0])))
        return moved, ~value.isfinite()

    watched = record("Watched", task.watched(start.parameters))
    return Program(
        parameters=record("Parameters", [domain.name for domain in domains]),
        domains=domains,
        start=lambda p: start,
        stages=(Stage("training", lambda state, p: state, step, "steps"),),
        watch=lambda state, p: watched(**task.watched(state.parameters)),
        report=lambda ends, p: task.reported(ends[0].parameters),
    )


class _Task(nn.Module):
    """What is to be learned: the loss of a module on data, as a function of the parameters that are moved."""

    def __init__(
        self,
        module: nn.Module,
        loss: Callable[..., Tensor],
        tensors: Sequence[Tensor],
        watch: Watch | None,
    ):
        super().__init__()
        self.module = module
        self.criterion = loss if not isinstance(loss, nn.Module) else copy.deepcopy(loss).to(torch.float64)
        self.inputs, self.target = (tensors[:-1], tensors[-1:]) if len(tensors) > 1 else (tensors, [])
        self.order = tensors[0].flatten().argsort(stable=True)
        self.watch = watch
        self.used: list[str] = []
        """The parameters on which the loss depends: torch's optimizers pass over the others."""

    def forward(self, of_module: Callable[[nn.Module], Any]) -> Any:
        return of_module(self.module)

    def at(self, parameters: Mapping[str, Tensor], of_module: Callable[[nn.Module], Any]) -> Any:
        """``of_module(module)`` with these parameters."""
        named = {f"module.{name}": parameter for name, parameter in parameters.items()}
        return torch.func.functional_call(self, named, (of_module,))

    def output(self, parameters: Mapping[str, Tensor]) -> Any:
        """What the module makes of the inputs."""
        return self.at(parameters, lambda module: module(*self.inputs))

    def loss(self, parameters: Mapping[str, Tensor], rows: Sequence[Tensor] = ()) -> Tensor:
        """0-d: the loss on these rows of the data, or on all."""
        inputs, target = (
            (rows[: len(self.inputs)], rows[len(self.inputs) :]) if rows else (self.inputs, self.target)
        )
        return self._loss_of(self.at(parameters, lambda module: module(*inputs)), target)

    def _loss_of(self, output: Any, target: Sequence[Tensor]) -> Tensor:
        value: Tensor = self.criterion(output, *target)
        return value.reshape(())

    def watched(self, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The loss, the share of classes that are right, and what the author watches."""
        output = self.output(parameters)
        fields = {"loss": self._loss_of(output, self.target)}
        if self._is_of_classes(output):
            fields["accuracy"] = (output.argmax(1) == self.target[0]).to(torch.float64).mean()
        more = self.at(parameters, self.watch) if self.watch else {}
        if not isinstance(more, Mapping):
            raise ValueError(f"watch returns {type(more).__name__}: must be a dict of tensors")
        return {**fields, **more}

    def reported(self, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The report and, for a function of one number, its curve from the least input to the largest."""
        output, curve = self.output(parameters), {}
        if self._is_of_one_number(output):
            columns = {"x": self.inputs[0], "target": self.target[0], "prediction": output}
            curve = {name: column.flatten()[self.order] for name, column in columns.items()}
        return curve | self.watched(parameters)

    def _is_of_classes(self, output: Any) -> bool:
        if not self.target or not isinstance(output, Tensor):
            return False
        target = self.target[0]
        return target.dtype == torch.int64 and output.ndim == 2 and target.shape == output.shape[:1]

    def _is_of_one_number(self, output: Any) -> bool:
        columns = [*self.inputs, *self.target, output]
        if len(columns) != 3 or not all(isinstance(column, Tensor) for column in columns):
            return False
        shapes = {(len(self.order),), (len(self.order), 1)}
        return all(column.is_floating_point() and column.shape in shapes for column in columns)


# A step ------------------------------------------------------------------------------------------------------


def _moved(
    optimizer: Optimizer, names: _Names, state: Descent, gradients: Mapping[str, Tensor], p: Any
) -> Descent:
    """A step of torch's own optimizer, from copies of the parameters and of what it keeps of each."""
    twin = copy.copy(optimizer)
    parameters = {name: tensor.clone() for name, tensor in state.parameters.items()}
    twin.param_groups = [
        {**group, **{key: False for key in ONE_BY_ONE if key in group}, **_numbers(optimizer, group, p)}
        | {"params": [parameters[name] for name in group_names]}
        for group, group_names in zip(optimizer.param_groups, names, strict=True)
    ]
    twin.state = defaultdict(dict)
    for name, parameter in parameters.items():
        twin.state[parameter] = {key: moment.clone() for key, moment in state.moments[name].items()}
        parameter.grad = gradients.get(name)
    with _NumbersMayBeTensors() if _is_traced(p.learning_rate) else nullcontext():
        twin.step()
    moments = {name: dict(twin.state[parameter]) for name, parameter in parameters.items()}
    return Descent({name: parameter.detach() for name, parameter in parameters.items()}, moments, state.batch)


def _numbers(optimizer: Optimizer, group: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """The numbers of a group that sliders move, as the optimizer takes them."""
    numbers = {
        "lr": p.learning_rate * _ratio(optimizer, group, "lr"),
        "weight_decay": p.weight_decay * _ratio(optimizer, group, "weight_decay"),
    }
    if isinstance(optimizer, SGD):
        numbers["momentum"] = p.momentum
    if _is_traced(p.learning_rate):
        return numbers
    return {name: _Number(number.item()) for name, number in numbers.items()}


def _ratio(optimizer: Optimizer, group: Mapping[str, Any], name: str) -> float:
    """A group's number over that of the slider."""
    base = _base(optimizer, name)
    return float(group[name]) / base if base else 1.0


def _base(optimizer: Optimizer, name: str) -> float:
    """Where the slider stands that moves a number of all groups."""
    return max(float(group[name]) for group in optimizer.param_groups)


class _Number(float):
    """A number of an optimizer's that is used as any other where it is 0, as it is in the page."""

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__


class _NumbersMayBeTensors(TorchFunctionMode):
    """Torch's optimizers, while they are traced, with tensors for the numbers that sliders and steps change."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if func is Tensor.item:
            return args[0]
        if name == "ne":
            return True
        factor = kwargs.get("alpha", kwargs.get("value"))
        if not isinstance(factor, Tensor):
            return func(*args, **kwargs)
        x, *operands = args
        match name.strip("_"):
            case "add":
                change = factor * operands[0]
            case "addcmul":
                change = factor * operands[0] * operands[1]
            case "addcdiv":
                change = factor * operands[0] / operands[1]
            case _:
                return func(*args, **kwargs)
        return x.add_(change) if name.endswith("_") else x + change


def _is_traced(number: Tensor) -> bool:
    """Whether a tensor has no number to ask for: it is traced, or many at once."""
    return isinstance(number, FakeTensor) or torch._C._functorch.is_functorch_wrapped_tensor(number)


# What is given -----------------------------------------------------------------------------------------------

_Names = list[list[str]]
"""For each group of an optimizer the names of its parameters."""


def of_module(*given: Any, batch: int | None = None) -> Program:
    """:func:`training`, with what is missing said in words."""
    if len(given) != 4:
        raise ValueError(
            f"live(module, optimizer, loss, data): {len(given)} of the four are given: must be a module, its "
            "optimizer, a loss of output and target, and data"
        )
    return training(*given, batch=batch)


def _check_optimizer(optimizer: Any) -> None:
    known = ", ".join(kind.__name__ for kind in OPTIMIZERS)
    if not isinstance(optimizer, Optimizer):
        raise ValueError(
            f"optimizer = {optimizer!r}: must be a torch.optim optimizer of the module's parameters"
        )
    if type(optimizer) not in OPTIMIZERS:
        closure = ", which calls a closure," if type(optimizer).__name__ == "LBFGS" else ""
        raise ValueError(
            f"optimizer = {type(optimizer).__name__}{closure} is not repeated in a page: must be one of {known}; or "
            "write its step as that of a lib.program.Program"
        )
    for group in optimizer.param_groups:
        if not float(group["lr"]) > 0:
            raise ValueError(f"lr = {float(group['lr']):g}: must be above 0, where its slider is")
        if group.get("dampening"):
            raise ValueError(
                f"dampening = {group['dampening']:g}: must be 0, because torch's first step differs from the others"
            )


def _tensors(data: Any) -> list[Tensor]:
    """The data as float64; whole numbers and truths stay what they are."""
    parts = list(data) if isinstance(data, (tuple, list)) else [data]
    try:
        tensors = [torch.as_tensor(part) for part in parts]
    except (TypeError, ValueError, RuntimeError):
        tensors = []
    if not tensors:
        raise ValueError(
            f"data = {type(data).__name__}: must be a tensor, or a tuple of tensors whose last is the target; each "
            "step takes all of them"
        )
    if (size := sum(tensor.numel() for tensor in tensors)) > MOST_NUMBERS:
        raise ValueError(f"data: {size:,} numbers: must be at most {MOST_NUMBERS:,}, which a page loads")
    return [
        tensor.detach().to(torch.float64)
        if tensor.is_floating_point()
        else tensor
        if tensor.dtype is torch.bool
        else tensor.to(torch.int64)
        for tensor in tensors
    ]


def _batches(tensors: Sequence[Tensor], batch: int | None) -> list[Tensor]:
    """Each tensor of the data as batches along a first axis; none without batches."""
    if batch is None:
        return []
    rows = {len(tensor) for tensor in tensors if tensor.ndim}
    fits = len(rows) == 1 and isinstance(batch, int) and 0 < batch <= min(rows) and min(rows) % batch == 0
    if not fits or any(tensor.ndim == 0 for tensor in tensors):
        sizes = " and ".join(map(str, sorted(rows)))
        raise ValueError(
            f"batch = {batch!r}, of data of {sizes} rows: must be a whole number that divides the rows, because each "
            "step has the same shapes"
        )
    return [tensor.reshape(-1, batch, *tensor.shape[1:]) for tensor in tensors]


def _names(module: nn.Module, optimizer: Optimizer) -> _Names:
    """The names of each group's parameters in the module."""
    known = {id(parameter): name for name, parameter in module.named_parameters()}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if id(parameter) not in known:
                raise ValueError(
                    f"optimizer moves a parameter of shape {tuple(parameter.shape)}: must be one of the module's"
                )
    return [[known[id(parameter)] for parameter in group["params"]] for group in optimizer.param_groups]


def _check_module(module: nn.Module) -> None:
    """Refuse what draws at random."""
    for name, part in module.named_modules():
        rate = getattr(part, "p", None) if isinstance(part, nn.modules.dropout._DropoutNd) else None
        rate = part.dropout if isinstance(part, nn.MultiheadAttention) else rate
        if part.training and rate:
            raise ValueError(
                f"module {name or 'itself'!r}, {type(part).__name__}, drops out {rate:g} at random: must be 0, or in "
                "evaluation, module.eval(), so that a page can repeat each step"
            )


def _start(module: nn.Module, optimizer: Optimizer, names: _Names, task: _Task) -> Descent:
    """Where the run starts: the parameters as they are, and what the optimizer keeps of each before its first step."""
    given = dict(module.named_parameters())
    moved = [name for group in names for name in group]
    parameters = {name: given[name].detach().to(torch.float64).clone() for name in moved}
    task.used = _used(task, {name: parameters[name] for name in moved if given[name].requires_grad})
    zeros = {name: torch.zeros_like(parameter) for name, parameter in parameters.items()}
    still = record("Numbers", ("learning_rate", "weight_decay", "momentum"))(*torch.zeros(3))
    first_batch = torch.zeros((), dtype=torch.float64)
    nothing = Descent(parameters, {name: {} for name in parameters}, first_batch)
    first = _moved(optimizer, names, nothing, {name: zeros[name] for name in task.used}, still).moments
    kept = {name: optimizer.state.get(given[name]) or _at_step_0(first[name]) for name in parameters}
    moments = {
        name: {
            key: moment.detach().to(torch.float64, copy=True)
            for key, moment in kept[name].items()
            if moment is not None
        }
        for name in parameters
    }
    return Descent(parameters, moments, first_batch)


def _at_step_0(moments: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What is kept of a parameter before the first step, by what is kept after a step without gradient."""
    return {key: torch.zeros_like(moment) if key == "step" else moment for key, moment in moments.items()}


def _used(task: _Task, parameters: dict[str, Tensor]) -> list[str]:
    """The parameters that have a gradient; says what is wrong with the module, the loss or the data."""
    leaves = {name: parameter.clone().requires_grad_() for name, parameter in parameters.items()}
    shapes = ", ".join(str(tuple(tensor.shape)) for tensor in (*task.inputs, *task.target))
    kept = {name: buffer.clone() for name, buffer in task.module.named_buffers()}
    try:
        output = task.at(leaves, lambda module: module(*task.inputs))
        value = task.criterion(output, *task.target)
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        raise ValueError(
            f"data of shapes {shapes} do not fit the module and the loss: {str(error).splitlines()[0]}"
        ) from error
    for name, buffer in task.module.named_buffers():
        if not torch.equal(buffer, kept[name]):
            raise ValueError(
                f"module changes {name!r} in each step, as batch norm does in training: must be in evaluation, "
                "module.eval(), or have track_running_stats=False; LayerNorm and GroupNorm change nothing"
            )
    if not isinstance(value, Tensor) or value.numel() != 1:
        got = f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
        raise ValueError(f"loss returns {got}: must be one number, such as the mean")
    if not value.requires_grad:
        raise ValueError("loss: nothing that the optimizer moves has a part in it")
    gradients = torch.autograd.grad(value, list(leaves.values()), allow_unused=True)
    return [name for name, gradient in zip(leaves, gradients, strict=True) if gradient is not None]


def _domains(optimizer: Optimizer, steps: int) -> tuple[Domain, ...]:
    """The parameters that sliders move, at the optimizer's own values."""
    rate, decay = _base(optimizer, "lr"), _base(optimizer, "weight_decay")
    learning_rate = Domain(
        "learning_rate",
        0,
        low_open=True,
        default=rate,
        words="learning rate",
        scale="log",
        track=(rate / 100, rate * 100),
    )
    weight_decay = Domain(
        "weight_decay",
        0,
        default=decay,
        words="weight decay",
        scale="choice",
        track=tuple(sorted({*DECAYS, decay})),
    )
    length = Domain("steps", 0, MOST_STEPS, integer=True, default=steps, scale="whole", track=(0, 2 * steps))
    if not isinstance(optimizer, SGD):
        return learning_rate, weight_decay, length
    momentum = Domain("momentum", 0, 1, default=_base(optimizer, "momentum"), track=(0.0, 1.0, 0.01))
    return learning_rate, momentum, weight_decay, length
