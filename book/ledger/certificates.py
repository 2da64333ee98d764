"""A certificate for each paper, ``s/certificate-CHAPTER.html``: what of it was reproduced, by which method, from what.

The page follows the reports of CODECHECK and of reproducibility challenges: scope, method, what came out, what was
easy, what was hard, and a manifest of the stored tables with their provenance. ``s/CHAPTER/codecheck.yml`` says the
same for machines.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import yaml

from book.ledger import store
from book.ledger.boxes import ROOT
from book.ledger.clauses import Kind, tally_of
from book.ledger.proofs import Rank
from book.ledger.tables import SIGNS, called, entries
from book.paper import PAPERS, Paper

VERSION = "https://codecheck.org.uk/spec/config/1.0/"
CHECKERS = "the Facts in Motion developers"
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


def page_name(paper: Paper) -> str:
    """The name of a paper's certificate among the book's pages."""
    return f"s/certificate-{paper.room}"


def pages() -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each paper, as Sphinx collects them."""
    for paper in PAPERS:
        title = f"Certificate: {paper.name}"
        yield page_name(paper), {"title": title, "body": _body(paper, title)}, "page.html"


def write_records(folder: Path) -> None:
    """Write ``CHAPTER/codecheck.yml`` for each paper into a folder."""
    for paper in PAPERS:
        file = folder / paper.room / "codecheck.yml"
        file.parent.mkdir(exist_ok=True)
        text = yaml.safe_dump(
            record(paper), sort_keys=False, allow_unicode=True, width=100, explicit_start=True
        )
        file.write_text(text, encoding="utf-8")


def record(paper: Paper) -> dict[str, Any]:
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
        "codechecker": [{"name": CHECKERS}],
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


def _body(paper: Paper, title: str) -> str:
    known = _of_paper(paper)
    errata = Counter(erratum["rank"] for entry in known for erratum in entry["errata"])
    wrong = "; ".join(f"{errata[rank]} {words}" for rank, words in WRONG.items() if errata[rank]) or "none"
    notable = [
        f"<h3>{verdict.capitalize()}</h3><ul>{''.join(f'<li>{link(entry)}</li>' for entry in some)}</ul>"
        for verdict in NOTABLE
        if (some := [entry for entry in known if entry["verdict"] == verdict])
    ]
    untested = [
        f"<li>{link(entry)}: {escape(clause['note'])}</li>"
        for entry in known
        for clause in entry["clauses"]
        if clause["kind"] == Kind.UNTESTED
    ]
    return (
        f"<section><h1>{escape(title)}</h1>"
        f"<p>{escape(paper.authors)}, <em>{escape(paper.title)}</em>, "
        f'<a href="{paper.link}">{escape(paper.where)}</a>. '
        f"Checked by {CHECKERS}, who are not its authors.</p>"
        f"<h2>Scope</h2><p>{escape(_scope(known))}</p>"
        f"<h2>Method</h2><p>{METHOD}</p>"
        f"<h2>What came out</h2><p>{escape(_outcome(known))} "
        f'<a href="../book/errata.html">Errata</a>: {escape(wrong)}.</p>'
        f"{''.join(notable)}"
        f"<h2>What was easy</h2><p>{escape(paper.easy)}</p><h2>What was hard</h2><p>{escape(paper.hard)}</p>"
        f"<h2>What is not tested, and why</h2><ul>{''.join(untested)}</ul>"
        f"<h2>Manifest</h2>{_manifest(paper)}"
        f'<p>For machines: <a href="{paper.room}/codecheck.yml">codecheck.yml</a>. '
        f'<a href="../book/atlas.html">All statements</a>.</p></section>'
    )


def link(entry: dict[str, Any]) -> str:
    """What a statement is called, as a link to its page from another one in the same folder."""
    return f'<a href="{entry["id"]}.html">{escape(called(entry))}</a>'


def _manifest(paper: Paper) -> str:
    """The stored tables: what made each, when, from which commit, in how many seconds."""
    rows = "".join(
        f"<tr><td>{table['name']}</td><td>{table['rows']:,}</td><td>{table['date'][:10]}</td>"
        f"<td>{(table['commit'] or '–')[:7]}</td><td>{table['seconds']:,.0f} s</td><td>{escape(table['device'])}, "
        f"torch {escape(table['torch'])}</td></tr>"
        for table in tables(paper)
    )
    heads = "".join(f"<th>{head}</th>" for head in ("table", "rows", "made on", "commit", "time", "machine"))
    return (
        '<div class="pst-scrollable-table-container"><table class="table">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
