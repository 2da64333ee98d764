"""The coefficients Γ of log² τ in the growth of scores, in closed form and by measurement."""

from __future__ import annotations

import math

from lib.program import run_many
from lib.recognise import gradient_flow
from lib.recognise.attention_scores import score_limits
from lib.recognise.separator import max_margin
from lib.recognise.setting import counts, setting

ENTRIES = {"C₁₂": 1, "C₃₁": 6, "C₁₁": 0, "C₃₃": 8}
"""Places of the printed C[key, query] among the nine."""


def coefficients(samples: float, length: int) -> dict[str, float]:
    """Γ in closed form: the coefficients of log² τ in C, in units of κ/(√m L N₀)."""
    chosen = setting(samples=samples, length=length)
    kinds = counts(chosen)
    gamma = score_limits(max_margin(kinds, chosen.length), kinds, chosen.length).reshape(-1)
    return {name: float(gamma[place]) for name, place in ENTRIES.items()}


def growth(
    samples: float, length: int, ends: tuple[float, float, float] = (3.0, 4.5, 6.0)
) -> dict[str, float]:
    """Γ at m = 10⁶ from the mean start, by second differences in log τ at three moments, and in closed form.

    Args:
        ends: log₁₀ of the three τ, evenly spaced.
    """
    common = {"samples": samples, "length": length, "random": 0, "width": 1e6}
    grown = run_many(
        gradient_flow.program(gradient_flow.score_growth), [{**common, "end": end} for end in ends]
    )
    measured = (grown[2] - 2 * grown[1] + grown[0]) / (2 * ((ends[1] - ends[0]) * math.log(10)) ** 2)
    by_name = {f"{name} measured": float(measured[place]) for name, place in ENTRIES.items()}
    return {**by_name, **coefficients(samples, length)}
