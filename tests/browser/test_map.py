"""The maps of the built book: every figure has one, with a worker, without, and after one has died."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests import DESKTOP, HTML
from tests.browser.book import judging_pages
from tests.conftest import TIMEOUT

pytestmark = pytest.mark.browser

PAGE = "book/recall/saddle.html"
MAP = "#~view=map"
BEGUN = "/could be judged|the hypotheses hold/.test(document.querySelector('.fim-map-summary')?.textContent)"
DONE = '.fim-map-cells[data-state="done"]'
FILLED = ".fim-map-cells[data-state]"
"""Coarsely, at least: where the finest cells would take long, the reader is asked first."""
LINE = ".fim-map-summary"
ASKS = ".fim-map > button:not([hidden])"
"""The map waits until its reader asks for finer cells."""


@pytest.fixture
def at_map(serve: Any, open_page: Any) -> Any:
    """Opens a page at its map."""
    address = serve(HTML)

    def open_(path: str, root: str = "", **settings: Any) -> Any:
        page = open_page(f"{root or address}/{path}{MAP}", viewport=DESKTOP, **settings)
        page.wait_for_function(BEGUN)
        return page

    return open_


@pytest.mark.parametrize("path", judging_pages())
def test_every_map_begins_to_fill_and_says_what_it_shows(at_map, path):
    page = at_map(path)
    assert "NaN" not in page.locator(".fim-map").first.inner_html()


def test_a_map_opens_with_its_coarsest_cells_and_says_where_they_come_from(at_map):
    page = at_map("book/acquire/covering.html")
    page.wait_for_selector(FILLED)
    assert "were run when this page was built" in page.locator(".fim-map-source").text_content()
    cells = re.findall(r"coarsest (\d+) cells", page.locator(".fim-map-source").text_content())
    assert cells == [str(page.evaluate("document.querySelector('.fim').live.spec.map.stored.sides.length"))]


def test_a_map_is_the_same_from_a_disk_without_a_worker(at_map):
    served = at_map(PAGE)
    served.wait_for_selector(DONE)
    assert len(served.workers) == 1
    alone = at_map(PAGE, root=HTML.as_uri())
    alone.wait_for_selector(DONE)
    assert not alone.workers
    assert served.locator(LINE).text_content() == alone.locator(LINE).text_content()


def test_a_worker_that_dies_is_told_in_a_sentence_and_done_without(serve, open_page):
    page = open_page("about:blank", viewport=DESKTOP)
    page.route("**/trials.js", lambda route: route.fulfill(body="throw new Error('dead')"))
    page.goto(f"{serve(HTML)}/{PAGE}{MAP}")
    page.wait_for_function(BEGUN)
    page.get_by_text("has stopped; the page makes them itself, more slowly.").wait_for()


def test_what_the_map_hides_is_not_drawn_again(at_map):
    page = at_map(PAGE)
    run, map_ = page.get_by_role("tab").first, page.get_by_role("tab").last
    run.click()
    page.evaluate(TWO_FRAMES)
    shown = page.evaluate(WIDTHS)
    map_.click()
    page.evaluate(TWO_FRAMES)
    assert shown
    assert page.evaluate(WIDTHS) == shown


WIDTHS = """[...document.querySelectorAll('.fim-scene .fim-drawing > svg[width]')]
  .map((svg) => svg.getAttribute('width'))"""
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def test_a_search_that_finds_nothing_stands_beside_the_books_own(at_map):
    page = at_map(PAGE)
    page.get_by_role("button", name="search for a counterexample").click()
    said = page.locator(".fim-search p")
    page.wait_for_function(
        "/nothing found in [1-9]/.test(document.querySelector('.fim-search p').textContent)"
    )
    page.get_by_role("button", name="stop the search").click()
    assert re.search(
        r"The book’s own search: holds at \d+ of \d+ randomly drawn settings", said.text_content()
    )


def test_map_and_search_share_one_worker(at_map):
    page = at_map(PAGE)
    page.get_by_text("search for a counterexample").click()
    page.wait_for_function("/[1-9]\\d* settings/.test(document.querySelector('.fim-search p').textContent)")
    page.wait_for_selector(FILLED)
    assert len(page.workers) == 1


@pytest.mark.parametrize("served", [True, False], ids=["with a worker", "from a disk"])
def test_a_map_rests_while_nobody_looks_and_then_goes_on(serve, open_page, served):
    page = open_page("about:blank", viewport=DESKTOP)
    page.add_init_script(CLOCK)
    page.goto(f"{serve(HTML) if served else HTML.as_uri()}/{PAGE}{MAP}")
    page.wait_for_function(BEGUN)
    hide(page, True)
    before = None
    while before != (before := page.locator(LINE).text_content()):  # the runs under way end
        page.wait_for_timeout(1500)
    assert not page.locator(DONE).count()
    page.evaluate("away = 60_000")
    hide(page, False)
    page.wait_for_selector(f"{DONE}, {ASKS}", timeout=3 * TIMEOUT)
    assert not page.locator(ASKS).count()
    page.close()


CLOCK = """
const now = performance.now.bind(performance);
globalThis.away = 0;
performance.now = () => now() / 10 + globalThis.away;
"""
"""A run seems short however slow the machine, so the map goes on unasked; and its page can be away for a minute."""


def hide(page, hidden):
    """Let the page believe that it is hidden, or seen again."""
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )
