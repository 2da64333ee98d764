"""Trainings as people write them: each is ``live(module, optimizer, loss, data)`` and the loop it stands for.

A training is a function that returns a :class:`Training`. What a figure makes of it is the author's own, number by
number, or is refused in one sentence; the sentence is part of the table.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_, parametrizations, parametrize
from torch.optim import LBFGS, SGD, Adagrad, Adam, AdamW, NAdam, Optimizer, RMSprop
from torch.optim import lr_scheduler as schedulers
from torch.optim.swa_utils import AveragedModel

D = torch.float64
X = torch.randn(12, 3, dtype=D, generator=torch.Generator().manual_seed(0))
Y = X[:, :2].sin()
CLASSES = (X[:, 0] * X[:, 1] > 0).long()


class Training(NamedTuple):
    """The four things that are given, and what comes beside them."""

    module: nn.Module
    optimizer: Optimizer
    loss: Callable[..., Any] = F.mse_loss
    data: Any = (X, Y)
    settings: dict[str, Any] = {}  # noqa: RUF012
    beside: Any = None
    """What has to stay alive while the figure is made."""


Make = Callable[[], Training]
OWN: dict[str, Make] = {}
"""The figure's training is the author's own."""
REFUSED: dict[str, tuple[Make, str]] = {}
"""It is refused, in words that this pattern finds."""


def own(make: Make) -> Make:
    OWN[make.__name__.replace("_", " ")] = make
    return make


def refused(pattern: str) -> Callable[[Make], Make]:
    def enter(make: Make) -> Make:
        REFUSED[make.__name__.replace("_", " ")] = (make, pattern)
        return make

    return enter


def mlp(*more: nn.Module) -> Any:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2), *more)


def sgd(net: nn.Module, **settings: Any) -> SGD:
    return SGD(net.parameters(), **{"lr": 0.1, **settings})


# The loss ----------------------------------------------------------------------------------------------------


@own
def a_penalty_on_the_weights() -> Training:
    net = mlp()

    def loss(out: Tensor, y: Tensor) -> Tensor:
        return F.mse_loss(out, y) + 0.01 * sum(p.pow(2).sum() for p in net.parameters())

    return Training(net, sgd(net), loss)


@own
def a_lasso_on_one_layer() -> Training:
    net = mlp()
    return Training(
        net, Adam(net.parameters(), 0.01), lambda o, y: F.mse_loss(o, y) + 0.1 * net[0].weight.abs().sum()
    )


@own
def a_penalty_on_a_list_of_parameters() -> Training:
    net = mlp()
    weights = [p for p in net.parameters() if p.ndim > 1]
    return Training(
        net, sgd(net), lambda o, y: F.mse_loss(o, y) + 0.02 * torch.stack([w.norm() for w in weights]).sum()
    )


@own
def a_penalty_by_the_parameters_as_one_vector() -> Training:
    net = mlp()
    vector = nn.utils.parameters_to_vector
    return Training(
        net, sgd(net), lambda o, y: F.mse_loss(o, y) + 0.02 * vector(net.parameters()).square().sum()
    )


@own
def a_pull_towards_the_start() -> Training:
    net = mlp()
    start = {name: p.detach().clone() for name, p in net.named_parameters()}
    return Training(
        net,
        sgd(net),
        lambda o, y: (
            F.mse_loss(o, y) + 0.1 * sum((p - start[n]).square().sum() for n, p in net.named_parameters())
        ),
    )


@own
def a_criterion_that_is_a_module_and_holds_the_net() -> Training:
    class Penalized(nn.Module):
        def __init__(self, net: nn.Module) -> None:
            super().__init__()
            self.net = net

        def forward(self, out: Tensor, y: Tensor) -> Tensor:
            return F.mse_loss(out, y) + 0.01 * sum(p.square().sum() for p in self.net.parameters())

    net = mlp()
    return Training(net, sgd(net), Penalized(net))


@own
def a_criterion_that_is_an_object_and_holds_the_net() -> Training:
    class Penalized:
        def __init__(self, net: nn.Module) -> None:
            self.net = net

        def __call__(self, out: Tensor, y: Tensor) -> Tensor:
            return F.mse_loss(out, y) + 0.01 * self.net.get_parameter("0.weight").square().sum()

    net = mlp()
    return Training(net, sgd(net), Penalized(net))


@own
def a_method_of_the_module_as_the_loss() -> Training:
    class Net(nn.Linear):
        def loss(self, out: Tensor, y: Tensor) -> Tensor:
            return F.mse_loss(out, y) + 0.1 * (self.weight @ self.weight.T - torch.eye(2)).square().sum()

    torch.manual_seed(1)
    net = Net(3, 2)
    return Training(net, sgd(net), net.loss)


@own
def a_loss_that_calls_the_net_again() -> Training:
    net, other = mlp(), X.roll(1, 0)
    return Training(net, sgd(net), lambda o, y: F.mse_loss(o, y) + 0.1 * (net(other) - o).square().mean())


@own
def a_penalty_on_what_a_forward_hook_keeps() -> Training:
    net = mlp()
    kept: dict[str, Tensor] = {}
    net[1].register_forward_hook(lambda module, inputs, output: kept.update(hidden=output))
    return Training(net, sgd(net), lambda o, y: F.mse_loss(o, y) + 0.1 * kept["hidden"].abs().mean())


@own
def classes_with_weights_and_smoothing() -> Training:
    net = mlp()
    return Training(
        net, sgd(net), nn.CrossEntropyLoss(torch.tensor([1.0, 3.0]), label_smoothing=0.1), (X, CLASSES)
    )


@refused("loss returns shape")
def a_loss_for_each_row() -> Training:
    net = mlp()
    return Training(net, sgd(net), nn.MSELoss(reduction="none"))


@refused(r"'step' goes from 0 to")
def a_loss_whose_weight_is_annealed() -> Training:
    net, step = mlp(), 0

    def loss(out: Tensor, y: Tensor) -> Tensor:
        nonlocal step
        step += 1
        return F.mse_loss(out, y) * min(1.0, step / 100)

    return Training(net, sgd(net), loss)


@refused("'calls', goes from 0 to")
def a_module_that_counts_its_calls() -> Training:
    class Net(nn.Linear):
        calls = 0

        def __init__(self) -> None:
            super().__init__(3, 2)
            self.calls = 0

        def forward(self, x: Tensor) -> Tensor:
            self.calls += 1
            return super().forward(x) * (0.5 if self.calls > 100 else 1)

    net = Net()
    return Training(net, sgd(net))


@refused("'n', goes from 0 to")
def a_counter_in_a_dictionary() -> Training:
    net, count = mlp(), {"n": 0}

    def loss(out: Tensor, y: Tensor) -> Tensor:
        count["n"] += 1
        return F.mse_loss(out, y) * (2 if count["n"] > 50 else 1)

    return Training(net, sgd(net), loss)


@refused("'n', goes from 0 to")
def a_counter_in_an_object() -> Training:
    net, state = mlp(), SimpleNamespace(n=0)

    def loss(out: Tensor, y: Tensor) -> Tensor:
        state.n += 1
        return F.mse_loss(out, y) * (2 if state.n > 50 else 1)

    return Training(net, sgd(net), loss)


@refused("each step changes the tensor")
def a_running_mean_beside_the_module() -> Training:
    net, mean = mlp(), torch.zeros(2, dtype=D)

    def loss(out: Tensor, y: Tensor) -> Tensor:
        mean.mul_(0.9).add_(out.detach().mean(0), alpha=0.1)
        return F.mse_loss(out, y) + (out.mean(0) - mean).square().sum()

    return Training(net, sgd(net), loss)


# Chance ------------------------------------------------------------------------------------------------------


@refused("drops out 0.5 at random")
def dropout() -> Training:
    net = mlp(nn.Dropout(0.5))
    return Training(net, sgd(net))


@own
def dropout_in_evaluation() -> Training:
    net = mlp(nn.Dropout(0.5)).eval()
    return Training(net, sgd(net))


@refused("draws at random, from torch's generator")
def dropout_as_a_function() -> Training:
    class Net(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return F.dropout(super().forward(x), 0.2)

    net = Net(3, 2)
    return Training(net, sgd(net))


@refused("draws at random, from torch's generator")
def a_random_leaky_unit() -> Training:
    net = mlp(nn.RReLU())
    return Training(net, sgd(net))


@refused("draws at random, from torch's generator")
def a_recurrent_net_that_drops_out() -> Training:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cells, self.out = nn.GRU(3, 4, 2, dropout=0.3), nn.Linear(4, 2)

        def forward(self, x: Tensor) -> Tensor:
            return self.out(self.cells(x)[0])

    net = Net()
    return Training(net, sgd(net))


@refused("draws at random, from torch's generator")
def noise_on_the_inputs() -> Training:
    class Net(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x + 0.1 * torch.randn_like(x))

    net = Net(3, 2)
    return Training(net, sgd(net))


@refused("draws at random, from loss's generator|draws at random, from .*generator")
def noise_of_a_generator_of_ones_own() -> Training:
    net, generator = mlp(), torch.Generator().manual_seed(3)
    return Training(
        net, sgd(net), lambda o, y: F.mse_loss(o + 0.1 * torch.randn(o.shape, generator=generator), y)
    )


@refused("draws at random, from numpy.random")
def a_batch_drawn_with_numpy() -> Training:
    net = mlp()

    def loss(out: Tensor, y: Tensor) -> Tensor:
        rows = torch.as_tensor(np.random.permutation(12)[:4])
        return F.mse_loss(out[rows], y[rows])

    return Training(net, sgd(net), loss)


@refused("draws at random, from random")
def a_choice_of_pythons() -> Training:
    net = mlp()
    return Training(net, sgd(net), lambda o, y: F.mse_loss(o, y) * random.choice([0.5, 1.5]))


@refused("draws at random, from torch's generator")
def noise_on_the_gradients() -> Training:
    net = mlp()
    for p in net.parameters():
        p.register_hook(lambda g: g + 0.01 * torch.randn_like(g))
    return Training(net, sgd(net))


# Hooks -------------------------------------------------------------------------------------------------------


@own
def gradients_clipped_by_their_hooks() -> Training:
    net = mlp()
    for p in net.parameters():
        p.register_hook(lambda g: g.clamp(-0.01, 0.01))
    return Training(net, sgd(net))


@own
def a_gradient_hook_that_reads_the_weight() -> Training:
    net = mlp()
    net[0].weight.register_hook(lambda g: g + 0.1 * net[0].weight.detach())
    return Training(net, sgd(net))


@own
def a_gradient_masked_by_a_hook() -> Training:
    net, mask = mlp(), torch.ones(4, 3, dtype=D).tril()
    net[0].weight.register_hook(lambda g: g * mask)
    return Training(net, AdamW(net.parameters(), 0.01))


@own
def a_gradient_scaled_after_it_is_summed() -> Training:
    net = mlp()

    def halve(p: Tensor) -> None:
        assert p.grad is not None
        p.grad.mul_(0.5)

    net[2].weight.register_post_accumulate_grad_hook(halve)
    return Training(net, sgd(net, momentum=0.9))


@own
def two_hooks_of_one_gradient() -> Training:
    net = mlp()
    net[0].weight.register_hook(lambda g: 2 * g)
    net[0].weight.register_hook(lambda g: g.clamp(max=0.02))
    return Training(net, sgd(net))


@own
def the_norm_clipped_in_a_step_hook() -> Training:
    net = mlp()
    optimizer = sgd(net, momentum=0.9)

    def clip(*_: Any) -> None:
        clip_grad_norm_(net.parameters(), 0.05)

    optimizer.register_step_pre_hook(clip)
    return Training(net, optimizer)


@own
def values_clipped_in_a_step_hook() -> Training:
    net = mlp()
    optimizer = Adam(net.parameters(), 0.01)

    def clip(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        clip_grad_value_([p for group in optimizer.param_groups for p in group["params"]], 0.01)

    optimizer.register_step_pre_hook(clip)
    return Training(net, optimizer)


@own
def weights_kept_small_after_each_step() -> Training:
    net = mlp()
    optimizer = sgd(net)

    def small(*_: Any) -> None:
        with torch.no_grad():
            for p in net.parameters():
                p.clamp_(-0.3, 0.3)

    optimizer.register_step_post_hook(small)
    return Training(net, optimizer)


@own
def a_weight_of_norm_1_after_each_step() -> Training:
    net = mlp()
    optimizer = sgd(net)

    @torch.no_grad()
    def project(*_: Any) -> None:
        net[0].weight.div_(net[0].weight.norm(dim=1, keepdim=True))

    optimizer.register_step_post_hook(project)
    return Training(net, optimizer)


@refused("'lr'?, goes from 0.1 to|'lr', goes from 0.1 to")
def a_rate_that_a_step_hook_lowers() -> Training:
    net = mlp()
    optimizer = sgd(net)

    def lower(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        optimizer.param_groups[0]["lr"] *= 0.9

    optimizer.register_step_post_hook(lower)
    return Training(net, optimizer)


@refused("each step changes the tensor")
def an_average_of_the_weights_in_a_step_hook() -> Training:
    net = mlp()
    average, optimizer = AveragedModel(net), sgd(net)
    optimizer.register_step_post_hook(lambda *_: average.update_parameters(net))
    return Training(net, optimizer)


@refused("SGD.step is|optimizer.step is replaced by 'a_step_of_ones_own.<locals>.step'")
def a_step_of_ones_own() -> Training:
    net = mlp()
    optimizer = sgd(net)
    usual = optimizer.step

    def step(closure: Any = None) -> None:
        clip_grad_norm_(net.parameters(), 0.01)
        usual()

    optimizer.step = step  # type: ignore[method-assign]
    return Training(net, optimizer)


@own
def a_backward_hook_of_a_layer() -> Training:
    net = mlp()
    net[2].register_full_backward_hook(lambda m, inputs, outputs: (0.5 * cast(Tensor, inputs[0]),))
    return Training(net, sgd(net))


# Schedules ---------------------------------------------------------------------------------------------------


def scheduled(make: Callable[[Optimizer], Any], given: bool = True, **settings: Any) -> Training:
    net = mlp()
    optimizer = sgd(net, **settings)
    scheduler = make(optimizer)
    return Training(net, optimizer, settings={"scheduler": scheduler} if given else {}, beside=scheduler)


@refused(r"StepLR is attached to the optimizer .* scheduler=scheduler")
def a_scheduler_that_is_not_given() -> Training:
    return scheduled(lambda o: schedulers.StepLR(o, 2), given=False)


@refused("ReduceLROnPlateau is attached")
def a_plateau_that_is_not_given() -> Training:
    return scheduled(schedulers.ReduceLROnPlateau, given=False)


@refused("scheduler = ReduceLROnPlateau: must be one")
def a_plateau() -> Training:
    return scheduled(schedulers.ReduceLROnPlateau)


@own
def steps_down() -> Training:
    return scheduled(lambda o: schedulers.StepLR(o, 2, 0.5), momentum=0.9)


@own
def a_cosine() -> Training:
    return scheduled(lambda o: schedulers.CosineAnnealingLR(o, 20, eta_min=0.01))


@own
def a_warm_up_from_nothing() -> Training:
    return scheduled(lambda o: schedulers.LambdaLR(o, lambda k: min(1.0, k / 5)))


@own
def an_exponential_decay() -> Training:
    return scheduled(lambda o: schedulers.ExponentialLR(o, 0.9))


@own
def a_warm_up_and_then_a_cosine() -> Training:
    return scheduled(
        lambda o: schedulers.SequentialLR(
            o,
            [schedulers.LinearLR(o, 0.1, total_iters=4), schedulers.CosineAnnealingLR(o, 20)],
            milestones=[4],
        )
    )


@own
def one_cycle_of_the_rate() -> Training:
    return scheduled(lambda o: schedulers.OneCycleLR(o, 0.3, total_steps=30, cycle_momentum=False))


@refused("scheduler = OneCycleLR changes more than the learning rate")
def one_cycle_of_rate_and_momentum() -> Training:
    return scheduled(lambda o: schedulers.OneCycleLR(o, 0.3, total_steps=30), momentum=0.9)


@own
def restarts() -> Training:
    return scheduled(lambda o: schedulers.CosineAnnealingWarmRestarts(o, 5))


@own
def milestones() -> Training:
    return scheduled(lambda o: schedulers.MultiStepLR(o, [3, 6]))


@own
def a_schedule_for_each_group() -> Training:
    net = mlp()
    optimizer = AdamW([{"params": net[0].parameters()}, {"params": net[2].parameters(), "lr": 0.002}], 0.01)
    scheduler = schedulers.LambdaLR(optimizer, [lambda k: 0.9**k, lambda k: 1 / (1 + k)])
    return Training(net, optimizer, settings={"scheduler": scheduler})


@refused("scheduler = StepLR: must be one of this optimizer's")
def a_scheduler_of_another_optimizer() -> Training:
    net = mlp()
    other = schedulers.StepLR(sgd(mlp()), 2)
    return Training(net, sgd(net), settings={"scheduler": other})


@refused("scheduler = StepLR with batch = 4: must be without")
def a_scheduler_with_batches() -> Training:
    training = scheduled(lambda o: schedulers.StepLR(o, 2))
    return training._replace(settings={**training.settings, "batch": 4})


# The module --------------------------------------------------------------------------------------------------


@refused("module changes '3.running_mean' in each step, as batch norm does")
def batch_norm() -> Training:
    net = mlp(nn.BatchNorm1d(2))
    return Training(net, sgd(net))


@own
def batch_norm_in_evaluation() -> Training:
    net = mlp(nn.BatchNorm1d(2)).eval()
    return Training(net, sgd(net))


@own
def batch_norm_without_running_numbers() -> Training:
    net = mlp(nn.BatchNorm1d(2, track_running_stats=False))
    return Training(net, sgd(net))


@own
def layer_norm() -> Training:
    net = mlp(nn.LayerNorm(2))
    return Training(net, Adam(net.parameters(), 0.01))


@own
def tied_weights() -> Training:
    class Autoencoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.code, self.back = nn.Linear(3, 3), nn.Linear(3, 3)
            self.back.weight = self.code.weight

        def forward(self, x: Tensor) -> Tensor:
            return self.back(torch.tanh(self.code(x)))

    torch.manual_seed(1)
    net = Autoencoder()
    return Training(net, sgd(net), data=(X, X))


@own
def weights_tied_transposed() -> Training:
    class Autoencoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.code = nn.Linear(3, 2)

        def forward(self, x: Tensor) -> Tensor:
            return self.code(x) @ self.code.weight

    torch.manual_seed(1)
    net = Autoencoder()
    return Training(net, sgd(net), data=(X, X))


@refused("'0.weight' and '1.weight' share memory")
def weights_that_share_memory() -> Training:
    net: Any = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    net[1].weight = nn.Parameter(net[0].weight.T)
    return Training(net, sgd(net), data=(X, X))


@own
def frozen_layers() -> Training:
    net = mlp()
    net[0].requires_grad_(False)
    return Training(net, SGD([p for p in net.parameters() if p.requires_grad], lr=0.1))


@own
def frozen_layers_that_the_optimizer_has() -> Training:
    net = mlp()
    net[0].requires_grad_(False)
    return Training(net, AdamW(net.parameters(), 0.01))


@own
def a_layer_that_the_optimizer_does_not_have() -> Training:
    net = mlp()
    return Training(net, SGD(net[2].parameters(), lr=0.1))


@own
def a_parametrized_weight() -> Training:
    class Symmetric(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.triu() + x.triu(1).T

    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(3, 3))
    parametrize.register_parametrization(net[0], "weight", Symmetric())
    return Training(net, sgd(net), data=(X, X))


@own
def a_weight_by_direction_and_length() -> Training:
    net = mlp()
    parametrizations.weight_norm(net[0])
    return Training(net, sgd(net))


@refused("module changes '0.parametrizations.weight.0._u'")
def a_spectral_norm() -> Training:
    net = mlp()
    parametrizations.spectral_norm(net[0])
    return Training(net, sgd(net))


@own
def single_precision() -> Training:
    net = mlp()
    return Training(net, AdamW(net.parameters(), 0.01), data=(X.float(), Y.float()))


@refused("parameter '0.weight' is torch.bfloat16: must be torch.float32 or torch.float64")
def half_precision() -> Training:
    net = mlp().to(torch.bfloat16)
    return Training(net, sgd(net), data=(X.bfloat16(), Y.bfloat16()))


@refused("parameter 'weight' is torch.complex64")
def complex_weights() -> Training:
    net = nn.Linear(3, 2, dtype=torch.complex64)
    return Training(net, sgd(net), lambda o, y: (o - y).abs().mean())


@refused("module = OptimizedModule, which is compiled")
def a_compiled_module() -> Training:
    net = mlp()
    return Training(cast(nn.Module, torch.compile(net)), sgd(net))


@refused("parameter 'weight' has no shape yet")
def a_lazy_layer() -> Training:
    net = nn.LazyLinear(2)
    return Training(net, sgd(net))


@own
def a_residual_of_an_equation() -> Training:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(1)
            self.u = nn.Sequential(nn.Linear(1, 5), nn.Tanh(), nn.Linear(5, 1))

        def forward(self, t: Tensor) -> Tensor:
            t = t.clone().requires_grad_(True)
            u = self.u(t)
            (slope,) = torch.autograd.grad(u.sum(), t, create_graph=True)
            return torch.cat([slope + u, self.u(torch.zeros_like(t[:1])) - 1])

    net = Net()
    return Training(
        net, Adam(net.parameters(), 0.01), lambda r: r.square().mean(), torch.linspace(0, 1, 8)[:, None]
    )


@own
def an_equation_at_points_that_want_a_gradient() -> Training:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(1)
            self.u = nn.Sequential(nn.Linear(1, 5), nn.Tanh(), nn.Linear(5, 1))

        def forward(self, t: Tensor) -> Tensor:
            u = self.u(t)
            (slope,) = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)
            return slope + u

    net = Net()
    points = torch.linspace(0, 1, 8, requires_grad=True)[:, None]
    return Training(net, sgd(net), lambda r, y: (r - y).square().mean(), (points, torch.ones(8, 1)))


@own
def a_function_with_a_backward_of_its_own() -> Training:
    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(x: Tensor) -> Tensor:
            return x.sign()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            (x,) = ctx.saved_tensors
            return grad * (x.abs() < 1)

    class Net(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return Straight.apply(super().forward(x)) + 0.1 * x[:, :2]

    torch.manual_seed(1)
    net = Net(3, 2)
    return Training(net, sgd(net))


@own
def a_function_whose_forward_has_the_context() -> Training:
    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x.sign()

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            return grad

    class Net(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return Straight.apply(super().forward(x))

    torch.manual_seed(1)
    net = Net(3, 2)
    return Training(net, sgd(net))


# The optimizer -----------------------------------------------------------------------------------------------


@own
def plain_descent() -> Training:
    net = mlp()
    return Training(net, sgd(net))


@own
def momentum_and_decay() -> Training:
    net = mlp()
    return Training(net, sgd(net, momentum=0.9, weight_decay=0.01, nesterov=True))


@own
def momentum_for_one_group() -> Training:
    net = mlp()
    groups = [{"params": net[0].parameters(), "momentum": 0.9}, {"params": net[2].parameters()}]
    return Training(net, SGD(groups, lr=0.1, momentum=0.5))


@own
def momentum_for_one_group_and_none_for_another() -> Training:
    net = mlp()
    groups = [{"params": net[0].parameters(), "momentum": 0.9}, {"params": net[2].parameters()}]
    return Training(net, SGD(groups, lr=0.1))


@own
def rates_and_betas_by_group() -> Training:
    net = mlp()
    groups = [
        {"params": net[0].parameters(), "lr": 0.01, "betas": (0.5, 0.9)},
        {"params": net[2].parameters(), "weight_decay": 0.1},
    ]
    return Training(net, Adam(groups, lr=0.02))


@own
def decoupled_decay() -> Training:
    net = mlp()
    return Training(net, AdamW(net.parameters(), 0.01, weight_decay=0.5, amsgrad=True))


@own
def centred_root_mean_square() -> Training:
    net = mlp()
    return Training(net, RMSprop(net.parameters(), 0.01, momentum=0.5, centered=True))


@own
def sums_of_squares() -> Training:
    net = mlp()
    return Training(net, Adagrad(net.parameters(), 0.05, lr_decay=0.1, initial_accumulator_value=0.1))


@own
def a_training_that_goes_on() -> Training:
    net = mlp()
    optimizer = Adam(net.parameters(), 0.01)
    for _ in range(4):
        optimizer.zero_grad()
        F.mse_loss(net(X.float()), Y.float()).backward()
        optimizer.step()
    return Training(net, optimizer)


@own
def batches() -> Training:
    net = mlp()
    return Training(net, sgd(net, momentum=0.9), settings={"batch": 4})


@own
def a_rate_that_is_a_tensor() -> Training:
    net = mlp()
    return Training(net, Adam(net.parameters(), torch.tensor(0.01)))


@refused("LBFGS, which calls a closure, is not repeated")
def limited_memory() -> Training:
    net = mlp()
    return Training(net, LBFGS(net.parameters()))


@refused("optimizer = NAdam is not repeated")
def another_optimizer() -> Training:
    net = mlp()
    return Training(net, NAdam(net.parameters()))


@refused("optimizer = Mine is not repeated")
def an_optimizer_of_ones_own() -> Training:
    class Mine(SGD):
        def step(self, closure: Any = None) -> None:  # type: ignore[override]
            super().step()

    net = mlp()
    return Training(net, Mine(net.parameters(), lr=0.1))


@refused("dampening = 0.5: must be 0")
def dampened_momentum() -> Training:
    net = mlp()
    return Training(net, sgd(net, momentum=0.9, dampening=0.5))


@refused("must be one of the module's")
def a_loss_that_learns() -> Training:
    net, scale = mlp(), nn.Parameter(torch.ones(()))
    optimizer = SGD([*net.parameters(), scale], lr=0.1)
    return Training(net, optimizer, lambda o, y: F.mse_loss(o, y) * scale.exp() - scale)
