"""A parameter, described once: the values that it may take, its default, its name in words, and its slider."""

import math
from numbers import Real
from typing import Any, NamedTuple

from torch import Tensor

INFINITE = 1e30
"""The number behind a slider's ∞: finite, so that it can be computed with, and large beyond all rounding."""
WIDTHS = (
    16.0,
    *(float(2**power) for power in range(5, 11)),
    *(float(10**power) for power in range(4, 7)),
    INFINITE,
)
"""The widths of a network that a slider offers, up to infinity."""
RADII = (0.0, *(float(f"{digit}e{power}") for power in range(-10, 0) for digit in (1, 3)), 1.0)
"""The perturbation radii that a slider offers: none, then about two a decade."""


class Domain(NamedTuple):
    """A parameter and the interval of finite numbers, or of whole numbers, in which it lies.

    A domain is plain data. It checks an argument and words the error for a bad one, it gives the default of a run, and
    it describes the control that moves the parameter in a figure (``widgets.figure.controls.of``).

    Attributes:
        name: the parameter's name, as in the signature of the function that takes it.
        low, high: the ends; an infinite end is no bound.
        low_open, high_open: whether that end itself is excluded.
        integer: whether only whole numbers belong.
        default: the value of a parameter that is not given; None if it must always be given.
        symbol, words, unit: the paper's symbol ("σ₀"), the field's words ("learning rate"), and the unit of the number
            ("units of 1/√m").
        scale: the control: "linear", "log" and "whole" are sliders, "choice" one over given numbers, "menu" a
            choice among words whose value is the word's number, "switch" is off or on, 0 or 1.
        track: what the control offers: (low, high), for linear and whole also a step; the numbers of a choice;
            the words of a menu; nothing for a switch. Without a track no control moves the parameter.
    """

    name: str
    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False
    integer: bool = False
    default: float | None = None
    symbol: str = ""
    words: str = ""
    unit: str = ""
    scale: str = "linear"
    track: tuple[Any, ...] = ()

    @property
    def offered(self) -> bool:
        """Whether a control can move the parameter."""
        return bool(self.track) or self.scale == "switch"

    @property
    def label(self) -> str:
        """The parameter's name for readers: "temperature T", or "σ₀, in units of 1/√m"."""
        name = f"{self.words} {self.symbol}".strip() or self.name.replace("_", " ")
        return f"{name}, in {self.unit}" if self.unit else name

    @property
    def must(self) -> str:
        """The domain in words: "must be a finite number greater than 0"."""
        kind = "must be a whole number" if self.integer else "must be a finite number"
        below, above = math.isfinite(self.low), math.isfinite(self.high)
        if below and above and not (self.low_open or self.high_open):
            return f"{kind} from {_plain(self.low)} to {_plain(self.high)}"
        bounds = []
        if below:
            bounds.append(f"{'greater than' if self.low_open else 'at least'} {_plain(self.low)}")
        if above:
            bounds.append(f"{'less than' if self.high_open else 'at most'} {_plain(self.high)}")
        return f"{kind} {' and '.join(bounds)}".rstrip()

    def check(self, value: object) -> float | int:
        """``value`` as a Python number, if it belongs to the domain.

        To be called at public entry points only: a traced parameter has no value yet.

        Args:
            value: a Python number or a real 0-d tensor.

        Raises:
            ValueError: "name = value: must be …" for NaN, an infinity, a boolean, anything that is not a
                real number, a fraction where a whole number is due, or a number outside the interval.
        """
        number: Any = value.item() if isinstance(value, Tensor) and value.ndim == 0 else value
        real = isinstance(number, Real) and not isinstance(number, bool)
        if real and self._holds(number):
            return int(number) if self.integer else number
        raise ValueError(f"{self.name} = {number!r}: {self.must}")

    def _holds(self, number: Any) -> bool:
        if not -math.inf < number < math.inf:  # also false for NaN
            return False
        above = number > self.low if self.low_open else number >= self.low
        below = number < self.high if self.high_open else number <= self.high
        return above and below and (not self.integer or number == math.floor(number))


def _plain(bound: float) -> str:
    """A bound as people write it: 3 rather than 3.0, 10000000 rather than 1e+07."""
    return str(int(bound)) if bound == math.floor(bound) else repr(bound)
