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

FONTS = "mathjax"
"""Typesets formulas when the book is built: its fonts and style sheet go with them."""
ASSETS = {".js", ".css", ".svg", ".png", ".ttf", ".woff", ".woff2"}
TEXTS = ("LICENSE", "LICENCE", "COPYING", "NOTICE")
ANYBODYS = 200
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


def provide(static: Path, extensions: Iterable[str]) -> None:
    """Write ``licences.txt``, to read, and ``sbom.json``, in CycloneDX's format, beside what they are about.

    Args:
        static: the site's own files. ``extensions``: the modules that Sphinx has loaded, its themes among them.
    """
    found = sorted([*of_npm(), *of_python(static, extensions)], key=lambda one: one.url)
    (static / "licences.txt").write_text(told(found), encoding="utf-8")
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "components": [_component(one) for one in found],
    }
    (static / "sbom.json").write_text(f"{json.dumps(bill, indent=1)}\n", encoding="utf-8")


def told(packages: Iterable[Package]) -> str:
    """The licences of packages, to read."""
    texts = [f"{one.name} {one.version}: {one.licence}\n\n{one.text}".strip() for one in packages]
    rule = f"\n\n{'=' * 80}\n\n"
    return f"{rule.join(texts)}\n"


def _component(one: Package) -> dict[str, Any]:
    licence = {"expression": one.licence} if one.spdx else {"license": {"name": one.licence}}
    return {
        "type": "library",
        "name": one.name,
        "version": one.version,
        "purl": one.url,
        "licenses": [licence],
    }


def of_npm() -> Iterator[Package]:
    """The packages that are bundled: those of the lock file that are not for development alone, and the fonts'."""
    lock = json.loads((node.HERE / "package-lock.json").read_text())
    for place, entry in lock["packages"].items():
        name = place.removeprefix("node_modules/")
        if place and (name == FONTS or not (entry.get("dev") or entry.get("devOptional"))):
            url = f"pkg:npm/{name}@{entry['version']}"
            text = _joined((node.HERE / place).iterdir())
            yield Package(name, entry["version"], url, entry["license"], True, text)


def of_python(static: Path, extensions: Iterable[str]) -> Iterator[Package]:
    """The distributions of these modules one of whose files lies in ``static``, by its bytes."""
    files = (path.read_bytes() for path in static.rglob("*") if path.suffix in ASSETS)
    shipped = {data for data in files if len(data) >= ANYBODYS}
    owners = packages_distributions()
    for name in sorted({name for module in extensions for name in owners.get(module.partition(".")[0], ())}):
        each = distribution(name)
        places = [place for file in each.files or () if (place := Path(str(file.locate()))).is_file()]
        if any(place.suffix in ASSETS and place.read_bytes() in shipped for place in places):
            expression = _said(each, "License-Expression")
            url = f"pkg:pypi/{name.lower().replace('_', '-')}@{each.version}"
            licence = expression or _licence(each)
            yield Package(name, each.version, url, licence, bool(expression), _joined(places))


def _licence(each: Distribution) -> str:
    """As its metadata has it: a name in a line, or the last word of a classifier."""
    told = _said(each, "License")
    named = [one for one in each.metadata.get_all("Classifier") or [] if one.startswith("License ::")]
    return told if told and "\n" not in told else named[0].rpartition(" :: ")[2] if named else "see its text"


def _said(each: Distribution, field: str) -> str:
    return next(iter(each.metadata.get_all(field) or []), "")


def _joined(paths: Iterable[Path]) -> str:
    """What the licence files among these say."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(paths) if _is_text(path.name)]
    return "\n".join(texts).strip()


def _is_text(name: str) -> bool:
    return any(word in name.upper() for word in TEXTS) and not name.endswith((".py", ".pyc", ".js"))
