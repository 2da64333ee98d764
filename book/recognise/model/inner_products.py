"""Appendix C of Yang et al.: the dynamical system of inner products, against the real model's gradient flow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from book.recognise.model.gradients import weighted_values
from book.recognise.real_model import RealModel, SampleArrays, sample_arrays, small_model
from lib.recognise.model import Weights, descent_by_autograd


class Places(NamedTuple):
    """Appendix C's index l(i, µ) of words in samples, and attention by it: 0 where µ is not in the sample."""

    has: Tensor  # (n, d) whether µ is in sample i
    at: Tensor  # (n, d) and at which place first
    by_key: Tensor  # (n, l, d) p_{q←l,k←µ}
    by_query: Tensor  # (n, d, h) p_{q←µ,k←h}


def places(s: SampleArrays) -> Places:
    """The index l(i, µ) of Appendix C, and attention by it."""
    has, at = s.words.amax(2), s.words.argmax(2)  # (n, d)
    length = s.words.shape[2]
    by_key = s.attention.gather(2, at[:, None, :].expand(-1, length, -1)) * has[:, None, :]
    by_query = s.attention.gather(1, at[:, :, None].expand(-1, -1, length)) * has[:, :, None]
    return Places(has, at, by_key, by_query)


def inner_products(weights: Weights) -> dict[str, Tensor]:
    """The six kinds of inner products that Appendix C follows: neurons by words, words by words, neurons by neurons."""
    neurons, value, key, query = weights
    return {
        "w_j v(mu)": neurons @ value,
        "k(nu) q(mu)": key.T @ query,
        "w_j1 w_j2": neurons @ neurons.T,
        "v(nu) v(mu)": value.T @ value,
        "q(nu) q(mu)": query.T @ query,
        "k(nu) k(mu)": key.T @ key,
    }


def slopes_by_autograd(chosen: RealModel) -> dict[str, Tensor]:
    """The time derivatives of :func:`inner_products` along the gradient flow of the model."""
    velocity = descent_by_autograd(*chosen[:3])
    slopes: dict[str, Tensor] = torch.func.jvp(inner_products, (chosen.weights,), (velocity,))[1]
    return slopes


def _symmetric(half: Tensor) -> Tensor:
    return half + half.T


def equation_6(c: RealModel, s: SampleArrays, at: Places) -> Tensor:
    """∂(w_jᵀ W_V µ)/∂t through all neurons and the values of all places; (m₁, d)."""
    w, value = c.weights.neurons, c.weights.value
    received = torch.einsum("n,ndh,nlh->d", s.pull, s.words, s.attention)
    first = torch.outer(w @ w.T @ c.layer, received)
    return first + torch.outer(c.layer, torch.einsum("n,nlh,nmh->m", s.pull, s.attention, s.value) @ value)


def lemma_c_1(c: RealModel, s: SampleArrays, at: Places) -> Tensor:
    """Lemma C.1's products, with the neuron's and the word's pulled squared lengths apart, and ε; (m₁, d)."""
    w, value = c.weights.neurons, c.weights.value
    seen = torch.einsum("n,nld->d", s.pull, at.by_key)
    squares = (w * w).sum(1)[:, None] + (value * value).sum(0)
    others = w @ w.T - torch.diag((w * w).sum(1))
    different = 1 - s.words.transpose(1, 2)  # (n, h, d): 1 where the word at h is not µ
    cross = torch.einsum("n,nlh,nmh,md,nhd->d", s.pull, s.attention, s.value, value, different)
    epsilon = torch.outer(others @ c.layer, seen) + torch.outer(c.layer, cross)
    return c.layer[:, None] * squares * seen + epsilon


def lemma_c_2(c: RealModel, s: SampleArrays, at: Places) -> Tensor:
    """∂⟨w_j1, w_j2⟩/∂t, split by any set U of words (here μ₁, μ₂, μ₃); (m₁, m₁)."""
    inside = s.words[:, :3].sum(1)  # (n, h)
    halves = []
    for chosen in (inside, 1 - inside):
        by_place = torch.einsum("n,jm,nmh,nlh,nh->j", s.pull, c.weights.neurons, s.value, s.attention, chosen)
        halves.append(_symmetric(torch.outer(by_place, c.layer)))
    return halves[0] + halves[1]


def lemma_c_3(c: RealModel, s: SampleArrays, at: Places) -> Tensor:
    """∂(v(ν)ᵀ v(µ))/∂t; (d, d)."""
    return _symmetric(torch.outer(c.weights.value.T @ s.neurons, torch.einsum("n,nld->d", s.pull, at.by_key)))


def lemma_c_4_queries(c: RealModel, s: SampleArrays, at: Places) -> Tensor:
    """∂(q(ν)ᵀ q(µ))/∂t; rows ν, columns µ."""
    by_place, mean = weighted_values(s)
    there = mean.gather(1, at.at)  # (n, µ): w V p at l(i, µ)
    middle = (by_place[:, None, :] - there[:, :, None]) * at.by_query  # (n, µ, h)
    turned = torch.einsum("mv,nmh->nvh", c.weights.query, s.key)
    return _symmetric(torch.einsum("n,nvh,nuh->vu", s.pull, turned, middle)) / math.sqrt(len(s.neurons))


def _lead(c: RealModel, s: SampleArrays) -> Tensor:
    """w_jᵀ v(µ) − w_jᵀ V p_l summed over neurons with a_j; (n, l, µ)."""
    return (c.weights.value.T @ s.neurons) - weighted_values(s)[1][:, :, None]


def lemma_c_4_keys(c: RealModel, s: SampleArrays, at: Places) -> Tensor:
    """∂(k(ν)ᵀ k(µ))/∂t; rows ν, columns µ."""
    turned = torch.einsum("mv,nml->nvl", c.weights.key, s.query)
    half = torch.einsum("n,nvl,nlu->vu", s.pull, turned, at.by_key * _lead(c, s))
    return _symmetric(half) / math.sqrt(len(s.neurons))


def lemma_c_4_scores(c: RealModel, s: SampleArrays, at: Places) -> Tensor:
    """∂(k(ν)ᵀ q(µ))/∂t in its four printed terms; rows ν, columns µ."""
    value, key, query = c.weights.value, c.weights.key, c.weights.query
    by_place, mean = weighted_values(s)
    there = mean.gather(1, at.at)
    lead = (value.T @ s.neurons)[None, None, :] - there[:, :, None]  # (n, µ, ν)
    pair = at.by_query.gather(2, at.at[:, None, :].expand(-1, at.at.shape[1], -1)) * at.has[:, None, :]
    pulled = torch.einsum("n,nuv->vu", s.pull, lead * pair)
    first, third = (key * key).sum(0)[:, None] * pulled, pulled * (query * query).sum(0)
    different = 1 - s.words.transpose(1, 2)  # (n, place, word)
    middle = (by_place[:, None, :] - there[:, :, None]) * at.by_query
    second = torch.einsum("n,mv,nmh,nuh,nhv->vu", s.pull, key, s.key, middle, different)
    fourth = torch.einsum("n,mu,nml,nlv,nlu->vu", s.pull, query, s.query, at.by_key * _lead(c, s), different)
    return (first + second + third + fourth) / math.sqrt(len(s.neurons))


def equation_7(c: RealModel, s: SampleArrays, at: Places) -> Tensor:
    """∂(k(ν)ᵀ q(µ))/∂t as two sums over all samples and places; rows ν, columns µ."""
    by_place, mean = weighted_values(s)
    middle = (by_place[:, None, :] - mean[:, :, None]) * s.attention  # (n, l, h)
    by_keys = torch.einsum("n,mv,nmh,nlh,nul->vu", s.pull, c.weights.key, s.key, middle, s.words)
    by_queries = torch.einsum("n,mu,nml,nlh,nvh->vu", s.pull, c.weights.query, s.query, middle, s.words)
    return (by_keys + by_queries) / math.sqrt(len(s.neurons))


class Formula(NamedTuple):
    """A formula of Appendix C for the time derivative of inner products."""

    words: str  # its name
    product: str  # a key of inner_products
    slope: Callable[[RealModel, SampleArrays, Places], Tensor]


SYSTEM = {
    "equation_6": Formula("Equation 6", "w_j v(mu)", equation_6),
    "equation_7": Formula("Equation 7", "k(nu) q(mu)", equation_7),
    "lemma_c_1": Formula("Lemma C.1", "w_j v(mu)", lemma_c_1),
    "lemma_c_2": Formula("Lemma C.2", "w_j1 w_j2", lemma_c_2),
    "lemma_c_3": Formula("Lemma C.3", "v(nu) v(mu)", lemma_c_3),
    "lemma_c_4_queries": Formula("Lemma C.4, queries", "q(nu) q(mu)", lemma_c_4_queries),
    "lemma_c_4_keys": Formula("Lemma C.4, keys", "k(nu) k(mu)", lemma_c_4_keys),
    "lemma_c_4_scores": Formula("Lemma C.4, scores", "k(nu) q(mu)", lemma_c_4_scores),
}


class FormulaErrors(NamedTuple):
    """The largest error of each formula of :data:`SYSTEM`, as a part of the largest slope."""

    occurrences: float  # the largest number of times that a sample holds a word
    equation_6: float
    equation_7: float
    lemma_c_1: float
    lemma_c_2: float
    lemma_c_3: float
    lemma_c_4_queries: float
    lemma_c_4_keys: float
    lemma_c_4_scores: float


def slopes(seed: int = 0, distinct: bool = True) -> FormulaErrors:
    """Compare each formula with the derivative along the flow of one small model.

    Args:
        distinct: without it words repeat within samples.
    """
    chosen = small_model(seed, distinct=bool(distinct))
    s = sample_arrays(*chosen[:3])
    at = places(s)
    right = slopes_by_autograd(chosen)

    def off(formula: Formula) -> float:
        wanted = right[formula.product]
        return float((formula.slope(chosen, s, at) - wanted).abs().max() / wanted.abs().max())

    return FormulaErrors(
        occurrences=float(s.words.sum(2).max()), **{name: off(formula) for name, formula in SYSTEM.items()}
    )


def is_the_derivative(name: str) -> bool:
    """Whether a formula of :data:`SYSTEM` is the derivative along the real model's flow, at ten seeds."""
    return max(getattr(slopes(seed), name) for seed in range(10)) < 1e-11
