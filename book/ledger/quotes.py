"""What pages quote of the ledger: under each statement's box its verdict, and in prose numbers that it measured.

They come from the tables that ``make statements`` and a hunt renew. In a page's Markdown::

    {measured}`recall.lemma-6 | curvature along ε̃ at the saddle | .3f`

A fourth part, "fails", takes the configuration at which the statement must fail; ``.0%`` gives a share as per cent.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx
from sphinx_proof.nodes import NODE_TYPES, unenumerable_node

from book.ledger import hunt
from book.ledger.store import STORED
from book.ledger.tables import SIGNS, entries

PLACES = {"": "holds at", "fails": "fails at"}


def quoted(text: str) -> str:
    """The number that "id | name | format | fails" speaks of, as text.

    Raises:
        ValueError: no such statement, number, format or place.
    """
    # a bar within a name, as in "|x| at the end", divides nothing
    parts = re.split(r"\s+\|\s+", text.strip())
    id, name, spec, where = (*parts, "", "", "")[:4]
    found = {entry["id"]: entry for entry in entries()}
    if id not in found or where not in PLACES or len(parts) > 4:
        raise ValueError(
            f"measured {text!r}: must be an id of the ledger, a name, a format, and nothing or fails"
        )
    numbers = {bound["name"]: float(bound["measured"]) for bound in found[id][PLACES[where]]["bounds"]}
    if name not in numbers:
        raise ValueError(f"measured {text!r}: must be one of {', '.join(numbers)}")
    try:
        return format(numbers[name], spec or ".4g").replace("-", "−")
    except ValueError as error:
        raise ValueError(f"measured {text!r}: {error}") from error


def role(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: dict[str, Any] | None = None,
    content: list[str] | None = None,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Docutils' signature of a role. The page is made again when the table has changed."""
    inliner.document.settings.env.note_dependency(str(STORED))
    try:
        return [nodes.inline(rawtext, quoted(text), classes=["measured"])], []
    except ValueError as error:
        message = inliner.reporter.error(str(error), line=lineno)
        return [inliner.problematic(rawtext, rawtext, message)], [message]


def verdicts(app: Sphinx, doctree: nodes.document) -> None:
    """Put below each statement's box what examining it and hunting in it came to, with a link into the atlas."""
    known, hunts = {entry["id"]: entry for entry in entries()}, hunt.read()
    boxes = [box for kind in {*NODE_TYPES.values(), unenumerable_node} for box in doctree.findall(kind)]
    for box in boxes:
        if entry := known.get(box["label"]):
            verdict = f"{SIGNS[entry['verdict']]} {entry['verdict'].capitalize()}"
            atlas = f"{app.builder.get_relative_uri(app.env.docname, 'book/atlas')}#{box['label']}"
            found = f": {hunts[box['label']].words}." if box["label"] in hunts else "."
            link = nodes.reference("", verdict, refuri=atlas, internal=True)
            box += nodes.paragraph("", "", link, nodes.Text(found), classes=["verdict"])
            app.env.note_dependency(str(STORED))
            app.env.note_dependency(str(hunt.STORED))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_role("measured", role)
    app.connect("doctree-read", verdicts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
