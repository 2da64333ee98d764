"""The orbit reduction: training in 236 numbers, whatever the number of samples, their length and the width.

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
    """A state of training: the inner products of words, reduced to orbits of exchangeable words."""

    blocks: Grams  # the 7×7 parts of S, K, Q, G, with g (7,) and N
    scalars: Tensor  # (4, 8) of S, K, Q, G: α of the four types, then β


class Sizes(NamedTuple):
    """The sizes of a training; all but the counts are 0-d."""

    counts: Tensor  # (4,) samples of each type; any positive numbers, since only sums are taken
    length: Tensor  # L, at least 4
    width: Tensor  # m
    layer: Tensor  # ‖a‖²
    learned: Tensor = torch.ones((), dtype=torch.float64)  # 1, or 0 where W_K and W_Q are frozen


class _Samples(NamedTuple):
    """One sample of each type. The four roles of its words: μ₁, μ₂, μ₃ and an irrelevant word."""

    attention: Tensor  # (4, 4, 4) [type, key, query]; from an irrelevant word to itself
    another: Tensor  # (4, 4) [type, query] to another irrelevant word
    occurrences: Tensor  # (4, 4) [type, role] how often a role occurs
    output: Tensor  # (4, 4) [type, role] g
    attended: Tensor  # (4, 4) [type, query] the attended output Σ_h p[h] g[h]


_ROLES = torch.cat([HOLDS, torch.ones_like(HOLDS[:, :1])], 1) > 0
"""Which roles the words of each type have, (4, 4)."""
_BOTH_OCCUR = _ROLES[:, :, None] & _ROLES[:, None, :]
"""Whether a type has both roles, (4, 4, 4) [type, key, query]."""


def start(attention: Tensor, size: Tensor) -> Orbit:
    """S = g = 0, K = Q = G = κ I: the expected start, κ = σ₀² m and N = ‖a‖² σ₁² m. Both arguments are 0-d."""
    eye = attention * torch.eye(7, dtype=torch.float64)
    zero = torch.zeros_like(eye)
    scalars = torch.cat([torch.zeros(1, 8, dtype=torch.float64), attention * torch.ones(3, 8).double()])
    return Orbit(Grams(zero, eye, eye, eye, zero[0], size), scalars)


def irrelevant(sizes: Sizes) -> Tensor:
    """The number of irrelevant words in a sample of each type, (4,)."""
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
    other = g[3:] / torch.sqrt(sizes.counts * irrelevant(sizes))
    return torch.cat([g[:3].expand(4, 3), other[:, None]], 1)


def _samples(state: Orbit, sizes: Sizes) -> _Samples:
    """Attention and outputs of one sample of each type."""
    r, root = irrelevant(sizes), torch.sqrt(sizes.width)
    score, other = scores(state, sizes)
    top = torch.maximum(score.amax((1, 2)), other).detach()  # any common shift leaves a softmax unchanged
    weight = torch.where(_BOTH_OCCUR, torch.exp((score - top[:, None, None]) / root), 0.0)
    another = torch.cat([weight[:, 3, :3], torch.exp((other - top) / root)[:, None]], 1)
    total = weight.sum(1) + (r - 1)[:, None] * another  # (type, query)
    total = torch.where(_ROLES, total, 1.0)
    attention, another = weight / total[:, None, :], another / total
    output = word_outputs(state, sizes)
    attended = (attention * output[:, :, None]).sum(1) + (r - 1)[:, None] * another * output[:, 3:]
    return _Samples(
        attention=attention,
        another=another,
        occurrences=torch.cat([HOLDS, r[:, None]], 1),
        output=output,
        attended=attended,
    )


def attention(state: Orbit, sizes: Sizes) -> Tensor:
    """Attention in a sample of each type, (4, 4, 4) [type, key, query]: μ₁, μ₂, μ₃, an irrelevant word (to itself)."""
    return _samples(state, sizes).attention


def outputs(state: Orbit, sizes: Sizes) -> Tensor:
    """F(X) for a sample of each type, (4,)."""
    samples = _samples(state, sizes)
    return (samples.occurrences * samples.attended).sum(1)


def losses(state: Orbit, sizes: Sizes) -> Tensor:
    """The loss of a sample of each type, (4,)."""
    return functional.softplus(-SIGNS * outputs(state, sizes))


def loss(state: Orbit, sizes: Sizes) -> Tensor:
    """The mean loss of all samples, 0-d."""
    return (sizes.counts * losses(state, sizes)).sum() / sizes.counts.sum()


def _forces(state: Orbit, sizes: Sizes) -> tuple[Tensor, Tensor, Tensor]:
    """A's 7×7 block, A's scalars (8,) and b (7,)."""
    samples, r = _samples(state, sizes), irrelevant(sizes)
    root, scale = torch.sqrt(sizes.counts * r), sizes.learned / torch.sqrt(sizes.width)
    f = (samples.occurrences * samples.attended).sum(1)
    pull = SIGNS * torch.sigmoid(-SIGNS * f) / sizes.counts.sum()
    score_pull = pull * scale
    turned = samples.attention * (samples.output[:, :, None] - samples.attended[:, None, :])
    itself = score_pull * turned[:, 3, 3]
    other = score_pull * samples.another[:, 3] * (samples.output[:, 3] - samples.attended[:, 3])
    corner = ((score_pull * sizes.counts)[:, None, None] * turned[:, :3, :3]).sum(0)
    right = ((score_pull * root)[:, None] * turned[:, :3, 3]).T
    down = (score_pull * root)[:, None] * turned[:, 3, :3]
    whole = itself + (r - 1) * other
    push = torch.cat([torch.cat([corner, right], 1), torch.cat([down, torch.diag(whole)], 1)], 0)
    to_signals = (samples.attention[:, :3] * samples.occurrences[:, None, :]).sum(
        2
    )  # (type, signal), all queries
    to_irrelevant = samples.attention[:, 3].sum(1) + (r - 1) * samples.another[:, 3]
    received = torch.cat([(sizes.counts * pull) @ to_signals, root * pull * to_irrelevant])
    return push, torch.cat([whole, itself - other]), received


def flow(state: Orbit, sizes: Sizes) -> Orbit:
    """The right-hand side of gradient flow: the time derivative of the state."""
    return _velocity(state, sizes, *_forces(state, sizes))


def _velocity(state: Orbit, sizes: Sizes, push: Tensor, a: Tensor, given: Tensor) -> Orbit:
    s, k, q, v = state.scalars
    scalars = torch.stack([a * (q + k), 2 * a * s, 2 * a * s, torch.zeros_like(v)])
    return Orbit(velocity(state.blocks, push, given, sizes.layer), scalars)


def step(state: Orbit, sizes: Sizes, rate: Tensor) -> Orbit:
    """The state after one step of gradient descent with this learning rate, 0-d."""
    push, a, given = _forces(state, sizes)
    s, k, q, v = state.scalars
    square = torch.stack([a * s * a, a * q * a, a * k * a, torch.zeros_like(v)])
    second = Orbit(curvature(state.blocks, push, given, sizes.layer), square)
    first = _velocity(state, sizes, push, a, given)
    return tree_map(lambda x, y, z: x + rate * y + rate**2 * z, state, first, second)


_SQUARES, _SCALARS = 4 * 7 * 7, 4 * 8
"""How many of the packed numbers are in the blocks of S, K, Q and G, and how many are their scalars."""


def pack(state: Orbit) -> Tensor:
    """The state in one vector, (236,): 4 × 49 numbers and 4 × 8 scalars of S, K, Q and G, then g (7) and N."""
    parts = [part.reshape(-1) for part in (*state.blocks[:4], state.scalars, *state.blocks[4:])]
    return torch.cat(parts)


def unpack(vector: Tensor) -> Orbit:
    """The inverse of :func:`pack`."""
    rest = _SQUARES + _SCALARS
    score, key, query, value = vector[:_SQUARES].reshape(4, 7, 7).unbind()
    blocks = Grams(score, key, query, value, output=vector[rest : rest + 7], size=vector[rest + 7])
    return Orbit(blocks, scalars=vector[_SQUARES:rest].reshape(4, 8))
