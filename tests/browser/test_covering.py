"""The page of relation covering in a real Chromium: facts chosen by a click, and stages that need no second run."""

import pytest

from tests import HTML
from tests.browser.reading import settled

PAGE = "book/acquire/covering.html"
TURNED = """() => {
  const { live } = document.querySelector('.fim');
  return live.values()[live.spec.parameters.findIndex((parameter) => parameter.name === 'turned')];
}"""
KEPT = "() => document.querySelector('.fim').live.run.kept"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


def test_a_click_on_a_fact_fine_tunes_it_and_a_second_one_takes_it_back(stand_at):
    page = stand_at(PAGE)
    settled(page)
    first = page.locator(".fim-tiles button").nth(0)
    before = first.get_attribute("aria-pressed")
    shown = page.locator(".fim-caption").inner_text()
    first.click()
    settled(page)
    assert page.evaluate(TURNED) == 1
    assert first.get_attribute("aria-pressed") != before
    assert page.locator(".fim-caption").inner_text() != shown
    assert page.evaluate(KEPT) == 3  # pre-training was not run again
    first.press("Enter")
    settled(page)
    assert page.evaluate(TURNED) == 0
    assert first.get_attribute("aria-pressed") == before
    assert page.locator(".fim-caption").inner_text() == shown
