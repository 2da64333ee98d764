"""``python -m book maps``: store what the coarsest cells of the figures' maps come to, so that no build runs them.

Some take a minute. A map whose figure has changed since is made when the book is built; this stores it.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from tqdm import tqdm

from book import gallery
from book.ledger.boxes import ROOT
from widgets.figure.live import Figure
from widgets.site import maps

STORED = ROOT / "book" / "data" / "maps.json"
CACHE = ROOT / "_build" / ".maps"
"""Where a build keeps those that are not stored."""


def read() -> dict[str, Any]:
    """The stored maps by their keys, each with the figure and the day on which it was made."""
    return dict(json.loads(STORED.read_text())) if STORED.exists() else {}


def renew() -> int:
    """Make the maps that are missing, and store those of all figures; returns 0."""
    stored = read()
    models = {name: model_of(figure.make().figure) for name, figure in gallery.figures().items()}
    wanted = {name: model for name, model in models.items() if model["state"]["spec"]["map"]}

    def entry(name: str) -> tuple[str, dict[str, Any]]:
        made = maps.found(wanted[name], stored, CACHE)
        today = datetime.now(UTC).date().isoformat()
        return maps.key(wanted[name]), {"figure": name, "made": today, **made}

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        entries = list(tqdm(pool.map(entry, wanted), total=len(wanted), desc="maps"))
    STORED.write_text(json.dumps(dict(sorted(entries, key=lambda item: item[1]["figure"])), indent=1) + "\n")
    return 0


def model_of(figure: Figure) -> Mapping[str, Any]:
    """A figure as pages have it."""
    constants = base64.b64encode(figure.constants).decode()
    return {
        "model_name": "AnyModel",
        "state": {"spec": figure.spec, "kernels": figure.kernels},
        "buffers": [{"path": ["constants"], "encoding": "base64", "data": constants}],
    }
