"""Lines of code by room: ``python -m tests.rooms`` prints them beside those of the last release.

``--write`` stores today's as those of the release, in ``rooms.json``.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from tests import ROOT

STORED = ROOT / "tests" / "rooms.json"
TOPS = ("lib", "widgets", "book", "tests")
SUFFIXES = (".py", ".js", ".mjs")
MADE = ("node_modules", "dist", "__pycache__")
"""Folders of what is built or installed."""


def lines_by_room(root: Path = ROOT) -> dict[str, int]:
    """Lines of Python and JavaScript by room: a folder of two words, "book/recall", or a top folder's own files."""
    lines = Counter[str]()
    for top in TOPS:
        for path in (root / top).rglob("*"):
            parts = path.relative_to(root).parts
            if path.suffix in SUFFIXES and not set(MADE) & set(parts):
                lines["/".join(parts[:2] if len(parts) > 2 else parts[:1])] += _count(path)
    return dict(sorted(lines.items()))


def _count(path: Path) -> int:
    return len(path.read_text().splitlines())


def table(before: dict[str, int], now: dict[str, int]) -> str:
    """A line for each room: its lines at the last release, its lines now, and the difference; then the sums."""
    rooms = sorted({*before, *now})
    rows = [(room, before.get(room, 0), now.get(room, 0)) for room in rooms]
    rows.append(("in all", sum(before.values()), sum(now.values())))
    return "\n".join(f"{room:<20} {old:7,} {new:7,} {new - old:+7,}" for room, old, new in rows)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.rooms", description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store today's lines as those of the release")
    if parser.parse_args().write:
        STORED.write_text(json.dumps(lines_by_room(), indent=1) + "\n")
    print(table(json.loads(STORED.read_text()), lines_by_room()))


if __name__ == "__main__":
    main()
