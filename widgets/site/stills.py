"""Figures as they stand before any script has run: their default scene, verdict and numbers, in the page as built.

Node runs the very figure module of the page; so print, slow phones and readers without JavaScript see the theorem, and
the live figure takes over where it stands.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from widgets import node
from widgets.site.state import VIEW_SCRIPT, State, View, needed

NUMBER = re.compile(r'(<span[^>]*\bdata-live="([^"]+)"[^>]*>)[^<]*(</span>)')


class Still(NamedTuple):
    """A figure at its defaults: its drawing, and its numbers as "figure.field"."""

    html: str
    numbers: dict[str, str]


def drawn(state: State, kept: Path) -> dict[str, Still]:
    """The stills of a page's figures, by model id; ``kept`` is a folder for those of earlier builds.

    Raises:
        RuntimeError: Node could not draw them.
    """
    figures = {id_: entry for id_, entry in state.items() if "kernels" in entry["state"]}
    if not figures:
        return {}
    dist = node.ensure()
    text = json.dumps({"state": state}, sort_keys=True)
    path = kept / f"{hashlib.sha256((node.fingerprint() + text).encode()).hexdigest()[:24]}.json"
    if not path.exists():
        done = subprocess.run(
            [*node.node(), dist / "still.mjs"], input=text, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"figures could not be drawn: {done.stderr.strip()}")
        kept.mkdir(parents=True, exist_ok=True)
        path.write_text(done.stdout)
    found: Mapping[str, dict[str, Any]] = json.loads(path.read_text())
    return {id_: Still(**found[id_]) for id_ in figures}


def placed(body: str, state: State, stills: Mapping[str, Still]) -> str:
    """A page's HTML with each view's stills behind it, and with numbers in its sentences."""

    def followed(script: re.Match[str]) -> str:
        inside = needed(state, [View(json.loads(script[1])["model_id"], None)])
        mine = "".join(still.html for id_, still in stills.items() if id_ in inside)
        return script[0] + (f'<div class="ctl-still fim-live">{mine}</div>' if mine else "")

    numbers = {name: text for still in stills.values() for name, text in still.numbers.items()}
    body = VIEW_SCRIPT.sub(followed, body)
    return NUMBER.sub(lambda found: found[1] + numbers.get(found[2], "…") + found[3], body)
