"""The index of all statements: a table for each paper, with a row for each, which readers filter and sort."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils.nodes import make_id
from sphinx.application import Sphinx

from book.ledger import store
from book.ledger.entries import name, verdict_words
from book.ledger.examine import Verdict
from book.ledger.hunt import HuntResult
from book.ledger.web.templates import render
from book.paper import CHAPTERS

PAGE = "book/atlas"
"""The page that has the index: it is written anew whenever a table of the ledger has changed."""
FOLDER = "s"
"""The folder of the statements' pages."""
KINDS = {
    "theorem": ("theorem", "theorems", "proposition", "corollary"),
    "lemma": ("lemma", "lemmas", "claim"),
    "assumption or definition": ("assumption", "condition", "definition", "algorithm"),
    "equation": ("equation", "equations"),
    "figure or table": ("figure", "figures", "table"),
    "appendix": ("appendix", "appendices"),
    "finding of ours": ("finding", "a"),
}
"""By which readers filter, with what the statements are called; all others are remarks."""
KIND_OF = {called: kind for kind, some in KINDS.items() for called in some}
SCRIPT = Path(__file__).with_name("index.js")


def page_name(id: str) -> str:
    """The name of a statement's page."""
    return f"{FOLDER}/{id}"


def html() -> str:
    """The tables."""
    hunts = store.read_hunts()
    rows = {id: _row(entry, hunts.get(id)) for id, entry in store.read().items()}
    chapters = [
        (paper.chapter, [row for id, row in rows.items() if id.startswith(f"{paper.room}.")])
        for paper in CHAPTERS
    ]
    return render("index.html", chapters=chapters)


def add_scripts(app: Sphinx) -> None:
    """Have the page that is being written load what filters and sorts the rows."""
    app.add_js_file(None, body=SCRIPT.read_text(encoding="utf-8"))


def _row(entry: Mapping[str, Any], hunted: HuntResult | None) -> dict[str, Any]:
    """The row of a statement; its old anchors lead to it."""
    id, verdict = entry["id"], entry["verdict"]
    fails = hunted is not None and hunted.count("contradicted")
    return {
        "entry": entry,
        "address": page_name(id),
        "anchors": [id, make_id(f"{name(entry)}: {entry['title']}")],
        "marks": {
            "paper": id.partition(".")[0],
            "kind": KIND_OF.get(entry["kind"], "remark"),
            "verdict": verdict,
            "ground": entry["ground"],
            "fails": "yes" if fails else "",
        },
        # its own page says in which model
        "words": verdict if verdict == Verdict.ELSEWHERE else verdict_words(entry),
    }
