"""The typeface that the book brings along, Source Sans 3: its pages look the same on every machine.

Text has two subsets, Latin and Greek; a browser loads what a page needs. Signs that they lack come from the reader's
own fonts.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from widgets import node

PACKAGE = node.HERE / "node_modules" / "@fontsource-variable" / "source-sans-3"
SUBSETS = ("latin", "greek")
NAME = "Source Sans 3"
FACE = (
    '@font-face {{ font-family: "{name}"; src: url("{file}") format("woff2"); font-weight: 200 900; '
    "font-display: swap; unicode-range: {letters}; "
    # lines as high as other fonts' of this size: its own are a third higher, and labels would touch
    "size-adjust: 106%; ascent-override: 86%; descent-override: 21%; line-gap-override: 0%; }}"
)
USE = (
    f'html {{ --pst-font-family-base: "{NAME}", var(--pst-font-family-base-system); '
    f'--pst-font-family-heading: "{NAME}", var(--pst-font-family-base-system); }}'
)


def write(folder: Path) -> None:
    """Write the style sheet ``fonts.css`` into ``folder`` with the files of the font beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    letters = json.loads((PACKAGE / "unicode.json").read_text())
    faces = []
    for subset in SUBSETS:
        file = f"source-sans-3-{subset}-wght-normal.woff2"
        shutil.copy(PACKAGE / "files" / file, folder)
        faces.append(FACE.format(name=NAME, file=file, letters=letters[subset]))
    (folder / "fonts.css").write_text("\n".join([*faces, USE, ""]))
