"""What the coarsest cells of each figure's map come to, so that a map opens filled, and can be drawn without a script.

Node makes the runs with the page's own code. They are looked for by the hash of all that they rest on: among stored
ones, then among those of earlier builds; what is found in neither is made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from widgets import bundle
from widgets.site import notes
from widgets.site.state import State
from widgets.site.stills import Still

SCRIPT = "map_trials.mjs"
NOTES = "maps"
RESTS_ON = ("stages", "report", "verdicts")
"""The part of a figure's ``spec`` that a map depends on: beside its map and parameters, kernels and constants."""
AXES = ("x", "y", "border")
PARAMETER = (
    "name",
    "low",
    "high",
    "low_open",
    "high_open",
    "integer",
    "default",
    "fixed",
    "choices",
    "boolean",
    "track",
)


def add(state: State, stored: Mapping[str, Any], cache_folder: Path) -> None:
    """Put into each figure's ``spec["map"]`` what its coarsest cells come to, as ``stored``.

    Args:
        state: the widgets of a page, with the sources of their kernels.
        stored: maps by their keys; others are in ``cache_folder``, or made and put there.

    Raises:
        RuntimeError: Node could not make the runs.
    """
    for entry in state.values():
        if entry["state"].get("spec", {}).get("map"):
            made = found(entry, stored, cache_folder)
            entry["state"]["spec"]["map"]["stored"] = {name: made[name] for name in ("judged", "sides")}


def found(figure: Mapping[str, Any], stored: Mapping[str, Any], cache_folder: Path) -> dict[str, Any]:
    """The map of a figure, given as its model: a stored one, one of an earlier build, or one that is made now.

    Returns:
        ``judged``, for each statement a digit for each cell, and ``sides`` of a border: see
        ``src/run/stored_map.js``.

    Raises:
        RuntimeError: Node could not make the runs.
    """
    wanted = key(figure)
    if wanted in stored:
        return dict(stored[wanted])
    path = cache_folder / f"{wanted}.json"
    if not path.exists():
        maps = json.loads(
            bundle.run(SCRIPT, json.dumps({"state": {"figure": dict(figure)}}), "a map could not be made")
        )
        cache_folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(maps["figure"]))
    made: dict[str, Any] = json.loads(path.read_text())
    return made


def key(figure: Mapping[str, Any]) -> str:
    """A hash of all that the runs of a figure's map rest on."""
    traits = figure["state"]
    spec = traits["spec"]
    parts = [
        [spec[name] for name in RESTS_ON],
        [spec["map"][name] for name in AXES],
        [[parameter.get(name) for name in PARAMETER] for parameter in spec["parameters"]],
        traits["kernels"],
        [buffer["data"] for buffer in figure.get("buffers", ())],
        (bundle.ensure() / SCRIPT).read_text(),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]


def keep_drawings(folder: Path, page: str, stills: Iterable[Still]) -> None:
    """Keep the drawn maps of a page's figures, for other pages to show: see :func:`drawings`."""
    drawn = {id: drawing for still in stills for id, drawing in still.maps.items()}
    notes.write(folder / NOTES, page, drawn)


def drawings(folder: Path, page: str) -> dict[str, str]:
    """The maps that a page's figures have, as HTML, by the ids of their statements."""
    return dict(notes.read(folder / NOTES, page) or {})
