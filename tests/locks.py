"""``python -m tests.locks``: the hashes of every file of every pinned package, for all platforms. Needs uv.

``.ci/book.txt`` has what the book needs, ``.ci/test.txt`` what the tests need besides, ``.ci/scale.txt`` GPT-2,
``.ci/film.txt`` films. Torch
is in none: its builds for one version come from several indexes, so pip takes it by version, with what only it brings.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from tests import ROOT

LOCKS = {"book": ("book",), "test": ("lab", "cluster", "test"), "scale": ("scale",), "film": ("film",)}
"""The extras of pyproject.toml that each lock adds to those before it."""
OLDEST_PYTHON = "3.11.5"
"""The oldest that all pins allow."""
SHARED = ("filelock", "fsspec", "networkx", "setuptools")
"""Packages that torch brings too, from the common index; setuptools builds this package."""
OPTIONS = f"--quiet --universal --python-version {OLDEST_PYTHON} --generate-hashes --no-header --no-annotate".split()


def path(name: str) -> Path:
    """The file of a lock."""
    return ROOT / ".ci" / f"{name}.txt"


def entries(text: str) -> dict[str, str]:
    """The packages of a lock as ``name==version``, with their lines."""
    packages = [entry for entry in re.split(r"\n(?=\w)", text.strip()) if entry[0] != "#"]
    return {re.split(r"[ \\]", entry)[0]: entry for entry in packages}


def resolved(extras: list[str]) -> str:
    """The text of a lock of all that these extras need."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "shared.in").write_text("\n".join(SHARED))
        (Path(folder) / "no.txt").write_text("torch; python_version < '3'")
        bounds = ["--constraint", "constraints.txt", "--override", f"{folder}/no.txt"]
        wanted = ["pyproject.toml", f"{folder}/shared.in", *(f"--extra={name}" for name in extras)]
        command = ["uv", "pip", "compile", *OPTIONS, *bounds, *wanted]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Write all locks, each without the packages of those before it."""
    extras: list[str] = []
    before: set[str] = set()
    for name, more in LOCKS.items():
        extras += more
        added = [entry for entry in entries(resolved(extras)).values() if entry not in before]
        head = f"# Made by python -m tests.locks, for {', '.join(more)}."
        path(name).write_text("\n".join((head, *added, "")))
        before.update(added)


if __name__ == "__main__":
    main()
