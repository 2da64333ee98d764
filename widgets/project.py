"""What the project that uses the widgets keeps where: ``[tool.widgets]`` in its ``pyproject.toml``.

Installed from a wheel, the package belongs to no project: it follows no imports, and stores no translations.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
INSTALLED = not (Path(__file__).parent / "package.json").exists()
"""Whether this is the installed package, whose scripts are built already."""
_NONE: dict[str, Any] = {"packages": (), "tables": "none", "scenes": "none", "reads": {}}
_SETTINGS = _NONE if INSTALLED else tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["widgets"]
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
