"""The boxes in which pages state the statements."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Box(NamedTuple):
    """A statement's text as its page has it."""

    name: str
    """"Lemma 6"."""
    title: str
    text: str
    """MyST."""


BOX = re.compile(
    r"^```\{prf:\w+\} ?(?P<head>[^\n]*)\n(?P<options>(?::[^\n]*\n)+)(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


@cache
def boxes_of(page: str) -> dict[str, Box]:
    """The boxes of a page, by label; the head of each is "name: title"."""
    cells = json.loads((ROOT / f"{page}.ipynb").read_text())["cells"]
    text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    found = {}
    for match in BOX.finditer(text):
        label = re.search(r"^:label: (\S+)", match["options"], re.MULTILINE)
        name, _, title = match["head"].partition(": ")
        if label:
            found[label[1]] = Box(name, title, match["text"].strip())
    return found
