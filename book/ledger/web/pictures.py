"""The drawings with which the book's own places open: what all statements come to, errata, named words, a lesson.

They are made from the ledger, or from the page's own tables. :mod:`book.ledger.web.places` puts them into pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from docutils import nodes

from book.figures import listed
from book.ledger.entries import SIGNS, entries, tone, with_declared
from book.ledger.proofs import Rank, Survival
from book.ledger.web.errata import RANKS, SURVIVAL, rank_anchor
from book.ledger.web.templates import macros
from book.paper import CHAPTERS, PAPERS
from book.sketch import WIDTH, Sketch
from widgets.figure.colours import VARIANTS


def _picture(macro: str, **values: Any) -> str:
    """What a macro of ``templates/pictures.html`` draws."""
    return str(getattr(macros("pictures.html"), macro)(**values))


def verdicts() -> str:
    """A sign for each statement, by chapter, the best first; below, the verdicts of each sign as links that filter."""
    known = entries()
    chapters = [
        _chapter(paper.chapter, [entry["verdict"] for entry in entries(f"{paper.room}.")])
        for paper in CHAPTERS
    ]
    tally = Counter(entry["verdict"] for entry in known)
    key = [
        (
            sign,
            role,
            [(verdict, tally[verdict]) for verdict in ORDER if tally[verdict] and tone(verdict) == role],
        )
        for role, sign in OF_TONE.items()
    ]
    by_tone = Counter(tone(entry["verdict"]) for entry in known)
    judged = by_tone.total() - by_tone["none"]
    caption = (
        f"Each sign is a statement. Of the {judged} that our runs can judge, {by_tone['good']} are confirmed or "
        f"proved, {by_tone['warn']} in part or with a correction, and {by_tone['bad']} did not come out. "
        "Choose a verdict to list its statements."
    )
    return _picture("verdicts", chapters=chapters, key=key, caption=caption)


def _chapter(name: str, found: Sequence[str]) -> dict[str, Any]:
    """A chapter's signs, by colour, and the same in words."""
    tally = Counter(found)
    by_tone = Counter(map(tone, found))
    return {
        "name": name,
        "signs": [(sign, role, by_tone[role]) for role, sign in OF_TONE.items()],
        "words": listed(f"{tally[verdict]} {verdict}" for verdict in ORDER if tally[verdict]),
    }


OF_TONE = {
    role: SIGNS[verdict]
    for role, verdict in (
        ("good", "confirmed"),
        ("warn", "confirmed in part"),
        ("bad", "not reproduced"),
        ("none", "in use"),
    )
}
"""A sign for all verdicts of one colour, where there are many: the lists below have a sign for each verdict."""
ORDER = sorted(SIGNS, key=lambda verdict: ("good", "warn", "bad", "none").index(tone(verdict)))
"""The verdicts as the picture has them: all signs of a colour together."""


def wrong() -> str:
    """A sign for each erratum, by paper and rank, beside the number of formulas found right."""
    papers = [
        {
            "chapter": paper.chapter,
            "ranks": [(rank_anchor(paper.room, rank), _survivals(paper.room, rank)) for rank in RANKS],
            "right": sum(len(entry["checked"]) for entry in entries(f"{paper.room}.")),
        }
        for paper in PAPERS
    ]
    caption = "Each sign is a formula that is wrong as printed; the last column counts those found right."
    return _picture("wrong", papers=papers, survivals=SURVIVAL, caption=caption)


def _survivals(room: str, rank: Rank) -> Counter[Survival]:
    """What becomes of the statements that a paper's errata of one rank belong to."""
    return Counter(
        declared.survival
        for entry in entries(f"{room}.")
        for stored, declared in with_declared(entry)
        if stored["rank"] == rank
    )


class Word(NamedTuple):
    """A word of a sentence, the role of its colour, and what it is called."""

    text: str
    role: str
    called: str


SENTENCES = {
    "Recognise: is Bob eating a banana?": (
        Word("Bob", "target-1", "target word"),
        Word("eats", "other", "irrelevant word"),
        Word("the", "common", "common word"),
        Word("ripe", "other", ""),
        Word("banana", "target-2", "target word"),
    ),
    "Acquire: a fact, and a question about it": (
        Word("Alice", "subject", "subject"),
        Word("was born in", "phrase", "phrase"),
        Word("California", "answer", "answer"),
        Word("’s birthplace?", "format", "format token"),
    ),
    "Recall: which fact, and whose?": (
        Word("Paris", "first", ""),
        Word("France", "first", "pair"),
        Word("Rome", "second", ""),
        Word("Italy", "second", "pair"),
        Word("Madrid", "query", "query"),
        Word("EoS", "eos", ""),
    ),
}
"""The chapters' own sentences, with the words that the glossary explains."""


def words() -> str:
    """The three sentences of the book, and what each of their words is called."""
    drawn = [_sentence(title, some) for title, some in SENTENCES.items()]
    caption = (
        "One sentence stands for each paper. Below each word stands the name that this book uses for it."
    )
    return _picture("drawn", kind="words", sketches=drawn, caption=caption)


def _sentence(title: str, some: Sequence[Word]) -> str:
    """A sentence as words in boxes, each as wide as its letters need; below them their names, on two lines by turns."""
    sketch = Sketch(title, 96)
    letters = [len(word.text) + 2 for word in some]
    gap = 4
    unit = (WIDTH - gap * (len(some) - 1)) / sum(letters)
    x = 0.0
    named = 0
    for word, long in zip(some, letters, strict=True):
        sketch.word(x, 28, unit * long, word.text, word.role)
        if word.called:
            low = 12 * 1.4 * (named % 2)
            middle = min(max(x + unit * long / 2, 34), WIDTH - 34)
            sketch.line(x + unit * long / 2, 56, x + unit * long / 2, 62 + low, word.role)
            sketch.words(middle, 74 + low, word.called, anchor="middle", size=13)
            named += 1
        x += unit * long + gap
    said = listed(f"“{word.text}” is called {word.called}" for word in some if word.called)
    return sketch.svg(f"{title} {said}.")


def lesson(doctree: nodes.document) -> str:
    """The parts of a lesson along its minutes, from the page's first table of minutes.

    Raises:
        ValueError: the page has no such table.
    """
    parts = next(filter(None, map(lesson_of, doctree.findall(nodes.table))), None)
    if not parts:
        raise ValueError(
            "a picture of a lesson: must stand in a page with a table whose first column is headed minutes"
        )
    length = parts[-1].end
    sketch = Sketch(f"A lesson of {length} minutes", 116)
    for place, part in enumerate(parts):
        left, right = (WIDTH * minute / length for minute in (part.start, part.end))
        sketch.box(left + 1, 56, right - left - 2, 20, VARIANTS[place % len(VARIANTS)], filled=0.35, corner=3)
        middle = min(max((left + right) / 2, 22), WIDTH - 30)
        y, end = (46, 50) if place % 2 else (104, 92)
        sketch.line((left + right) / 2, 56 if place % 2 else 76, (left + right) / 2, end, "faint")
        sketch.words(middle, y, part.words, anchor="middle", size=13)
        sketch.words(left + 3, 70, str(part.start), size=12)
    sketch.words(WIDTH - 3, 70, str(length), size=12, anchor="end")
    said = listed(f"{part.words} from minute {part.start} to {part.end}" for part in parts)
    return _picture(
        "drawn",
        kind="lesson",
        sketches=[sketch.svg(f"A lesson: {said}.")],
        caption="The minutes of each of the three lessons below, which are about these three pages:",
    )


class Part(NamedTuple):
    """A part of a lesson: its first and last minute, and what it is called."""

    start: int
    end: int
    words: str


def lesson_of(table: nodes.table) -> list[Part]:
    """The parts that a table of minutes lists, by the bold words of each row; none if it is another table."""
    head, *rows = ([*row.findall(nodes.entry)] for row in table.findall(nodes.row))
    if head[0].astext() != "minutes":
        return []
    parts = []
    for minutes, what in rows:
        start, end = map(int, minutes.astext().split("–"))
        parts.append(Part(start, end, next(iter(what.findall(nodes.strong))).astext().rstrip(".")))
    return parts
