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
from book.publish.chromium import launched
from tests import DESKTOP, HTML
from tests.package import Installed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request

pytest_plugins = ["tests.changed", "tests.notebooks"]
LOCAL_HOSTS = ("localhost", "127.0.0.1", None)
TIMEOUT = 60_000
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
    """The address of a folder that is served on a free port of localhost."""
    handler = functools.partial(QuietHandler, directory=str(folder), policy=policy)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., str]]:
    """Serves a folder on localhost until the session ends; returns its address."""
    with ExitStack() as stack:
        yield functools.cache(lambda *how: stack.enter_context(serving(*how)))


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The package, built and installed as others have it."""
    return Installed(tmp_path_factory.mktemp("package"))


@pytest.fixture
def home(serve: Callable[..., str]) -> str:
    """The address of the built book on localhost, served with its policy: a page that breaks it logs an error."""
    from widgets.site.policy import (
        POLICY,  # brings torch, which the process that deals tests out can do without
    )

    return serve(HTML, POLICY)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of the session."""
    with launched() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def page_errors() -> list[str]:
    """Errors that pages logged, and requests to other hosts, which Chromium itself refuses to find."""
    return []


@pytest.fixture
def complaints(page_errors: list[str]) -> Iterator[list[str]]:
    """The page errors of this test, which fails if any is left at its end."""
    page_errors.clear()
    yield page_errors
    assert page_errors == []


def watched_page(browser: Browser, page_errors: list[str], **settings: object) -> Page:
    """A page of its own whose errors are recorded; keywords are Playwright's, such as ``viewport``.

    Its reader wants no motion, unless a keyword says so: a card is then at its moment as soon as its run is done.
    """

    def check_host(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https") and address.hostname not in LOCAL_HOSTS:
            page_errors.append(f"request to {request.url}")

    def check_log(message: ConsoleMessage) -> None:
        text = f"{message.text} {message.location.get('url')}"
        if message.type == "error" and not ("file://" in text and THEME_FONTS in text):
            page_errors.append(f"console: {text}")

    context = browser.new_context(**{"reduced_motion": "reduce"} | settings)  # type: ignore[arg-type]
    context.set_default_timeout(TIMEOUT)
    context.on("request", check_host)
    page = context.new_page()
    page.on("console", check_log)
    page.on("pageerror", lambda error: page_errors.append(f"exception: {error}"))
    return page


@pytest.fixture(scope="session")
def last_page() -> dict[str, Page]:
    """The page that the last test left, by its settings: opening an address in it takes half the time of a new one."""
    return {}


@pytest.fixture
def open_page(
    browser: Browser, complaints: list[str], last_page: dict[str, Page]
) -> Iterator[Callable[..., Page]]:
    """Opens an address in a :func:`watched_page`, which is left when the test ends."""
    opened: list[tuple[str, Page]] = []

    def open_(url: str, **settings: Any) -> Page:
        page = last_page.pop(repr(settings), None)
        while last_page:
            last_page.popitem()[1].context.close()  # each is a process
        if page and "viewport" in settings:
            page.set_viewport_size(settings["viewport"])  # the last test may have changed it
        page = page or watched_page(browser, complaints, **settings)
        opened.append((repr(settings), page))
        page.goto(url)
        return page

    yield open_
    for settings, page in opened:
        if last_page or page.is_closed():
            page.context.close()
        else:
            page.evaluate("try { localStorage.clear() } catch { /* a page that has none */ }")
            page.goto("about:blank")
            page.unroute_all()
            page.emulate_media(media="null")  # a test may have looked at its print
            page.request_gc()
            last_page[settings] = page


@pytest.fixture(scope="module")
def visited() -> Iterator[dict[str, Page]]:
    """The page of :func:`visit`, by its address and settings."""
    pages: dict[str, Page] = {}
    yield pages
    for page in pages.values():
        page.context.close()


@pytest.fixture
def visit(
    browser: Browser, complaints: list[str], home: str, visited: dict[str, Page]
) -> Callable[..., Page]:
    """Opens a page of the book in a :func:`watched_page`; the module's next test of it goes on where this one ends."""

    def visit_(path: str, **settings: Any) -> Page:
        key = f"{path} {settings}"
        if key not in visited:
            while visited:
                visited.popitem()[1].context.close()
            visited[key] = watched_page(browser, complaints, **settings)
            visited[key].goto(f"{home}/{path}")
        return visited[key]

    return visit_


RESET = """() => {
  for (const button of document.querySelectorAll('.fim-closer[aria-expanded="true"]')) button.click();
  for (const { live } of document.querySelectorAll('.fim')) live.set(live.defaults());
}"""
"""Presses each figure's reset button, and shows of its scene what a reader finds."""
LEFT_OPEN = """() => Boolean(document.querySelector('.fim-story:not([data-card=""]), .fim-predict[open]'))"""
"""Whether a page is at a card, or has its question open."""


@pytest.fixture(scope="session")
def shared_page(browser: Browser, page_errors: list[str]) -> Page:
    """The page of :func:`stand_at`."""
    return watched_page(browser, page_errors, viewport=DESKTOP)


@pytest.fixture
def stand_at(shared_page: Page, complaints: list[str]) -> Callable[[str], Page]:
    """Opens a page of the book as a file; tests of one page share it, and it is reset for each but the first.

    It is opened anew where a test has left it at a card or with a question open.
    """

    def stand(path: str) -> Page:
        address = f"{HTML.as_uri()}/{path}"
        if shared_page.url.partition("#")[0] != address or shared_page.evaluate(LEFT_OPEN):
            shared_page.goto("about:blank")
            shared_page.goto(address)
            shared_page.request_gc()  # what the page before it has left
        else:
            shared_page.evaluate(RESET)
        return shared_page

    return stand


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A blank watched page."""
    return open_page("about:blank")
