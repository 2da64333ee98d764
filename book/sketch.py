"""Drawings made from code: words in boxes, lines as wide as a weight, bars and dots, in the page's ink and colours.

A drawing is as wide as a phone's text, and its letters have the size of the page's there; :func:`book.figures.figure`
stands several side by side where there is room.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from widgets.figure.colours import PAPER, themed

WIDTH = 330
"""The width of every drawing, in its own units: about a pixel each, on a phone and on a laptop."""
LETTER = 14
"""The height of letters in the same units; none is smaller than 12."""

PAGE = {"ink": "currentColor", "paper": PAPER}


def colour(role: str) -> str:
    """A role's colour in any theme; ``"ink"`` is that of the page's text, ``"paper"`` what it is written on."""
    return PAGE.get(role) or themed(role)


def percent(share: float) -> str:
    """A share as "20 %"; what is there and less than one is "<1 %"."""
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


class Sketch:
    """One drawing: what is drawn first lies below what is drawn later. ``y`` counts from the top."""

    def __init__(self, title: str, height: float) -> None:
        self._height = height
        self._moments = 0
        self._parts: list[str] = []
        self.words(0, 16, title, size=15, bold=True)

    def words(
        self,
        x: float,
        y: float,
        text: str,
        role: str = "ink",
        *,
        size: float = LETTER,
        anchor: str = "start",
        bold: bool = False,
        halo: bool = False,
    ) -> None:
        """A line of text that starts, ends or has its middle at ``x``; ``halo`` clears what lies behind it."""
        extra = ' font-weight="600"' if bold else ""
        if halo:
            extra += (
                f' stroke="{PAGE["paper"]}" stroke-width="5" stroke-linejoin="round" paint-order="stroke"'
            )
        self._add(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" fill="{colour(role)}"{extra}>'
            f"{escape(text)}</text>"
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        role: str,
        *,
        filled: float = 0.0,
        dashed: bool = False,
        corner: float = 5,
    ) -> None:
        """A box in a role's colour, its inside that opaque."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self._add(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{corner:g}" '
            f'fill="{colour(role)}" fill-opacity="{filled:g}" stroke="{colour(role)}" stroke-width="1.3"{dash}/>'
        )

    def word(self, x: float, y: float, width: float, text: str, role: str, **how: Any) -> None:
        """A word in a box of its role's colour; ``x``, ``y`` are the box's left upper corner, and it is 28 high."""
        self.box(x, y, width, 28, role, filled=0.12, **how)
        self.words(x + width / 2, y + 19, text, role, anchor="middle")

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        role: str = "ink",
        *,
        width: float = 1.3,
        strength: float = 1.0,
        dashed: bool = False,
    ) -> None:
        """A straight line, ``strength`` from 0 to 1 its opacity."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self._add(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour(role)}" '
            f'stroke-width="{width:.2f}" stroke-opacity="{strength:g}"{dash}/>'
        )

    def arrow(self, x1: float, y1: float, x2: float, y2: float, role: str = "ink") -> None:
        """An arrow straight down or to the right."""
        self.line(x1, y1, x2, y2, role)
        back = ((-4, -6), (4, -6)) if y2 != y1 else ((-6, -4), (-6, 4))
        points = " ".join(f"{x2 + dx:.1f},{y2 + dy:.1f}" for dx, dy in ((0, 0), *back))
        self._add(f'<polygon points="{points}" fill="{colour(role)}"/>')

    def bar(self, x1: float, x2: float, y: float, height: float, role: str, strength: float = 1.0) -> None:
        """A bar from ``x1`` to ``x2``, in either order, below ``y``."""
        self._add(
            f'<rect x="{min(x1, x2):.1f}" y="{y:.1f}" width="{max(abs(x2 - x1), 1):.1f}" height="{height:.1f}" '
            f'fill="{colour(role)}" fill-opacity="{strength:g}"/>'
        )

    def shares(
        self, x: float, y: float, width: float, height: float, roles: Sequence[str], weights: Sequence[float]
    ) -> None:
        """Bars end to end from ``x``, each as wide as a weight's share of ``width``: what is mixed in which shares."""
        for role, weight in zip(roles, weights, strict=True):
            self.bar(x, x + width * weight, y, height, role)
            x += width * weight

    def dot(self, x: float, y: float, radius: float, role: str, *, filled: float = 1.0) -> None:
        """A dot, or a ring where ``filled`` is 0."""
        self._add(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour(role)}" fill-opacity="{filled:g}" '
            f'stroke="{colour(role)}" stroke-width="1.3"/>'
        )

    def then(self) -> None:
        """What is drawn from here on is the next of the drawing's moments: see ``fim-moments`` in ``book.css``."""
        self._moments += 1
        self._parts.append(f'{"</g>" * (self._moments > 1)}<g class="moment-{self._moments}">')

    def svg(self, label: str) -> str:
        """The drawing with ``label`` as its alternative text, which must say what flows where."""
        return (
            f'<svg viewBox="0 0 {WIDTH} {self._height:g}" role="img" aria-label="{escape(label)}">'
            f"{''.join(self._parts)}{'</g>' * bool(self._moments)}</svg>"
        )

    def _add(self, part: str) -> None:
        self._parts.append(part)
