"""The gradient's spectrum and the lengths of its rows, proved by sympy."""

from __future__ import annotations

from book.ledger.proofs import Survival, checked, misprint


@checked(
    "acquire.spectrum",
    "Our closed form, n = 3",
    r"\sigma_1^2,\ \sigma_2^2,\ \langle v_1, p\rangle^2",
    "sympy",
)
def spectrum_by_sympy() -> bool:
    """The closed form for n = 3: eigenvalues of M (¼ I + (b²/4) 11ᵀ), M = (1 − ρ) I + ρ 11ᵀ, and the right vector."""
    import sympy as sp

    rho, weight = sp.symbols("rho b", positive=True)
    n, ones = 3, sp.ones(3, 3)
    gram = (1 - rho) * sp.eye(n) + rho * ones
    quarter = sp.Rational(1, 4)
    eigenvalues = (gram * quarter * (sp.eye(n) + weight**2 * ones)).eigenvals()
    expected = {quarter * (1 + (n - 1) * rho) * (1 + weight**2 * n): 1, quarter * (1 - rho): n - 1}
    same = all(
        any(sp.simplify(a - b) == 0 and eigenvalues[a] == times for a in eigenvalues)
        for b, times in expected.items()
    )
    right = sp.Matrix([*(gram * sp.ones(n, 1) / 2), weight * (sp.ones(1, n) * gram * sp.ones(n, 1))[0] / 2])
    share = sp.simplify(right[n] ** 2 / (right.T * right)[0])
    return bool(same and sp.simplify(share - weight**2 * n / (weight**2 * n + 1)) == 0)


@checked(
    "acquire.lemma-24",
    "v4, eq. 216",
    r"\lVert[G]_i\rVert^2 = \sum_j\sigma_j^2u_{ji}^2 \ge \sigma_1^2u_{1i}^2",
    "sympy",
)
def rows_by_sympy() -> bool:
    """(216): ‖[G]_i‖² = Σ_j σ_j² u_{ji}² for orthonormal v_j, at a 3 × 2 example with symbols for σ and an angle."""
    import sympy as sp

    first, second, angle, turn = sp.symbols("sigma_1 sigma_2 theta phi", positive=True)
    left = sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)], [0, 0]])
    right = sp.Matrix([[sp.cos(turn), -sp.sin(turn)], [sp.sin(turn), sp.cos(turn)]])
    matrix = left * sp.diag(first, second) * right.T
    return all(
        sp.simplify(
            (matrix[i, :] * matrix[i, :].T)[0] - (first * left[i, 0]) ** 2 - (second * left[i, 1]) ** 2
        )
        == 0
        for i in range(3)
    )


misprint(
    "acquire.lemma-23",
    where="Appendix H, the best rank-1 approximation, after (289)",
    printed=r"\text{the largest eigenvalue}",
    right=r"\text{the largest singular value}",
    survival=Survival.AS_PRINTED,
    survives="Everything does: the gradient is not square, and the vectors beside it are singular vectors.",
)
