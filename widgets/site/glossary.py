"""The glossary as one list by letters, with a row of letters to jump to them.

Its page is written by chapters, a section with a ``{glossary}`` each. Readers look a word up: here the terms of all
sections stand in one order, each with its section's title behind it, and old addresses of the sections lead to the row.
The first section has the words that need no such title.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from docutils import nodes
from sphinx.addnodes import glossary
from sphinx.application import Sphinx

BEFORE_CONTENTS = 400
"""The priority of the listener: Sphinx gathers the page's contents at 500."""


class Entry(NamedTuple):
    """A term with its definition, and the title of the section that it stood in; empty in the first one."""

    item: nodes.definition_list_item
    section: str

    @property
    def word(self) -> str:
        """The term, as it is sorted."""
        return next(self.item.findall(nodes.term)).astext().lower()


def setup(app: Sphinx) -> None:
    """Called by :mod:`widgets.site.markup`, which knows the glossary's page."""
    app.connect("doctree-read", _by_letters, priority=BEFORE_CONTENTS)


def _by_letters(app: Sphinx, doctree: nodes.document) -> None:
    """Put the terms of the glossary's page in one order."""
    if app.env.docname != app.config.glossary_page:
        return
    sections = [section for section in doctree.findall(nodes.section) if _has_terms(section)]
    if not sections:
        return
    entries = sorted(_entries(sections), key=lambda entry: entry.word)
    for item, section in entries:
        if section:
            next(item.findall(nodes.term)).extend(
                [nodes.Text(" "), nodes.inline("", section, classes=["chapter"])]
            )
    letters = [(letter, list(some)) for letter, some in groupby(entries, key=lambda entry: entry.word[0])]
    page = sections[0].parent
    place = page.index(sections[0])
    row = nodes.paragraph(classes=["letters"], ids=[id_ for section in sections for id_ in section["ids"]])
    for letter, _ in letters:
        row += [nodes.reference("", letter.upper(), refid=anchor(letter), internal=True), nodes.Text(" ")]
    for section in sections:
        page.remove(section)
    page[place:place] = [row, *(_section(letter, some) for letter, some in letters)]


def anchor(letter: str) -> str:
    """The place of the words with this first letter."""
    return f"letter-{letter}"


def _has_terms(section: nodes.section) -> bool:
    return any(isinstance(child, glossary) for child in section.children)


def _entries(sections: list[nodes.section]) -> Iterator[Entry]:
    for place, section in enumerate(sections):
        title = section[0].astext() if place else ""
        yield from (Entry(item, title) for item in section.findall(nodes.definition_list_item))


def _section(letter: str, entries: list[Entry]) -> nodes.section:
    listed = nodes.definition_list("", *(entry.item for entry in entries), classes=["glossary"])
    title = nodes.title("", letter.upper())
    return nodes.section("", title, glossary("", listed), ids=[anchor(letter)], names=[])
