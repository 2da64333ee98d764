"""A phone held upright: the scene, and below it one sheet with its card, one setting at a time, and the run's time."""

import pytest

from tests import HTML, LAPTOP, PHONE
from tests.browser.book import WITH_A_TABLE_FIRST, live_pages
from tests.browser.reading import SETTLED, settled

SADDLE = "book/recall/saddle.html"
MLP = "book/acquire/mlp.html"
SMALL = {"width": 360, "height": 640}
LANDSCAPE = {"width": 740, "height": 360}
LINES = 3
"""Most lines of text between a page's title and its figure."""
FURTHEST = 700
"""Pixels from the scene's end to the top of the statement's box."""
FURTHEST_AT_THE_END = 850
"""Once its sentences have grown to those of a finished run."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@pytest.fixture
def phone(open_page, home):
    """Opens a page on a phone; its run is done, and its figure still at the start."""

    def at(path, **how):
        page = open_page(f"{home}/{path}", **{"viewport": PHONE, "has_touch": True, "is_mobile": True} | how)
        page.wait_for_function(SETTLED)
        return page

    return at


@pytest.fixture
def lasting_phone(visit):
    """The same page for both tests of it, the second where the first has left it."""

    def at(path):
        page = visit(path, viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce")
        page.wait_for_function(SETTLED)
        return page

    return at


def trained(page):
    settled(page)
    page.locator(".fim-story-bar").first.wait_for()
    return page


def turn(page):
    page.get_by_role("button", name="the next card").first.tap()
    page.wait_for_function(SETTLED)
    page.wait_for_function(STILL)


STILL = """async () => {
  const frame = () => new Promise(requestAnimationFrame), before = scrollY;
  for (let i = 0; i < 4; i += 1) await frame();
  return scrollY === before;
}"""

HIDDEN = """(fim) => {
  const { scene, story, spec } = fim.live;
  const seen = (node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return height > 0 && [0.03, 0.5, 0.97].every((x) => [0.03, 0.5, 0.97].every((y) => {
      const hit = document.elementFromPoint(left + x * width, top + y * height);
      return hit && (node.contains(hit) || hit.contains(node));
    }));
  };
  const lights = spec.story[story.place]?.lights ?? [];
  const folded = (box) => box.classList.contains('fim-folded');
  const panels = scene.boxes.map(({ title, box }) => [title, folded(box) ? box.querySelector('.fim-opener') : box]);
  const main = scene.boxes.find(({ title }) => !lights.length || lights.includes(title));
  const page = story.box.querySelector('.fim-card-page');
  const verdict = story.box.closest('.fim-front').querySelector('.fim-sheet-verdict');
  const repeated = verdict?.checkVisibility() ? [['the verdict', verdict]] : [];
  const parts = [...panels, ['the text', story.shown], ...repeated];
  return [
    ...parts.filter(([, node]) => !seen(node)).map(([title]) => `${title} is hidden`),
    ...panels.filter(([, node]) => node.offsetHeight < 24).map(([title]) => `${title} is small`),
    ...(folded(main.box) ? [`${main.title} is folded`] : []),
    ...(page.scrollHeight > page.clientHeight + 1 ? ['the text is long'] : []),
  ];
}"""
"""What of the scene and its card is out of sight or covered. A panel that does not fit may be folded to a button, but
not the first that the card speaks of."""


DISTANCE = """() => {
  const end = document.querySelector('.fim-scene').getBoundingClientRect().bottom;
  const boxes = [...document.querySelectorAll('.bd-article .proof')].map((box) => box.getBoundingClientRect().top);
  return boxes.find((top) => top > end) - end;
}"""

LEDE = """() => {
  const figure = document.querySelector('.fim-live').getBoundingClientRect().top;
  return [...document.querySelectorAll('.bd-article section > p')]
    .filter((text) => text.getBoundingClientRect().top < figure)
    .reduce((lines, text) => lines + Math.round(text.offsetHeight / parseFloat(getComputedStyle(text).lineHeight)), 0);
}"""
"""How many lines of text stand between a page's title and its figure."""


def states_something(path: str) -> bool:
    """Whether the page has the box of a statement."""
    return 'class="proof ' in (HTML / path).read_text()


@pytest.mark.parametrize("path", live_pages())
def test_three_lines_stand_above_the_scene_and_the_statement_follows(lasting_phone, path):
    page = lasting_phone(path)
    if path not in WITH_A_TABLE_FIRST and page.locator(".fim-scene").count() == 1:
        assert page.evaluate(LEDE) <= LINES
    if states_something(path):
        assert page.evaluate(DISTANCE) <= FURTHEST
        settled(page)
        assert page.evaluate(DISTANCE) <= FURTHEST_AT_THE_END


@pytest.mark.parametrize("path", live_pages())
def test_every_card_is_in_sight_with_what_it_speaks_of_above_a_sheet_of_steady_height(lasting_phone, path):
    page = lasting_phone(path)
    figure = page.locator(".fim").first
    if not figure.evaluate("({ live }) => live.spec.story.length"):
        pytest.skip("no story")
    trained(page)
    heights = set()
    for card in figure.evaluate("({ live }) => live.spec.story"):
        turn(page)
        assert figure.evaluate(HIDDEN) == [], card["title"]
        heights.add(round(page.locator(".fim-front").first.bounding_box()["height"]))
    page.locator(".fim-switch").first.tap()
    heights.add(round(page.locator(".fim-front").first.bounding_box()["height"]))
    assert len(heights) == 1
    page.set_viewport_size(SMALL)
    page.locator(".fim-switch").first.tap()
    page.wait_for_function(STILL)
    assert figure.evaluate(HIDDEN) == []
    page.set_viewport_size(PHONE)


def test_until_the_figure_is_trained_the_sheet_is_a_bar_with_one_button(phone):
    page = phone(SADDLE)
    bar, train = page.locator(".fim-front"), page.locator(".fim-train")
    assert bar.locator(":is(button, select, input):visible").count() == 5  # train, the scrubber, three stops
    box = train.bounding_box()
    assert box["height"] >= 44
    assert box["y"] + box["height"] <= PHONE["height"]
    train.tap()
    page.locator(".fim-story-bar").wait_for()
    page.wait_for_function("() => document.querySelectorAll('.fim-reached').length === 1")
    assert "Stuck: “capital of” has 43" in page.locator(".fim-card-caption").inner_text()
    assert page.locator("figcaption").is_hidden()  # it says this where the first card will be
    turn(page)
    assert page.locator("figcaption").is_visible()


def test_card_and_settings_change_places_and_one_setting_is_shown(phone):
    page = trained(phone(SADDLE))
    sheet, text = page.locator(".fim-front"), page.locator(".fim-card-text")
    turn(page)
    assert text.is_visible()
    shown = [
        sheet.locator(f".url-{name} input[type=range]") for name in ("temperature", "perturbation_radius")
    ]
    assert [slider.is_visible() for slider in shown] == [False, False]
    page.locator(".fim-switch").tap()
    assert text.is_hidden()
    assert [slider.is_visible() for slider in shown] == [True, False]
    sheet.get_by_label("which setting to change").select_option("size of the push r")
    assert [slider.is_visible() for slider in shown] == [False, True]
    page.evaluate("() => document.querySelector('.fim').live.story.goTo(3)")  # it sets the temperature
    page.wait_for_function(SETTLED)
    assert text.is_visible()
    page.locator(".fim-switch").tap()
    assert [slider.is_visible() for slider in shown] == [True, False]  # the one that the card has set


def test_whoever_takes_a_slider_or_a_card_sees_the_scene(phone):
    page = trained(phone(SADDLE))
    for tap in (page.locator(".fim-switch"), page.get_by_role("button", name="the next card")):
        page.locator(".fim-toolbar").scroll_into_view_if_needed()
        page.evaluate("scrollBy(0, 400)")
        assert page.locator(".fim-scene").bounding_box()["y"] < 0
        tap.tap()
        page.wait_for_function(
            "() => { const { top, bottom } = document.querySelector('.fim-scene').getBoundingClientRect();"
            " return top >= 0 && bottom <= document.querySelector('.fim-front').getBoundingClientRect().top + 1; }"
        )


def test_a_panel_that_does_not_fit_is_a_title_that_opens_it(phone):
    page = trained(phone(MLP, reduced_motion="reduce"))
    turn(page)
    opener = page.locator(".fim-opener:visible")
    title = opener.inner_text()
    panel = page.locator(".fim-scene .fim-panel", has=page.locator(".fim-title", has_text=title))
    assert panel.locator("svg").is_hidden()
    opener.tap()
    assert panel.locator("svg").is_visible()
    assert "fim-dim" not in panel.get_attribute("class")
    assert page.locator(".fim-opener:visible").inner_text() != title
    turn(page)
    assert panel.locator("svg").is_hidden()  # the next card speaks of the other again


def test_a_swipe_turns_the_card_and_one_on_a_slider_does_not(phone):
    page = trained(phone(SADDLE))
    turn(page)
    session = page.context.new_cdp_session(page)

    def swipe(part):
        box = page.locator(part).first.bounding_box()
        x, y = box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2
        for kind, left in [("touchStart", 0), ("touchMove", 60), ("touchMove", 120), ("touchEnd", None)]:
            points = [] if left is None else [{"x": x - left, "y": y}]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.wait_for_function(SETTLED)
        return page.locator(".fim-story output").inner_text()

    assert swipe(".fim-card-text").startswith("2 of ")
    page.locator(".fim-switch").tap()
    assert swipe(".fim-front .ctl-range:visible").startswith("2 of ")


def test_the_map_needs_no_time_and_a_prediction_no_sheet(phone):
    page = phone(SADDLE)
    page.get_by_role("tab", name="Where is it true?").tap()
    page.locator(".fim-story-bar").wait_for()
    assert page.locator(".fim-time").is_hidden()
    page.get_by_role("tab", name="The run").tap()
    page.locator(".fim-predict summary").tap()
    page.locator(".fim-front").wait_for(state="hidden")


def test_a_challenge_leaves_the_settings_in_the_sheet(phone):
    page = phone(f"{SADDLE}#~goal=verdict%3Doutside")
    page.locator(".fim-goal").wait_for()
    settled(page)
    assert page.locator(".fim-story-bar").is_hidden()
    assert page.locator(".fim-front .ctl-range:visible").count() == 1


@pytest.mark.parametrize("viewport", [LANDSCAPE, LAPTOP])
def test_a_window_that_is_low_or_wide_has_no_sheet(phone, viewport):
    page = trained(phone(SADDLE))
    page.set_viewport_size(viewport)
    page.locator(".fim-stage > .fim-time").wait_for()
    assert page.locator(".fim-front").evaluate("(front) => getComputedStyle(front).position") == "static"
    assert page.locator(".fim-front > .ctl:visible").count() == 3
    assert page.locator(".fim > div > .fim-story, .fim-side > .fim-story").count() == 1
    assert not page.locator(":is(.fim-switch, .fim-opener, .fim-which, .fim-card-caption):visible").count()
    page.set_viewport_size(PHONE)
    page.locator(".fim-front > .fim-time").wait_for()
    assert page.locator(".fim-front > .fim-story").count() == 1


def test_text_twice_as_large_can_be_read_and_the_sheet_leaves_room(phone):
    page = trained(phone(SADDLE))
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    turn(page)
    assert page.locator(".fim-front").bounding_box()["height"] < 0.6 * PHONE["height"]
    for control in page.locator(".fim-front :is(button, input):visible").all():
        box = control.bounding_box()
        stop = "fim-stop" in (control.get_attribute("class") or "")  # their row can be scrolled
        assert stop or box["x"] + box["width"] <= PHONE["width"]
    card = page.locator(".fim-card-page")
    card.evaluate("(page) => page.scrollTo(0, page.scrollHeight)")
    said, room = page.locator(".fim-card-text .fim-said").bounding_box(), card.bounding_box()
    assert said["y"] + said["height"] <= room["y"] + room["height"] + 1


def test_what_the_keyboard_reaches_is_not_below_the_sheet(phone):
    page = trained(phone(SADDLE))
    for name in ("reset", "share"):
        page.locator(".fim-toolbar").get_by_role("button", name=name, exact=True).focus()
        page.wait_for_function(UNCOVERED)


UNCOVERED = """() => {
  const { left, top, width, height } = document.activeElement.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height - 2) === document.activeElement;
}"""
