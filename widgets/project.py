"""What the project that uses the widgets keeps where: ``[tool.widgets]`` in its ``pyproject.toml``.

Installed from a wheel, the package serves the project in which it is used: the nearest folder, from the working
directory upwards, whose ``pyproject.toml`` has that table. Without one it belongs to no project: it follows no imports.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

INSTALLED = not (Path(__file__).parent / "package.json").exists()
"""Whether this is the installed package, whose scripts are built already."""
_NONE: dict[str, Any] = {"packages": (), "tables": "none", "scenes": "none", "reads": {}}


def _settings(folder: Path) -> dict[str, Any] | None:
    """The table in a folder's ``pyproject.toml``, None if it has none."""
    try:
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return None
    found: dict[str, Any] | None = tomllib.loads(text).get("tool", {}).get("widgets")
    return found


def _found() -> tuple[Path, dict[str, Any]]:
    """The project's folder and its settings."""
    here = Path(__file__).parents[1]
    folders = (Path.cwd(), *Path.cwd().parents) if INSTALLED else (here,)
    pairs = ((folder, settings) for folder in folders if (settings := _settings(folder)) is not None)
    return next(pairs, (here, _NONE))


ROOT, _given = _found()
"""The project's folder."""
_SETTINGS = {**_NONE, **_given}
PACKAGES: tuple[str, ...] = tuple(_SETTINGS["packages"])
"""The folders whose imports are followed."""
TABLES = ROOT / _SETTINGS["tables"]
"""The folder of the stored tables."""
SCENES: str = _SETTINGS["scenes"]
"""A pattern, from the root on, of the drawings that single pages have."""
READS: dict[Path, tuple[Path, ...]] = {
    ROOT / module: tuple(sorted(file for pattern in patterns for file in ROOT.glob(pattern)))
    for module, patterns in _SETTINGS["reads"].items()
}
"""The files that a module reads and does not import."""
