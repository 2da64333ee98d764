"""Proofs of the page: how many prompts the proof of Theorem 3 requires, and that one confusing prompt decides."""

from __future__ import annotations

import math
from itertools import product

import torch
from scipy.stats import binom

from book.ledger.proofs import checked
from lib.recall.general import gaps


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
