"""The stored entries of statements: what each is called, and its verdict in signs and words for readers.

:mod:`book.ledger.store` reads them from ``book/data/statements.json``, which ``make statements`` renews; a test
examines the statements again and compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from book.ledger import registry, store
from book.ledger.clauses import Kind, tally_of
from book.ledger.examine import Verdict
from book.ledger.proofs import Erratum
from book.paper import BY_ROOM, Paper

Entry = dict[str, Any]

SIGNS = {
    "confirmed": "●",
    "confirmed in part": "◐",
    "in use": "◇",
    "true by algebra": "=",
    "confirmed as reconstructed": "■",
    "confirmed after correction": "◆",
    "holds only where its hypotheses are sharpened": "▲",
    "vacuous at finite size": "○",
    "tested only in another model": "≈",
    "not reproduced": "✕",
    "not testable here": "–",
}
"""A sign before each verdict: one shape each, so that neither colour nor size is needed to tell them apart."""
TONES = {
    "confirmed": "good",
    "true by algebra": "good",
    "confirmed as reconstructed": "good",
    "not reproduced": "bad",
    "in use": "none",
    "not testable here": "none",
}
"""The tones of these verdicts; the others say that something is missing or had to be mended."""
ROUNDING = 1e-5
"""A limit as small as this is one on errors of rounding."""


def entries(room: str = "") -> list[Entry]:
    """The entries of the examined statements, all or those whose id starts with ``room``."""
    return [entry for id, entry in store.read().items() if id.startswith(room)]


def chapter_of(id: str) -> Paper:
    """The chapter of the statement with this id."""
    return BY_ROOM[id.partition(".")[0]]


def tone(verdict: str) -> str:
    """The class with the colour of this verdict: ``good``, ``warn``, ``bad`` or ``none``."""
    return TONES.get(verdict, "warn")


def name(entry: Mapping[str, Any]) -> str:
    """What the paper calls it: "Lemma 6"."""
    return f"{entry['kind'].capitalize()} {entry['number']}".strip()


def called(entry: Mapping[str, Any]) -> str:
    """Its name among others: that of one without a number is what it says."""
    return name(entry) if is_numbered(entry) else capital(entry["title"])


def is_numbered(entry: Mapping[str, Any]) -> bool:
    """Whether its name tells it from others: a finding of ours has no number."""
    return bool(entry["kind"] != "finding")


def linked(entry: Mapping[str, Any]) -> str:
    """A statement's name as a link to its page, in Markdown."""
    return f"[{name(entry)}](/{entry['page']})"


def verdict_words(entry: Mapping[str, Any]) -> str:
    """The verdict for readers: with how many of the claims are tested if not all are, or where, if only elsewhere."""
    verdict, clauses = entry["verdict"], entry["clauses"]
    if verdict == Verdict.ELSEWHERE:
        models = dict.fromkeys(clause["note"] for clause in clauses if clause["kind"] == Kind.ELSEWHERE)
        return f"tested only {' and '.join(models)}"
    if verdict == Verdict.NOT_REPRODUCED:
        return str(entry["in words"])
    tested, claims = tally_of([clause["kind"] for clause in clauses])
    return str(verdict) if entry["in words"] == verdict else f"{verdict} ({tested} of {claims} claims tested)"


def capital(words: str) -> str:
    """The words with a capital at their beginning, and the others as they are."""
    return words[:1].upper() + words[1:]


def with_declared(entry: Mapping[str, Any]) -> list[tuple[dict[str, Any], Erratum]]:
    """The errata of a stored entry, each beside its declaration, which has the script and says what survives."""
    return list(zip(entry["errata"], registry.statements()[entry["id"]].errata, strict=True))


def is_rounding(bound: Mapping[str, Any]) -> bool:
    """Whether a bound of a stored entry is on errors of rounding, whose size differs from processor to processor."""
    return 0 < min(float(bound["high"]), abs(float(bound["low"]))) <= ROUNDING
