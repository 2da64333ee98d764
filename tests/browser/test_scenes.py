"""Scenes: drawings that move with the run, its stops, and controls beside them; for phones see test_phone.py."""

import re
from itertools import pairwise
from typing import Any

import pytest

from book.recall.saddle.program import warm_up
from book.recall.scene import shown
from lib.program import run
from lib.recall.phases import thresholds
from tests import HTML, LAPTOP, PHONE
from tests.browser.book import WITH_A_TABLE_FIRST, live_pages
from tests.browser.reading import SETTLED, look_closer, settled, turn_to
from tests.browser.test_first_picture import ASKS

SADDLE = "book/recall/saddle.html"
PHASES = "book/recognise/phases.html"
LOW_RANK = "book/acquire/low_rank.html"
MOST_SCREENS = 8
"""Screens of a laptop from a page's top to its exercises."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@pytest.fixture
def page(open_page, home):
    opened = open_page(f"{home}/{SADDLE}", viewport=LAPTOP)
    settled(opened)
    return opened


def weights(page) -> list[float]:
    """The attention that the strip draws as arcs; arcs of next to nothing are left out."""
    return page.locator(".fim-scene .fim-arcs path").evaluate_all(
        "(arcs) => arcs.map((arc) => Number(arc.dataset.weight))"
    )


def scrub(page, share: float) -> None:
    page.locator(".fim-scrubber").evaluate(
        "(range, share) => { range.value = range.max * share; range.dispatchEvent(new Event('input')); }",
        share,
    )


def test_a_scene_draws_the_runs_own_numbers_at_its_stops(page):
    histories = run(shown(warm_up())).histories
    for stop, rows in zip(("stuck", "settled"), (history.rows for history in histories), strict=True):
        page.get_by_role("button", name=stop, exact=True).click()
        expected = rows.weights[-1].tolist()
        assert weights(page) == pytest.approx([weight for weight in expected if weight > 0.004], abs=1e-9)
        ball = page.locator(".fim-scene .fim-ball circle")
        assert float(ball.get_attribute("data-at")) == pytest.approx(float(rows.place[-1]), abs=1e-9)
        assert float(ball.get_attribute("data-height")) == pytest.approx(float(rows.loss[-1]), abs=1e-9)


def test_a_levels_name_stands_where_the_ground_does_not_cross_it(page):
    turn_to(page, temperature=0.0895)
    crossed = page.locator(".fim-scene svg:has(.fim-surface)").evaluate(
        """(drawing) => {
            const ground = drawing.querySelector(".fim-surface");
            const name = drawing.querySelector(".fim-level-labels text").getBBox();
            return Array.from({ length: 200 }, (_, i) => ground.getPointAtLength((i / 199) * ground.getTotalLength()))
                .filter(({ x, y }) => x > name.x && x < name.x + name.width)
                .filter(({ y }) => y > name.y + 2 && y < name.y + name.height - 2).length;
        }"""
    )
    assert crossed == 0


def test_a_ring_below_the_close_ups_sets_the_temperature(open_page, home):
    """Each range is as wide as its close-up, so that those between the thresholds can be hit."""
    page = open_page(f"{home}/book/recall/temperature.html", viewport=LAPTOP)
    settled(page)
    hand = page.locator(".fim-scene .fim-hand")
    third = page.locator(".fim-scene .fim-sheets rect").nth(2).bounding_box()
    y = hand.locator(".fim-dot").bounding_box()["y"] + 6
    page.mouse.click(third["x"] + third["width"] / 2, y)
    settled(page)
    held = page.locator(".fim-scene .fim-claims text").all_text_contents()
    assert [claim[0] for claim in held] == ["✕", "✕", "✓"]
    assert thresholds().lowest < float(hand.get_attribute("aria-valuenow")) < thresholds().exists
    before = float(hand.get_attribute("aria-valuenow"))
    hand.press("ArrowRight")
    assert float(hand.get_attribute("aria-valuenow")) > before


def test_off_the_curve_the_ball_stands_on_a_stem_and_far_above_it_there_is_none(page):
    stem, ball = (page.locator(f".fim-scene .fim-ball {tag}") for tag in ("line", "circle"))

    def height() -> float:
        return abs(float(stem.get_attribute("y1")) - float(stem.get_attribute("y2")))

    def is_off(place: float) -> bool:
        scrub(page, place)
        return ball.get_attribute("class") == "fim-off"

    scrub(page, 0)
    assert not ball.is_visible()
    assert any(is_off(place / 100) for place in range(1, 50))
    assert float(ball.get_attribute("data-at")) == pytest.approx(
        1 / 4
    )  # above the pass: all words get the same
    assert height() > 2
    page.get_by_role("button", name="stuck", exact=True).click()
    assert not ball.get_attribute("class")
    assert height() == 0


def test_past_a_stop_its_sentence_says_when_it_was(page):
    page.get_by_role("button", name="stuck", exact=True).click()
    assert caption(page).startswith("Stage 1, step 1,500. Stuck:")
    scrub(page, 0.53)
    assert re.match(r"Stage 2, step \d+\. Earlier, at stage 1, step 1,500: Stuck:", caption(page))


AREAS = """() => [...document.querySelectorAll('.fim-live .fim-stage')].map((stage) => {
  const [all, main] = [stage, stage.querySelector('.fim-panel')].map((box) => box.getBoundingClientRect());
  return (main.width * main.height) / (all.width * all.height);
})"""
"""The main drawing's share of the area of the stage, which has the run's time, too."""

SHARES = """() => [...document.querySelectorAll('.fim-live .fim-scene')].map((scene) =>
  scene.querySelector('.fim-panel').clientWidth / scene.clientWidth)"""
"""The main drawing's share of the scene's width."""

TOO_SMALL = """([least, where]) => [...document.querySelectorAll(':is(.fim, .fim-step) svg text')]
  .filter((text) => text.closest(where))
  .filter((text) => text.textContent.trim() && text.checkVisibility())
  .map((text) => {
    const { a, b } = text.getScreenCTM();
    return [Number.parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b), text.textContent];
  })
  .filter(([size]) => size < least - 0.01)"""
"""Words of live drawings whose letters are smaller than so many pixels on the screen."""


DEAD = """() => {
  const frame = '.fim-grid, .fim-ticks, .fim-bands, .fim-levels, .fim-square, .fim-quadrant, .fim-failing, .fim-axis';
  const reach = (panel) => {
    const boxes = [...panel.querySelectorAll('path, rect, circle, line, .fim-values text')]
      .filter((mark) => mark.checkVisibility() && !mark.closest(`${frame}, defs`))
      .map((mark) => mark.getBoundingClientRect()).filter(({ width, height }) => width + height);
    const [left, right] = [boxes.map((box) => box.left), boxes.map((box) => box.right)];
    return boxes.length && Math.max(...right) - Math.min(...left);
  };
  return [...document.querySelectorAll('.fim-scene .fim-panel')].filter((panel) => panel.querySelector('svg'))
    .filter((panel) => !(ASKS)(panel) && reach(panel) < (panel.querySelector('.fim-lines, .fim-bars') ? 40 : 8))
    .map((panel) => panel.querySelector('.fim-title')?.textContent ?? 'a panel without a title');
}""".replace("ASKS", ASKS)
"""The drawings in which there is nothing but axes and labels; in a chart the dots where it begins are nothing, too."""

JUDGED = """() => {
  const style = getComputedStyle(document.body);
  const probe = document.body.appendChild(document.createElement('i'));
  const verdicts = ['leaf', 'red'].map((hue) => {
    probe.style.color = `var(--fim-hue-${hue})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return [...document.querySelectorAll('.fim:has(.fim-train) .fim-scene *')].filter((node) => {
    const { color, fill, stroke } = getComputedStyle(node);
    return [color, fill, stroke].some((colour) => verdicts.includes(colour));
  }).map((node) => node.outerHTML.slice(0, 80));
}"""
"""What has the colour of a verdict before anything has run."""

EXERCISES = """() => {
  const headings = [...document.querySelectorAll('.bd-article h2')];
  const exercises = headings.find(({ textContent }) => textContent.startsWith('Exercise'));
  const place = (exercises ?? document.querySelector('.bd-article')).getBoundingClientRect();
  return ((exercises ? place.top : place.bottom) + scrollY) / innerHeight;
}"""


@pytest.fixture
def laptop(visit: Any) -> Any:
    """Opens a page that waits at its start, even where it would play by itself."""
    return lambda path: visit(path, viewport=LAPTOP, reduced_motion="reduce")


@pytest.mark.parametrize("path", live_pages())
def test_before_it_is_trained_a_figure_has_more_than_axes_and_judges_nothing(laptop, path):
    page = laptop(path)
    page.wait_for_function(SETTLED)
    look_closer(page)
    assert page.evaluate(DEAD) == []
    look_closer(page, False)
    assert page.evaluate(JUDGED) == []


@pytest.mark.parametrize("path", live_pages())
def test_a_page_is_eight_screens_of_a_laptop_until_its_exercises(laptop, path):
    page = laptop(path)
    settled(page)
    assert page.evaluate(EXERCISES) <= MOST_SCREENS


@pytest.mark.parametrize("path", live_pages())
def test_title_scene_time_controls_card_and_all_statements_are_on_one_screen_of_a_laptop(laptop, path):
    page = laptop(path)
    settled(page)
    if path not in WITH_A_TABLE_FIRST:
        assert page.evaluate(BELOW_THE_FOLD) == []


BELOW_THE_FOLD = """() => {
  scrollTo(0, 0);
  const parts = ['.fim-scene', '.fim-time', '.fim-front', '.fim-caption .fim-said', '.fim-story'];
  const each = parts.map((part) => document.querySelector(part)).filter(Boolean);
  return [...each, ...document.querySelectorAll('.fim-verdict .fim-said')].filter((part) => {
    const range = document.createRange();
    range.selectNodeContents(part); // without the room that is kept for longer words
    return range.getBoundingClientRect().bottom > innerHeight;
  }).map((part) => part.className);
}"""


@pytest.mark.parametrize("path", live_pages())
def test_one_drawing_has_most_of_the_scene_and_the_words_of_all_can_be_read(laptop, path):
    page = laptop(path)
    settled(page)
    look_at_steps(page)
    assert min(page.evaluate(AREAS)) >= 0.6
    assert page.evaluate(TOO_SMALL, [16, ".fim .fim-column:first-child"]) == []
    assert page.evaluate(TOO_SMALL, [12, "svg"]) == []
    page.set_viewport_size(PHONE)
    page.wait_for_function(f"() => ({SHARES})().every((share) => share > 0.99)")
    look_at_steps(page)
    assert page.evaluate(TOO_SMALL, [11, "svg"]) == []


def test_on_a_laptop_a_figure_has_the_width_of_the_page_until_the_contents_are_asked_for(open_page, home):
    page = open_page(f"{home}/{SADDLE}", viewport=LAPTOP)
    settled(page)
    contents, stage = page.locator(".bd-sidebar-primary"), page.locator(".fim-stage")
    assert contents.is_hidden()
    width = stage.bounding_box()["width"]
    assert width > 0.7 * LAPTOP["width"]
    page.locator(".primary-toggle:visible").press("Enter")
    contents.wait_for()
    page.wait_for_function(
        "(width) => document.querySelector('.fim-stage').offsetWidth < width - 100", arg=width
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= LAPTOP["width"]


def test_the_story_is_a_strip_below_the_stage(page):
    strip, stage = page.locator(".fim-story"), page.locator(".fim-stage")
    page.locator(".fim-card-titles li:not(.fim-before) button").nth(1).click()
    settled(page)
    assert (
        page.locator(".fim-story output").inner_text() == f"2 of {page.locator('.fim-dots > button').count()}"
    )
    assert page.locator(".fim-dots > [aria-current]").get_attribute("title") in strip.inner_text()
    below = strip.bounding_box()
    assert below["width"] == pytest.approx(stage.bounding_box()["width"], abs=1)
    assert below["y"] >= stage.bounding_box()["y"] + stage.bounding_box()["height"]
    height = below["height"]
    page.get_by_role("button", name="all cards").click()
    assert page.locator(".fim-card-titles li").first.is_visible()
    page.locator(".fim-card-titles li:not(.fim-before) button").nth(1).click()
    page.locator(".fim-dots > button").first.click()
    settled(page)
    assert strip.bounding_box()["height"] == height, "nothing below it moves"


def test_settings_are_one_row_above_the_stage_and_more_of_them_open_over_it(page):
    stage, controls = page.locator(".fim-stage"), page.locator(".fim-front > .ctl")
    boxes = [control.bounding_box() for control in controls.all()]
    assert len(boxes) == 3
    assert len({box["y"] for box in boxes}) == 1
    place = stage.bounding_box()
    assert boxes[0]["y"] + boxes[0]["height"] < place["y"]
    more = page.locator(".fim-side details")
    more.locator("summary").click()
    assert more.locator(".ctl:visible").count() > 1
    assert stage.bounding_box() == place
    more.locator("summary").click()


TITLES = "(panels) => panels.map((panel) => panel.querySelector('.fim-title').textContent)"
"""The titles of panels, in order."""


def test_beside_the_main_drawing_stands_what_a_card_speaks_of_and_the_rest_can_be_looked_at(page):
    beside = page.locator(".fim-scene .fim-column + .fim-column > :visible")
    hidden = page.locator(".fim-scene .fim-far")
    stage = page.locator(".fim-stage")
    height = stage.bounding_box()["height"]
    assert beside.evaluate_all(TITLES)[0] == "The loss"
    page.locator(".fim-card-titles li:not(.fim-before) button").nth(1).click()
    settled(page)
    assert "The lead" in beside.evaluate_all(TITLES)
    assert stage.bounding_box()["height"] == pytest.approx(height, abs=1), "the stage stays as high as it is"
    assert hidden.count() > 0
    closer = page.locator(".fim-closer")
    closer.click()
    assert closer.get_attribute("aria-expanded") == "true"
    assert all(panel.is_visible() for panel in hidden.all())
    closer.click()
    assert not any(panel.is_visible() for panel in hidden.all())


PLACES_OF_STOPS = """() => {
  const track = document.querySelector('.fim-scrubber').getBoundingClientRect();
  const { stops, start, parts } = document.querySelector('.fim').live.scene;
  const clock = parts[0].clock();
  return stops.map(({ button, share }) => {
    const [name, tick] = [button, button.previousElementSibling].map((box) => box.getBoundingClientRect());
    const at = clock ? clock.placeAt(share) : (share - start) / (1 - start);
    const off = tick.left + tick.width / 2 - (track.left + 8 + at * (track.width - 16));
    return [off, name.left, name.right, track.right];
  });
}"""
"""How far each stop's tick is from its place on the track, the edges of its name, and the track's right one."""


@pytest.mark.parametrize("path", [path for path in live_pages() if path != "book/loops.html"])
def test_the_moments_of_a_run_are_ticks_at_their_places_and_no_name_lies_on_another(stand_at, path):
    page = stand_at(path)
    settled(page)
    if not page.locator(".fim-scrubber").count():
        return
    stops = sorted(page.evaluate(PLACES_OF_STOPS), key=lambda stop: stop[1])
    for away, _, right, edge in stops:
        assert abs(away) < 1.5
        assert right <= edge + 8
    assert all(left >= before for (_, _, before, _), (_, left, *_) in pairwise(stops))


HEAD = """() => {
  const parts = ['.fim-scene .fim-borders ~ .fim-now path', '.fim-scrubber'];
  const [line, thumb] = parts.map((part) => document.querySelector(part));
  const { left, width } = thumb.getBoundingClientRect();
  return line.getBoundingClientRect().left - left - 8 - (width - 16) * Number(thumb.value) / Number(thumb.max);
}"""
"""How far the line of the present moment is from the thumb of the play bar."""


def test_lanes_fill_above_the_play_bar_and_attention_hardly_moves_in_phase_1(open_page, home):
    page = open_page(f"{home}/{PHASES}", viewport=LAPTOP)
    settled(page)
    drawing = page.locator(".fim-scene svg[aria-label]")
    assert "Phase 1: Bob’s attention to, hardly moves" in drawing.get_attribute("aria-label")
    assert page.locator(".fim-scene .fim-still text").all_text_contents() == ["hardly moves in Phase 1"]
    for share in (0, 0.3, 0.7, 1):
        scrub(page, share)
        assert abs(page.evaluate(HEAD)) < 3
    scrub(page, 0)
    assert page.locator(".fim-scene .fim-still text, .fim-scene .fim-spans rect").count() == 0
    assert "“Bob eats the banana” must get a yes" in page.locator(".fim-lane-notes text").all_text_contents()


def test_a_broken_stone_puts_lamps_out(open_page, home):
    page = open_page(f"{home}/book/recognise/breaking.html", viewport=LAPTOP)
    settled(page)
    turn_to(page, samples=120)
    scrub(page, 1)
    assert page.locator(".fim-scene .fim-bulbs .fim-lit").count() == 9
    assert page.locator(".fim-scene .fim-broken").count() == 0
    turn_to(page, samples=15)
    out = 9 - page.locator(".fim-scene .fim-bulbs .fim-lit").count()
    assert out >= 1
    assert page.locator(".fim-scene .fim-broken").count() == 1
    assert page.locator(".fim-scene .fim-strands path").count() == out
    assert "15 sentences" in page.locator(".fim-caption .fim-said").inner_text()


def test_a_memory_fills_first_and_is_read_then(open_page, home):
    page = open_page(f"{home}/book/together/stored.html", viewport=LAPTOP)
    settled(page)
    reads = page.locator(".fim-scene .fim-abreast > .fim-panel").nth(1)
    scrub(page, 0.05)
    assert "fim-dim" in reads.get_attribute("class")
    scrub(page, 1)
    assert "fim-dim" not in reads.get_attribute("class")
    fills = "(all) => all.map((square) => Number(square.dataset.value))"
    assert min(page.locator(".fim-scene .fim-units rect").evaluate_all(fills)) > 0.5


FRONT = """(at) => {
  const front = document.querySelector(`.fim-scene .fim-column:first-child ${at}`).getBoundingClientRect().right;
  const thumb = document.querySelector('.fim-scrubber');
  const { left, width } = thumb.getBoundingClientRect();
  return front - left - 8 - (width - 16) * Number(thumb.value) / Number(thumb.max);
}"""
"""How far the end of what is drawn of a run is from the thumb of the play bar."""


@pytest.mark.parametrize(
    ("path", "drawn"),
    [
        ("recognise/race", ".fim-lines path"),
        ("recognise/balancing", ".fim-stream path"),
        ("recall/escape", ".fim-lines path"),
    ],
)
def test_the_head_of_a_plot_stands_above_that_of_the_play_bar(open_page, home, path, drawn):
    page = open_page(f"{home}/book/{path}.html", viewport=LAPTOP)
    settled(page)
    for place in (0.3, 0.6, 1):
        scrub(page, place)
        assert abs(page.evaluate(FRONT, drawn)) < 12
    page.set_viewport_size({"width": 1100, "height": 720})
    page.wait_for_function(f"(at) => Math.abs(({FRONT})(at)) < 12", arg=drawn)


def test_a_card_that_leans_stays_inside_its_drawing(open_page, home):
    page = open_page(f"{home}/book/recognise/index.html", viewport=LAPTOP)
    page.wait_for_function(SETTLED)  # at its start no sentence is correct
    edge = page.locator(".fim-scene").first.bounding_box()["x"]
    leaning = page.locator(".fim-cards .fim-wrong")
    leaning.first.wait_for()
    assert min(box["x"] for box in (card.bounding_box() for card in leaning.all())) >= edge


def test_the_axes_stay_as_a_run_is_played(open_page, home):
    page = open_page(f"{home}/book/recognise/race.html", viewport=LAPTOP)
    settled(page)
    ticks = page.locator(".fim-scene .fim-ticks text")
    seen = []
    for share in (0, 0.3, 0.7, 1):
        scrub(page, share)
        seen.append(ticks.all_text_contents())
    assert seen == seen[:1] * 4


def test_at_the_saddle_the_rectangle_has_no_area_and_both_readings_are_believed_alike(page):
    page.get_by_role("button", name="stuck", exact=True).click()
    area = page.locator(".fim-scene .fim-area rect")
    assert float(area.get_attribute("width")) * float(area.get_attribute("height")) == 0
    true, confusing = (
        page.locator(".fim-scene .fim-says text").filter(has_text="probability").all_text_contents()
    )
    assert true == confusing
    page.get_by_role("button", name="settled", exact=True).click()
    assert float(area.get_attribute("width")) * float(area.get_attribute("height")) > 100


def test_the_scrubber_goes_through_the_run_and_the_verdict_waits_for_its_end(page):
    figure = page.locator(".fim")
    assert "fim-part" not in figure.get_attribute("class")
    scrub(page, 0)
    assert "fim-part" in figure.get_attribute("class")
    assert weights(page) == pytest.approx([1 / 6] * 6)
    assert page.locator(".fim-scrubber").get_attribute("aria-valuetext") == "stage 1, step 0"
    assert page.locator(".fim-stop.fim-reached").count() == 0
    scrub(page, 1)
    assert "fim-part" not in figure.get_attribute("class")
    assert page.locator(".fim-stop.fim-reached").count() == 3


def test_a_stop_that_the_run_does_not_reach_is_not_named(page):
    turn_to(page, perturbation_radius=0)  # nothing tips over, and so nothing settles
    assert page.locator(".fim-stop").all_text_contents() == ["stuck"]


SUMS = """(shapes) => shapes.reduce((sum, { dataset }) => sum + Number(dataset.value), 0)"""


def test_bands_are_all_of_the_first_step_and_go_through_a_gate_once_it_is_taken_apart(open_page, home):
    page = open_page(f"{home}/book/acquire/low_rank.html", viewport=LAPTOP)
    page.wait_for_function(SETTLED)
    bands, gate = page.locator(".fim-streams path"), page.locator(".fim-gate rect")
    assert bands.evaluate_all(SUMS) == pytest.approx(1, abs=0.02)
    ends = gate.count()
    page.get_by_role("button", name="main direction", exact=True).click()
    assert gate.count() == ends + 1
    assert page.locator(".fim-on-streams text").first.text_content() == "93\u00a0%"
    turn_to(page, residual=0)
    assert page.locator(".fim-on-streams text").first.text_content() == "61\u00a0%"


def test_a_lens_magnifies_what_attention_learns_until_it_can_be_seen(open_page, home):
    page = open_page(f"{home}/book/recognise/attention.html", viewport=LAPTOP)
    settled(page)
    arcs, glasses = page.locator(".fim-gazes path"), page.locator(".fim-magnified path")
    shares = arcs.evaluate_all("(arcs) => arcs.map((arc) => Number(arc.dataset.weight))")
    assert sum(shares) == pytest.approx(2)
    assert max(shares) < 1.001 * min(shares)
    changes = glasses.evaluate_all("(all) => all.map(({ dataset }) => Number(dataset.value))")
    assert [change > 0 for change in changes] == [True, False, False, True] * 2
    assert page.get_by_text("lens ×10,000").is_visible()
    turn_to(page, layer=0.02, sigma_0=10)
    assert glasses.count() == 0


LEANS = """(sticks) => sticks.map((stick) => Number(stick.getAttribute("d").match(/l(.*?),/)[1]))"""


def test_each_prompt_is_a_stick_that_leans_to_its_answer(open_page, home):
    page = open_page(f"{home}/book/recall/general.html", viewport=LAPTOP)
    settled(page)
    sticks = page.locator(".fim-scene .fim-sticks path")
    assert min(sticks.evaluate_all(LEANS)) > 5
    page.get_by_role("button", name="the large step", exact=True).click()
    leans = sticks.evaluate_all(LEANS)
    upright = sum(abs(lean) < 0.1 for lean in leans)
    assert upright == len(leans) / 2 == 150
    turn_to(page, temperature=0.02)
    assert max(sticks.evaluate_all(LEANS)) < -5


def test_what_is_not_heard_any_more_is_gone_and_early_moments_stay(open_page, home):
    page = open_page(f"{home}/book/acquire/filter.html", viewport=LAPTOP)
    page.wait_for_function(SETTLED)
    words = page.locator(".fim-scene .fim-voices text")
    sentence = ["Well,", "Alice", "was born in"]
    assert words.all_text_contents() == [*sentence, "any word"]
    page.get_by_role("button", name="context heard", exact=True).click()
    early = [*sentence, "any word", *sentence, "then"]
    assert words.all_text_contents() == early
    page.get_by_role("button", name="end", exact=True).click()
    gone = "Well, 0\u00a0%"
    now = [gone, "Alice", "was born in", gone, "Alice", "was born in", "California"]
    assert words.all_text_contents() == early + now
    sizes = words.evaluate_all("(words) => words.map((word) => Number(word.getAttribute('font-size')))")
    assert sizes[9] > sizes[13] > sizes[1]


def test_a_bar_sets_the_setting_that_it_stands_for(open_page, home):
    page = open_page(f"{home}/book/acquire/transformer.html", viewport=LAPTOP)
    settled(page)
    bars = page.locator(".fim-scene .fim-tracks rect")
    assert bars.count() == 2 * 4 * 3 * 5
    bars.nth(60 + 10).click()  # GPT-2: the first row's third block, its first bar
    settled(page)
    frames = page.locator(".fim-scene .fim-frames rect").evaluate_all(
        "(all) => all.map((one) => one.x.baseVal.value)"
    )
    edges = bars.evaluate_all("(all) => all.map((one) => one.x.baseVal.value)")
    assert frames == pytest.approx([edges[10] - 2, edges[70] - 2], abs=0.5)
    turn_to(page, grid=1)
    assert page.locator(".fim-scene .fim-fills rect").count() == 2 * 4 * 5


LEGENDS = "() => [...document.querySelectorAll('.fim-scene .fim-legend')].map((legend) => legend.innerText)"


@pytest.mark.parametrize("path", ["book/acquire/low_rank.html", "book/together/reading.html"])
def test_a_chart_names_all_its_lines_from_the_start(open_page, home, path):
    page = open_page(f"{home}/{path}", viewport=LAPTOP)
    page.wait_for_function(SETTLED)
    before = page.evaluate(LEGENDS)
    settled(page)
    assert page.evaluate(LEGENDS) == before != []


def test_who_wants_no_motion_goes_from_stop_to_stop(open_page, home):
    page = open_page(f"{home}/{SADDLE}", viewport=LAPTOP, reduced_motion="reduce")
    settled(page)
    page.get_by_role("button", name="play").click()
    page.wait_for_function("() => document.querySelectorAll('.fim-reached').length === 1")
    scrubber = page.locator(".fim-scrubber")
    assert 0.4 < float(scrubber.input_value()) / 1000 < 0.6
    page.wait_for_function(
        "() => !document.querySelector('.fim').classList.contains('fim-part')", timeout=10_000
    )


DRAWN = "(step) => ![...document.querySelectorAll('.fim')].some(({ live }) => live.steps.due.has(step))"
STEPS = "() => [...document.querySelectorAll('.fim-step')].map((step) => step.innerText)"


def look_at_steps(page) -> None:
    """Scroll through the steps of the page's argument, so that each is drawn."""
    for step in page.locator(".fim-step").all():
        step.scroll_into_view_if_needed()
        page.wait_for_function(DRAWN, arg=step.element_handle())


MOMENTS = [
    "the run at “stuck”",
    "the run up to “stuck”",
    "the run up to “stuck”",
    "the run at “tips over”",
    "the whole run",
    "the end of the run",
]


def moments_of_steps(page) -> list[str]:
    return [text.splitlines()[-1] for text in page.evaluate(STEPS)]


def test_what_comes_into_sight_after_a_card_still_shows_the_moments_of_the_arguments_own_run(page):
    turn_to(page, perturbation_radius=0)  # in this run nothing tips over
    look_at_steps(page)
    assert moments_of_steps(page) == MOMENTS


def test_each_step_of_the_argument_has_a_drawing_of_its_moment_which_follows_the_sliders(page):
    look_at_steps(page)
    assert moments_of_steps(page) == MOMENTS
    ball = page.locator(".saddle-valley .fim-ball circle")
    end = float(run(shown(warm_up())).histories[1].rows.place[-1])
    assert float(ball.get_attribute("data-at")) == pytest.approx(end, abs=1e-9)
    way_out = page.locator(".saddle-way-out .fim-area rect")
    turn_to(page, perturbation_radius=0)  # a card that breaks a hypothesis: the argument keeps its own run
    look_at_steps(page)
    assert float(way_out.get_attribute("width")) > 0
    page.evaluate("document.querySelector('.fim').live.set({ temperature: 0.04, perturbation_radius: 0 })")
    page.wait_for_function(SETTLED)
    page.locator(".saddle-way-out").scroll_into_view_if_needed()
    page.wait_for_function(
        "() => document.querySelector('.saddle-way-out').innerText.endsWith('the end of the run')"
    )
    assert float(way_out.get_attribute("width")) == 0


@pytest.mark.parametrize("path", live_pages())
def test_the_drawings_beside_an_argument_stay_within_its_text(stand_at, path):
    page = stand_at(path)
    settled(page)
    look_at_steps(page)
    outside = page.locator(".fim-step svg text").evaluate_all(
        """(texts) => texts.filter((text) => text.getBoundingClientRect().width && text.checkVisibility())
        .filter((text) => text.getBoundingClientRect().right
          > text.closest('section').getBoundingClientRect().right + 2)
        .map((text) => `${text.closest('.fim-step').className}: ${text.textContent}`)"""
    )
    assert outside == []


def test_a_legend_keeps_its_colours_where_the_system_chooses_them(open_page, home):
    page = open_page(f"{home}/{LOW_RANK}", viewport=LAPTOP, forced_colors="active")
    settled(page)
    signs = page.locator(".fim-scene .fim-legend span").evaluate_all(
        "(signs) => signs.map((sign) => getComputedStyle(sign).color)"
    )
    assert len(set(signs)) == len(signs) > 2


def test_charts_are_drawn_once_they_are_unfolded(page):
    charts = page.locator(".fim-curves .fim-lines path")
    assert charts.count() == 0
    page.get_by_text("All curves").click()
    page.wait_for_function("() => document.querySelectorAll('.fim-curves .fim-lines path').length > 4")


def test_what_is_read_aloud_can_be_read_and_follows(page):
    look_closer(page)
    page.locator(".fim-check > summary").click()
    page.get_by_text("As it is read aloud").click()
    said = page.locator(".fim-aloud li")
    page.wait_for_function("() => document.querySelectorAll('.fim-aloud li').length > 5")
    words = page.locator(".fim-scene svg").evaluate_all(
        "(all) => all.map((svg) => svg.getAttribute('aria-label'))"
    )
    first, *pictures = said.all_inner_texts()[:-2]
    assert first.startswith("caption: It was stuck because “capital of” and its rival, which joins")
    assert pictures == [f"picture: {one}" for one in words]
    page.get_by_role("button", name="stuck", exact=True).click()
    assert said.nth(1).inner_text().startswith("picture: Attention from the end of the prompt. Paris 25")
    assert said.nth(len(words) + 1).inner_text().startswith("slider, place in the run: stage 1, step ")
    turn_to(page, temperature=0.0895)
    name = page.locator(".fim-claim-name a").inner_text()
    told = page.locator(".fim-aloud li", has_text=f"said as soon as it changes: {name}: At a low temperature")
    assert "Does not apply here: temperature 0.0895 is not below" in told.inner_text()
    assert page.locator(".fim-verdict").get_attribute("role") == "status"
    page.evaluate("location.hash = '#~temperature=-1'")
    page.locator(".fim-aloud li", has_text="Temperature T: 1e−4 to 10, please.").wait_for()


def test_without_scripts_scene_verdict_and_numbers_are_there(page, open_page, home):
    still = open_page(f"{home}/{SADDLE}", viewport=LAPTOP, java_script_enabled=False)
    assert still.locator("[data-live]").all_inner_texts() == page.locator("[data-live]").all_inner_texts()
    for part in (".fim-verdict .fim-said", ".fim-caption .fim-said", ".fim-words", ".fim-says"):
        assert still.locator(part).all_text_contents() == page.locator(part).all_text_contents(), part
    assert [path.get_attribute("d") for path in still.locator(".fim-links path").all()]
    assert not still.get_by_role("button", name="play").count()


def opened(open_page, home, address: str = SADDLE, **settings) -> Any:
    """A page as a reader finds it: its first run is finished, and not yet looked at."""
    page = open_page(f"{home}/{address}", viewport=LAPTOP, **settings)
    page.wait_for_function(SETTLED)
    return page


def caption(page) -> str:
    return page.locator(".fim-caption .fim-said").first.inner_text()


def is_at_its_end(page) -> bool:
    return "fim-part" not in page.locator(".fim").first.get_attribute("class")


def test_a_figure_waits_at_its_start_until_the_reader_trains(open_page, home):
    page = opened(open_page, home)
    assert caption(page) == "Stage 1, step 0."
    question = page.locator(".fim-predict > summary").bounding_box()
    moment = page.locator(".fim-caption .fim-said").bounding_box()
    assert question["y"] < moment["y"]
    assert moment["y"] + moment["height"] <= page.locator(".fim-stage").bounding_box()["y"]
    assert weights(page) == pytest.approx([1 / 6] * 6)
    assert "judged at the end of the run" in page.locator(".fim-verdict .fim-said").inner_text()
    page.locator(".fim-train").click()
    page.wait_for_function("() => document.querySelectorAll('.fim-reached').length === 1")
    assert "Stuck: “capital of” has 43" in caption(page)
    page.get_by_role("button", name="settled", exact=True).click()
    assert is_at_its_end(page)
    assert page.locator(".fim-verdict").get_attribute("data-tone") == "good"
    assert not page.locator(".fim-train").count()


def test_who_comes_with_settings_is_shown_what_they_lead_to(open_page, home):
    page = opened(open_page, home, f"{SADDLE}#~temperature=0.02")
    assert is_at_its_end(page)
    assert not page.locator(".fim-train").count()


def test_a_slider_leads_from_the_start_to_the_end_of_its_run(open_page, home):
    page = opened(open_page, home)
    page.locator(".fim-front input[type=range]").first.press("ArrowRight")
    settled(page)
    assert is_at_its_end(page)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_landing_page_plays_once_by_itself_for_those_who_like_motion(open_page, home, motion):
    page = opened(open_page, home, "book/index.html", reduced_motion=motion)
    if motion == "reduce":
        assert page.locator(".fim-train").is_visible()
        assert not is_at_its_end(page)
    else:
        page.wait_for_function("() => !document.querySelector('.fim').classList.contains('fim-part')")


def test_a_card_sets_sliders_goes_to_its_moment_and_lights_what_it_speaks_of(open_page, home):
    page = opened(open_page, home)
    page.get_by_role("button", name="the next card").click()
    page.wait_for_function("() => location.hash === '#~card=1'")
    first = page.evaluate("document.querySelector('.fim').live.spec.story[0]")
    assert page.locator(".fim-story output").inner_text().startswith("1 of ")
    assert first["title"] in page.locator(".fim-card-text").inner_text()
    assert "Stuck" in caption(page)
    titles = page.locator(".fim-scene .fim-panel:not(.fim-dim) .fim-title").all_inner_texts()
    assert set(first["lights"]) == set(titles)
    page.locator(".fim-story button").nth(1).press("ArrowRight")
    page.wait_for_function("() => location.hash === '#~card=2'")
    page.locator(".fim-front input[type=range]").first.press("Home")
    page.wait_for_function("() => !location.hash.includes('card')")
    assert not page.locator(".fim-dim").count()


STATES = """(turn) => new Promise((done) => {
  const [fim, seen] = [document.querySelector('.fim'), []];
  const next = fim.closest('.fim-live').querySelector('[title="the next card"]');
  next.click();
  const begun = performance.now();
  const look = () => {
    seen.push([fim.live.scene.share, performance.now() - begun, fim.dataset.state]);
    if (fim.dataset.state === 'done') return done(seen);
    if (turn === 'skip' && fim.dataset.state === 'leading' && seen.length > 9) next.click();
    requestAnimationFrame(look);
  };
  look();
})"""
"""The next card is asked for: the shares of the run that are drawn, when, and the figure's state."""

GO_TO_COLD = """() => {
  const { story, spec } = document.querySelector('.fim').live;
  story.goTo(spec.story.findIndex(({ values }) => values.temperature === 0.02));
}"""


def test_the_next_card_plays_up_to_its_moment_and_a_click_ends_that(open_page, home):
    page = opened(open_page, home, reduced_motion="no-preference")
    stops = page.evaluate("document.querySelector('.fim').live.scene.stops.map(({ share }) => share)")

    def turn(how: str = "") -> list[list[Any]]:
        seen = page.evaluate(STATES, how)
        shares = [share for share, _, state in seen if state != "running"]
        assert shares == sorted(shares)
        return seen

    first = turn()
    assert first[0][0] == 0
    assert first[-1][0] == pytest.approx(stops[0])
    assert len({share for share, *_ in first}) > 5
    assert 1500 < first[-1][1] < 10_000
    half = next(share for share, when, _ in first if when > first[-1][1] / 2)
    assert half > 0.6 * first[-1][0], "it slows at the turn"
    second = turn("skip")
    assert second[0][0] == pytest.approx(stops[0]), "from the last card's moment"
    assert page.locator(".fim-story output").inner_text().startswith("2 of "), "that click turns no card"
    page.get_by_role("button", name="the card before").click()
    page.wait_for_function(SETTLED)
    assert page.evaluate("document.querySelector('.fim').live.scene.share") == pytest.approx(stops[0])
    page.evaluate(GO_TO_COLD)
    page.wait_for_function(SETTLED)
    chip = page.locator(".fim-said .fim-chip").inner_text()
    assert chip == "temperature T: 0.05 → 0.02"


def test_an_address_says_which_card_is_shown(open_page, home):
    page = open_page(f"{home}/{SADDLE}#~card=2", viewport=LAPTOP)
    page.wait_for_function(
        "() => document.querySelector('.fim-story output')?.textContent.startsWith('2 of')"
    )
    settled(page)
    second = page.evaluate("document.querySelector('.fim').live.spec.story[1]")
    assert second["title"] in page.locator(".fim-card-text").inner_text()
    assert caption(page).startswith("Stage 2, step ")


PLACES = 20


@pytest.mark.parametrize("path", live_pages())
def test_at_every_stop_and_between_the_caption_speaks_of_what_is_drawn(stand_at, path):
    page = stand_at(path)
    settled(page)
    for figure in page.locator(".fim").all():
        if not figure.locator(".fim-scrubber").count():
            continue
        said = figure.evaluate(SAID_AT, PLACES)
        for share, place, sentence in said:
            if share < 1:
                assert sentence.lower().startswith(f"{place.lower()}."), sentence
            assert not re.search(r"NaN|undefined|[{}]|—", sentence), sentence
        assert said[-1][0] == 1
        assert not said[-1][2].startswith(said[-1][1]), "the end of the run has a caption of its own"


SAID_AT = """(fim, places) => {
  const { live } = fim;
  const between = Array.from({ length: places }, (_, i) => i / places);
  const shares = [...live.scene.stops.map(({ share }) => share), ...between];
  return [...shares.filter((share) => share < 1), 1].map((share) => {
    live.scene.goTo(share);
    const place = fim.querySelector('.fim-scrubber').getAttribute('aria-valuetext');
    return [live.scene.share, place, fim.querySelector('.fim-caption .fim-said').textContent];
  });
}"""
