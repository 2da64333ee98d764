"""The chapter's picture: six relations as six ways to match."""

from __future__ import annotations

from collections.abc import Sequence

from IPython.display import HTML

from book.recall.common import TABLE_1
from widgets.figure.colours import themed

FIRST, SECOND, QUERY = map(themed, ("first", "second", "query"))

NAMES = ("r* = r₁", "r₂ confusing", "r₃", "r₄", "r₅", "r₆")
CELL = 34
DASHES = ' stroke-dasharray="3 3"'


def six_relations(attention: Sequence[float]) -> HTML:
    """The six relations as grids of subject × answer; a matched cell holds the product of the two weights.

    Args:
        attention: v₁ … v₅ or more, from EoS to s₁, a₁, s₂, a₂, s₃.
    """
    return HTML('<div class="diagram">' + "".join(_grid(i, attention) for i in range(6)) + "</div>")


def _grid(number: int, v: Sequence[float]) -> str:
    subjects, answers = (v[0], v[2], v[4]), (v[1], v[3], 0.0)
    matched = tuple(enumerate(TABLE_1[number]))
    products = [subjects[i] * answers[j] for i, j in matched if j < 2]
    sums = " + ".join(f"{product:.3f}" for product in products)
    label = f"{NAMES[number]}: products {sums}, in all {sum(products):.3f}."
    left, top = 40, 46
    cells = "".join(
        f'<rect x="{left + CELL * j}" y="{top + CELL * i}" width="{CELL}" height="{CELL}" fill="none" '
        f'stroke="currentColor" stroke-opacity="0.35"{DASHES if j == 2 else ""}/>'
        for i in range(3)
        for j in range(3)
    )
    marks = "".join(_mark(left + CELL * (j + 0.5), top + CELL * (i + 0.5), i, j) for i, j in matched)
    heads = "".join(
        f'<text x="{left + CELL * (j + 0.5)}" y="{top - 8}" text-anchor="middle" font-size="13" '
        f'fill="currentColor">a{"₁₂₃"[j]}</text>'
        f'<text x="{left - 10}" y="{top + CELL * (j + 0.5) + 5}" text-anchor="end" font-size="13" '
        f'fill="currentColor">s{"₁₂₃"[j]}</text>'
        for j in range(3)
    )
    return (
        f'<svg viewBox="0 0 260 156" role="img" aria-label="{label}">'
        f'<text x="12" y="18" font-size="14" font-weight="600" fill="currentColor">{NAMES[number]}</text>'
        f"{cells}{marks}{heads}"
        f'<text x="{left + 3 * CELL + 14}" y="{top + CELL * 1.5}" font-size="13" fill="currentColor">{sums}</text>'
        f'<text x="{left + 3 * CELL + 14}" y="{top + CELL * 1.5 + 20}" font-size="13" font-weight="600" '
        f'fill="currentColor">= {sum(products):.3f}</text></svg>'
    )


def _mark(x: float, y: float, subject: int, answer: int) -> str:
    """A full dot where both tokens are in the prompt, a hollow one in the column of the unseen answer."""
    colour = (FIRST, SECOND, QUERY)[subject]
    fill = "none" if answer == 2 else colour
    return f'<circle cx="{x}" cy="{y}" r="9" fill="{fill}" stroke="{colour}" stroke-width="2"/>'
