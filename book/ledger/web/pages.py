"""A page of its own for each statement, ``s/ID.html``, and for each paper's certificate.

A statement's page is a text in MyST that ``templates/statement.md`` makes from the stored tables. Sphinx reads only
documents that are files below the book's folder, and takes them into its tables of contents and its search. So these
texts are read here: by MyST, with the same roles, transforms and references as the documents, one after the other,
under the name of the page. Links are then right from the start, and a page costs what its text costs.

They are written whenever the page with the index is: it depends on the same tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.core import Publisher
from docutils.io import StringInput, StringOutput
from docutils.nodes import make_id
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.io import create_publisher
from sphinx.util.docutils import sphinx_domains

from book.ledger import registry, store
from book.ledger.entries import is_rounding, name, with_declared
from book.ledger.hunt import HuntResult, from_entry
from book.ledger.web import certificates, errata, graph, index
from book.ledger.web.templates import render
from widgets.site import maps

BEFORE_THEME, AFTER_THEME = 400, 600  # the default priority of listeners is 500
SHEETS = ("formulas/formulas.css", "figure.css", "demos.css")
Entry = Mapping[str, Any]


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.web.sphinx`."""
    app.add_source_parser(MystParser)  # that of the documents takes each for a notebook, which is a file
    app.connect("doctree-read", _depend)
    app.connect("html-page-context", _note_index)
    app.connect("html-page-context", _share_contents, priority=BEFORE_THEME)
    app.connect("html-page-context", _complete, priority=AFTER_THEME)
    app.connect("html-collect-pages", _pages)


def _depend(app: Sphinx, _doctree: nodes.document) -> None:
    """Have the page with the index made again if a table of the ledger has changed."""
    if app.env.docname == index.PAGE:
        for table in (store.STATEMENTS, store.HUNTS, store.BEYOND, store.HISTORY):
            app.env.note_dependency(str(table))


def _note_index(
    app: Sphinx, page: str, _template: str, _context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Have the statements' pages written in this build, which writes the page with the index."""
    if page == index.PAGE:
        app.ledger_is_written = True  # type: ignore[attr-defined]


def _share_contents(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Have all these pages show one table of contents, in which they do not stand."""
    if page.rpartition("/")[0] == index.FOLDER:
        if not hasattr(app, "ledger_contents"):
            app.ledger_contents = cache(context["toctree"])  # type: ignore[attr-defined]
        context["toctree"] = app.ledger_contents  # type: ignore[attr-defined]


def _complete(
    app: Sphinx, page: str, _template: str, _context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Have all these pages load what they show."""
    if page.rpartition("/")[0] == index.FOLDER:
        for sheet in SHEETS:
            app.add_css_file(sheet)  # Sphinx forgets what is added before a page's context is made


def _pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The pages as Sphinx collects them, if they are to be written."""
    if not hasattr(app, "ledger_is_written"):
        return
    publisher = _publisher(app)
    known = store.read()
    ids = ["", *known, ""]
    for before, id, after in zip(ids, known, ids[2:], strict=False):
        entry = known[id]
        beside = known.get(before), known.get(after)
        text = page_text(entry, known, *beside, _map(app, entry), app.config.html_title, app.config.author)
        title = f"{name(entry)}: {entry['title']}"
        body = _html(app, publisher, index.page_name(id), text)
        yield index.page_name(id), {"title": title, "body": body}, "page.html"
    yield from certificates.pages(app.config.author)


def _publisher(app: Sphinx) -> Publisher:
    """The book's way from Markdown to a document, for texts that are no files."""
    publisher = create_publisher(app, "markdown")
    publisher.source_class = StringInput
    return publisher


def _html(app: Sphinx, publisher: Publisher, page: str, text: str) -> str:
    """A text in MyST as the body of a page, written as Sphinx writes its documents."""
    env, builder = app.env, app.builder
    env.prepare_settings(page)
    env.temp_data["_parser"] = publisher.parser
    with sphinx_domains(env):
        publisher.set_source(text, source_path=f"{page}.md")
        publisher.publish()
    doctree = publisher.document
    env.temp_data.clear()
    env.ref_context.clear()
    env.apply_post_transforms(doctree, page)
    doctree.settings = builder.docsettings  # type: ignore[attr-defined]
    builder.current_docname = page  # type: ignore[attr-defined]
    builder.docwriter.write(doctree, StringOutput(encoding="utf-8"))  # type: ignore[attr-defined]
    builder.docwriter.assemble_parts()  # type: ignore[attr-defined]
    return str(builder.docwriter.parts["fragment"])  # type: ignore[attr-defined]


def _map(app: Sphinx, entry: Entry) -> str:
    """Where a statement is true, as its page's figure shows it at the defaults; nothing without such a figure."""
    return maps.drawings(Path(app.doctreedir), entry["page"]).get(entry["id"], "")


def page_text(
    entry: Entry,
    known: Mapping[str, Entry],
    before: Entry | None,
    after: Entry | None,
    drawing: str = "",
    book: str = "",
    authors: str = "",
) -> str:
    """The text of a statement's page, in MyST.

    Args:
        before, after: the statements that stand beside it in the index.
        drawing: where it is true, as SVG.
        book, authors: the title and the authors of the book, for those who cite the page.
    """
    stored = store.read_hunt_entries().get(entry["id"])
    about = _history(store.read_history().get(entry["id"], []))
    if entry["verdict"] != "not testable here":
        about += _tests(entry, from_entry(stored) if stored else None)
    return render(
        "statement.md",
        entry=entry,
        text=_apart(entry["statement"]),
        clauses=[_clause(clause) for clause in entry["clauses"]],
        bounds=[_bound(bound) for bound in entry["holds at"]["bounds"] if bound["must be"]],
        source=f"{'this book' if entry['source'] == 'book' else entry['paper']}, {entry['ground']}",
        uses=[known[id] for id in entry["uses"]],
        about=about,
        map=drawing,
        errata=[errata.in_full(*pair) for pair in with_declared(entry)],
        used_by=[known[id] for id in graph.users(entry["id"], known)],
        before=before,
        after=after,
        index=index.PAGE,
        key=make_id(f"{book} {entry['id']}"),
        authors=authors,
    )


def _apart(text: str) -> str:
    """A text in which no sign stands behind a displayed formula, where Markdown would not see the formula's end."""
    return re.sub(r"\$\$(?=\{sup\})", "$$\n\n", text)


def _in_cell(text: str) -> str:
    """A text on one line, with its displayed formulas set in the line."""
    return " ".join(
        re.sub(r"\$\$(.*?)\$\$", lambda match: f"${match[1].strip()}$", text, flags=re.DOTALL).split()
    )


def _clause(clause: Entry) -> tuple[str, str, str]:
    """A row of the table of clauses."""
    by = "; ".join([*clause["by"], clause["note"]]).strip("; ")
    return _in_cell(clause["text"]), f"{clause['sign']} {clause['kind']}", by


def _bound(bound: Entry) -> tuple[str, str, str, str, str]:
    """A row of the table of bounds."""
    sign = "✓" if bound["holds"] else "✕"
    return bound["name"], bound["must be"], _number(bound["measured"]), _headroom(bound), sign


def _headroom(bound: Entry) -> str:
    """The factor by which a number could still grow, or fall, before its bound fails."""
    if is_rounding(bound):
        return "only rounding"
    return "" if isinstance(bound["headroom"], str) else f"{bound['headroom']:.3g}×"


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else format(value, ".4g")


def _history(verdicts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """All verdicts of a statement with their days, if there was more than one."""
    days = "; ".join(f"{words} from {since}" for since, words in verdicts)
    return [("verdicts so far", days)] if len(verdicts) > 1 else []


def _tests(entry: Entry, hunted: HuntResult | None) -> list[tuple[str, str]]:
    """How a statement was examined and hunted in, and the command that repeats it."""
    rows = [("examined", _runs(entry["holds at"])), ("hunted", hunted.words if hunted else "not yet")]
    if hunted and hunted.unneeded:
        rows.append(("held without it", "; ".join(hunted.unneeded)))
    statement = registry.statements()[entry["id"]]
    if (more := store.read_beyond().get(entry["id"])) and more.words:
        rows.append(("beyond its ranges", more.words))
    if statement.no_farther:
        reasons = [f"{name.replace('_', ' ')}: {why}" for name, why in statement.no_farther.items()]
        rows.append(("ranges kept narrow", "; ".join(reasons)))
    if hunted and (unreached := store.unreached(statement)):
        reasons = [f"{words} ({why})" if why else words for words, why in unreached.items()]
        rows.append(("borders not reached", "; ".join(reasons)))
    rows.append(_failing(entry))
    says = statement.says
    rows.append(("command", f"`python -m book statements {entry['id']}`"))
    rows.append(("in Python", f"`from {says.__module__} import {says.__name__}; {says.__name__}()`"))
    return rows


def _runs(at: Entry) -> str:
    """The configuration, and at how many seeds the statement held."""
    settings = (
        ", ".join(f"{key} = {value}" for key, value in at["configuration"].items()) or "at the defaults"
    )
    return f"{settings}; holds at {at['holding']} of {at['seeds']} seeds" if at["seeds"] > 1 else settings


def _failing(entry: Entry) -> tuple[str, str]:
    """Where it fails when it is examined: the hypotheses that are broken there, or the error that is planted."""
    at = entry["fails at"]
    if not entry["planted"]:
        return "fails where", "; ".join(f"not: {key}" for key, holds in at["hypotheses"].items() if not holds)
    missed = next(bound for bound in at["bounds"] if not bound["holds"])
    return (
        "finds a planted error",
        f"{entry['planted']}: {missed['name']} is then {_number(missed['measured'])}, and must be {missed['must be']}",
    )
