"""The gallery of all demos, and the bar that leads from one to the next."""

import re

import pytest
from bs4 import BeautifulSoup

from book.paper import CHAPTERS, PAPERS
from tests import DESKTOP, HTML, LAPTOP, PHONE
from tests.browser.book import live_pages
from tests.browser.reading import settled

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]
GALLERY = "book/demos.html"
DEMOS = [page for page in live_pages() if page.count("/") > 1]
SCREENS = 2


@pytest.fixture
def gallery(open_page, home):
    return open_page(f"{home}/{GALLERY}", viewport=DESKTOP)


def test_every_demo_has_a_card_with_a_picture_its_question_an_answer_and_a_verdict(gallery):
    cards = gallery.locator(".fim-gallery > li")
    addresses = cards.locator("a").evaluate_all("(links) => links.map((link) => link.pathname)")
    assert sorted(addresses) == sorted(f"/{page}" for page in DEMOS)
    for card in cards.all():
        assert card.locator("svg, table").count()
        assert card.locator("b").inner_text().strip()
        assert card.evaluate(
            "(card) => [...card.childNodes].find(({ nodeType }) => nodeType === 3).data.trim()"
        )
    assert "applies here" not in gallery.locator("#gallery").inner_text()  # a card has room for a line
    ids = gallery.locator("[id]").evaluate_all("(nodes) => nodes.map((node) => node.id)")
    assert len(ids) == len(set(ids))


def test_no_two_demos_have_the_same_picture_and_none_has_words_too_small_to_read(gallery):
    pictures = gallery.locator("#gallery .fim-picture")
    drawn = pictures.evaluate_all("(pictures) => pictures.map((picture) => picture.innerHTML)")
    alike = {re.sub(r"at-\d+-", "", html) for html in drawn}
    assert len(alike) == len(drawn)
    assert not pictures.locator("text:visible").count()


def test_each_picture_of_the_tour_shows_the_moment_that_its_link_opens():
    page = BeautifulSoup((HTML / "book/tour.html").read_text(), "html.parser")
    for stop in page.select("article ol > li"):
        link, picture = stop.select_one("a[href]"), stop.select_one(".fim-shown")
        assert link is not None
        assert picture is not None
        there, _, settings = str(link["href"]).partition("#~")
        demo, _, moment = str(picture["data-demos"]).partition("#")
        assert f"book/{there}" == f"{demo}.html"
        assert settings.replace("view=map", "card=map") == f"card={moment.partition('.')[0]}"
        assert picture.select_one("svg, table")


def test_the_gallery_takes_two_screens_of_a_laptop_and_the_table_of_contents_one_click(open_page, home):
    page = open_page(f"{home}/{GALLERY}", viewport=LAPTOP)
    bottom = page.locator(".fim-gallery > li").last.evaluate("(card) => card.getBoundingClientRect().bottom")
    assert bottom <= SCREENS * LAPTOP["height"]
    contents = page.locator(".bd-sidebar-primary")
    assert contents.is_hidden()
    page.locator(".primary-toggle:visible").click()
    contents.wait_for()


@pytest.mark.parametrize("viewport", [DESKTOP, LAPTOP, PHONE])
def test_the_gallery_fits_its_screen(open_page, home, viewport):
    page = open_page(f"{home}/{GALLERY}", viewport=viewport)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_the_bar_leads_through_all_demos_and_back_to_the_gallery(open_page, home):
    page = open_page(f"{home}/{GALLERY}", viewport=DESKTOP)
    order = page.locator(".fim-gallery a").evaluate_all("(links) => links.map((link) => link.pathname)")
    page.goto(f"{home}{order[0]}")
    assert "".join(page.locator(".fim-demos").inner_text().split()) == f"◀1of{len(order)}▶"
    assert not page.locator(".fim-demos [rel=prev]").count()
    for there in order[1:3]:
        page.locator(".fim-demos [rel=next]").click()
        page.wait_for_function("(there) => location.pathname === there", arg=there)
    settled(page)
    page.keyboard.press("[")
    page.wait_for_function("(there) => location.pathname === there", arg=order[1])
    settled(page)
    page.keyboard.press("]")
    page.wait_for_function("(there) => location.pathname === there", arg=order[2])
    page.locator(".fim-demos a", has_text="of").click()
    page.wait_for_function("() => document.querySelectorAll('.fim-gallery > li').length")


def test_two_clicks_lead_from_the_landing_page_to_any_demo(open_page, home):
    page = open_page(f"{home}/book/index.html", viewport=DESKTOP)
    page.locator("article").get_by_role("link", name=f"All {len(DEMOS)} demos").click()
    page.wait_for_function("() => document.querySelectorAll('#gallery li').length")


@pytest.mark.parametrize("paper", CHAPTERS, ids=lambda paper: paper.room)
def test_a_chapters_first_page_leads_to_gallery_and_tour_and_a_papers_opens_with_a_live_scene(paper):
    page = BeautifulSoup((HTML / "book" / paper.room / "index.html").read_text(), "html.parser")
    links = {str(link["href"]).partition("#")[0] for link in page.select("article a[href]")}
    assert {"../demos.html", "../tour.html"} <= links
    if paper in PAPERS:
        scene = 'script[type="application/vnd.jupyter.widget-view+json"]'
        first = page.select_one(f"article :is({scene}, section h2)")
        assert first is not None
        assert first.name == "script"


def test_the_tour_is_shown_as_slides_with_places_to_stop(open_page, home):
    page = open_page(f"{home}/book/tour.html", viewport=DESKTOP)
    links = page.locator("article ol a").evaluate_all(
        "(links) => links.map((link) => link.getAttribute('href'))"
    )
    page.get_by_role("button", name="Show as slides").click()
    progress = page.locator(".fim-deck progress")
    frame = page.locator(".fim-deck iframe")
    for place, href in enumerate(links[:4]):
        assert frame.get_attribute("src") == href.replace("#~", "#~embed=1&")
        assert progress.evaluate("({ value, max }) => [value, max]") == [place + 1, len(links)]
        page.keyboard.press("ArrowRight")
    assert page.url.endswith("#slide=5")
    assert "A place to stop" in page.locator(".fim-deck-head").inner_text()
    assert not frame.is_visible()
    page.get_by_role("button", name="stop here").click()
    assert not page.locator(".fim-deck").count()
    assert page.locator("article ol").first.is_visible()


def test_a_slide_of_the_tour_shows_its_figure_and_a_remote_leads_on(open_page, home):
    page = open_page(f"{home}/book/tour.html#slide=2", viewport=DESKTOP)
    inside = page.frame_locator(".fim-deck iframe")
    inside.locator('.fim[data-state="done"]').wait_for()
    assert inside.locator("h1").first.is_hidden()
    inside.locator(".fim-front input").first.press("PageDown")
    page.wait_for_function("location.hash === '#slide=3'")


def test_a_lecture_is_six_scenes_each_at_the_card_that_it_speaks_of(open_page, home):
    page = open_page(f"{home}/book/lecture.html#slide=1", viewport=DESKTOP)
    links = page.locator("article ol a").evaluate_all("(links) => links.map((link) => link.href)")
    assert [link.split("/")[-2] for link in links] == ["recognise"] * 2 + ["acquire"] * 2 + ["recall"] * 2
    for link in links:
        figure = page.frame_locator(".fim-deck iframe").locator('.fim[data-state="done"]')
        figure.wait_for()
        assert figure.evaluate("({ live }) => live.story.place") + 1 == int(link.rpartition("card=")[2])
        page.keyboard.press("PageDown")


def test_a_slide_that_is_not_there_is_the_last(open_page, home):
    page = open_page(f"{home}/book/tour.html#slide=99", viewport=DESKTOP)
    assert page.locator(".fim-deck output").inner_text() == "12 of 12"


def test_the_landing_page_has_a_scene_of_each_paper(open_page, home):
    page = open_page(f"{home}/book/index.html", viewport=DESKTOP)
    settled(page)
    links = page.locator(".fim-shown li > a")
    addresses = links.evaluate_all("(links) => links.map((link) => link.pathname)")
    assert {address.split("/")[2] for address in addresses} == {"recognise", "acquire", "recall"}
    for link in links.all():
        assert link.locator(".fim-drawing svg").is_visible()
        assert link.locator("b").inner_text().strip()


def test_the_tour_ticks_what_is_done_and_can_start_over(open_page, home):
    page = open_page(f"{home}/book/tour.html", viewport=DESKTOP)
    page.evaluate("localStorage.clear()")
    page.reload()
    again = page.get_by_role("button", name="start over")
    assert again.is_hidden()
    page.locator("article ol a").first.click()
    page.wait_for_url("**/phases.html*")
    page.goto(f"{home}/book/tour.html")
    links = page.locator("article ol a").count()
    assert page.locator(".fim-tour output").text_content() == f"1 of {links} done"
    assert page.locator("article ol li").first.inner_text().startswith("Two words, two phases. ✓ done")
    page.get_by_role("button", name="Show as slides").click()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="stop here").click()
    assert page.locator(".fim-tour output").text_content() == f"2 of {links} done"
    again.click()
    assert page.locator(".fim-tick").all_text_contents() == [""] * links
    page.reload()
    assert again.is_hidden()


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_a_storys_drawing_stays_in_sight_while_its_words_go_past(open_page, home, viewport):
    page = open_page(f"{home}/book/story.html", viewport=viewport)
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
    steps = page.locator("li:has(> .fim-shown.large)")
    assert steps.count() == 12
    for step in steps.all():
        tops = step.evaluate(STAYS)
        assert max(tops) - min(tops) < 1, "it stays where it is"
        assert tops[0] >= 48, "below the header"


STAYS = """(step) => {
  const drawing = step.querySelector('.fim-picture');
  const { top } = getComputedStyle(drawing.parentElement);
  const begin = step.getBoundingClientRect().top + scrollY - Number.parseFloat(top);
  return [10, 60, 110].map((further) => {
    scrollTo({ top: begin + further, behavior: 'instant' });
    return drawing.getBoundingClientRect().top;
  });
}"""
