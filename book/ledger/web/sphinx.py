"""The Sphinx extension of the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from book.ledger.web import exports, graph, pages, places, quotes, records, schemas

FOLDS = ("erratum", "boxes", "runs")
"""Errata, statements and runs open where the address leads to them; on paper all do but the runs."""
SCRIPT = Path(__file__).with_name("folds.js")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    for part in (quotes, places, pages, graph, exports, records, schemas):  # the last checks what is written
        part.setup(app)
    app.connect("html-page-context", _open_folds)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _open_folds(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Have a page with folds load what opens them."""
    if any(f'class="{kind}"' in context.get("body", "") for kind in FOLDS):
        app.add_js_file(None, body=SCRIPT.read_text(encoding="utf-8"))
