"""The stored tables: ``statements.json``, how each statement was examined, and ``hunt.json``, how it was hunted in;
and ``beyond.json``, what it comes to where no hunt draws.

The atlas, the errata, the chapters' tables and the verdicts under the boxes print them; nothing is examined while the
book is built. Each entry has a hash of what it was made from.
"""

from __future__ import annotations

import csv
import importlib
import json
import math
import posixpath
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from book.code_hash import Place, hash_of, proofs_of
from book.ledger import beyond, registry, template
from book.ledger.beyond import BeyondResult, is_worthwhile, why_unreached
from book.ledger.bounds import plain
from book.ledger.boxes import ROOT
from book.ledger.citations import with_citations
from book.ledger.clauses import FAILED, SIGNS, clauses_of, holds, tally, with_signs
from book.ledger.examine import Outcome, Verdict, check_ground, in_words, verdict_on
from book.ledger.hunt import HuntResult, from_entry
from book.ledger.results import Evidence
from book.ledger.statement import Ground, Statement
from lib import program

STATEMENTS = ROOT / "book" / "data" / "statements.json"
"""The outcome of examining each statement."""
HUNTS = ROOT / "book" / "data" / "hunt.json"
"""The result of hunting in each statement."""
BEYOND = ROOT / "book" / "data" / "beyond.json"
"""What each statement whose runs take little time comes to beyond its ranges."""
HISTORY = ROOT / "book" / "data" / "history.csv"
"""The verdicts that each statement has had, and since when."""

Entry = dict[str, Any]


def read() -> dict[str, Entry]:
    """The entries of :data:`STATEMENTS` by id, with the verdicts that they inherit from what their clauses cite."""
    return dict(_with_citations(STATEMENTS.stat().st_mtime_ns)) if STATEMENTS.exists() else {}


@lru_cache(maxsize=4)
def _with_citations(_changed: int) -> dict[str, Entry]:
    return with_citations(read_examined())


def read_examined() -> dict[str, Entry]:
    """The entries of :data:`STATEMENTS` by id, each as :func:`as_json` made it of this statement alone."""
    return _read(STATEMENTS)


def read_hunts() -> dict[str, HuntResult]:
    """The results of :data:`HUNTS` by id."""
    return {id: from_entry(entry) for id, entry in read_hunt_entries().items()}


def read_hunt_entries() -> dict[str, Entry]:
    """The entries of :data:`HUNTS` by id: the fields of :class:`HuntResult`, and their provenance."""
    return _read(HUNTS)


def renew(outcome: Outcome) -> None:
    """Put an outcome into the table of statements; the other entries stay."""
    _write(STATEMENTS, {**read_examined(), outcome.statement.id: as_json(outcome)})


def note_verdicts() -> None:
    """Add to :data:`HISTORY` each verdict that is another than the statement's last, of those that cite it, too."""
    history, today = read_history(), datetime.now(UTC).date().isoformat()
    for id, entry in read().items():
        if id not in history or history[id][-1][1] != entry["in words"]:
            note_verdict(id, entry["in words"], today)


def read_history() -> dict[str, list[tuple[str, str]]]:
    """For each statement the verdicts that it has had, the first first: since when, and which in words."""
    history: dict[str, list[tuple[str, str]]] = {}
    with HISTORY.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            history.setdefault(row["id"], []).append((row["since"], row["verdict"]))
    return history


def note_verdict(id: str, words: str, today: str) -> None:
    """Add a verdict to :data:`HISTORY` if the statement had another one before; of a day only the last counts."""
    history = read_history()
    before = [(since, verdict) for since, verdict in history.get(id, []) if since != today]
    history[id] = before if before and before[-1][1] == words else [*before, (today, words)]
    with HISTORY.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "since", "verdict"))
        writer.writerows((id, *each) for id, verdicts in history.items() for each in verdicts)


def renew_hunt(entry: Entry) -> None:
    """Put an entry into the table of hunts; the other entries stay."""
    _write(HUNTS, {**read_hunt_entries(), entry["id"]: entry})


def read_beyond() -> dict[str, BeyondResult]:
    """The results of :data:`BEYOND` by id."""
    return {
        id: BeyondResult(**{field: entry[field] for field in BeyondResult._fields})
        for id, entry in _read(BEYOND).items()
    }


def unreached(statement: Statement) -> dict[str, str | None]:
    """The hypotheses whose border neither the hunt nor a run beyond the ranges reached: why, None if not known yet."""
    hunted, more = read_hunts()[statement.id], read_beyond().get(statement.id)

    def why(words: str) -> str | None:
        if more:
            return more.borders.get(words)
        return None if is_worthwhile(hunted) else why_unreached(statement, hunted, words)

    return {words: reason for words in hunted.unreached if (reason := why(words)) != ""}


def is_current_beyond(statement: Statement) -> bool:
    """Whether the entry of :data:`BEYOND` was made from this very code and this very hunt."""
    entry = _read(BEYOND).get(statement.id)
    return entry is not None and entry["made from"] == beyond_made_from(statement)


def renew_beyond(entry: Entry) -> None:
    """Put an entry into the table of runs beyond the ranges; the other entries stay."""
    _write(BEYOND, {**_read(BEYOND), entry["id"]: entry})


def _read(table: Path) -> dict[str, Entry]:
    return dict(_entries(table, table.stat().st_mtime_ns)) if table.exists() else {}


@lru_cache(maxsize=4)
def _entries(table: Path, _changed: int) -> dict[str, Entry]:
    """A table as it was when it was last changed: it is asked for on every page, and nobody changes an entry."""
    return {entry["id"]: entry for entry in json.loads(table.read_text())}


def _write(table: Path, entries: Mapping[str, Entry]) -> None:
    """Write the entries in the ledger's order, whole or not at all: whoever is killed meanwhile loses nothing."""
    ordered = [entries[id] for id in registry.statements() if id in entries]
    new = table.with_suffix(".new")
    new.write_text(json.dumps(ordered, indent=1, allow_nan=False, ensure_ascii=False) + "\n")
    new.replace(table)
    _entries.cache_clear()
    _with_citations.cache_clear()  # two changes may be too close for the clock of the disk


def is_current(entry: Mapping[str, Any], statement: Statement) -> bool:
    """Whether an entry of the table of statements was made from this very code, and has the words of the box."""
    try:
        return is_examined(entry, statement) and _content(entry) == _reworded(entry, statement)
    except ValueError:
        return False  # the box cannot be read: examining says why


def is_examined(entry: Mapping[str, Any], statement: Statement) -> bool:
    """Whether an entry was made from this very code and has not been edited; the box may have other words by now."""
    return bool(entry["made from"] == _made_entry_from(statement, _content(entry)))


def _content(entry: Mapping[str, Any]) -> Entry:
    """What an entry says, but for its provenance."""
    return {key: value for key, value in entry.items() if key not in ("made from", "seconds")}


def reword(statement: Statement) -> None:
    """Renew the words of a statement's entry, whose code has not changed since its statement was examined."""
    entries = read_examined()
    _write(STATEMENTS, {**entries, statement.id: reworded(entries[statement.id], statement)})


def reworded(entry: Mapping[str, Any], statement: Statement) -> Entry:
    """A stored entry with the words of the statement's box as it is: nothing is run.

    Raises:
        ValueError: the box has a part that nothing accounts for, or errata say what the statement's ground does not.
    """
    content = _reworded(entry, statement)
    return {**content, "made from": _made_entry_from(statement, content), "seconds": entry["seconds"]}


def _reworded(entry: Mapping[str, Any], statement: Statement) -> Entry:
    check_ground(statement)
    shown = {key: entry[key] for key in ("holds at", "fails at", "planted", "errata", "checked")}
    return _worded(statement, shown, entry["verdict"] != Verdict.NOT_REPRODUCED)


def is_current_hunt(entry: Mapping[str, Any], statement: Statement, tries: int) -> bool:
    """Whether hunting again with so many tries would give the same."""
    return (entry["tries"], entry["made from"]) == (tries, hunt_made_from(statement))


RESULT_CODE = tuple(Path(__file__).with_name(f"{name}.py") for name in ("bounds", "decide", "draws", "hunt"))
"""The part of the ledger that the outcome of a run rests on; the rest reads boxes, stores, prints."""
RUN = [(Path(program.__file__), name) for name in ("run", "attributes")]
"""What the ledger calls in order to run a statement's program."""


def hunt_made_from(statement: Statement) -> str:
    """A hash of the code that the outcome of a statement's runs rests on: not of its text, nor of how it is printed."""
    return hash_of(place_of(statement), *RUN, files=RESULT_CODE)


def beyond_made_from(statement: Statement) -> str:
    """A hash of the code and of the hunt that the runs beyond a statement's ranges rest on."""
    hunted = read_hunt_entries()[statement.id]
    texts = (hunted["seed"], hunted["drawn"], *hunted["reached"], *map(str, hunted["reached"].values()))
    return hash_of(
        place_of(statement),
        *RUN,
        files=(*RESULT_CODE, Path(beyond.__file__)),
        texts=(*texts, *statement.no_farther),
    )


def place_of(statement: Statement) -> Place:
    """Where a statement is defined."""
    file = ROOT / statement.page / "statements.py"
    module = importlib.import_module(f"{statement.page.replace('/', '.')}.statements")
    return file, next(name for name, value in vars(module).items() if value is statement)


def _made_entry_from(statement: Statement, content: Entry) -> str:
    """A hash of the code that a statement's runs and its proofs rest on, and of what its entry says."""
    return hash_of(
        place_of(statement),
        *proofs_of(statement.id, ROOT / statement.page),
        *RUN,
        files=RESULT_CODE,
        texts=(json.dumps(content),),
    )


def as_json(outcome: Outcome) -> Entry:
    """An outcome as plain data: what the atlas, the errata and the chapters' tables are made from.

    Numbers that are not finite are given as strings, since JSON has none of them.
    """
    statement = outcome.statement
    shown = {
        "holds at": evidence_of(statement.holds_at, outcome.evidence),
        "fails at": evidence_of(statement.wrong_at, outcome.broken),
        "planted": statement.planted[0] if statement.planted else "",
        "errata": _errata(outcome),
        "checked": [
            {"where": check.where, "formula": check.formula, "how": check.how, "passes": passed}
            for check, passed in zip(statement.checked, outcome.passed, strict=True)
        ],
    }
    content = _worded(statement, shown, outcome.verdict is not Verdict.NOT_REPRODUCED)
    return {
        **content,
        "made from": _made_entry_from(statement, content),
        "seconds": round(outcome.seconds, 3),
    }


def _worded(statement: Statement, shown: Entry, reproduced: bool) -> Entry:
    """What an entry says: the words of the statement's box, beside what its runs have shown."""
    kind, _, number = statement.box.name.partition(" ")
    bounds = shown["holds at"]["bounds"]
    clauses = clauses_of(statement, [bound["name"] for bound in bounds if bound["must be"]])
    holding = {bound["name"]: bound["holds"] for bound in bounds}
    signs = [SIGNS[clause.kind] if holds(clause, holding) else FAILED for clause in clauses]
    verdict = verdict_on(statement, clauses) if reproduced else Verdict.NOT_REPRODUCED
    content = {
        "id": statement.id,
        "paper": statement.paper.name,
        "kind": kind.lower(),
        "number": number,
        "title": statement.box.title,
        "page": statement.page,
        "statement": _links_from_root(with_signs(statement.box.text, signs), statement.page),
        "clauses": [
            {**clause._asdict(), "text": _links_from_root(clause.text, statement.page), "sign": sign}
            for clause, sign in zip(clauses, signs, strict=True)
        ],
        "source": "book" if statement.ground is Ground.OURS else "paper",
        "ground": str(statement.ground),
        "uses": list(statement.uses),
        "loose": list(statement.loose),
        "finding": finding(statement, shown),
        "verdict": str(verdict),
        "in words": in_words(verdict, *tally(clauses)),
        **shown,
        "numbers": list(statement.numbers),
    }
    written: Entry = json.loads(json.dumps(content))  # as it is read again
    return written


def _errata(outcome: Outcome) -> list[Entry]:
    return [
        {
            "rank": str(erratum.rank),
            "where": erratum.where,
            "paper": erratum.printed,
            "right": erratum.right,
            "survives": erratum.survives,
            "proved": proved,
            "numbers": {name: _finite(value) for name, value in erratum.numeric().items()},
        }
        for erratum, proved in zip(outcome.statement.errata, outcome.proved, strict=True)
    ]


def evidence_of(configuration: Mapping[str, Any], evidence: Evidence) -> Entry:
    """What an entry has of the runs of a configuration."""
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
                "headroom": _finite(bound.headroom),
                "holds": bool(bound.holds),
            }
            for bound in evidence.worst
        ],
        "conclusion": evidence.concluded,
    }


def _links_from_root(text: str, page: str) -> str:
    """The text with its links to other pages given from the root of the book, so that any page can print it."""
    folder = Path(page).parent

    def absolute(match: re.Match[str]) -> str:
        return f"](/{posixpath.normpath((folder / match[1]).as_posix())})"

    return re.sub(r"\]\((?!https?:|/|#)([^)]+)\)", absolute, text)


def finding(statement: Statement, shown: Mapping[str, Any]) -> str:
    """The statement's finding with the numbers put in that its runs have shown, or why it is not tested.

    Args:
        shown: what its entry has of runs where it must hold and where it must fail.
    """
    holds, fails = (
        {bound["name"]: float(bound["measured"]) for bound in shown[place]["bounds"]}
        for place in ("holds at", "fails at")
    )
    return template.fill(statement.finding or statement.untested, template.by_name(holds, fails), plain)


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
