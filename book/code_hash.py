"""The code on which a result rests: the definitions that it names, those that they name, and so on.

A stored table, and a hunt, are out of date where one of these definitions has changed. Comments, docstrings, the words
of parameters and bounds, and definitions beside them in the same files play no part. All is read off the text:
nothing is imported. A string that is the id of a statement names the statement, but where it says whose proof it is.
"""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOLDERS = ("lib", "book")
"""Where definitions are followed. Results rest neither on how a figure looks nor on how it is translated."""
LEFT_OUT = (ROOT / "book" / "ledger",)
"""What reads boxes, stores and prints."""


Place = tuple[Path, str]
"""A file, and the name of a definition in it."""


class Definition(NamedTuple):
    """A statement at the top of a file."""

    file: Path
    node: ast.stmt


def hash_of(*places: Place, files: Iterable[Path] = (), texts: Iterable[str] = ()) -> str:
    """A hash of the definitions at these places and of all that they rest on.

    Args:
        files: modules on whose code it is to depend as a whole, but not on their imports.
        texts: what else it is to depend on.

    Raises:
        ValueError: a file has no such definition.
    """
    from widgets.dependencies import digest, tables_named_by  # statements are examined without widgets

    found = definitions(*places)
    tables = tables_named_by(constant for each in found for constant in _constants(each.node))
    code = [*((each.file, each.node) for each in found), *((path, _parsed(path)) for path in files)]
    return digest(tables, *sorted(f"{_name(path)}: {_source(node)}" for path, node in code), *texts)


def proofs_of(id: str, page: Path) -> list[Place]:
    """Where a page's ``proofs.py``, or its ``proofs/``, declares errata and checked formulas of the statement."""
    files = [page / "proofs.py", *sorted((page / "proofs").glob("*.py"))]
    return [(file, id) for file in files if file.is_file() and id in _names_of(file).defined]


def _name(path: Path) -> str:
    """A file's way from the project's folder, or from the engine's if that is installed."""
    engine = Path(__file__).parent
    installed = engine != ROOT / "book" and path.is_relative_to(engine)
    return str(path.relative_to(engine if installed else ROOT))


def definitions(*places: Place) -> list[Definition]:
    """The definitions at these places, and every one that they rest on, at any remove.

    Raises:
        ValueError: a file has no such definition.
    """
    for file, name in places:
        if name not in _names_of(file).defined:
            raise ValueError(f"name = {name!r}: must be defined in {_name(file)}")
    found: dict[tuple[Path, int], Definition] = {}
    seen: set[Place] = set()
    queue = list(places)
    while queue:
        place = queue.pop()
        if place in seen:
            continue
        seen.add(place)
        names = _names_of(place[0])
        if place[1] in names.imported:
            queue.append(names.imported[place[1]])
        for node in (*names.defined.get(place[1], ()), *names.calls):
            if (place[0], node.lineno) not in found:
                found[place[0], node.lineno] = Definition(place[0], node)
                queue += _named_by(node, place[0])
    return list(found.values())


class _Names(NamedTuple):
    """The names at the top of a file, and what stands behind them."""

    file: Path
    defined: dict[str, list[ast.stmt]]
    """The statements that bind each name, and by the id of a statement those that declare a proof of it."""
    imported: dict[str, Place]
    """The file and the name there of what is imported from the project, also inside a function."""
    modules: dict[str, Path]
    """The project's modules that are imported as a whole."""
    calls: list[ast.stmt]
    """The calls that bind no name, such as a change of torch's settings: they belong to every definition."""


@cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(), str(file))


@cache
def _names_of(file: Path) -> _Names:
    tree = _parsed(file)
    names = _Names(file, {}, {}, {}, [])
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if module := _module_file(f"{node.module}.{alias.name}"):
                    names.modules[alias.asname or alias.name] = module
                elif module := _module_file(node.module):
                    names.imported[alias.asname or alias.name] = module, alias.name
    for node in tree.body:
        declared = {str(id.value) for id in _ids_declared_by(node)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not declared:
            names.calls.append(node)
        for name in _bound_by(node) | declared:
            names.defined.setdefault(name, []).append(node)
    return names


def _module_file(module: str) -> Path | None:
    """The file of a module in which definitions are followed."""
    stem = ROOT.joinpath(*module.split("."))
    if module.partition(".")[0] not in FOLDERS or any(map(stem.is_relative_to, LEFT_OUT)):
        return None
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


def _bound_by(node: ast.stmt) -> set[str]:
    """The names to which a statement at the top of a file gives a value, or part of it."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node]
    names = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    every = isinstance(node, ast.Assign)  # the table in TABLE["row"] = … is only read
    inner = {each.name for each in ast.walk(node) if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    return inner | {each.id for each in names if every or isinstance(each.ctx, ast.Store)}


DECLARING = ("checked", "erratum", "misprint")
"""Functions whose first argument says of which statement something is a proof."""


def _ids_declared_by(node: ast.stmt) -> list[ast.Constant]:
    """The ids of the statements of which it declares a proof, as they stand in it."""
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call) and each.args)
    first = (call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id in DECLARING)
    return [argument for argument in first if isinstance(argument, ast.Constant)]


@cache
def _named_by(node: ast.stmt, file: Path) -> frozenset[Place]:
    """The file and the name of each definition that a file's code names."""
    return frozenset(_each_named_by(node, _names_of(file)))


@cache
def _constants(node: ast.stmt) -> list[ast.Constant]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Constant)]


def _each_named_by(node: ast.stmt, names: _Names) -> Iterator[Place]:
    """The same places, found anew; of a module that it names without a dot, all definitions."""
    strings = {each.value for each in set(_constants(node)).difference(_ids_declared_by(node))}
    yield from (place for id, place in _statements().items() if id in strings)
    for name, attribute in _references(node):
        if name in names.defined:
            yield names.file, name
        if name in names.imported:
            yield names.imported[name]
        if name in names.modules:
            module = _names_of(names.modules[name])
            yield from ((module.file, each) for each in ([attribute] if attribute else module.defined))


@cache
def _statements() -> dict[str, Place]:
    """The file and the name of each statement's definition, by its id."""
    places = {}
    for file in ROOT.glob("book/*/*/statements.py"):
        for name, (node, *_) in _names_of(file).defined.items():
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "statement":
                    places[ast.literal_eval(call.args[0])] = file, name
    return places


def _references(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Each name in the code, with the attribute that is asked of it, if any."""
    if isinstance(node, ast.keyword) and node.arg in STANDING:
        return
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield node.value.id, node.attr
    elif isinstance(node, ast.Name):
        yield node.id, ""
    else:
        for child in ast.iter_child_nodes(node):
            yield from _references(child)


SAID = ("words", "symbol", "unit")
"""Arguments that only say something to readers, such as the words of a parameter."""
STANDING = ("ground", "no_farther")
"""Arguments that say how a statement relates to what the paper prints, and why hunts draw from less: its runs come to
the same."""
BOUNDS = ("above", "at_least", "at_most", "below", "between", "near", "recorded", "true")
"""Functions whose one text is the name of a bound."""


class _WithoutWords(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A string that stands alone says something to readers only."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.keywords = [
            each
            for each in node.keywords
            if each.arg not in STANDING and (each.arg not in SAID or not _is_text(each.value))
        ]
        if isinstance(node.func, ast.Name) and node.func.id in BOUNDS:
            node.args = [each for each in node.args if not _is_text(each)]
        return self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        """What is to become arguments."""
        items = [
            (key, value)
            for key, value in zip(node.keys, node.values, strict=True)
            if not (isinstance(key, ast.Constant) and key.value in SAID and _is_text(value))
        ]
        node.keys, node.values = [key for key, _ in items], [value for _, value in items]
        return self.generic_visit(node)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


@cache
def _source(node: ast.stmt | ast.Module) -> str:
    """A definition without its comments and without what is only said to readers."""
    a_copy = pickle.loads(pickle.dumps(node))  # copy.deepcopy takes several times as long
    return ast.unparse(_WithoutWords().visit(a_copy))
