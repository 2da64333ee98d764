"""Appendix B of Yang et al.: every printed line of the four gradients, against automatic differentiation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from book.recognise.real_model import SampleArrays, sample_arrays, small_model
from lib.recognise.model import descent_by_autograd

Line = Callable[[SampleArrays, Tensor], Tensor]
"""A printed line: from the arrays of all samples and the output layer a to the gradient of a matrix."""


def _softmax_slope(p: Tensor) -> Tensor:
    """∂p_{l,h}/∂s_{l,h'} by automatic differentiation, (n, l, h, h')."""
    slope = torch.func.vmap(torch.func.vmap(torch.func.jacrev(lambda s: torch.softmax(s, 0))))
    return torch.as_tensor(slope(torch.log(p)))


def _inside(p: Tensor) -> Tensor:
    """p_{l,h} (1[h = h'] − p_{l,h'}), (n, l, h, h')."""
    eye = torch.eye(p.shape[-1], dtype=p.dtype)
    return p[..., :, None] * (eye - p[..., None, :])


def weighted_values(s: SampleArrays) -> tuple[Tensor, Tensor]:
    """Values as the neurons weigh them: Σ_j a_j w_jᵀ V by place, (n, L), and its mean Σ_j a_j w_jᵀ V p_l, (n, l)."""
    by_place = torch.einsum("m,nmh->nh", s.neurons, s.value)
    return by_place, torch.einsum("nh,nlh->nl", by_place, s.attention)


def _outside(s: SampleArrays, rows: Tensor, left: str) -> Tensor:
    """Σ_i (y g/n) Σ_l over an (n, l, h) array: to W_K as q_l (…)_h x_hᵀ, to W_Q as k_h (…)_h x_lᵀ."""
    root = math.sqrt(s.key.shape[1])
    if left == "key":
        return torch.einsum("n,nml,nlh,ndh->md", s.pull, s.query, rows, s.words) / root
    return torch.einsum("n,nmh,nlh,ndl->md", s.pull, s.key, rows, s.words) / root


def _neurons_1(s: SampleArrays, a: Tensor) -> Tensor:
    """The first line of W: Σ (y g/n) a_j (V p_l)ᵀ."""
    return torch.einsum("n,j,nml->jm", s.pull, a, s.value @ s.attention.transpose(1, 2))


def _neurons_2(s: SampleArrays, a: Tensor) -> Tensor:
    """The second line of W, with p_l written out over its entries."""
    return torch.einsum("n,j,nmh,nlh->jm", s.pull, a, s.value, s.attention)


def _value_1(s: SampleArrays, a: Tensor) -> Tensor:
    """The line of W_V: Σ (y g/n) a_j w_j (X p_l)ᵀ."""
    return torch.einsum("n,m,ndh,nlh->md", s.pull, s.neurons, s.words, s.attention)


def _by_slope(s: SampleArrays) -> tuple[Tensor, ...]:
    """The first line of W_K: softmax's derivative left as it is."""
    return (torch.einsum("nh,nlhk->nlk", weighted_values(s)[0], _softmax_slope(s.attention)),)


def _by_indicator(s: SampleArrays) -> tuple[Tensor, ...]:
    """p_{l,h} (1[h = h'] − p_{l,h'})."""
    return (torch.einsum("nh,nlhk->nlk", weighted_values(s)[0], _inside(s.attention)),)


def _two_terms(s: SampleArrays) -> tuple[Tensor, ...]:
    """Minus one term with (X p_l)ᵀ or K p_l, plus one with diag(p_l)."""
    by_place, mean = weighted_values(s)
    return -mean[:, :, None] * s.attention, s.attention * by_place[:, None, :]


def _one_bracket(s: SampleArrays) -> tuple[Tensor, ...]:
    """−(w_jᵀ V p_l) p_l + diag(p_l) Vᵀ w_j in one bracket."""
    by_place, mean = weighted_values(s)
    diagonal = (torch.diag_embed(s.attention) @ by_place[:, None, :, None]).squeeze(-1)
    return (diagonal - mean[:, :, None] * s.attention,)


def _diagonal(s: SampleArrays) -> tuple[Tensor, ...]:
    """diag(w_jᵀ V − w_jᵀ V p_l) p_l."""
    by_place, mean = weighted_values(s)
    middle = torch.diag_embed(by_place[:, None, :] - mean[:, :, None])
    return ((middle @ s.attention[..., None]).squeeze(-1),)


def _line(form: Callable[[SampleArrays], tuple[Tensor, ...]], left: str) -> Line:
    """The sum of a form's terms, each an (n, l, h) array, taken to W_K or W_Q."""
    return lambda s, a: torch.stack([_outside(s, rows, left) for rows in form(s)]).sum(0)


_QUERY = (_by_indicator, _two_terms, _one_bracket, _diagonal)
LINES: dict[str, tuple[Line, ...]] = {
    "neurons": (_neurons_1, _neurons_2),
    "value": (_value_1,),
    "key": tuple(_line(form, "key") for form in (_by_slope, *_QUERY)),
    "query": tuple(_line(form, "query") for form in _QUERY),
}
"""Appendix B, every printed line of the four gradients."""


class LineErrors(NamedTuple):
    """The largest error of a matrix's lines, as a part of its gradient."""

    neurons: float
    value: float
    key: float
    query: float


def gradients(seed: int = 0, turned: bool = False) -> LineErrors:
    """Compare every line with automatic differentiation, on one small model; words repeat in samples at odd seeds.

    Args:
        turned: whether keys and queries are exchanged in the scores, which makes every line wrong.
    """
    chosen = small_model(seed, distinct=seed % 2 == 0)
    right = descent_by_autograd(*chosen[:3])._asdict()
    s = sample_arrays(*chosen[:3], turned=bool(turned))

    def off(line: Line, gradient: Tensor) -> float:
        return float((line(s, chosen.layer) - gradient).abs().max() / gradient.abs().max())

    return LineErrors(
        **{name: max(off(line, right[name]) for line in lines) for name, lines in LINES.items()}
    )
