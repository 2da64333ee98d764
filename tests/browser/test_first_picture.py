"""What stands in a figure before it is trained: something to see, nothing of its end, and nothing that judges."""

import pytest

from tests import HTML, LAPTOP
from tests.browser.reading import SETTLED

RACE = "book/recognise/race.html"
READING = "book/together/reading.html"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]

ASKS = """(panel) => [...panel.querySelectorAll('.fim-drawing')]
  .some((box) => getComputedStyle(box, '::after').content === '"?"')"""
"""Whether a panel shows a question mark."""


def at_rest(open_page, home, path, **settings):
    """A page as a reader finds it: its first run is finished, and waits."""
    page = open_page(f"{home}/{path}", **{"viewport": LAPTOP} | settings)
    page.wait_for_function(SETTLED)
    return page


PATHS = "() => [...document.querySelectorAll('.fim-scene .fim-lines path')].map((path) => path.getAttribute('d') ?? '')"


def test_nothing_of_a_runs_end_is_there_until_it_is_played(open_page, home):
    page = at_rest(open_page, home, RACE)
    assert page.locator(".fim-caption .fim-said").inner_text() == "Gradient flow, step 0."
    before = page.evaluate(PATHS)
    page.locator(".fim-train").click()
    page.wait_for_function("() => document.querySelector('.fim').live.scene.share === 1")
    assert sum(map(len, before)) < sum(map(len, page.evaluate(PATHS))) / 4


GO_TO = "(share) => document.querySelector('.fim').live.scene.goTo(share)"


def test_who_cannot_see_hears_of_the_moment_alone(open_page, home):
    page = at_rest(open_page, home, RACE)
    drawing = page.locator(".fim-scene svg[aria-label]").nth(1)
    said = drawing.get_attribute("aria-label")
    page.evaluate(GO_TO, 1)
    assert drawing.get_attribute("aria-label") != said
    page.evaluate(GO_TO, 0)
    assert drawing.get_attribute("aria-label") == said


def test_what_predict_first_asks_for_is_a_question_mark_until_the_run_is_played(open_page, home):
    page = at_rest(open_page, home, READING, reduced_motion="reduce")
    withheld = (
        f"() => [...document.querySelectorAll('.fim-scene .fim-panel')].filter({ASKS}).map(TITLE)".replace(
            "TITLE", "(panel) => panel.querySelector('.fim-title').textContent"
        )
    )
    assert page.evaluate(withheld) == ["How probable is each right choice?"]
    page.evaluate("() => document.querySelector('.fim').live.scene.goTo(1)")
    assert page.evaluate(withheld) == []
