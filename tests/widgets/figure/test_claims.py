"""Statements in a real browser: states, sentences, lights and bounds that agree, and say what decided."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import DESKTOP, PHONE
from tests.widgets import showcase
from tests.widgets.pages import provide, write
from tests.widgets.showcase import CLAIM, LEMMA

pytestmark = pytest.mark.browser

PLACES = {
    "": ("holds", "contradicted"),
    "rate=2.5": ("outside", "outside"),
    "rate=2.5&start=0": ("beyond", "beyond"),
    "steps=2": ("undecided", "undecided"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = provide(tmp_path_factory.mktemp("claims"))
    write(folder / "index.html", [showcase.descends()])
    return folder


@pytest.fixture
def open_figure(site: Path, serve: Any, open_page: Callable[..., Any]) -> Callable[..., Any]:
    """Opens the page of the two statements at given settings."""
    address = serve(site)

    def open_(fragment: str = "", state: str = "done", **settings: Any) -> Any:
        settings.setdefault("viewport", DESKTOP)
        page = open_page(f"{address}/index.html#~{fragment}", **settings)
        page.wait_for_selector(f'.fim[data-state="{state}"]')
        return page

    return open_


def top(page: Any, statement: showcase.Toy) -> Any:
    return page.locator(f'.fim-statement[data-statement="{statement.id}"]')


def states(page: Any, statement: showcase.Toy) -> dict[str, str | None]:
    """What the verdict says of hypotheses and conclusion, and whether what came out is any good."""
    box = top(page, statement)
    return {key: box.get_attribute(f"data-{key}") for key in ("assumed", "concluded", "good")}


def sentence(page: Any, statement: showcase.Toy) -> str:
    return top(page, statement).locator(".fim-verdict .fim-said").text_content()


def decided(page: Any, statement: showcase.Toy) -> list[str]:
    """What is marked as having decided: its own words."""
    marked = page.locator(f'.fim-below [data-statement="{statement.id}"] [data-decides]').all()
    return [item.locator(".fim-light-label, th").text_content() for item in marked]


@pytest.mark.parametrize("fragment", PLACES)
def test_states_lights_bounds_and_sentence_agree(open_figure, fragment):
    page = open_figure(fragment)
    for statement, key in zip((LEMMA, CLAIM), PLACES[fragment], strict=True):
        box = page.locator(f'.fim-below [data-statement="{statement.id}"]')
        assert top(page, statement).get_attribute("data-verdict") == key
        verdict = states(page, statement)
        lights = [light.get_attribute("data-state") for light in box.locator("[data-light]").all()]
        assert verdict["assumed"] == ("broken" if "violated" in lights else "holds")
        holds = [row.get_attribute("data-holds") for row in box.locator("[data-bound]").all()]
        waiting = box.locator('[data-settled][data-state="other"]').count()
        assert verdict["concluded"] == ("undecided" if waiting else "fails" if "0" in holds else "holds")
        for row in box.locator("[data-bound]").all():
            low, measured, high = (
                float(row.get_attribute(f"data-{name}")) for name in ("low", "measured", "high")
            )
            assert (low < measured < high) == (row.get_attribute("data-holds") == "1")


def test_the_sentence_names_what_decided_and_the_same_is_marked(open_figure):
    page = open_figure("rate=2.5")
    assert sentence(page, LEMMA) == "Outside Lemma 1: the rate η is 2 or above, and |x| at the end fails."
    assert decided(page, LEMMA) == ["the rate η is below 2", "|x| at the end"]
    page = open_figure()
    assert (decided(page, LEMMA), decided(page, CLAIM)) == ([], ["|x| at the end"])
    assert sentence(page, CLAIM) == "Claim 2 is contradicted: |x| at the end."
    page = open_figure("steps=2")
    assert decided(page, LEMMA) == ["|x| is below 10⁻³, or has doubled"]
    page = open_figure("rate=2.5&start=0")
    assert decided(page, LEMMA) == ["the rate η is below 2"]


def test_the_outcome_is_a_fact_and_only_where_there_is_one(open_figure):
    page = open_figure("rate=0.2")
    fact = page.locator(".fim-check .fim-fact .fim-said")  # among the numbers: a verdict is one sentence
    assert fact.all_text_contents() == ["share of the steps: 0.517"]  # the claim has none
    assert states(page, LEMMA) == {"assumed": "holds", "concluded": "holds", "good": "poor"}  # true, and slow
    assert states(page, CLAIM)["good"] == "none"
    page = open_figure("steps=2")
    assert page.locator(".fim-check .fim-fact .fim-said").all_text_contents() == [""]
    assert states(page, LEMMA)["good"] == "none"


def test_the_table_says_where_each_number_must_lie(open_figure):
    page = open_figure()
    rows = page.locator(f'.fim-numbers[data-statement="{CLAIM.id}"] tbody tr').all()
    cells = [
        [cell.text_content().replace("\u00a0", " ") for cell in row.locator("th, td").all()] for row in rows
    ]
    assert cells == [
        ["|x| at the end", "< 1e−4", "9.77e−4", "✕fails"],
        ["1 − η", "−2 … 1", "0.5", "✓holds"],
        ["steps", "", "10", ""],
    ]


def test_the_name_leads_to_the_statements_box_and_the_ground_is_said(open_figure):
    title = top(open_figure(), LEMMA).locator(".fim-claim-name")
    assert title.text_content() == "Lemma 1 as printed"
    assert title.locator("a").get_attribute("href") == "#toy-lemma-1"


def test_sentences_are_announced(open_figure):
    page = open_figure()
    assert page.locator(".fim-verdict[role=status] > .fim-unseen").all_text_contents() == [
        f"{name}: " for name in page.locator(".fim-claim-name > :first-child").all_text_contents()
    ]


def test_a_caption_speaks_of_this_run_and_has_no_holes(open_figure):
    said = {}
    for fragment in (*PLACES, "rate=0.2", "steps=0"):
        caption = open_figure(fragment).locator(".fim-caption")
        assert caption.get_attribute("data-defects") == ""
        said[fragment] = caption.locator(".fim-said").text_content().replace("\u00a0", " ")
    assert said == {
        "": "|x| falls below 10⁻³ after 10 steps, 17 % of those allowed.",
        "rate=2.5": "|x| has grown to 2.25.",
        "rate=2.5&start=0": "|x| falls below 10⁻³ after 1 step, 2 % of those allowed.",
        "steps=2": "After 100 % of the steps |x| is still 0.25.",
        "rate=0.2": "|x| falls below 10⁻³, but only after 31 steps.",
        "steps=0": "After 0 % of the steps |x| is still 1.",
    }


def test_a_setting_that_is_refused_leaves_the_verdict_of_the_run_that_is_shown(open_figure):
    page = open_figure("rate=0.6")
    assert top(page, LEMMA).get_attribute("data-verdict") == "holds"
    before = sentence(page, LEMMA)
    page.evaluate("location.hash = '#~rate=20'")
    page.locator(".ctl-problem", has_text="0.01 to 3, please.").first.wait_for(state="attached")
    assert (top(page, LEMMA).get_attribute("data-verdict"), sentence(page, LEMMA)) == ("holds", before)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_nothing_moves_when_the_verdict_changes_and_nothing_sticks_out(open_figure, viewport):
    """On a phone, where no lines are kept for longer sentences, it is the scene that does not move."""
    places = set()
    for fragment in PLACES:
        page = open_figure(fragment, viewport=viewport)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        box = page.locator(".fim-stage" if viewport == PHONE else ".fim").bounding_box()
        places.add((box["y"], box["height"]))
    assert len(places) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_the_paper(open_figure, scheme):
    page = open_figure("rate=2.5")
    page.evaluate(f"document.documentElement.dataset.theme = {scheme!r}")
    page.evaluate(f"document.body.style.background = {('#fff' if scheme == 'light' else '#121212')!r}")
    assert page.evaluate(FAINTEST) >= 4.5


FAINTEST = """() => {
  const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const texts = document.querySelectorAll('.fim-claim-name a, .fim-claim-name small, .fim-fact, .fim-verdict');
  return Math.min(...[...texts].map((text) => {
    const ink = light(getComputedStyle(text).color);
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  }));
}"""
"""The least contrast of a title, a fact or a sentence with the page."""


def copied(page: Any) -> str:
    page.get_by_text("copy as Python").click()
    return page.locator("[data-copied]").get_attribute("data-copied")


def test_python_is_the_statements_call_with_what_differs_from_where_it_holds(open_figure):
    page = open_figure()
    assert copied(page) == "from tests.widgets.showcase import lemma_1\n\nlemma_1(steps=60)"
    page = open_figure("rate=2.5&flip=1&steps=100")
    assert copied(page) == "from tests.widgets.showcase import lemma_1\n\nlemma_1(rate=2.5, flip=1)"
