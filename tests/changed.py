"""``CHANGED=1 make test``: only tests that rest on a file which has changed since they last passed.

Whether a test runs is decided by what the files say that it rests on, so the whole suite stays the default. Beside it
here is what a run says of itself at its end: how long each kind of test took.
"""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from book.build import SHARED, notebooks
from book.statements import Statement
from widgets.sources import ROOT, closure, digest

PASSED = ROOT / "_build" / ".passed.json"
"""Of each test that passed: what it rested on, as a hash, and how many seconds it took."""
ALWAYS = (ROOT / "tests" / "conftest.py", ROOT / "constraints.txt")
FIGURE = re.compile(r"(\w+)\.(\w+)(?:\.\w+)?")
PAGE = re.compile(r"(book/\w+(?:/\w+)?)(?:\.html|\.ipynb)?")
KINDS = {
    "tests/browser": "browser",
    "book": "notebooks",
    "tests/widgets": "kernels and widgets",
    "tests/book": "statements and figures",
    "tests": "models and the rest",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--changed", action="store_true", help="only tests that rest on what has changed")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "whole: looks at the whole tree, and runs whatever has changed")
    config.addinivalue_line("markers", "no_page: rests on no page, though it imports what finds them all")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed as it stands, and deal the others out by what they share, the longest first."""
    passed = json.loads(PASSED.read_text()) if PASSED.exists() else {}
    known, seconds = {}, defaultdict[str, float](float)
    for item in items:
        files = rests_on(item)
        item.user_properties.append(("rests on", _digest(files) if files else ""))
        before = passed.get(item.nodeid, ["", 0.0])
        known[item] = bool(files) and before[0] == _digest(files)
        seconds[group(item.nodeid)] += before[1]
    if config.getoption("--changed"):
        todo = {item.path for item in items if not known[item] and _notebook(item)}  # its cells run together
        skipped = [item for item in items if known[item] and item.path not in todo]
        config.hook.pytest_deselected(items=skipped)
        items[:] = [item for item in items if not known[item] or item.path in todo]
    items.sort(key=lambda item: -seconds[group(item.nodeid)])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Deal tests out by group, each to one worker."""
    from xdist.scheduler import LoadScopeScheduling

    class Dealer(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    return Dealer(config, log)


def group(nodeid: str) -> str:
    """What a test shares that takes time: a figure, a built page; else its module or notebook."""
    module, _, name = nodeid.partition("::")
    word = name.rstrip("]").partition("[")[2]
    return word if _figure(word) or PAGE.fullmatch(word) else module


def rests_on(item: pytest.Item) -> frozenset[Path]:
    """The files that decide whether it passes; none if that is for the whole tree to say."""
    if item.get_closest_marker("whole"):
        return frozenset()
    if _notebook(item):
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
    if not named and ROOT / "book" / "ledger.py" in rested:
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


def _notebook(item: pytest.Item) -> bool:
    return item.path.suffix == ".ipynb"


def _page(value: Any) -> Iterator[Path]:
    """The files of the page that a parameter or a word of a test names: a statement, a figure, an address."""
    if isinstance(value, Statement):
        yield from (ROOT / value.page / "statements.py", ROOT / f"{value.page}.ipynb")
    elif isinstance(value, Path) and value.is_file() and value.is_relative_to(ROOT):
        yield value
    elif isinstance(value, str):
        if figure := _figure(value):
            yield from (figure, figure.parent.with_suffix(".ipynb"))
        if (match := PAGE.fullmatch(value)) and (ROOT / f"{match[1]}.ipynb").is_file():
            yield ROOT / f"{match[1]}.ipynb"


def _figure(name: str) -> Path | None:
    match = FIGURE.fullmatch(name)
    path = ROOT / "book" / match[1] / match[2] / "figure.py" if match else None
    return path if path and path.is_file() else None


@cache
def _words(path: Path) -> frozenset[str]:
    """The strings of a module."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return frozenset(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))


_digest = cache(digest)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Remember what passed, and say how long each kind of test took."""
    passed = json.loads(PASSED.read_text()) if PASSED.exists() else {}
    totals, counts = defaultdict[str, float](float), defaultdict[str, set[str]](set)
    outcomes = defaultdict[str, list[Any]](list)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                outcomes[report.nodeid].append(report)
    for name, reports in outcomes.items():
        seconds = sum(report.duration for report in reports)
        kind = next(kind for room, kind in KINDS.items() if name.startswith(f"{room}/"))
        totals[kind] += seconds
        counts[kind].add(name)
        if all(report.outcome == "passed" for report in reports):
            passed[name] = [dict(reports[0].user_properties).get("rests on", ""), round(seconds, 2)]
        else:
            passed.pop(name, None)
    if PASSED.parent.exists():
        PASSED.write_text(json.dumps(passed, indent=0))
    terminalreporter.section("seconds by kind, all workers together")
    for kind in sorted(totals, key=totals.__getitem__, reverse=True):
        terminalreporter.write_line(f"{kind:<24} {totals[kind]:8.1f} s  {len(counts[kind]):5} tests")
