"""Pictures, drawn without a browser: of a page for where its address is shared, and of a figure alone.

They are PNG, in the fonts that matplotlib brings, so that two runs give the same. The installed package draws SVG.
"""

from __future__ import annotations

import json
import struct
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from widgets import bundle, node
from widgets.project import INSTALLED

ZOOM = 2
"""Pixels of a figure's picture for each of the page's, as ``src/page/preview.js`` draws it."""


class Picture(NamedTuple):
    """A picture of a figure, what kind of file it is, and what it shows in words."""

    data: bytes
    kind: str
    alt: str


def of_figure(state: Mapping[str, Any], model: str, settings: str) -> Picture:
    """A figure as it stands, with its numbers and its settings below it.

    Args:
        state: of the figure's widgets, by their ids. ``model``: the figure's own.
        settings: where its controls stand, in words.

    Raises:
        RuntimeError: Node could not draw it.
    """
    stills = bundle.run("still.mjs", json.dumps({"state": state}), "the figure could not be drawn")
    with tempfile.TemporaryDirectory() as folder:
        name, kind = ("figure.svg", "image/svg+xml") if INSTALLED else ("figure.png", "image/png")
        place = Path(folder) / name
        page = {"text": json.loads(stills)[model]["html"], "place": str(place), "settings": settings}
        (alt,) = draw([page])
        return Picture(place.read_bytes(), kind, alt)


def draw(pages: Sequence[Mapping[str, str]]) -> list[str]:
    """Draw the HTML of each page, its ``text``, into the file at its ``place``; returns what each shows, in words.

    Raises:
        RuntimeError: Node could not draw them.
    """
    if not pages:
        return []
    style = (node.HERE / "src" / "view" / "figure.css").read_text(encoding="utf-8")
    job = {"pages": list(pages), "style": style, "fonts": [] if INSTALLED else _fonts()}
    descriptions: list[str] = json.loads(
        bundle.run("preview.mjs", json.dumps(job), "pictures could not be drawn")
    )
    return descriptions


def _fonts() -> list[str]:
    """The paths of the fonts for PNG."""
    import matplotlib  # half a second, for what few who import this module draw

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return [str(folder / f"DejaVuSans{style}.ttf") for style in ("", "-Bold")]


def size(png: bytes) -> tuple[int, int]:
    """Width and height at which a page shows a picture of a figure."""
    width, height = struct.unpack(">II", png[16:24])
    return width // ZOOM, height // ZOOM
