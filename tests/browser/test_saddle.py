"""The page of Theorem 2 in a real Chromium: everything that a reader can do with one figure, checked against torch."""

import functools
import math
import re

import pytest
import torch

from book.recall.saddle.program import warm_up
from book.recall.saddle.statements import theorem_2
from lib.program import defaults, run
from tests import HTML
from tests.browser.reading import CLOSE, settled, turn_to, unfold
from widgets.figure.verdict import judged

SADDLE = "book/recall/saddle.html"
DEFAULTS = defaults(warm_up())
STEPS = 100
"""Steps that suffice where the page is compared with torch again and again."""
DRAWN = "() => [...document.querySelectorAll('.fim-lines path')].map((path) => path.getAttribute('d')).join()"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@pytest.fixture(params=("http", "file"))
def address(request, home):
    """Where the book is, over http and as files."""
    return home if request.param == "http" else HTML.as_uri()


@pytest.fixture
def page(stand_at):
    """The page, where it starts but for its steps."""
    page = stand_at(SADDLE)
    shorten(page)
    return page


def shorten(page) -> None:
    """Take a few steps, and everything else where it starts."""
    page.get_by_role("button", name="reset").click()
    settled(page)
    unfold(page)
    entry = page.locator(".url-steps input.ctl-readout")
    entry.fill(str(STEPS))
    entry.press("Enter")
    settled(page)


def drawing(page) -> str:
    """Every line of the figure, as path data."""
    return page.evaluate(DRAWN)


def printed(page) -> dict[str, list[float]]:
    """Every number the figure prints, by the report's field."""
    texts = page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('.fim [data-field]')]"
        ".map((output) => [output.dataset.field, output.dataset.value]))"
    )
    return {
        name: [float(number.replace("Infinity", "inf")) for number in value.split(",")]
        for name, value in texts.items()
    }


def settings(page) -> dict[str, float]:
    """Where the figure's parameters stand, whatever moved them."""
    return page.evaluate(
        """() => {
          const figure = [...factsRuntime.models.values()].find((model) => model.name === "AnyModel");
          const choice = (p) => p.choices[figure.get(p.name)];
          const value = (p) => p.fixed ? p.default : p.choices ? choice(p) : Number(figure.get(p.name));
          return Object.fromEntries(figure.get("spec").parameters.map((p) => [p.name, value(p)]));
        }"""
    )


def same(ours: float, theirs: float) -> bool:
    return (
        ours == theirs or math.isclose(ours, theirs, rel_tol=1e-7, abs_tol=CLOSE) or math.isnan(ours + theirs)
    )


@functools.cache
def in_torch(**wanted: float):
    """The report of a run at these settings, once however many tests ask."""
    return run(judged(warm_up(), [theorem_2]), **wanted).report


def assert_torch(page, **changes):
    """Whether the page's numbers are those of torch at the settings given, and these are where the page stands."""
    steps = settings(page)["steps"]
    assert steps in (DEFAULTS["steps"], STEPS, changes.get("steps"))
    wanted = {**DEFAULTS, "steps": steps, **changes}
    assert settings(page) == pytest.approx(wanted, rel=1e-12)
    report = in_torch(**wanted)
    for name, values in printed(page).items():
        expected = getattr(report, name).to(torch.float64).flatten().tolist()
        assert len(values) == len(expected)
        assert all(map(same, values, expected)), name


def assert_moved(page, before: dict[str, float], drawn: str, numbers: dict[str, list[float]]):
    """Whether a control's move changed one setting, the drawing and the numbers, and these are torch's."""
    now = settings(page)
    (moved,) = [name for name in now if now[name] != before[name]]
    assert drawing(page) != drawn, f"{moved} is dead"
    assert printed(page) != numbers or not numbers, f"{moved} leaves the numbers"
    assert_torch(page, **now)


def assert_said(page, **moved) -> None:
    """The theorem's line has the numbers of torch's run, each sign in words besides."""
    page.evaluate("document.querySelector('.fim').live.scene.goTo(1)")
    shown = page.locator(".fim-verdict .fim-said > :not(.fim-unseen)").all_text_contents()
    result = theorem_2.at(moved)
    assert "".join(shown).replace("\u00a0✓", " ✓") == result.sentence
    assert f"{float(result.report.measured_a):.0%}".replace("%", "\u00a0%") in result.sentence


def test_the_first_figure_is_there_before_any_interaction(open_page, address):
    page = open_page(f"{address}/{SADDLE}")
    settled(page)
    assert page.locator(".fim-scene .fim-arcs path").count() == 4
    assert_torch(page)
    assert_said(page)
    assert page.locator(".fim-verdict").get_attribute("data-tone") == "good"


SHIFTED = """() => new Promise((resolve) => new PerformanceObserver((list) => {
  resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0));
}).observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(resolve, 500, 0))"""


def test_the_live_figure_takes_over_where_its_still_stood(open_page, home):
    page = open_page(f"{home}/{SADDLE}")
    page.wait_for_selector('.fim[data-state="done"]')
    assert page.evaluate(SHIFTED) < 0.1, "what web.dev calls good"


def test_every_slider_answers_to_the_mouse(page):
    unfold(page)
    sliders = page.locator(".ctl-range")
    for i in range(sliders.count()):
        slider = sliders.nth(i)
        slider.scroll_into_view_if_needed()
        before, box = (settings(page), drawing(page), printed(page)), slider.bounding_box()
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + 0.55 * box["width"], middle)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.48 * box["width"], middle, steps=4)
        page.mouse.up()
        settled(page)
        assert_moved(page, *before)


def test_the_checkbox_answers(page):
    unfold(page)
    (box,) = page.locator(".ctl input[type=checkbox]").all()
    before = settings(page), drawing(page), printed(page)
    box.click()
    settled(page)
    assert_moved(page, *before)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", "0.02"),
        ("temperature", "0.12"),
        ("temperature", "0.0001"),
        ("temperature", "10"),
        ("rate_2", "16"),
        ("rate_1", "500"),
        ("steps", "137"),
        ("seed", "7"),
    ],
)
def test_a_typed_number_gives_torchs_result(page, name, value):
    unfold(page)
    before = printed(page)
    entry = page.locator(f".url-{name} input.ctl-readout")
    entry.fill(value)
    entry.press("Enter")
    settled(page)
    assert printed(page) != before
    assert_torch(page, **{name: float(value)})


def test_the_radius_gives_torchs_result_at_each_position(page):
    slider = page.locator(".url-perturbation_radius input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    settled(page)
    assert_torch(page, perturbation_radius=0.0)
    light = page.locator("[data-light]").filter(
        has_text="the perturbation does not keep the two examples equal"
    )
    assert light.get_attribute("data-state") == "violated"
    assert page.locator(".fim-statement").get_attribute("data-concluded") == "fails"
    assert page.locator(".fim-statement").get_attribute("data-verdict") == "outside"
    assert_said(page, perturbation_radius=0.0, steps=STEPS)
    page.keyboard.press("End")
    settled(page)
    assert_torch(page, perturbation_radius=1.0)


@pytest.mark.parametrize("value", ["0", "−1", "1e9"])
def test_a_temperature_beyond_its_slider_is_refused_there_and_the_run_stays(page, value):
    entry = page.locator(".url-temperature input.ctl-readout")
    entry.fill(value)
    entry.press("Enter")
    problem = page.locator(".url-temperature .ctl-problem")
    assert problem.inner_text() == "Temperature T: 1e−4 to 10, please."
    assert page.locator(".fim").get_attribute("data-state") == "done"
    assert_torch(page)
    entry.fill("0.06")
    entry.press("Enter")
    settled(page)
    assert not problem.is_visible()
    assert_torch(page, temperature=0.06)


def test_sentences_follow_the_sliders(page):
    live = page.locator("[data-live]")
    assert live.count() >= 2
    before = live.all_inner_texts()
    assert "…" not in before
    turn_to(page, temperature=0.02)
    assert all(new != old for new, old in zip(live.all_inner_texts(), before, strict=True))


def test_the_statements_clauses_say_whether_they_hold_in_the_run_that_is_shown(page):
    said = page.locator("[id='recall.theorem-2'] abbr.clause[data-here]")
    assert set(said.evaluate_all(HERE)) == {"holds"}
    page.evaluate("document.querySelector('.fim').live.scene.goTo(0)")
    assert said.count() == 0, "the run has not ended"
    page.evaluate("document.querySelector('.fim').live.set({ perturbation_radius: 0 })")
    settled(page)
    assert "fails" in said.evaluate_all(HERE)
    apart = page.locator("[id='recall.theorem-2'] abbr.clause[title*='distance of a from ¼']")
    assert re.search("; fails in the run above: 0, must be >\u00a00.05$", apart.get_attribute("title"))


HERE = "(marks) => marks.map((mark) => mark.dataset.here)"


def test_a_symbol_says_what_it_is_and_a_slider_shows_its_symbol(page):
    """T of a formula is the temperature; T₀, and the r of r*, which is a relation, are something else."""
    symbols = page.locator(".proof mjx-mi")
    temperature = symbols.filter(has=page.locator(".mjx-c1D447")).first
    told, control = page.locator(".fim-tip"), page.locator(".url-temperature")
    temperature.hover()
    assert told.inner_text() == "temperature T: 0.05 in the run above"
    assert "fim-joined" in control.get_attribute("class")
    page.locator("mjx-msub > mjx-mi", has=page.locator(".mjx-c1D447")).first.hover()
    assert told.is_hidden()
    assert "fim-joined" not in control.get_attribute("class")
    page.evaluate("document.querySelector('.fim').live.set({ temperature: 0.03 })")
    settled(page)
    temperature.click()
    assert told.inner_text() == "temperature T: 0.03 in the run above"
    page.get_by_role("heading", level=1).hover()
    control.hover()
    control.locator("input").first.hover()  # within the control its symbol stays lit
    lit = page.locator("mjx-mi.fim-joined")
    assert set(lit.locator("mjx-c").evaluate_all("(all) => all.map((one) => one.classList[0])")) == {
        "mjx-c1D447"
    }
    starred = page.locator(".proof mjx-msup > mjx-mi", has=page.locator(".mjx-c1D45F")).first
    starred.dispatch_event("pointerover")
    assert told.is_hidden()


def test_what_is_no_number_is_refused_where_it_is_typed(page):
    entry = page.locator(".url-temperature input.ctl-readout")
    entry.fill("warm")
    entry.press("Enter")
    assert entry.get_attribute("aria-invalid") == "true"
    assert_torch(page)


def test_the_address_holds_the_settings(open_page, home):
    page = open_page(f"{home}/{SADDLE}#~temperature=0.02&seed=3")
    settled(page)
    assert_torch(page, temperature=0.02, seed=3)
    page.locator(".url-seed input.ctl-readout").fill("0")
    page.locator(".url-seed input.ctl-readout").press("Enter")
    page.wait_for_function("() => location.hash === '#~temperature=0.02'")


def test_a_choice_stands_in_the_address_by_its_label(open_page, home):
    page = open_page(f"{home}/{SADDLE}#~perturbation_radius=1e-06")
    settled(page)
    assert_torch(page, perturbation_radius=1e-6)
    turn_to(page, perturbation_radius=0)
    page.wait_for_function("() => location.hash.startsWith('#~perturbation_radius=0&card=')")


def test_a_card_that_is_not_there_takes_nothing_away_and_one_that_is_gives_way(open_page, home):
    page = open_page(f"{home}/{SADDLE}#~temperature=0.02&card=99")
    settled(page)
    assert_torch(page, temperature=0.02)
    page.wait_for_function("() => location.hash === '#~temperature=0.02'")
    page.evaluate("location.hash = '#~temperature=0.03&card=2'")
    page.locator(".fim-story[data-card='2']").wait_for()
    settled(page)
    assert_torch(page, temperature=0.03)


def test_a_section_anchor_still_leads_to_its_section(open_page, home):
    page = open_page(f"{home}/{SADDLE}#measured")
    settled(page)
    assert page.evaluate("() => location.hash") == "#measured"


def test_the_cards_set_the_sliders(page):
    turn_to(page, perturbation_radius=0)
    settled(page)
    assert_torch(page, perturbation_radius=0.0)
    turn_to(page, temperature=0.12)
    settled(page)
    assert_torch(page, temperature=0.12)  # and the perturbation is back
    page.get_by_role("button", name="reset").click()
    settled(page)
    assert_torch(page)


def test_share_and_copy_hand_over_the_settings(open_page, home):
    page = open_page(f"{home}/{SADDLE}")
    settled(page)
    turn_to(page, temperature=0.02)
    for name in ("share", "copy as Python"):
        page.get_by_role("button", name=name).click()
        page.get_by_role("button", name="copied").wait_for()
        page.get_by_role("button", name=name).wait_for()  # its own name again
    shared, code = page.evaluate(
        "() => [...document.querySelectorAll('button[data-copied]')].map((button) => button.dataset.copied)"
    )
    assert "#~temperature=0.02&card=" in shared
    assert "temperature=0.02" in code
    exec(code, {})


def test_play_shows_the_run_from_its_start_and_pauses(open_page, home):
    page = open_page(f"{home}/{SADDLE}", reduced_motion="no-preference")
    settled(page)
    unfold(page)
    whole = drawing(page)
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # so that a slow machine cannot miss the middle
    page.get_by_role("button", name="play").click()
    page.clock.run_for(1000)
    middle = drawing(page)
    assert len(middle) < 0.7 * len(whole)
    page.get_by_role("button", name="pause").click()
    page.clock.run_for(1000)
    assert drawing(page) == middle
    page.get_by_role("button", name="play").click()
    page.clock.run_for(7000)  # it rests at each stop
    assert drawing(page) == whole
    page.context.close()  # its clock would stand still for the next test, too
