"""The files on which a file of the project depends: its imports, theirs, and the tables and JavaScript they read.

A notebook is run again, a figure translated again and a test repeated where one of these files has changed, and not
otherwise. They are read off the text alone: nothing is imported.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator
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
LAYOUT = ROOT / "widgets" / "src" / "page" / "layout.js"
"""The script that draws what cells show: graphs."""
CODE_HASHES = ROOT / "_build" / ".code"
"""The folder of the hashes of files' code, and of what they name, by those of their text."""
TABLE_NAME = re.compile(r"[\w.-]*[.-][\w.-]*")
"""A stored table's name, whole or its beginning."""
_version = cache(version)


def digest(files: Iterable[Path], *texts: str) -> str:
    """A hash of the files' names and contents, of the texts, and of the versions of Python and torch."""
    result = hashlib.sha256(" ".join((platform.python_version(), _version("torch"), *texts)).encode())
    for path in sorted(files, key=lambda path: path.parts):  # as paths are sorted, in a fifth of the time
        result.update(f"{path.relative_to(ROOT)} {_hash(path)}\n".encode())
    return result.hexdigest()


def code_digest(files: Iterable[Path], *texts: str) -> str:
    """A hash of what the files do: comments, docstrings, scripts of pages and the prose of notebooks are left out."""
    code = set(files).difference(set(JAVASCRIPT) - {LAYOUT})
    python = sorted((path for path in code if path.suffix in (".py", ".ipynb")), key=lambda path: path.parts)
    return digest(
        code.difference(python),
        *(f"{path.relative_to(ROOT)} {_code_hash(path)}" for path in python),
        *texts,
    )


def closure_of_code(code: str, path: Path) -> frozenset[Path]:
    """All that a piece of the code of a file depends on, at any remove."""
    return closure(*_named_by(path, list(_nodes_of(code, path))))


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
def _code_hash(path: Path) -> str:
    """A hash of a file's code. A module's is stored beside what is built, because to parse all takes seconds."""
    if path.suffix == ".ipynb":
        return hashlib.sha256(_code(path).encode()).hexdigest()

    def made() -> str:
        tree = _WithoutDocstrings().visit(ast.parse(path.read_text(), str(path)))
        return hashlib.sha256(ast.dump(tree).encode()).hexdigest()

    return _stored(f"{platform.python_version()}-{_hash(path)}", made)


def _stored(name: str, make: Callable[[], str]) -> str:
    """``make()``, from :data:`CODE_HASHES` if it is there."""
    stored = CODE_HASHES / name
    if not stored.exists():
        text = make()
        stored.parent.mkdir(parents=True, exist_ok=True)
        fresh = stored.with_suffix(f".{os.getpid()}")
        fresh.write_text(text)
        fresh.replace(stored)
    return stored.read_text()


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A string that stands alone says something to readers only."""
        return None if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) else node


@cache
def _direct_dependencies(path: Path) -> tuple[Path, ...]:
    """The files that a file names itself."""
    if path.suffix not in (".py", ".ipynb"):
        return ()
    scripts = JAVASCRIPT if path == BUNDLE else ()

    def made() -> str:
        nodes = list(_nodes_of(_code(path), path))
        return json.dumps([list(_imported_names(path, nodes)), sorted(_words(nodes))])

    # To parse all files takes seconds. A file names other modules from another place: imports may begin with a dot.
    place = hashlib.sha256(f"{path.relative_to(ROOT).parent}".encode()).hexdigest()[:16]
    names, words = json.loads(_stored(f"{platform.python_version()}-{_hash(path)}-{place}", made))
    try:
        return (*_files_of(names, words), *scripts, *READS.get(path, ()))
    except ValueError as error:
        raise ValueError(f"{path.relative_to(ROOT)}: {error}") from error


def _named_by(path: Path, nodes: list[ast.AST]) -> list[Path]:
    """The modules and the tables that code of a file names."""
    return _files_of(_imported_names(path, nodes), _words(nodes))


def _files_of(names: Iterable[str], words: Iterable[str]) -> list[Path]:
    """The files of modules, and the tables among words."""
    return [*(file for name in names for file in _module_files(name)), *_tables_among(words)]


def _code(path: Path) -> str:
    """A file's Python: of a notebook, what its cells have."""
    text = path.read_text()
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return text


def without_magics(code: str) -> str:
    """The code of cells without the lines that are IPython's own."""
    return "\n".join(line for line in code.splitlines() if not line.startswith(("%", "!")))


def _nodes_of(code: str, path: Path) -> Iterator[ast.AST]:
    """Every node of a file's code, but for what it does as a command."""
    queue: list[ast.AST] = [ast.parse(without_magics(code), str(path))]
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


@cache
def _module_files(module: str) -> tuple[Path, ...]:
    """A module's file and those of the packages that it lies in."""
    parts = module.split(".")
    if parts[0] not in PACKAGES:
        return ()
    above = _module_files(module.rpartition(".")[0]) if len(parts) > 1 else ()
    stem = ROOT.joinpath(*parts)
    return (*above, *(path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file()))


def tables_named_by(nodes: Iterable[ast.AST]) -> Iterator[Path]:
    """The stored tables that code names, with or without the ending; a table's name has a hyphen, or its ending.

    A name without a hyphen is a word like any other: a slider may be called "statements".

    Raises:
        ValueError: code puts a table's name together, so that no text says which one it reads.
    """
    return _tables_among(_words(nodes))


def _words(nodes: Iterable[ast.AST]) -> set[str]:
    """The strings in code that a table may be called by."""
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {string for string in strings if TABLE_NAME.fullmatch(string)}


def _tables_among(words: Iterable[str]) -> Iterator[Path]:
    """The stored tables that words name, see :func:`tables_named_by`."""
    words = set(words)
    beginnings = tuple(word for word in words if word.endswith("-") and len(word) > 1)
    for table in TABLES.iterdir():
        if table.name.startswith(beginnings):
            part = next(word for word in beginnings if table.name.startswith(word))
            raise ValueError(f"{part!r}: a stored table must be named whole, such as {table.stem!r}")
        names = {table.name, table.stem} if "-" in table.stem else {table.name}
        if words & names:
            yield table
