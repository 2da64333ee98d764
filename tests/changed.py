"""``make test CHANGED=1``: only tests that depend on a file which has changed since they last passed.

A test's dependencies are read off the files' text, so the whole suite stays the default. This plugin also deals the
tests out to the workers, and says at the end of a run how long each kind of test took.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

from book.publish.warm_kernels import FORKS
from tests import ROOT

PASSED = ROOT / "_build" / ".passed.json"
"""For each test that passed: the hash of the files it depended on, and how many seconds it took."""
DEFAULT_SECONDS = 0.3
"""Seconds assumed for a test that has not passed yet."""
FIGURE = re.compile(r"(\w+)\.(\w+)(?:\.\w+)?")
PAGE = re.compile(r"(book/\w+(?:/\w+)?)(?:\.html|\.ipynb)?")
START_KERNELS = (
    "tests/book/publish/test_build.py",
    "tests/book/publish/test_kernel.py",
    "tests/widgets/test_picture.py",
)
"""The modules that start kernels: these fork from one process, which takes some ten seconds to import all they need."""
HASH = "hash of dependencies"
"""The property of a test's report that holds it."""
KINDS = {
    "tests/browser": "browser",
    "book": "notebooks",
    "tests/widgets": "kernels and widgets",
    "tests/book": "statements and figures",
    "tests": "models and the rest",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--changed", action="store_true", help="only tests that depend on what has changed")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "whole: looks at the whole tree, and runs whatever has changed")
    config.addinivalue_line("markers", "no_page: depends on no page, though it imports what finds them all")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed as it stands, and deal the others out by what they share.

    Those of a browser alternate with the others, which need what it leaves of the processors.
    """
    # They bring torch, which the process that deals tests out can do without.
    from tests.dependencies import dependencies_of, digest

    passed = json.loads(PASSED.read_text()) if PASSED.exists() else {}
    unchanged, seconds = {}, defaultdict[str, float](float)
    for item in items:
        files = dependencies_of(item)
        files_hash = digest(files) if files else ""
        item.user_properties.append((HASH, files_hash))
        passed_hash, passed_seconds = passed.get(item.nodeid, ["", DEFAULT_SECONDS])
        unchanged[item] = bool(files) and passed_hash == files_hash
        seconds[group(item.nodeid)] += passed_seconds
    if config.getoption("--changed"):
        # the cells of a notebook run together
        notebooks = {item.path for item in items if not unchanged[item] and is_notebook(item)}
        skipped = [item for item in items if unchanged[item] and item.path not in notebooks]
        config.hook.pytest_deselected(items=skipped)
        items[:] = [item for item in items if not unchanged[item] or item.path in notebooks]
    browser = {group(item.nodeid) for item in items if item.nodeid.startswith("tests/browser/")}
    start = starts(seconds, browser) | starts(seconds, seconds.keys() - browser)
    items.sort(key=lambda item: start[group(item.nodeid)])


def starts(seconds: Mapping[str, float], groups: Collection[str]) -> dict[str, float]:
    """When each group starts, as a share of the whole run: the longest first, evenly over the run."""
    found, elapsed, total = {}, 0.0, sum(seconds[name] for name in groups) or 1.0
    for name in sorted(groups, key=lambda name: (-seconds[name], name)):
        found[name] = elapsed / total
        elapsed += seconds[name]
    return found


def pytest_collection_finish() -> None:
    """Collect garbage rarely: imports stay, tensors are in few cycles, and looking took a fortieth of the time."""
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Deal tests out by group, each to one worker."""
    from xdist.scheduler import LoadScopeScheduling

    class Dealer(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    return Dealer(config, log)


@cache
def group(nodeid: str) -> str:
    """The name of what takes time and tests share: a figure, a page, what kernels fork from; or the module.

    A page's statements, "book/recall/escape: recall.lemma-6", share its runs.
    """
    module, _, name = nodeid.partition("::")
    word = name.rstrip("]").partition("[")[2].partition(":")[0]
    if figure_of(word) or PAGE.fullmatch(word):
        return word
    return "notebooks" if module.endswith(".ipynb") or module in START_KERNELS else module


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """After a group, give freed memory back to the system and end the process that its kernels were forked from.

    Within a group glibc keeps freed memory for the next tensors.
    """
    yield
    if not (nextitem and group(item.nodeid) == group(nextitem.nodeid)):
        end_fork_server()
        if TRIM:
            TRIM(0)


def end_fork_server() -> None:
    """End the process that this one's kernels were forked from, if there is one: it holds what they all import."""
    if FORKS:
        from multiprocessing.forkserver import _forkserver

        cast(Any, _forkserver)._stop()


TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None


def is_notebook(item: pytest.Item) -> bool:
    """Whether a test is a cell of a notebook."""
    return item.path.suffix == ".ipynb"


def figure_of(name: str) -> Path | None:
    """The file that makes the figure of this name, if it is one."""
    match = FIGURE.fullmatch(name)
    path = ROOT / "book" / match[1] / match[2] / "figure.py" if match else None
    return path if path and path.is_file() else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Store what passed, and print how long each kind of test took."""
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
            passed[name] = [dict(reports[0].user_properties).get(HASH, ""), round(seconds, 2)]
        else:
            passed.pop(name, None)
    if PASSED.parent.exists():
        PASSED.write_text(json.dumps(passed, indent=0))
    terminalreporter.section("seconds by kind, all workers together")
    for kind in sorted(totals, key=totals.__getitem__, reverse=True):
        terminalreporter.write_line(f"{kind:<24} {totals[kind]:8.1f} s  {len(counts[kind]):5} tests")
