"""Errata of Appendix E: Corollary E.24, how fast attention between irrelevant words changes, and misprints."""

from __future__ import annotations

import math

from book.ledger.proofs import Rank, Survival, erratum, misprint
from book.recognise.start.softmax_rates import softmax_rates


def corollary_e_24_in_numbers() -> dict[str, float]:
    """The largest rate among 30 000 samples of five words, width 32; and its mean square at 300 and at 30 000."""
    n, length, m = 30_000, 5, 32
    few, many = softmax_rates(0, 300, length, m, 16), softmax_rates(0, n, length, m, 16)
    return {
        "paper: at most a constant times": 1 / (length * (length**2 + n) * math.sqrt(m)),
        "ours: at most a constant times": (1 / length + 1 / n) / (length * m) * (1 / length + m**-0.5),
        "measured: largest": float(many.abs().max()),
        "measured: root mean square, 300 samples": float(few.square().mean().sqrt()),
        "measured: root mean square, 30 000 samples": float(many.square().mean().sqrt()),
    }


@erratum(
    "recognise.phase-1-still",
    rank=Rank.STATEMENT,
    where="Corollary E.24, first rate",
    printed=r"|\partial_tp_{l_1,l_2}| \le \tilde O\big(\tfrac1{L(L^2+n)\sqrt m}\big)",
    right=r"|\partial_tp_{l_1,l_2}| \le \tilde O\big((\tfrac1L+\tfrac1n)\tfrac1{Lm}"
    r"(\tfrac1L+\tfrac1{\sqrt m})\big)",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: the change of attention stated next is the one that the proof gives.",
    numbers=corollary_e_24_in_numbers,
)
def corollary_e_24_by_sympy() -> bool:
    """A query that occurs once: its score with the common key changes at a rate c that many samples do not dilute.

    Other scores of that query change like 1/n. The rate of p_{l,h} then tends to −p²c, and n times it to infinity;
    n times the printed bound tends to 1/(L√m).
    """
    import sympy as sp

    n, length, m, c, small = sp.symbols("n L m c s", positive=True)
    p = 1 / length
    rate = p * (small / n - p * c - (length - 1) * p * small / n)
    printed, ours = (
        1 / (length * (length**2 + n) * sp.sqrt(m)),
        (1 / length + 1 / n) / (length * m) * (1 / length + 1 / sp.sqrt(m)),
    )
    there = {length: 5, m: 32}
    return bool(
        sp.limit((-n * rate).subs(there), n, sp.oo) == sp.oo
        and sp.simplify(sp.limit(n * printed, n, sp.oo) - 1 / (length * sp.sqrt(m))) == 0
        and sp.limit(n * ours.subs(there), n, sp.oo) == sp.oo
    )


@erratum(
    "recognise.phase-1-ranges",
    rank=Rank.MISPRINT,
    where="Lemma E.17, the neuron and the value whose slope is bounded up to T₁",
    printed=r"\partial_t\big(a_jw_j^{(0)}W_V^{(0)}\mu_3\big)",
    right=r"\partial_t\big(a_jw_j^{(t)}W_V^{(t)}\mu_3\big)",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: the superscript 0 is of the start, and nothing moves there; Theorem E.26 uses it at t.",
    numbers=lambda: {"the printed slope": 0.0},
)
def slope_of_the_start_is_zero() -> bool:
    """What is printed is a constant in t, so that its slope is 0 and the lemma would say nothing."""
    import sympy as sp

    t, start = sp.symbols("t w_0")
    moving = sp.Function("w")(t)
    return bool(sp.diff(start, t) == 0 and sp.diff(moving, t) != 0)


misprint(
    "recognise.phase-1-ranges",
    where="Definition E.2, Corollary E.13, Theorem E.26, the neurons that are meant",
    printed=r"j \in [m]",
    right=r"j \in [m_1]",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: there are m₁ neurons, as in Definition E.18, and m is the width that they read.",
)
misprint(
    "recognise.theorem-e-27",
    where="Corollary E.20, the definition of T′",
    printed=r"T' := \min\{t : \min_{i \in I_2 \cup I_3}F_i^{(t)} \ge C\}",
    right=r"T' := \min\{t : \min_{i \in I_2 \cup I_3}y_iF_i^{(t)} \ge C\}",
    survival=Survival.ONCE_CORRECTED,
    survives="Yes: labels there are −1, and Theorem E.27 uses the corollary with them: these samples are right.",
)
