"""Every statement of the book, found through its table of contents."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache

import yaml

from book.errors import BadInput, nearest
from book.ledger.boxes import ROOT
from book.ledger.statement import Statement


def pages() -> list[str]:
    """Every page of the book without its suffix, in the order of the table of contents."""
    return list(_pages_in((ROOT / "_toc.yml").read_text()))


@cache
def _pages_in(contents: str) -> tuple[str, ...]:
    """Every page of a table of contents."""
    read = yaml.safe_load(contents)
    chapters = [chapter for part in read["parts"] for chapter in part["chapters"]]
    files = [read["root"]]
    for chapter in chapters:
        files += [chapter["file"], *(section["file"] for section in chapter.get("sections", ()))]
    return tuple(files)


@cache
def statements() -> dict[str, Statement]:
    """Every statement by id, in the order of the pages.

    Raises:
        ValueError: two statements share an id, or a statement uses an id that no statement has.
    """
    by_id: dict[str, Statement] = {}
    for page in pages():
        if not (ROOT / page / "statements.py").exists():
            continue
        module = importlib.import_module(f"{page.replace('/', '.')}.statements")
        for statement in vars(module).values():
            if not isinstance(statement, Statement):
                continue
            if by_id.setdefault(statement.id, statement) is not statement:
                raise ValueError(f"id = {statement.id!r}: must belong to one statement")
    for statement in by_id.values():
        if unknown := [id for id in statement.uses if id not in by_id]:
            raise ValueError(f"{statement.id} uses {unknown}: must be ids of the ledger")
    return by_id


def find(ids: Sequence[str] = ()) -> list[Statement]:
    """The statements with these ids; all of them if no id is given.

    Raises:
        BadInput: an id is unknown.
    """
    by_id = statements()
    for id in ids:
        if id not in by_id:
            hint = nearest(id, by_id)
            raise BadInput(
                f"id = {id!r}: no statement has it{'; ' + hint if hint else '.'} "
                "`python -m book statements --list` lists all ids."
            )
    return [by_id[id] for id in ids] if ids else list(by_id.values())
