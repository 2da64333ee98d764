"""Numbers in sentences, as ``src/run/format.js`` and ``src/view/captions.js`` write them: the command line's part."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

LARGE, SMALL = 1e6, 1e-3
NEGLIGIBLE = 1e-9
"""A share this near to none or to all is none or all."""
DIGITS = 3
NUMBER = re.compile(r"\{(\w+)(?:\[(\d+)\])?(?::([%n]))?\}")
THINGS = "step|epoch|prompt|phrase|phrasing|fact|sample|example|relation|subject|word"
RAISED = str.maketrans("−0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
ONE_OF_MANY = re.compile(rf"(^|\s)1 (small |more |training |unseen |new )?({THINGS})s\b")


def readable(value: float, digits: int = DIGITS) -> str:
    """A number with a true minus sign, ∞, commas between thousands, and a dash for NaN."""
    if math.isnan(value):
        return "—"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    plain = value == 0 or SMALL <= abs(value) < LARGE
    rounded = _rounded(value, digits if plain else max(1, digits - 1))
    if plain or SMALL <= abs(float(rounded)) < LARGE:
        return f"{rounded:,f}".replace("-", "−")
    sign, figures, exponent = rounded.as_tuple()
    first, *rest = map(str, figures)
    power = int(exponent) + len(rest)
    return f"{'−' * sign}{first}{'.' * bool(rest)}{''.join(rest)}e{power}".replace("-", "−")


def in_words(value: float) -> str:
    """A number as a sentence writes it: 4.4 × 10⁻¹² where a table has 4.4e−12."""
    digits, power, exponent = readable(value).partition("e")
    if not power:
        return digits
    times = digits[:-1] if digits in ("1", "−1") else f"{digits}\u00a0×\u00a0"
    return f"{times}10{exponent.translate(RAISED)}"


def count(value: float) -> str:
    """A count, rounded."""
    if not abs(value) < 1e9:
        return readable(value)
    return f"{math.floor(value + 0.5):,}".replace("-", "−")


def share(value: float) -> str:
    """A share in whole percent; neither 0 % nor 100 % unless it is."""
    if math.isnan(value):
        return readable(value)
    whole = math.floor(100 * value + 0.5)
    if whole == 0 and value > NEGLIGIBLE:
        return "less than 1\u00a0%"
    if whole == 100 and value < 1 - NEGLIGIBLE:
        return "more than 99\u00a0%"
    return f"{count(whole)}\u00a0%"


FORMATS: dict[str | None, Callable[[float], str]] = {None: in_words, "n": count, "%": share}


def quote(text: str, record: Callable[[str], Sequence[float]] | Mapping[str, Sequence[float]]) -> str:
    """A text with numbers in it: ``{field}``, ``{field[2]}``, ``{field:%}`` and ``{field:n}`` stand for them."""
    look_up = record if callable(record) else record.__getitem__

    def number(match: re.Match[str]) -> str:
        value = float(look_up(match[1])[int(match[2] or 0)])
        return FORMATS[match[3] if math.isfinite(value) else None](value)

    return ONE_OF_MANY.sub(lambda one: f"{one[1]}1 {one[2] or ''}{one[3]}", NUMBER.sub(number, text))


def quote_on_a_run(sentence: str, record: Callable[[str], Sequence[float]]) -> str:
    """A sentence on a run with its numbers; without what comes before its emphasis if the run lacks one of those."""
    claim, emphasis, _ = sentence.partition("*")
    has_all = all(math.isfinite(record(field)[int(place or 0)]) for field, place, _ in NUMBER.findall(claim))
    return quote(sentence if has_all or not emphasis else sentence[len(claim) :], record)


def _rounded(value: float, digits: int) -> Decimal:
    """To so many significant digits, ties away from zero, without zeros at its end."""
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(Decimal(value))
    return rounded.normalize() if rounded else Decimal(0)
