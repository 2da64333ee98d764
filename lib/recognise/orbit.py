"""The orbit reduction: 228 numbers for any number of samples, length and width.

With distinct irrelevant words and an initial state that treats exchangeable words alike, every word matrix commutes
with swaps of irrelevant words in a sample and of samples of one type. In an orthonormal basis of orbits it is a
7×7 block over (μ₁, μ₂, μ₃, one normalised sum of irrelevant words for each type), and for each type two scalars:
α on differences between samples, β on differences within a sample. Products act block by block, so the formulas of
``gram`` hold unchanged.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils._pytree import tree_map

from lib.recognise.gram import Grams, curvature, velocity
from lib.recognise.task import HOLDS, SIGNS


class Orbit(NamedTuple):
    """``blocks``: the 7×7 parts of S, K, Q, G with g (7,) and N; ``scalars`` (4, 8): α then β of S, K, Q, G."""

    blocks: Grams
    scalars: Tensor


class Sizes(NamedTuple):
    """``counts`` (4,): samples of each type. ``length``: L, 0-d, at least 4. ``width``: m. ``layer``: ‖a‖².

    ``learned``: 1, or 0 where W_K and W_Q are frozen. Counts may be any positive numbers: only sums are taken.
    """

    counts: Tensor
    length: Tensor
    width: Tensor
    layer: Tensor
    learned: Tensor = torch.ones((), dtype=torch.float64)


class _Samples(NamedTuple):
    """One sample of each type: attention (4, 4, 4) [type, key, query], roles μ₁ μ₂ μ₃ and an irrelevant word;
    ``another`` (4, 4) is that to another irrelevant word, by query; ``many`` (4, 4) how often a role occurs."""

    attention: Tensor
    another: Tensor
    many: Tensor
    output: Tensor
    attended: Tensor


_ROLES = torch.cat([HOLDS, torch.ones_like(HOLDS[:, :1])], 1) > 0
"""Which roles the words of each type have, (4, 4)."""
_MEET = _ROLES[:, :, None] & _ROLES[:, None, :]


def start(attention: Tensor, size: Tensor) -> Orbit:
    """S = g = 0, K = Q = G = κ I: the expected start, κ = σ₀² m and N = ‖a‖² σ₁² m. Both arguments are 0-d."""
    eye = attention * torch.eye(7, dtype=torch.float64)
    zero = torch.zeros_like(eye)
    scalars = torch.cat([torch.zeros(1, 8, dtype=torch.float64), attention * torch.ones(3, 8).double()])
    return Orbit(Grams(zero, eye, eye, eye, zero[0], size), scalars)


def irrelevant(sizes: Sizes) -> Tensor:
    """How many irrelevant words a sample of each type has, (4,)."""
    return sizes.length - HOLDS.sum(1)


def scores(state: Orbit, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """S in a sample of each type, (4, 4, 4) as in :func:`attention`; and between two irrelevant words of it, (4,)."""
    s, r = state.blocks.score, irrelevant(sizes)
    root = torch.sqrt(sizes.counts * r)
    both = s[:3, :3].expand(4, 3, 3)
    down = (s[3:, :3] / root[:, None])[:, None, :]  # irrelevant key, signal query
    right = (s[:3, 3:] / root).T[:, :, None]
    alpha, beta = state.scalars[0, :4], state.scalars[0, 4:]
    other = s.diagonal()[3:] / root**2 + alpha * (1 / r - 1 / root**2) - beta / r
    itself = (other + beta)[:, None, None]
    return torch.cat([torch.cat([both, right], 2), torch.cat([down, itself], 2)], 1), other


def word_outputs(state: Orbit, sizes: Sizes) -> Tensor:
    """g on μ₁, μ₂, μ₃ and an irrelevant word of each type, (4, 4)."""
    g = state.blocks.output
    own = g[3:] / torch.sqrt(sizes.counts * irrelevant(sizes))
    return torch.cat([g[:3].expand(4, 3), own[:, None]], 1)


def _read(state: Orbit, sizes: Sizes) -> _Samples:
    """Attention and outputs of one sample of each type."""
    r, root = irrelevant(sizes), torch.sqrt(sizes.width)
    score, other = scores(state, sizes)
    top = torch.maximum(score.amax((1, 2)), other).detach()  # any common shift leaves a softmax unchanged
    weight = torch.where(_MEET, torch.exp((score - top[:, None, None]) / root), 0.0)
    another = torch.cat([weight[:, 3, :3], torch.exp((other - top) / root)[:, None]], 1)
    total = weight.sum(1) + (r - 1)[:, None] * another  # (type, query)
    total = torch.where(_ROLES, total, 1.0)
    attention, another = weight / total[:, None, :], another / total
    output = word_outputs(state, sizes)
    attended = (attention * output[:, :, None]).sum(1) + (r - 1)[:, None] * another * output[:, 3:]
    return _Samples(attention, another, torch.cat([HOLDS, r[:, None]], 1), output, attended)


def attention(state: Orbit, sizes: Sizes) -> Tensor:
    """Attention in a sample of each type, (4, 4, 4) [type, key, query]: μ₁, μ₂, μ₃, an irrelevant word (to itself)."""
    return _read(state, sizes).attention


def outputs(state: Orbit, sizes: Sizes) -> Tensor:
    """F(X) for a sample of each type, (4,)."""
    samples = _read(state, sizes)
    return (samples.many * samples.attended).sum(1)


def losses(state: Orbit, sizes: Sizes) -> Tensor:
    """The loss of a sample of each type, (4,)."""
    return functional.softplus(-SIGNS * outputs(state, sizes))


def loss(state: Orbit, sizes: Sizes) -> Tensor:
    """The mean loss of all samples, 0-d."""
    return (sizes.counts * losses(state, sizes)).sum() / sizes.counts.sum()


def _forces(state: Orbit, sizes: Sizes) -> tuple[Tensor, Tensor, Tensor]:
    """A's 7×7 block, A's scalars (8,) and b (7,)."""
    samples, r = _read(state, sizes), irrelevant(sizes)
    root, scale = torch.sqrt(sizes.counts * r), sizes.learned / torch.sqrt(sizes.width)
    f = (samples.many * samples.attended).sum(1)
    pull = SIGNS * torch.sigmoid(-SIGNS * f) / sizes.counts.sum()
    heavy = pull * scale
    moved = samples.attention * (samples.output[:, :, None] - samples.attended[:, None, :])
    itself = heavy * moved[:, 3, 3]
    other = heavy * samples.another[:, 3] * (samples.output[:, 3] - samples.attended[:, 3])
    corner = ((heavy * sizes.counts)[:, None, None] * moved[:, :3, :3]).sum(0)
    right = ((heavy * root)[:, None] * moved[:, :3, 3]).T
    down = (heavy * root)[:, None] * moved[:, 3, :3]
    whole = itself + (r - 1) * other
    push = torch.cat([torch.cat([corner, right], 1), torch.cat([down, torch.diag(whole)], 1)], 0)
    given = (samples.attention[:, :3] * samples.many[:, None, :]).sum(2)  # (type, signal): from all queries
    from_own = samples.attention[:, 3].sum(1) + (r - 1) * samples.another[:, 3]
    received = torch.cat([(sizes.counts * pull) @ given, root * pull * from_own])
    return push, torch.cat([whole, itself - other]), received


def flow(state: Orbit, sizes: Sizes) -> Orbit:
    """The right-hand side of gradient flow."""
    return _velocity(state, sizes, *_forces(state, sizes))


def _velocity(state: Orbit, sizes: Sizes, push: Tensor, a: Tensor, given: Tensor) -> Orbit:
    s, k, q, v = state.scalars
    scalars = torch.stack([a * (q + k), 2 * a * s, 2 * a * s, torch.zeros_like(v)])
    return Orbit(velocity(state.blocks, push, given, sizes.layer), scalars)


def step(state: Orbit, sizes: Sizes, rate: Tensor) -> Orbit:
    """One step of gradient descent."""
    push, a, given = _forces(state, sizes)
    s, k, q, v = state.scalars
    square = torch.stack([a * s * a, a * q * a, a * k * a, torch.zeros_like(v)])
    second = Orbit(curvature(state.blocks, push, given, sizes.layer), square)
    first = _velocity(state, sizes, push, a, given)
    return tree_map(lambda x, y, z: x + rate * y + rate**2 * z, state, first, second)


def pack(state: Orbit) -> Tensor:
    """228 numbers for S, K, Q and G, then g and N: (236,)."""
    parts = [part.reshape(-1) for part in (*state.blocks[:4], state.scalars, *state.blocks[4:])]
    return torch.cat(parts)


def unpack(vector: Tensor) -> Orbit:
    """The inverse of :func:`pack`."""
    score, key, query, value = vector[:196].reshape(4, 7, 7).unbind()
    blocks = Grams(score, key, query, value, vector[228:235], vector[235])
    return Orbit(blocks, vector[196:228].reshape(4, 8))
