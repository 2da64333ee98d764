"""Every live figure of the book."""

from __future__ import annotations

from book.ledger.boxes import ROOT
from book.ledger.registry import pages
from widgets.figure.registry import FIGURES, Registered, import_figures


def figures() -> dict[str, Registered]:
    """The registered figures by name, in the order of the pages whose folders they stand in."""
    for page in pages():
        import_figures(page)
    return {name: figure for name, figure in FIGURES.items() if figure.file.is_relative_to(ROOT / "book")}


def figures_of(page: str) -> list[Registered]:
    """The figures that a page shows."""
    return [figure for figure in figures().values() if figure.page == page]
