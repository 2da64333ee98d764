"""What stands in a figure before it is trained: something to see, its end pale behind it, and nothing that judges."""

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


def ghosts(page) -> int:
    """How many drawings have a ghost that can be seen."""
    shown = page.locator(".fim-ghost").evaluate_all("(all) => all.map((svg) => svg.checkVisibility())")
    return sum(shown)


def at_rest(open_page, home, path, **settings):
    """A page as a reader finds it: its first run is finished, and waits."""
    page = open_page(f"{home}/{path}", **{"viewport": LAPTOP} | settings)
    page.wait_for_function(SETTLED)
    return page


def test_the_end_of_a_run_lies_pale_behind_its_start_until_it_is_played(open_page, home):
    page = at_rest(open_page, home, RACE, reduced_motion="no-preference")
    caption = page.locator(".fim-caption .fim-said")
    assert ghosts(page) == 1
    assert caption.inner_text() == "Gradient flow, step 0. Faint: where this run will end."
    paths = "(svgs) => svgs.map((svg) => [...svg.querySelectorAll('.fim-lines path')].map((p) => p.getAttribute('d')))"
    pale = page.locator(".fim-ghost").evaluate_all(paths)
    page.locator(".fim-train").click()
    page.wait_for_function("() => document.querySelector('.fim').live.scene.share > 0.2")
    assert ghosts(page) == 1
    assert "Faint" not in caption.inner_text()
    page.wait_for_function("() => document.querySelector('.fim').live.scene.share === 1")
    assert page.locator(".fim-ghost").count() == 0
    drawn = page.locator(".fim-scene .fim-panel:not(.fim-withheld) svg").evaluate_all(paths)
    assert drawn == pale, "it is the run's own end"


GO_TO = "(share) => document.querySelector('.fim').live.scene.goTo(share)"


def test_who_cannot_see_hears_of_the_moment_alone(open_page, home):
    page = at_rest(open_page, home, RACE)
    ghost = page.locator(".fim-ghost").first
    assert ghost.get_attribute("aria-hidden") == "true"
    assert ghost.get_attribute("aria-label") is None
    assert ghost.locator("text:visible").count() == 0
    drawing = page.locator(".fim-scene svg[aria-label]").nth(1)
    said = drawing.get_attribute("aria-label")
    page.evaluate(GO_TO, 1)
    assert drawing.get_attribute("aria-label") != said
    page.evaluate(GO_TO, 0)  # where no end lies behind the drawing any more
    assert page.locator(".fim-ghost").count() == 0
    assert drawing.get_attribute("aria-label") == said


def test_a_ghost_keeps_the_answer_from_who_predicts_and_from_paper(open_page, home):
    page = at_rest(open_page, home, RACE)
    question = page.locator(".fim-predict > summary")
    question.click()
    assert ghosts(page) == 0
    question.click()
    assert ghosts(page) == 1
    page.emulate_media(media="print")
    assert ghosts(page) == 0
    page.emulate_media(media="screen")
    page.evaluate("factsRuntime.paper")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".fim-ghost").count() == 0, "paper has the finished run"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert ghosts(page) == 1


def test_what_predict_first_asks_for_is_a_question_mark_until_the_run_is_played(open_page, home):
    page = at_rest(open_page, home, READING, reduced_motion="reduce")
    withheld = (
        f"() => [...document.querySelectorAll('.fim-scene .fim-panel')].filter({ASKS}).map(TITLE)".replace(
            "TITLE", "(panel) => panel.querySelector('.fim-title').textContent"
        )
    )
    assert page.evaluate(withheld) == ["How probable is each right choice?"]
    assert page.locator(".fim-withheld .fim-ghost").count() == 0 < ghosts(page)
    page.evaluate("() => document.querySelector('.fim').live.scene.goTo(1)")
    assert page.evaluate(withheld) == []


def test_a_ghost_stays_where_it_was_as_the_window_changes(open_page, home):
    page = at_rest(open_page, home, RACE)
    page.set_viewport_size({"width": 700, "height": 720})
    page.wait_for_function(
        "() => [...document.querySelectorAll('.fim-ghost')].every((ghost) =>"
        " ghost.getAttribute('viewBox') === ghost.nextElementSibling.getAttribute('viewBox')"
        " && ghost.getBoundingClientRect().width === ghost.nextElementSibling.getBoundingClientRect().width)"
    )


def test_who_comes_with_settings_or_moves_a_slider_sees_no_ghost(open_page, home):
    page = at_rest(open_page, home, f"{RACE}#~samples=200")
    assert page.locator(".fim-ghost").count() == 0
    page = at_rest(open_page, home, RACE)
    page.locator(".fim-front input[type=range]").first.press("ArrowRight")
    page.wait_for_function("() => !document.querySelector('.fim-ghost')")
