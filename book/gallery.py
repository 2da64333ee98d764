"""Every live figure of the book."""

from __future__ import annotations

import importlib

from book.ledger.boxes import ROOT
from book.ledger.registry import pages
from book.ledger.statement import Statement
from widgets.figure.registry import FIGURES, Opening, Registered, opening_of


def figures() -> dict[str, Registered]:
    """The registered figures by name, in the order of the pages whose folders they stand in."""
    for page in pages():
        _import_figures(page)
    return {name: figure for name, figure in FIGURES.items() if figure.file.is_relative_to(ROOT / "book")}


def figures_of(page: str) -> list[Registered]:
    """The figures that a page shows."""
    return [figure for figure in figures().values() if figure.page == page]


def opening(statement: Statement) -> Opening | None:
    """How the figure opens that judges a statement on its own page; None where no figure does."""
    _import_figures(statement.page)
    openings = (opening_of(figure) for figure in FIGURES.values() if figure.page == statement.page)
    return next((each for each in openings if statement.id in each.statements), None)


def _import_figures(page: str) -> None:
    """Register the figures in a page's folder."""
    if (ROOT / page / "figure.py").exists():
        importlib.import_module(f"{page.replace('/', '.')}.figure")
