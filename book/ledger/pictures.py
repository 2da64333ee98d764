"""The drawings with which the book's own places open: what all statements come to, errata, named words, a lesson.

A page says where one stands, ``<div data-picture="verdicts"></div>``; it is made from the ledger, or from the page's
own tables, when the page is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx

from book.figures import listed
from book.ledger.proofs import Rank
from book.ledger.tables import RANKS, SIGNS, SURVIVAL, entries, rank_anchor, tone, with_declared
from book.paper import CHAPTERS, PAPERS
from book.sketch import WIDTH, Sketch
from widgets.figure.colours import VARIANTS

PLACE = re.compile(r'<div data-picture="([^"]*)"></div>')


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.quotes`."""
    app.connect("html-page-context", _draw)


def _draw(
    _app: object, page: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the drawings into a page.

    Raises:
        ValueError: it names one that is not there.
    """

    def picture(place: re.Match[str]) -> str:
        if place[1] not in PICTURES:
            raise ValueError(f"{page}: data-picture = {place[1]!r}: must be one of {', '.join(PICTURES)}")
        assert doctree is not None
        return PICTURES[place[1]](doctree)

    context["body"] = PLACE.sub(picture, context.get("body", ""))


def _figure(kind: str, inside: str, caption: str) -> str:
    return f'<figure class="picture {kind}">{inside}<figcaption>{caption}</figcaption></figure>'


def _signs(sign: str, role: str, many: int) -> str:
    """A number of equal signs, each a statement or a formula; a screen reader is told their number elsewhere."""
    return f'<span class="{role}" aria-hidden="true">{f"<i>{sign}</i>" * many}</span>'


def verdicts(_doctree: nodes.document) -> str:
    """A sign for each statement, by chapter, the best first; below, the verdicts of each sign as links that filter."""
    known = entries()
    rows = []
    for paper in CHAPTERS:
        tally = Counter(entry["verdict"] for entry in known if entry["id"].startswith(f"{paper.room}."))
        present = [verdict for verdict in ORDER if tally[verdict]]
        signs = "".join(
            _signs(sign, role, sum(tally[verdict] for verdict in present if tone(verdict) == role))
            for role, sign in OF_TONE.items()
        )
        words = listed(f"{tally[verdict]} {verdict}" for verdict in present)
        rows.append(
            f'<li><b>{escape(paper.chapter)}</b><span class="signs" role="img" aria-label="{words}">{signs}</span></li>'
        )
    tally = Counter(entry["verdict"] for entry in known)
    key = "".join(
        f'<li><span class="{role}" aria-hidden="true">{sign}</span> {_links(role, tally)}</li>'
        for role, sign in OF_TONE.items()
    )
    by_tone = Counter(tone(entry["verdict"]) for entry in known)
    judged = by_tone.total() - by_tone["none"]
    caption = (
        f"Each sign is a statement. Of the {judged} that our runs can judge, {by_tone['good']} are confirmed or "
        f"proved, {by_tone['warn']} in part or with a correction, and {by_tone['bad']} did not come out. "
        "Choose a verdict to list its statements."
    )
    return _figure("tally", f'<ul>{"".join(rows)}</ul><ul class="key">{key}</ul>', caption)


def _links(role: str, tally: Mapping[str, int]) -> str:
    """The verdicts of one colour, each a link that lists its statements."""
    return " ".join(
        f'<a href="#?verdict={verdict.replace(" ", "+")}">{verdict} <b>{tally[verdict]}</b></a>'
        for verdict in ORDER
        if tally[verdict] and tone(verdict) == role
    )


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


def wrong(_doctree: nodes.document) -> str:
    """A sign for each erratum, by paper and rank, beside the number of formulas found right."""
    rows = []
    for paper in PAPERS:
        known = entries(f"{paper.room}.")
        cells = "".join(_wrong_cell(paper.room, rank, known) for rank in RANKS)
        right = sum(len(entry["checked"]) for entry in known)
        rows.append(f'<tr><th scope="row">{escape(paper.chapter)}</th>{cells}<td>{right}</td></tr>')
    heads = "".join(
        f'<th scope="col">{words}</th>' for words in ("in a statement", "in a proof", "misprint", "right")
    )
    key = "".join(
        f'<span><span class="{role}" aria-hidden="true">{sign}</span> {survival}</span>'
        for survival, (sign, role) in SURVIVAL.items()
    )
    table = f"<table><thead><tr><td></td>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    caption = "Each sign is a formula that is wrong as printed; the last column counts those found right."
    return _figure("wrong", f'<p class="key">{key}</p>{table}', caption)


def _wrong_cell(room: str, rank: Rank, known: Sequence[dict[str, Any]]) -> str:
    """The errata of one rank in a paper: their number leads to their list."""
    survivals = Counter(
        declared.survival
        for entry in known
        for stored, declared in with_declared(entry)
        if stored["rank"] == rank
    )
    if not survivals:
        return "<td>0</td>"
    signs = "".join(_signs(sign, role, survivals[kind]) for kind, (sign, role) in SURVIVAL.items())
    return f'<td><a href="#{rank_anchor(room, rank)}">{survivals.total()}</a> {signs}</td>'


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


def words(_doctree: nodes.document) -> str:
    """The three sentences of the book, and what each of their words is called."""
    drawn = "".join(_sentence(title, some) for title, some in SENTENCES.items())
    caption = (
        "One sentence stands for each paper. Below each word stands the name that this book uses for it."
    )
    return _figure("words", f'<div class="diagram">{drawn}</div>', caption)


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
    drawn = f'<div class="diagram">{sketch.svg(f"A lesson: {said}.")}</div>'
    return _figure(
        "lesson",
        drawn,
        "The minutes of each of the three lessons below, which are about these three pages:",
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


PICTURES: dict[str, Callable[[nodes.document], str]] = {
    "verdicts": verdicts,
    "wrong": wrong,
    "words": words,
    "lesson": lesson,
}
"""By the name by which a page asks for one."""
