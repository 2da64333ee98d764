"""The chapter's pictures: one prompt in two decoding steps; six relations as six ways to match."""

from __future__ import annotations

from collections.abc import Sequence

from IPython.display import HTML

from book.recall.common import TABLE_1

FIRST, SECOND, QUERY, EOS, RELATION = "#2a8fd0", "#d9731a", "#1f9e77", "#8a8a8a", "#8a63c9"
"""The book's token colours, in shades that serve on light and on dark pages."""

TOKENS = (
    ("s₁", "Paris", FIRST),
    ("a₁", "France", FIRST),
    ("s₂", "Rome", SECOND),
    ("a₂", "Italy", SECOND),
    ("s₃", "Madrid", QUERY),
    ("EoS", "end", EOS),
    ("r*", "capital", RELATION),
)
WIDTH, TOP, HEIGHT = 400, 130, 40
TIP = (
    '<marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 L8 4 L0 8 z" fill="currentColor"/></marker>'
)


def two_steps(first: Sequence[float], second: Sequence[float]) -> HTML:
    """Both decoding steps, each an SVG whose arcs are as wide as the attention they stand for.

    Args:
        first: the six attention weights from EoS.
        second: the seven from the decoded relation.
    """
    return HTML(
        '<div class="diagram">'
        + _step("Step 1: name the relation", first, "capital of", RELATION)
        + _step("Step 2: answer", second, "Spain", QUERY)
        + "</div>"
    )


NAMES = ("r* = r₁", "r₂ confusing", "r₃", "r₄", "r₅", "r₆")
CELL = 34


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


DASHES = ' stroke-dasharray="3 3"'


def _mark(x: float, y: float, subject: int, answer: int) -> str:
    """A full dot where both tokens are in the prompt, a hollow one in the column of the unseen answer."""
    colour = (FIRST, SECOND, QUERY)[subject]
    fill = "none" if answer == 2 else colour
    return f'<circle cx="{x}" cy="{y}" r="9" fill="{fill}" stroke="{colour}" stroke-width="2"/>'


def _step(title: str, weights: Sequence[float], says: str, colour: str) -> str:
    count = len(weights)
    gap, width = (8, 54) if count == 6 else (6, 48)
    left = (WIDTH - count * width - (count - 1) * gap) / 2
    middles = [left + i * (width + gap) + width / 2 for i in range(count)]
    arcs = "".join(
        _arc(middles[-1], x, w, TOKENS[i][2]) for i, (x, w) in enumerate(zip(middles, weights, strict=True))
    )
    boxes = "".join(_token(i, x, width) for i, x in enumerate(middles))
    described = ", ".join(f"{TOKENS[i][1]} {weight:.2f}" for i, weight in enumerate(weights))
    label = f"{title}. Attention from the last token: {described}. The memory says: {says}."
    return (
        f'<svg viewBox="0 0 {WIDTH} 228" role="img" aria-label="{label}"><defs>{TIP}</defs>'
        f'<text x="{left}" y="20" font-size="14" font-weight="600" fill="currentColor">{title}</text>'
        f"{arcs}{boxes}{_memory(middles[-1], says, colour)}</svg>"
    )


def _token(number: int, middle: float, width: float) -> str:
    symbol, word, colour = TOKENS[number]
    return (
        f'<rect x="{middle - width / 2}" y="{TOP}" width="{width}" height="{HEIGHT}" rx="7" fill="none" '
        f'stroke="{colour}" stroke-width="2"/>'
        f'<text x="{middle}" y="{TOP + 17}" text-anchor="middle" font-size="12" fill="currentColor">{word}</text>'
        f'<text x="{middle}" y="{TOP + 33}" text-anchor="middle" font-size="12" fill="{colour}">{symbol}</text>'
    )


def _arc(start: float, end: float, weight: float, colour: str) -> str:
    """From the last token to another, or a small loop above the token itself; nothing below one per cent."""
    if weight < 0.01:
        return ""
    y, spread = TOP - 4, 10 if start == end else 0
    rise = 46 + 0.16 * abs(start - end)
    path = f"M{start - spread} {y} C {start - 2 * spread} {y - rise}, {end + 2 * spread} {y - rise}, {end + spread} {y}"
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{1 + 10 * weight:.2f}" '
        'stroke-linecap="round" opacity="0.85"/>'
    )


def _memory(middle: float, says: str, colour: str) -> str:
    y = TOP + HEIGHT + 20
    left = WIDTH - 210
    return (
        f'<path d="M{middle} {y - 18} V{y}" stroke="currentColor" stroke-width="1.5"/>'
        f'<rect x="{left}" y="{y}" width="200" height="34" rx="7" fill="none" stroke="currentColor"/>'
        f'<text x="{left + 100}" y="{y + 22}" text-anchor="middle" font-size="13" fill="currentColor">'
        "memory (MLP), frozen</text>"
        f'<path d="M{left - 4} {y + 17} H{left - 30}" stroke="currentColor" marker-end="url(#tip)"/>'
        f'<text x="{left - 42}" y="{y + 22}" text-anchor="end" font-size="15" font-weight="600" fill="{colour}">'
        f"{says}</text>"
    )
