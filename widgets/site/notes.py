"""What a page leaves for others to show, kept between builds: a page that has not changed is not written again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write(folder: Path, page: str, note: Any) -> None:
    """Keep a page's note, plain data; None takes it away.

    Args:
        folder: of all notes of its kind.
        page: its name.
        note: what :func:`read` returns.
    """
    path = _path(folder, page)
    if note is None:
        path.unlink(missing_ok=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(note), encoding="utf-8")


def read(folder: Path, page: str) -> Any:
    """A page's note; None if it has left none."""
    path = _path(folder, page)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _path(folder: Path, page: str) -> Path:
    return folder / f"{page.replace('/', '--')}.json"
