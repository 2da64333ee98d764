"""``python -m book serve``: a built book on localhost, built again whenever a file changes.

A page that is open shows the change by itself: it asks for the next build, in a script that only this server adds.
Builds fork from a process that has imported Sphinx and torch, so that one word takes a few seconds.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from book.ledger.boxes import ROOT

WATCHED = ("book", "lib", "widgets")
LEFT_OUT = {"__pycache__", "node_modules", "dist", ".ipynb_checkpoints"}
FILES = ("_config.yml", "_toc.yml")
PAUSE = 0.3
"""Seconds between two looks at the files."""
LONGEST_WAIT = 20.0
"""Seconds after which a page asks again."""
PRELOADED = (
    *("jupyter_book.cli.main", "jupyter_book.sphinx", "myst_nb.sphinx_", "sphinx_book_theme", "sphinx_proof"),
    *("sphinx.ext.mathjax", "sphinx_exercise", "sphinxext.rediraffe", "jupyter_cache", "nbclient"),
    *("anywidget", "ipywidgets", "matplotlib", "pandas", "torch", "torch.fx.experimental.proxy_tensor"),
)
"""What builds import of others: the book's own code is that of today."""
NEXT_BUILD = "/next-build?after="
SCRIPT = f"""<script>{{
  const wait = () => fetch("{NEXT_BUILD}BUILT")
    .then((answer) => answer.text())
    .then((built) => (built ? location.reload() : wait()), () => setTimeout(wait, 1000));
  addEventListener("load", () => setTimeout(wait));
}}</script>"""
"""In each page: it shows the page anew once the book is built again."""


class Builds:
    """How many builds there were, for who waits for the next one."""

    def __init__(self) -> None:
        self.count = 0
        self.changed = threading.Condition()

    def add(self) -> None:
        """Count another build, and tell who waits for it."""
        with self.changed:
            self.count += 1
            self.changed.notify_all()

    def later_than(self, count: int) -> bool:
        """Whether there is a build after the first ``count``; waits for it for a while."""
        with self.changed:
            return self.changed.wait_for(lambda: self.count > count, LONGEST_WAIT)


class Handler(SimpleHTTPRequestHandler):
    """Serves the site; its pages wait for the next build."""

    def __init__(self, builds: Builds, *arguments: Any, **keywords: Any) -> None:
        self.builds = builds
        super().__init__(*arguments, **keywords)

    def do_GET(self) -> None:
        """Answer who waits for the next build, or asks for a page or another file."""
        page = Path(self.translate_path(self.path))
        if page.is_dir() and self.path.endswith("/"):
            page /= "index.html"
        if self.path.startswith(NEXT_BUILD):
            later = self.builds.later_than(int(self.path.removeprefix(NEXT_BUILD)))
            self._send("built" if later else "", "text/plain")
        elif page.suffix == ".html" and page.is_file():
            script = SCRIPT.replace("BUILT", str(self.builds.count))
            self._send(
                page.read_text(encoding="utf-8").replace("</head>", f"{script}</head>", 1), "text/html"
            )
        else:
            super().do_GET()

    def _send(self, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """Have browsers ask for each file again: it may have changed."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: the builds say what is of interest."""


def files() -> Iterator[Path]:
    """The files from which the book is built."""
    yield from (ROOT / name for name in FILES)
    for room in WATCHED:
        for folder, folders, names in os.walk(ROOT / room):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            yield from (Path(folder, name) for name in names if not name.startswith("."))


def times() -> dict[Path, int]:
    """When each file was last changed."""
    return {path: path.stat().st_mtime_ns for path in files() if path.exists()}


def rebuild(build: Callable[[], int]) -> bool:
    """Build the book in a process that has today's code; whether all went well."""
    process = multiprocessing.get_context("fork").Process(target=lambda: sys.exit(build()))
    begun = time.perf_counter()
    process.start()
    process.join()
    seconds = time.perf_counter() - begun
    print(f"{'built' if process.exitcode == 0 else 'not built'} in {seconds:.1f} s", flush=True)
    return process.exitcode == 0


def watch(builds: Builds, build: Callable[[], int], seen: dict[Path, int]) -> None:
    """Build again whenever a file has another time than it was seen to have; never returns."""
    while True:
        time.sleep(PAUSE)
        now = times()
        if now != seen:
            changed = sorted(path for path in now.keys() | seen.keys() if now.get(path) != seen.get(path))
            print(", ".join(str(path.relative_to(ROOT)) for path in changed[:3]), flush=True)
            seen = now
            if rebuild(build):
                builds.add()


def main(port: int, site: Path, build: Callable[[], int]) -> int:
    """Serve a site, and build it whenever a file changes, until interrupted.

    Args:
        port: on localhost; 0 for any that is free.
        site: the folder of the built book.
        build: builds it, and returns 0 if all went well; what it imports of this project, it imports when called.
    """
    for name in PRELOADED:
        importlib.import_module(name)
    builds, seen = Builds(), times()
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, builds, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(
        f"The book is at http://127.0.0.1:{server.server_port}/index.html, and follows your changes.",
        flush=True,
    )
    try:
        watch(builds, build, seen)
    except KeyboardInterrupt:
        server.shutdown()
    return 0
