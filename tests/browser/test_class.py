"""A page in class: links that lock, hide, frame and challenge; slides; predictions; paper."""

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from book.ledger.grade import grade
from tests import HTML, LAPTOP, PHONE
from tests.browser.reading import settled, turn_to

SADDLE = "book/recall/saddle.html"
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
    page = opened("#~goal=" + quote("verdict=outside,temperature<=0.0895"))
    box = page.locator(".fim-goal")
    assert box.get_attribute("data-met") == "0"
    assert "Theorem 2: a hypothesis is broken and its conclusion fails" in box.inner_text()
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


def test_a_challenge_that_names_what_is_not_there_says_so(opened):
    page = opened("#~goal=nonsense%3E%3D3")
    assert "goal = nonsense>=3: no figure of this page" in page.locator(".fim-goal").inner_text()


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


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 720}, PHONE])
def test_a_page_becomes_slides_and_a_page_again(opened, viewport):
    page = opened(viewport=viewport)
    page.keyboard.press("p")
    seen = []
    while True:
        count = page.locator(".fim-bar output").inner_text()
        seen.append(page.evaluate("document.documentElement.dataset.slide"))
        shown = page.locator("section :is(h1, .fim-scene, .fim-predict, .proof, .exercise):visible")
        expect(shown.first).to_be_visible()  # a slide may come a moment after its key
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 1, count
        at, last = count.split(" / ")
        if at == last:
            break
        page.keyboard.press("PageDown")
    assert seen[:3] == ["question", "scene", "predict"]
    assert seen.index("verdict") < seen.index("card")  # cards change the settings
    assert seen[-1] == "text"
    page.keyboard.press("n")
    assert page.locator(".admonition.lecturer").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("section > h1").is_visible()
    assert page.locator("#exercises").is_visible()
    assert not page.locator("[data-away]").count()


@pytest.mark.parametrize("address", ["book/recall/saddle.html", "book/recognise/phases.html"])
def test_scenes_keep_one_size_and_no_words_lie_under_the_buttons(opened, address):
    page = opened(path=address, viewport=LAPTOP)
    page.keyboard.press("p")
    sizes = set()
    for _ in range(12):
        page.wait_for_timeout(500)  # a scene is enlarged in steps
        kind = page.evaluate("document.documentElement.dataset.slide")
        if kind in ("question", "scene", "verdict", "card"):
            sizes.add(page.locator(".fim-stage").evaluate("(stage) => stage.style.zoom"))
        buttons = page.locator(".fim-bar").bounding_box()["y"]
        for part in (".fim-caption", "p.fim-verdict", ".fim-story", ".fim-stage", "section > h1"):
            if kind != "text" and (words := page.locator(part).first).is_visible():
                box = words.bounding_box()
                assert box["y"] + box["height"] <= buttons, (kind, part)
        page.keyboard.press("PageDown")
    assert len(sizes) == 1


def test_on_a_phone_the_counter_has_one_line_and_what_a_phone_cannot_do_is_left_out(opened):
    page = opened(viewport=PHONE)
    page.keyboard.press("p")
    counter = page.locator(".fim-bar output")
    assert counter.bounding_box()["height"] < 30
    assert page.locator(".fim-bar button").all_inner_texts() == ["◀", "▶", "notes", "end"]
    assert page.locator(".fim-qr").is_hidden()


def turn_to_slide(page, kind, title=""):
    """Turn slides until one of this kind, whose title in the second window is this, is shown."""
    for _ in range(40):
        if page.evaluate("document.documentElement.dataset.slide") == kind and title in speaker_says(page):
            break
        page.keyboard.press("PageDown")
    page.wait_for_timeout(500)  # a scene is enlarged in steps
    assert page.evaluate("document.documentElement.dataset.slide") == kind


def speaker_says(page):
    return " ".join(other.locator("h1").inner_text() for other in page.context.pages if other != page)


def test_a_scene_fills_the_slide_and_a_stop_says_its_sentence_in_large_letters(opened):
    page = opened(viewport=LAPTOP)
    page.keyboard.press("p")
    turn_to_slide(page, "verdict")
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    page.wait_for_timeout(500)
    assert page.locator(".fim-stop.fim-reached").count() == 2  # it tips over
    stage, caption = page.locator(".fim-stage").bounding_box(), page.locator(".fim-caption").bounding_box()
    assert stage["width"] > 0.9 * LAPTOP["width"]
    assert stage["height"] > 0.6 * LAPTOP["height"]
    assert caption["y"] + caption["height"] <= LAPTOP["height"]
    assert page.locator(".fim-caption").evaluate("(caption) => getComputedStyle(caption).fontSize") == "32px"
    assert "The balance tips" in page.locator(".fim-caption").inner_text()
    assert page.locator(".fim-front").is_hidden()
    page.keyboard.press("Escape")
    assert page.locator(".fim-stage").evaluate("(stage) => stage.style.zoom") == ""
    assert page.locator(".fim-front").is_visible()


def test_a_card_and_a_statement_are_slides_that_fit(opened):
    page = opened(viewport=LAPTOP)
    page.keyboard.press("p")
    for kind, part in (("text", ".fim-bar"), ("card", ".fim-story"), ("verdict", ".fim-verdict")):
        turn_to_slide(page, kind)
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= LAPTOP["height"], kind
        turn_back(page)


def turn_back(page):
    page.keyboard.press("Escape")
    page.keyboard.press("p")


def test_a_code_of_the_slide_opens_the_page_at_its_settings(opened):
    page = opened(viewport=LAPTOP)
    page.keyboard.press("p")
    turn_to_slide(page, "card")
    code = page.get_by_role("button", name="a code of this slide")
    small = code.bounding_box()["width"]
    code.click()
    assert code.bounding_box()["width"] > 4 * small
    page.wait_for_function("() => location.hash.includes('card=')")
    assert code.locator("svg").count() == 1


def test_a_second_window_has_the_time_the_next_slide_and_the_notes(opened):
    page = opened(viewport=LAPTOP)
    page.keyboard.press("p")
    page.locator(".fim-bar").wait_for()
    with page.expect_popup() as popup:
        page.keyboard.press("w")
    notes = popup.value
    assert "1 / 27: Why does attention first get stuck?" in notes.locator("h1").inner_text()
    assert "Next: The start of the run" in notes.locator("body").inner_text()
    assert "0 minutes gone" in notes.locator("body").inner_text()
    assert "For the lecturer" in notes.locator("body").inner_text()
    page.keyboard.press("PageDown")
    assert "2 / 27" in notes.locator("h1").inner_text()
    notes.keyboard.press("PageDown")
    assert "3 / 27" in notes.locator("h1").inner_text()
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.querySelector('.fim-bar')")
    assert notes.is_closed()


def test_a_prediction_hides_the_run_and_is_measured_against_it(opened):
    page = opened()
    page.locator(".fim-predict summary").click()
    page.locator(".fim-scene").wait_for(state="hidden")  # a fold says a task later that it was opened
    assert page.locator(".fim-verdict").first.is_hidden()
    page.get_by_role("button", name="show the run").click()
    assert "from the left edge to the right" in page.locator(".fim-predict [role=status]").inner_text()
    pen = page.locator(".fim-predict .fim-hand")
    pen.focus()
    for _ in range(7):
        page.keyboard.press("Shift+ArrowRight")
    page.get_by_role("button", name="show the run").click()
    assert "of the chart’s height" in page.locator(".fim-predict [role=status]").inner_text()
    assert page.locator(".fim-scene").is_visible()
    page.get_by_role("button", name="draw again").click()
    assert page.locator(".fim-scene").is_hidden()
    page.locator(".fim-predict summary").click()
    page.locator(".fim-scene").wait_for()


def test_a_prediction_is_in_sight_once_it_opens_on_a_phone(opened):
    page = opened(viewport=PHONE, has_touch=True, is_mobile=True)
    page.locator(".fim-predict summary").click()
    page.wait_for_function(
        "() => { const { top } = document.querySelector('.fim-predict').getBoundingClientRect();"
        " return top >= 40 && top <= 80; }"
    )


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
    assert "seed=3" in page.locator(".fim-address").inner_text()
    assert "3" in page.locator(".fim-sheet p").first.inner_text()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator(".fim-sheet").count()
