"""A built book as one file, to take along: it works where it is unpacked, without a server."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

LEFT_OUT = {".buildinfo", "_rediraffe_redirected.json"}
"""What only the next build reads."""


def write(root: Path, name: str) -> None:
    """Write ``root/NAME.zip`` with all files of ``root`` in a folder ``NAME``; equal files make equal archives."""
    archive = root / f"{name}.zip"
    archive.unlink(missing_ok=True)
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.name not in LEFT_OUT)
    with ZipFile(archive, "w") as zipped:
        for path in files:
            entry = ZipInfo(f"{name}/{path.relative_to(root).as_posix()}")  # of 1980, whenever it is written
            entry.external_attr = 0o644 << 16
            zipped.writestr(entry, path.read_bytes(), ZIP_DEFLATED)
