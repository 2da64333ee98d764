"""How far a reader scrolls: on a phone to the scene and on to the statement, on a laptop to the exercises."""

import pytest

from tests import HTML, LAPTOP, PHONE
from tests.browser.book import todays_live_pages
from tests.browser.reading import SETTLED, settled

MOST_SCREENS = 8
LINES = 3
FURTHEST = 700
"""Pixels on a phone from the scene's end to the top of the statement's box."""
LONGEST_ERRATA = 6200
"""Pixels of the page of errata on a phone."""
FURTHEST_AT_THE_END = 850
"""Once its sentences have grown to those of a finished run."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]

DISTANCE = """() => {
  const end = document.querySelector('.fim-scene').getBoundingClientRect().bottom;
  const boxes = [...document.querySelectorAll('.bd-article .proof')].map((box) => box.getBoundingClientRect().top);
  return boxes.find((top) => top > end) - end;
}"""
EXERCISES = """() => {
  const headings = [...document.querySelectorAll('.bd-article h2')];
  const exercises = headings.find(({ textContent }) => textContent.startsWith('Exercise'));
  const place = (exercises ?? document.querySelector('.bd-article')).getBoundingClientRect();
  return ((exercises ? place.top : place.bottom) + scrollY) / innerHeight;
}"""

LEDE = """() => {
  const figure = document.querySelector('.fim-live').getBoundingClientRect().top;
  return [...document.querySelectorAll('.bd-article section > p')]
    .filter((text) => text.getBoundingClientRect().top < figure)
    .reduce((lines, text) => lines + Math.round(text.offsetHeight / parseFloat(getComputedStyle(text).lineHeight)), 0);
}"""
"""So many lines of text stand between a page's title and its figure."""


def states_something(path: str) -> bool:
    """Whether the page has the box of a statement."""
    return 'class="proof ' in (HTML / path).read_text()


@pytest.mark.parametrize("path", todays_live_pages())
def test_on_a_phone_three_lines_stand_above_the_scene_and_the_statement_follows(open_page, home, path):
    page = open_page(f"{home}/{path}", viewport=PHONE, has_touch=True, is_mobile=True)
    page.wait_for_function(SETTLED)  # it waits at its start
    if (
        path != "book/together/outside.html" and page.locator(".fim-scene").count() == 1
    ):  # it begins with its table
        assert page.evaluate(LEDE) <= LINES
    if states_something(path):
        assert page.evaluate(DISTANCE) <= FURTHEST
        settled(page)
        assert page.evaluate(DISTANCE) <= FURTHEST_AT_THE_END


@pytest.mark.parametrize("path", todays_live_pages())
def test_a_page_is_eight_screens_of_a_laptop_until_its_exercises(open_page, home, path):
    page = open_page(f"{home}/{path}", viewport=LAPTOP)
    settled(page)
    assert page.evaluate(EXERCISES) <= MOST_SCREENS


def test_who_comes_to_a_folded_statement_finds_it_open(open_page, home):
    page = open_page(f"{home}/book/recall/saddle.html#recall.lemma-5")
    settled(page)
    box = page.locator(".proof.lemma").first
    assert box.locator("p.verdict").is_visible()
    other = page.locator(".proof.lemma").nth(1)
    assert other.locator("p.verdict").is_hidden()
    other.locator("summary").click()
    assert other.locator("p.verdict").is_visible()


def test_on_a_phone_the_errata_are_half_as_long_as_with_all_formulas(open_page, home):
    page = open_page(f"{home}/book/errata.html", viewport=PHONE, has_touch=True, is_mobile=True)
    height = "document.documentElement.scrollHeight"
    closed = page.evaluate(height)
    assert page.locator("details.erratum .formulas").first.is_hidden()
    page.locator("details.erratum > summary").first.click()
    assert page.locator("details.erratum .formulas").first.is_visible()
    page.evaluate("document.querySelectorAll('details.erratum').forEach((fold) => { fold.open = true; })")
    assert closed < page.evaluate(height) / 2
    assert closed <= LONGEST_ERRATA
