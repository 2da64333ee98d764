"""What a test rests on: the files that decide whether it passes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from book.ledger.statement import Statement
from book.publish.build import SHARED, notebooks
from tests import ROOT
from tests.changed import PAGE, figure_of, notebook
from widgets import dependencies
from widgets.dependencies import closure

ALWAYS = (ROOT / "tests" / "conftest.py", ROOT / "constraints.txt")
digest = cache(dependencies.digest)


def rests_on(item: pytest.Item) -> frozenset[Path]:
    """The files that decide whether it passes; none if that is for the whole tree to say."""
    if item.get_closest_marker("whole"):
        return frozenset()
    if notebook(item):
        return closure(item.path)
    if item.get_closest_marker("no_page"):
        return closure(item.path, *ALWAYS)
    named = frozenset(path for value in _parameters(item) for path in _page(value))
    return _rests_on(item.path, named, not {"home", "stand_at"}.isdisjoint(getattr(item, "fixturenames", ())))


@cache
def _rests_on(module: Path, named: frozenset[Path], built: bool) -> frozenset[Path]:
    """The files that decide on a module's tests of the pages with these files; of all pages if there are none.

    Args:
        built: whether they look at the built book.
    """
    files = {module, *ALWAYS, *named, *(path for word in _words(module) for path in _page(word))}
    rested = closure(*files)
    if not named and ROOT / "book" / "ledger" / "registry.py" in rested:
        rested |= closure(*(ROOT / "book").glob("*/*/statements.py"), *notebooks())
    if not named and ROOT / "tests" / "figures.py" in rested:
        rested |= closure(*(ROOT / "book").glob("*/*/figure.py"))
    if built:
        pages = () if len(files) > 1 + len(ALWAYS) else notebooks()
        rested |= closure(*pages, *SHARED) | set((ROOT / "book" / "_static").iterdir())
    return rested


def _parameters(item: pytest.Item) -> list[Any]:
    call = getattr(item, "callspec", None)
    return list(call.params.values()) if call else []


def _page(value: Any) -> Iterator[Path]:
    """The files of the page that a parameter or a word of a test names: a statement, a figure, an address."""
    if isinstance(value, Statement):
        yield from (ROOT / value.page / "statements.py", ROOT / f"{value.page}.ipynb")
    elif isinstance(value, Path) and value.is_file() and value.is_relative_to(ROOT):
        yield value
    elif isinstance(value, str):
        if figure := figure_of(value):
            yield from (figure, figure.parent.with_suffix(".ipynb"))
        if (match := PAGE.fullmatch(value)) and (ROOT / f"{match[1]}.ipynb").is_file():
            yield ROOT / f"{match[1]}.ipynb"


@cache
def _words(path: Path) -> frozenset[str]:
    """The strings of a module."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return frozenset(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
