"""Drawings among which a reader chooses, or whose parts a choice moves, without any script: see ``fim-choice`` in
``book.css``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from IPython.display import HTML

from book.figures import CAPTION
from book.sketch import Sketch, colour


def chosen(what: str, labels: Sequence[str], panels: Sequence[str], caption: str) -> HTML:
    """A figure with a row of labels to choose from, above one sentence that says what it shows.

    Args:
        what: is chosen, in words of letters only; no other figure of the page may have the same.
        labels: at most five; the first is chosen at first.
        panels: what is shown for each of them; or a single :class:`Moving`, whose parts have a place for each.
    """
    name = re.sub(r"\W+", "-", what)
    inputs = "".join(
        f'<input type="radio" name="{name}" id="{name}-{place}"{" checked" * (place == 1)}>'
        f'<label for="{name}-{place}">{label}</label>'
        for place, label in enumerate(labels, 1)
    )
    shown = "".join(f'<div class="diagram">{one}</div>' for one in panels)
    moves = " fim-choice-moves" * (len(panels) == 1)
    below = f'<figcaption style="{CAPTION}">{caption}</figcaption>'
    choice = f'<div class="fim-choice{moves}" role="radiogroup" aria-label="{what}">{inputs}{shown}</div>'
    return HTML(f"<figure>{choice}{below}</figure>")


class Moving(Sketch):
    """A drawing with parts that stand elsewhere for each choice: ``to`` says where."""

    def moving_dot(self, to: Sequence[float], y: float, radius: float, role: str) -> None:
        """A dot, half filled."""
        self._add(
            f'<circle cx="{to[0]:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour(role)}" fill-opacity="0.45" '
            f'stroke="{colour(role)}" stroke-width="1.3" style="{_moves(to)}"/>'
        )

    def moving_line(self, to: Sequence[float], y1: float, y2: float, role: str) -> None:
        """A thick upright line."""
        self._add(
            f'<line x1="{to[0]:.1f}" y1="{y1:.1f}" x2="{to[0]:.1f}" y2="{y2:.1f}" stroke="{colour(role)}" '
            f'stroke-width="3" style="{_moves(to)}"/>'
        )


def _moves(to: Sequence[float]) -> str:
    """By how much a part is moved for each choice from where it stands at first, as its style."""
    return ";".join(f"--to-{place}:{there - to[0]:.1f}px" for place, there in enumerate(to, 1))
