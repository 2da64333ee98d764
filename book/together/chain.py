"""The chapter's picture: what each paper's model takes, does and hands on, and the pages on which two are joined."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from IPython.display import HTML

from widgets.figure.colours import themed

WIDTH, HEIGHT = 230, 122
"""The size of a drawing, in pixels."""
ROWS = (26, 66, 106)
"""Where lines of words stand."""


class Part(NamedTuple):
    """A model of the chain: its chapter, what it does in words, a drawing of it, and what it hands on."""

    chapter: str
    authors: str
    does: str
    drawing: str
    """What stands inside an SVG of ``WIDTH`` and ``HEIGHT``."""
    words: str
    """The drawing in words, for readers who cannot see it."""
    gives: str
    page: str
    """Where the next model takes what it gives; empty for the last."""


def _word(text: str, x: float, y: float, colour: str = "", anchor: str = "start") -> str:
    """A word, bold in the colour of a role if it has one."""
    look = f'fill="{themed(colour)}" font-weight="700"' if colour else 'fill="currentColor"'
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {look}>{text}</text>'


def _joined(left: str, right: str, y: float, colour: str, word: str, dashed: bool = False) -> str:
    """Two words with a line between them, and what it stands for above the line."""
    ends = (_word(left, 0, y, colour), _word(right, WIDTH, y, colour, "end"))
    dash = ' stroke-dasharray="3 4"' if dashed else ""
    line = f'<path d="M66,{y - 5}H140" stroke="{themed("relation")}" stroke-width="3"{dash}/>'
    return "".join((*ends, line, _word(word, 103, y - 11, anchor="middle")))


def _sentence(words: Iterable[tuple[str, int, str]], y: float) -> str:
    return "".join(_word(text, x, y, colour, "middle") for text, x, colour in words)


READS = (
    '<path d="M18,60C40,6 170,6 196,60" fill="none" stroke="currentColor" stroke-width="3"/>'
    + _sentence(
        (
            ("Bob", 18, "target-1"),
            ("eats", 62, ""),
            ("the", 99, ""),
            ("ripe", 134, ""),
            ("banana", 192, "target-2"),
        ),
        78,
    )
    + _word("these two belong together", 115, 112, "", "middle")
)
STORES = "".join(
    _joined(*fact, y, "query", word)
    for y, fact, word in zip(
        ROWS,
        (("Alice", "California"), ("Paris", "France"), ("Madrid", "Spain")),
        ("born in", "capital of", "capital of"),
        strict=True,
    )
)
LOOKS_UP = (
    _joined("Paris", "France", ROWS[0], "first", "capital of?")
    + _joined("Rome", "Italy", ROWS[1], "second", "capital of?")
    + _joined("Madrid", "Spain", ROWS[2], "query", "so …", dashed=True)
)
PARTS = (
    Part(
        "recognise",
        "Yang et al.",
        "finds the words that matter",
        READS,
        "In “Bob eats the ripe banana” an arc joins Bob and banana: these two belong together.",
        "which words to look at",
        "reading",
    ),
    Part(
        "acquire",
        "Xu and Chen",
        "stores facts",
        STORES,
        "Facts: Alice was born in California, Paris is the capital of France, and Madrid that of Spain.",
        "a memory of facts",
        "stored",
    ),
    Part(
        "recall",
        "Huang et al.",
        "looks a fact up",
        LOOKS_UP,
        "Paris and France, Rome and Italy: what joins them is “capital of”. So Madrid leads to Spain.",
        "",
        "",
    ),
)


def chain() -> HTML:
    """The three models in a row, on a phone below each other, with what each hands on between them."""
    items = "".join(_part(part) for part in PARTS)
    return HTML(f'<figure class="picture chain"><ol>{items}</ol></figure>')


def _part(part: Part) -> str:
    handed = f'<a href="{part.page}.html">{part.gives}</a>' * bool(part.gives)
    drawing = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{part.words}">{part.drawing}</svg>'
    return (
        f'<li><span class="part"><a href="../{part.chapter}/index.html"><b>{part.chapter.capitalize()}</b></a> '
        f"{part.does}<small>{part.authors}</small>{drawing}</span>{handed}</li>"
    )
