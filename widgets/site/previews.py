"""Pictures that show a page where its address is shared: its title, its scene or first plot, and what is found there.

They are drawn without a browser, in the fonts that matplotlib brings, so that two builds give the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import matplotlib

from widgets import bundle, node

FONTS = [
    Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"DejaVuSans{style}.ttf" for style in ("", "-Bold")
]


def draw(pages: Mapping[Path, str]) -> list[str]:
    """Draw each page's HTML as a PNG into the file that is its key; returns what each picture shows, in words.

    Raises:
        RuntimeError: Node could not draw them.
    """
    if not pages:
        return []
    job = {
        "pages": [{"place": str(place), "text": text} for place, text in pages.items()],
        "style": (node.HERE / "src" / "view" / "figure.css").read_text(encoding="utf-8"),
        "fonts": [str(path) for path in FONTS],
    }
    descriptions: list[str] = json.loads(
        bundle.run("preview.mjs", json.dumps(job), "pages could not be drawn")
    )
    return descriptions
