"""The gallery of all demos, and the bar that leads from one to the next."""

import pytest

from tests import DESKTOP, HTML, PHONE
from tests.browser.book import live_pages
from tests.browser.reading import settled

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]
GALLERY = "book/demos.html"
DEMOS = [page for page in live_pages() if page.count("/") > 1]
SCREENS = 3


@pytest.fixture
def gallery(open_page, home):
    return open_page(f"{home}/{GALLERY}", viewport=DESKTOP)


def test_every_demo_has_a_card_with_a_picture_its_sliders_and_a_verdict(gallery):
    cards = gallery.locator(".fim-gallery > li")
    addresses = cards.locator("a").evaluate_all("(links) => links.map((link) => link.pathname)")
    assert sorted(addresses) == sorted(f"/{page}" for page in DEMOS)
    for card in cards.all():
        assert card.locator("svg, table").count()
        assert card.locator("b").inner_text().strip()
        assert "Sliders: " in card.inner_text()
    ids = gallery.locator("[id]").evaluate_all("(nodes) => nodes.map((node) => node.id)")
    assert len(ids) == len(set(ids))


def test_the_gallery_takes_a_few_screens_of_a_laptop(gallery):
    assert gallery.evaluate("document.documentElement.scrollHeight") <= SCREENS * DESKTOP["height"]


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
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


def test_the_landing_page_has_a_scene_of_each_paper(open_page, home):
    page = open_page(f"{home}/book/index.html", viewport=DESKTOP)
    settled(page)
    links = page.locator(".fim-shown li > a")
    addresses = links.evaluate_all("(links) => links.map((link) => link.pathname)")
    assert {address.split("/")[2] for address in addresses} == {"recognise", "acquire", "recall"}
    for link in links.all():
        assert link.locator(".fim-scene").is_visible()
        assert link.locator("b").inner_text().strip()
