"""The clock of the saddle: how temperature, learning rate, radius and width set the time that training waits there."""

from __future__ import annotations

from book.ledger import Bounds, Ground, near, statement
from book.together.limits.clock import Clock, clock

COLDEST, WARMEST = 0.012, 0.02
"""The highest of a decade of temperatures. Colder, the confusing relation is behind by more than T, 8d² at an imbalance
of 4d, before the run counts as having left, and it grows no longer as at the saddle; warmer, the curvature is no longer
−1/(8T)."""
GENTLE = 1.0
"""c₂T up to which a step multiplies the imbalance by little more than one: e^(1/8) at most."""


@statement(
    "together.saddle-clock",
    measures=clock,
    constants=(COLDEST, WARMEST),
    assumes={
        "gentle": (
            f"steps are small: c₂T at most {GENTLE:g} (ours)",
            lambda r, p: p.rate * p.warmest <= GENTLE,
        ),
        "cold": (
            f"a decade of T, the highest from {COLDEST:g} to {WARMEST:g} (ours)",
            lambda r, p: COLDEST <= p.warmest <= WARMEST,
        ),
    },
    holds_at={},
    fails_at={"rate": 1000.0},
    ranges={
        "warmest": [(COLDEST, WARMEST)] * 3 + [(0.003, 0.2)],
        "rate": [(40.0, 60.0)] * 3 + [(40.0, 1000.0)],
        "seed": (0, 999),
    },
    ground=Ground.OURS,
)
def saddle_clock(r: Clock) -> Bounds:
    """Steps at the saddle grow like 1/T and 1/c₂ and like the logarithm of 1/r, and do not depend on n."""
    return Bounds(
        near(1.0, r.temperature.exponent, "exponent of 1/T in the steps until it is left", absolute=0.1),
        near(-1.0, r.rate.exponent, "exponent of c₂", absolute=0.1),
        near(0.0, r.width.exponent, "exponent of the number of neurons", absolute=0.01),
        near(-1.0, r.radius.exponent, "exponent of r in the growth until it is left", absolute=0.05),
    )
