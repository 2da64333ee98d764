"""The drawing of which statement uses which: a hypothesis is broken, and what uses it is examined again in the page."""

from __future__ import annotations

from typing import Any

import pytest

from tests import DESKTOP, HTML, PHONE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]
PAGE = "book/graph.html"
LEMMA = "recall.lemma-6"
ABOVE = "recall.theorem-2"
MOVED = """([label, place]) => {
  const sliders = [...document.querySelectorAll('.fim-examine-sliders label')];
  const slider = sliders.find((row) => row.textContent.startsWith(label)).querySelector('input');
  slider.value = place;
  slider.dispatchEvent(new Event('input', { bubbles: true }));
}"""
EXAMINED = "/of each figure otherwise/.test(document.querySelector('.fim-examine [role=status]').textContent)"


@pytest.fixture(params=["served", "from a disk"])
def panel(request, serve: Any, open_page: Any) -> Any:
    """The page with its panel open."""
    address = serve(HTML) if request.param == "served" else HTML.as_uri()
    page = open_page(f"{address}/{PAGE}", viewport=DESKTOP)
    page.get_by_text("Break a hypothesis", exact=True).click()
    return page


def outcome(page: Any, id: str) -> str | None:
    return page.locator(f'.statement-graph a[data-id="{id}"]').first.get_attribute("data-outcome")


def unfold(page):
    """Open the drawings that are folded."""
    page.evaluate("document.querySelectorAll('.bd-article details').forEach((fold) => { fold.open = true; })")


def test_a_statement_lights_up_what_rests_on_it_in_other_papers_too(open_page, home):
    page = open_page(f"{home}/{PAGE}", viewport=DESKTOP)
    unfold(page)
    page.locator(f'.statement-graph svg a[data-id="{LEMMA}"]').first.focus()
    highlighted = page.locator(".statement-graph .highlighted a.on").evaluate_all(
        "(boxes) => boxes.map((box) => box.dataset.id)"
    )
    assert highlighted.count(LEMMA) == 2  # among its own paper's, and beside those that rest on it
    assert "together.saddle-clock" in highlighted
    line = f'path.on[data-from="{LEMMA}"][data-to="together.answers-alone"]'
    assert page.locator(f".statement-graph {line}").count() == 1
    page.locator(f'.statement-graph svg a[data-id="{LEMMA}"]').first.blur()
    assert not page.locator(".statement-graph .highlighted").count()


def test_a_name_fits_into_its_box(open_page, home):
    page = open_page(f"{home}/{PAGE}", viewport=DESKTOP)
    unfold(page)
    assert not page.evaluate("""[...document.querySelectorAll('.statement-graph svg a')].filter((box) => {
      const { left, right } = box.querySelector('rect').getBoundingClientRect();
      const rows = [...box.querySelectorAll('text')].map((row) => row.getBoundingClientRect());
      return rows.some((row) => row.left < left || row.right > right);
    }).map((box) => box.dataset.id)""")


def test_a_statement_stands_between_what_it_rests_on_and_what_rests_on_it(open_page, home):
    page = open_page(f"{home}/{PAGE}", viewport=PHONE, has_touch=True, is_mobile=True)
    chosen = page.locator(".graph-chosen .chosen a")
    assert chosen.get_attribute("data-id") == ABOVE
    page.locator(f'.graph-chosen .below a[data-id="{LEMMA}"]').tap()
    assert page.url.endswith(f"{PAGE}#{LEMMA}")
    assert chosen.get_attribute("data-id") == LEMMA
    users = page.locator(".graph-chosen .above a").evaluate_all(
        "(cards) => cards.map((card) => card.dataset.id)"
    )
    assert ABOVE in users
    assert "together.saddle-clock" in users
    assert page.locator(".graph-chosen .above > p").first.text_content() == (
        f"{len(users)} statements use it"
    )
    chosen.tap()
    page.wait_for_url(f"**/s/{LEMMA}.html")


def test_a_finger_lights_up_a_statement_of_a_drawing_first_and_opens_its_page_then(open_page, home):
    page = open_page(f"{home}/{PAGE}", viewport=DESKTOP, has_touch=True)  # a phone shows no drawing
    unfold(page)
    box = page.locator(f'.statement-graph svg a[data-id="{LEMMA}"]').first
    box.tap()
    assert page.url.endswith(PAGE)
    assert page.locator(".statement-graph .highlighted").count()
    box.tap()
    page.wait_for_url(f"**/s/{LEMMA}.html")


def test_an_address_leads_to_a_statement_and_one_that_has_gone_is_said(open_page, home):
    page = open_page(f"{home}/{PAGE}#{LEMMA}", viewport=DESKTOP)
    assert page.locator(".graph-chosen .chosen a").get_attribute("data-id") == LEMMA
    page.evaluate("location.hash = '#recall.lemma-99'")
    page.get_by_text("The address asks for the statement recall.lemma-99, which is not here.").wait_for()


def test_a_broken_hypothesis_recolours_what_rests_on_it(panel):
    panel.get_by_label("Break a hypothesis of").select_option(LEMMA)
    panel.wait_for_selector(".fim-examine-sliders input")
    sign = panel.locator(f'a[data-id="{ABOVE}"] .fim-sign').first
    before = sign.text_content()
    panel.evaluate(MOVED, ["size of the push", 0])  # nothing leads out of the saddle
    panel.wait_for_function(EXAMINED, timeout=60_000)
    assert outcome(panel, LEMMA) == "undecided"  # it cannot be judged before the loss has settled
    assert outcome(panel, ABOVE) == "outside"
    assert sign.text_content() == "○"
    results = panel.locator(".fim-examine li")
    assert results.count() >= 5
    assert "a hypothesis is broken" in " ".join(results.all_text_contents())
    panel.get_by_role("button", name="back to the defaults").click()
    assert outcome(panel, ABOVE) is None
    assert sign.text_content() == before


def test_a_program_that_cannot_be_loaded_is_said(panel, complaints):
    panel.route("**/programs/*.js", lambda route: route.abort())
    if panel.url.startswith("file:"):
        pytest.skip("a page from a disk asks nobody")
    panel.get_by_label("Break a hypothesis of").select_option(LEMMA)
    panel.get_by_text("The program of this statement could not be loaded.").wait_for()
    complaints.clear()  # the browser says, too, that it has not come


def test_what_stands_alone_says_how_many_cannot_be_examined(panel):
    panel.get_by_label("Break a hypothesis of").select_option("recall.lemma-1")
    panel.wait_for_selector(".fim-examine-sliders input")
    panel.evaluate(MOVED, ["seed", 3])
    panel.wait_for_function(EXAMINED, timeout=120_000)
    said = panel.locator(".fim-examine [role=status]").text_content()
    assert "without a figure of their own or without such a setting" in said
