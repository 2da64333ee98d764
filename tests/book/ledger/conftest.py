"""Statements of the tests' own have a box, as those of pages have."""

import pytest

from book.ledger.boxes import Box
from book.ledger.statement import Statement

BOX_OF_PAGE = vars(Statement)["box"]
TOY_BOX = Box("Theorem 1", "a toy", "Where nothing is broken {by}`whole`, the size is at most 2 {by}`size`.")


@pytest.fixture(autouse=True)
def toys_have_a_box(monkeypatch):
    def box(statement):
        return TOY_BOX if statement.id.startswith("toy.") else BOX_OF_PAGE.fget(statement)

    monkeypatch.setattr(Statement, "box", property(box))
