"""What a run may come to: read from the one table that the page's scripts read, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).parents[2] / "widgets" / "src" / "run" / "outcomes.json"


class Outcome(NamedTuple):
    """One of the outcomes of a run."""

    words: str
    """What holds there and what does not."""
    sign: str
    stroke: str
    """The sign as a line, from the middle of a map's cell."""
    colour: str
    """A role of :mod:`widgets.figure.colours`."""
    opacity: float
    """The opacity of a map's cell."""
    lines: str
    """The pattern of a map's cell."""


BY_NAME = {name: Outcome(**entry) for name, entry in json.loads(TABLE.read_text(encoding="utf-8")).items()}
"""Hypotheses and conclusion hold, only they, neither, only it, or too early to say."""
OUTCOMES = tuple(BY_NAME)
