"""What a built book ships of others' work: each package with its version and licence, and the licences' texts.

A package ships where its code is bundled into the book's scripts, or where one of its files lies among the site's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path
from typing import Any, NamedTuple

from widgets import node
from widgets.project import INSTALLED

FONTS = "mathjax"
"""Typesets formulas when the book is built: its fonts and style sheet go with them."""
BUNDLED = node.HERE / "dist" / "packages.json"
"""What :func:`npm_packages` finds, in the installed package."""
ASSETS = {".js", ".css", ".svg", ".png", ".ttf", ".woff", ".woff2"}
LICENCE_NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE")
SMALLEST_ASSET = 200
"""Bytes: a smaller file may be the same by chance."""


class Package(NamedTuple):
    """A package that ships.

    Attributes:
        url: its package URL, "pkg:npm/d3-scale@4.0.3".
        licence: as it names it; ``spdx``: whether that is an SPDX expression.
        text: of its licence files.
    """

    name: str
    version: str
    url: str
    licence: str
    spdx: bool
    text: str


def write(static: Path, extensions: Iterable[str]) -> None:
    """Write ``licences.txt``, to read, and ``sbom.json``, in CycloneDX's format, beside the files they describe.

    Args:
        static: the site's own files. ``extensions``: the modules that Sphinx has loaded, its themes among them.
    """
    packages = sorted(
        [*npm_packages(), *python_packages(static, extensions)], key=lambda package: package.url
    )
    (static / "licences.txt").write_text(notices(packages), encoding="utf-8")
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "components": [_component(package) for package in packages],
    }
    (static / "sbom.json").write_text(f"{json.dumps(bill, indent=1)}\n", encoding="utf-8")


def notices(packages: Iterable[Package]) -> str:
    """The licences of packages as one text."""
    texts = [
        f"{package.name} {package.version}: {package.licence}\n\n{package.text}".strip()
        for package in packages
    ]
    rule = f"\n\n{'=' * 80}\n\n"
    return f"{rule.join(texts)}\n"


def of_scripts() -> str:
    """The licences of what the figures' scripts hold; the installed package has them written down."""
    if INSTALLED:
        return (node.HERE / "dist" / "licences.txt").read_text(encoding="utf-8")
    return notices(
        package for package in npm_packages() if not package.name.startswith((FONTS, "@fontsource"))
    )


def _component(package: Package) -> dict[str, Any]:
    """The package as CycloneDX has it."""
    licence = {"expression": package.licence} if package.spdx else {"license": {"name": package.licence}}
    return {
        "type": "library",
        "name": package.name,
        "version": package.version,
        "purl": package.url,
        "licenses": [licence],
    }


def npm_packages() -> Iterator[Package]:
    """The packages that are bundled: those of the lock file that are not for development alone, and the fonts'.

    The installed package has them written down.
    """
    if INSTALLED:
        yield from (Package(*each) for each in json.loads(BUNDLED.read_text(encoding="utf-8")))
        return
    for name, entry in _locked().items():
        if name == FONTS or not (entry.get("dev") or entry.get("devOptional")):
            yield _npm_package(name, entry)


def with_dependencies(name: str) -> list[Package]:
    """A package of the lock file, and all that it needs."""
    locked, names = _locked(), [name]
    for package in names:
        names += [other for other in locked[package].get("dependencies", ()) if other not in names]
    return [_npm_package(package, locked[package]) for package in names]


def _locked() -> dict[str, Any]:
    """The packages of the lock file, by name."""
    lock = json.loads((node.HERE / "package-lock.json").read_text())
    return {place.removeprefix("node_modules/"): entry for place, entry in lock["packages"].items() if place}


def _npm_package(name: str, entry: dict[str, Any]) -> Package:
    url = f"pkg:npm/{name}@{entry['version']}"
    text = _licence_text((node.HERE / "node_modules" / name).iterdir())
    return Package(name, entry["version"], url, entry["license"], True, text)


def python_packages(static: Path, extensions: Iterable[str]) -> Iterator[Package]:
    """The distributions of these modules one of whose files lies in ``static``, compared by their bytes."""
    files = (path.read_bytes() for path in static.rglob("*") if path.suffix in ASSETS)
    shipped = {data for data in files if len(data) >= SMALLEST_ASSET}
    owners = packages_distributions()
    names = {name for module in extensions for name in owners.get(module.partition(".")[0], ())}
    for name in sorted(names):
        package = distribution(name)
        paths = [path for file in package.files or () if (path := Path(str(file.locate()))).is_file()]
        if any(path.suffix in ASSETS and path.read_bytes() in shipped for path in paths):
            expression = _first(package, "License-Expression")
            url = f"pkg:pypi/{name.lower().replace('_', '-')}@{package.version}"
            licence = expression or _licence_name(package)
            yield Package(name, package.version, url, licence, bool(expression), _licence_text(paths))


def _licence_name(package: Distribution) -> str:
    """The licence that the metadata names in one line, or else the last word of a classifier."""
    licence = _first(package, "License")
    classifiers = package.metadata.get_all("Classifier") or []
    named = [line for line in classifiers if line.startswith("License ::")]
    if licence and "\n" not in licence:
        return licence
    return named[0].rpartition(" :: ")[2] if named else "see its text"


def _first(package: Distribution, field: str) -> str:
    """The first value of a field of the metadata, or an empty text."""
    return next(iter(package.metadata.get_all(field) or []), "")


def _licence_text(paths: Iterable[Path]) -> str:
    """The text of the licence files among these."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(paths) if _is_licence(path.name)]
    return "\n".join(texts).strip()


def _is_licence(name: str) -> bool:
    return any(word in name.upper() for word in LICENCE_NAMES) and not name.endswith((".py", ".pyc", ".js"))
