"""The first gradient of fine-tuning, taken apart: G, its singular triples, and what Appendix H says of them.

G is minus the gradient of the first layer in units of λ/m, outputs' neurons by tokens. With attention α_j on s_j,
g_{j,(v,k)} = (1[v = a_j] − P(v | s_j p)) 1[h_{v,k} > 0] and n = n_ft its columns are α_j g_j/n for the fine-tuned
subjects and Σ_j (2 − α_j) g_j/n for p, since p is the last token and counts once more: G = D [diag α, 2 − α]/n.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.fine_tuning import trained
from book.acquire.pretraining import Run
from lib.acquire.task import covered, fine_tuned
from lib.acquire.tokens import extract


class Gradient(NamedTuple):
    """The first-layer gradient of fine-tuning."""

    model: Run  # before fine-tuning
    matrix: Tensor  # G, (V m, N + R + 2)
    left: Tensor  # its left singular vectors, in columns
    values: Tensor  # its singular values, the largest first
    right: Tensor  # its right singular vectors, in rows
    part: Tensor  # its columns for the fine-tuned subjects, (V m, n)
    along: Tensor  # its column for p, (V m,)
    attention: Tensor  # the α_j, (n,)
    places: Tensor  # the fine-tuned facts, (n,)
    coverage: Tensor  # (R,)

    def piece(self, place: int) -> Tensor:
        """σ u vᵀ of one singular triple, the largest being 0: the best rank-1 approximation."""
        return self.values[place] * torch.outer(self.left[:, place], self.right[place])


@lru_cache(maxsize=64)
def gradient(
    seed: int = 0, subjects: int = 48, phrases: int = 8, multiplicity: int = 4, share: float = 0.5
) -> Gradient:
    """The gradient of the first step of fine-tuning on a share of the frequent facts."""
    model = trained(subjects, phrases, multiplicity, seed)
    chosen = fine_tuned(model.known, share)
    passed = extract(model.state, chosen, model.sizes)
    matrix = passed.down.features.reshape(model.sizes.tokens, -1).T
    places = torch.nonzero(chosen)[:, 0]
    left, values, right = torch.linalg.svd(matrix, full_matrices=False)
    return Gradient(
        model,
        matrix,
        left,
        values,
        right,
        matrix[:, 1 + places],
        matrix[:, model.sizes.format],
        passed.attention[places, 0],
        places,
        covered(model.known, chosen),
    )


class Pushes(NamedTuple):
    """Components of the gradient along p, summed over neurons, against those along subjects and of other outputs."""

    context_attention: float  # dαₒ before fine-tuning
    least: float  # facts to a phrase
    phrases: float  # of a phrase: along p over along a subject, least
    each: float  # that over 3c for the phrase's c facts, least
    answers: float  # of an answer: along p over 3 times along its subject, greatest distance from 1
    others: float  # along p: fine-tuned answers and phrases over all other outputs, least


def pushes(**run: Any) -> Pushes:
    """Components along p, summed over neurons, against those along s_j and of other outputs (Proposition 3)."""
    g = gradient(**run)
    sizes, known = g.model.sizes, g.model.known
    n, r, m = sizes.subjects, sizes.phrases, sizes.neurons
    along = g.along.reshape(-1, m).sum(1)  # (V,)
    each = g.part.T.reshape(len(g.places), -1, m).sum(2)  # (n, V)
    answer, phrase = sizes.answers + g.places, slice(1 + n, 1 + n + r)
    answers = along[answer] / each[torch.arange(len(answer)), answer]
    phrases = (along[phrase] / each[:, phrase])[known.uses[g.places] > 0]
    counts = g.coverage.expand(len(answer), r)[known.uses[g.places] > 0]
    is_other = torch.ones_like(along, dtype=torch.bool)
    is_other[answer] = is_other[phrase] = False
    pushed = torch.cat([along[answer], along[phrase][g.coverage > 0]]).abs()
    return Pushes(
        context_attention=g.model.dimension * g.model.moments[-1].on_context,
        least=float(g.coverage.min()),
        phrases=float(phrases.min()),
        each=float((phrases / (3 * counts)).min()),
        answers=float((answers / 3 - 1).abs().max()),
        others=float(pushed.min() / along[is_other].abs().max()),
    )


class Distances(NamedTuple):
    """Distances of the rank-1 approximation, each over our bound."""

    from_gradient: float
    from_column: float  # from G's column for p alone


def distances(piece: int = 0, **run: Any) -> Distances:
    """How far the rank-1 approximation is from G, and from G's column for p alone, over our bounds (Lemma 23).

    Args:
        piece: the singular triple; 0 is the best approximation.
    """
    g = gradient(**run)
    bound = float(g.attention.max()) * math.sqrt(2 * g.model.sizes.neurons / len(g.places))
    approximation, column = g.piece(piece), torch.zeros_like(g.matrix)
    column[:, -1] = g.along
    return Distances(
        from_gradient=float((g.matrix - approximation).norm()) / bound,
        from_column=float((approximation - column).norm()) / (2 * bound),
    )


class RowLengths(NamedTuple):
    """Length of a row of the rank-1 approximation over that of G's, the greatest."""

    ratio: float


def lengths(even: bool = False, **run: Any) -> RowLengths:
    """Length of each row of the rank-1 approximation over that of G's; a neuron's row is what moves it (Lemma 24).

    Args:
        even: in its place the same right vector and size, the same amount for each neuron.
    """
    g = gradient(**run)
    approximation = g.piece(0)
    if even:
        spread = torch.full_like(g.left[:, 0], len(g.left) ** -0.5)
        approximation = g.values[0] * torch.outer(spread, g.right[0])
    rows, all_rows = approximation.norm(dim=1), g.matrix.norm(dim=1)
    moved = all_rows > 1e-9 * all_rows.max()  # a neuron that no question activates stays
    return RowLengths(float((rows / all_rows)[moved].max()))


class Alignment(NamedTuple):
    """How far a right singular vector is from p, and how far its term moves each token."""

    column: float  # length of the term's column over that of G's, the greatest
    others: float  # length of G's or the term's column for a token that is neither p nor a fine-tuned subject
    away: float  # 1 − ⟨v, p⟩²
    bound: float  # ‖G without p's column‖²/σ₁²
    tuned: int  # n


def alignment(piece: int = 0, **run: Any) -> Alignment:
    """1 − ⟨v₁, p⟩² against ‖G without p's column‖²/σ₁², and the columns of G's term against G's (Lemma 25).

    Args:
        piece: which right singular vector; 0 is the one of the largest singular value.

    Raises:
        ValueError: no fact is fine-tuned, so that the gradient is 0.
    """
    g = gradient(**run)
    if not len(g.places):
        settings = ", ".join(f"{name} = {value}" for name, value in run.items())
        raise ValueError(f"{settings}: no fact is fine-tuned, must be at least one: the gradient is 0")
    moving = torch.zeros(g.matrix.shape[1], dtype=torch.bool)
    moving[1 + g.places] = moving[-1] = True
    term, whole = g.piece(piece).norm(dim=0), g.matrix.norm(dim=0)
    return Alignment(
        column=float((term / whole)[moving].max()),
        others=float(torch.maximum(term, whole)[~moving].max()),
        away=1 - float(g.right[piece, -1] ** 2),
        bound=float(g.part.square().sum() / g.values[0] ** 2),
        tuned=len(g.places),
    )
