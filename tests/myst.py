"""``python -m tests.myst``: what the book loses as MyST, from which Jupyter Book 2 builds.

mystmd converts a copy's table of contents and reads every page of it; no template is fetched and nothing is drawn.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from book.ledger.boxes import ROOT
from book.ledger.registry import pages
from widgets import node

MYSTMD = "mystmd@1.8.3"
TEMPLATE = {"title": "none", "version": "1.0.0", "kind": "site", "myst": "v1", "build": {"start": "none"}}
"""What a site cannot be read without: a template, but of nothing."""
LINE = re.compile(r"^\W+(?P<where>(?:book|myst)\S+) (?P<complaint>.+)$", re.MULTILINE)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
WIDGET = "application/vnd.jupyter.widget-view+json"


class Reading(NamedTuple):
    """The pages that mystmd has read, how many widgets they show, and its complaints with how often each comes."""

    pages: list[str]
    widgets: int
    complaints: Counter[str]


def read(root: Path, folder: Path) -> Reading:
    """Convert a copy of a book in an empty folder.

    Raises:
        RuntimeError: mystmd cannot be had or fails; the message ends with what it said.
    """
    shutil.copytree(
        root / "book", folder / "book", ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    )
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(root / name, folder)
    said = _myst(folder, "init")  # ends with asking for a template, which is elsewhere
    if not (folder / "myst.yml").exists():
        raise RuntimeError(f"mystmd reads nothing: {said[-1000:]}")
    template = folder / "none"
    template.mkdir()
    (template / "template.yml").write_text(yaml.safe_dump(TEMPLATE))
    project = yaml.safe_load((folder / "myst.yml").read_text())
    project["site"]["template"] = "./none"
    (folder / "myst.yml").write_text(yaml.safe_dump(project, allow_unicode=True))
    said = _myst(folder, "build", "--site", "--ci")
    content = [json.loads(path.read_text()) for path in (folder / "_build/site/content").glob("*.json")]
    if not content:
        raise RuntimeError(f"mystmd reads nothing: {said[-1000:]}")
    complaints = Counter(re.sub(r'"[^"]*"', "…", line["complaint"]) for line in LINE.finditer(said))
    pages = sorted(Path(page["location"].lstrip("/")).with_suffix("").as_posix() for page in content)
    return Reading(pages, sum(WIDGET in keys for page in content for keys in _keys(page)), complaints)


def _myst(folder: Path, *arguments: str) -> str:
    """What mystmd says; to what it asks it is told yes."""
    command = [*node.npm(), "exec", "--yes", f"--package={MYSTMD}", "--", "myst", *arguments]
    done = subprocess.run(
        command, cwd=folder, input="y\n" * 9, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return COLOURS.sub("", done.stdout)


def _keys(node: Any) -> Iterator[list[str]]:
    """The names of every object's fields."""
    if isinstance(node, dict):
        yield list(node)
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _keys(child)


def main() -> int:
    """Say what is lost; 1 if a page is."""
    with tempfile.TemporaryDirectory() as folder:
        reading = read(ROOT, Path(folder))
    lost = [page for page in pages() if page not in reading.pages]
    print(f"{MYSTMD} reads {len(reading.pages)} pages; it leaves out {', '.join(lost) or 'none'}.")
    print(
        f"{reading.widgets:4} widgets live only with a kernel; widgets.export makes a figure live for MyST's anywidget."
    )
    for complaint, count in reading.complaints.most_common():
        print(f"{count:4} × {complaint}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
