"""Lay out a companion to a paper: a project of its own, with a theorem that is run, measured and hunted in.

Its files are those of ``templates/``. What they say of one paper is there to be replaced: the companion's README says
where each thing stands. Pages are written as MyST and become notebooks, whose cells a reader can run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

from book.errors import BadInput
from widgets.project import INSTALLED

ENGINE = "livetorch"
"""The package whose commands a companion has."""
TEMPLATE = Path(__file__).with_name("templates")
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
TEMPLATES_NAME, TEMPLATES_TITLE, TEMPLATES_VERSION = "my-companion", "My companion", "0.0.0"
"""What stands in the template for the companion's name, its title and the version of what it is made with."""
TEXTS = (".md", ".toml", ".yml", ".cff", ".py", ".txt", "")
"""The endings of files in which these stand."""
CELL = "```{code-cell}"
"""What a page has that becomes a notebook."""
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def main(folder: str) -> int:
    """Lay out a companion in a new folder, examine its statement and hunt in it; returns 0.

    Raises:
        BadInput: the packages are not installed; the folder's name is no name for a companion, or it is there, or its
            parent is not; or the statement does not come out. Nothing is left then.
    """
    if not INSTALLED:  # whose commands would examine this repository
        raise BadInput(
            "start must be that of the installed packages: install both wheels of `make package` into an environment "
            "of their own, and there `python -m livetorch start FOLDER`"
        )
    place = check(folder)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as beside:
        work = Path(beside) / place.name
        lay_out(work)
        _examine(work)
        work.rename(place)
    print(
        f"{place} is a companion to a paper. Next: cd {folder}; make book; make test. Its README.md says the rest."
    )
    return 0


def check(folder: str) -> Path:
    """The path of the new folder, if there can be one.

    Raises:
        BadInput: with the folder and what is allowed.
    """
    place = Path(folder).absolute()
    if not NAME.fullmatch(place.name):
        raise BadInput(
            f"FOLDER = {folder!r}: its name must be small letters and digits, with hyphens between words, "
            "such as my-companion"
        )
    if place.exists():
        raise BadInput(f"FOLDER = {folder!r}: must be new, and is there already")
    if not place.parent.is_dir():
        raise BadInput(f"FOLDER = {folder!r}: must lie in a folder that is there, and {place.parent} is none")
    if not os.access(place.parent, os.W_OK):
        raise BadInput(f"FOLDER = {folder!r}: must lie in a folder that can be written to")
    return place


def lay_out(place: Path) -> None:
    """Write the template's files into a new folder, its pages as notebooks."""
    names = {
        TEMPLATES_NAME: place.name,
        TEMPLATES_TITLE: place.name.replace("-", " ").capitalize(),
        TEMPLATES_VERSION: _version(),
    }
    pattern = re.compile("|".join(map(re.escape, names)))
    shutil.copytree(TEMPLATE, place, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
    for path in sorted(place.rglob("*")):
        if path.is_file() and path.suffix in TEXTS:
            text = path.read_text(encoding="utf-8")
            path.write_text(pattern.sub(lambda match: names[match[0]], text), encoding="utf-8")
            if path.suffix == ".md" and CELL in text:
                _make_notebook(path)


def _make_notebook(page: Path) -> None:
    """Put a notebook in the place of a page in MyST."""
    notebook = read_myst_markdown_notebook(page.read_text(encoding="utf-8"))
    notebook.metadata = nbformat.from_dict(KERNEL)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{page.stem.replace('_', '-')}-{number}"
    nbformat.write(notebook, page.with_suffix(".ipynb"))
    page.unlink()


def _version() -> str:
    """The version of the package that makes the companion."""
    try:
        return version("livetorch")
    except PackageNotFoundError as error:
        raise BadInput("livetorch must be installed: its version goes into the companion") from error


def _examine(project: Path) -> None:
    """Examine a new project's statement and hunt in it, in a process that works in its folder.

    Raises:
        BadInput: the statement does not come out; what was found is on the terminal.
    """
    command = [sys.executable, "-m", f"{ENGINE}.companion.build"]
    done = subprocess.run(command, cwd=project, env={**os.environ, "PYTHONPATH": str(project)})
    if done.returncode:
        raise BadInput(
            f"examining its statement ends with {done.returncode}: "
            "the companion is not made, nothing of it is left"
        )
