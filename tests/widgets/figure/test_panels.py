"""Every kind of panel in a real browser: drawn from the report's numbers, said in words, moved by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import PHONE
from tests.browser.reading import TOUCHING, unfold
from tests.widgets import showcase
from tests.widgets.pages import provide, write

pytestmark = pytest.mark.browser

DESKTOP = {"width": 1280, "height": 1600}
STEP = 10**0.01


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = provide(tmp_path_factory.mktemp("panels"))
    write(folder / "index.html", [showcase.figure()])
    return folder


@pytest.fixture
def open_figure(site: Path, serve: Any, open_page: Callable[..., Any]) -> Callable[..., Any]:
    """Opens the page of all panels at given settings."""
    address = serve(site)

    def open_(fragment: str = "", **settings: Any) -> Any:
        settings.setdefault("viewport", DESKTOP)
        page = open_page(f"{address}/index.html#~{fragment}", **settings)
        settled(page)
        unfold(page)
        return page

    return open_


def settled(page: Any) -> None:
    """Wait until what was last asked for is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_selector('.fim[data-state="done"]')


def panel(page: Any, title: str) -> Any:
    return page.locator(".fim-panel").filter(has=page.get_by_text(title, exact=True))


def said(page: Any, title: str) -> str:
    return panel(page, title).locator("svg").get_attribute("aria-label")


def setting(page: Any, name: str) -> float:
    """Where the slider of a parameter stands."""
    return float(page.locator(f".url-{name} input.ctl-readout").input_value().replace(",", ""))


def handle(page: Any, title: str) -> tuple[float, float]:
    """Where a panel's handle is in the window."""
    box = panel(page, title).locator(".fim-dot").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Any, *places: tuple[float, float]) -> None:
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=4)
    page.mouse.up()
    settled(page)


# What is drawn ---------------------------------------------------------------------------------------------------


def test_no_drawing_holds_what_is_not_a_number(open_figure):
    page = open_figure("words=2")
    drawn = page.locator(".fim-stage").inner_html() + page.locator(".fim-panels").inner_html()
    assert not re.findall(r'="[^"]*(?:NaN|undefined|Infinity)[^"]*"', drawn.replace('data-value="NaN"', ""))
    assert not re.search(r"NaN|undefined", page.locator(".fim").inner_text())


def test_every_drawing_says_its_numbers(open_figure):
    page = open_figure()
    for drawing in page.locator(".fim svg").all():
        assert re.search(r"\d", drawing.get_attribute("aria-label"))
    assert said(page, "Scores") == (
        "Scores. Paris: now 0.5, before 0.25; Rome: now 1, before 0.5; Madrid: now 1.5, before 0.75; "
        "Berlin: now 2, before 1."
    )
    assert "Rome, France: 2, framed; Rome, Italy: 2.5; Rome, Spain: 3" in said(page, "Table of scores")
    assert "Paris, France: —" in said(page, "Table of scores")
    assert "The point is at first pair 0.4, second pair 0.4, rest 0.2" in said(page, "Where attention goes")
    assert "saddle at 0.5, 0.5, 0" in said(page, "Where attention goes")
    assert "here 30: 0.5" in said(page, "Two regions")
    assert "31 bars, the largest w0: 1; w1: 0.607" in said(page, "Many")


def test_a_gap_breaks_a_line_and_leaves_out_points(open_figure):
    chart = panel(open_figure(), "Two regions")
    whole, broken = (path.get_attribute("d") for path in chart.locator(".fim-lines path").all())
    assert (whole.count("M"), broken.count("M")) == (1, 2)
    crosses = chart.locator(".fim-points .fim-cross").count()
    assert crosses == broken.count("L") + 2


def test_regions_are_filled_and_named_inside(open_figure):
    chart = panel(open_figure(), "Two regions")
    frame = chart.locator(".fim-areas").bounding_box()
    assert chart.locator(".fim-areas path").count() == 2
    for label in ("cold", "hot"):
        box = chart.locator(".fim-area-labels").get_by_text(label, exact=True).bounding_box()
        assert frame["x"] <= box["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
    cold, hot = (chart.get_by_text(label, exact=True).bounding_box()["y"] for label in ("cold", "hot"))
    assert hot < cold


def test_the_cross_hair_is_drawn_behind_the_names(open_figure):
    chart = panel(open_figure(), "Two regions")
    layers = chart.locator("svg > g").evaluate_all("(groups) => groups.map((group) => group.classList[0])")
    cross = layers.index("fim-cross")
    assert layers.index("fim-areas") < cross < layers.index("fim-area-labels")


def test_powers_of_ten_stand_on_logarithmic_axes(open_figure):
    texts = panel(open_figure(), "Two regions").locator(".fim-ticks text").all_text_contents()
    assert {"10", "1,000", "10⁵", "10⁻⁴"} <= set(texts)


def test_bars_are_as_long_as_their_numbers(open_figure):
    chart = panel(open_figure(), "Scores")
    lengths = [float(bar.get_attribute("width")) for bar in chart.locator(".fim-bars rect").all()]
    assert lengths == pytest.approx([lengths[-1] * k for k in (0.5, 0.25, 1, 0.5, 1.5, 0.75, 2, 1)], rel=1e-6)


def test_labels_without_a_bar_are_left_out_and_nothing_below_moves(open_figure):
    page = open_figure()
    names = panel(page, "Scores").locator(".fim-names text")
    assert names.all_text_contents() == list(showcase.WORDS)
    last = page.locator(".fim-check")
    before = last.bounding_box()["y"]
    page.locator(".url-words input[type=range]").press("Home")
    settled(page)
    assert names.all_text_contents() == ["Paris"]
    assert last.bounding_box()["y"] == before


def test_cells_without_a_number_are_hatched_and_others_say_theirs(open_figure):
    page = open_figure()
    table = panel(page, "Table of scores")
    cells = table.locator(".fim-cells rect")
    assert cells.count() == 12
    assert "url(" in cells.nth(0).get_attribute("style")
    assert table.locator(".fim-cell-numbers text").count() == 11
    opacities = [float(cells.nth(i).get_attribute("fill-opacity")) for i in range(1, 12)]
    assert opacities == sorted(opacities)
    cells.nth(6).hover()
    assert table.get_by_text("Rome, Spain: 3", exact=True).is_visible()


def test_the_table_of_terms_is_a_table_that_glows(open_figure):
    page = open_figure()
    table = page.get_by_role("table", name="Terms")
    assert [cell.inner_text().split("\n") for cell in table.get_by_role("cell").all()] == [
        ["v₁v₂", "0.8"],
        ["v₃v₄", "0.5"],
        ["v₁v₄", "—"],
        ["½(v₁² + v₂²)", "0.2"],
    ]
    colours = table.locator("td").evaluate_all(
        "(cells) => cells.map((c) => getComputedStyle(c).backgroundColor)"
    )
    assert len(set(colours)) == 4
    assert page.get_by_role("rowheader", name="confusing").count() == 1


def test_values_may_be_words(open_figure):
    page = open_figure()
    assert page.locator("[data-field=below]").all_text_contents() == ["hot", "hot"]
    assert page.locator("[data-field=below]").first.get_attribute("data-value") == "0"


def test_another_text_does_not_move_the_page(open_figure):
    """On a phone, where no lines are kept for longer texts, the scene stays; a caption may begin below it."""
    for viewport, parts in (
        (DESKTOP, (".fim-below", ".fim-toolbar")),
        (PHONE, (".fim-stage",)),
    ):
        page = open_figure(viewport=viewport)
        page.evaluate("document.querySelector('.fim-aloud').open = false")  # all numbers in one paragraph
        tops = [page.locator(part).bounding_box()["y"] for part in parts]
        words = page.locator(".fim-caption").inner_text()
        page.evaluate(
            "document.querySelector('.fim').live.sheet?.follow({ values: { heat: 0 }, lights: [] })"
        )  # a phone shows one at a time
        page.locator(".url-heat input[type=range]").press("Home")
        settled(page)
        assert page.locator(".fim-caption").inner_text() != words
        assert [page.locator(part).bounding_box()["y"] for part in parts] == tops


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_shows_it_all_without_touching_labels(open_figure, theme):
    page = open_figure(viewport=PHONE, color_scheme=theme)
    page.evaluate("(theme) => document.documentElement.dataset.theme = theme", theme)
    scroller = "document.scrollingElement"
    assert page.evaluate(f"{scroller}.scrollWidth <= {scroller}.clientWidth")
    assert page.evaluate(TOUCHING) == []
    assert page.evaluate(OUTSIDE) == []


OUTSIDE = """() => [...document.querySelectorAll('.fim svg text')].filter((text) => {
  const { left, right } = text.getBoundingClientRect();
  return left < -1 || right > innerWidth + 1;
}).map((text) => text.textContent)"""
"""Texts that stick out of the window."""


# What hands do ---------------------------------------------------------------------------------------------------


def test_a_click_in_the_chart_chooses_both_parameters(open_figure):
    page = open_figure()
    panel(page, "Two regions").scroll_into_view_if_needed()
    x, y = handle(page, "Two regions")
    page.mouse.click(x + 100, y + 40)
    settled(page)
    # a mouse says whole pixels, and a slider has steps
    assert handle(page, "Two regions") == pytest.approx((x + 100, y + 40), abs=1.5)
    assert setting(page, "n") > 100
    assert setting(page, "heat") < 0.2
    assert f"here {setting(page, 'n'):,g}:" in said(page, "Two regions")
    page.wait_for_function("() => location.hash.includes('n=') && location.hash.includes('heat=')")


def test_a_drag_follows_the_mouse_and_stops_at_the_sliders_ends(open_figure):
    page = open_figure()
    panel(page, "Two regions").scroll_into_view_if_needed()
    x, y = handle(page, "Two regions")
    drag(page, (x, y), (x + 60, y + 30), (x - 4000, y - 4000))
    assert setting(page, "n") == pytest.approx(3)
    assert setting(page, "heat") == pytest.approx(2)


def test_arrow_keys_move_by_the_sliders_steps(open_figure):
    page = open_figure()
    hand = panel(page, "Two regions").get_by_role("slider")
    hand.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    settled(page)
    assert setting(page, "n") == pytest.approx(30 * STEP, rel=0.005)
    assert setting(page, "heat") == pytest.approx(0.5 / STEP, rel=0.005)
    page.keyboard.press("Shift+ArrowRight")
    settled(page)
    assert setting(page, "n") == pytest.approx(30 * STEP**11, rel=0.005)
    assert hand.get_attribute("aria-valuetext").startswith("n = 38.")


def test_a_tap_chooses_and_the_rest_of_the_chart_still_scrolls(open_figure):
    page = open_figure(viewport=PHONE, has_touch=True, is_mobile=True)
    assert panel(page, "Two regions").get_by_text("Tap the chart").is_visible()
    panel(page, "Two regions").scroll_into_view_if_needed()
    x, y = handle(page, "Two regions")
    page.touchscreen.tap(x + 60, y + 30)
    settled(page)
    assert handle(page, "Two regions") == pytest.approx((x + 60, y + 30), abs=1.5)
    svg = panel(page, "Two regions").locator("svg")
    assert svg.evaluate("(node) => getComputedStyle(node).touchAction") == "pan-y"


def test_clicks_beside_the_axes_choose_nothing(open_figure):
    page = open_figure()
    box = panel(page, "Two regions").locator("svg").bounding_box()
    page.mouse.click(box["x"] + 5, box["y"] + box["height"] - 3)
    settled(page)
    assert (setting(page, "n"), setting(page, "heat")) == (30, 0.5)


def masses(page: Any) -> list[float]:
    """The three masses that the table prints."""
    return [float(n) for n in page.locator("[data-field=masses]").get_attribute("data-value").split(",")]


def test_the_point_in_the_triangle_follows_the_mouse(open_figure):
    page = open_figure()
    triangle = panel(page, "Where attention goes")
    triangle.scroll_into_view_if_needed()
    x, y = handle(page, "Where attention goes")
    drag(page, (x, y), (x - 40, y + 10))
    assert handle(page, "Where attention goes") == pytest.approx((x - 40, y + 10), abs=2)
    first, second, rest = masses(page)
    assert first > second
    assert rest < 0.2
    assert setting(page, "total") == pytest.approx(first + second)
    written = triangle.locator(".fim-masses").text_content().split(" · ")
    assert [float(text.rstrip("\u00a0%")) for text in written] == pytest.approx(
        [100 * share for share in (first, second, rest)], abs=0.51
    )


FOLD = "(all) => all.forEach((fold) => (fold.open = false))"


def test_outside_the_triangle_the_point_stays_at_its_edge(open_figure):
    page = open_figure()
    panel(page, "Where attention goes").scroll_into_view_if_needed()
    place = handle(page, "Where attention goes")
    drag(page, place, (place[0], place[1] - 2000))
    assert masses(page) == [0, 0, 1]
    assert setting(page, "share") == 0.5  # nothing to share: it stays
    page.locator(".fim-side details").evaluate_all(FOLD)  # open settings lie over the corner
    corner = handle(page, "Where attention goes")
    drag(page, corner, (corner[0] - 2000, corner[1] + 300))
    assert masses(page) == [1, 0, 0]


def test_arrow_keys_move_the_point(open_figure):
    page = open_figure()
    panel(page, "Where attention goes").get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowUp")
    settled(page)
    assert setting(page, "share") == pytest.approx(0.505)
    assert setting(page, "total") == pytest.approx(0.75)


def test_a_finger_drags_the_point(open_figure):
    page = open_figure(viewport=PHONE, has_touch=True, is_mobile=True)
    opener = panel(page, "Where attention goes").locator(".fim-opener")
    if opener.count():  # above the sheet there is room for some drawings
        opener.tap()
    panel(page, "Where attention goes").scroll_into_view_if_needed()
    x, y = handle(page, "Where attention goes")
    session = page.context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x - 20, "y": y + 20}]),
        ("touchMove", [{"x": x - 30, "y": y + 30}]),
        ("touchEnd", []),
    ):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    settled(page)
    assert handle(page, "Where attention goes") == pytest.approx((x - 30, y + 30), abs=2)


def test_shades_fill_the_triangle_from_the_field(open_figure):
    page = open_figure()
    shades = panel(page, "Where attention goes").locator("canvas")
    opacity = """(canvas) => {
      const pen = canvas.getContext('2d');
      const at = (x, y) => pen.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data[3];
      return [at(0.02, 0.02), at(0.5, 0.8), at(0.5, 0.1), at(0.05, 0.98)];
    }"""
    outside, near, top, corner = shades.evaluate(opacity)
    assert outside == 0
    assert 0 < near < corner < top  # the field is the squared distance from the point
    assert panel(page, "Where attention goes").locator(".fim-contours path").count() >= 3
