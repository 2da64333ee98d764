"""The tables that the notebooks print of the ledger: the papers, the counts and what closes a chapter."""

from __future__ import annotations

from typing import Any

from IPython.display import Markdown

from book.ledger import store
from book.ledger.clauses import Kind
from book.ledger.entries import SIGNS, entries, is_numbered, linked, verdict_words
from book.ledger.markdown import table
from book.ledger.web.templates import render
from book.paper import PAPERS


def papers() -> Markdown:
    """A table of the papers, their chapters, and how many statements and findings of ours were examined."""
    rows = []
    for paper in PAPERS:
        known = entries(f"{paper.room}.")
        ours = sum(entry["source"] == "book" for entry in known)
        counts = f"{len(known) - ours} statements, {ours} findings of ours"
        rows.append(
            (
                f"**{paper.chapter}**",
                f"{paper.authors}, *{paper.title}*, [{paper.where}]({paper.link})",
                f"[{counts}]({paper.room}/index)",
            )
        )
    return Markdown(table(("", "the paper", "examined"), rows))


def closing(room: str) -> Markdown:
    """The table that closes a chapter: statement, verdict, at how many configurations it holds, finding."""
    hunts = store.read_hunts()
    rows = [
        (
            _row_head(entry),
            _record(f"s/{entry['id']}.html", f"{SIGNS[entry['verdict']]} {verdict_words(entry)}", room),
            hunts[entry["id"]].ratio if entry["id"] in hunts else "–",
            entry["finding"],
        )
        for entry in entries(room)
    ]
    return Markdown(table(("statement", "verdict", "holds at", "what was found"), rows))


def _row_head(entry: dict[str, Any]) -> str:
    """What a statement is called and says, with a link to its page."""
    if is_numbered(entry):
        return f"{linked(entry)}: {entry['title']}"
    return f"[{entry['title']}](/{entry['page']})"


def counts(room: str = "") -> Markdown:
    """How many statements have each verdict, the paper's and ours apart, and at how many configurations they hold."""
    known, hunts = entries(room), store.read_hunts()
    errata, checked = (sum(len(entry[kind]) for entry in known) for kind in ("errata", "checked"))
    sentences = [
        f"{len(some)} {whose}: {_tally(some)}."
        for whose, source in (("statements of the papers", "paper"), ("findings of ours", "book"))
        if (some := [entry for entry in known if entry["source"] == source])
    ]
    results = [hunts[entry["id"]] for entry in known if entry["id"] in hunts]
    admitted = sum(result.admitted for result in results)
    holding = sum(result.drawn.count("h") for result in results)
    return Markdown(
        f"{' '.join(sentences)} Their conclusions hold at {holding:,} of {admitted:,} settings that satisfy their "
        f"hypotheses, drawn at random where there are many. {_formulas(errata, checked)} All of this is counted from "
        f"{_record('s/ledger.csv', 'the ledger', room)}.\n\n"
        f"{_clauses(known)}The signs: {'; '.join(f'{sign} {verdict}' for verdict, sign in SIGNS.items())}."
    )


def _formulas(wrong: int, right: int) -> str:
    """How many of the papers' formulas are wrong and right; nothing where none was printed by others."""
    if not wrong + right:
        return ""
    return (
        f"{wrong} formulas are not correct as printed, and {right} were checked and found correct: see the "
        "[errata](/book/errata)."
    )


def _record(path: str, words: str, room: str) -> str:
    """A link to a record of the ledger, from a chapter's first page; without a room, from a page beside them all."""
    return render("record.html", address=f"{'../../' if room else '../'}{path}", words=words)


def _clauses(known: list[dict[str, Any]]) -> str:
    """How many clauses the papers' statements have, and how many of these are tested; nothing if all are ours."""
    kinds = [clause["kind"] for entry in known if entry["source"] == "paper" for clause in entry["clauses"]]
    hypotheses, tested, amended, elsewhere, untested = (
        sum(kind in some for kind in kinds)
        for some in (
            (Kind.ASSUMED,),
            (Kind.TESTED, Kind.PROVED),
            (Kind.AMENDED,),
            (Kind.ELSEWHERE,),
            (Kind.UNTESTED,),
        )
    )
    if not kinds:
        return ""
    are = "is" if untested == 1 else "are"
    return (
        f"The papers' statements have {len(kinds)} clauses: {hypotheses} are hypotheses, {tested} are tested or proved "
        f"in the paper's own model, {amended} use a statement that holds only when amended, {elsewhere} are tested in "
        f"another model only, and {untested} {are} not tested, with the reason. "
    )


def _tally(some: list[dict[str, Any]]) -> str:
    verdicts = [entry["verdict"] for entry in some]
    return "; ".join(f"{verdict} ({verdicts.count(verdict)})" for verdict in SIGNS if verdict in verdicts)
