"""The stored tables behind a page: published in ``s/data/`` with how each was made, and linked from the page."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from book.ledger.boxes import ROOT
from book.ledger.web.templates import render
from book.sweep import DATA
from widgets.dependencies import closure

FOLDER = "s/data"


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.web.sphinx`."""
    app.connect("html-page-context", _link)
    app.connect("build-finished", _publish)


def tables_of(page: str) -> list[str]:
    """The names of the stored tables that the code of a page reads, itself or in what it imports."""
    notebook = ROOT / f"{page}.ipynb"
    files = closure(notebook) if notebook.exists() else ()
    return sorted(path.stem for path in files if path.suffix == ".csv" and _how_made(path).exists())


def links(names: list[str], root: str) -> str:
    """A folded list of tables as HTML, for the end of a page; nothing without tables.

    Args:
        root: the way from the page to the book's folder, such as "../../".
    """
    return render("stored_runs.html", names=names, folder=f"{root}{FOLDER}") if names else ""


def _link(
    _app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the links at the end of a page."""
    if doctree is not None:
        context["body"] += links(tables_of(pagename), "../" * pagename.count("/"))


def _publish(app: Sphinx, exception: Exception | None) -> None:
    """Copy all tables to where the links lead."""
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for table in DATA.glob("*.csv"):
        if _how_made(table).exists():
            shutil.copy(table, folder)
            shutil.copy(_how_made(table), folder)


def _how_made(table: Path) -> Path:
    return table.with_suffix(".json")
