"""The ledger: every statement of the book, the table of what examining them gave, and the command line."""

from __future__ import annotations

import json
import math
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from book.ledger import registry
from book.ledger.bounds import plain
from book.ledger.boxes import ROOT
from book.ledger.examine import Outcome
from book.ledger.results import Evidence
from book.ledger.statement import Ground, Statement

STORED = ROOT / "book" / "data" / "statements.json"
"""What examining all of them gave: the table that the pages print."""


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data: what the atlas, the errata and the chapters' tables are made from.

    Numbers that are not finite are given as strings, since JSON has none of them.
    """
    one = outcome.statement
    kind, _, number = one.box.name.partition(" ")
    entry = {
        "id": one.id,
        "paper": one.paper.name,
        "kind": kind.lower(),
        "number": number,
        "title": one.box.title,
        "page": one.page,
        "statement": _from_the_root(one.box.text, one.page),
        "source": "book" if one.ground is Ground.OURS else "paper",
        "ground": str(one.ground),
        "uses": list(one.uses),
        "finding": finding(outcome),
        "verdict": str(outcome.verdict),
        "holds at": _evidence(one.holds_at, outcome.evidence),
        "fails at": _evidence(one.fails_at, outcome.broken),
        "errata": [
            {
                "where": erratum.where,
                "paper": erratum.printed,
                "right": erratum.right,
                "survives": erratum.survives,
                "proved": proved,
                "numbers": {name: _finite(value) for name, value in erratum.numeric().items()},
            }
            for erratum, proved in zip(one.errata, outcome.proved, strict=True)
        ],
        "checked": [
            {"where": item.where, "formula": item.formula, "how": item.how, "passes": passed}
            for item, passed in zip(one.checked, outcome.passed, strict=True)
        ],
        "numbers": list(one.numbers or (one.box.name,)),
    }
    return {**entry, "made from": made_from(one, json.dumps(entry)), "seconds": round(outcome.seconds, 3)}


def _from_the_root(text: str, page: str) -> str:
    """The text with its links to other pages as they are from any page."""
    folder = Path(page).parent

    def absolute(match: re.Match[str]) -> str:
        return f"](/{posixpath.normpath((folder / match[1]).as_posix())})"

    return re.sub(r"\]\((?!https?:|/|#)([^)]+)\)", absolute, text)


QUOTED = re.compile(r"\{([^{}:]*[^{}:\d][^{}:]*)(?::([^{}]*))?\}")


def finding(outcome: Outcome) -> str:
    """The finding with its numbers put in; braces that name no number, LaTeX's say, stay."""
    numbers = outcome.evidence.numbers | {
        f"{name} where it fails": value for name, value in outcome.broken.numbers.items()
    }

    def put(match: re.Match[str]) -> str:
        name, spec = match[1], match[2]
        if name not in numbers:
            return match[0]
        return format(numbers[name], spec) if spec else plain(numbers[name])

    return QUOTED.sub(put, outcome.statement.finding or outcome.statement.untested)


def _evidence(configuration: Mapping[str, Any], evidence: Evidence) -> dict[str, Any]:
    return {
        "configuration": dict(configuration),
        "seeds": len(evidence.runs),
        "holding": evidence.holding,
        "hypotheses": evidence.hypotheses,
        "bounds": [
            {
                "name": bound.name,
                **{key: _finite(float(getattr(bound, key))) for key in ("measured", "low", "high")},
                "must be": bound.words,
                "holds": bool(bound.holds),
            }
            for bound in evidence.worst
        ],
        "conclusion": evidence.concluded,
    }


def renew(outcome: Outcome) -> None:
    """Put an outcome into the table that the pages print; the others stay, and all stand in the ledger's order."""
    _store(STORED, {**read(), outcome.statement.id: as_json(outcome)})


def read(table: Path = STORED) -> dict[str, dict[str, Any]]:
    """The stored table's entries by id: those of :func:`as_json`, and in the hunts' table those of :func:`hunted`."""
    return {entry["id"]: entry for entry in json.loads(table.read_text())} if table.exists() else {}


def _store(path: Path, entries: Mapping[str, Any]) -> None:
    """Write the entries in the ledger's order, whole or not at all: whoever is killed meanwhile loses nothing."""
    kept = [entries[id] for id in registry.statements() if id in entries]
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(kept, indent=1, allow_nan=False, ensure_ascii=False) + "\n")
    fresh.replace(path)


def is_current(entry: Mapping[str, Any], one: Statement) -> bool:
    """Whether an entry of the stored table was made from this very code, and nothing in it has been changed since."""
    outcome = {key: value for key, value in entry.items() if key not in ("made from", "seconds")}
    return bool(entry["made from"] == made_from(one, json.dumps(outcome)))


def made_from(one: Statement, *found: str) -> str:
    """A hash of a statement's text, of its code and its page's other statements, and of what was ``found``."""
    from widgets.dependencies import closure, digest  # who only examines needs no widgets

    return digest(closure(ROOT / one.page / "statements.py"), *one.box, *found)


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
