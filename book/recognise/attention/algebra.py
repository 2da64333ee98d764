"""Evidence for Theorem 3.3's attention: the hidden logarithms, and the coefficients of their square."""

from __future__ import annotations

from typing import Any

from book.recognise.attention.program import ENTRIES, growth, phase_2_slopes
from lib.program import run, run_many
from lib.recognise import whole


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

    found = [entry(1, 0), entry(2, 0), entry(0, 0), entry(2, 2), entry(0, 2)]
    wanted = [14 - 7 / length, -6 - 12 / length, 4 - 12 / length, 9 - 17 / length, 4 - 12 / length]
    same = all(sp.simplify(a - b) == 0 for a, b in zip(found, wanted, strict=True))
    return same and sp.limit(found[1] / found[0], length, sp.oo) == sp.Rational(-3, 7)


def logarithms_by_sympy() -> bool:
    """∫ 𝓛 G dτ with 𝓛 = 1/(1 + τ) and G = log(1 + τ) is ½ log²(1 + τ): not bounded by a constant times ∫ 𝓛 G 1/G."""
    import sympy as sp

    t, end = sp.symbols("t T", positive=True)
    grown = sp.integrate(sp.log(1 + t) / (1 + t), (t, 0, end))
    return bool(sp.simplify(grown - sp.log(1 + end) ** 2 / 2) == 0 and sp.limit(grown, end, sp.oo) == sp.oo)


def theta_in_numbers() -> dict[str, float]:
    """C₁₂ over κ/(√m L N₀) at τ = 10⁶ and 10¹²: a Θ(1) would be the same at both."""
    grown = run_many(
        whole.program(whole.grown), [{"random": 0, "width": 1e6, "end": end} for end in (6.0, 12.0)]
    )
    early, late = (float(x) for x in grown[:, 3])
    return {"paper, C₁₂ at 10¹² over C₁₂ at 10⁶": 1.0, "right, log²": 4.0, "measured": late / early}


def closed_form_is_measured() -> bool:
    """Γ measured and in closed form agree to a twentieth at n = 120, L = 6."""
    found = growth(samples=120, length=6, ends=(6.0, 9.0, 12.0))
    return all(abs(found[f"{name} measured"] / found[name] - 1) < 0.05 for name in ENTRIES)


def score_by_sympy() -> bool:
    """A score enters the softmax over √m: at 1/√m · c/L its attention, 1/L at first, has the rate c/(mL²), L large."""
    import sympy as sp

    m, length, c, score = sp.symbols("m L c s", positive=True)
    attention = sp.exp(score / sp.sqrt(m)) / (sp.exp(score / sp.sqrt(m)) + length - 1)
    rate = sp.diff(attention, score).subs(score, 0) * c / (sp.sqrt(m) * length)
    return bool(sp.limit(rate * m * length**2 / c, length, sp.oo) == 1)


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


def variation_by_sympy() -> bool:
    """Scores β for a share θ of the words, −β for the rest: attention to the share exceeds θ by at most tanh(β/2)."""
    import sympy as sp

    beta, share = sp.symbols("beta theta", positive=True)
    gained = share * sp.exp(beta) / (share * sp.exp(beta) + (1 - share) * sp.exp(-beta)) - share
    worst = 1 / (1 + sp.exp(beta))  # the only rest point: gained is 0 at both ends
    rest = sp.simplify(sp.diff(gained, share).subs(share, worst))
    most = sp.simplify((gained.subs(share, worst) - sp.tanh(beta / 2)).rewrite(sp.exp))
    return bool(rest == 0 and most == 0)
