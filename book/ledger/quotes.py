"""The Sphinx extension of the ledger: the options of statements' boxes, their verdicts, and measured numbers in prose.

Verdicts and numbers come from the tables that ``make statements`` and ``make hunt`` renew. A page's Markdown quotes a
number by its name::

    {measured}`recall.lemma-6 {curvature along ε̃ at the saddle:.3f}`

After the statement's id stands a quotation as in findings: see :mod:`book.ledger.template`.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx
from sphinx_proof.domain import ProofDomain
from sphinx_proof.nodes import NODE_TYPES, unenumerable_node

from book.ledger import store, template
from book.ledger.boxes import OPTIONS
from book.ledger.tables import SIGNS, entries


def quoted(text: str) -> str:
    """The number that ``id {name:format}`` quotes, as text.

    Raises:
        ValueError: there is no such statement or number, or the format is none.
    """
    id, _, quotation = text.strip().partition(" ")
    entry = {entry["id"]: entry for entry in entries()}.get(id)
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
    """The role ``measured``, as docutils calls it. The page is made again when the table has changed."""
    inliner.document.settings.env.note_dependency(str(store.STATEMENTS))
    try:
        return [nodes.inline(rawtext, quoted(text), classes=["measured"])], []
    except ValueError as error:
        message = inliner.reporter.error(str(error), line=lineno)
        return [inliner.problematic(rawtext, rawtext, message)], [message]


def add_verdicts(app: Sphinx, doctree: nodes.document) -> None:
    """Put the verdict and the result of the hunt below each statement's box, with a link into the atlas."""
    known, hunts = {entry["id"]: entry for entry in entries()}, store.read_hunts()
    boxes = [box for kind in {*NODE_TYPES.values(), unenumerable_node} for box in doctree.findall(kind)]
    for box in boxes:
        if entry := known.get(box["label"]):
            verdict = f"{SIGNS[entry['verdict']]} {entry['verdict'].capitalize()}"
            atlas = f"{app.builder.get_relative_uri(app.env.docname, 'book/atlas')}#{box['label']}"
            result = f": {hunts[box['label']].words}." if box["label"] in hunts else "."
            link = nodes.reference("", verdict, refuri=atlas, internal=True)
            box += nodes.paragraph("", "", link, nodes.Text(result), classes=["verdict"])
            app.env.note_dependency(str(store.STATEMENTS))
            app.env.note_dependency(str(store.HUNTS))


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx_proof")
    for name, directive in ProofDomain.directives.items():
        if directive.option_spec and "label" in directive.option_spec:
            options = {**directive.option_spec, **OPTIONS}
            with_options = type(directive.__name__, (directive,), {"option_spec": options})
            app.add_directive_to_domain("prf", name, with_options, override=True)
    app.add_role("measured", role)
    app.connect("doctree-read", add_verdicts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
