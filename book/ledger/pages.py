"""A page of its own for each statement, ``s/ID.html``, and the atlas as the index of these pages.

The atlas's notebook prints every statement's section. When its page is written, the sections are taken out, and tables
by paper take their place; each section becomes a page with an address that stays.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from posixpath import normpath
from typing import Any

import pandas as pd
from docutils import nodes
from sphinx.application import Sphinx

from book.ledger import certificates, store
from book.ledger.examine import Verdict
from book.ledger.proofs import Erratum
from book.ledger.tables import (
    SIGNS,
    called,
    entries,
    evidence,
    is_numbered,
    name,
    tone,
    verdict_words,
    with_declared,
)
from book.paper import CHAPTERS, Paper
from widgets.site import maps

ATLAS = "book/atlas"
FOLD = re.compile(r'<details class="(?:erratum|boxes|runs)"')
OPEN_FOLDS = """
const openAsked = () => {
  const asked = document.getElementById(location.hash.slice(1));
  for (let fold = asked?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (asked?.matches("details")) asked.scrollIntoView();
};
addEventListener("hashchange", openAsked);
addEventListener("DOMContentLoaded", openAsked);
const onPaper = "details:is(.erratum, .boxes, :not([class]))";
addEventListener("beforeprint", () => document.querySelectorAll(onPaper).forEach((fold) => { fold.open = true; }));
"""
"""An erratum, statements and runs are open where the address leads to them; on paper all are but the runs."""
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
FOLDER = "s"
AFTER_THEME = 600  # the default priority of listeners is 500
SECTION = re.compile(
    r'<p>(?P<anchors>(?:<span id="[^"]*"></span>)+)</p>\s*'
    r'<h2 class="rubric" id="(?P<slug>[^"]*)">(?P<title>.*?)</h2>'
    r'(?P<text>.*?)(?=<p>(?:<span id="[^"]*"></span>)+</p>)',
    re.DOTALL,
)
"""A statement's section in the atlas, up to the anchors of the next one, or those that end the last."""
ID = re.compile(r'<span id="([^"]*)"></span>')
ADDRESS = re.compile(r'(\b(?:href|src)=")(?![a-z]+:|/)([^"]*)"')
"""A relative address."""
COLUMNS = ["id", "paper", "kind", "number", "title", "ground", "verdict", "in words", "finding", "page"]
"""The columns of ``s/ledger.csv`` and ``s/ledger.parquet``."""
ERRATUM = ["rank", "where", "paper", "right", "survives"]
"""The keys of each entry of ``s/errata.json``, as in the stored table: ``paper`` is what the paper prints."""
SCRIPT = Path(__file__).with_name("index.js")


def page_name(id: str) -> str:
    """The name of a statement's page."""
    return f"{FOLDER}/{id}"


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.quotes`."""
    app.connect("html-page-context", _make_index)
    app.connect("html-page-context", _complete_statement_page, priority=AFTER_THEME)
    app.connect("html-collect-pages", _statement_pages)
    app.connect("build-finished", _write_records)


def _complete_statement_page(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Have all statements' pages show one table of contents, in which they do not stand, and load what they show."""
    if pagename.rpartition("/")[0] == FOLDER:
        for sheet in ("formulas/formulas.css", "figure.css", "demos.css"):
            app.add_css_file(sheet)  # Sphinx forgets what is added before a page's context is made
        if not hasattr(app, "ledger_contents"):
            app.ledger_contents = context["generate_toctree_html"]  # type: ignore[attr-defined]
        context["generate_toctree_html"] = app.ledger_contents  # type: ignore[attr-defined]


def _make_index(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Take the sections out of the atlas, and put tables by paper in their place; have errata open where they must."""
    if FOLD.search(context.get("body", "")):
        app.add_js_file(None, body=OPEN_FOLDS)
    if pagename != ATLAS or doctree is None:
        return
    sections = {ID.findall(match["anchors"])[0]: match for match in SECTION.finditer(context["body"])}
    known = store.read()
    if sections.keys() != known.keys():
        missing = sorted(known.keys() ^ sections.keys())
        raise ValueError(
            f"the atlas and the ledger differ in {missing[:5]}: run make statements and make outputs"
        )
    app.ledger_sections = sections  # type: ignore[attr-defined]
    first, last = (list(sections.values())[place] for place in (0, -1))
    tables = "".join(_table(paper.room, paper.chapter, sections, known) for paper in CHAPTERS)
    body = context["body"]
    context["body"] = body[: first.start()] + tables + body[last.end() :]
    app.add_js_file(None, body=SCRIPT.read_text(encoding="utf-8"))


def _table(room: str, chapter: str, sections: dict[str, Any], known: dict[str, Any]) -> str:
    """The statements of a paper, a row each; its old anchors lead to the row."""
    hunts = store.read_hunts()
    rows = []
    for id, section in sections.items():
        if not id.startswith(f"{room}."):
            continue
        entry = known[id]
        fails = hunts[id].count("contradicted") if id in hunts else 0
        marks = {
            "paper": room,
            "kind": KIND_OF.get(entry["kind"], "remark"),
            "verdict": entry["verdict"],
            "ground": entry["ground"],
            "fails": "yes" if fails else "",
        }
        data = "".join(f' data-{key}="{escape(value)}"' for key, value in marks.items())
        anchors = f'{section["anchors"]}<span id="{section["slug"]}"></span>'
        first, says = escape(name(entry)), _without_name(section["title"])
        link = f'<a href="../{page_name(id)}.html">'
        if is_numbered(entry):
            first = f"{link}{first}</a>"
        else:
            says = f"{link}{says}</a>"
        verdict = entry["verdict"]
        words = (
            verdict if verdict == Verdict.ELSEWHERE else verdict_words(entry)
        )  # its own page says in which model
        rows.append(
            f"<tr{data}><td>{anchors}{first}</td><td>{says}</td>"
            f'<td><span class="sign {tone(verdict)}">{SIGNS[verdict]}</span>&nbsp;{escape(words)}</td></tr>'
        )
    head = "<tr><th>statement</th><th>what it says</th><th>verdict</th></tr>"
    return (
        f'<h2>{escape(chapter)}</h2><div class="pst-scrollable-table-container"><table class="table ledger-index">'
        f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _without_name(title: str) -> str:
    """A section's title without the statement's name before it."""
    return title.partition(": ")[2] or title


def _statement_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each section of the atlas, if that has been written."""
    sections = getattr(app, "ledger_sections", {})
    order = ["", *sections, ""]
    known = store.read()
    for before, (id, section), after in zip(order, sections.items(), order[2:], strict=False):
        entry = known[id]
        used_by = _linked("used by", _users(id, known), known)
        body = (
            f"<section><h1>{section['title']}</h1>{_moved(section['text'], sections)}"
            f"{_map(app, entry)}{errata_section(entry)}{used_by}{_bibtex(entry)}"
            f"{_neighbours(before, after, known)}</section>"
        )
        yield page_name(id), {"title": f"{name(entry)}: {entry['title']}", "body": body}, "page.html"
    if sections:
        yield from certificates.pages()


def errata_section(entry: dict[str, Any]) -> str:
    """What is not right in a statement or its proof, with the script that shows it; nothing if all is right."""
    shown = "".join(
        f"<h3>{with_math(stored['where'])}</h3>"
        f"<p>Printed, in {stored['rank']}:</p>{_display(stored['paper'])}<p>Right:</p>{_display(stored['right'])}"
        f"<p>{escape(evidence(stored))} <strong>{str(erratum.survival).capitalize()}.</strong> "
        f"{with_math(stored['survives'])}</p>{_script(erratum)}"
        for stored, erratum in with_declared(entry)
    )
    return f'<h2 id="errata">Errata</h2>{shown}' if shown else ""


def _script(erratum: Erratum) -> str:
    """The function that proves an erratum, as it stands in the book's code."""
    if erratum.symbolic is None:
        return ""
    function = erratum.symbolic
    path = f"{function.__module__.replace('.', '/')}.py"
    code = escape(inspect.getsource(function))
    return f"<details><summary>The script, from {path}</summary><pre>{code}</pre></details>"


def _display(formula: str) -> str:
    """A displayed formula, for :mod:`widgets.site.typeset`."""
    return f'<div class="math notranslate nohighlight">\\[{escape(formula)}\\]</div>'


def with_math(text: str) -> str:
    """A text with its formulas as Sphinx writes them."""
    return re.sub(
        r"\$(.+?)\$",
        lambda match: f'<span class="math notranslate nohighlight">\\({match[1]}\\)</span>',
        escape(text),
    )


def _map(app: Sphinx, entry: dict[str, Any]) -> str:
    """Where a statement is true, as its page's figure shows it at the defaults; nothing without such a figure."""
    drawing = maps.drawings(Path(app.doctreedir), entry["page"]).get(entry["id"])
    if not drawing:
        return ""
    return (
        f'<h2>Where is it true?</h2><figure class="fim statement-map">{drawing}</figure>'
        f'<p>Each cell is a whole training run. <a href="../{entry["page"]}.html#~view=map">Open the map</a> to choose '
        "its axes, and to fill it more finely.</p>"
    )


def _write_records(app: Sphinx, exception: Exception | None) -> None:
    """Write the ledger for others: as a table, and as claims about the papers in JSON-LD."""
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    write_tables(folder)
    wrong = [
        {
            "of": entry["paper"],
            "statement": entry["id"],
            **{key: stored[key] for key in ERRATUM},
            "survival": str(declared.survival),
        }
        for entry in entries()
        for stored, declared in with_declared(entry)
    ]
    (folder / "errata.json").write_text(
        json.dumps(wrong, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    certificates.write_records(folder)
    papers = {paper.room: paper for paper in CHAPTERS}
    record = dataset([_claim(entry, papers[entry["id"].partition(".")[0]]) for entry in entries()])
    (folder / "ledger.jsonld").write_text(
        json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def dataset(claims: list[dict[str, Any]]) -> dict[str, Any]:
    """The ledger as schema.org's Dataset."""
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": "Facts in Motion",
        "hasPart": claims,
    }


def write_tables(folder: Path) -> None:
    """Write the ledger as ``ledger.csv`` and as ``ledger.parquet``, a row for each statement, with :data:`COLUMNS`."""
    table = pd.DataFrame(
        [[entry[key] for key in COLUMNS] for entry in entries()], columns=COLUMNS, dtype="str"
    )
    table.to_csv(folder / "ledger.csv", index=False)
    table.to_parquet(folder / "ledger.parquet", index=False)


def _claim(entry: dict[str, Any], paper: Paper) -> dict[str, Any]:
    """A statement as schema.org's Claim: where it stands, and what our runs say of it."""
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


def _users(id: str, known: dict[str, Any]) -> list[str]:
    """The statements whose proofs rest on this one."""
    return [user for user, entry in known.items() if id in entry["uses"]]


def _linked(heading: str, ids: list[str], known: dict[str, Any]) -> str:
    links = ", ".join(certificates.link(known[id]) for id in ids)
    return f"<p><strong>{heading.capitalize()}</strong>: {links or '–'}</p>"


def _bibtex(entry: dict[str, Any]) -> str:
    """How to cite the page."""
    key = entry["id"].replace(".", "-")
    return (
        '<details><summary>BibTeX</summary><div class="highlight"><pre>'
        f"@misc{{facts-in-motion-{key},\n  title = {{{escape(name(entry))}: {escape(entry['title'])}}},\n"
        f"  author = {{{{the Facts in Motion developers}}}},\n  howpublished = {{s/{entry['id']}.html}},\n"
        f"  note = {{on {escape(entry['paper'])}}}\n}}</pre></div></details>"
    )


def _neighbours(before: str, after: str, known: dict[str, Any]) -> str:
    links = [f'<a href="../{ATLAS}.html">all statements</a>']
    if before:
        links.insert(0, f'<a rel="prev" href="{before}.html">◀ {escape(called(known[before]))}</a>')
    if after:
        links.append(f'<a rel="next" href="{after}.html">{escape(called(known[after]))} ▶</a>')
    return f'<nav class="ledger-neighbours" aria-label="statements">{" · ".join(links)}</nav>'


def _moved(html: str, sections: dict[str, Any]) -> str:
    """A piece of the atlas with addresses as they are from a statement's page."""

    def address(match: re.Match[str]) -> str:
        there = match[2]
        if there.startswith("#"):
            id = there[1:]
            return f'{match[1]}{id}.html"' if id in sections else f'{match[1]}../{ATLAS}.html{there}"'
        path, mark, anchor = there.partition("#")
        return f'{match[1]}{normpath(f"../book/{path}")}{mark}{anchor}"'

    return ADDRESS.sub(address, html)
