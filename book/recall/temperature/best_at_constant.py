"""How low the temperature must be: for many subjects at T = C/log n, and for three in a finite number of steps."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.recall.common import scalar, three_subjects
from book.recall.temperature.program import error_law
from lib.program import run
from lib.recall.algorithm import two_stage_descent
from lib.recall.landscape import best_probability, optimum
from lib.recall.phases import SURE, printed_suffices_from


class BestAtConstant(NamedTuple):
    """The best attention at T = C/log n, and the law for three subjects."""

    p: float  # p(r*)
    slope: float  # of the log of the odds against r* in log n, from √n to n
    exponent: float  # e of the law: the odds fall like n^−e
    scaled: float  # the odds times n^e
    law: float  # 1 − p(r*) over its law, for three subjects at T = 0.004
    from_099: int  # subjects from which the printed bound gives 0.99
    from_0999: int  # and 0.999


class CutShort(NamedTuple):
    """The end of Algorithm 1 after few steps."""

    a: float  # attention on each token of the lesser pair
    leak: float  # attention left on the query and EoS
    over_the_rest: float  # a over what is not on them


def log_wrong_odds(depth: Tensor, subjects: Tensor, temperature: Tensor) -> Tensor:
    """log of :func:`lib.recall.landscape.wrong_odds`, finite where the odds themselves underflow."""
    a, b, log_n, log_rest = 0.25 + depth, 0.25 - depth, torch.log(subjects - 2), torch.log(subjects - 3)
    terms = (
        (torch.zeros_like(depth), 8 * depth**2),
        (log_n, 2 * b**2),
        (log_n, 2 * a**2),
        (math.log(2) + log_n, 0.125 + 6 * depth**2),
        (log_n + log_rest, 0.25 + 4 * depth**2),
    )
    return torch.stack([number - gap / temperature for number, gap in terms]).logsumexp(0)


def best_at_constant(constant: float, subjects: float) -> BestAtConstant:
    """The best p(r*) at T = C/log n, how its odds change with n, and what three subjects need.

    The confusing relation is 8d² behind for weights ¼ ± d, the n − 2 that miss the weaker pair 2(¼ − d)². Both cost
    n^−e if 8d² = eC and 2(¼ − d)² = (1 + e)C; without d, √e + 2√(1 + e) = 1/√(2C).

    Raises:
        ValueError: so few subjects that there is no family of √n.
    """
    if not (math.isfinite(subjects) and subjects >= 9):
        raise ValueError(f"subjects = {subjects}: must be at least 9, so that √n is at least 3")
    cold, k = scalar(0.004), 1 / math.sqrt(2 * constant)

    def log_odds(n: float) -> float:
        size, t = scalar(n), scalar(constant / math.log(n))
        return float(log_wrong_odds(optimum(size, t), size, t))

    odds = log_odds(float(subjects))
    exponent = max((2 * math.sqrt(k**2 - 3) - k) / 3, 0.0) ** 2 if k > math.sqrt(3) else 0.0
    return BestAtConstant(
        p=1 / (1 + math.exp(min(odds, 700.0))),
        slope=2 * (odds - log_odds(math.sqrt(subjects))) / math.log(subjects),
        exponent=exponent,
        scaled=math.exp(min(odds + exponent * math.log(subjects), 700.0)),
        law=(1 - float(best_probability(3, cold))) / float(error_law(cold)),
        from_099=printed_suffices_from(0.99),
        from_0999=printed_suffices_from(SURE),
    )


def cut_short(steps: int) -> CutShort:
    """Where Algorithm 1 ends at T = 0.02 if each of its stages has so many steps."""
    end = run(two_stage_descent(three_subjects()), temperature=0.02, to_limit=0, steps=steps).report
    a, leak = float(end.lesser), float(end.leak)
    return CutShort(a, leak, a / (1 - leak))
