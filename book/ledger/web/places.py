"""Places in pages where something stands that is made from the ledger: ``<div data-place="verdicts"></div>``.

It is made when the page is written, so that it knows all pages and all verdicts. Where a notebook is read without
Sphinx the place shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx

from book.ledger import store
from book.ledger.web import certificates, graph, index, pictures

PLACE = re.compile(r'<div data-place="([^"]*)"></div>')
AFTER_FOLDS = 700
"""The priority of a listener: what is put into a page does not have it fold (:mod:`widgets.site.folds`)."""


class Place(NamedTuple):
    """What can stand in a page."""

    draw: Callable[[nodes.document, Mapping[str, str]], str]
    """Its HTML, for the page with this doctree; of all pages it knows the titles."""
    add_scripts: Callable[[Sphinx], None] = lambda _app: None
    """Adds the scripts that the page needs for it."""


PLACES = {
    "index": Place(lambda _doctree, _titles: index.html(), index.add_scripts),
    "graph": Place(lambda _doctree, titles: graph.html(store.read(), titles), graph.add_scripts),
    "verdicts": Place(lambda _doctree, _titles: pictures.verdicts()),
    "wrong": Place(lambda _doctree, _titles: pictures.wrong()),
    "words": Place(lambda _doctree, _titles: pictures.words()),
    "lesson": Place(lambda doctree, _titles: pictures.lesson(doctree)),
    "certificates": Place(lambda _doctree, _titles: certificates.links()),
}
"""By the name by which a page asks for one."""


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.web.sphinx`."""
    app.connect("doctree-resolved", _fill, priority=AFTER_FOLDS)
    app.connect("html-page-context", _add_scripts)


def _fill(app: Sphinx, doctree: nodes.document, page: str) -> None:
    fill(doctree, page, {name: title.astext() for name, title in app.env.titles.items()})


def fill(doctree: nodes.document, page: str, titles: Mapping[str, str]) -> None:
    """Put what a page asks for into its places.

    Args:
        titles: of all pages, by their names.

    Raises:
        ValueError: it names one that is not there.
    """
    for place, name in list(places_of(doctree)):
        if name not in PLACES:
            raise ValueError(f"{page}: data-place = {name!r}: must be one of {', '.join(PLACES)}")
        place.replace_self(nodes.raw("", PLACES[name].draw(doctree, titles), format="html", place=name))


def places_of(doctree: nodes.document) -> Iterator[tuple[nodes.raw, str]]:
    """The places of a page that are to be filled, with their names."""
    for node in doctree.findall(nodes.raw):
        if found := PLACE.fullmatch(node.astext().strip()):
            yield node, found[1]


def _add_scripts(
    app: Sphinx, _page: str, _template: str, _context: object, doctree: nodes.document | None
) -> None:
    """Have a page load the scripts of what stands in its places."""
    for node in doctree.findall(nodes.raw) if doctree else ():
        if "place" in node:
            PLACES[node["place"]].add_scripts(app)
