"""The program of the page: gradient descent in a double well."""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import Tensor

from lib.domain import Domain
from lib.program import Program, Stage, record

DOMAINS = (
    Domain("start", low=-1.2, high=1.2, default=0.1, symbol="x₀", words="start", track=(-1.2, 1.2, 0.05)),
    Domain("rate", low=0, default=0.1, symbol="η", words="learning rate", scale="log", track=(0.01, 3.0)),
    Domain(
        "steps",
        low=0,
        high=10_000,
        integer=True,
        default=400,
        words="steps",
        scale="whole",
        track=(0, 1000, 10),
    ),
)
Choices = record("Choices", (domain.name for domain in DOMAINS))
FAR = 2.0
"""Descent that is so far from the middle does not come back."""


class State(NamedTuple):
    """The state of descent."""

    x: Tensor  # 0-d
    slope: Tensor  # 0-d, f′(x)


class Seen(NamedTuple):
    """The numbers that are drawn while it runs."""

    x: Tensor  # (1,)


class Report(NamedTuple):
    """The numbers at the end of a run."""

    end: Tensor  # |x| at the end
    gone: Tensor  # it has left both valleys
    settled: Tensor  # it has come to rest, or has left


def slope(x: Tensor) -> Tensor:
    """f′(x) for f(x) = ¼(x² − 1)²."""
    return x**3 - x


def descent() -> Program:
    """x ← x − η f′(x)."""

    def step(s: State, p: Any) -> tuple[State, Tensor]:
        x = s.x - p.rate * s.slope
        return State(x, slope(x)), (slope(x).abs() < 1e-12) | (x.abs() > FAR)

    def report(ends: tuple[State, ...], p: Any) -> Report:
        far, steep = ends[-1].x.abs(), ends[-1].slope.abs()
        return Report(far, far > FAR, (steep < 1e-9) | (far > FAR))

    return Program(
        Choices,
        DOMAINS,
        lambda p: State(p.start, slope(p.start)),
        (Stage("descent", lambda s, p: s, step, "steps"),),
        lambda s, p: Seen(s.x.reshape(1)),
        report,
    )
