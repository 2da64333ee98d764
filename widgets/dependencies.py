"""What a file of the project rests on: its imports, theirs, and the stored tables and JavaScript that they read.

A notebook is run again, a figure translated again and a test repeated where one of these files has changed, and not
otherwise. They are found in the text alone: nothing is imported.
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

ROOT = Path(__file__).parents[1]
ROOMS = ("lib", "widgets", "book", "tests")
DATA = ROOT / "book" / "data"
SCRIPTS = (
    *sorted(path for path in (ROOT / "widgets" / "src").rglob("*") if path.is_file()),
    ROOT / "widgets" / "package-lock.json",
)
"""What whoever imports ``widgets.node`` rests on, too."""
_version = cache(version)


def digest(files: Iterable[Path], *texts: str) -> str:
    """A hash of the files' names and contents, of the texts, and of the versions of Python and torch."""
    found = hashlib.sha256(" ".join((platform.python_version(), _version("torch"), *texts)).encode())
    for path in sorted(files):
        found.update(f"{path.relative_to(ROOT)} {_hash(path)}\n".encode())
    return found.hexdigest()


@cache
def closure(*files: Path) -> frozenset[Path]:
    """The files and all that they rest on, at any remove."""
    found: set[Path] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _rests_on(path)
    return frozenset(found)


@cache
def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _rests_on(path: Path) -> tuple[Path, ...]:
    """What a file names itself."""
    if path.suffix not in (".py", ".ipynb"):
        return ()
    nodes = list(_tree(path))
    imported = [file for name in _imported(path, nodes) for file in _files(name)]
    scripts = SCRIPTS if path == ROOT / "widgets" / "node.py" else ()
    return (*imported, *_tables(nodes), *scripts)


def _tree(path: Path) -> Iterator[ast.AST]:
    """Every node of a file's code, but for what it does as a command."""
    text = path.read_text()
    if path.suffix == ".ipynb":
        code = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        lines = [line for cell in code for line in cell.splitlines()]
        text = "\n".join(line for line in lines if not line.startswith(("%", "!")))
    waiting: list[ast.AST] = [ast.parse(text, str(path))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


def _imported(path: Path, nodes: Iterable[ast.AST]) -> Iterator[str]:
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


def _files(module: str) -> Iterator[Path]:
    """A module's file and those of the packages that it lies in."""
    parts = module.split(".")
    if parts[0] not in ROOMS:
        return
    for end in range(1, len(parts) + 1):
        stem = ROOT.joinpath(*parts[:end])
        yield from (path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file())


def _tables(nodes: Iterable[ast.AST]) -> Iterator[Path]:
    """The stored tables that code names: by name, by file name, or by the first words of a name with a hyphen."""
    words = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value
    }
    begun = tuple(word for word in words if word.endswith("-") and len(word) > 1)
    for table in DATA.iterdir():
        if table.name.startswith(begun) or words & {table.stem, table.name}:
            yield table
