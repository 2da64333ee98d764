"""Lay out a page that builds, with a statement, a live figure and an exercise: ``python -m book new recall my_page``.

Its files are those of ``templates/`` under other names. Everything in it is there to be replaced; ``CONTRIBUTING.md``
walks through the files.
"""

from __future__ import annotations

import keyword
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

from book.errors import BadInput
from book.ledger import registry, report, store

ROOT = Path(__file__).parents[2]
TEMPLATES = Path(__file__).parent / "templates"
MODULES = ("program.py", "statements.py", "figure.py")
NOTEBOOK = "page.md"
TRIES = 40
"""The number of random configurations sought for the new statement."""
EXECUTE = (
    "nbconvert --to notebook --inplace --execute --ExecutePreprocessor.store_widget_state=False "
    "--ExecutePreprocessor.record_timing=False"
)
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def make_page(paper: str, page: str) -> int:
    """Lay out a page, run its notebook, and examine its statement; the exit status of the examination.

    Raises:
        BadInput: see :func:`lay_out`, or its notebook does not run; nothing of the page is left then.
    """
    check_names(paper, page)
    with _nothing_left_behind(paper, page):
        notebook = lay_out(paper, page)
        _module(*EXECUTE.split(), str(notebook))
        registry.statements.cache_clear()  # it does not know the page's statement yet
        id = id_of(paper, page)
        status = (
            report.print_examinations([id], renew=True)
            or report.print_hunts([id], TRIES, math.inf, workers=1, renew=True)
            or report.print_beyond([id], math.inf, renew=True)
        )
    if status == 0:
        print(f"The page is {notebook.relative_to(ROOT)}; its code is in the folder of that name.")
    return status


@contextmanager
def _nothing_left_behind(paper: str, page: str) -> Iterator[None]:
    """Whatever stops the work in it takes the new page away again; the tables are as they were."""
    tables = [
        path for path in (ROOT / "_toc.yml", store.STATEMENTS, store.HUNTS, store.BEYOND) if path.exists()
    ]
    before = [path.read_bytes() for path in tables]
    try:
        yield
    except BaseException:  # an interrupt, too
        folder = ROOT / "book" / paper / page
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_suffix(".ipynb").unlink(missing_ok=True)
        for path, contents in zip(tables, before, strict=True):
            path.write_bytes(contents)
        raise


def lay_out(paper: str, page: str) -> Path:
    """Write the page's notebook and folder, and enter it in the table of contents.

    Args:
        paper: the chapter's folder, "recall".
        page: the new page's name, "my_page".

    Returns:
        The notebook.

    Raises:
        BadInput: there is no such chapter, the name is no identifier in small letters, or it is taken.
    """
    check_names(paper, page)
    folder = ROOT / "book" / paper / page
    folder.mkdir()
    for name in MODULES:
        (folder / name).write_text(render(name, paper, page))
    notebook = folder.with_suffix(".ipynb")
    nbformat.write(_notebook(paper, page), notebook)
    _module("ruff", "check", "--quiet", "--select", "I", "--fix", str(folder))
    _module("ruff", "format", "--quiet", str(folder))
    _enter(paper, page)
    return notebook


def check_names(paper: str, page: str) -> None:
    """Refuse a chapter that is not there, and a page's name that cannot be used.

    Raises:
        BadInput: with the name and what is allowed.
    """
    chapters = sorted(path.parent.name for path in ROOT.glob("book/*/index.ipynb"))
    if paper not in chapters:
        raise BadInput(f"PAPER = {paper!r}: must be one of {', '.join(chapters)}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", page) or keyword.iskeyword(page):
        raise BadInput(f"PAGE = {page!r}: must be small letters, digits and underscores, such as my_page")
    folder, id = ROOT / "book" / paper / page, id_of(paper, page)
    paths = (folder, folder.with_suffix(".ipynb"), folder.with_suffix(".py"))
    if any(path.exists() for path in paths) or id in registry.statements():
        raise BadInput(f"PAGE = {page!r}: must be new to the chapter {paper!r}, and {id!r} to the ledger")


def id_of(paper: str, page: str) -> str:
    """The id of the new page's statement."""
    return f"{paper}.{page.replace('_', '-')}"


def render(name: str, paper: str, page: str) -> str:
    """The text of a template with the page's names in place of its own; templates are Python that runs as it is."""
    id = id_of(paper, page)
    names = {
        "book.publish.templates": f"book.{paper}.{page}",
        "my_paper.my-page": id,
        "my_paper-my-page": id.replace(".", "-"),
        "my_page": page,
    }
    pattern = "|".join(map(re.escape, names))
    return re.sub(pattern, lambda match: names[match[0]], (TEMPLATES / name).read_text())


def _notebook(paper: str, page: str) -> nbformat.NotebookNode:
    """The page's notebook, without outputs."""
    notebook = read_myst_markdown_notebook(render(NOTEBOOK, paper, page))
    notebook.metadata = nbformat.from_dict(KERNEL)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{page.replace('_', '-')}-{number}"
    return notebook


def _enter(paper: str, page: str) -> None:
    """Put the page last in its chapter of the table of contents, whose lines stay as they are."""
    contents = ROOT / "_toc.yml"
    lines = contents.read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if f"file: book/{paper}/" in line)
    end = (
        last + 1 + ("title: " in "".join(lines[last + 1 : last + 2]))
    )  # a title belongs to the page above it
    first = ["        sections:"] if lines[last].endswith("/index") else []
    lines[end:end] = [*first, f"          - file: book/{paper}/{page}"]
    contents.write_text("\n".join(lines) + "\n")


def _module(*arguments: str) -> None:
    """Run a module of Python's.

    Raises:
        BadInput: it fails; what it says is on the terminal.
    """
    if status := subprocess.run([sys.executable, "-m", *arguments]).returncode:
        raise BadInput(
            f"python -m {arguments[0]} ends with {status}: the new page is not made, nothing of it is left"
        )
