"""Figures as they stand before any script has run: their default scene, verdict and numbers, in the page as built.

Node runs the very figure module of the page; so print, slow phones and readers without JavaScript see the theorem, and
the live figure takes over where it stands.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from widgets import bundle
from widgets.site.state import VIEW_SCRIPT, State, View, state_of_views

LIVE_NUMBER = re.compile(r'(<span[^>]*\bdata-live="([^"]+)"[^>]*>)[^<]*(</span>)')
STEP = re.compile(r'(<div class="fim-step ([^" ]+)">)(</div>)')
"""Where a small figure for a step of an argument stands, with its name."""
WITHOUT_SCRIPT = (
    '<noscript><p class="ctl-no-script">JavaScript is off in this browser: the figure stands as it opens, and its '
    "sliders and buttons are missing.</p></noscript>"
)
"""What is missing where no script runs."""


class Still(NamedTuple):
    """A figure at its defaults.

    Attributes:
        html: its drawing.
        numbers: its numbers as "figure.field".
        steps: the small figures of its steps as "figure-step".
        maps: where its statements are true, by their ids; none without a stored map, see :mod:`widgets.site.maps`.
    """

    html: str
    numbers: dict[str, str]
    steps: dict[str, str]
    maps: dict[str, str]


def draw(state: State, cache_folder: Path) -> dict[str, Still]:
    """The stills of a page's figures, by model id; those of earlier builds are read from the cache.

    Raises:
        RuntimeError: Node could not draw them.
    """
    figures = {id_: entry for id_, entry in state.items() if "kernels" in entry["state"]}
    if not figures:
        return {}
    drawings = _drawn({"state": state}, cache_folder)
    return {id_: Still(**drawings[id_]) for id_ in figures}


def pictures(state: State, moments: Sequence[str], cache_folder: Path) -> dict[str, str]:
    """Small drawings of a page's first figure with a scene, by the moments that they show.

    Args:
        state: the page's widgets.
        moments: "3" is the main drawing at the third card of the figure's story, "0" at the defaults; "3.2" is the
            second drawing there, and "map" the map of where the first statement is true.
        cache_folder: has those of earlier builds.

    Raises:
        RuntimeError: Node could not draw them.
    """
    return _drawn({"state": state, "moments": moments}, cache_folder)


def _drawn(job: dict[str, Any], cache_folder: Path) -> dict[str, Any]:
    text = json.dumps(job, sort_keys=True)
    source = bundle.fingerprint(styles=False) + text
    path = cache_folder / f"{hashlib.sha256(source.encode()).hexdigest()[:24]}.json"
    if not path.exists():
        drawn = bundle.run("still.mjs", text, "figures could not be drawn")
        cache_folder.mkdir(parents=True, exist_ok=True)
        path.write_text(drawn)
    drawings: dict[str, Any] = json.loads(path.read_text())
    return drawings


def insert(body: str, state: State, stills: Mapping[str, Still]) -> str:
    """A page's HTML with the stills of each view behind it, numbers in its sentences, and figures at its steps.

    Before each still a line says what is missing where no script runs.

    Raises:
        ValueError: a step that no figure of the page has, or a figure's step that the page does not name.
    """

    def with_stills(script: re.Match[str]) -> str:
        inside = state_of_views(state, [View(json.loads(script[1])["model_id"], None)])
        drawings = "".join(still.html for id_, still in stills.items() if id_ in inside)
        if not drawings:
            return script[0]
        return f'{WITHOUT_SCRIPT}{script[0]}<div class="ctl-still fim-live">{drawings}</div>'

    numbers = {name: text for still in stills.values() for name, text in still.numbers.items()}
    steps = {name: drawing for still in stills.values() for name, drawing in still.steps.items()}
    if astray := steps.keys() ^ {name for _, name, _ in STEP.findall(body)}:
        raise ValueError(
            f"steps {sorted(astray)}: must be named by the page, and drawn by one of its figures"
        )
    body = STEP.sub(lambda match: match[1] + steps[match[2]] + match[3], body)
    body = VIEW_SCRIPT.sub(with_stills, body)
    return LIVE_NUMBER.sub(lambda match: match[1] + numbers.get(match[2], "…") + match[3], body)
