"""Caches translations on disk: they take seconds, and a build with its tests needs each figure many times.

A kernel is known by the graph that was traced, and by the code of the translator: what leaves both as they are, such
as words, charts and colours, translates nothing. To trace takes half of a translation's time. So a figure, and each
of its kernels, is first looked up by the code of the files that it rests on (:func:`widgets.dependencies.code_digest`),
and traced only if that has changed.
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

from widgets.dependencies import ROOT, closure, code_digest
from widgets.project import INSTALLED

FOLDER = ROOT / "_build" / ".kernels"
"""The cache's folder: beside the built pages, so that it is removed with them."""


def translation(kind: type[Any], translate: Callable[[], Any], file: Path, *identity: Any) -> Any:
    """``translate()``, from disk if it was done before for the same figure of this project.

    Args:
        kind: what ``translate`` returns: plain data, and one tensor of float64 called ``constants``.
        file: on whose code, and on all that it rests on, the translation depends.
        identity: what else it depends on: what tells the figure from others of that file, and from itself at other
            defaults.
    """
    if INSTALLED:
        return translate()
    parts = (code_digest(closure(file)), *identity)
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
