"""The house: rooms, imports that point down, pins, and files that agree with each other."""

import ast
import graphlib
import json
import re
import subprocess
import tomllib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
import yaml

from book.ledger import registry
from book.paper import PAPERS, ROOMS
from tests import ROOT, changed, dependencies, locks, rooms
from tests.faults import FAULTS
from widgets.dependencies import closure

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = dict(
    line.split(" ;")[0].split("==")
    for line in (ROOT / "constraints.txt").read_text().splitlines()
    if line and line[0] != "#"
)
ABOVE = {"lib": {"widgets", "book", "tests"}, "widgets": {"book", "tests"}, "book": {"tests"}}
pytestmark = pytest.mark.whole
DRAWING = {"matplotlib", "seaborn", "ipywidgets", "anywidget", "IPython"}
MOST_OF_LIB = 6_700
MOST_OF_A_CELL = 12
"""Lines that a reader takes in at a glance."""
OPEN_CELLS = range(3, 11)
"""How many cells of a page there may be that a reader would rerun and change."""
SPELT = re.compile(r"#(?:[\da-fA-F]{3}){1,2}\b|\b(?:rgb|hsl)a?\(")
PAINTED = re.compile(r"c|cmap|palette|mec|mfc|\w*colors?")
PAGES = sorted((ROOT / "book").glob("[!.]*/*.ipynb"))
NOTEBOOKS = sorted([*(ROOT / "book").glob("*.ipynb"), *PAGES])


def sources(room: str) -> list[str]:
    """The Python of a room, that of its notebooks too."""
    texts = [path.read_text() for path in (ROOT / room).rglob("*.py") if "node_modules" not in path.parts]
    for path in (ROOT / room).rglob("*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return texts


def test_the_dependencies_of_every_test_leave_the_pages_out():
    """Else one page's change would have ``CHANGED=1`` run nearly all."""
    assert ROOT / "book" / "ledger" / "registry.py" not in closure(*dependencies.ALWAYS)


def test_groups_start_the_longest_first():
    assert changed.starts({"a": 1.0, "b": 3.0, "of another kind": 9.0}, {"a", "b"}) == {"b": 0.0, "a": 0.75}
    assert changed.starts({"a": 0.0}, {"a"}) == {"a": 0.0}


def modules(text: str) -> set[str]:
    """What a source imports, wherever it does: modules, and the names taken from them, with dots."""
    result = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            result |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"from {'.' * node.level}{node.module}: must be named from the root on"
            result |= {f"{node.module}.{alias.name}" for alias in node.names}
    return result


def imported(text: str) -> set[str]:
    """The top-level names a source imports."""
    return {name.split(".")[0] for name in modules(text)}


@pytest.mark.parametrize("room", ABOVE)
def test_imports_only_point_down(room):
    for text in sources(room):
        assert not imported(text) & ABOVE[room]


@pytest.mark.parametrize("room", ["lib", "book"])
@pytest.mark.parametrize("paper", [paper.room for paper in PAPERS])
def test_papers_do_not_import_each_other(room, paper):
    """The chapter that composes them may import them; none of them imports it."""
    others = tuple(f"{room}.{other}." for room in ("lib", "book") for other in ROOMS if other != paper)
    for text in sources(f"{room}/{paper}"):
        assert not [name for name in modules(text) if f"{name}.".startswith(others)]


@pytest.mark.parametrize("room", ROOMS)
def test_tests_of_lib_know_nothing_of_the_pages(room):
    for text in sources(f"tests/lib/{room}"):
        assert not imported(text) & ABOVE["lib"] - {"tests"}


def test_the_rooms_of_lib_are_the_chapters():
    chapters = re.findall(r"file: book/(\w+)/index", (ROOT / "_toc.yml").read_text())
    rooms = {path.parent.name for path in (ROOT / "lib").glob("*/__init__.py")}
    assert tuple(chapters) == ROOMS
    with_chapter = {path.parent.name for path in (ROOT / "book").glob("*/index.ipynb")}
    assert with_chapter == set(ROOMS)
    assert rooms == set(ROOMS)


def test_a_folder_of_a_chapter_is_named_after_its_page():
    for room in ROOMS:
        folders = {path.parent for path in (ROOT / "book" / room).glob("*/*.py")}
        assert folders
        for folder in folders:
            assert folder.with_suffix(".ipynb").exists() or folder.name == "experiments", folder


def test_the_ledger_knows_nothing_of_its_pages():
    """What a statement is and how it is decided imports nothing of ``book/ledger/web``, which shows it."""
    for path in python_of("book/ledger"):
        if "web" not in path.parts:
            assert not [
                name for name in modules(path.read_text()) if f"{name}.".startswith("book.ledger.web.")
            ]


def test_the_ledgers_html_stands_in_templates():
    """In no string that Python puts together."""
    for path in python_of("book/ledger"):
        strings = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.JoinedStr)]
        assert not [text for text in map(ast.unparse, strings) if re.search(r"</?[a-z]", text)], path


def test_nothing_imports_the_command_line():
    for room in ABOVE:
        for text in sources(room):
            assert "book.__main__" not in {name.removesuffix(".main") for name in modules(text)}


FINDERS = {
    "book.ledger.registry",
    "book.ledger.proofs",
    "book.ledger.store",
    "book.experiments",
    "book.optional",
    "book.publish.serve",
    "book.together.limits.notation",
    "widgets",
    "widgets.export",
    "widgets.figure.registry",
}
"""Modules that may import by a name that they put together: of pages, of what is installed or of what is asked for."""


def test_no_modules_import_each_other_in_a_circle():
    """Neither at once nor inside a function, neither for types alone nor through ``importlib``."""
    paths = {dotted(path): path for room in ABOVE for path in python_of(room)}
    uses = {name: uses_of(path, paths) - {name} for name, path in paths.items()}
    graphlib.TopologicalSorter(uses).prepare()  # raises where modules import each other
    assert uses["book.ledger.report"] >= {"book.ledger.store", "book.ledger.hunt", "book.ledger.registry"}
    assert uses["widgets.figure.live"] >= {"widgets.figure.compiled", "widgets.figure.registry"}


def test_only_finders_import_by_a_name_that_they_put_together():
    """No other import is hidden from the rooms' arrows."""
    hidden = {
        dotted(path)
        for room in ABOVE
        for path in python_of(room)
        for call in imports_by_call(path)
        if not isinstance(call.args[0], ast.Constant)
    }
    assert hidden <= FINDERS


def python_of(room: str) -> list[Path]:
    """The modules of a room; templates are none."""
    left_out = {"node_modules", "templates"}
    return [path for path in (ROOT / room).rglob("*.py") if not left_out & {*path.parts}]


def dotted(path: Path) -> str:
    """A module's name."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def uses_of(path: Path, known: Mapping[str, Path]) -> set[str]:
    """The modules among these that a module imports, wherever and however it does."""
    names = modules(path.read_text())
    names |= {
        str(call.args[0].value) for call in imports_by_call(path) if isinstance(call.args[0], ast.Constant)
    }
    return {name if name in known else name.rpartition(".")[0] for name in names} & known.keys()


def imports_by_call(path: Path) -> list[ast.Call]:
    """The calls of ``importlib.import_module`` in a module."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func).endswith("import_module")]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def of_pages(text: str, but: Path) -> list[str]:
    """The modules of pages that a source imports, other than the page whose folder is ``but``."""
    folders = {path.with_suffix("") for path in PAGES} - {but}
    pages = tuple(f"{'.'.join(folder.relative_to(ROOT).parts)}." for folder in folders)
    return sorted(name for name in modules(text) if f"{name}.".startswith(pages))


@pytest.mark.parametrize("path", sorted((ROOT / "book").glob("*/**/*.py")), ids=named)
def test_pages_do_not_import_pages(path):
    """A page of no chapter may show what chapters' pages draw."""
    paper = ROOT / "book" / path.relative_to(ROOT / "book").parts[0]
    page = path if path.parent == paper else paper / path.relative_to(paper).parts[0]
    assert paper.with_suffix(".ipynb") in NOTEBOOKS or of_pages(path.read_text(), page) == []


@pytest.mark.parametrize("path", [path for path in PAGES if path.stem != "index"], ids=named)
def test_a_notebook_imports_its_own_page_and_what_the_chapter_shares(path):
    """A chapter's first page, like the book's, may begin with a figure of one of its pages."""
    for cell in code_cells(path):
        assert of_pages("".join(cell["source"]), path.with_suffix("")) == []


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def hidden(cell: dict[str, Any]) -> bool:
    """Whether the page folds the cell's code away, or leaves it out."""
    tags = cell["metadata"].get("tags", ())
    return any(tag in ("hide-input", "hide-cell", "remove-input", "remove-cell") for tag in tags)


def length(cell: dict[str, Any]) -> int:
    """How many lines a cell has."""
    return len("".join(cell["source"]).splitlines())


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_the_cells_of_a_page_are_short(path):
    assert [length(cell) for cell in code_cells(path) if length(cell) > MOST_OF_A_CELL] == []


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_a_page_has_open_cells_to_rerun_and_change(path):
    folder = path.with_suffix("")
    if (folder / "figure.py").exists() or (folder / "statements.py").exists():
        assert sum(not hidden(cell) for cell in code_cells(path)) in OPEN_CELLS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_cells_glue_no_markdown(path):
    for cell in code_cells(path):
        assert "Markdown(" not in "".join(cell["source"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_cells_do_not_say_when_they_ran(path):
    assert [i for i, cell in enumerate(code_cells(path)) if "execution" in cell["metadata"]] == []


def lines(*patterns: str) -> int:
    """How many lines the files have that match these patterns."""
    result = {path for pattern in patterns for path in ROOT.glob(pattern)}
    return sum(len(path.read_text().splitlines()) for path in result if "node_modules" not in path.parts)


def test_lib_is_small():
    assert lines("lib/**/*.py") <= MOST_OF_LIB


def test_the_lines_of_each_room_are_printed_beside_those_of_the_last_release():
    """It never fails: ``pytest -s`` shows how the tree has grown or shrunk."""
    print(f"\n{rooms.table(json.loads(rooms.STORED.read_text()), rooms.lines_by_room())}")


def painted(text: str) -> list[str]:
    """Where a source spells a colour out."""
    result = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SPELT.search(node.value):
            result.append(node.value)
        elif isinstance(node, ast.keyword) and PAINTED.fullmatch(node.arg or ""):
            values = [node.value, *getattr(node.value, "elts", ()), *getattr(node.value, "values", ())]
            result += [ast.unparse(node) for value in values if isinstance(value, ast.Constant)]
    return result


def test_colours_of_the_book_are_roles():
    """``widgets.figure.colours`` gives them by what they mean."""
    assert painted("plot(x, color='red', mec=['k'], palette=hues(x, {'law': 'run'}))") == [
        "color='red'",
        "mec=['k']",
    ]
    assert painted("A = '#0072b2', 'fill: rgb(1, 2, 3)', '#~seed=2'") == ["#0072b2", "fill: rgb(1, 2, 3)"]
    for text in sources("book"):
        assert painted(text) == []


def test_lib_neither_draws_nor_shows():
    for text in sources("lib"):
        assert not imported(text) & DRAWING


def normal(name: str) -> str:
    return re.split(r"[<>=\[ ;]", name)[0].lower().replace("_", "-")


def test_every_dependency_is_pinned():
    pinned = {normal(name) for name in PINS}
    extras = PYPROJECT["project"]["optional-dependencies"]
    wanted = PYPROJECT["project"]["dependencies"] + [name for extra in extras.values() for name in extra]
    assert {normal(name) for name in wanted} <= pinned


def needed(name: str, result: dict[str, str]) -> None:
    """Add to ``found`` the installed version of a distribution and of all that it needs here."""
    try:
        item = distribution(name)
    except PackageNotFoundError:
        return  # needed only elsewhere, or only for an extra
    if normal(name) in result:
        return
    result[normal(name)] = item.version.split("+")[0]
    for requirement in item.requires or ():
        if "extra ==" not in requirement or name == PYPROJECT["project"]["name"]:
            needed(re.split(r"[<>=!~\[ ;(]", requirement)[0], result)


def test_everything_we_need_is_pinned():
    result: dict[str, str] = {}
    needed(PYPROJECT["project"]["name"], result)
    del result[PYPROJECT["project"]["name"]]
    pinned = {normal(name): version for name, version in PINS.items()}
    assert len(result) > 100
    drifted = {name: version for name, version in result.items() if pinned.get(name, version) != version}
    loose = {
        name for name in result if name not in pinned and not name.startswith(("nvidia", "triton", "cuda"))
    }
    assert (drifted, loose) == ({}, set())


def test_every_pin_but_torchs_is_locked_by_hashes():
    result: dict[str, str] = {}
    for name in locks.LOCKS:
        for entry, text in locks.entries(locks.path(name).read_text()).items():
            package, version = entry.split("==")
            assert re.search(r"--hash=sha256:[0-9a-f]{64}$", text), entry
            assert result.setdefault(normal(package), version) == version
    pinned = {normal(name): version for name, version in PINS.items()}
    assert {name: result.get(name) for name in pinned if result.get(name) != pinned[name]} == {"torch": None}
    rules = (ROOT / "Makefile").read_text()
    assert "--require-hashes --no-deps" in rules
    assert all(f"$(LOCKED) .ci/{name}.txt" in rules for name in ("book", "test"))


def test_the_conda_environment_is_in_step_with_pyproject():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *conda, last = environment["dependencies"]
    (extras,) = re.findall(r"--editable \.\[(.*)\]", " ".join(last["pip"]))
    assert set(extras.split(",")) == set(PYPROJECT["project"]["optional-dependencies"])
    assert "--constraint constraints.txt" in last["pip"]
    (python,) = [name for name in conda if name.startswith("python=")]
    minimum = PYPROJECT["project"]["requires-python"].removeprefix(">=")
    assert python == f"python={minimum}"


def test_the_citation_is_in_step_with_pyproject():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == PYPROJECT["project"]["version"]
    assert citation["license"] == PYPROJECT["project"]["license"]


def test_the_lock_file_names_no_host():
    lock = json.loads((ROOT / "widgets" / "package-lock.json").read_text())
    assert all("resolved" not in package for package in lock["packages"].values())
    package = json.loads((ROOT / "widgets" / "package.json").read_text())
    assert lock["packages"][""]["dependencies"] == package["dependencies"]


def test_make_help_lists_the_commands():
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for command in ("book", "test", "lab", "serve", "bench", "statements", "page"):
        assert f"make {command} " in listed


def test_every_page_of_a_statement_is_in_the_table_of_contents():

    contents = (ROOT / "_toc.yml").read_text()
    for statement in registry.find():
        assert statement.page in contents


@pytest.mark.parametrize("guide", ["CONTRIBUTING.md", "README.md"])
def test_the_guides_name_what_is_there(guide):
    """But for the page that a reader of the recipes lays out."""
    paths = re.findall(r"`((?:book|lib|tests|widgets)/[\w/.]*)`", (ROOT / guide).read_text())
    named = {path for path in paths if "my_page" not in path}
    assert len(named) > 5
    assert {path for path in named if not (ROOT / path).exists()} == set()


def test_every_notebook_has_stored_outputs_and_no_widget_state():
    for path in (ROOT / "book").rglob("*.ipynb"):
        if ".ipynb_checkpoints" in path.parts:
            continue
        notebook = json.loads(path.read_text())
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert any(cell["outputs"] for cell in code), path.name
        assert "widgets" not in notebook["metadata"], path.name


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "workflows").iterdir()), ids=lambda path: path.stem
)
def test_workflows_may_do_little_and_run_what_was_read(path):
    text = path.read_text()
    flow = yaml.safe_load(text)
    assert flow["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in text
    assert "secrets." not in text
    for job in flow["jobs"].values():
        for step in job["steps"]:
            assert re.fullmatch(
                r"(actions/[\w-]+|pypa/gh-action-pypi-publish)@[0-9a-f]{40}",
                step.get("uses", f"actions/own@{'0' * 40}"),
            )


def test_planted_faults_are_changes_of_the_code_as_it_is():
    """``python -m tests.faults`` plants them, and counts what the tests find."""
    assert [name for name, fault in FAULTS.items() if fault.old not in (ROOT / fault.file).read_text()] == []


BEFORE_THE_NOUN = re.compile(
    r"(Of|So|By so|For so|From so|Up to so|At least so|As many|As long|Whether the same)\b"
)


def test_docstrings_begin_with_what_they_are_about():
    """A first line stands alone: "Most runs of …", not "So many runs …" or "Of a run …"."""
    found = [
        f"{path.relative_to(ROOT)}: {node.value.splitlines()[0]}"
        for room in (*ABOVE, "tests")
        for path in python_of(room)
        for node in (
            statement.value
            for statement in ast.walk(ast.parse(path.read_text()))
            if isinstance(statement, ast.Expr)
        )
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and BEFORE_THE_NOUN.match(node.value)
    ]
    assert found == []
