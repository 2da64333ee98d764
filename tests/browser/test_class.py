"""A page in class: links that lock, hide, frame and challenge; slides; predictions; paper."""

import math
import re
from urllib.parse import quote

import pytest

from book.ledger.grade import grade
from book.publish.guides import lessons
from tests import HTML, LAPTOP, PHONE
from tests.browser.book import live_pages
from tests.browser.reading import HIDING, settled, turn_to

SADDLE = "book/recall/saddle.html"
SHEET = {"width": 680, "height": 1009}
"""A sheet of A4 without its margins of 15 mm, in pixels."""
LIVE = ["recall/saddle", "recall/general", "recognise/phases", "acquire/covering"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@pytest.fixture
def opened(open_page, home):
    def at(fragment="", path=SADDLE, **how):
        page = open_page(f"{home}/{path}{fragment}", **how)
        settled(page)
        return page

    return at


def value(page, name):
    return page.evaluate(
        "(name) => Object.fromEntries(document.querySelector('.fim').live.spec.parameters.map((p, i) =>"
        " [p.name, document.querySelector('.fim').live.values()[i]]))[name]",
        name,
    )


def test_a_locked_control_stays_whoever_moves_it(opened):
    page = opened("#~temperature=0.0895&lock=temperature")
    assert page.locator(".url-temperature input").first.is_disabled()
    turn_to(page, temperature=0.02)
    page.get_by_role("button", name="reset", exact=True).click()
    settled(page)
    assert value(page, "temperature") == 0.0895
    page.evaluate("location.hash = '#~seed=3'")
    settled(page)
    assert not page.locator(".url-temperature input").first.is_disabled()
    assert value(page, "temperature") == 0.05


def test_a_hidden_control_keeps_its_value_and_the_address_what_it_asks(opened):
    page = opened("#~temperature=0.02&hide=temperature,seed")
    assert page.locator(".url-temperature").is_hidden()
    assert page.locator(".url-seed").is_hidden()
    turn_to(page, perturbation_radius=0)
    page.wait_for_function("() => location.hash.includes('perturbation_radius')")
    assert "hide=temperature%2Cseed" in page.url


def test_a_frame_holds_the_figure_alone_and_says_how_high_it_is(open_page, home, serve, tmp_path):
    (tmp_path / "host.html").write_text(
        "<!DOCTYPE html><title>a host</title>"
        "<script>window.told = []; addEventListener('message', ({ data }) => told.push(data))</script>"
        f'<iframe src="{home}/{SADDLE}#~embed=1" width="700" height="600"></iframe>'
    )
    page = open_page(f"{serve(tmp_path)}/host.html")
    frame = page.frame_locator("iframe")
    frame.locator(".fim[data-state=done]").wait_for()
    assert frame.locator(".fim-scene").is_visible()
    assert frame.locator("section > h1").is_hidden()
    assert frame.locator("#theorem-2").is_hidden()
    frame.locator(".fim-toolbar").evaluate("(toolbar) => toolbar.remove()")
    box = frame.locator(".ctl-root").first  # with 8 pixels above and below it
    page.wait_for_function(
        "(height) => Math.abs(told.findLast(({ from }) => from)?.height - height - 16) <= 2",
        arg=box.evaluate("(root) => root.scrollHeight"),
    )
    assert frame.locator(".fim-source a").get_attribute("href").endswith(SADDLE)


def test_a_challenge_says_when_it_is_met_and_its_address_is_graded(opened):
    page = opened("#~aim=End in the wrong place&goal=" + quote("verdict=outside,temperature<=0.0895"))
    box = page.locator(".fim-goal")
    assert box.get_attribute("data-met") == "0"
    assert page.get_by_text("Met: this page’s address").is_hidden()
    assert "Challenge: End in the wrong place" in box.inner_text()
    wanted = "Theorem 2: a hypothesis is broken and its conclusion fails"
    assert f"{wanted} (here its hypotheses and its conclusion hold)" in box.inner_text()
    assert page.locator(".fim-story").is_hidden()  # a card would solve it
    entry = page.locator(".url-temperature input.ctl-readout")
    entry.fill("0.0895")
    entry.press("Enter")
    page.wait_for_selector(".fim-goal[data-met='1']")
    page.wait_for_function("() => location.hash.includes('temperature=0.0895')")
    assert all(result.met for result in grade(page.url))
    page.get_by_role("button", name="reset", exact=True).click()
    page.wait_for_selector(".fim-goal[data-met='0']")
    page.wait_for_function("() => !location.hash.includes('temperature=')")
    assert not all(result.met for result in grade(page.url))


GRADED = """async (settings) => {
  const root = document.querySelector('.fim');
  const met = [];
  for (const values of settings) {
    const done = new Promise((resolve) => root.addEventListener('fim:done', resolve, { once: true }));
    root.live.set({ ...root.live.defaults(), ...values });
    await done;
    await new Promise((resolve) => setTimeout(resolve));
    met.push(document.querySelector('.fim-goal').dataset.met === '1');
  }
  return met;
}"""
STOPS = """([name, most]) => {
  const { track, choices } = document.querySelector('.fim').live.spec.parameters.find((one) => one.name === name);
  if (choices) return choices;
  const count = Math.round((track.max - track.min) / track.step);
  const every = Math.ceil(count / most);
  const places = Array.from({ length: Math.floor(count / every) + 1 }, (_, i) => track.min + i * every * track.step);
  return places.map((place) => (track.base ? track.base ** place : place));
}"""
ANSWERS = [answer["address"] for lesson in lessons() for answer in lesson.answers]


@pytest.mark.parametrize("answer", ANSWERS)
def test_no_card_solves_a_challenge_and_a_thumb_can(opened, answer):
    """One slider is enough, and meets it at more than one place in twenty-five."""
    path, _, settings = answer.partition("#~")
    moved, goal = settings.split("&goal=")
    page = opened(f"#~goal={goal}", f"book/{path}")
    page.wait_for_selector(".fim-goal[data-met]")
    cards = page.evaluate("document.querySelector('.fim').live.spec.story.map(({ values }) => values)")
    assert not any(page.evaluate(GRADED, cards))
    name = moved.split("=")[0]
    stops = page.evaluate(STOPS, [name, 80])
    met = page.evaluate(GRADED, [{name: stop} for stop in stops])
    assert sum(met) / len(met) > 1 / 25


def test_a_challenge_that_names_what_is_not_there_says_so(opened):
    page = opened("#~goal=nonsense%3E%3D3")
    assert "goal = nonsense>=3: no figure of this page" in page.locator(".fim-goal").inner_text()


def a_worksheet_is_laid_out(page):
    """Gaps and axes on the first sheet, numbers and the run on the second."""
    # a browser without windows is done with printing at once: the sheets are to stay
    page.evaluate(
        "addEventListener('afterprint', (event) => event.stopImmediatePropagation(), { once: true })"
    )
    page.get_by_role("button", name="print a worksheet").click()
    page.emulate_media(media="print")
    tasks, answers = page.locator(".fim-worksheet article").all()
    assert "has ________, its rival ________" in tasks.inner_text()
    assert "%" not in tasks.locator("ol").first.inner_text()
    assert "________" not in answers.inner_text()
    assert re.search(r"has \d+\s%, its rival \d+\s%", answers.locator("ol").first.inner_text())
    for sheet in (tasks, answers):
        assert sheet.locator("> svg").bounding_box()["width"] >= 80 / 25.4 * 96  # 8 cm
        assert "temperature=0.02" in sheet.locator("footer").inner_text()
        assert sheet.locator("footer svg").is_visible()
        name, axes = (
            sheet.locator("> svg text").nth(2).bounding_box(),
            sheet.locator("> svg path.axes").bounding_box(),
        )
        assert name["y"] + name["height"] <= axes["y"] + 1, "no curve crosses what is drawn upwards"
    assert (tasks.locator("svg path.run").count(), answers.locator("svg path.run").count()) == (0, 1)
    assert (tasks.locator(".exercise").count(), tasks.locator(".solution").count()) == (3, 0)
    assert answers.locator(".solution").count() == 3
    assert page.locator("section > h1").is_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator("section > h1").is_visible()


def test_the_maker_of_links_makes_what_the_page_then_does(opened):
    page = opened("#~temperature=0.02")
    page.get_by_role("button", name="for a class").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("seed", exact=True).select_option("locked")
    dialog.get_by_label("what", exact=True).select_option("verdict")
    dialog.get_by_label("verdict", exact=True).select_option("outside")
    dialog.get_by_role("button", name="add", exact=True).click()
    link = dialog.get_by_label("link", exact=True).input_value()
    frame = dialog.get_by_label("code of a frame", exact=True).input_value()
    assert "temperature=0.02" in link
    assert "lock=seed" in link
    assert "goal=verdict%3Doutside" in link
    assert frame.startswith("<iframe")
    assert "embed=1" in frame
    bare = dialog.get_by_label("code of a frame without a script").input_value()
    assert frame.startswith(bare)
    assert "<script" not in bare
    assert int(bare.partition("height: ")[2].partition("px")[0]) > 400
    dialog.get_by_role("button", name="close").click()
    page.goto(link)
    page.reload()
    settled(page)
    assert page.locator(".url-seed input").first.is_disabled()
    assert page.locator(".fim-goal").is_visible()
    page.get_by_role("button", name="for a class").click()
    a_worksheet_is_laid_out(page)


HALL = {"width": 1280, "height": 720}
PROJECTOR = {"width": 1920, "height": 1080}
BAR = 60
"""Pixels below a slide, for the bar."""
SMALLEST = 28 / 1080
"""The size of any text on a projector, of its height."""
SMALLEST_LABEL = 36 / 1080
"""The size of a drawing's labels where it fills the slide, of the projector's height."""


def kind(page):
    return page.evaluate("document.documentElement.dataset.slide")


def count(page):
    return page.locator(".fim-bar output").inner_text()


def fitted(page):
    """Wait until the slide has its size: it is enlarged in steps, and words may come with the end of a run."""
    page.wait_for_function(
        """() => {
          const { above, zoom } = ["above", "zoom"].reduce((seen, name) => ({ ...seen,
            [name]: document.documentElement.style.getPropertyValue(`--slide-${name}`) }), {});
          const now = `${document.documentElement.dataset.slide} ${above} ${zoom}`;
          const stays = window.fitted === now && above;
          window.fitted = now;
          return stays && document.querySelector('.fim').dataset.state === 'done';
        }""",
        polling=250,
    )


WITHIN = """() => {
  const written = (e) => [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const seen = (e) => e.checkVisibility() // boxes around them have margins; a caption keeps room for its longest text
    && (!e.children.length || written(e) || e.matches('svg, .fim-caption'));
  const shown = [...document.querySelectorAll('.bd-article *')].filter(seen);
  const boxes = shown.map((e) => e.getBoundingClientRect()).filter(({ height }) => height);
  const drawn = [...document.querySelectorAll(':is(.fim-stage, .fim-predict, .fim-step) *')].filter((e) =>
    e.checkVisibility() && written(e)
    && !e.matches('title, desc, style') && e.getBoundingClientRect().width > 2);
  const scale = (e) => { // of a drawing that is shrunk to its place
    const { viewBox: { baseVal }, clientWidth } = e.closest('svg') ?? { viewBox: {} };
    return baseVal?.width ? Math.min(1, clientWidth / baseVal.width) : 1;
  };
  const size = (e) => parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom * scale(e);
  const sizes = drawn.map((e) => Math.round(10 * size(e)) / 10);
  const cut = drawn.filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.textContent);
  return { cut, bottom: Math.max(...boxes.map(({ bottom }) => bottom)), top: Math.min(...boxes.map(({ top }) => top)),
    smallest: Math.min(...sizes), wide: document.documentElement.scrollWidth - document.documentElement.clientWidth };
}"""


@pytest.mark.parametrize("address", [SADDLE, "book/recognise/phases.html", "book/acquire/covering.html"])
def test_a_page_becomes_ten_slides_at_most_that_fit_a_hall_in_the_order_of_a_lesson(opened, address):
    page = opened(path=address, viewport=HALL)
    page.keyboard.press("p")
    page.locator(".fim-bar").wait_for()
    kinds, pictures, at = [], [], ""
    while True:
        kinds += [kind(page)] if count(page) != at else []
        at = count(page)
        fitted(page)
        seen = page.evaluate(WITHIN)
        assert seen["wide"] <= 1, at
        assert seen["bottom"] <= HALL["height"] - BAR + 1, (at, kind(page))
        empty = HALL["height"] - BAR - seen["bottom"]
        assert empty <= seen["top"] + 30, (at, kind(page))  # what room is left stands above and below alike
        assert seen["cut"] == [], at
        least = SMALLEST_LABEL if kind(page) in ("run", "card", "result", "why") else SMALLEST
        assert (seen["smallest"] or math.inf) >= least * HALL["height"], (at, kind(page))
        pictures.append(page.evaluate(PICTURE))
        page.keyboard.press("PageDown")
        if at.split(" / ")[0] == at.split(" / ")[1] and page.evaluate(PICTURE) == pictures[-1]:
            break
    order = ["question", "predict", "run", "card", "theorem", "result", "why"]
    assert len(kinds) <= 10
    assert kinds == sorted(kinds, key=order.index)
    assert set(order) == set(kinds)
    assert len({*pictures}) == len(pictures)  # none repeats another
    page.set_viewport_size(PROJECTOR)
    page.keyboard.press("3")
    fitted(page)
    assert page.evaluate(WITHIN)["smallest"] >= SMALLEST_LABEL * PROJECTOR["height"]


EVERY_PAGE = pytest.mark.parametrize("path", live_pages(), scope="module")
"""Tests of one page follow each other, so that each page is opened once."""


@EVERY_PAGE
def test_labels_can_be_read_in_a_hall_and_keep_apart(stand_at, path):
    page = stand_at(path)
    settled(page)
    before = page.viewport_size
    page.set_viewport_size(HALL)
    page.keyboard.press("p")
    page.locator(".fim-bar").wait_for()
    while kind(page) != "run":
        page.keyboard.press("PageDown")
    fitted(page)
    seen = page.evaluate(WITHIN)
    zoom = float(page.evaluate("document.documentElement.style.getPropertyValue('--slide-zoom')"))
    hiding = page.evaluate(HIDING, zoom)
    page.keyboard.press("Escape")
    page.set_viewport_size(before)
    assert seen["smallest"] >= SMALLEST_LABEL * HALL["height"]
    assert seen["cut"] == []
    assert hiding == []


DRAWN = "async () => { await factsRuntime.loadClassroom(); return factsClassroom.drawnAnswers(1); }"


@EVERY_PAGE
def test_a_question_has_two_mistaken_answers_of_its_own(stand_at, path):
    """At the settings with which the page opens; each says what who draws it thinks."""
    page = stand_at(path)
    settled(page)
    question = page.evaluate(DRAWN)
    if question is None:
        return
    assert question["right"] == 1
    first, run, other = question["curves"]
    low, high = question["domain"]
    assert all(low <= height <= high for curve in (first, run, other) for height in curve)
    for one, two in ((first, run), (other, run), (first, other)):
        far = [abs(a - b) > 0.1 * (high - low) for a, b in zip(one, two, strict=True)]
        assert sum(far) > 0.1 * len(far), "who draws one is not right about the other"
    own = page.evaluate(
        "() => [...document.querySelectorAll('.fim')].flatMap(({ live }) => live.spec.mistaken ?? [])"
    )
    said = [answer["says"] for answer in own]
    assert question["says"][1] == ""
    assert all(question["says"][place] in said for place in (0, 2)), question["says"]
    assert all(text.startswith("Who draws this ") for text in said)


PICTURE = """() => document.documentElement.dataset.slide + [...document.querySelectorAll('.bd-article *')]
  .filter((e) => e.checkVisibility() && !e.children.length).map((e) => e.textContent).join('|')"""


def test_on_a_phone_slides_scroll_and_a_finger_turns_them(opened):
    page = opened(viewport=PHONE, has_touch=True)
    page.keyboard.press("p")
    counter = page.locator(".fim-bar output")
    assert counter.bounding_box()["height"] < 30
    assert page.locator(".fim-bar button").all_inner_texts() == ["◀", "▶", "more", "all", "end"]
    assert page.locator(".fim-qr").is_hidden()
    for by, arrives in ((-120, 2), (-120, 3), (120, 2)):
        page.evaluate(SWIPE, by)
        assert counter.inner_text().startswith(f"{arrives} / ")
        assert page.evaluate(WITHIN)["wide"] <= 1
    page.locator(".fim-bar").get_by_role("button", name="all").tap()
    page.locator(".fim-all").get_by_role("button", name="Theorem 2: perturbed").tap()
    assert kind(page) == "theorem"


SWIPE = """(by) => {
  const target = document.querySelector('section > h1, .fim-bar');
  const touch = (x) => new Touch({ identifier: 1, target, clientX: x, clientY: 200 });
  const tell = (type, name, x) =>
    target.dispatchEvent(new TouchEvent(type, { bubbles: true, [name]: [touch(x)], changedTouches: [touch(x)] }));
  tell('touchstart', 'touches', 200);
  tell('touchend', 'targetTouches', 200 + by);
}"""


def test_keys_lead_through_slides_and_the_second_window_follows(opened):
    page = opened(viewport=HALL)
    page.keyboard.press("p")
    page.locator(".fim-bar").wait_for()
    with page.expect_popup() as popup:
        page.keyboard.press("n")  # notes never stand on the slide
    speaker = popup.value
    assert page.locator(".admonition.lecturer").is_hidden()
    now, after = speaker.locator("h1").all_inner_texts()
    assert now == "1 / 10: Why does attention first get stuck?"
    assert after.startswith("Next: Predict: how will the probability")
    assert "50 minutes left" in speaker.locator("header").inner_text()
    speaker.get_by_label("minutes").fill("-1")
    assert "over" in speaker.locator("header").inner_text()
    speaker.locator("h1").first.click()
    speaker.keyboard.press("2")  # a digit goes to its slide, from this window, too
    assert (count(page), kind(page)) == ("2 / 10", "predict")
    notes = speaker.locator("ul").inner_text()
    assert "let the class sketch" in notes  # its own notes alone
    assert "Who draws this thinks that training rests at the saddle" in notes
    assert "At stuck" not in notes
    page.keyboard.press("PageDown")
    assert kind(page) == "run"
    assert page.locator(".fim-time > button").inner_text() == "▶ Train"
    assert "At stuck" in speaker.locator("ul").inner_text()
    pictures = [frame for frame in speaker.frames if frame != speaker.main_frame]
    for frame, wanted in zip(pictures, ("run", "card"), strict=True):
        frame.wait_for_function("(kind) => document.documentElement.dataset.slide === kind", arg=wanted)
        assert frame.locator(".fim-bar").is_hidden()
    page.keyboard.press("ArrowRight")  # the run goes on to its first stop
    page.wait_for_function("() => document.querySelectorAll('.fim-stop.fim-reached').length === 1")
    assert count(page) == "3 / 10"
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => !document.querySelector('.fim-stop.fim-reached')")
    page.keyboard.press("End")
    assert (count(page), kind(page)) == ("10 / 10", "why")
    page.keyboard.press("Home")
    assert count(page) == "1 / 10"
    page.keyboard.press("b")
    assert page.locator(".fim-black").is_visible()
    page.keyboard.press("ArrowRight")  # any key brings the slide back, and does nothing else
    assert page.locator(".fim-black").count() == 0
    assert count(page) == "1 / 10"
    page.keyboard.press("o")
    assert page.locator(".fim-all [aria-current]").inner_text().startswith("1 ")
    page.keyboard.press("a")  # a letter goes to a slide behind "more"
    assert count(page).startswith("more 1 / ")
    page.keyboard.press("m")
    assert count(page) == "10 / 10"
    page.keyboard.press("4")
    page.wait_for_function("() => location.hash.includes('slide=4')")
    code = page.get_by_role("button", name="a code of this slide")
    small = code.bounding_box()["width"]
    code.click()
    assert code.bounding_box()["width"] > 4 * small
    page.reload()  # and goes on where it was
    page.locator(".fim-bar").wait_for()
    assert (count(page), kind(page)) == ("4 / 10", "card")
    page.keyboard.press("Escape")
    assert page.locator("section > h1").is_visible()
    assert page.locator("#exercises").is_visible()
    assert not page.locator("[data-away]").count()
    assert page.locator(".fim-stage").evaluate("(stage) => getComputedStyle(stage).zoom") == "1"
    page.wait_for_function("() => !location.hash.includes('slide=')")


def test_a_prediction_hides_the_run_and_is_measured_against_it(opened):
    page = opened()
    page.get_by_role("button", name="Predict first.").click()
    page.locator(".fim-scene").wait_for(state="hidden")  # a fold says a task later that it was opened
    assert page.locator(".fim-verdict").first.is_hidden()
    page.get_by_role("button", name="show the run").click()
    assert "from the left edge to the right" in page.locator(".fim-predict [role=status]").inner_text()
    pen = page.locator(".fim-predict .fim-hand")
    pen.focus()
    for _ in range(7):
        page.keyboard.press("Shift+ArrowRight")
    status = page.locator(".fim-predict [role=status]")
    frame = page.locator(".fim-predict .fim-grid").evaluate(FRAME)
    page.get_by_role("button", name="show the run").click()
    status.filter(has_text="✕ Not yet: for ").wait_for()
    assert page.locator(".fim-predict .fim-grid").evaluate(FRAME) == frame, "the axes stay"
    assert page.locator(".fim-verdict").first.is_visible()
    assert page.locator(".fim-scene").is_hidden(), "the run is drawn where the sketch is"
    page.get_by_role("button", name="draw again").click()
    assert page.locator(".fim-verdict").first.is_hidden()
    draw_the_run(page)
    page.get_by_role("button", name="show the run").click()
    status.filter(has_text="✓ Right: for 100 % of the run").wait_for()
    page.get_by_role("button", name="watch it happen").click()
    page.locator(".fim-scene").wait_for()
    assert page.locator(".fim-predict[open]").count() == 0


FRAME = "(grid) => grid.innerHTML"


def draw_the_run(page) -> None:
    """Sketch with the mouse what the run will be."""
    box = page.locator(".fim-predict svg").first.bounding_box()
    places = page.evaluate(PLACES_OF_THE_RUN)
    page.mouse.move(box["x"] + places[0][0], box["y"] + places[0][1])
    page.mouse.down()
    for x, y in places[1:]:
        page.mouse.move(box["x"] + x, box["y"] + y)
        page.evaluate("() => new Promise(requestAnimationFrame)")  # the pen follows once a frame
    page.mouse.up()


PLACES_OF_THE_RUN = """() => {
  const { runHeights, chart: { axes } } = document.querySelector('.fim').live.scene.prediction;
  return runHeights.map((height, i) => [axes.x(i / (runHeights.length - 1)), axes.y(height)]);
}"""


@EVERY_PAGE
def test_what_is_to_be_predicted_takes_the_scenes_place_and_begins_where_the_run_does(stand_at, path):
    page = stand_at(path)
    settled(page)
    prediction = page.locator(".fim-predict").first
    if not prediction.count():
        return
    stage = page.locator(".fim-stage").first
    top, height = stage.evaluate(ON_THE_PAGE)
    page.get_by_role("button", name="Predict first.").first.click()
    page.wait_for_function(TAKEN)
    now, place = stage.evaluate(ON_THE_PAGE), prediction.evaluate(ON_THE_PAGE)
    assert now[0] == top, "the page does not move"
    assert now[1] <= height + 24
    assert sum(place) <= sum(now) + 1
    assert page.evaluate(PEN_IS_AT_THE_START)
    assert page.evaluate(HIDING) == []
    prediction.locator("summary").click()


ON_THE_PAGE = """(box) => {
  const { top, height } = box.getBoundingClientRect();
  return [top + scrollY, height];
}"""
"""Where a box begins, and its height."""
TAKEN = """() => getComputedStyle(document.querySelector('.fim-predict')).getPropertyValue('--stage')
  && document.querySelector('.fim').classList.contains('fim-predicting')"""
PEN_IS_AT_THE_START = """() => {
  const { pen, domain: [low, high], runHeights: [first] } = document.querySelector('.fim').live.scene.prediction;
  const start = Number.isFinite(first) ? first : (low + high) / 2;
  return pen.place === 0 && Math.abs(pen.height - start) < 1e-9 && low <= start && start <= high;
}"""


def test_a_prediction_is_in_sight_once_it_opens_on_a_phone(opened):
    page = opened(viewport=PHONE, has_touch=True, is_mobile=True)
    page.locator(".fim-predict summary").click()
    page.wait_for_function(
        "() => { const { top, bottom } = document.querySelector('.fim-predict').getBoundingClientRect();"
        " return top >= 40 && bottom <= innerHeight; }"
    )


CENTIMETRE = 96 / 2.54


def test_challenges_on_paper_have_a_short_address_that_leads_there(open_page, home):
    page = open_page(f"{home}/book/teaching.html", viewport=LAPTOP)
    assert page.locator(".fim-paper-link:visible").count() == 0
    page.emulate_media(media="print")
    page.set_viewport_size(SHEET)
    links = page.locator(".fim-paper-link").all()
    assert len(links) == 4
    for number, link in enumerate(links, start=1):
        address = link.inner_text().strip()
        assert address == f"{home.partition('//')[2]}/book/teaching.html#challenge-{number}"
        assert link.locator("svg").bounding_box()["width"] >= 2 * CENTIMETRE
    for picture in page.locator(".fim-shown .fim-picture").all():
        assert picture.bounding_box()["width"] >= 8 * CENTIMETRE
    page.emulate_media(media="screen")
    page.goto(f"{home}/book/teaching.html#challenge-3")
    page.wait_for_url("**/recognise/phases.html#~goal=*")
    settled(page)
    assert "Find a setting at which Theorem 3.1 fails" in page.locator(".fim-goal").inner_text()


def test_paper_says_settings_in_words(opened):
    page = opened("#~to_limit=0")
    page.evaluate("factsRuntime.paper")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    settings = page.locator(".fim-sheet p").first.inner_text()
    assert "temperature T: 0.05;" in settings
    assert settings.endswith(": no.")


@pytest.mark.parametrize("path", LIVE)
def test_paper_has_the_settings_and_no_buttons(opened, path):
    page = opened("#~seed=3", f"book/{path}.html")
    page.evaluate("factsRuntime.paper")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("button:visible").count()
    assert page.locator(".fim-sheet svg").is_visible()
    page.set_viewport_size(SHEET)
    drawing = page.locator(".fim-column").first.locator("svg").first
    assert drawing.bounding_box()["width"] >= 8 * CENTIMETRE
    assert "seed=3" in page.locator(".fim-address").inner_text()
    assert "3" in page.locator(".fim-sheet p").first.inner_text()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator(".fim-sheet").count()
