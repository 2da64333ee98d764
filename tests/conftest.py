"""A browser for the tests that need one, and pages that may neither complain nor reach for the network."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.chromium import ARGUMENTS, find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Route

HERE = ("localhost", "127.0.0.1", None)
PATIENCE = 60_000
"""Milliseconds until a page counts as stuck, however slow the machine: speed is a matter of benchmarks."""
THEME_FONTS = "/_static/vendor/fontawesome/"  # preloaded by the theme, which browsers refuse over file://


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; browsers ask for an icon that no page names."""

    def log_message(self, *_arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A folder on a free port of localhost, by its address."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Path], str]]:
    """Folders on localhost, until the session ends."""
    with ExitStack() as stack:
        yield lambda folder: stack.enter_context(serving(folder))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of the session."""
    path = find_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What pages logged as errors and which hosts they asked for: the test fails if any is left at its end."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def open_page(browser: Browser, complaints: list[str]) -> Iterator[Callable[..., Page]]:
    """Opens an address in a watched page of its own; keywords are Playwright's, such as ``viewport``."""

    def refuse_others(route: Route) -> None:
        url = urlsplit(route.request.url)
        if url.scheme in ("http", "https") and url.hostname not in HERE:
            complaints.append(f"request to {route.request.url}")
            route.abort()
        else:
            route.continue_()

    def hear(message: ConsoleMessage) -> None:
        about = f"{message.text} {message.location.get('url')}"
        if message.type == "error" and not ("file://" in about and THEME_FONTS in about):
            complaints.append(f"console: {about}")

    with ExitStack() as stack:

        def open_(url: str, **settings: object) -> Page:
            context = browser.new_context(**settings)  # type: ignore[arg-type]
            stack.callback(context.close)
            context.set_default_timeout(PATIENCE)
            context.route("**/*", refuse_others)
            page = context.new_page()
            page.on("console", hear)
            page.on("pageerror", lambda error: complaints.append(f"exception: {error}"))
            page.goto(url)
            return page

        yield open_


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A blank watched page."""
    return open_page("about:blank")
