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

What else belongs to the loop goes where torch has a place for it, and is repeated too: a penalty on the weights into
the loss, which may read ``net``; clipped gradients into ``optimizer.register_step_pre_hook`` or a parameter's
``register_hook``; a schedule into ``scheduler=``. Three steps of the author's own objects are compared with the
figure's (:mod:`widgets.figure.own_steps`); a training that differs is refused.
"""

from __future__ import annotations

import copy
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from torch.overrides import TorchFunctionMode

from lib.domain import Domain
from lib.program import Program, Stage, parameters, record
from widgets.figure.compiled import MOST_NUMBERS
from widgets.figure.own_steps import STEPS, Given, Held, StandIns, check_nothing_else, check_steps

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
    taken: Tensor
    """0-d: how many steps have been taken."""


def training(
    module: nn.Module,
    optimizer: Optimizer,
    loss: Callable[..., Tensor],
    data: Any,
    *,
    watch: Watch | None = None,
    steps: int = 200,
    most: int | None = None,
    batch: int | None = None,
    scheduler: LRScheduler | None = None,
) -> Program:
    """Gradient descent on ``loss(module(*inputs), target)``, as a program that sliders rerun.

    Args:
        module: starts from its parameters as they are; it is copied, and stays as it is.
        optimizer: SGD, Adam, AdamW, RMSprop or Adagrad, of the module's parameters. If it has made steps already, the
            run goes on from there. Groups keep the ratios of their learning rates, weight decays and momenta. Hooks
            of its steps are called.
        loss: of the module's output and the target, one number. Of the output alone, where ``data`` is one tensor. It
            may read the module.
        data: tensors or arrays, the inputs and, last, the target; each step takes all of them, or a batch.
        watch: of the module as it stands, named tensors that are watched while it runs, and reported at its end.
        steps: the default number of steps.
        most: the largest number of steps of a schedule; twice the default, if not said.
        batch: so many rows of the data are a batch. Each step takes the next one, in the order of the data, as a
            ``DataLoader`` without shuffling does; after the last one comes the first.
        scheduler: changes the optimizer's learning rates; ``scheduler.step()`` is called after each step. The slider
            of the learning rate scales all of the schedule.

    Returns:
        A program with the parameters ``learning_rate``, ``weight_decay``, ``steps`` and, for SGD, ``momentum``. It
        watches ``loss``, and ``accuracy`` if the target are classes. At its end it reports both and, for a function of
        one number, ``x``, ``target`` and ``prediction``, in the order of x. It stops where the loss is not finite.

    Raises:
        ValueError: a module that draws at random or changes a buffer, another optimizer, data that do not fit; or a
            training that comes out otherwise than the author's own.
    """
    _check_optimizer(optimizer, scheduler)
    _check_module(module)
    given = Given(module, optimizer, loss, scheduler)
    check_nothing_else(given)
    held = Held(given)
    with held.put_back():
        return _training(held, _tensors(data), watch, steps, most, batch)


def _training(
    held: Held, tensors: list[Tensor], watch: Watch | None, steps: int, most: int | None, batch: int | None
) -> Program:
    """The program, compared with steps of the author's own objects, which are float64 for now."""
    given = held.given
    optimizer, scheduler = given.optimizer, given.scheduler
    names = _names(given.module, optimizer)
    task = _Task(given.module, given.loss, tensors, watch)
    batches = _batches(tensors, batch)
    if scheduler is not None and batches:
        raise ValueError(
            f"scheduler = {type(scheduler).__name__} with batch = {batch}: must be without batches, because it is not "
            "said whether it goes on after each batch or after each pass"
        )
    schedule = _schedule(given, most or 2 * steps) if scheduler is not None else None
    rule = _Rule(optimizer, names, _hooks(given.module), task.standing_in, schedule)
    start = _start(given.module, rule, task)
    domains = _domains(optimizer, steps, schedule)

    def step(state: Descent, p: Any) -> tuple[Descent, Tensor]:
        rows: list[Tensor] = []
        if batches:
            number = torch.remainder(state.taken, len(batches[0])).long().reshape(1)
            rows = [tensor.index_select(0, number).squeeze(0) for tensor in batches]
        gradients, value = task.gradients(state.parameters, rows)
        return rule.moved(state, gradients, p), ~value.isfinite()

    def rows_of(number: int) -> tuple[Sequence[Tensor], Sequence[Tensor]]:
        rows = [tensor[number % len(tensor)] for tensor in batches] or tensors
        return rows[: len(task.inputs)], rows[len(task.inputs) :]

    def first_steps() -> list[dict[str, Tensor]]:
        state, p, after = start, parameters(program, {}), []
        for _ in range(STEPS):
            state, _done = step(state, p)
            after.append({**task.still, **state.parameters})
        return after

    watched = record("Watched", task.watched(start.parameters))
    program = Program(
        parameters=record("Parameters", [domain.name for domain in domains]),
        domains=domains,
        start=lambda p: start,
        stages=(Stage("training", lambda state, p: state, step, "steps"),),
        watch=lambda state, p: watched(**task.watched(state.parameters)),
        report=lambda ends, p: task.reported(ends[0].parameters),
    )
    check_steps(held, rows_of, first_steps)
    return program


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
        self.own = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        """The author's own tensors, for which others stand in where the loss or a hook reads them."""
        self.module, self.criterion = _copied(module, loss)
        kept = {**dict(self.module.named_parameters()), **dict(self.module.named_buffers())}
        self.still = {name: tensor.detach() for name, tensor in kept.items()}
        self.inputs, self.target = (tensors[:-1], tensors[-1:]) if len(tensors) > 1 else (tensors, [])
        self.order = tensors[0].detach().flatten().argsort(stable=True)
        self.watch = watch
        self.used: list[str] = []
        """The parameters on which the loss depends: torch's optimizers pass over the others."""
        self.by_tape = False
        """Whether the module uses torch's tape itself, ``torch.autograd.grad``, beside which no other way works."""

    def forward(self, of_module: Callable[[nn.Module], Any]) -> Any:
        return of_module(self.module)

    def standing_in(self, parameters: Mapping[str, Tensor]) -> StandIns:
        """These parameters in place of the author's own."""
        now = {**self.still, **parameters}
        return StandIns([(tensor, now[name]) for name, tensor in self.own.items()])

    def at(self, parameters: Mapping[str, Tensor], of_module: Callable[[nn.Module], Any]) -> Any:
        """``of_module(module)`` with these parameters."""
        named = {f"module.{name}": parameter for name, parameter in parameters.items()}
        with self.standing_in(parameters):
            return torch.func.functional_call(self, named, (of_module,))

    def output(self, parameters: Mapping[str, Tensor]) -> Any:
        """What the module makes of the inputs."""
        return self.at(parameters, lambda module: module(*self.inputs))

    def loss(self, parameters: Mapping[str, Tensor], rows: Sequence[Tensor] = ()) -> Tensor:
        """0-d: the loss on these rows of the data, or on all."""
        inputs, target = (
            (rows[: len(self.inputs)], rows[len(self.inputs) :]) if rows else (self.inputs, self.target)
        )
        return self.at(parameters, lambda module: self._loss_of(module(*inputs), target))

    def gradients(
        self, parameters: Mapping[str, Tensor], rows: Sequence[Tensor] = ()
    ) -> tuple[dict[str, Tensor], Tensor]:
        """The gradient by each parameter on which the loss depends, and the loss."""
        if not self.by_tape:
            gradients, value = torch.func.grad_and_value(self.loss)(dict(parameters), rows)
            return {name: gradients[name] for name in self.used}, value
        leaves = {name: parameters[name].detach().requires_grad_() for name in self.used}
        value = self.loss({**parameters, **leaves}, rows)
        found = torch.autograd.grad(value, list(leaves.values()))
        return dict(zip(leaves, found, strict=True)), value.detach()

    def _loss_of(self, output: Any, target: Sequence[Tensor]) -> Tensor:
        value: Tensor = self.criterion(output, *target)
        return value.reshape(())

    def watched(self, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The loss, the share of classes that are right, the prediction of one number, and what the author watches."""
        return self.at(parameters, lambda module: self._watched(module, module(*self.inputs)))

    def _watched(self, module: nn.Module, output: Any) -> dict[str, Tensor]:
        fields = {"loss": self._loss_of(output, self.target)}
        if self._is_of_classes(output):
            fields["accuracy"] = (output.argmax(1) == self.target[0]).to(torch.float64).mean()
        if self._is_of_one_number(output):
            fields["prediction"] = output.flatten()[self.order]
        more = self.watch(module) if self.watch else {}
        if not isinstance(more, Mapping):
            raise ValueError(f"watch returns {type(more).__name__}: must be a dict of tensors")
        return {name: field.detach() for name, field in {**fields, **more}.items()}

    def reported(self, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The report and, for a function of one number, its curve from the least input to the largest."""
        watched = self.watched(parameters)
        if "prediction" not in watched:
            return watched
        columns = {"x": self.inputs[0], "target": self.target[0]}
        curve = {name: column.detach().flatten()[self.order] for name, column in columns.items()}
        return curve | {"prediction": watched["prediction"]} | watched

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


class _Hooks(NamedTuple):
    """What the author has hung on the gradient of a parameter."""

    before: tuple[Callable[[Tensor], Tensor | None], ...]
    """``register_hook``: may return another gradient."""
    after: tuple[Callable[[Tensor], None], ...]
    """``register_post_accumulate_grad_hook``: may change the parameter's ``grad``."""


def _hooks(module: nn.Module) -> dict[str, _Hooks]:
    """The hooks of each parameter as they are now."""
    return {
        name: _Hooks(
            tuple((parameter._backward_hooks or {}).values()),
            tuple((parameter._post_accumulate_grad_hooks or {}).values()),
        )
        for name, parameter in module.named_parameters()
    }


class _Rule:
    """A step of torch's own optimizer."""

    def __init__(
        self,
        optimizer: Optimizer,
        names: _Names,
        hooks: Mapping[str, _Hooks],
        standing_in: Callable[[Mapping[str, Tensor]], StandIns],
        schedule: Tensor | None,
    ):
        self.optimizer, self.names, self.hooks, self.standing_in = optimizer, names, hooks, standing_in
        self.groups = [dict(group) for group in optimizer.param_groups]
        self.before = dict(optimizer._optimizer_step_pre_hooks)
        self.after = dict(optimizer._optimizer_step_post_hooks)
        self.schedule = schedule

    def moved(self, state: Descent, gradients: Mapping[str, Tensor], p: Any) -> Descent:
        """A step from copies of the parameters and of what the optimizer keeps of each."""
        twin: Any = copy.copy(self.optimizer)
        twin._optimizer_step_pre_hooks, twin._optimizer_step_post_hooks = self.before, self.after
        parameters = {name: tensor.clone() for name, tensor in state.parameters.items()}
        twin.param_groups = [
            {**group, **{key: False for key in ONE_BY_ONE if key in group}, **self._numbers(place, state, p)}
            | {"params": [parameters[name] for name in names]}
            for place, (group, names) in enumerate(zip(self.groups, self.names, strict=True))
        ]
        twin.state = defaultdict(dict)
        with ExitStack() as modes:
            if self.before or self.after or any(hook for hooks in self.hooks.values() for hook in hooks):
                modes.enter_context(self.standing_in(parameters))
            for name, parameter in parameters.items():
                twin.state[parameter] = {key: moment.clone() for key, moment in state.moments[name].items()}
                parameter.grad = self._hooked(name, parameter, gradients.get(name))
            if _is_traced(p.learning_rate):
                modes.enter_context(_NumbersMayBeTensors())
            twin.step()
        moments = {name: dict(twin.state[parameter]) for name, parameter in parameters.items()}
        moved = {name: parameter.detach() for name, parameter in parameters.items()}
        return Descent(moved, moments, state.taken + 1)

    def without_hooks(self) -> _Rule:
        """The optimizer's step alone."""
        none = {name: _Hooks((), ()) for name in self.hooks}
        alone = _Rule(self.optimizer, self.names, none, self.standing_in, self.schedule)
        alone.before, alone.after = {}, {}
        return alone

    def _hooked(self, name: str, parameter: Tensor, gradient: Tensor | None) -> Tensor | None:
        """What becomes of a gradient by the parameter's hooks."""
        if gradient is None:
            return None
        for hook in self.hooks[name].before:
            other = hook(gradient)
            gradient = gradient if other is None else other
        parameter.grad = gradient
        for change in self.hooks[name].after:
            change(parameter)
        return parameter.grad

    def _numbers(self, place: int, state: Descent, p: Any) -> dict[str, Any]:
        """The numbers of a group that sliders and a schedule move, as the optimizer takes them."""
        rate = p.learning_rate * self._ratio(place, "lr")
        if self.schedule is not None:
            step = state.taken.clamp(max=len(self.schedule) - 1).long().reshape(1)
            rate = p.learning_rate * self.schedule[:, place].index_select(0, step).squeeze(0)
        numbers = {"lr": rate, "weight_decay": p.weight_decay * self._ratio(place, "weight_decay")}
        if isinstance(self.optimizer, SGD):
            numbers["momentum"] = p.momentum * self._ratio(place, "momentum")
        if _is_traced(p.learning_rate):
            return numbers
        return {name: _Number(number.item()) for name, number in numbers.items()}

    def _ratio(self, place: int, name: str) -> float:
        """A group's number over that of the slider."""
        base = _base(self.optimizer, name)
        return float(self.groups[place][name]) / base if base else 1.0


def _base(optimizer: Optimizer, name: str) -> float:
    """Where the slider stands that moves a number of all groups; of a schedule, where it starts from."""
    of_schedule = {"lr": "initial_lr"}.get(name, name)
    return max(float(group.get(of_schedule, group[name])) for group in optimizer.param_groups)


def _schedule(given: Given, most: int) -> Tensor:
    """(steps, groups): the learning rate at each step, over that of the slider.

    Raises:
        ValueError: the scheduler is not one of this optimizer's, or hangs on more than the number of steps.
    """
    optimizer, scheduler = given.optimizer, given.scheduler
    if not isinstance(scheduler, LRScheduler) or isinstance(scheduler, ReduceLROnPlateau):
        raise ValueError(
            f"scheduler = {type(scheduler).__name__}: must be one of torch.optim.lr_scheduler that hangs on the number "
            "of steps alone"
        )
    if scheduler.optimizer is not optimizer:
        raise ValueError(f"scheduler = {type(scheduler).__name__}: must be one of this optimizer's")
    base, rates = _base(optimizer, "lr"), []
    twin, ahead = copy.deepcopy((optimizer, scheduler))
    usual = [_fixed_numbers(group) for group in twin.param_groups]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its optimizer makes no steps
        for _ in range(most):
            rates.append([float(group["lr"]) / base for group in twin.param_groups])
            try:
                ahead.step()
            except ValueError:  # a cycle is over: torch would stop here, too
                break
            if [_fixed_numbers(group) for group in twin.param_groups] != usual:
                raise ValueError(
                    f"scheduler = {type(scheduler).__name__} changes more than the learning rate: must leave momentum "
                    "and betas, as with cycle_momentum=False"
                )
    return torch.tensor(rates, dtype=torch.float64)


def _fixed_numbers(group: Mapping[str, Any]) -> dict[str, Any]:
    """What a schedule of learning rates leaves alone."""
    return {
        key: value for key, value in group.items() if key in ("momentum", "betas", "weight_decay", "alpha")
    }


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


def of_module(*given: Any, steps: Any = None, batch: int | None = None, scheduler: Any = None) -> Program:
    """:func:`training`, with what is missing said in words; ``steps`` is their number, or its control."""
    if len(given) != 4:
        raise ValueError(
            f"live(module, optimizer, loss, data): {len(given)} of the four are given: must be a module, its "
            "optimizer, a loss of output and target, and data"
        )
    most = getattr(steps, "max", steps)
    return training(*given, most=None if most is None else int(most), batch=batch, scheduler=scheduler)


def _check_optimizer(optimizer: Any, scheduler: Any) -> None:
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
        if scheduler is None and not float(group["lr"]) > 0:
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
    if any(tensor.is_complex() for tensor in tensors):
        raise ValueError("data: complex numbers: must be real, such as torch.view_as_real(data)")
    if (size := sum(tensor.numel() for tensor in tensors)) > MOST_NUMBERS:
        raise ValueError(f"data: {size:,} numbers: must be at most {MOST_NUMBERS:,}, which a page loads")
    return [
        tensor.detach().to(torch.float64).requires_grad_(tensor.requires_grad)
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


def _copied(module: nn.Module, loss: Callable[..., Tensor]) -> tuple[nn.Module, Callable[..., Tensor]]:
    """The module and, if it is one, the loss, in float64."""
    try:
        twin, criterion = copy.deepcopy((module, loss if isinstance(loss, nn.Module) else None))
    except (RuntimeError, TypeError) as error:
        raise ValueError(
            f"module {type(module).__name__} cannot be copied: {str(error).splitlines()[0]}"
        ) from error
    return twin.to(torch.float64), loss if criterion is None else criterion.to(torch.float64)


def _check_module(module: nn.Module) -> None:
    """Refuse what draws at random, and what is not computed as it stands."""
    if isinstance(module, torch.jit.ScriptModule) or type(module).__name__ == "OptimizedModule":
        raise ValueError(f"module = {type(module).__name__}, which is compiled: must be the module itself")
    places: dict[int, str] = {}
    for name, parameter in module.named_parameters():
        if isinstance(parameter, nn.UninitializedParameter):
            raise ValueError(f"parameter {name!r} has no shape yet: the module must be called once before")
        if parameter.dtype not in (torch.float32, torch.float64):
            raise ValueError(
                f"parameter {name!r} is {parameter.dtype}: must be torch.float32 or torch.float64, because a page "
                "computes in double precision"
            )
        place = parameter.untyped_storage().data_ptr() if parameter.numel() else id(parameter)
        other = places.setdefault(place, name)
        if other != name:
            raise ValueError(
                f"parameters {other!r} and {name!r} share memory: must be the same parameter, or in its place a "
                "property or forward that computes one from the other"
            )
    for name, part in module.named_modules():
        rate = getattr(part, "p", None) if isinstance(part, nn.modules.dropout._DropoutNd) else None
        rate = part.dropout if isinstance(part, nn.MultiheadAttention) else rate
        if part.training and rate:
            raise ValueError(
                f"module {name or 'itself'!r}, {type(part).__name__}, drops out {rate:g} at random: must be 0, or in "
                "evaluation, module.eval(), so that a page can repeat each step"
            )


def _start(module: nn.Module, rule: _Rule, task: _Task) -> Descent:
    """Where the run starts: the parameters as they are, and what the optimizer keeps of each before its first step."""
    given = dict(module.named_parameters())
    moved = [name for group in rule.names for name in group]
    parameters = {name: given[name].detach().to(torch.float64).clone() for name in moved}
    task.used = _used(task, {name: parameters[name] for name in moved if given[name].requires_grad})
    task.by_tape = _needs_tape(task, parameters)
    zeros = {name: torch.zeros_like(parameters[name]) for name in task.used}
    still = record("Numbers", ("learning_rate", "weight_decay", "momentum"))(*torch.zeros(3))
    none_taken = torch.zeros((), dtype=torch.float64)
    nothing = Descent(parameters, {name: {} for name in parameters}, none_taken)
    first = rule.without_hooks().moved(nothing, zeros, still).moments
    kept = {name: rule.optimizer.state.get(given[name]) or _at_step_0(first[name]) for name in parameters}
    moments = {
        name: {
            key: moment.detach().to(torch.float64, copy=True)
            for key, moment in kept[name].items()
            if moment is not None
        }
        for name in parameters
    }
    return Descent(parameters, moments, none_taken)


def _needs_tape(task: _Task, parameters: dict[str, Tensor]) -> bool:
    """Whether the gradient can only be taken with torch's tape."""
    try:
        task.gradients(parameters)
    except RuntimeError:
        return True
    return False


def _at_step_0(moments: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What is kept of a parameter before the first step, by what is kept after a step without gradient."""
    return {key: torch.zeros_like(moment) if key == "step" else moment for key, moment in moments.items()}


def _used(task: _Task, parameters: dict[str, Tensor]) -> list[str]:
    """The parameters that have a gradient; says what is wrong with the module, the loss or the data."""
    leaves = {name: parameter.clone().requires_grad_() for name, parameter in parameters.items()}
    shapes = ", ".join(str(tuple(tensor.shape)) for tensor in (*task.inputs, *task.target))
    kept = {name: buffer.clone() for name, buffer in task.module.named_buffers()}
    try:
        value = task.at(leaves, lambda module: task.criterion(module(*task.inputs), *task.target))
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


def _domains(optimizer: Optimizer, steps: int, schedule: Tensor | None) -> tuple[Domain, ...]:
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
    most = MOST_STEPS if schedule is None else len(schedule)
    steps = min(steps, most)
    length = Domain(
        "steps", 0, most, integer=True, default=steps, scale="whole", track=(0, min(2 * steps, most))
    )
    if not isinstance(optimizer, SGD):
        return learning_rate, weight_decay, length
    momentum = Domain("momentum", 0, 1, default=_base(optimizer, "momentum"), track=(0.0, 1.0, 0.01))
    return learning_rate, momentum, weight_decay, length
