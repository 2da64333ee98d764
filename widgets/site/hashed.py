"""Names that follow from what is named: a file of the site is never out of date, and none is written twice."""

from __future__ import annotations

import hashlib
from pathlib import Path


def write_hashed(folder: Path, code: str, kind: str = "js") -> str:
    """Write a file named by the hash of its code, unless it is there; returns "folder/name", for an address."""
    path = folder / f"{short_hash(code)}.{kind}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    return f"{folder.name}/{path.name}"


def short_hash(code: str) -> str:
    """Sixteen hexadecimal digits that name this code."""
    return hashlib.sha256(code.encode()).hexdigest()[:16]
