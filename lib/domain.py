"""The values that a parameter may take, said once: as data for a slider, as a sentence for an error."""

import math
from numbers import Real
from typing import Any, NamedTuple

from torch import Tensor


class Domain(NamedTuple):
    """An interval of finite numbers, or of whole numbers, with the name of the parameter that lives there.

    A domain is plain data: the same one bounds a slider and words the error for a bad argument.

    Attributes:
        name: the parameter's name, as in the signature of the function that takes it.
        low, high: the ends; an infinite end is no bound.
        low_open, high_open: whether that end itself is excluded.
        integer: whether only whole numbers belong.
    """

    name: str
    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False
    integer: bool = False

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
        """Return ``value`` as a Python number if it belongs to the domain.

        Args:
            value: a Python number or a real 0-d tensor. Call this at public entry points only: a traced
                parameter has no value yet.

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
    """A bound as a reader writes it: 3 rather than 3.0, 10000000 rather than 1e+07."""
    return str(int(bound)) if bound == math.floor(bound) else repr(bound)
