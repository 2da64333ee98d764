"""Pictures that show a page where its address is shared: its title, its scene or first plot, and what is found there.

They are drawn without a browser, in the fonts that matplotlib brings, so that two builds give the same.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import matplotlib

from widgets import node

FONTS = [
    Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"DejaVuSans{style}.ttf" for style in ("", "-Bold")
]


def draw(pages: Mapping[Path, str]) -> list[str]:
    """Draw a PNG of each page's HTML into the file that it is given for; returns what each shows, in words.

    Raises:
        RuntimeError: Node could not.
    """
    asked = {
        "pages": [{"place": str(place), "text": text} for place, text in pages.items()],
        "style": (node.HERE / "src" / "view" / "figure.css").read_text(encoding="utf-8"),
        "fonts": [str(path) for path in FONTS],
    }
    if not pages:
        return []
    command = [*node.node(), str(node.ensure() / "preview.mjs")]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"pages could not be drawn: {done.stderr.strip()}")
    said: list[str] = json.loads(done.stdout)
    return said
