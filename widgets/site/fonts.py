"""The family that all pages are set in. A book ships it, so that its pages look the same on every machine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from widgets import node

FAMILY = "Source Sans 3"
PACKAGE = "@fontsource-variable/source-sans-3"
SUBSETS = ("latin", "greek")
"""What the pages are written in; other signs come from the reader's own fonts."""
SIZE = "106%"
"""Its letters are small for their nominal size."""


def copy(folder: Path) -> None:
    """Write the style sheet ``fonts.css`` into ``folder``, with the font's files beside it."""
    package = node.HERE / "node_modules" / PACKAGE
    ranges = json.loads((package / "unicode.json").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    faces = []
    for subset in SUBSETS:
        (file,) = (package / "files").glob(f"*-{subset}-wght-normal.woff2")
        shutil.copy(file, folder)
        faces.append(
            f'@font-face {{ font-family: "{FAMILY}"; src: url("{file.name}") format("woff2"); '
            f"font-weight: 200 900; font-display: swap; size-adjust: {SIZE}; unicode-range: {ranges[subset]}; }}"
        )
    family = f'"{FAMILY}", var(--pst-font-family-base-system)'
    rule = f"html {{ --pst-font-family-base: {family}; --pst-font-family-heading: {family}; }}"
    (folder / "fonts.css").write_text("\n".join([*faces, rule, ""]), encoding="utf-8")
