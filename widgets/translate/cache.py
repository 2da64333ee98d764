"""Caches translations on disk: tracing takes seconds, and a build with its tests needs each figure many times.

A translation depends on the registered figure, on all that the file of its function rests on but the page's scripts,
which only draw what it computes, on the versions of torch and Python, and on the figure's default values. Their hash
is the name of the file, so that a change in any of them leads to a new one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from widgets.dependencies import JAVASCRIPT, ROOT, closure, digest

FOLDER = ROOT / "_build" / ".kernels"
"""The cache's folder: beside the built pages, so that it is removed with them."""


def translation(kind: type[Any], translate: Callable[[], Any], file: Path, *identity: Any) -> Any:
    """``translate()``, from disk if it was done before for the same figure.

    Args:
        kind: what ``translate`` returns: plain data, and one tensor of float64 called ``constants``.
        file: in which the function stands that makes the figure.
        identity: what tells the figure from others of that file, and from itself at other defaults.
    """
    parts = (digest(closure(file).difference(JAVASCRIPT)), *identity)
    path = FOLDER / f"{hashlib.sha256(repr(parts).encode()).hexdigest()}.json"
    if not path.exists():
        translated = translate()
        numbers = base64.b64encode(translated.constants.numpy().tobytes()).decode()
        record = translated._asdict() | {"constants": numbers}
        FOLDER.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(record))
        fresh.replace(path)  # whole or not at all, whoever else writes it
        return translated
    path.touch()
    record = json.loads(path.read_text())
    stored = bytearray(base64.b64decode(record["constants"]))
    constants = (
        torch.frombuffer(stored, dtype=torch.float64) if stored else torch.empty(0, dtype=torch.float64)
    )
    return kind(**{**record, "constants": constants})


def forget(days: float = 30) -> None:
    """Remove the translations that nobody has asked for in so many days."""
    for path in FOLDER.glob("*.json"):
        if time.time() - path.stat().st_mtime > days * 24 * 3600:
            path.unlink()
