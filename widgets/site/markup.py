"""What Markdown in the book can say besides MyST.

``[lower it](#~temperature=0.02)`` is a link that sets the control with the class ``url-temperature``. The word of
``{term}`saddle` `` shows the glossary's definition, and the formula before the colon in
``{symbol}`v_1: attention to the first subject` `` shows the words after it, when it is pointed at, tapped or focused. A
table whose first column is headed *symbol* is folded. The tables of a cell tagged *stacked*, and a table whose first
column is headed *The paper says*, repeat each column's head in their cells, for phones, where rows are blocks and the
heads are not in sight.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.parsers.rst.states import Inliner
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

from widgets import words
from widgets.site import glossary
from widgets.site.state import OPTIONS

COMPARISONS = ("The paper says", "The reviewer objects")
"""Heads of the first column of a table that compares what is said with what is measured."""
ID = re.compile(r'(<[a-z][^<>]*?) id="([^"]+)"')
ADDRESS_LINK = re.compile(r'href="#~([^"]*)"')


def setup(app: Sphinx) -> None:
    """Register the role and the listeners; ``glossary_page`` is the document that has the glossary."""
    app.add_config_value("glossary_page", "", "env", [str])
    glossary.setup(app)
    app.add_role("symbol", _symbol_role)
    app.add_node(nodes.abbreviation, override=True, html=(_begin_abbreviation, _end_abbreviation))
    for kind in words.KINDS:
        app.add_directive(kind, Words, override=True)  # sphinx-design has cards of its own
    app.connect("doctree-read", _unresolve_address_links)
    app.connect("doctree-read", _fold_symbols)
    app.connect("doctree-read", _mark_comparisons)
    app.connect("doctree-read", _repeat_heads)
    app.connect("doctree-resolved", _define_terms)
    app.connect("html-page-context", _give_ids_once)


class Words(Directive):
    """A block of a figure's words, which the page does not print: the figure shows them (:mod:`widgets.words`)."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {  # noqa: RUF012 - docutils' own way
        option: directives.unchanged for options in words.KINDS.values() for option in options
    }

    def run(self) -> list[nodes.Node]:
        return []


def _symbol_role(
    _name: str, rawtext: str, text: str, line: int, inliner: Inliner, *_: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """A formula with its name: an abbreviation whose long form is in words."""
    formula, colon, words = (part.strip() for part in text.partition(":"))
    if not (formula and colon and words):
        message = inliner.reporter.error(
            f"{{symbol}}`{text}`: must be a formula, a colon and words", line=line
        )
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    return [nodes.abbreviation("", "", nodes.math(formula, formula), explanation=words)], []


def _begin_abbreviation(writer: Any, node: nodes.abbreviation) -> None:
    """Have what is explained be in reach of fingers and keys, too."""
    explained = {"title": node["explanation"], "tabindex": "0"} if "explanation" in node else {}
    writer.body.append(writer.starttag(node, "abbr", "", **explained))


def _end_abbreviation(writer: Any, _node: nodes.abbreviation) -> None:
    writer.body.append("</abbr>")


def _unresolve_address_links(_app: Sphinx, doctree: nodes.document) -> None:
    """Make links to ``#~…`` the plain links they are; MyST takes them for cross-references."""
    for reference in list(doctree.findall(pending_xref)):
        target = reference.get("reftarget") or ""
        is_myst = reference.get("reftype") == "myst" and reference.get("refdomain") != "doc"
        if is_myst and target.startswith("~"):
            plain = nodes.reference("", "", *reference.children, refuri=f"#{target}", internal=True)
            reference.replace_self(plain)


def _fold_symbols(_app: Sphinx, doctree: nodes.document) -> None:
    """Fold a table of symbols: a symbol is explained where it is pointed at, and who looks it up opens the fold."""
    for table in list(doctree.findall(nodes.table)):
        head = next(iter(table.findall(nodes.entry)), None)
        if head is not None and head.astext() == "symbol":
            fold = nodes.admonition("", nodes.title("", "Symbols"), classes=["dropdown", "symbols"])
            table.replace_self(fold)
            fold += table


def _mark_comparisons(_app: Sphinx, doctree: nodes.document) -> None:
    """Give a table that compares a paper with what is measured the classes by which it is styled and found."""
    for table in doctree.findall(nodes.table):
        head = next(iter(table.findall(nodes.entry)), None)
        if head is not None and head.astext() in COMPARISONS:
            table["classes"] += ["compared", "tag_stacked"]


def _repeat_heads(_app: Sphinx, doctree: nodes.document) -> None:
    """Put its column's head before what stands in each cell of a stacked table."""
    for cell in doctree.findall(_is_stacked):
        for table in cell.findall(nodes.table):
            head, *rows = (list(row.findall(nodes.entry)) for row in table.findall(nodes.row))
            for title, entry in (pair for row in rows for pair in zip(head, row, strict=True)):
                if title.astext() and entry.astext():
                    label = nodes.inline("", "", *_words(title), nodes.Text(": "), classes=["column"])
                    entry[0].insert(0, label)


def _is_stacked(node: nodes.Node) -> bool:
    return "tag_stacked" in getattr(node, "attributes", {}).get("classes", ())


def _words(entry: nodes.Element) -> Iterator[nodes.Node]:
    """Copies of what stands in the paragraph of a table's cell."""
    return (child.deepcopy() for child in entry[0].children)


def _define_terms(app: Sphinx, doctree: nodes.document, pagename: str) -> None:
    """Put the glossary's definition on each of its words, as on a symbol."""
    if pagename == app.config.glossary_page or not app.config.glossary_page:
        return
    for word in list(doctree.findall(_is_term)):
        reference = word.parent
        definition = _definitions(app).get(reference.get("refuri", "").partition("#")[2])
        if definition:
            reference.replace_self(nodes.abbreviation("", word.astext(), explanation=definition))


def _give_ids_once(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Leave an id to the first that has it: a box hands its own on to its title, and all boxes' contents have one."""
    given: set[str] = set()

    def once(match: re.Match[str]) -> str:
        tag, id_ = match.groups()
        if id_ in given:
            return tag
        given.add(id_)
        return match[0]

    if "body" in context:
        context["body"] = ID.sub(once, context["body"])


def _is_term(node: nodes.Node) -> bool:
    """Whether a node is a word that refers to the glossary."""
    return "std-term" in getattr(node, "attributes", {}).get("classes", ())


def _definitions(app: Sphinx) -> dict[str, str]:
    """The glossary's definitions, by the ids of their terms."""
    if not hasattr(app, "glossary_definitions"):
        entries = app.env.get_doctree(app.config.glossary_page).findall(nodes.definition_list_item)
        app.glossary_definitions = {  # type: ignore[attr-defined]
            id_: entry[-1].astext()
            for entry in entries
            for term in entry.findall(nodes.term)
            for id_ in term["ids"]
        }
    return app.glossary_definitions  # type: ignore[attr-defined]


def dead_links(body: str, names: set[str]) -> list[str]:
    """Complaints about links that are to set a control that is not among these names."""
    links = (parse_qsl(html.unescape(link), keep_blank_values=True) for link in ADDRESS_LINK.findall(body))
    linked = {name for link in links for name, _ in link} - set(OPTIONS)
    complaint = "no control of the page has this name, the class 'url-{}'"
    return [f"a link to '#~{name}=…': {complaint.format(name)}" for name in sorted(linked - names)]
