"""What people publish, as they write it: each is tried once, and the table says what came of it.

``python -m tests.widgets.translate.attempts`` writes the table, ``attempts.csv``, and prints how long each took. An
attempt *works* if ``live`` makes a figure of it whose page gets torch's numbers; a *sentence* is a refusal that names
the author's line and a way out; anything else is *unclear*.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import math
import re
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
import torch.utils.checkpoint
import torch.utils.data
from torch import Tensor, nn
from torch.func import grad, hessian, jacrev, vmap

from tests.widgets.program import in_the_page
from widgets import controls, live
from widgets.figure.agreement import distance
from widgets.figure.compiled import flatten
from widgets.translate.refusals import UnsupportedOperation

TABLE = Path(__file__).with_suffix(".csv")
D = torch.float64
A = torch.tensor(0.7, dtype=D)
"""Where the slider stands."""
CLEAR = re.compile(r"line \d+ of attempts\.py.*: \S+ ")
UNCLEAR = re.compile(r"cannot trace it|has no JavaScript$")
CLOSE = 1e-9

Attempt = Callable[[Tensor], Any]
ATTEMPTS: dict[str, Attempt] = {}


def attempt(function: Attempt) -> Attempt:
    """Enter a function of a slider under its name."""
    ATTEMPTS[function.__name__.replace("_", " ")] = function
    return function


@functools.cache
def randn(*shape: int) -> Tensor:
    """Noise that is drawn before anything is traced, because :func:`outcome` calls each function once."""
    return torch.randn(*shape, dtype=D, generator=torch.Generator().manual_seed(sum(shape)))


def line(low: float = 0.0, high: float = 1.0, count: int = 12) -> Tensor:
    return torch.linspace(low, high, count, dtype=D)


X, Y = randn(12, 3), (randn(12) > 0).to(D)
LABELS = Y.long()
GRID = line(-2, 2, 9)
TOKENS = torch.tensor([0, 2, 1, 3])
TABLE_OF_WORDS = randn(5, 4)

# Learning ----------------------------------------------------------------------------------------------------


@attempt
def momentum(a: Tensor) -> Any:
    curvature, w, v, losses = (
        torch.tensor([1.0, 20.0], dtype=D),
        torch.ones(2, dtype=D),
        torch.zeros(2, dtype=D),
        [],
    )
    for _ in range(20):
        v = a * v - 0.03 * curvature * w
        w = w + v
        losses.append((curvature * w**2).sum())
    return {"loss": torch.stack(losses)}


@attempt
def backward_in_a_loop(a: Tensor) -> Any:
    w = torch.zeros(3, dtype=D, requires_grad=True)
    for _ in range(5):
        F.binary_cross_entropy_with_logits(X @ w, Y).backward()
        with torch.no_grad():
            assert w.grad is not None
            w -= a * w.grad
            w.grad.zero_()
    return w


@attempt
def autograd_grad(a: Tensor) -> Any:
    w = torch.ones(3, dtype=D, requires_grad=True)
    return torch.autograd.grad((torch.tanh(a * X @ w) ** 2).sum(), w)[0]


@attempt
def an_optimizer_in_a_loop(a: Tensor) -> Any:
    w = nn.Parameter(torch.ones(3, dtype=D))
    optimizer = torch.optim.Adam([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        ((X @ w - a) ** 2).mean().backward()
        optimizer.step()
    return w


@attempt
def an_optimizer_whose_rate_is_the_slider(a: Tensor) -> Any:
    w = nn.Parameter(torch.ones(3, dtype=D))
    optimizer = torch.optim.Adam([w], lr=a)
    ((X @ w) ** 2).mean().backward()
    optimizer.step()
    return w


@attempt
def l_bfgs(a: Tensor) -> Any:
    w = nn.Parameter(torch.ones(3, dtype=D))
    optimizer = torch.optim.LBFGS([w])

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = ((X @ w - a) ** 2).mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    return w


@attempt
def rosenbrock(a: Tensor) -> Any:
    def f(x: Tensor) -> Tensor:
        return (a - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2

    x = torch.tensor([-1.0, 1.0], dtype=D)
    for _ in range(10):
        x = x - 0.01 * grad(f)(x)
    return x


@attempt
def newtons_method(a: Tensor) -> Any:
    def f(x: Tensor) -> Tensor:
        return (x**4).sum() + a * (x[0] - x[1]) ** 2

    x = torch.ones(2, dtype=D)
    for _ in range(3):
        x = x - torch.linalg.solve(hessian(f)(x), grad(f)(x))
    return x


@attempt
def logistic_regression(a: Tensor) -> Any:
    w = torch.zeros(3, dtype=D)
    for _ in range(5):
        w = w - a * X.T @ (torch.sigmoid(X @ w) - Y) / len(Y)
    return w


@attempt
def ridge_regression(a: Tensor) -> Any:
    return torch.linalg.solve(X.T @ X + a * torch.eye(3, dtype=D), X.T @ Y)


@attempt
def least_squares(a: Tensor) -> Any:
    return torch.linalg.lstsq(torch.vander(a * GRID, 3), GRID[:, None].sin()).solution


@attempt
def gaussian_process(a: Tensor) -> Any:
    x = line(0, 3, 6)
    k = torch.exp(-((x[:, None] - x) ** 2) / (2 * a**2)) + 0.1 * torch.eye(6, dtype=D)
    return torch.cholesky_solve(x.sin()[:, None], torch.linalg.cholesky(k))


@attempt
def kernel_density(a: Tensor) -> Any:
    return torch.exp(-((GRID[:, None] - X[:, 0]) ** 2) / (2 * a**2)).mean(1) / (a * math.sqrt(2 * math.pi))


@attempt
def pca_by_power_iteration(a: Tensor) -> Any:
    c, v = torch.cov((a * X).T), torch.ones(3, dtype=D)
    for _ in range(10):
        v = c @ v
        v = v / v.norm()
    return v


@attempt
def pca_by_svd(a: Tensor) -> Any:
    return torch.linalg.svd(a * X).S


@attempt
def eigenvalues(a: Tensor) -> Any:
    return torch.linalg.eigvalsh(a * X.T @ X)


@attempt
def perceptron_with_if(a: Tensor) -> Any:
    w = torch.zeros(3, dtype=D)
    for x, y in zip(X, 2 * Y - 1, strict=True):
        if y * (w @ x) <= 0:
            w = w + a * y * x
    return w


@attempt
def perceptron_with_where(a: Tensor) -> Any:
    w = torch.zeros(3, dtype=D)
    for x, y in zip(X, 2 * Y - 1, strict=True):
        w = torch.where(y * (w @ x) <= 0, w + a * y * x, w)
    return w


@attempt
def playground(a: Tensor) -> Any:
    hidden = torch.tanh(a * X @ randn(3, 4))
    return torch.sigmoid(hidden @ randn(4, 1))


@attempt
def float32_as_is(a: Tensor) -> Any:
    return torch.tanh(a * SMALL(torch.ones(3)))


SMALL = nn.Linear(3, 2)


@attempt
def a_module_made_outside(a: Tensor) -> Any:
    return NET(a * X)


NET = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 2)).to(D)
NET.load_state_dict({name: randn(*value.shape) for name, value in NET.state_dict().items()})


@attempt
def functional_call(a: Tensor) -> Any:
    weights = {name: a * value for name, value in NET.state_dict().items()}
    return torch.func.functional_call(NET, weights, (X,))


@attempt
def dropout(a: Tensor) -> Any:
    return F.dropout(a * X, 0.5)


@attempt
def batch_norm(a: Tensor) -> Any:
    return F.batch_norm(a * X, None, None, training=True)


@attempt
def superposition(a: Tensor) -> Any:
    w, sparse = randn(2, 5), (line(0, 1, 40).reshape(8, 5) > a).to(D)
    return ((sparse - torch.relu(sparse @ w.T @ w)) ** 2).mean()


@attempt
def grokking(a: Tensor) -> Any:
    pairs = torch.cartesian_prod(torch.arange(5), torch.arange(5))
    logits = TABLE_OF_WORDS[pairs].sum(1) @ TABLE_OF_WORDS.T / a
    return F.cross_entropy(logits, pairs.sum(1) % 5)


@attempt
def vae_with_randn(a: Tensor) -> Any:
    return X + a * torch.randn_like(X)


@attempt
def vae_with_noise_given(a: Tensor) -> Any:
    mean, deviation = X.mean(0), a * X.std(0)
    divergence = 0.5 * (mean**2 + deviation**2 - 1 - 2 * deviation.log()).sum()
    return mean + deviation * randn(12, 3), divergence


@attempt
def diffusion_schedule(a: Tensor) -> Any:
    kept = torch.cumprod(1 - a * line(1e-3, 0.2), 0)
    return kept.sqrt()[:, None] * X[0] + (1 - kept).sqrt()[:, None] * X[1]


@attempt
def info_nce(a: Tensor) -> Any:
    z = F.normalize(X, dim=1)
    return F.cross_entropy(z @ z.T / a, torch.arange(12).roll(1))


@attempt
def label_smoothing(a: Tensor) -> Any:
    return nn.CrossEntropyLoss(label_smoothing=0.1)(a * X[:, :2], LABELS)


@attempt
def focal_loss(a: Tensor) -> Any:
    p = F.log_softmax(X[:, :2], 1).gather(1, LABELS[:, None])
    return (-((1 - p.exp()) ** a) * p).mean()


# Attention and language --------------------------------------------------------------------------------------


@attempt
def attention(a: Tensor) -> Any:
    return torch.softmax(X @ X.T / a, -1) @ X


@attempt
def causal_attention(a: Tensor) -> Any:
    scores = (X @ X.T / a).masked_fill(torch.triu(torch.ones(12, 12), 1).bool(), -torch.inf)
    return scores.softmax(-1) @ X


@attempt
def scaled_dot_product_attention(a: Tensor) -> Any:
    x = (a * X).reshape(1, 2, 6, 3)
    return F.scaled_dot_product_attention(x, x, x, is_causal=True)


@attempt
def a_transformer_layer(a: Tensor) -> Any:
    return LAYER(a * TABLE_OF_WORDS[None, TOKENS])


LAYER = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True).to(D).eval()
for parameter in LAYER.parameters():
    parameter.data = randn(*parameter.shape)


@attempt
def rotary_by_complex_numbers(a: Tensor) -> Any:
    angles = a * torch.arange(4, dtype=D)
    return torch.view_as_real(torch.polar(torch.ones_like(angles), angles))


@attempt
def rotary(a: Tensor) -> Any:
    angle = a * torch.arange(12, dtype=D)
    x, y = X[:, 0], X[:, 1]
    return torch.stack([x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos()], 1)


@attempt
def positional_encoding(a: Tensor) -> Any:
    encoding = torch.zeros(6, 4, dtype=D)
    angle = torch.arange(6, dtype=D)[:, None] * torch.exp(-a * torch.arange(0, 4, 2, dtype=D))
    encoding[:, 0::2] = angle.sin()
    encoding[:, 1::2] = angle.cos()
    return encoding


@attempt
def sampling_from_a_softmax(a: Tensor) -> Any:
    return torch.multinomial(torch.softmax(X[0] / a, 0), 1)


@attempt
def top_k(a: Tensor) -> Any:
    values, indices = torch.topk(torch.softmax(X[:, 0] / a, 0), 3)
    return values / values.sum(), indices


@attempt
def nucleus(a: Tensor) -> Any:
    p, order = torch.softmax(X[:, 0], 0).sort(descending=True)
    kept = torch.where(p.cumsum(0) - p < a, p, 0.0)
    return torch.zeros(12, dtype=D).scatter(0, order, kept / kept.sum())


@attempt
def hopfield(a: Tensor) -> Any:
    state = X[0]
    for _ in range(3):
        state = X.T @ torch.softmax(X @ state / a, 0)
    return state


@attempt
def hopfield_of_signs(a: Tensor) -> Any:
    patterns = X.sign()
    weights, state = patterns.T @ patterns, (X[0] + a).sign()
    for place in range(3):
        state[place] = torch.sign(weights[place] @ state)
    return state


@attempt
def a_recurrent_cell(a: Tensor) -> Any:
    cell, h, c = CELL, torch.zeros(2, dtype=D), torch.zeros(2, dtype=D)
    for x in a * X[:4]:
        h, c = cell(x, (h, c))
    return h


CELL = nn.LSTMCell(3, 2).to(D)
for parameter in CELL.parameters():
    parameter.data = randn(*parameter.shape)


@attempt
def edges_of_an_image(a: Tensor) -> Any:
    image = (randn(1, 1, 6, 6) > a).to(D)
    return F.max_pool2d(F.conv2d(image, randn(1, 1, 3, 3), padding=1).relu(), 2)


# Statistics --------------------------------------------------------------------------------------------------


@attempt
def beta_posterior(a: Tensor) -> Any:
    x = line(0.05, 0.95)
    normal = torch.lgamma(a + 6) - torch.lgamma(a + 1) - torch.lgamma(torch.tensor(5.0, dtype=D))
    return torch.exp(normal + a * x.log() + 4 * torch.log1p(-x))


@attempt
def a_distribution(a: Tensor) -> Any:
    return torch.distributions.Normal(a, 1 + a, validate_args=False).log_prob(GRID)


@attempt
def a_distribution_that_checks(a: Tensor) -> Any:
    return torch.distributions.Normal(a, 1 + a, validate_args=True).log_prob(GRID)


@attempt
def a_sample_of_a_distribution(a: Tensor) -> Any:
    return torch.distributions.Normal(a, 1.0, validate_args=False).sample((3,))


@attempt
def mixture_by_em(a: Tensor) -> Any:
    means = torch.stack([-a, a])
    for _ in range(4):
        share = torch.softmax(-((X[:, :1] - means) ** 2) / 2, 1)
        means = (share * X[:, :1]).sum(0) / share.sum(0)
    return means


@attempt
def k_means(a: Tensor) -> Any:
    centres = a * X[:2]
    for _ in range(3):
        member = F.one_hot(torch.cdist(X, centres).argmin(1), 2).to(D)
        centres = member.T @ X / member.sum(0)[:, None].clamp(min=1)
    return centres


@attempt
def k_means_with_masks(a: Tensor) -> Any:
    near = torch.cdist(X, a * X[:2]).argmin(1)
    return torch.stack([X[near == k].mean(0) for k in range(2)])


@attempt
def bootstrap(a: Tensor) -> Any:
    return (a * X[torch.randint(12, (12,))]).mean(0)


@attempt
def histogram(a: Tensor) -> Any:
    return torch.histc(a * X[:, 0], 5, -2, 2)


@attempt
def quantiles(a: Tensor) -> Any:
    return torch.quantile(a * X[:, 0], torch.tensor([0.1, 0.5, 0.9], dtype=D))


@attempt
def random_walk_with_noise_given(a: Tensor) -> Any:
    return torch.cumsum(a * randn(20), 0)


@attempt
def pi_by_monte_carlo(a: Tensor) -> Any:
    return 4 * ((torch.rand(100, 2, dtype=D) ** 2).sum(1) < a).to(D).mean()


@attempt
def a_seed_set_inside(a: Tensor) -> Any:
    torch.manual_seed(0)
    return a * torch.randn(3, dtype=D)


# Decisions ---------------------------------------------------------------------------------------------------


@attempt
def greedy_bandit_with_if(a: Tensor) -> Any:
    values, draws = torch.zeros(3, dtype=D), line(0, 1, 8)
    for draw in draws:
        arm = 0 if draw < a else int(values.argmax())
        values[arm] += 0.1
    return values


@attempt
def upper_confidence_bandit(a: Tensor) -> Any:
    values, counts = torch.zeros(3, dtype=D), torch.ones(3, dtype=D)
    for step in range(6):
        arm = (values + a * torch.sqrt(math.log(step + 2) / counts)).argmax()
        pulled = F.one_hot(arm, 3).to(D)
        counts = counts + pulled
        values = values + pulled * (X[step] - values) / counts
    return values


@attempt
def q_learning(a: Tensor) -> Any:
    q = torch.zeros(3, 2, dtype=D)
    for state, action, after in ((0, 1, 1), (1, 0, 2), (2, 1, 0), (0, 1, 1)):
        q[state, action] += 0.5 * (1 + a * q[after].max() - q[state, action])
    return q


@attempt
def value_iteration(a: Tensor) -> Any:
    moves = torch.softmax(randn(2, 4, 4), -1)
    value = torch.zeros(4, dtype=D)
    for _ in range(5):
        value = (line(0, 1, 4) + a * moves @ value).amax(0)
    return value


@attempt
def policy_gradient(a: Tensor) -> Any:
    return grad(lambda logits: (torch.softmax(logits, 0) * line(0, 1, 3)).sum())(a * X[0])


@attempt
def markov_chain(a: Tensor) -> Any:
    return torch.linalg.matrix_power(
        torch.stack([torch.stack([1 - a, a]), torch.stack([a / 2, 1 - a / 2])]), 5
    )


@attempt
def page_rank(a: Tensor) -> Any:
    links = torch.softmax(randn(4, 4), 0)
    rank = torch.full((4,), 0.25, dtype=D)
    for _ in range(8):
        rank = a * links @ rank + (1 - a) / 4
    return rank


@attempt
def hidden_markov_model(a: Tensor) -> Any:
    moves, seen = torch.log_softmax(a * randn(3, 3), 1), torch.log_softmax(randn(3, 5), 1)
    alpha = seen[:, 0]
    for word in TOKENS.tolist():
        alpha = torch.logsumexp(alpha[:, None] + moves, 0) + seen[:, word]
    return alpha


@attempt
def viterbi(a: Tensor) -> Any:
    moves, seen, best = a * randn(3, 3), randn(3, 5), randn(3)
    for word in TOKENS.tolist():
        best, _came_from = (best[:, None] + moves).max(0)
        best = best + seen[:, word]
    return best


@attempt
def kalman_filter(a: Tensor) -> Any:
    mean, variance, means = torch.zeros((), dtype=D), torch.ones((), dtype=D), []
    for seen in X[:, 0]:
        variance = variance + 0.1
        gain = variance / (variance + a)
        mean, variance = mean + gain * (seen - mean), (1 - gain) * variance
        means.append(mean)
    return torch.stack(means)


# Dynamics ----------------------------------------------------------------------------------------------------


@attempt
def lorenz(a: Tensor) -> Any:
    s, way = torch.ones(3, dtype=D), []
    for _ in range(20):
        x, y, z = s
        s = s + 0.01 * torch.stack([10 * (y - x), x * (28 * a - z) - y, x * y - 8 / 3 * z])
        way.append(s)
    return torch.stack(way)


@attempt
def pendulum_by_runge_kutta(a: Tensor) -> Any:
    def slope(s: Tensor) -> Tensor:
        return torch.stack([s[1], -a * torch.sin(s[0])])

    s, h = torch.tensor([1.0, 0.0], dtype=D), 0.1
    for _ in range(6):
        k1 = slope(s)
        k2 = slope(s + h / 2 * k1)
        k3 = slope(s + h / 2 * k2)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(s + h * k3))
    return s


@attempt
def epidemic(a: Tensor) -> Any:
    (s, i, r), ill = torch.tensor([0.99, 0.01, 0.0], dtype=D), []
    for _ in range(20):
        new, well = a * s * i, 0.1 * i
        s, i, r = s - new, i + new - well, r + well
        ill.append(i)
    return torch.stack(ill)


@attempt
def logistic_map(a: Tensor) -> Any:
    x = torch.full((9,), 0.5, dtype=D)
    for _ in range(12):
        x = a * line(2.5, 4, 9) * x * (1 - x)
    return x


@attempt
def mandelbrot(a: Tensor) -> Any:
    x, y = torch.meshgrid(GRID, GRID, indexing="ij")
    u, v, count = torch.zeros_like(x), torch.zeros_like(x), torch.zeros_like(x)
    for _ in range(6):
        u, v = u * u - v * v + a * x, 2 * u * v + y
        inside = u * u + v * v < 4
        u, v, count = torch.where(inside, u, 2.0), torch.where(inside, v, 2.0), count + inside
    return count


@attempt
def mandelbrot_by_complex_numbers(a: Tensor) -> Any:
    z = c = torch.complex(GRID[:, None] * a, GRID[None].expand(9, 9))
    return (z**2 + c).abs()


@attempt
def kuramoto(a: Tensor) -> Any:
    phases = line(0, 6)
    for _ in range(10):
        phases = phases + 0.05 * (GRID.mean() + a * torch.sin(phases[None] - phases[:, None]).mean(1))
    return torch.hypot(phases.cos().mean(), phases.sin().mean())


@attempt
def heat_equation(a: Tensor) -> Any:
    u = torch.exp(-(GRID**2))
    for _ in range(8):
        u = u + 0.3 * a * (u.roll(1) - 2 * u + u.roll(-1))
    return u


@attempt
def game_of_life(a: Tensor) -> Any:
    alive = (randn(1, 1, 6, 6) > a).to(D)
    near = F.conv2d(F.pad(alive, (1, 1, 1, 1), mode="circular"), torch.ones(1, 1, 3, 3, dtype=D)) - alive
    return ((near == 3) | ((near == 2) & (alive > 0))).to(D)


@attempt
def ising_with_rand(a: Tensor) -> Any:
    spins = X.sign()
    field = spins.roll(1, 0) + spins.roll(-1, 0)
    return torch.where(torch.rand_like(X) < torch.sigmoid(2 * field / a), 1.0, -1.0)


@attempt
def ising_in_mean_field(a: Tensor) -> Any:
    m = torch.tensor(0.5, dtype=D)
    for _ in range(20):
        m = torch.tanh(m / a)
    return m


@attempt
def reaction_and_diffusion(a: Tensor) -> Any:
    u, v = torch.ones(6, 6, dtype=D), (randn(6, 6) > 1).to(D)
    for _ in range(3):
        near = sum(v.roll(shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * v
        u, v = u - u * v**2 + 0.04 * (1 - u), v + u * v**2 - 0.1 * v + a * 0.1 * near
    return v


@attempt
def planets(a: Tensor) -> Any:
    x, v = X[:4], 0.1 * X[4:8]
    for _ in range(3):
        apart = x[None] - x[:, None]
        v = v + 0.01 * a * (apart / ((apart**2).sum(-1, keepdim=True) + 0.1) ** 1.5).sum(1)
        x = x + 0.01 * v
    return x


# Signals and curves ------------------------------------------------------------------------------------------


@attempt
def fourier_series(a: Tensor) -> Any:
    k = torch.arange(1, 12, 2, dtype=D)
    return (torch.sin(k * math.pi * GRID[:, None]) / k * torch.sigmoid(20 * a - k)).sum(1)


@attempt
def spectrum_by_fft(a: Tensor) -> Any:
    return torch.fft.rfft(torch.sin(a * line(0, 20, 16))).abs()


@attempt
def convolution_by_unfold(a: Tensor) -> Any:
    return X[:, 0].unfold(0, 3, 1) @ torch.stack([a, 1 - a, a])


@attempt
def bezier(a: Tensor) -> Any:
    t = line()[:, None]
    p0, p1, p2 = X[:3]
    return (1 - t) ** 2 * p0 + 2 * t * (1 - t) * a * p1 + t**2 * p2


# Habits of Python --------------------------------------------------------------------------------------------


@attempt
def a_loop_to_the_slider(a: Tensor) -> Any:
    total = torch.zeros((), dtype=D)
    for step in range(int(10 * a)):
        total = total + step
    return total


@attempt
def while_not_converged(a: Tensor) -> Any:
    x = a
    while (x**2 - 2).abs() > 1e-3:
        x = (x + 2 / x) / 2
    return x


@attempt
def if_on_the_slider(a: Tensor) -> Any:
    return a if a > 0.5 else 1 - a


@attempt
def item(a: Tensor) -> Any:
    return GRID * a.item()


@attempt
def math_of_the_slider(a: Tensor) -> Any:
    return GRID * math.exp(a)


@attempt
def numpy_of_the_slider(a: Tensor) -> Any:
    return torch.tensor(np.sin(a * GRID))


@attempt
def numpy_of_a_constant(a: Tensor) -> Any:
    return a * torch.tensor(np.linspace(0, 1, 5))


@attempt
def a_list_of_the_slider(a: Tensor) -> Any:
    return torch.tensor([a, 1 - a], dtype=D)


@attempt
def filled_in_place(a: Tensor) -> Any:
    x = torch.zeros(6, dtype=D)
    x[0] = a
    for place in range(5):
        x[place + 1] = 3.5 * x[place] * (1 - x[place])
    return x


@attempt
def a_mask_set_to_zero(a: Tensor) -> Any:
    x = a * X
    x[x < 0] = 0
    return x


@attempt
def a_mask_that_selects(a: Tensor) -> Any:
    return X[a < X].sum()


@attempt
def a_number_in_words(a: Tensor) -> Any:
    return GRID * len(f"{a:.3f}")


@attempt
def a_class_with_a_state(a: Tensor) -> Any:
    class Walker:
        def __init__(self) -> None:
            self.x = torch.zeros((), dtype=D)

        def step(self) -> None:
            self.x = self.x + a

    walker = Walker()
    walker.step()
    walker.step()
    return walker.x


@attempt
def no_grad(a: Tensor) -> Any:
    with torch.no_grad():
        return torch.tanh(a * GRID)


@attempt
def einsum_and_vmap(a: Tensor) -> Any:
    return vmap(lambda row: torch.einsum("i,i->", row, a * row))(X)


@attempt
def jacobian(a: Tensor) -> Any:
    return jacrev(lambda x: torch.tanh(a * x).cumsum(0))(GRID[:4])


@attempt
def torch_compile(a: Tensor) -> Any:
    return torch.compile(torch.sin, backend="eager")(a)


@attempt
def sparse(a: Tensor) -> Any:
    return (a * torch.eye(3, dtype=D)).to_sparse() @ X[0]


@attempt
def numbers_that_round(a: Tensor) -> Any:
    return torch.floor(10 * a), (10 * a).round(), (a * 10).long() % 3


# More of learning --------------------------------------------------------------------------------------------


@attempt
def adam_by_hand(a: Tensor) -> Any:
    w, m, v = torch.ones(3, dtype=D), torch.zeros(3, dtype=D), torch.zeros(3, dtype=D)
    for t in range(1, 6):
        g = 2 * X.T @ (X @ w - Y) / len(Y)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        w = w - a * m / (1 - 0.9**t) / ((v / (1 - 0.999**t)).sqrt() + 1e-8)
    return w


@attempt
def cosine_schedule(a: Tensor) -> Any:
    steps = torch.arange(20, dtype=D)
    return torch.where(steps < 5, a * steps / 5, a * (1 + torch.cos(math.pi * (steps - 5) / 15)) / 2)


@attempt
def a_scheduler_of_torch(a: Tensor) -> Any:
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(2, dtype=D))], lr=a)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    scheduler.step()
    return optimizer.param_groups[0]["lr"] * GRID


@attempt
def sharpness_aware(a: Tensor) -> Any:
    def loss(w: Tensor) -> Tensor:
        return F.softplus(-(2 * Y - 1) * (X @ w)).mean()

    w = torch.ones(3, dtype=D)
    for _ in range(3):
        g = grad(loss)(w)
        w = w - 0.5 * grad(loss)(w + a * g / g.norm())
    return w


@attempt
def exponentiated_gradient(a: Tensor) -> Any:
    p = torch.full((3,), 1 / 3, dtype=D)
    for row in X:
        p = p * torch.exp(-a * row)
        p = p / p.sum()
    return p


@attempt
def lasso_by_soft_thresholds(a: Tensor) -> Any:
    w = torch.zeros(3, dtype=D)
    for _ in range(10):
        w = w - 0.05 * X.T @ (X @ w - Y)
        w = w.sign() * F.relu(w.abs() - 0.05 * a)
    return w


@attempt
def support_vectors(a: Tensor) -> Any:
    return grad(lambda w: F.relu(1 - (2 * Y - 1) * (X @ w)).mean() + a * w @ w)(torch.ones(3, dtype=D))


@attempt
def naive_bayes(a: Tensor) -> Any:
    member = F.one_hot(LABELS, 2).to(D)
    means = (member.T @ X) / member.sum(0)[:, None]
    return (-((X[:, None] - means) ** 2).sum(-1) / (2 * a)).log_softmax(1).argmax(1)


@attempt
def clipped_gradient(a: Tensor) -> Any:
    w = torch.ones(3, dtype=D, requires_grad=True)
    ((X @ w) ** 2).sum().backward()
    nn.utils.clip_grad_norm_([w], 1.0)
    assert w.grad is not None
    return a * w.grad


@attempt
def clipped_by_hand(a: Tensor) -> Any:
    g = grad(lambda w: ((X @ w) ** 2).sum())(torch.ones(3, dtype=D))
    return g * torch.clamp(a / g.norm(), max=1)


@attempt
def a_step_inside_a_step(a: Tensor) -> Any:
    def loss(w: Tensor, task: Tensor) -> Tensor:
        return ((X @ w - task) ** 2).mean()

    def adapted(w: Tensor) -> Tensor:
        return loss(w - a * grad(loss)(w, Y), 1 - Y)

    return grad(adapted)(torch.ones(3, dtype=D))


@attempt
def word_vectors(a: Tensor) -> Any:
    vectors = F.embedding(TOKENS, TABLE_OF_WORDS)
    positive = F.logsigmoid(a * (vectors[1:] * vectors[:-1]).sum(1))
    return positive.sum() + F.logsigmoid(-a * vectors @ TABLE_OF_WORDS.T).sum()


@attempt
def adversaries_on_a_line(a: Tensor) -> Any:
    g, d = torch.zeros((), dtype=D), torch.ones((), dtype=D)
    for _ in range(6):
        d = d + a * grad(lambda d, g=g: F.logsigmoid(2 * d) - F.softplus(g * d))(d)
        g = g - a * grad(lambda g, d=d: -F.logsigmoid(g * d))(g)
    return g, d


@attempt
def planar_flow(a: Tensor) -> Any:
    w, u = randn(3), randn(3)
    activation = torch.tanh(a * X @ w)
    return torch.log(torch.abs(1 + a * (1 - activation**2) * (w @ u)))


@attempt
def langevin_with_noise_given(a: Tensor) -> Any:
    x = X
    for noise in randn(4, 12, 3):
        x = x + 0.1 * vmap(grad(lambda z: -((z**2 - a) ** 2).sum()))(x) + 0.4 * noise
    return x.mean(0)


@attempt
def neural_ode(a: Tensor) -> Any:
    h, w = X, randn(3, 3)
    for _ in range(8):
        h = h + a / 8 * torch.tanh(h @ w)
    return h


@attempt
def mixture_of_experts(a: Tensor) -> Any:
    gate, chosen = (X @ randn(3, 4) / a).softmax(-1).topk(2, -1)
    outputs = torch.einsum("ni,eik->nek", X, randn(4, 3, 2))
    return (gate[..., None] * outputs.gather(1, chosen[..., None].expand(-1, -1, 2))).sum(1)


@attempt
def low_rank_adaptation(a: Tensor) -> Any:
    return F.linear(X, randn(4, 3) + a * randn(4, 1) @ randn(1, 3))


@attempt
def distillation(a: Tensor) -> Any:
    student, teacher = F.log_softmax(X / a, -1), F.softmax(2 * X / a, -1)
    return a**2 * F.kl_div(student, teacher, reduction="batchmean")


@attempt
def triplets(a: Tensor) -> Any:
    return F.triplet_margin_loss(X[:4], X[4:8], a * X[8:], margin=1.0)


@attempt
def a_hook_on_a_gradient(a: Tensor) -> Any:
    w = torch.ones(3, dtype=D, requires_grad=True)
    w.register_hook(lambda g: 2 * g)
    return torch.autograd.grad((a * X @ w).sum(), w)[0]


@attempt
def shuffled_batches(a: Tensor) -> Any:
    return a * X[torch.randperm(12)[:4]].mean(0)


@attempt
def a_data_loader(a: Tensor) -> Any:
    batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), batch_size=4)
    return torch.stack([(a * x).sum() * y.sum() for x, y in batches])


@attempt
def weights_drawn_inside(a: Tensor) -> Any:
    return a * nn.Linear(3, 2, dtype=D)(X)


# More of language --------------------------------------------------------------------------------------------


@attempt
def many_heads_by_hand(a: Tensor) -> Any:
    q, k, v = (X @ randn(3, 12)).reshape(12, 3, 2, 2).permute(1, 2, 0, 3)
    return ((q @ k.mT / a).softmax(-1) @ v).permute(1, 0, 2).flatten(1)


@attempt
def distances_as_biases(a: Tensor) -> Any:
    place = torch.arange(12)
    return (X @ X.T - a * (place[:, None] - place).abs()).softmax(-1) @ X


@attempt
def root_mean_square_norm(a: Tensor) -> Any:
    return F.rms_norm(a * X, (3,))


@attempt
def gated_unit(a: Tensor) -> Any:
    return F.silu(X @ randn(3, 5)) * (a * X @ randn(3, 5)), F.glu(a * X[:, :2])


@attempt
def state_space(a: Tensor) -> Any:
    h, out = torch.zeros(2, dtype=D), []
    for x in X:
        h = torch.exp(-a * torch.tensor([1.0, 2.0], dtype=D)) * h + x[:2]
        out.append(h.sum())
    return torch.stack(out)


@attempt
def linear_attention(a: Tensor) -> Any:
    q, k = F.elu(a * X) + 1, F.elu(X) + 1
    return (q @ (k.T @ X)) / (q @ k.sum(0))[:, None]


@attempt
def beams(a: Tensor) -> Any:
    scores, steps = torch.zeros(1, dtype=D), (TABLE_OF_WORDS @ TABLE_OF_WORDS.T / a).log_softmax(-1)
    state = torch.zeros(1, dtype=torch.long)
    for _ in range(3):
        scores, flat = (scores[:, None] + steps[state]).flatten().topk(2)
        state = flat % 5
    return scores, state


@attempt
def counts_of_pairs(a: Tensor) -> Any:
    counts = torch.zeros(5, 5, dtype=D).index_put((TOKENS[:-1], TOKENS[1:]), a, accumulate=True)
    return (counts + 1).log()


@attempt
def counts_by_bincount(a: Tensor) -> Any:
    return torch.bincount((10 * a * GRID.abs()).long(), minlength=5)


# More of graphs, games and nature ----------------------------------------------------------------------------


@attempt
def graph_convolution(a: Tensor) -> Any:
    adjacency = (torch.cdist(X, X) < 1.5).to(D)
    scale = adjacency.sum(1).rsqrt()
    return torch.relu(scale[:, None] * adjacency * scale @ (a * X))


@attempt
def messages_along_edges(a: Tensor) -> Any:
    source, target = torch.tensor([0, 1, 2, 2]), torch.tensor([1, 2, 0, 3])
    return torch.zeros(4, 3, dtype=D).index_add(0, target, a * X[source])


@attempt
def optimal_transport(a: Tensor) -> Any:
    cost, f, g = torch.cdist(X[:5], X[5:9]), torch.zeros(5, dtype=D), torch.zeros(4, dtype=D)
    for _ in range(8):
        f = -a * torch.logsumexp((g - cost) / a, 1)
        g = -a * torch.logsumexp((f[:, None] - cost) / a, 0)
    return torch.exp((f[:, None] + g - cost) / a)


@attempt
def time_warping(a: Tensor) -> Any:
    cost, table = (X[:5, :1] - a * X[5:10, 0]) ** 2, torch.full((6, 6), torch.inf, dtype=D)
    table[0, 0] = 0
    for i in range(5):
        for j in range(5):
            before = torch.stack([table[i, j], table[i, j + 1], table[i + 1, j]])
            table[i + 1, j + 1] = cost[i, j] + before.min()
    return table[5, 5]


@attempt
def nearest_neighbours(a: Tensor) -> Any:
    near = torch.cdist(a * X[:4], X).topk(3, largest=False).indices
    return LABELS[near].to(D).mean(1)


@attempt
def embedding_of_neighbours(a: Tensor) -> Any:
    def divergence(y: Tensor) -> Tensor:
        q = (1 / (1 + torch.cdist(y, y) ** 2)).fill_diagonal_(0)
        return -(p * torch.log(q / q.sum() + 1e-12)).sum()

    p = (-(torch.cdist(X, X) ** 2) / a).fill_diagonal_(-torch.inf).softmax(1)
    return grad(divergence)(X[:, :2])


@attempt
def predators_and_prey(a: Tensor) -> Any:
    state = torch.tensor([1.0, 0.5], dtype=D)
    for _ in range(20):
        x, y = state
        state = state + 0.05 * torch.stack([x * (1 - a * y), y * (x - 1)])
    return state


@attempt
def a_wave_packet_by_fft(a: Tensor) -> Any:
    x, k = line(-4, 4, 16), 2 * math.pi * torch.fft.fftfreq(16, 0.5, dtype=D)
    psi = torch.exp(-(x**2) + 2j * x)
    for _ in range(4):
        psi = torch.fft.ifft(torch.exp(-0.05j * k**2) * torch.fft.fft(psi)) * torch.exp(-0.1j * a * x**2)
    return psi.abs() ** 2


@attempt
def low_pass_by_fft(a: Tensor) -> Any:
    spectrum = torch.fft.rfft(X[:, 0])
    return torch.fft.irfft(spectrum * torch.exp(-a * torch.arange(7)), n=12)


@attempt
def autocorrelation_by_fft(a: Tensor) -> Any:
    return torch.fft.irfft(torch.fft.rfft(a * X[:, 0], 24).abs() ** 2)[:12]


@attempt
def rule_30(a: Tensor) -> Any:
    cells, rows = torch.zeros(11, dtype=torch.bool).index_fill(0, torch.tensor([5]), True), []
    for _ in range(5):
        cells = cells.roll(1) ^ (cells | cells.roll(-1))
        rows.append(cells)
    return a * torch.stack(rows)


@attempt
def metropolis_with_noise_given(a: Tensor) -> Any:
    x, kept = torch.zeros((), dtype=D), []
    for step, luck in zip(randn(8), torch.special.ndtr(randn(8)), strict=True):
        moved = x + a * step
        x = torch.where(luck.log() < (x**2 - moved**2) / 2, moved, x)
        kept.append(x)
    return torch.stack(kept)


@attempt
def hamiltonian_steps(a: Tensor) -> Any:
    q, p = torch.ones(2, dtype=D), torch.zeros(2, dtype=D)
    energy = grad(lambda q: (q**4).sum() / 4)
    for _ in range(6):
        p = p - a / 20 * energy(q)
        q = q + a / 10 * p
        p = p - a / 20 * energy(q)
    return q, p


@attempt
def black_and_scholes(a: Tensor) -> Any:
    strike = line(0.5, 1.5)
    d = (-strike.log() + a**2 / 2) / a
    return torch.special.ndtr(d) - strike * (1 + torch.erf((d - a) / math.sqrt(2))) / 2


@attempt
def replicators(a: Tensor) -> Any:
    payoff = torch.tensor([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]], dtype=D)
    x = torch.tensor([0.5, 0.3, 0.2], dtype=D)
    for _ in range(10):
        fitness = payoff @ x
        x = x * (1 + a * (fitness - x @ fitness))
    return x


@attempt
def thompson_sampling(a: Tensor) -> Any:
    return torch.distributions.Beta(a, 1 - a, validate_args=False).sample((3,))


@attempt
def elo_ratings(a: Tensor) -> Any:
    ratings = torch.zeros(3, dtype=D)
    for i, j in [(0, 1), (1, 2), (2, 0), (0, 1)]:
        change = a * (1 - torch.sigmoid(ratings[i] - ratings[j]))
        ratings = ratings.index_add(0, torch.tensor([i, j]), torch.stack([change, -change]))
    return ratings


@attempt
def area_under_a_curve(a: Tensor) -> Any:
    order = (a * X[:, 0]).argsort(descending=True)
    hits = Y[order]
    return torch.trapezoid(hits.cumsum(0) / hits.sum(), (1 - hits).cumsum(0) / (1 - hits).sum())


# More of Python ----------------------------------------------------------------------------------------------


@attempt
def an_assertion(a: Tensor) -> Any:
    assert a > 0
    return a * GRID


@attempt
def a_loop_that_breaks(a: Tensor) -> Any:
    x = torch.ones((), dtype=D)
    for _ in range(100):
        x = a * x
        if x < 0.1:
            break
    return x


@attempt
def unique_values(a: Tensor) -> Any:
    return torch.unique((a * X).round())


@attempt
def places_of_a_mask(a: Tensor) -> Any:
    return torch.argwhere(a < GRID)


@attempt
def a_dictionary_by_the_slider(a: Tensor) -> Any:
    return GRID * {0: 1.0, 1: 2.0}[int(a.round())]


@attempt
def half_precision(a: Tensor) -> Any:
    with torch.autocast("cpu", torch.bfloat16):
        return (a * X) @ X.T


@attempt
def checkpointed(a: Tensor) -> Any:
    return torch.utils.checkpoint.checkpoint(lambda x: torch.tanh(x), a * X, use_reentrant=False)


@attempt
def rows_in_a_data_frame(a: Tensor) -> Any:
    return torch.tensor(pd.DataFrame({"x": [a, 2 * a]})["x"].tolist(), dtype=D)


@attempt
def a_running_mean_in_a_buffer(a: Tensor) -> Any:
    norm = nn.BatchNorm1d(3, dtype=D)
    return norm(a * X), norm.running_mean


# Tapes, parameters and functions of one's own ----------------------------------------------------------------


@attempt
def data_of_a_tensor_replaced(a: Tensor) -> Any:
    w = torch.ones(3, dtype=D)
    w.data = w.data * a
    return w


@attempt
def data_of_a_parameter_replaced(a: Tensor) -> Any:
    w = nn.Parameter(torch.ones(3, dtype=D))
    w.data = w.data * a
    return w.sum()


@attempt
def descent_by_data(a: Tensor) -> Any:
    w = torch.zeros(3, dtype=D, requires_grad=True)
    for _ in range(3):
        ((X @ w - a * Y) ** 2).mean().backward()
        w.data = w.data - 0.1 * w.grad
        w.grad = None
    return w


@attempt
def descent_by_data_in_place(a: Tensor) -> Any:
    w = torch.zeros(3, dtype=D, requires_grad=True)
    for _ in range(3):
        ((X @ w - a * Y) ** 2).mean().backward()
        w.data -= 0.1 * w.grad
        w.grad.data.zero_()  # type: ignore[union-attr]
    return w


@attempt
def data_of_another_shape(a: Tensor) -> Any:
    x = a * X
    x.data = torch.zeros(2, dtype=D)
    return x


@attempt
def memory_by_dlpack(a: Tensor) -> Any:
    return torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(a * X))


@attempt
def storage_of_a_tensor(a: Tensor) -> Any:
    return a * X * (a * X).untyped_storage()[0]


@attempt
def a_parameter_of_the_slider(a: Tensor) -> Any:
    w = nn.Parameter(a * X[0])
    (X @ w).square().mean().backward()
    return w.grad


@attempt
def a_gradient_by_a_parameter_of_the_slider(a: Tensor) -> Any:
    w = nn.Parameter(a * X[0])
    return torch.autograd.grad((X @ w).square().mean(), w)[0]


@attempt
def a_linear_layer_with_a_weight_of_the_slider(a: Tensor) -> Any:
    layer = TO_TWO
    with torch.no_grad():
        weight = nn.Parameter(a * layer.weight)
    return torch.func.functional_call(layer, {"weight": weight}, (X,))


TO_TWO = nn.Linear(3, 2, dtype=D)


class Straight(torch.autograd.Function):
    """The sign, with the gradient of a clamp."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.sign()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return grad * (x.abs() < 1)


@attempt
def a_function_with_setup_context(a: Tensor) -> Any:
    return Straight.apply(a * X)


@attempt
def a_function_with_setup_context_and_backward(a: Tensor) -> Any:
    w = torch.ones(3, dtype=D, requires_grad=True)
    (Straight.apply(a * X @ w) * Y).sum().backward()
    return w.grad


@attempt
def a_function_with_setup_context_and_func_grad(a: Tensor) -> Any:
    return grad(lambda x: (Straight.apply(a * x) * X).sum())(X)


@attempt
def a_function_whose_forward_has_the_context(a: Tensor) -> Any:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Any:
            return 2 * grad

    w = torch.ones(3, dtype=D, requires_grad=True)
    (Double.apply(a * X @ w) * Y).sum().backward()
    return w.grad


@attempt
def gradients_clipped_by_their_norm(a: Tensor) -> Any:
    w = torch.ones(3, dtype=D, requires_grad=True)
    ((X @ w - a) ** 2).mean().backward()
    nn.utils.clip_grad_norm_([w], 0.1)
    return w.grad


@attempt
def gradients_clipped_by_their_values(a: Tensor) -> Any:
    w = torch.ones(3, dtype=D, requires_grad=True)
    ((X @ w - a) ** 2).mean().backward()
    nn.utils.clip_grad_value_([w], 0.1)
    return w.grad


@attempt
def a_gradient_in_the_forward_pass(a: Tensor) -> Any:
    t = GRID.clone().requires_grad_(True)
    u = torch.tanh(a * t)
    (slope,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    return {"residual": slope + u}


@attempt
def an_energy_and_its_force(a: Tensor) -> Any:
    x = X.clone().requires_grad_(True)
    energy = (a * x.square().sum(1)).exp().sum()
    return {"energy": energy, "force": -torch.autograd.grad(energy, x)[0]}


# Ways to return it -------------------------------------------------------------------------------------------


@attempt
def a_tuple_of_tensors(a: Tensor) -> Any:
    return a * GRID, (a * GRID).sin()


@attempt
def a_list_of_tensors(a: Tensor) -> Any:
    return [a * GRID, a.sin()]


@attempt
def values_and_places(a: Tensor) -> Any:
    return torch.max(a * X, dim=1)


@attempt
def a_number_of_pythons(a: Tensor) -> Any:
    return {"a": 3.0, "y": a * GRID}


@attempt
def nothing(a: Tensor) -> Any:
    (a * GRID).sum()


@attempt
def words_beside_numbers(a: Tensor) -> Any:
    return {"y": a * GRID, "name": "tanh"}


@attempt
def a_field_that_is_no_name(a: Tensor) -> Any:
    return {"train loss": a * GRID}


@attempt
def a_dictionary_in_a_dictionary(a: Tensor) -> Any:
    return {"curves": {"y": a * GRID}}


@attempt
def a_tensor_of_four_axes(a: Tensor) -> Any:
    return (a * X).reshape(1, 2, 3, 6)


@attempt
def an_array_of_numpys(a: Tensor) -> Any:
    return np.sin(a * GRID)


# The table ---------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What came of an attempt."""

    attempt: str
    outcome: str
    """works, sentence or unclear"""
    says: str
    """What is said, without the line; empty if it works."""


def outcome(name: str) -> Outcome:
    """Try an attempt as its author would: a figure with a slider, and the page's numbers beside torch's."""
    function = ATTEMPTS[name]
    with contextlib.suppress(Exception):  # what torch itself refuses is tried all the same
        function(A)
    try:
        figure = live(function, a=controls.linear(float(A), 0.3, 1.1, 0.1, "a")).figure
        ((_steps, ours),) = in_the_page(figure, [{"a": float(A)}])
    except Exception as error:
        text = str(error)
        is_sentence = hasattr(error, "_render_traceback_") and "\n" not in text and not UNCLEAR.search(text)
        is_clear = is_sentence and (CLEAR.search(text) or not isinstance(error, UnsupportedOperation))
        says = re.sub(r"^.*?line \d+ of attempts\.py, `.*?`: ", "", text)
        if not is_clear:
            says = f"{type(error).__name__}: {text}".splitlines()[0]
        return Outcome(name, "sentence" if is_clear else "unclear", says)
    far = distance(ours, flatten(figure.check([float(A)])))
    return Outcome(name, "works", "") if far < CLOSE else Outcome(name, "unclear", "other numbers")


def stored() -> list[Outcome]:
    """The table."""
    with TABLE.open(newline="") as file:
        return [Outcome(*row) for row in list(csv.reader(file))[1:]]


def main() -> None:
    """Write the table, and print the seconds."""
    warnings.simplefilter("ignore")
    rows = []
    for name in ATTEMPTS:
        begun = time.process_time()
        rows.append(outcome(name))
        print(f"{name:<45} {rows[-1].outcome:<9} {time.process_time() - begun:>6.2f} s", flush=True)
    with TABLE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([Outcome._fields, *rows])
    counts = {kind: sum(row.outcome == kind for row in rows) for kind in ("works", "sentence", "unclear")}
    print(f"{len(rows)} attempts: {counts}")


if __name__ == "__main__":
    main()
