"""The files on which a test depends: they decide whether it passes."""

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
from tests.changed import PAGE, figure_of, is_notebook
from widgets.dependencies import closure
from widgets.dependencies import digest as uncached_digest

ALWAYS = (ROOT / "tests" / "conftest.py", ROOT / "constraints.txt")
BUILT_BOOK = {"home", "stand_at"}
"""The fixtures of tests that look at the built book."""
digest = cache(uncached_digest)


def dependencies_of(item: pytest.Item) -> frozenset[Path]:
    """The files on which a test depends; none if it depends on the whole tree."""
    if item.get_closest_marker("whole"):
        return frozenset()
    if is_notebook(item):
        return closure(item.path)
    if item.get_closest_marker("no_page"):
        return closure(item.path, *ALWAYS)
    named = frozenset(path for value in _parameters(item) for path in _page(value))
    fixtures = getattr(item, "fixturenames", ())
    return _module_dependencies(item.path, named, not BUILT_BOOK.isdisjoint(fixtures))


@cache
def _module_dependencies(module: Path, named: frozenset[Path], built: bool) -> frozenset[Path]:
    """The files on which those tests of a module depend that name pages with these files; all pages if there are none.

    Args:
        built: whether the tests look at the built book.
    """
    files = {module, *ALWAYS, *named, *(path for word in _words(module) for path in _page(word))}
    dependencies = closure(*files)
    if not named and ROOT / "book" / "ledger" / "registry.py" in dependencies:
        dependencies |= closure(*(ROOT / "book").glob("*/*/statements.py"), *notebooks())
    if not named and ROOT / "tests" / "figures.py" in dependencies:
        dependencies |= closure(*(ROOT / "book").glob("*/*/figure.py"))
    if built:
        pages = () if len(files) > 1 + len(ALWAYS) else notebooks()
        dependencies |= closure(*pages, *SHARED) | set((ROOT / "book" / "_static").iterdir())
    return dependencies


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
    """The strings in a module."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return frozenset(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
