"""Proofs of what attention learns: the hidden logarithms, their coefficients, and two rates of attention."""

from __future__ import annotations

from typing import Any

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recognise.attention.phase_2_slopes import phase_2_slopes
from book.recognise.attention.score_coefficients import ENTRIES, growth
from lib.program import run, run_many
from lib.recognise import gradient_flow

ORDER = r"\tfrac{\sigma_0^2m}{\sqrt mL\sigma_1^2mm_1} + \tfrac{\sigma_0^2\sqrt m}{\sqrt m\sigma_1^2mm_1}"
"""The order of C in Theorem 3.3, item 2."""


def theta_in_numbers() -> dict[str, float]:
    """C₁₂ over κ/(√m L N₀) at τ = 10⁶ and 10¹²: a Θ(1) would be the same at both."""
    grown = run_many(
        gradient_flow.program(gradient_flow.score_growth),
        [{"random": 0, "width": 1e6, "end": end} for end in (6.0, 12.0)],
    )
    early, late = (float(x) for x in grown[:, 3])
    return {"paper, C₁₂ at 10¹² over C₁₂ at 10⁶": 1.0, "right, log²": 4.0, "measured": late / early}


def rates_in_numbers() -> dict[str, float]:
    """Attention μ₁ → μ₂ at τ = 10⁴: its rate times m over the loss, at width 10⁶ over that at 10⁴."""
    common = {"samples": 1e6, "length": 6, "random": 0, "end": 4.0, "sigma_1": 1.0}
    narrow, wide = (run(phase_2_slopes(), width=width, **common).report for width in (1e4, 1e6))
    return {
        "paper: m times the rate, 100 times as wide": 10.0,
        "ours": 1.0,
        "measured": float(wide.turns[3, 0] / narrow.turns[3, 0]),
    }


def rest_in_numbers() -> dict[str, float]:
    """The rate to an irrelevant word over both bounds, up to logarithms, at width 10⁴ and 10⁸ with 10⁸ samples."""
    common = {"samples": 1e8, "length": 6, "random": 0, "end": 4.0}
    narrow, wide = (run(phase_2_slopes(), width=width, **common).report for width in (1e4, 1e8))
    return {
        "paper: at most a constant, m = 10⁴": float(narrow.printed[3]),
        "paper: at most a constant, m = 10⁸": float(wide.printed[3]),
        "ours, m = 10⁴": float(narrow.strays[3]),
        "ours, m = 10⁸": float(wide.strays[3]),
    }


@erratum(
    "recognise.corollary-f-17",
    rank=Rank.STATEMENT,
    where="Corollary F.17, first item",
    printed=r"\tfrac1{\sqrt m}\tilde\Theta(\hat L\sigma_0^2m)\tfrac1{L^2}",
    right=r"\tfrac1m\tilde\Theta(\hat L\sigma_0^2m)\tfrac1{L^2}",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: the signs stand, and the last item, a bound on the change, is derived from 1/m.",
    numbers=rates_in_numbers,
)
def score_by_sympy() -> bool:
    """A score enters the softmax over √m: at 1/√m · c/L its attention, 1/L at first, has the rate c/(mL²), L large."""
    import sympy as sp

    m, length, c, score = sp.symbols("m L c s", positive=True)
    attention = sp.exp(score / sp.sqrt(m)) / (sp.exp(score / sp.sqrt(m)) + length - 1)
    rate = sp.diff(attention, score).subs(score, 0) * c / (sp.sqrt(m) * length)
    return bool(sp.limit(rate * m * length**2 / c, length, sp.oo) == 1)


@erratum(
    "recognise.corollary-f-17",
    rank=Rank.PROOF,
    where="Proof of Corollary F.17, second item",
    printed=r"\tfrac1{nm}\tilde\Theta(\hat L\sigma_0^2m)\tfrac1{L^2} + "
    r"\tilde O\big(\tfrac1{Lm}\hat L\sigma_0^2\sqrt m\big)",
    right=r"\text{the same} + \tfrac1m\tilde\Theta(\hat L\sigma_0^2m)\tfrac1{L^3}",
    survival=Survival.AS_PRINTED,
    survives="Yes: the corollary itself has 1/√m in the place of 1/m, which is far more than enough.",
    numbers=rest_in_numbers,
)
def rest_by_sympy() -> bool:
    """Attention to a word whose score stands still changes at −p Σ_h p_h s_h′, whatever n."""
    import sympy as sp

    n, m, length, c = sp.symbols("n m L c", positive=True)
    rate = c / length**3 / m  # p = 1/L, and scores whose slopes add up to c/(√m L), over √m
    printed = c / m / (n * length**2) + c / (length * m * sp.sqrt(m))
    ours = printed + c / m / length**3
    there = {m: n**4, length: 5}
    left, right = (sp.limit((rate / bound).subs(there), n, sp.oo) for bound in (printed, ours))
    return bool(left == sp.oo and right == 1)


@erratum(
    "recognise.theorem-3-3-attention",
    rank=Rank.MISPRINT,
    where="Theorem 3.3, item 2, the order of C",
    printed=rf"\Theta\Big({ORDER}\Big)",
    right=rf"\tilde\Theta\Big({ORDER}\Big)",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: Lemma 4.7, from which it follows, has the tilde. The hidden factor is log² of the time.",
    numbers=theta_in_numbers,
)
def logarithms_by_sympy() -> bool:
    """∫ 𝓛 G dτ with 𝓛 = 1/(1 + τ) and G = log(1 + τ) is ½ log²(1 + τ): not bounded by a constant times ∫ 𝓛 G 1/G."""
    import sympy as sp

    t, end = sp.symbols("t T", positive=True)
    grown = sp.integrate(sp.log(1 + t) / (1 + t), (t, 0, end))
    return bool(sp.simplify(grown - sp.log(1 + end) ** 2 / 2) == 0 and sp.limit(grown, end, sp.oo) == sp.oo)


erratum(
    "recognise.lemma-4-7",
    rank=Rank.MISPRINT,
    where="Lemma F.16, second item, the change of the scores",
    printed=rf"\Theta\Big({ORDER}\Big)",
    right=rf"\tilde\Theta\Big({ORDER}\Big)",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: the rates of its first item have the tilde.",
    numbers=theta_in_numbers,
)(logarithms_by_sympy)


@checked(
    "recognise.theorem-3-3-attention",
    "The coefficients of log² as n/L grows",
    r"14 - \tfrac7L,\ -6 - \tfrac{12}L,\ 4 - \tfrac{12}L,\ 9 - \tfrac{17}L",
    "sympy",
)
def limits_by_sympy() -> bool:
    """n/L → ∞: Γ₁₂ = 14 − 7/L, Γ₃₁ = −6 − 12/L, Γ₁₁ = 4 − 12/L, Γ₃₃ = 9 − 17/L; so C₃₁/C₁₂ → −3/7."""
    import sympy as sp

    length = sp.Symbol("L", positive=True)
    total, margin, signals = (7, 5, 5), (1, 1, 1), (2, 2, -3)  # Λ and M by type, G
    y = (1, -1, -1)
    holds = ((0, 1, 2), (0, 2), (1, 2))

    def entry(key: int, query: int) -> Any:
        return sum(
            y[k] * total[k] * (signals[key] - y[k] * sp.Integer(margin[k]) / length)
            for k in range(3)
            if key in holds[k] and query in holds[k]
        )

    entries = [entry(1, 0), entry(2, 0), entry(0, 0), entry(2, 2), entry(0, 2)]
    wanted = [14 - 7 / length, -6 - 12 / length, 4 - 12 / length, 9 - 17 / length, 4 - 12 / length]
    same = all(sp.simplify(a - b) == 0 for a, b in zip(entries, wanted, strict=True))
    return same and sp.limit(entries[1] / entries[0], length, sp.oo) == sp.Rational(-3, 7)


@checked(
    "recognise.theorem-3-3-attention",
    "The coefficients of log² at any n and L",
    r"\Gamma_{hl} = \sum_{i \ni h,l}y_i\lambda_i\big(g[h] - y_iM_i/L\big)",
    "three moments of a run",
)
def closed_form_is_measured() -> bool:
    """Γ measured and in closed form agree to a twentieth at n = 120, L = 6."""
    gamma = growth(samples=120, length=6, ends=(6.0, 9.0, 12.0))
    return all(abs(gamma[f"{name} measured"] / gamma[name] - 1) < 0.05 for name in ENTRIES)


@checked(
    "recognise.attention-share",
    "What scores up to β do to attention",
    r"\max_\theta\Big(\tfrac{\theta e^\beta}{\theta e^\beta + (1-\theta)e^{-\beta}} - \theta\Big) = "
    r"\tanh\tfrac\beta2",
    "sympy",
)
def variation_by_sympy() -> bool:
    """Scores β for a share θ of the words, −β for the rest: attention to the share exceeds θ by at most tanh(β/2)."""
    import sympy as sp

    beta, share = sp.symbols("beta theta", positive=True)
    gained = share * sp.exp(beta) / (share * sp.exp(beta) + (1 - share) * sp.exp(-beta)) - share
    worst = 1 / (1 + sp.exp(beta))  # the only rest point: gained is 0 at both ends
    rest = sp.simplify(sp.diff(gained, share).subs(share, worst))
    most = sp.simplify((gained.subs(share, worst) - sp.tanh(beta / 2)).rewrite(sp.exp))
    return bool(rest == 0 and most == 0)
