"""The files on which a file of the project depends: its imports, theirs, and the tables and JavaScript they read.

A notebook is run again, a figure translated again and a test repeated where one of these files has changed, and not
otherwise. They are read off the text alone: nothing is imported.
"""

from __future__ import annotations

import ast
import hashlib
import json
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

from widgets.project import PACKAGES, READS, ROOT, SCENES, TABLES

BUNDLE = ROOT / "widgets" / "bundle.py"
JAVASCRIPT = (
    *sorted(path for path in (ROOT / "widgets" / "src").rglob("*") if path.is_file()),
    *sorted(ROOT.glob(SCENES)),
    ROOT / "widgets" / "package-lock.json",
)
"""The dependencies of :data:`BUNDLE` that it does not import."""
_version = cache(version)


def digest(files: Iterable[Path], *texts: str) -> str:
    """A hash of the files' names and contents, of the texts, and of the versions of Python and torch."""
    result = hashlib.sha256(" ".join((platform.python_version(), _version("torch"), *texts)).encode())
    for path in sorted(files, key=lambda path: path.parts):  # as paths are sorted, in a fifth of the time
        result.update(f"{path.relative_to(ROOT)} {_hash(path)}\n".encode())
    return result.hexdigest()


@cache
def closure(*files: Path) -> frozenset[Path]:
    """The files and all their dependencies, at any remove."""
    reached: set[Path] = set()
    queue = list(files)
    while queue:
        path = queue.pop()
        if path not in reached:
            reached.add(path)
            queue += _direct_dependencies(path)
    return frozenset(reached)


@cache
def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _direct_dependencies(path: Path) -> tuple[Path, ...]:
    """The files that a file names itself."""
    if path.suffix not in (".py", ".ipynb"):
        return ()
    nodes = list(_syntax_nodes(path))
    imports = [file for name in _imported_names(path, nodes) for file in _module_files(name)]
    scripts = JAVASCRIPT if path == BUNDLE else ()
    try:
        return (*imports, *tables_named_by(nodes), *scripts, *READS.get(path, ()))
    except ValueError as error:
        raise ValueError(f"{path.relative_to(ROOT)}: {error}") from error


def _syntax_nodes(path: Path) -> Iterator[ast.AST]:
    """Every node of a file's code, but for what it does as a command."""
    text = path.read_text()
    if path.suffix == ".ipynb":
        code = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        lines = [line for cell in code for line in cell.splitlines()]
        text = "\n".join(line for line in lines if not line.startswith(("%", "!")))
    queue: list[ast.AST] = [ast.parse(text, str(path))]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
            continue
        yield node
        queue += ast.iter_child_nodes(node)


def _imported_names(path: Path, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The modules it imports, and "module.name" for each name, which may be a module itself."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _module_files(module: str) -> Iterator[Path]:
    """A module's file and those of the packages that it lies in."""
    parts = module.split(".")
    if parts[0] not in PACKAGES:
        return
    for end in range(1, len(parts) + 1):
        stem = ROOT.joinpath(*parts[:end])
        yield from (path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file())


def tables_named_by(nodes: Iterable[ast.AST]) -> Iterator[Path]:
    """The stored tables that code names, with or without the ending; a table's name has a hyphen, or its ending.

    A name without a hyphen is a word like any other: a slider may be called "statements".

    Raises:
        ValueError: code puts a table's name together, so that no text says which one it reads.
    """
    words = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value
    }
    beginnings = tuple(word for word in words if word.endswith("-") and len(word) > 1)
    for table in TABLES.iterdir():
        if table.name.startswith(beginnings):
            part = next(word for word in beginnings if table.name.startswith(word))
            raise ValueError(f"{part!r}: a stored table must be named whole, such as {table.stem!r}")
        names = {table.name, table.stem} if "-" in table.stem else {table.name}
        if words & names:
            yield table
