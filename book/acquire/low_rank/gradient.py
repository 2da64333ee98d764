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

from book.acquire.common import Run
from book.acquire.tuned import filtered, trained
from lib.acquire.task import covered, fine_tuned
from lib.acquire.tokens import extract

OFTEN = 7
"""From so many facts to a phrase on its part along p counts as dominant: 3 · 7 · ½ is above 10."""


class Gradient(NamedTuple):
    """The first-layer gradient of fine-tuning.

    Attributes:
        model: before fine-tuning.
        matrix: G, (V m, N + R + 2). ``left``, ``values``, ``right``: its singular triples, the right ones in rows.
        part: its columns for the fine-tuned subjects, (V m, n). ``along``: its column for p, (V m,).
        attention: the α_j, (n,).
        places: the fine-tuned facts, (n,). ``coverage``: (R,).
    """

    model: Run
    matrix: Tensor
    left: Tensor
    values: Tensor
    right: Tensor
    part: Tensor
    along: Tensor
    attention: Tensor
    places: Tensor
    coverage: Tensor

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
    now = extract(model.state, chosen, model.sizes)
    matrix = now.down.features.reshape(model.sizes.tokens, -1).T
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
        now.attention[places, 0],
        places,
        covered(model.known, chosen),
    )


def pushes(**run: Any) -> dict[str, Any]:
    """Components along p, summed over neurons, against those along s_j and of other outputs (Proposition 3)."""
    g = gradient(**run)
    sizes, known = g.model.sizes, g.model.known
    n, r, m = sizes.subjects, sizes.phrases, sizes.neurons
    along = g.along.reshape(-1, m).sum(1)  # (V,)
    each = g.part.T.reshape(len(g.places), -1, m).sum(2)  # (n, V)
    mine, said = sizes.answers + g.places, slice(1 + n, 1 + n + r)
    answers = along[mine] / each[torch.arange(len(mine)), mine]
    phrases = (along[said] / each[:, said])[known.uses[g.places] > 0]
    counts = g.coverage.expand(len(mine), r)[known.uses[g.places] > 0]
    rest = torch.ones_like(along, dtype=torch.bool)
    rest[mine] = rest[said] = False
    told = torch.cat([along[mine], along[said][g.coverage > 0]]).abs()
    return {
        "often": float(g.coverage.min()) >= OFTEN,
        "filtered": filtered(g.model),
        "least": float(g.coverage.min()),
        "phrases": float(phrases.min()),
        "each": float((phrases / (3 * counts)).min()),
        "answers": float((answers / 3 - 1).abs().max()),
        "others": float(told.min() / along[rest].abs().max()),
    }


def distances(piece: int = 0, **run: Any) -> dict[str, Any]:
    """How far the rank-1 approximation is from G, and from G's column for p alone, over our bounds (Lemma 23)."""
    g = gradient(**run)
    bound = float(g.attention.max()) * math.sqrt(2 * g.model.sizes.neurons / len(g.places))
    approximation, column = g.piece(piece), torch.zeros_like(g.matrix)
    column[:, -1] = g.along
    return {
        "largest": piece == 0,
        "from_gradient": float((g.matrix - approximation).norm()) / bound,
        "from_column": float((approximation - column).norm()) / (2 * bound),
    }


def lengths(even: bool = False, **run: Any) -> dict[str, Any]:
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
    return {"largest": not even, "ratio": float((rows / all_rows)[moved].max())}


def alignment(piece: int = 0, **run: Any) -> dict[str, Any]:
    """1 − ⟨v₁, p⟩² against ‖G without p's column‖²/σ₁² (Lemma 25)."""
    g = gradient(**run)
    return {
        "largest": piece == 0,
        "away": 1 - float(g.right[piece, -1] ** 2),
        "bound": float(g.part.square().sum() / g.values[0] ** 2),
        "tuned": len(g.places),
    }


def spectrum_by_sympy() -> bool:
    """The closed form for n = 3: eigenvalues of M (¼ I + (b²/4) 11ᵀ), M = (1 − ρ) I + ρ 11ᵀ, and the right vector."""
    import sympy as sp

    rho, weight = sp.symbols("rho b", positive=True)
    n, ones = 3, sp.ones(3, 3)
    gram = (1 - rho) * sp.eye(n) + rho * ones
    quarter = sp.Rational(1, 4)
    found = (gram * quarter * (sp.eye(n) + weight**2 * ones)).eigenvals()
    wanted = {quarter * (1 + (n - 1) * rho) * (1 + weight**2 * n): 1, quarter * (1 - rho): n - 1}
    same = all(
        any(sp.simplify(a - b) == 0 and found[a] == times for a in found) for b, times in wanted.items()
    )
    right = sp.Matrix([*(gram * sp.ones(n, 1) / 2), weight * (sp.ones(1, n) * gram * sp.ones(n, 1))[0] / 2])
    share = sp.simplify(right[n] ** 2 / (right.T * right)[0])
    return bool(same and sp.simplify(share - weight**2 * n / (weight**2 * n + 1)) == 0)


def rows_by_sympy() -> bool:
    """(216): ‖[G]_i‖² = Σ_j σ_j² u_{ji}² for orthonormal v_j, at a 3 × 2 example with symbols for σ and an angle."""
    import sympy as sp

    one, two, angle, turn = sp.symbols("sigma_1 sigma_2 theta phi", positive=True)
    left = sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)], [0, 0]])
    right = sp.Matrix([[sp.cos(turn), -sp.sin(turn)], [sp.sin(turn), sp.cos(turn)]])
    matrix = left * sp.diag(one, two) * right.T
    return all(
        sp.simplify((matrix[i, :] * matrix[i, :].T)[0] - (one * left[i, 0]) ** 2 - (two * left[i, 1]) ** 2)
        == 0
        for i in range(3)
    )
