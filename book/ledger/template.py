"""The one way in which texts quote measured numbers: ``{name}`` or ``{name:format}``.

``name`` is the name of a bound or of a recorded number; ``{name where it fails}`` is that number where the statement
must fail. ``format`` is one of Python's own: ``.3f``, ``.0%``, ``.0e``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

WHERE_IT_FAILS = " where it fails"
# A name has something other than digits in it, or LaTeX's braces would be read as quotations. After a colon in a name
# stands a space, before a format none.
QUOTATION = re.compile(r"\{((?:[^{}:]|: )*[^{}:\d](?:[^{}:]|: )*)(?::(?! )([^{}]*))?\}")


def by_name(holds: Mapping[str, float], fails: Mapping[str, float]) -> dict[str, float]:
    """The numbers that a text about a statement can quote, by the names that it quotes them by."""
    return {**holds, **{f"{name}{WHERE_IT_FAILS}": value for name, value in fails.items()}}


def fill(text: str, numbers: Mapping[str, float], without_format: Callable[[float], str]) -> str:
    """The text with its numbers put in; braces that name no number, such as LaTeX's, stay.

    Args:
        without_format: writes a number that is quoted without a format.

    Raises:
        ValueError: a format is none of Python's.
    """

    def number(match: re.Match[str]) -> str:
        name, form = match[1], match[2]
        if name not in numbers:
            return match[0]
        return format(numbers[name], form) if form else without_format(numbers[name])

    return QUOTATION.sub(number, text)
