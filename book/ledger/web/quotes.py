"""What a page's own text has of the ledger: the options of statements' boxes, their verdicts, and measured numbers.

Verdicts and numbers come from the tables that ``make statements`` and ``make hunt`` renew. A page's Markdown quotes a
number by its name::

    {measured}`recall.lemma-6 {curvature along ε̃ at the saddle:.3f}`

After the statement's id stands a quotation as in findings: see :mod:`book.ledger.template`. The role ``verdict`` takes
an id and prints that statement's verdict in words. The role ``bar`` takes what ``measured`` takes, without a
format, and draws it: a share from 0 to 1. The role ``outcome`` takes an id and says whether what the paper prints came
out: yes, in part or no.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx_proof.domain import ProofDomain
from sphinx_proof.nodes import NODE_TYPES, unenumerable_node, visit_unenumerable_node

from book.ledger import store, template
from book.ledger.boxes import OPTIONS
from book.ledger.entries import SIGNS, capital, tone, verdict_words
from book.ledger.hunt import LETTERS, HuntResult
from book.ledger.web.index import page_name
from book.ledger.web.templates import render
from book.sketch import percent


def quoted(text: str) -> str:
    """The number that ``id {name:format}`` quotes, as text.

    Raises:
        ValueError: there is no such statement or number, or the format is none.
    """
    id, _, quotation = text.strip().partition(" ")
    entry = store.read().get(id)
    match = template.QUOTATION.fullmatch(quotation.strip())
    if entry is None or match is None:
        raise ValueError(f"measured {text!r}: must be an id of the ledger and {{name:format}}")
    numbers = template.by_name(_numbers(entry["holds at"]), _numbers(entry["fails at"]))
    if match[1] not in numbers:
        raise ValueError(f"measured {text!r}: must name one of {', '.join(numbers)}")
    try:
        number = template.fill(match[0], numbers, lambda value: format(value, ".4g"))
    except ValueError as error:
        raise ValueError(f"measured {text!r}: {error}") from error
    return number.replace("-", "−")


def _numbers(evidence: dict[str, Any]) -> dict[str, float]:
    return {bound["name"]: float(bound["measured"]) for bound in evidence["bounds"]}


def role(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: dict[str, Any] | None = None,
    content: list[str] | None = None,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role ``measured``: the number, as a link to the record that it comes from.

    The page is made again when the table has changed.
    """
    environment = inliner.document.settings.env
    environment.note_dependency(str(store.STATEMENTS))
    try:
        number = nodes.inline(rawtext, quoted(text), classes=["measured"])
    except ValueError as error:
        message = inliner.reporter.error(str(error), line=lineno)
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    record = page_name(text.split()[0])
    address = environment.app.builder.get_relative_uri(environment.docname, record)
    return [nodes.reference(rawtext, "", number, refuri=address, internal=True, classes=["record"])], []


def bar_role(
    name: str, rawtext: str, text: str, line: int, inliner: Inliner, *_: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role ``bar``: a share as a bar, and after it as a percentage, with the link that :func:`role` makes."""
    found, messages = role(name, rawtext, text, line, inliner)
    if messages:
        return found, messages
    (number,) = found[0].findall(nodes.Text)
    share = float(number.replace("−", "-"))
    if not 0 <= share <= 1:
        message = inliner.reporter.error(
            f"bar {text!r}: must be a share from 0 to 1, and is {share:g}", line=line
        )
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    number.parent.replace(number, nodes.Text(percent(share)))
    drawn = render("bar.html", share=share)
    return [nodes.raw("", drawn, format="html"), *found], []


def verdict_role(
    _name: str, rawtext: str, text: str, line: int, inliner: Inliner, *_: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role ``verdict``: what examining the statement with this id ended with, as a link to its box."""
    environment = inliner.document.settings.env
    environment.note_dependency(str(store.STATEMENTS))
    entry = store.read().get(text.strip())
    if entry is None:
        message = inliner.reporter.error(f"verdict {text!r}: must be an id of the ledger", line=line)
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    address = environment.app.builder.get_relative_uri(environment.docname, entry["page"])
    words = f"{SIGNS[entry['verdict']]} {verdict_words(entry)}"
    return [nodes.reference(rawtext, words, refuri=f"{address}#{entry['id']}", internal=True)], []


BOXES = (*NODE_TYPES.values(), unenumerable_node)
"""The kinds of nodes that a statement may stand in."""
OUTCOMES = {"good": "✓ yes", "warn": "◐ in part", "bad": "✕ no", "none": "– not tested"}
"""What a verdict's tone says to a reader who asks whether a printed result comes out."""


def outcome_role(
    name: str, rawtext: str, text: str, line: int, inliner: Inliner, *_: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role ``outcome``: a verdict in a word or two, with the link that :func:`verdict_role` makes."""
    found, messages = verdict_role(name, rawtext, text, line, inliner)
    if messages:
        return found, messages
    colour = tone(store.read()[text.strip()]["verdict"])
    (link,) = found
    words = nodes.inline("", OUTCOMES[colour], classes=["outcome", colour])
    return [nodes.reference(rawtext, "", words, reftitle=link.astext(), **link.attributes)], []


class clause_end(nodes.Inline, nodes.TextElement):
    """The end of a clause, until :func:`add_verdicts` puts its sign there."""


def by_role(
    _name: str, rawtext: str, _text: str, _line: int, _inliner: Inliner, *_: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role ``by`` (:mod:`book.ledger.clauses`)."""
    return [clause_end(rawtext)], []


def add_verdicts(app: Sphinx, doctree: nodes.document) -> None:
    """Put the verdict and the result of the hunt below each statement's box, with a link to the statement's page."""
    known, hunts = store.read(), store.read_hunts()
    for box in list(doctree.findall(_is_box)):
        if entry := known.get(box["label"]):
            _sign_clauses(box, entry)
            words = verdict_words(entry)
            verdict = f"{SIGNS[entry['verdict']]} {capital(words)}"
            page = app.builder.get_relative_uri(app.env.docname, page_name(box["label"]))
            result = f": {_in_short(hunts[box['label']])}." if box["label"] in hunts else "."
            link = nodes.reference("", verdict, refuri=page, internal=True)
            box += nodes.paragraph(
                "", "", link, nodes.Text(result), classes=["verdict", tone(entry["verdict"])]
            )
            box += _untested(entry)
            app.env.note_dependency(str(store.STATEMENTS))
            app.env.note_dependency(str(store.HUNTS))


def _is_box(node: nodes.Node) -> bool:
    return isinstance(node, BOXES)


def _in_short(hunt: HuntResult) -> str:
    """What the hunt found at random, and at edges if it failed there: the statement's page has the rest."""
    drawn, *others = hunt.words.split("; ")
    fails_at_an_edge = LETTERS["contradicted"] in hunt.border
    return "; ".join([drawn.partition(" (95 %")[0], *others[: int(fails_at_an_edge)]])


def _sign_clauses(box: nodes.Element, entry: dict[str, Any]) -> None:
    """Put a sign in the place of the roles that end each clause; pointed at or tapped, it says what accounts for it."""
    roles = iter(list(box.findall(clause_end)))
    for clause in entry["clauses"]:
        by = [*clause["by"], clause["note"]]
        words = f"{clause['kind']}: {'; '.join(filter(None, by))}"
        sign = nodes.abbreviation("", clause["sign"], explanation=words, classes=["clause"])
        first, *others = islice(roles, clause["roles"])
        _bind(first)
        first.replace_self(sign)
        for role in others:
            role.parent.remove(role)


def _bind(sign: nodes.Element) -> None:
    """Keep a sign on the line of the word before it."""
    place = sign.parent.index(sign)
    before = sign.parent[place - 1] if place else None
    if isinstance(before, nodes.Text) and before != before.rstrip():
        sign.parent[place - 1] = nodes.Text(before.rstrip() + "\N{NO-BREAK SPACE}")


def _untested(entry: dict[str, Any]) -> list[nodes.Node]:
    """A list of the clauses that are not tested, or only in another model, with the reasons."""
    reasons = dict.fromkeys(
        f"{clause['sign']} {clause['note']}" for clause in entry["clauses"] if clause["note"]
    )
    items = [nodes.list_item("", nodes.paragraph("", reason)) for reason in reasons]
    return [nodes.bullet_list("", *items, classes=["untested"])] if items else []


def _print_titles_alone(_app: Sphinx, config: Config) -> None:
    """A title names its statement, "Lemma 6: …": no "Lemma (…)" around it."""
    config.proof_title_format = "%t"


def _end_box(translator: Any, _node: nodes.Element) -> None:
    """End a statement's box without writing its kind before the title, as Sphinx-proof does."""
    translator.body.append("</div>")


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.web.sphinx`."""
    app.setup_extension("sphinx_proof")
    app.connect("config-inited", _print_titles_alone)
    app.add_node(unenumerable_node, override=True, html=(visit_unenumerable_node, _end_box))
    for name, directive in ProofDomain.directives.items():
        if directive.option_spec and "label" in directive.option_spec:
            options = {**directive.option_spec, **OPTIONS}
            with_options = type(directive.__name__, (directive,), {"option_spec": options})
            app.add_directive_to_domain("prf", name, with_options, override=True)
    app.add_role("measured", role)
    app.add_node(clause_end)
    app.add_role("by", by_role)
    app.add_role("verdict", verdict_role)
    app.add_role("bar", bar_role)
    app.add_role("outcome", outcome_role)
    app.connect("doctree-read", add_verdicts)
