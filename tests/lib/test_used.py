"""No public name of lib is used by tests alone: each is reached from the code of widgets or book."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT

pytestmark = pytest.mark.whole
Name = tuple[str, str]
"""A module and a name that it defines, or ``CODE`` for what runs when it is imported."""
CODE = ""


def python_of(path: Path) -> str:
    """The code of a Python file, or of a notebook's cells."""
    text = path.read_text()
    if path.suffix == ".py":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    return "\n".join(line for line in lines if not line.startswith(("%", "!")))


def files(room: str) -> Iterator[Path]:
    """The Python files and notebooks of a room."""
    for path in sorted((ROOT / room).rglob("*")):
        hidden = {"node_modules", ".ipynb_checkpoints", "__pycache__"} & set(path.parts)
        if path.suffix in (".py", ".ipynb") and not hidden:
            yield path


def module_of(path: Path) -> str:
    """The dotted name of a file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path) for path in files("lib")}


def imports(tree: ast.AST) -> tuple[dict[str, str], dict[str, Name]]:
    """The modules of lib that a file imports, and the names that it takes from them, each by what the file calls it."""
    modules: dict[str, str] = {}
    names: dict[str, Name] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {
                alias.asname: alias.name for alias in node.names if alias.asname and alias.name in MODULES
            }
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                called = alias.asname or alias.name
                if f"{node.module}.{alias.name}" in MODULES:
                    modules[called] = f"{node.module}.{alias.name}"
                elif node.module in MODULES:
                    names[called] = (node.module, alias.name)
    return modules, names


def defined(statement: ast.stmt) -> list[str]:
    """The names that a statement of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def references(path: Path) -> dict[Name, set[Name]]:
    """The names of lib that each definition of a file mentions, and the rest of its code."""
    module, tree = module_of(path), ast.parse(python_of(path))
    modules, names = imports(tree)
    defined_here = (
        {name for statement in tree.body for name in defined(statement)} if module in MODULES else set()
    )
    result = defaultdict[Name, set[Name]](set)
    for statement in tree.body:
        mentioned: set[Name] = set()
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                mentioned |= {names[node.id]} if node.id in names else set()
                mentioned |= (
                    {(module, node.id)}
                    if node.id in defined_here and isinstance(node.ctx, ast.Load)
                    else set()
                )
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                mentioned |= {(modules[node.value.id], node.attr)} if node.value.id in modules else set()
        for name in (defined(statement) if defined_here else []) or [CODE]:
            result[module, name] |= mentioned
    return result


def unused() -> set[Name]:
    """The public names of lib that no code of widgets or book reaches, at any remove."""
    graph: dict[Name, set[Name]] = {}
    for path in files("lib"):
        graph |= references(path)
    above = [references(path) for room in ("widgets", "book") for path in files(room)]
    queue = [name for names in above for mentioned in names.values() for name in mentioned]
    queue += [name for name in graph if name[1] == CODE]
    reached: set[Name] = set()
    while queue:
        name = queue.pop()
        if name not in reached:
            reached.add(name)
            queue += graph.get(name, ())
    return {name for name in graph.keys() - reached if not name[1].startswith("_")}


def test_no_public_name_of_lib_is_used_by_tests_alone():
    assert sorted(unused()) == [], "used by tests alone: remove it, or move it into the tests"
