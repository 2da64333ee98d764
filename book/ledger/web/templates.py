"""The templates of the ledger's pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from book.ledger import entries, markdown

FOLDER = Path(__file__).with_name("templates")
_environment = Environment(
    loader=FileSystemLoader(FOLDER),
    undefined=StrictUndefined,
    autoescape=lambda name: name is not None and name.endswith(".html"),
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.globals |= {
    "SIGNS": entries.SIGNS,
    "called": entries.called,
    "chapter_of": entries.chapter_of,
    "is_numbered": entries.is_numbered,
    "name": entries.name,
    "table": markdown.table,
    "tone": entries.tone,
    "verdict_words": entries.verdict_words,
}
_environment.filters["capital"] = entries.capital


def render(template: str, **values: Any) -> str:
    """The text that a template comes to with these values.

    Raises:
        jinja2.UndefinedError: the template names something else.
    """
    return _environment.get_template(template).render(values)


def macros(template: str) -> Any:
    """The macros of a template, as functions."""
    return _environment.get_template(template).module
