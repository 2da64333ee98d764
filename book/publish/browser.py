"""The built book in a Chromium of its own: for films, and for guides on paper."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from book.errors import BadInput
from book.ledger.boxes import ROOT
from book.optional import require_optional
from book.publish.chromium import launched

BUILT = ROOT / "_build" / "html"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and says nothing of it."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def opened_book(by: str, **settings: Any) -> Iterator[tuple[Any, str]]:
    """A page of Playwright's, and the address at which the built book is served to it.

    Args:
        by: who needs it, as errors say it.
        settings: Playwright's, such as ``viewport``.

    Raises:
        BadInput: the book is not built, or there is no Chromium.
        MissingExtra: Playwright is not installed.
    """
    if not (BUILT / "index.html").exists():
        raise BadInput(f"{BUILT}: the book is not built: make book")
    require_optional("playwright.sync_api", "test", by)
    handler = functools.partial(Quiet, directory=str(BUILT))
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(launched())
        except FileNotFoundError as error:
            raise BadInput(f"{by}: {error}") from error
        server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield browser.new_page(**settings), f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def wanted_pages(names: list[str], known: list[str]) -> list[str]:
    """The pages of these names, without ``book/``; all that are known if none is named.

    Raises:
        BadInput: a name is none of those.
    """
    for name in names:
        if name not in known:
            raise BadInput(f"{name}: must be one of {', '.join(known)}")
    return names or known


def folder(name: str) -> Path:
    """A folder for what is made of the built book."""
    path = ROOT / "_build" / name
    path.mkdir(parents=True, exist_ok=True)
    return path
