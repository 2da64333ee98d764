"""A certificate for each paper, ``s/certificate-CHAPTER.html``: what of it was reproduced, by which method, from what.

The page follows the reports of CODECHECK and of reproducibility challenges: scope, method, what came out, what was
easy, what was hard, and a manifest of the stored tables with their provenance. ``s/CHAPTER/codecheck.yml`` says the
same for machines.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from book.ledger import store
from book.ledger.boxes import ROOT
from book.ledger.clauses import Kind, tally_of
from book.ledger.entries import SIGNS, entries
from book.ledger.proofs import Rank
from book.ledger.web.templates import render
from book.paper import PAPERS, Paper

VERSION = "https://codecheck.org.uk/spec/config/1.0/"
METHOD = (
    "The models were written anew in PyTorch from the papers' text alone. Every statement is divided into its clauses. "
    "A clause is tested on real training runs, or proved by computer algebra; a test must pass where the hypotheses "
    "hold and must fail where one of them is broken. Then a search for counterexamples draws settings at random, and "
    "at the edge of each hypothesis."
)
WRONG = {
    Rank.STATEMENT: "in statements as printed",
    Rank.PROOF: "in steps of proofs",
    Rank.MISPRINT: "misprints",
}
"""What is wrong in so many places."""
NOTABLE = ("not reproduced", "confirmed after correction", "holds only where its hypotheses are sharpened")
"""Verdicts whose statements are named one by one."""


def certified() -> list[Paper]:
    """The papers of which the ledger has a statement."""
    return [paper for paper in PAPERS if _of_paper(paper)]


def page_name(paper: Paper) -> str:
    """The name of a paper's certificate among the book's pages."""
    return f"s/certificate-{paper.room}"


def links() -> str:
    """A link to each certificate, in HTML for a page of the book."""
    return render("certificates.html", papers={page_name(paper): paper.chapter for paper in certified()})


def pages(checkers: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each paper, as Sphinx collects them; ``checkers`` are the book's authors."""
    for paper in certified():
        title = f"Certificate: {paper.name}"
        yield page_name(paper), {"title": title, "body": _body(paper, title, checkers)}, "page.html"


def write_records(folder: Path, checkers: str) -> None:
    """Write ``CHAPTER/codecheck.yml`` for each paper into a folder; ``checkers`` are the book's authors."""
    for paper in certified():
        file = folder / paper.room / "codecheck.yml"
        file.parent.mkdir(exist_ok=True)
        text = yaml.safe_dump(
            record(paper, checkers), sort_keys=False, allow_unicode=True, width=100, explicit_start=True
        )
        file.write_text(text, encoding="utf-8")


def record(paper: Paper, checkers: str) -> dict[str, Any]:
    """A paper's certificate in the form that CODECHECK specifies for ``codecheck.yml``."""
    known, history = _of_paper(paper), store.read_history()
    manifest = [
        {"file": f"../data/{table['name']}.csv", "comment": f"made by `{table['command']}`"}
        for table in tables(paper)
    ]
    return {
        "version": VERSION,
        "paper": {
            "title": paper.title,
            "authors": [{"name": author.strip()} for author in paper.authors.split(",")],
            "reference": paper.link,
        },
        "manifest": [
            *manifest,
            {"file": "../ledger.csv", "comment": "every statement, examined"},
        ],
        "codechecker": [{"name": checkers}],
        "summary": f"{_scope(known)} {_outcome(known)}",
        "check_time": max(since for entry in known for since, _ in history[entry["id"]]),
        "report": f"../certificate-{paper.room}.html",
    }


def tables(paper: Paper) -> list[dict[str, Any]]:
    """The provenance of the stored tables of a paper's chapter, with their names."""
    files = sorted((ROOT / "book" / "data").glob(f"{paper.room}-*.json"))
    return [{"name": file.stem, **json.loads(file.read_text())} for file in files]


def _of_paper(paper: Paper) -> list[dict[str, Any]]:
    """The entries of the paper's own statements."""
    return [entry for entry in entries(f"{paper.room}.") if entry["source"] == "paper"]


def _scope(known: list[dict[str, Any]]) -> str:
    tested, clauses = tally_of([clause["kind"] for entry in known for clause in entry["clauses"]])
    return (
        f"All {len(known)} numbered statements of the paper, appendix included, with {clauses} clauses that claim "
        f"something; {tested} of these are tested or proved in the paper's own model."
    )


def _outcome(known: list[dict[str, Any]]) -> str:
    verdicts = Counter(entry["verdict"] for entry in known)
    return f"{'; '.join(f'{verdict}: {verdicts[verdict]}' for verdict in SIGNS if verdicts[verdict])}."


def _body(paper: Paper, title: str, checkers: str) -> str:
    known = _of_paper(paper)
    errata = Counter(erratum["rank"] for entry in known for erratum in entry["errata"])
    by_verdict = [(verdict, [e for e in known if e["verdict"] == verdict]) for verdict in NOTABLE]
    return render(
        "certificate.html",
        title=title,
        paper=paper,
        checkers=checkers,
        scope=_scope(known),
        method=METHOD,
        outcome=_outcome(known),
        wrong="; ".join(f"{errata[rank]} {words}" for rank, words in WRONG.items() if errata[rank]) or "none",
        notable=[(verdict, some) for verdict, some in by_verdict if some],
        untested=[
            (entry, clause["note"])
            for entry in known
            for clause in entry["clauses"]
            if clause["kind"] == Kind.UNTESTED
        ],
        tables=tables(paper),
    )
