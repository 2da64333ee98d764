"""Lemma 9: logits and gradients at the start, eqs 19 to 21, and what one large step leaves."""

from __future__ import annotations

import math

import sympy as sp
import torch
from torch import Tensor
from torch.func import grad, vmap

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import chain_rule_by_sympy, scalar, transformer
from book.recall.general.full_model import confusing_prompt, full_model
from book.recall.general.large_step import asymmetry
from book.recall.general.program import one_large_step
from book.recall.general.start import EVEN, loss_of
from lib.program import defaults, run
from lib.recall import model
from lib.recall.general import large_rate, mismatched_part, population, true_probability
from lib.recall.reduction import affine_counts, reduce
from lib.recall.task import affine_family, all_prompts

DEFAULTS = defaults(one_large_step())


def exponent_numbers() -> dict[str, float]:
    t = 0.002
    counts, weights = population(scalar(1e4), scalar(1.0))
    measured = abs(float(EVEN @ grad(loss_of)(EVEN, counts, weights, scalar(t))))
    paper, right = math.exp(-1 / 36) / t, math.exp(-1 / (36 * t)) / t
    return {"temperature": t, "paper: bound": paper, "right: bound": right, "measured": measured}


@erratum(
    "recall.equations-19-31",
    rank=Rank.MISPRINT,
    where="Appendix C, after eq. 21, twice",
    printed=r"|v_0^\top\nabla L_1| = O(\exp(-\tfrac1{36})/T)",
    right=r"|v_0^\top\nabla L_1| = O(\exp(-\tfrac1{36T})/T)",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: a T is missing in the exponent, and the next lines use it.",
    numbers=exponent_numbers,
)
def misprinted_exponent() -> bool:
    """Proves that v₀ᵀ∇_v L₁ vanishes as T → 0 faster than e^{−1/36}/T, which grows without bound."""
    t = sp.symbols("T", positive=True)
    right = sp.limit(sp.exp(-1 / (36 * t)) / t, t, 0, "+") == 0
    return right and sp.limit(sp.exp(-sp.Rational(1, 36)) / t, t, 0, "+") == sp.oo


def chain_numbers() -> dict[str, float]:
    """By the faithful model, whose attention is read from W^KQ."""
    known, prompt, _ = confusing_prompt(False)
    built = transformer(known)
    t, v = 0.05, torch.tensor([0.25, 0.15, 0.2, 0.1, 0.15, 0.15], dtype=torch.float64)

    def loss(theta: Tensor) -> Tensor:
        block = model.position_block(theta, torch.zeros(7, dtype=torch.float64), built.embedding.shape[1])
        return model.relation_loss_full(built._replace(W_KQ=block), known, prompt, t)

    by_v = grad(lambda u: full_model(u, t)[0])(v)
    return {
        "the formula": float(v[0] * (by_v[0] - v @ by_v)),
        "measured: derivative by v1": float(by_v[0]),
        "measured: derivative by theta1": float(grad(loss)(v.log())[0]),
    }


erratum(
    "recall.equations-19-31",
    rank=Rank.MISPRINT,
    where="Appendix C, proof of Lemma 9, the chain rule",
    printed=r"\partial L_1/\partial v_i = v_i(\partial L_1/\partial v_i - v^\top\nabla_v L_1)",
    right=r"\partial L_1/\partial\theta_i = v_i(\partial L_1/\partial v_i - v^\top\nabla_v L_1)",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: a misprint for eq. 10.",
    numbers=chain_numbers,
)(chain_rule_by_sympy)


@checked(
    "recall.equations-19-31", "Lemma 9, logits at the start", r"\tfrac14,\ \tfrac7{36},\ \tfrac5{36}", "sympy"
)
def start_by_sympy() -> bool:
    """At v = 1/6: logits ¼, 7/36, 5/36 for 2, 1, 0 matches; e^{−1/36T} bounds what their gaps leave."""
    sixth, log_n = sp.Rational(1, 6), sp.Rational(1, 40)  # log n ≤ 1/(40T)
    two, one, none = 2 * (2 * sixth) ** 2 + sixth**2, (2 * sixth) ** 2 + 3 * sixth**2, 5 * sixth**2
    logits = (two, one, none) == tuple(sp.Rational(top, 36) for top in (9, 7, 5))
    return logits and max(log_n - (two - one), 2 * log_n - (two - none)) < -sp.Rational(1, 36)


@checked(
    "recall.equations-19-31",
    "Lemma 9, the start",
    r"p_1(r_1) = \tfrac1{I(Z)} - O(e^{-1/36T}),\ 1 \le I \le 6",
    "count, n = 10⁴",
)
def start_by_counting() -> bool:
    """p₁(r*) = 1/I − O(e^{−1/36T}) at the start, for each of the 32 kinds of prompt, I from 1 to 6; n = 10⁴."""
    counts, _ = population(scalar(1e4), scalar(1.0))
    t = torch.tensor([0.001, 0.0025], dtype=torch.float64)
    chance = vmap(lambda at: true_probability(EVEN.log(), counts, at))(t)  # (2, 32)
    left = (1 / counts[:, :6].sum(1) - chance).abs()
    return bool((left <= torch.exp(-1 / (36 * t))[:, None]).all())


@checked(
    "recall.equations-19-31",
    "Lemma 9, how many match once or never",
    "$6(n-3)$; $n(n-1) - 6(n-2)$",
    "sympy, count",
)
def counts_by_sympy() -> bool:
    """6(n − 3) relations match once and n(n − 1) − 6(n − 2) never, in the affine family, which has the most."""
    n = sp.symbols("n")
    never = sp.expand(n * (n - 1) - 6 - 6 * (n - 3))
    counted = all(
        torch.allclose(
            reduce(known, all_prompts(known)).log_counts.exp(), affine_counts(scalar(known.subjects))
        )
        for known in map(affine_family, (5, 7))
    )
    return counted and never == sp.expand(n * (n - 1) - 6 * (n - 2)) == sp.expand((n - 3) * (n - 4))


@checked(
    "recall.equations-19-31", "Before eq. 19, and eqs 19 to 21", "bounds on every kind of prompt", "autograd"
)
def bounds_at_random() -> bool:
    """The bounds before eq. 19, prompt by prompt of a random half of the affine family at n = 10⁴, T = 0.0025."""
    t, one = scalar(0.0025), torch.ones(1, dtype=torch.float64)
    counts, _ = population(scalar(1e4), scalar(0.5))
    small = torch.exp(-1 / (36 * t)) / t
    slope = vmap(lambda row: grad(loss_of)(EVEN, row[None], one, t))(counts)  # (32, 6)
    ahead = slope[:, 4:5] - slope[:, [0, 1, 2, 3, 5]]
    mismatched = counts[:, 2:6].sum(1) > 0
    low = torch.where(mismatched, 1 / (3 * t * counts[:, :6].sum(1)) - small, -1e-9)
    high = torch.where(mismatched, 2 / (3 * t), small)
    still = torch.cat([slope[:, [1, 3, 5]], slope[:, [0, 2, 4]].sum(1, keepdim=True)], 1)
    return bool(((ahead > low[:, None]) & (ahead < high[:, None])).all() & (still.abs() <= small).all())


@checked(
    "recall.equations-19-31",
    "Lemma 9, after eq. 21",
    r"|v_1+v_3+v_5-\tfrac12| \lesssim \eta_1^2/T^2,\ |v_5-v_i| = \Theta(p_{mis}\eta_1/T)",
    "one step, four sizes",
)
def step_by_size() -> bool:
    """v₁ + v₃ + v₅ − ½ falls like η₁², v₁ − v₅ like η₁, for one step with c₁ = 4, 2, 1, ½; n = 10⁴."""
    t = scalar(DEFAULTS["temperature"])
    first, second = [], []
    for rate in (4.0, 2.0, 1.0, 0.5):
        v = run(one_large_step(), rate_1=rate, steps=1).report.measured_attention
        eta = float(large_rate(scalar(rate), t) / t)
        first.append(float(v[0] - v[4]) / eta)
        second.append(float(v[[0, 2, 4]].sum() - 0.5) / eta**2)
    return all(max(row) / min(row) < 1.1 for row in (first, second)) and max(second) < 1


@checked(
    "recall.equations-19-31",
    "Lemma 9, the two examples, by $v_i/v_j = e^{\\theta_i-\\theta_j}$",
    r"|v_1-v_3| = o(T^2),\ |v_2-v_4| = o(e^{-1/40T})",
    "autograd, n from 10³ to 10⁶",
)
def examples_stay_even() -> bool:
    """Lemma 9's bounds on |v₁ − v₃| and |v₂ − v₄|, on twenty times as many prompts as it asks for, n to 10⁶."""
    for n in (1e3, 1e4, 1e5, 1e6):
        t = 1 / (45 * math.log(n))
        left = asymmetry(20 * math.log(1 / t) ** 2 / t**3, n, t)
        if left.subject > left.subject_allowed or left.answer > left.answer_allowed:
            return False
    return True


def remainder_numbers() -> dict[str, float]:
    """What Taylor's expansion leaves open at T = 0.002, n = 10⁴, beside what is to be shown and what is measured."""
    t = DEFAULTS["temperature"]
    counts, weights = population(scalar(DEFAULTS["subjects"]), scalar(DEFAULTS["density"]))
    u = large_rate(scalar(DEFAULTS["rate_1"]), scalar(t)) * (weights @ mismatched_part(counts)) / (36 * t)
    left = asymmetry(20 * math.log(1 / t) ** 2 / t**3, DEFAULTS["subjects"], t, DEFAULTS["rate_1"])
    return {
        "temperature": t,
        "paper: remainder, of second order": float(u**2 / 4),
        "wanted: |v1 - v3| at most": left.subject_allowed,
        "right, by the ratio: |v1 - v3| at most": left.subject,
        "wanted: |v2 - v4| at most": left.answer_allowed,
        "right, by the ratio: |v2 - v4| at most": left.answer,
    }


@erratum(
    "recall.equations-19-31",
    rank=Rank.PROOF,
    where="Appendix C, proof of Lemma 9, the two examples",
    printed=r"\text{by Taylor's expansion, }|v_i-v_j| = O(\eta_1e^{-1/36T}/T),\ |v_1-v_3| = o(T^2)",
    right=r"\text{the same, by }v_i/v_j = e^{\theta_i-\theta_j}",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands. The remainder of the expansion, $O(\\eta_1^2/T^2) = O(T\\log^2\\frac1T)$, is far "
    "larger than both bounds, so these do not follow. They follow from the ratio of two attentions, which is exact.",
    numbers=remainder_numbers,
)
def remainder_by_sympy() -> bool:
    """Proves that the remainder is neither o(T²) nor of order η₁e^{−1/36T}/T, and that the ratio gives both bounds."""
    t, a, b = sp.symbols("T a b", positive=True)
    eta = t ** sp.Rational(3, 2) * sp.log(1 / t)
    remainder = eta**2 / t**2
    too_large = sp.limit(remainder / t**2, t, 0, "+") == sp.oo and (
        sp.limit(sp.log(remainder) - sp.log(eta / t) + 1 / (36 * t), t, 0, "+") == sp.oo
    )
    # v_i − v_j = v_j(e^{θ_i − θ_j} − 1): of the order of the difference of the scores, without a remainder of its own
    scores = sp.symbols("theta1:7")
    total = sum(map(sp.exp, scores))
    v = [sp.exp(score) / total for score in scores]
    exact = sp.simplify(v[0] / v[2] - sp.exp(scores[0] - scores[2])) == 0
    return too_large and exact and sp.limit((sp.exp(a * b) - 1) / (a * b), b, 0, "+") == 1


@checked(
    "recall.equations-19-31",
    "Lemmas 9 to 11, powers of T",
    "Chernoff's bound, $|v_1-v_3|$, the errors, how far $\\frac1T\\log^{3/2}\\frac1T$ small steps lead",
    "sympy",
)
def orders_by_sympy() -> bool:
    """The powers of T: of the Chernoff bound, |v₁ − v₃|, |v₂ − v₄|, the errors, and how far small steps lead."""
    t, big, c, x = sp.symbols("T L c x", positive=True)  # L = log(1/T), x = 1/√T
    eta = t ** sp.Rational(3, 2) * big
    spread = (1 / t) / sp.sqrt(big**2 / t**3)
    exact = (
        (spread, sp.sqrt(t) / big),
        (eta * spread, t**2),
        (sp.sqrt(big ** sp.Rational(3, 2) / t * t**2), sp.sqrt(t) * big ** sp.Rational(3, 4)),
    )
    vanish = (
        eta / t * sp.exp(-1 / (36 * t)) / sp.exp(-1 / (40 * t)),
        sp.exp(-c * eta / t**2) / sp.exp(-1 / sp.sqrt(t)),
        t**2 / (eta / t) ** 2,
    )
    logs = [sp.expand_log(sp.log(term), force=True).subs({big: 2 * sp.log(x), t: x**-2}) for term in vanish]
    return all(sp.simplify(one - two) == 0 for one, two in exact) and all(
        sp.limit(entry, x, sp.oo) == -sp.oo for entry in logs
    )
