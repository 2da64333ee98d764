"""Nothing that a reader types, taps or pastes, or that an address has, breaks a page."""

import pytest

from tests import DESKTOP, HTML, PHONE
from tests.browser.book import live_pages
from tests.browser.hands import WALK
from tests.browser.reading import settled

SADDLE = "book/recall/saddle.html"
COVERING = "book/acquire/covering.html"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@pytest.mark.parametrize("path", live_pages())
def test_whatever_is_no_value_of_a_control_is_refused_and_the_run_stays(stand_at, path):
    page = stand_at(path)
    settled(page)
    cases = page.evaluate(WALK, [0, False])
    assert [case for case in cases if case["faults"]] == []
    assert len(cases) >= 10
    page.evaluate("() => new Promise((done) => setTimeout(done, 260))")  # until the address has followed
    assert page.evaluate("location.hash") in ("", "#~", "#~&")


def test_a_page_that_is_opened_at_no_value_shows_its_opening_run(open_page, home):
    page = open_page(f"{home}/{COVERING}#~reach=12&multiplicity=3")
    line = page.locator(".fim-error")
    line.wait_for()
    assert line.inner_text() == "Phrases to cover: 0 to 10, please."
    assert page.locator(".fim .fim-scene svg").count()
    assert "{" not in page.locator(".fim-live").inner_text()
    settled(page)
    assert page.evaluate("location.hash") == "#~multiplicity=3"
    field = page.locator(".url-reach .ctl-readout")
    assert (field.input_value(), field.get_attribute("aria-invalid")) == ("12", "true")
    field.fill("9")
    field.press("Enter")
    assert line.is_hidden()
    settled(page)
    page.wait_for_function("() => location.hash === '#~reach=9&multiplicity=3'")


@pytest.mark.parametrize(
    "setting", [{"viewport": DESKTOP}, {"viewport": PHONE, "has_touch": True, "is_mobile": True}]
)
def test_a_second_tap_on_train_is_pause_wherever_the_first_one_was(open_page, home, setting):
    page = open_page(f"{home}/{SADDLE}", **setting)
    train = page.locator(".fim-train")
    train.wait_for()
    page.wait_for_function("() => document.querySelector('.fim').dataset.state === 'done'")
    train.scroll_into_view_if_needed()
    box = train.bounding_box()
    x, y = box["x"] + box["width"] - 4, box["y"] + box["height"] - 4
    tap = page.touchscreen.tap if "has_touch" in setting else page.mouse.click
    tap(x, y)
    page.wait_for_function("() => document.querySelector('.fim').live.scene.share > 0")
    tap(x, y)
    assert page.evaluate(PLAYER) == "▶ play"
    share = page.evaluate(SHARE)
    page.wait_for_timeout(200)
    assert page.evaluate(SHARE) == share < 1


PLAYER = "document.querySelector('.fim-time > button').textContent"
SHARE = "document.querySelector('.fim').live.scene.share"


def test_train_waits_for_a_run_that_is_not_finished_and_a_moved_slider_stops_the_play(open_page, home):
    page = open_page(f"{home}/{COVERING}")
    page.locator(".fim-train").click()  # as a rule before its run is finished
    assert page.evaluate(PLAYER) == "❚❚ pause"
    page.wait_for_function(f"() => ({SHARE}) < 1 && !document.querySelector('.fim-train')")
    assert page.evaluate(PLAYER) == "❚❚ pause"
    page.locator(".fim-front input[type=range]").first.press("ArrowLeft")
    assert page.evaluate(PLAYER) == "▶ play"
    settled(page)
    assert (page.evaluate(PLAYER), page.evaluate(SHARE)) == ("▶ play", 1)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_without_scripts_one_line_says_what_is_missing_and_letters_are_large_enough(
    open_page, home, viewport
):
    page = open_page(f"{home}/{SADDLE}", viewport=viewport, java_script_enabled=False)
    line = page.locator(".ctl-no-script")
    assert line.is_visible()
    assert line.inner_text().startswith("JavaScript is off in this browser")
    assert page.evaluate(SMALLEST) >= 11
    assert page.evaluate("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth") <= 1


SMALLEST = """() => Math.min(...[...document.querySelectorAll(':is(.ctl-still, .fim-step) svg text')]
  .filter((text) => text.textContent.trim() && text.getBoundingClientRect().width).map((text) => {
    const { a, b } = text.getScreenCTM();
    return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
  }))"""
"""Pixels of the smallest letters of the drawings."""


def test_what_a_card_dims_can_be_read_in_the_dark(open_page, home):
    page = open_page(f"{home}/{SADDLE}", viewport=DESKTOP, color_scheme="dark")
    settled(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    for _ in range(page.locator(".fim-card-titles li:not(.fim-before)").count()):
        page.get_by_role("button", name="the next card").click()
        settled(page)
        page.wait_for_timeout(350)  # until it has dimmed
        assert page.evaluate(CONTRASTS) == []


CONTRASTS = """() => {
  const light = ([r, g, b]) => [r, g, b].map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const paper = numbers(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll('.fim-dim text')].filter((text) => text.textContent.trim()).flatMap((text) => {
    const opacity = Number(getComputedStyle(text.closest('.fim-dim')).opacity);
    const ink = numbers(getComputedStyle(text).fill);
    const seen = ink.slice(0, 3).map((one, i) => opacity * one + (1 - opacity) * paper[i]);
    const contrast = (light(seen) + 0.05) / (light(paper) + 0.05);
    return contrast < 3 ? [`${text.textContent}: ${contrast.toFixed(2)}`] : [];
  });
}"""
"""Words in what is dimmed whose contrast with the paper is below 3."""
