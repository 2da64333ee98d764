"""A browser for the tests that need one, and pages that may neither complain nor reach for the network."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from book.publish import warm_kernels
from tests import DESKTOP, HTML
from tests.chromium import ARGUMENTS, find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request

pytest_plugins = ["tests.changed"]
HERE = ("localhost", "127.0.0.1", None)
PATIENCE = 60_000
"""Milliseconds until a page counts as stuck, however slow the machine: speed is a matter of benchmarks."""
THEME_FONTS = "/_static/vendor/fontawesome/"  # preloaded by the theme, which browsers refuse over file://


def pytest_configure() -> None:
    warm_kernels.use()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, under a Content Security Policy if one is given; browsers ask for an icon that no page names."""

    def __init__(self, *arguments: Any, policy: str = "", **settings: Any) -> None:
        self.policy = policy
        super().__init__(*arguments, **settings)

    def end_headers(self) -> None:
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *_arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


@contextmanager
def serving(folder: Path, policy: str = "") -> Iterator[str]:
    """A folder on a free port of localhost, by its address."""
    handler = functools.partial(QuietHandler, directory=str(folder), policy=policy)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., str]]:
    """Folders on localhost, until the session ends."""
    with ExitStack() as stack:
        yield functools.cache(lambda *how: stack.enter_context(serving(*how)))


@pytest.fixture
def home(serve: Callable[..., str]) -> str:
    """The built book on localhost, served with its policy: a page that breaks it complains."""
    from widgets.site.policy import (
        POLICY,  # brings torch, which the process that deals tests out can do without
    )

    return serve(HTML, POLICY)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of the session."""
    path = find_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def heard() -> list[str]:
    """What pages logged as errors, and which other hosts they asked for: Chromium itself refuses to find them."""
    return []


@pytest.fixture
def complaints(heard: list[str]) -> Iterator[list[str]]:
    """What was heard in this test, which fails if any is left at its end."""
    heard.clear()
    yield heard
    assert heard == []


def watched(browser: Browser, heard: list[str], **settings: object) -> Page:
    """A page of its own; keywords are Playwright's, such as ``viewport``."""

    def asked(request: Request) -> None:
        asked_for = urlsplit(request.url)
        if asked_for.scheme in ("http", "https") and asked_for.hostname not in HERE:
            heard.append(f"request to {request.url}")

    def logged(message: ConsoleMessage) -> None:
        about = f"{message.text} {message.location.get('url')}"
        if message.type == "error" and not ("file://" in about and THEME_FONTS in about):
            heard.append(f"console: {about}")

    context = browser.new_context(**settings)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    context.on("request", asked)
    page = context.new_page()
    page.on("console", logged)
    page.on("pageerror", lambda error: heard.append(f"exception: {error}"))
    return page


@pytest.fixture(scope="session")
def blank() -> dict[str, Page]:
    """The page that a test left last, by its settings: opening an address in it takes half the time of a new one."""
    return {}


@pytest.fixture
def open_page(
    browser: Browser, complaints: list[str], blank: dict[str, Page]
) -> Iterator[Callable[..., Page]]:
    """Opens an address in a :func:`watched` page, which is left when the test ends."""
    opened: list[tuple[str, Page]] = []

    def open_(url: str, **settings: object) -> Page:
        page = blank.pop(repr(settings), None)
        while blank:
            blank.popitem()[1].context.close()  # each is a process
        page = page or watched(browser, complaints, **settings)
        opened.append((repr(settings), page))
        page.goto(url)
        return page

    yield open_
    for settings, page in opened:
        if blank or page.is_closed():
            page.context.close()
        else:
            page.goto("about:blank")
            page.request_gc()
            blank[settings] = page


RESET = "document.querySelectorAll('.fim').forEach(({ live }) => live.set(live.defaults()))"
"""What each figure's own button does."""


@pytest.fixture(scope="session")
def stage(browser: Browser, heard: list[str]) -> Page:
    """The page of :func:`stand_at`."""
    return watched(browser, heard, viewport=DESKTOP)


@pytest.fixture
def stand_at(stage: Page, complaints: list[str]) -> Callable[[str], Page]:
    """A page of the book, opened as a file, that several tests ask in turn: reset for each but the first."""

    def stand(path: str) -> Page:
        address = f"{HTML.as_uri()}/{path}"
        if stage.url.partition("#")[0] != address:
            stage.goto(address)
            stage.request_gc()  # what the page before it has left
        else:
            stage.evaluate(RESET)
        return stage

    return stand


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A blank watched page."""
    return open_page("about:blank")
