"""The typeface that the book brings along, Source Sans 3: its pages look the same on every machine.

Upright text has two subsets, Latin and Greek, in all weights; emphasis is italic in one, since browsers slant upright
letters badly. A browser loads what a page needs. Signs that these files lack come from the reader's own fonts.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from widgets import node
from widgets.project import INSTALLED

PACKAGES = node.HERE / ("dist" if INSTALLED else "node_modules")
VARIABLE, STATIC = "@fontsource-variable/source-sans-3", "@fontsource/source-sans-3"
FILES = (
    (VARIABLE, "latin", "wght-normal", "normal", "200 900"),
    (VARIABLE, "greek", "wght-normal", "normal", "200 900"),
    (STATIC, "latin", "400-italic", "italic", "400"),
)
"""The package of each, its letters, the end of its name, its style and its weights."""
NAME = "Source Sans 3"


def _file(letters: str, end: str) -> str:
    return f"source-sans-3-{letters}-{end}.woff2"


FACE = (
    '@font-face {{ font-family: "{name}"; src: url("{file}") format("woff2"); '
    "font-style: {style}; font-weight: {weights}; "
    "font-display: swap; unicode-range: {letters}; "
    # lines as high as other fonts' of this size: its own are a third higher, and labels would touch
    "size-adjust: 106%; ascent-override: 86%; descent-override: 21%; line-gap-override: 0%; }}"
)
PRELOAD = f"""
if (location.protocol !== "file:") {{
  const font = {{ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "" }};
  const href = new URL("../fonts/{_file(*FILES[0][1:3])}", document.currentScript.src).href;
  document.head.append(Object.assign(document.createElement("link"), font, {{ href }}));
}}"""
"""Asks for the upright Latin letters before the style sheet does, from a script in a folder beside the fonts'.

Otherwise lines are broken once for another font, and all below them moves when this one comes. From a disk a browser
refuses to preload a font, and needs no time to read it.
"""
USE = (
    f'html {{ --pst-font-family-base: "{NAME}", var(--pst-font-family-base-system); '
    f'--pst-font-family-heading: "{NAME}", var(--pst-font-family-base-system); }}'
)


def sources() -> list[Path]:
    """The files of npm's packages that :func:`write` reads."""
    files = [PACKAGES / package / "files" / _file(subset, end) for package, subset, end, *_ in FILES]
    return [*files, *(PACKAGES / package / "unicode.json" for package in (VARIABLE, STATIC))]


def write(folder: Path) -> None:
    """Write the style sheet ``fonts.css`` into ``folder`` with the files of the font beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    faces = []
    for package, subset, end, style, weights in FILES:
        file = _file(subset, end)
        shutil.copy(PACKAGES / package / "files" / file, folder)
        letters = json.loads((PACKAGES / package / "unicode.json").read_text())[subset]
        faces.append(FACE.format(name=NAME, file=file, style=style, weights=weights, letters=letters))
    (folder / "fonts.css").write_text("\n".join([*faces, USE, ""]))
