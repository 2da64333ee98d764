"""Appendix B of Yang et al.: every printed line of the four gradients, against automatic differentiation."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from book.recognise.real import Parts, parts, small
from lib.recognise.model import descent_by_autograd

Line = Callable[[Parts, Tensor], Tensor]


def _softmax_slope(p: Tensor) -> Tensor:
    """∂p_{l,h}/∂s_{l,h'} by automatic differentiation, (n, l, h, h')."""
    slope = torch.func.vmap(torch.func.vmap(torch.func.jacrev(lambda s: torch.softmax(s, 0))))
    return torch.as_tensor(slope(torch.log(p)))


def _inside(p: Tensor) -> Tensor:
    """p_{l,h} (1[h = h'] − p_{l,h'}), (n, l, h, h')."""
    eye = torch.eye(p.shape[-1], dtype=p.dtype)
    return p[..., :, None] * (eye - p[..., None, :])


def told(s: Parts) -> tuple[Tensor, Tensor]:
    """Σ_j a_j w_jᵀ V, (n, L), and Σ_j a_j w_jᵀ V p_l, (n, l)."""
    heard = torch.einsum("m,nmh->nh", s.sum, s.value)
    return heard, torch.einsum("nh,nlh->nl", heard, s.attention)


def _outside(s: Parts, rows: Tensor, left: str) -> Tensor:
    """Σ_i (y g/n) Σ_l over an (n, l, h) array: to W_K as q_l (…)_h x_hᵀ, to W_Q as k_h (…)_h x_lᵀ."""
    root = math.sqrt(s.key.shape[1])
    if left == "key":
        return torch.einsum("n,nml,nlh,ndh->md", s.pull, s.query, rows, s.words) / root
    return torch.einsum("n,nmh,nlh,ndl->md", s.pull, s.key, rows, s.words) / root


def _neurons_1(s: Parts, a: Tensor) -> Tensor:
    return torch.einsum("n,j,nml->jm", s.pull, a, s.value @ s.attention.transpose(1, 2))


def _neurons_2(s: Parts, a: Tensor) -> Tensor:
    return torch.einsum("n,j,nmh,nlh->jm", s.pull, a, s.value, s.attention)


def _value_1(s: Parts, a: Tensor) -> Tensor:
    return torch.einsum("n,m,ndh,nlh->md", s.pull, s.sum, s.words, s.attention)


def _by_slope(s: Parts) -> tuple[Tensor, ...]:
    """The first line of W_K: softmax's derivative left as it is."""
    return (torch.einsum("nh,nlhk->nlk", told(s)[0], _softmax_slope(s.attention)),)


def _by_indicator(s: Parts) -> tuple[Tensor, ...]:
    """p_{l,h} (1[h = h'] − p_{l,h'})."""
    return (torch.einsum("nh,nlhk->nlk", told(s)[0], _inside(s.attention)),)


def _two_terms(s: Parts) -> tuple[Tensor, ...]:
    """Minus one term with (X p_l)ᵀ or K p_l, plus one with diag(p_l)."""
    heard, mean = told(s)
    return -mean[:, :, None] * s.attention, s.attention * heard[:, None, :]


def _one_bracket(s: Parts) -> tuple[Tensor, ...]:
    """−(w_jᵀ V p_l) p_l + diag(p_l) Vᵀ w_j in one bracket."""
    heard, mean = told(s)
    diagonal = (torch.diag_embed(s.attention) @ heard[:, None, :, None]).squeeze(-1)
    return (diagonal - mean[:, :, None] * s.attention,)


def _diagonal(s: Parts) -> tuple[Tensor, ...]:
    """diag(w_jᵀ V − w_jᵀ V p_l) p_l."""
    heard, mean = told(s)
    middle = torch.diag_embed(heard[:, None, :] - mean[:, :, None])
    return ((middle @ s.attention[..., None]).squeeze(-1),)


def _line(form: Callable[[Parts], tuple[Tensor, ...]], left: str) -> Line:
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


def gradients(seed: int = 0, turned: bool = False) -> dict[str, float]:
    """The worst of each matrix's lines, as a part of the gradient; words repeat within samples at odd seeds.

    Args:
        turned: whether keys and queries are exchanged in the scores, which makes every line wrong.
    """
    chosen = small(seed, distinct=seed % 2 == 0)
    right = descent_by_autograd(*chosen[:3])._asdict()
    s = parts(*chosen[:3], turned=bool(turned))

    def off(line: Line, gradient: Tensor) -> float:
        return float((line(s, chosen.layer) - gradient).abs().max() / gradient.abs().max())

    worst = {name: max(off(line, right[name]) for line in lines) for name, lines in LINES.items()}
    return {"transposed": not turned, **worst}


def softmax_by_sympy() -> bool:
    """Equation 17: the derivative of softmax is diag(p) − ppᵀ; and the loss's derivative is −g."""
    import sympy as sp

    s, x = sp.symbols("s_0:3"), sp.Symbol("x", real=True)
    total = sum(sp.exp(v) for v in s)
    p = [sp.exp(v) / total for v in s]
    softmax = all(
        sp.simplify(sp.diff(p[i], s[j]) - p[i] * (int(i == j) - p[j])) == 0
        for i in range(3)
        for j in range(3)
    )
    return bool(softmax and sp.simplify(sp.diff(sp.log(1 + sp.exp(-x)), x) + 1 / (1 + sp.exp(x))) == 0)
