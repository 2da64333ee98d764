"""Citations: a clause that another statement accounts for is no better confirmed than that statement.

Examining looks at one statement. What its clauses cite is looked up afterwards, over the whole table: a clause that
cites a corrected, sharpened or reconstructed statement is tested, but not as printed; one that cites a statement that
was not reproduced has failed; one that cites a statement that is not tested is not tested either; one that cites a
bound that was measured in another model is tested there. The citing statement has the worst of these verdicts, or its
own if that is worse.
"""

from __future__ import annotations

import graphlib
from collections.abc import Iterator, Mapping
from typing import Any

from book.ledger.clauses import FAILED, ID, IN_USE, SIGNS, Kind, tally_of, with_other_signs
from book.ledger.examine import Verdict, in_words

Entry = dict[str, Any]

WORSE = (
    Verdict.CONFIRMED,
    Verdict.PARTLY,
    Verdict.RECONSTRUCTED,
    Verdict.CORRECTED,
    Verdict.ONLY_WHERE,
    Verdict.VACUOUS,
    Verdict.ELSEWHERE,
    Verdict.NOT_REPRODUCED,
)
"""Verdicts that a citing statement can take over, the better first."""


def with_citations(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """The table of statements in which each entry's clauses and verdict follow from what they cite, too.

    Raises:
        ValueError: statements cite each other in a ring, an id is unknown, or a cited bound does not exist.
    """
    cited = {id: {other for other, bound in _citations(entry) if not bound} for id, entry in entries.items()}
    try:
        order = list(graphlib.TopologicalSorter(cited).static_order())
    except graphlib.CycleError as error:
        raise ValueError(f"{' → '.join(error.args[1])}: statements cite each other in a ring") from None
    settled: dict[str, Entry] = {}
    for id in order:
        if id not in entries:
            raise ValueError(f"{id!r}: is cited, and must be the id of a statement")
        settled[id] = _settled(entries[id], settled, entries)
    return {id: settled[id] for id in entries}


def _citations(entry: Entry) -> Iterator[tuple[str, str]]:
    """The ids that an entry's clauses cite as tests, each with the name of the bound if it is only one."""
    for clause in entry["clauses"]:
        if clause["kind"] != Kind.ASSUMED:
            yield from filter(None, map(_citation, clause["by"]))


def _citation(name: str) -> tuple[str, str] | None:
    """The id and the bound, if any, that a clause's account names; None if it names no other statement."""
    id, _, bound = name.partition(": ")
    return (id, bound) if ID.fullmatch(id) else None


def _settled(entry: Entry, settled: Mapping[str, Entry], entries: Mapping[str, Entry]) -> Entry:
    """An entry with its clauses and its verdict as what they cite allows; ``settled`` has all that it cites whole."""
    if not any(_citations(entry)) or entry["kind"] in IN_USE:
        return entry
    clauses = [_cited_clause(clause, settled, entries) for clause in entry["clauses"]]
    verdicts = [settled[id]["verdict"] for id, bound in _citations(entry) if not bound]
    failed = sum(clause["sign"] == FAILED for clause in clauses)
    if failed:
        verdicts.append(Verdict.NOT_REPRODUCED)
    tested, claims = tally_of([clause["kind"] for clause in clauses])
    verdict = _worst([entry["verdict"], *verdicts])
    if not tested and verdict in WORSE[:-1] and any(clause["kind"] == Kind.ELSEWHERE for clause in clauses):
        verdict = Verdict.ELSEWHERE
    if verdict == Verdict.CONFIRMED and tested < claims:
        verdict = Verdict.PARTLY
    words = in_words(Verdict(verdict), tested, claims)
    if failed and entry["verdict"] != Verdict.NOT_REPRODUCED:
        words = f"{verdict} in {failed} of {claims} clauses"
    return {
        **entry,
        "clauses": clauses,
        "statement": with_other_signs(entry["statement"], [clause["sign"] for clause in clauses]),
        "verdict": str(verdict),
        "in words": words,
    }


def _worst(verdicts: list[str]) -> str:
    """The worst of the verdicts; the first of them where no other is worse."""
    ranked = {verdict: place for place, verdict in enumerate(WORSE)}
    return max(verdicts, key=lambda verdict: ranked.get(Verdict(verdict), -1))


def _cited_clause(clause: Entry, settled: Mapping[str, Entry], entries: Mapping[str, Entry]) -> Entry:
    """A clause with the kind, sign and note that the worst of its citations leaves it."""
    if clause["kind"] == Kind.ASSUMED:
        return clause
    for id, bound in filter(None, map(_citation, clause["by"])):
        if bound:
            if not _holds(entries, id, bound):
                clause = {**clause, "sign": FAILED, "note": _joined(clause["note"], f"{id} fails in it")}
            elif clause["sign"] != FAILED and (models := _other_models(entries[id], bound)):
                kind, note = str(Kind.ELSEWHERE), _joined(clause["note"], models)
                clause = {**clause, "kind": kind, "sign": SIGNS[Kind.ELSEWHERE], "note": note}
            continue
        verdict, words = settled[id]["verdict"], f"{id}: {settled[id]['in words']}"
        kind, sign = clause["kind"], clause["sign"]
        if verdict == Verdict.NOT_REPRODUCED:
            sign = FAILED
        elif verdict == Verdict.NOT_TESTABLE:
            kind, sign = Kind.UNTESTED, SIGNS[Kind.UNTESTED]
        elif verdict in WORSE[1:] and sign != FAILED:
            kind = Kind.ELSEWHERE if verdict == Verdict.ELSEWHERE else Kind.AMENDED
            sign = SIGNS[kind]
        else:
            continue
        clause = {**clause, "kind": str(kind), "sign": sign, "note": _joined(clause["note"], words)}
    return clause


def _other_models(entry: Entry, bound: str) -> str:
    """The model in which a statement's bound was measured, if that is not the paper's own; else nothing."""
    measured = [clause for clause in entry["clauses"] if bound in clause["by"]]
    elsewhere = [clause["note"] for clause in measured if clause["kind"] == Kind.ELSEWHERE]
    return "; ".join(dict.fromkeys(elsewhere)) if len(elsewhere) == len(measured) else ""


def _holds(entries: Mapping[str, Entry], id: str, bound: str) -> bool:
    """Whether a statement's bound holds where the statement must hold."""
    if id not in entries:
        raise ValueError(f"{id!r}: is cited, and must be the id of a statement")
    known = {each["name"]: each["holds"] for each in entries[id]["holds at"]["bounds"] if each["must be"]}
    if bound not in known:
        raise ValueError(f"{id}: {bound!r} is cited, and must be one of its bounds, {', '.join(known)}")
    return bool(known[bound])


def _joined(note: str, words: str) -> str:
    return "; ".join(filter(None, (note, words)))
