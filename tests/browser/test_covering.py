"""The page of relation covering in a real Chromium: facts chosen by hand, and stages that need no second run."""

import pytest

from tests import HTML
from tests.browser.reading import settled

PAGE = "book/acquire/covering.html"
TURNED = """() => {
  const { live } = document.querySelector('.fim');
  return live.values()[live.spec.parameters.findIndex((parameter) => parameter.name === 'turned')];
}"""
KEPT = "() => document.querySelector('.fim').live.run.reusedStages"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


def test_a_reader_asks_about_another_fact_and_fine_tunes_it_or_not(stand_at):
    page = stand_at(PAGE)
    settled(page)
    title, offer = (
        page.locator(".fim-column:last-child .fim-title"),
        page.locator(".fim-column:last-child button"),
    )
    assert title.inner_text() == "Alice’s birthplace?"
    assert offer.is_hidden()  # a rare fact is never fine-tuned
    page.locator(".fim-scene .fim-hand").press("ArrowUp")  # the last of the fine-tuned ones
    assert "Alice" not in title.inner_text()
    before, shown = offer.inner_text(), page.locator(".fim-caption").inner_text()
    assert before.startswith("do not fine-tune")
    offer.click()
    settled(page)
    assert page.evaluate(TURNED) > 0
    assert offer.inner_text() == before.removeprefix("do not ")
    assert page.locator(".fim-caption").inner_text() != shown
    assert page.evaluate(KEPT) == 3  # pre-training was not run again
    offer.press("Enter")
    settled(page)
    assert page.evaluate(TURNED) == 0
    assert offer.inner_text() == before
    assert page.locator(".fim-caption").inner_text() == shown
