"""The book's colours by role, as the table at the top of ``src/view/figure.css`` has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_TABLE = (Path(__file__).parents[1] / "src" / "view" / "figure.css").read_text(encoding="utf-8")
LIGHT, DARK = (dict(re.findall(r"--fim-hue-(\w+): (#\w+);", block)) for block in _TABLE.split("}")[:2])
"""The hues of both themes."""
HUES = dict(re.findall(r"--fim-([\w-]+): var\(--fim-hue-(\w+)\);", _TABLE))
"""Each role's hue."""
ROLES = {name: LIGHT[hue] for name, hue in HUES.items()}
"""Each role's colour on a white page."""
INK = "#010203"
"""In plots: stands for the colour of the page's text, which is put in its place."""
PAPER = "var(--fim-paper, #ffffff)"
"""What the page is written on, whatever its theme."""
VARIANTS = ("one", "two", "three", "four", "five", "six")
"""For what is compared and has no role of its own."""
FIELDS = {"colour", "other", "rises", "falls"}
"""The fields of panels and of parts of a scene that hold a role."""


def role(name: str) -> str:
    """A role's colour on a white page.

    Raises:
        ValueError: there is no such role.
    """
    if name not in ROLES:
        raise ValueError(unknown(name))
    return ROLES[name]


def unknown(name: str) -> str:
    """What is wrong with a colour that is no role."""
    return f"colour = {name!r}: must be a role, one of {', '.join(ROLES)}"


def themed(name: str) -> str:
    """A role's colour in SVG or CSS, whatever the page's theme."""
    return f"var(--fim-{name}, {role(name)})"


def in_theme(svg: str) -> str:
    """A plot drawn in roles, with the colours of the page's theme; what is white is the page itself.

    Raises:
        ValueError: a colour is no role's.
    """
    hues = {value: f"var(--fim-hue-{hue}, {value})" for hue, value in LIGHT.items()}
    known = {**hues, "#ffffff": PAPER, INK: "currentColor"}

    def variable(colour: re.Match[str]) -> str:
        if colour[0] not in known:
            raise ValueError(unknown(colour[0]))
        return known[colour[0]]

    return re.sub(r"(?<=: )#[0-9a-f]{6}\b", variable, svg)


def inside(shown: Any) -> Iterator[str]:
    """The roles that a panel names, and those of all that it holds."""
    if isinstance(shown, tuple):
        for field, item in zip(getattr(shown, "_fields", [""] * len(shown)), shown, strict=True):
            if isinstance(item, str) and field in FIELDS:
                yield item
            elif field == "colours":
                yield from item
            else:
                yield from inside(item)
