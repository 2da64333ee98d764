"""How the figure of a page opens."""

from __future__ import annotations

import importlib

from book.ledger.boxes import ROOT
from widgets.figure.registry import FIGURES, Opening, opening_of


def import_figures(page: str) -> None:
    """Register the figures in a page's folder."""
    if (ROOT / page / "figure.py").exists():
        importlib.import_module(f"{page.replace('/', '.')}.figure")


def opening(page: str, id: str) -> Opening | None:
    """How the figure of a page opens that judges the statement of this id; None where none does."""
    import_figures(page)
    openings = (opening_of(figure) for figure in FIGURES.values() if figure.page == page)
    return next((each for each in openings if id in each.statements), None)
