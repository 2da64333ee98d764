"""The ledger for others, beside its pages: as tables, a list of errata, claims in JSON-LD, a badge and a card."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
from sphinx.application import Sphinx

from book.ledger.entries import chapter_of, entries, name, with_declared
from book.ledger.examine import Verdict
from book.ledger.web import certificates
from book.ledger.web.index import FOLDER
from book.ledger.web.templates import macros

COLUMNS = ["id", "paper", "kind", "number", "title", "ground", "verdict", "in words", "finding", "page"]
"""The columns of ``s/ledger.csv`` and ``s/ledger.parquet``."""
ERRATUM = ["rank", "where", "paper", "right", "survives"]
"""The keys of each entry of ``s/errata.json``, as in the stored table: ``paper`` is what the paper prints."""
NOT_JUDGED = (Verdict.IN_USE, Verdict.VACUOUS, Verdict.ELSEWHERE, Verdict.NOT_TESTABLE)
"""Verdicts that do not say whether a statement holds."""
AMENDED = (Verdict.CORRECTED, Verdict.ONLY_WHERE, Verdict.RECONSTRUCTED)
"""Verdicts that a statement holds, but not as it is printed."""


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.web.sphinx`."""
    app.connect("build-finished", _write)


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    write_tables(folder)
    _write_json(folder / "errata.json", _errata())
    certificates.write_records(folder, app.config.author)
    _write_json(folder / "ledger.jsonld", dataset(app.config.html_title, list(map(_claim, entries()))))
    for picture, text in drawn(app.config.html_title, [entry["verdict"] for entry in entries()]).items():
        (folder / f"{picture}.svg").write_text(text, encoding="utf-8")


def _write_json(path: Path, record: Any) -> None:
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _errata() -> list[dict[str, Any]]:
    """Every erratum, with the statement that it belongs to."""
    return [
        {
            "of": entry["paper"],
            "statement": entry["id"],
            **{key: stored[key] for key in ERRATUM},
            "survival": str(declared.survival),
        }
        for entry in entries()
        for stored, declared in with_declared(entry)
    ]


def dataset(book: str, claims: list[dict[str, Any]]) -> dict[str, Any]:
    """The ledger as schema.org's Dataset, named after its book."""
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": book,
        "hasPart": claims,
    }


def drawn(book: str, verdicts: list[str]) -> dict[str, str]:
    """The badge, which says how many of the statements that were judged hold, and the card, a bar for each verdict."""
    counts = Counter(verdicts)
    judged = len(verdicts) - sum(counts[verdict] for verdict in NOT_JUDGED)
    beside = {
        "hold once amended": sum(counts[verdict] for verdict in AMENDED),
        "do not": counts[Verdict.NOT_REPRODUCED],
    }
    words = [
        f"{judged - sum(beside.values())} of {judged} hold",
        *(f"{count} {what}" for what, count in beside.items() if count),
    ]
    pictures = macros("badge.html")
    return {
        "badge": pictures.badge(", ".join(words), fail=bool(beside["do not"])).strip(),
        "card": pictures.card(book, dict(counts.most_common()), judged).strip(),
    }


def write_tables(folder: Path) -> None:
    """Write the ledger as ``ledger.csv`` and as ``ledger.parquet``, a row for each statement, with :data:`COLUMNS`."""
    table = pd.DataFrame(
        [[entry[key] for key in COLUMNS] for entry in entries()], columns=COLUMNS, dtype="str"
    )
    table.to_csv(folder / "ledger.csv", index=False)
    table.to_parquet(folder / "ledger.parquet", index=False)


def _claim(entry: dict[str, Any]) -> dict[str, Any]:
    """A statement as schema.org's Claim: where it stands, and what our runs say of it."""
    paper = chapter_of(entry["id"])
    return {
        "@type": "Claim",
        "@id": f"{entry['id']}.html",
        "name": f"{name(entry)}: {entry['title']}",
        "text": _without_roles(entry["statement"]),
        "appearance": {"@type": "ScholarlyArticle", "name": paper.title, "url": paper.link},
        "review": {"@type": "ClaimReview", "reviewBody": f"{entry['in words']}. {entry['finding']}"},
    }


def _without_roles(text: str) -> str:
    """A statement's text without what stands in it for Sphinx: the marks of clauses, and links to the glossary."""
    return re.sub(r"\{term\}`([^`<]*?)(?: <[^`]*>)?`", r"\1", re.sub(r"\{sup\}`[^`]*`", "", text))
