"""Proofs of the page: how many prompts the proof of Theorem 3 requires, and that one confusing prompt decides."""

from __future__ import annotations

import math
from itertools import product

import sympy as sp
import torch
from scipy.stats import binom

from book.ledger.proofs import Rank, Survival, checked, erratum, misprint
from book.recall.depends_on_delta import constants_depend_on_delta, delta_numbers
from book.recall.slow_steps import more_steps
from lib.recall.general import gaps

erratum(
    "recall.theorem-3",
    rank=Rank.MISPRINT,
    where="Theorem 3, the constants",
    printed=r"\text{there exist constants } C_1, C_2 > 0",
    right=r"\text{there exist constants } C_1(\delta), C_2 > 0",
    survival=Survival.ONCE_CORRECTED,
    survives="The theorem stands with a $C_1$ that depends on δ, as the $T_0(\\delta)$ of Theorem 2 and the "
    "$T_{\\max}(\\delta)$ of Lemma 10 do. With $C_1$ and $C_2$ free of δ it fails: fix $T$ and "
    "$t_2 = \\frac{C_2}T\\log\\frac1T$ and let δ fall. The steps needed grow like $\\log\\frac1\\delta$, and the "
    "radius of the perturbation tends to 0. With a small enough δ no run is away from the tie in time.",
    numbers=delta_numbers,
)(constants_depend_on_delta)


def window_numbers() -> dict[str, float]:
    """The proof's bound on the way of small steps over α, at its last k and at twenty times Lemma 11's number."""
    t, rate = 0.002, 1000.0
    last = math.log(1 / t) ** 1.5 / t
    end = more_steps(temperature=t, rate_2=rate, draws=2)
    steps = end.window * last
    return {
        "temperature": t,
        "the proof's bound over √T log(1/T), at its last step": math.log(1 / t) ** -0.25,
        "paper: at most that after steps": steps,
        "right: the bound there": math.sqrt(steps * t) / math.log(1 / t),
        "measured there: distance over α": end.moved,
    }


@erratum(
    "recall.theorem-3",
    rank=Rank.PROOF,
    where="Appendix C, proofs of Lemma 11 and Theorem 3, the number of steps",
    printed=r"t_2 \ge \tfrac{C_2}T\log\tfrac1T",
    right=r"\tfrac{C_2}T\log\tfrac1T \le t_2 \le \tfrac1T\log^{3/2}\tfrac1T",
    survival=Survival.ONCE_CORRECTED,
    survives="What is proved has an upper limit. The growth of the lead and the claim on prompts without a confusing "
    "relation are shown for $k \\le \\frac1T\\log^{3/2}\\frac1T$ alone, where the small steps lead less far than the "
    "large one; the theorem, and with it Theorem 1, sets none. Runs of twenty times as many steps stay right.",
    numbers=window_numbers,
)
def window_by_sympy() -> bool:
    """Proves that Lemma 12's √(kT²) is o(α) at k = log^1.5(1/T)/T, α of order √T log(1/T), but not at log²(1/T)/T."""
    t, big = sp.symbols("T L", positive=True)  # L = log(1/T), which grows without bound
    alpha = sp.sqrt(t) * big
    inside, edge, beyond = (
        sp.simplify(sp.sqrt(big**power / t * t**2) / alpha) for power in (sp.Rational(3, 2), 2, 3)
    )
    return sp.limit(inside, big, sp.oo) == 0 and edge == 1 and sp.limit(beyond, big, sp.oo) == sp.oo


@checked(
    "recall.theorem-3",
    "Appendix C, end of the proof of Theorem 3",
    r"|D| \ge \tfrac{13}{\zeta}\log\tfrac1\delta \Rightarrow p_{conf}, p_{mis} \ge \tfrac\zeta2",
    "exact binomials, δ up to ½",
)
def chernoff() -> bool:
    """Proves that (13/ζ) log(1/δ) prompts suffice for p_conf, p_mis ≥ ζ/2 with probability 1 − δ/3, for δ ≤ ½."""
    for zeta, delta in product((0.05, 0.2, 0.5, 1.0), (0.5, 0.1, 0.01, 1e-4)):
        prompts = math.ceil(13 / zeta * math.log(1 / delta))
        if 2 * binom.cdf(math.ceil(zeta / 2 * prompts) - 1, prompts, zeta) > delta / 3:
            return False
    return True


def one_prompt_numbers() -> dict[str, float]:
    """The chance that p_conf < ζ/2 at ζ = ½, δ = 0.99, where the printed number of prompts is 1: exact, and drawn."""
    zeta, delta = 0.5, 0.99
    prompts = math.ceil(13 / zeta * math.log(1 / delta))
    drawn = torch.rand(100_000, prompts, generator=torch.Generator().manual_seed(0)) < zeta
    return {
        "prompts": prompts,
        "paper: fails with probability at most": delta / 3,
        "right: fails with probability": float(binom.cdf(math.ceil(zeta / 2 * prompts) - 1, prompts, zeta)),
        "measured: share of draws": float((drawn.double().mean(1) < zeta / 2).double().mean()),
    }


@erratum(
    "recall.theorem-3",
    rank=Rank.PROOF,
    where="Appendix C, end of the proof of Theorem 3, for which δ",
    printed=r"|D| \ge \tfrac{13}{\zeta}\log\tfrac1\delta \Rightarrow p_{conf}, p_{mis} \ge \tfrac\zeta2\text{ with "
    r"probability at least }1-\tfrac\delta3",
    right=r"\text{the same, for }\delta \le \tfrac12",
    survival=Survival.AS_PRINTED,
    survives="The theorem stands: its order of the number of prompts is the same. With a δ near 1 the printed "
    "number is a single prompt, and that is confusing with probability ζ alone.",
    numbers=one_prompt_numbers,
)
def one_prompt_is_not_enough() -> bool:
    """Proves that at ζ = ½, δ = 99/100 one prompt meets the bound and fails with ½ > δ/3, and that δ ≤ ½ is enough."""
    zeta, delta = sp.Rational(1, 2), sp.Rational(99, 100)
    prompts = sp.ceiling(13 / zeta * sp.log(1 / delta))
    return prompts == 1 and bool(1 - zeta > delta / 3) and chernoff()


misprint(
    "recall.theorem-3",
    where="Appendix C, start of the proof of Theorem 3",
    printed=r"p(r_1) > 0.99\text{ for any non-confusing sequence}",
    right=r"p(r_1) > 0.999\text{ for any non-confusing sequence}",
    survival=Survival.AS_PRINTED,
    survives="The theorem stands: two sentences later the proof has 0.999, as the theorem does.",
)

misprint(
    "recall.few-samples",
    where="Section 4, after Theorem 1",
    printed=r"\text{the pairwise attention pattern is necessary to achieve good accuracy}",
    right=r"\text{attention that prefers one example is necessary}",
    survival=Survival.ONCE_CORRECTED,
    survives="The remark stands. Pairwise means equal within each pair (Section 1.1), and Section 4.2 says that "
    "Theorem 3's solution is accurate and not exactly of that form.",
)


@checked(
    "recall.sample-law",
    "One prompt and all",
    "a confusing prompt's loss below log 2, and $v_1, v_3 > v_5$: $r^*$ leads everywhere",
    "20 000 draws",
)
def one_prompt_decides_for_all() -> bool:
    """Proves that r* leads where the confusing relation alone costs below log 2 and the query has less attention."""
    generator = torch.Generator().manual_seed(0)
    theta = 2 * torch.randn(20_000, 6, dtype=torch.float64, generator=generator)
    t = 10 ** (-3 * torch.rand(20_000, dtype=torch.float64, generator=generator))
    behind, v = gaps(theta), torch.softmax(theta, 1)
    low = torch.nn.functional.softplus(behind[:, 1] / t) < math.log(2)
    taught = low & (torch.minimum(v[:, 0], v[:, 2]) > v[:, 4])
    return bool(taught.sum() > 1000) and bool((behind[taught, 1:] < 0).all())
