"""Every statement of the book, found through its table of contents."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache

import yaml

from book.ledger.boxes import ROOT
from book.ledger.statement import Statement


def pages() -> list[str]:
    """Every page of the book, in the order of its table of contents."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    chapters = [chapter for part in contents["parts"] for chapter in part["chapters"]]
    files = [contents["root"]]
    for chapter in chapters:
        files += [chapter["file"], *(section["file"] for section in chapter.get("sections", ()))]
    return files


@cache
def statements() -> dict[str, Statement]:
    """Every statement by id, in the order of the pages.

    Raises:
        ValueError: two statements share an id, or one uses what is not there.
    """
    found: dict[str, Statement] = {}
    for page in pages():
        if not (ROOT / page / "statements.py").exists():
            continue
        module = importlib.import_module(f"{page.replace('/', '.')}.statements")
        for one in vars(module).values():
            if not isinstance(one, Statement):
                continue
            if found.setdefault(one.id, one) is not one:
                raise ValueError(f"id = {one.id!r}: must belong to one statement")
    for one in found.values():
        if dangling := [other for other in one.uses if other not in found]:
            raise ValueError(f"{one.id} uses {dangling}: must be ids of the ledger")
    return found


def find(ids: Sequence[str] = ()) -> list[Statement]:
    """The statements with these ids, or all.

    Raises:
        ValueError: an id is unknown.
    """
    known = statements()
    for wanted in ids:
        if wanted not in known:
            raise ValueError(f"id = {wanted!r}: must be one of {', '.join(known)}")
    return [known[wanted] for wanted in ids] if ids else list(known.values())
