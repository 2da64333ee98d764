"""Xu and Chen's transformer with one assumption dropped, in token coordinates: exact, and small.

Embeddings are orthogonal: the context is √d e₀, every other token a unit vector of the standard basis, so that a weight
belongs to a token. Attention gives token i of a prompt the mixture β_i, with the residual stream and, if there is one,
the lower layer; ρ_i is the token's length. A neuron then sees

    λ⟨w, Ξ⟩ = Σ_i β_i λρ_i w_i, with Ξ = Σ_i β_i x_i, and ‖Ξ‖² = Σ_i β_i² ρ_i²,

and a score is one number for each pair of tokens. A prompt needs the numbers of its own tokens alone, whatever the
activation, biases, heads, norms and layers are. What is trained are the weights in that basis, as Adam needs them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.together.experiments.relaxed_acquire import CONTEXT
from book.together.relaxed import ACQUIRE
from lib.acquire.course import SCALE
from lib.acquire.tokens import Sizes


def shapes(sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """What is trained, by name; X tokens, V outputs with m neurons each."""
    x, v, m = sizes.tokens, sizes.outputs, sizes.neurons
    return {
        "features": (x, v, m),
        "scores": (2, x, x),  # of each head, keys first; without a second head the other is not read
        "key": (x, x),
        "query": (x, x),
        "lower": (x, x),
        "key_bias": (x,),
        "hidden_bias": (v, m),
    }


def parts(x: Tensor, sizes: Sizes) -> dict[str, Tensor]:
    """All that is trained, by name."""
    named = shapes(sizes)
    pieces = x.split([math.prod(shape) for shape in named.values()])
    return {name: piece.reshape(shape) for (name, shape), piece in zip(named.items(), pieces, strict=True)}


def initial(drawn: Tensor, p: Any, sizes: Sizes) -> Tensor:
    """All that is trained, at the start: from standard normal numbers, as many as there are."""
    small = {name: torch.full((), SCALE, dtype=torch.float64) for name in shapes(sizes)}
    small["features"] = small["hidden_bias"] = SCALE / gain(p, sizes)
    small["key"] = small["query"] = torch.full(
        (), math.sqrt(SCALE / math.sqrt(sizes.tokens)), dtype=torch.float64
    )
    return torch.cat([(small[name] * piece).reshape(-1) for name, piece in parts(drawn, sizes).items()])


def gain(p: Any, sizes: Sizes) -> Tensor:
    """λ = √(m/κ), 0-d."""
    return torch.sqrt(sizes.neurons / p.kappa)


def lengths(sizes: Sizes) -> Tensor:
    """ρ, (X,): the context's √d, and 1."""
    one = torch.ones(sizes.tokens, dtype=torch.float64)
    return torch.where(torch.arange(sizes.tokens) == 0, math.sqrt(CONTEXT) * one, one)


class Model(NamedTuple):
    """What weights come to in token coordinates."""

    features: Tensor  # (X, V, m) λρ_i w_i
    total: Tensor  # (V, m) λ Σ w over the basis, of which a layer norm takes the mean away
    hidden_bias: Tensor  # (V, m) times λ
    scores: Tensor  # (2, X X) of each head, keys first
    lower: Tensor  # (X X)
    key_bias: Tensor  # (X,) what a key adds to its score
    size: Tensor  # 0-d, to which a layer norm brings the root mean square


def model(x: Tensor, p: Any, sizes: Sizes, size: Tensor) -> Model:
    """Token coordinates of all that is trained."""
    part, rho, by = parts(x, sizes), lengths(sizes), gain(p, sizes)
    pairs = rho[:, None] * rho
    joint = torch.where(ACQUIRE.dropped(p, "matrices"), part["key"].T @ part["query"], part["scores"][0])
    return Model(
        features=part["features"] * (by * rho)[:, None, None],
        total=by * part["features"].sum(0),
        hidden_bias=by * part["hidden_bias"],
        scores=torch.stack([joint * pairs, part["scores"][1] * pairs]).flatten(1),
        lower=(part["lower"] * pairs).reshape(-1),
        key_bias=rho * part["key_bias"],
        size=size,
    )


def attend(m: Model, tokens: Tensor, p: Any, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """Attention from the last token, in the mean of the heads, and the mixture β; both (P, T).

    Args:
        tokens: (P, T), all different in each prompt.
    """
    count, length = tokens.shape
    pairs = (tokens[:, :, None] * sizes.tokens + tokens[:, None, :]).reshape(-1)
    eye = torch.eye(length, dtype=torch.float64)
    later = torch.ones(length, length).tril(-1).bool()  # keys that come after the query
    low = m.lower.index_select(0, pairs).reshape(count, length, length).masked_fill(later, -math.inf)
    mixing = torch.where(ACQUIRE.dropped(p, "layers"), (eye + torch.softmax(low, 1).transpose(1, 2)) / 2, eye)
    table = m.scores.index_select(1, pairs).reshape(2, count, length, length)
    scores = (mixing @ (table @ mixing[:, -1:].transpose(1, 2)))[..., 0]  # (heads, P, T)
    bias = (mixing @ m.key_bias.index_select(0, tokens.reshape(-1)).reshape(count, length, 1))[..., 0]
    scores = scores + torch.where(ACQUIRE.dropped(p, "biases"), bias, 0.0)
    alpha = torch.softmax(
        torch.where(ACQUIRE.dropped(p, "scale"), scores / math.sqrt(sizes.tokens), scores), 2
    )
    attention = torch.where(ACQUIRE.dropped(p, "heads"), (alpha[0] + alpha[1]) / 2, alpha[0])
    last = torch.where(ACQUIRE.dropped(p, "residual"), 0.0, eye[-1])
    return attention, ((attention + last)[:, None, :] @ mixing)[:, 0]


def answer(m: Model, tokens: Tensor, p: Any, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """Logits (P, V) and attention (P, T)."""
    attention, mixture = attend(m, tokens, p, sizes)
    rows = m.features.flatten(1)
    pre = torch.zeros((), dtype=torch.float64)
    for t in range(tokens.shape[1]):
        pre = pre + mixture[:, t, None] * rows.index_select(0, tokens[:, t])
    mean, square = moments(mixture, tokens, sizes)
    norm = m.size / torch.sqrt(square - mean**2 + 1e-12)
    centred = norm[:, None] * (pre - mean[:, None] * m.total.reshape(-1))
    pre = torch.where(ACQUIRE.dropped(p, "norm"), centred, pre)
    pre = pre + torch.where(ACQUIRE.dropped(p, "biases"), m.hidden_bias.reshape(-1), 0.0)
    return activation(pre, p).reshape(-1, sizes.outputs, sizes.neurons).mean(2), attention


def activation(pre: Tensor, p: Any) -> Tensor:
    """ReLU or GELU, max(h, 0) or h Φ(h); the derivative is written out, so that ReLU costs the page no erf."""
    bends, at = ACQUIRE.dropped(p, "gelu"), pre.detach()
    gate = torch.where(bends, (1 + torch.erf(at / math.sqrt(2))) / 2, (at > 0).to(torch.float64))
    density = at * torch.exp(-(at**2) / 2) / math.sqrt(2 * math.pi)
    slope = gate + torch.where(bends, density, 0.0)
    return slope * pre + (gate - slope) * at


def moments(mixture: Tensor, tokens: Tensor, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """The mean of Ξ's coordinates and of their squares, (P,) each."""
    along = mixture * lengths(sizes)[tokens]
    return along.sum(1) / sizes.tokens, (along**2).sum(1) / sizes.tokens
