"""Initial Grams for tests: expected (infinite width) or drawn for any width, without drawing a weight matrix."""

from __future__ import annotations

import torch
from torch import Tensor

from lib.domain import Domain
from lib.recognise.gram import Grams
from lib.recognise.orbit import Orbit
from lib.recognise.task import Dataset


def expected(words: int, attention: float, size: float) -> Grams:
    """S = g = 0, K = Q = G = κ I with κ = ``attention`` = σ₀² m, and N = ``size`` = ‖a‖² σ₁² m: m = ∞.

    Raises:
        ValueError: a negative scale or no words.
    """
    words = int(Domain("words", low=1, integer=True).check(words))
    Domain("attention", low=0).check(attention)
    Domain("size", low=0).check(size)
    eye = attention * torch.eye(words, dtype=torch.float64)
    zero = torch.zeros_like(eye)
    return Grams(zero, eye, eye, eye, zero[0], torch.tensor(size, dtype=torch.float64))


def wishart(words: int, width: int, attention: float, size: float, generator: torch.Generator) -> Grams:
    """The Grams of Gaussian weights of width m, in law, at a cost that does not depend on m.

    [W_K, W_Q] is an m × 2d Gaussian: its Gram is κ/m times a Wishart matrix, drawn by Bartlett's triangular factor.
    [W_V, u] likewise, with m × (d + 1) entries.

    Raises:
        ValueError: a width below 2·words, or a negative scale.
    """
    words = int(Domain("words", low=1, integer=True).check(words))
    width = int(Domain("width", low=2 * words, integer=True).check(width))
    Domain("attention", low=0).check(attention)
    Domain("size", low=0).check(size)
    pair = attention * _bartlett(2 * words, width, generator)
    single = _bartlett(words + 1, width, generator)
    g = (attention * size) ** 0.5 * single[:words, words]
    value = attention * single[:words, :words]
    key, query, score = pair[:words, :words], pair[words:, words:], pair[:words, words:]
    return Grams(score, key, query, value, g, size * single[words, words])


def _bartlett(columns: int, width: int, generator: torch.Generator) -> Tensor:
    """ZᵀZ / m for Z an m × ``columns`` standard Gaussian: L Lᵀ / m with χ's on L's diagonal."""
    freedom = (width - torch.arange(columns)).to(torch.float64)
    lower = torch.randn(columns, columns, dtype=torch.float64, generator=generator).tril(-1)
    chi_square = 2 * torch._standard_gamma(freedom / 2, generator=generator)
    lower = lower + torch.diag(torch.sqrt(chi_square))
    return lower @ lower.T / width


def project(state: Grams, data: Dataset) -> Orbit:
    """The orbit part of any start: its mean over all exchanges of irrelevant words and of samples of one type."""
    groups = [data.words[data.types == kind] for kind in range(4)]
    words_by_type = [words[words > 2].reshape(len(words), -1) for words in groups]  # (n_k, r_k)
    basis = torch.zeros(data.vocabulary, 7, dtype=torch.float64)
    basis[torch.arange(3), torch.arange(3)] = 1
    for kind, words in enumerate(words_by_type):
        basis[words.reshape(-1), 3 + kind] = words.numel() ** -0.5

    def scalars(gram: Tensor) -> Tensor:
        alphas, betas = [], []
        for kind, words in enumerate(words_by_type):
            n, r = words.shape
            inside = gram[words[:, :, None], words[:, None, :]]  # (n, r, r)
            whole, trace = inside.sum((1, 2)) / r, inside.diagonal(dim1=1, dim2=2).sum(1)
            common = basis[:, 3 + kind] @ gram @ basis[:, 3 + kind]
            alphas.append((whole.sum() - common) / max(n - 1, 1))
            betas.append((trace - whole).sum() / max(n * (r - 1), 1))
        return torch.stack([*alphas, *betas])

    squares = (state.score, state.key, state.query, state.value)
    score, key, query, value = (basis.T @ square @ basis for square in squares)
    blocks = Grams(score, key, query, value, basis.T @ state.output, state.size)
    return Orbit(blocks, torch.stack([scalars(square) for square in squares]))
