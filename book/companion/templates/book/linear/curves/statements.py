"""What the page's result assumes and says."""

from __future__ import annotations

from book.linear.curves.program import Report, training
from livetorch.ledger import Bounds, at_least, at_most, statement

MOST = 0.3
"""The largest λ s₁ ln(s₁/u₀): to first order steps so large bring a mode an eighth of that away from its curve."""


@statement(
    "linear.learning-curve",
    runs=training,
    assumes={
        "balanced": ("layers balanced at the start, δ = 0", lambda r, p: p.imbalance == 0),
        "whitened": ("inputs whitened, ρ = 0", lambda r, p: p.correlation == 0),
        "small_steps": ("small steps, λ s₁ ln(s₁/u₀) ≤ 0.3 (ours)", lambda r, p: r.steepness <= MOST),
    },
    settled={"learned": ("steps enough for the weakest mode", lambda r, p: r.learned)},
    holds_at={},
    fails_at={"imbalance": 1.0},
    ranges={
        "imbalance": [0.0, 0.0, 0.0, (0.0, 1.5)],
        "correlation": [0.0, 0.0, 0.0, (0.0, 0.9)],
        "start": (1e-4, 0.01),
        "strong": (1.2, 3.0),
        "weak": (0.5, 1.2),
        "rate": (6e-3, 0.03),
    },
)
def learning_curve(r: Report) -> Bounds:
    """Each mode's strength follows its sigmoid, and is half learned when that is."""
    return Bounds(
        at_most(0.05, r.gap, "largest distance from the curve"),
        at_least(0.95, r.earliest, "time until half learned over the predicted one, least"),
        at_most(1.05, r.latest, "time until half learned over the predicted one, greatest"),
    )
