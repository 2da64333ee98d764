"""What a first reader of a page with a figure does not need is folded; the first line of each fold says what is inside.

Of the statements' boxes the first is open, of the others the titles are shown. A paragraph that a cell follows begins a
measurement: its first sentence stays, and code, table and discussion fold below it; the first of the section *Measured*
is open. A long table folds to a line with its columns' names and the number of its rows, and a cell without a paragraph
to what it draws or prints. A page that opens with a table of what the paper says and what is measured has its answer
there: of each section without statements the first sentence stays, and all else folds below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from widgets.site.state import VIEW_SCRIPT

WHOLE = "Exercises"
"""The section in which nothing folds."""
FIRST_OPEN = "Measured"
"""The section whose first measurement is open."""
CONTENT = {"tag_hide-input", "tag_remove-input", "tag_full-width"}
"""Cells whose outputs are what the page is about."""
DRAWING = "<figure"
"""How a drawing begins."""
GOES_ON = (nodes.paragraph, nodes.bullet_list, nodes.math_block, nodes.table)
"""What a measurement may hold beside its cells."""
MOST_ROWS = 12
MOST_CHARACTERS = 1100
CHART = re.compile(r'panel\(\s*"([^"]+)"')
"""The title of a chart, in the code that draws it."""
AFTER_TERMS = 600
"""The priority of listeners: terms have become abbreviations by then."""
END_OF_SENTENCE = re.compile(r"[.?!:](?=\s|$)")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("doctree-resolved", lambda _app, doctree, _page: fold(doctree), priority=AFTER_TERMS)


def fold(doctree: nodes.document) -> None:
    """Fold what a first reader does not need, if the page has a figure."""
    if not _has_figure(doctree):
        return
    notes = list(doctree.findall(nodes.Admonition))
    boxes = [box for box in notes if "proof" in box["classes"]]
    for box in (*boxes[1:], *(note for note in notes if "leaves-out" in note["classes"])):
        _fold_below_title(box)
    folded: list[Any] = []
    if any("compared" in table["classes"] for table in doctree.findall(nodes.table)):
        for section in doctree.findall(nodes.section):
            folded += _fold_section(section)
    for section in doctree.findall(nodes.section):
        title = section[0].astext() if isinstance(section[0], nodes.title) else WHOLE
        if title != WHOLE and section.parent is not doctree:
            folded += _fold_measurements(section, 1 if title == FIRST_OPEN else 0)
    inside = {id(table) for node in folded for table in node.findall(nodes.table)}
    for table in list(doctree.findall(nodes.table)):
        if id(table) not in inside and not _is_in_a_dropdown(table):
            _fold_if_long(table)


def _has_figure(doctree: nodes.document) -> bool:
    """Whether a page has a live figure anywhere, or opens with a drawing."""
    if any(VIEW_SCRIPT.search(raw.astext()) for raw in doctree.findall(nodes.raw)):
        return True
    pages = [node for node in doctree.children if isinstance(node, nodes.section)]
    opening = [node for page in pages for node in page.children if not isinstance(node, nodes.section)]
    return any(DRAWING in raw.astext() for node in opening for raw in node.findall(nodes.raw))


def _fold_below_title(box: nodes.Element) -> None:
    """Fold a box: its title is the first line of the fold."""
    title, *rest = box.children
    box.children = []
    box += _details([title], rest)


def _fold_section(section: nodes.section) -> list[Any]:
    """Fold a section below its first sentence, but for exercises and statements; returns what is folded."""
    is_page = isinstance(section.parent, nodes.document)
    title, *rest = section.children
    paragraphs = [node for node in rest if isinstance(node, nodes.paragraph)]
    if is_page or title.astext() == WHOLE or any(section.findall(nodes.Admonition)) or not paragraphs:
        return []
    paragraph = paragraphs[0]
    summary, remaining = _first_sentence(paragraph)
    if _links(summary):
        remaining = paragraph
    inside = [remaining if node is paragraph else node for node in rest]
    section.children = []
    section += [title, *_details([summary], [node for node in inside if node.children])]
    return inside


def _fold_measurements(section: nodes.section, stay_open: int) -> list[Any]:
    """Fold the measurements of a section, but so many of the first; returns what is folded."""
    folded: list[Any] = []
    groups = [group for group in _measurements(section.children) if any(map(_is_evidence, group))]
    for first, *rest in groups[stay_open:]:
        place = section.index(first)
        if isinstance(first, nodes.paragraph):
            summary, remaining = _first_sentence(first)
            if _links(summary):
                remaining = (
                    first  # the line that is clicked can hold no link, so the sentence stands below it, too
                )
            inside = ([remaining] if remaining.children else []) + rest
        else:
            summary, inside = nodes.inline("", "", *_content(first, *rest)), [first, *rest]
        for node in (first, *rest):
            section.remove(node)
        section.insert(place, _details([summary], inside))
        folded += inside
    return folded


def _measurements(children: Sequence[nodes.Node]) -> Iterator[list[Any]]:
    """The paragraphs and cells of a section in groups.

    Each begins with a head, with a paragraph before a cell, or with a cell that follows none.
    """
    group: list[Any] = []
    for node, after in zip(children, [*children[1:], None], strict=True):
        begins = (_is_evidence(node) and not group) or (
            isinstance(node, nodes.paragraph)
            and (isinstance(node[0], nodes.strong) or (after is not None and _is_evidence(after)))
        )
        goes_on = isinstance(
            node, nodes.paragraph | nodes.bullet_list | nodes.math_block | nodes.literal_block
        )
        if begins or not (goes_on or _is_evidence(node)) or node.astext().startswith("To run it yourself"):
            yield from [group] if group else []
            group = [node] if begins else []
        elif group:
            group.append(node)
    yield from [group] if group else []


def _is_evidence(node: nodes.Node) -> bool:
    """Whether a node is a cell that shows its code, or code."""
    is_cell = isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"
    if is_cell:
        return not CONTENT & set(node["classes"])
    return isinstance(node, nodes.literal_block)


def _content(*group: nodes.Element) -> list[nodes.Node]:
    """What cells without a paragraph draw or print, in words."""
    text = " ".join(node.astext() for node in group)
    if titles := CHART.findall(text):
        return [nodes.Text(f"Chart: {'; '.join(titles)}")]
    tables = [table for node in group for table in node.findall(nodes.table)]
    return (
        [nodes.Text("Table: "), *_columns(tables[0])] if tables else [nodes.Text("Code, and what it prints")]
    )


def _columns(table: nodes.table) -> list[nodes.Node]:
    """The heads of a table's columns, formulas as such."""
    parts: list[nodes.Node] = []
    for entry in (entry for head in table.findall(nodes.thead) for entry in head.findall(nodes.entry)):
        inside = [child for paragraph in entry.findall(nodes.paragraph) for child in paragraph.children]
        if inside:
            parts += [nodes.Text(", ")] if parts else []
        parts += [
            child.deepcopy() if isinstance(child, nodes.math) else nodes.Text(child.astext())
            for child in inside
        ]
    return parts


def _first_sentence(paragraph: nodes.paragraph) -> tuple[nodes.Element, nodes.paragraph]:
    """The first sentence of a paragraph, with what it has for a head, and the rest."""
    first, rest = nodes.inline(), nodes.paragraph()
    is_over = False
    for child in paragraph.children:
        end = None if is_over or not isinstance(child, nodes.Text) else END_OF_SENTENCE.search(child)
        if end:
            is_over = True
            first += nodes.Text(child[: end.end()])
            rest += [nodes.Text(text) for text in [child[end.end() :].lstrip()] if text]
        else:
            (rest if is_over else first).append(child.deepcopy())
    return first, rest


def _is_in_a_dropdown(node: nodes.Element) -> bool:
    """Whether a node stands in what folds anyway, such as the table of symbols or the solution of an exercise."""
    above = node.parent
    while above is not None and "dropdown" not in above.get("classes", ()):
        above = above.parent
    return above is not None


def _fold_if_long(table: nodes.table) -> None:
    """Fold a table of many rows to a line with what its columns are called."""
    rows = [row for body in table.findall(nodes.tbody) for row in body.children]
    is_short = len(rows) <= MOST_ROWS and len(table.astext()) <= MOST_CHARACTERS
    if is_short or "compared" in table["classes"]:
        return
    columns = _columns(table)
    head = f"Table of {len(rows)} rows: " if columns else f"{len(rows)} rows"
    summary = nodes.inline("", "", nodes.Text(head), *columns)
    table.parent.replace(table, _details([summary], [table]))  # replace_self would give the fold its classes


def _links(node: nodes.Element) -> list[Any]:
    """What in a node can be clicked or reached by the keyboard: links, and words with an explanation."""
    return [*node.findall(lambda inner: isinstance(inner, nodes.reference | nodes.abbreviation))]


def _details(summary: Sequence[nodes.Element], inside: Sequence[nodes.Node]) -> list[nodes.Node]:
    """The nodes of a fold, side by side; of links in its first line the words are left."""
    html = {"format": "html"}
    for node in summary:
        for link in _links(node):
            link.parent.replace(link, link.children)
    return [
        nodes.raw("", '<details class="fim-fold"><summary>', **html),
        *summary,
        nodes.raw("", "</summary>", **html),
        *inside,
        nodes.raw("", "</details>", **html),
    ]
