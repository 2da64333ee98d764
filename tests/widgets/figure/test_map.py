"""The map of where a statement is true, and the search for a counterexample, in a real browser."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import DESKTOP, ROOT
from tests.widgets import showcase
from tests.widgets.pages import provide, write
from tests.widgets.program import called
from tests.widgets.showcase import CLAIM, LEMMA
from widgets import node
from widgets.figure.panels import TruthMap
from widgets.figure.verdict import OUTCOMES

SLIDER = {"name": "x", "track": {"min": 0, "max": 1, "step": 0.1}}
LOG = {"name": "x", "track": {"min": -3, "max": 1, "step": 0.01, "base": 10}}
CLICK = """([x, y]) => {
    const cells = document.querySelector('.fim-map-cells svg'), { left, top, width } = cells.getBoundingClientRect();
    cells.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: left + x * width, clientY: top + y }));
}"""


@pytest.mark.parametrize(
    ("parameter", "most", "values"),
    [
        (SLIDER, 32, [round(0.1 * k, 12) for k in range(11)]),
        (SLIDER, 4, [0.0, 0.3, 0.7, 1.0]),
        ({"name": "x", "choices": [3, 7, 31]}, 32, [3, 7, 31]),
        ({"name": "x", "boolean": True}, 32, [0, 1]),
        ({"name": "x", "integer": True, "track": {"min": 0, "max": 1, "step": 0.001, "base": 10}}, 32, None),
    ],
)
def test_an_axis_has_the_values_of_its_control(parameter, most, values):
    (axis,) = called("run/map_axis", "mapAxis", (parameter, most))
    assert axis["values"] == sorted(set(axis["values"]))
    assert values is None or axis["values"] == pytest.approx(values)
    if values is None:
        assert axis["values"] == list(range(1, 11))


def test_a_logarithmic_axis_has_equal_factors():
    (axis,) = called("run/map_axis", "mapAxis", (LOG, 4))
    values = axis["values"]
    assert [b / a for a, b in pairwise(values)] == pytest.approx([10 ** (4 / 3)] * 3, rel=0.03)


@pytest.mark.parametrize(
    ("parameter", "between"), [(SLIDER, statistics.mean), (LOG, statistics.geometric_mean)]
)
def test_a_value_lies_in_the_middle_of_its_cell_and_between_two_on_their_border(parameter, between):
    (axis,) = called("run/map_axis", "mapAxis", (parameter, 4))
    borders = [between(pair) for pair in pairwise(axis["values"])]
    asked = [((parameter, 4), (value,)) for value in [*axis["values"], *borders]]
    places = called("run/map_axis", "mapAxis.placeOf", *asked)
    assert places == pytest.approx([0.5, 1.5, 2.5, 3.5, 1, 2, 3])


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = provide(tmp_path_factory.mktemp("map"))
    write(folder / "index.html", [showcase.descends(map=TruthMap("rate", "start"))])
    undecided = showcase.undecided_from_the_minimum()
    write(folder / "undecided.html", [showcase.descends(program=undecided, map=TruthMap("rate", "start"))])
    return folder


@pytest.fixture
def open_map(site: Path, serve: Any, open_page: Callable[..., Any]) -> Callable[..., Any]:
    """Opens the page with its map, once that is filled."""
    address = serve(site)

    def open_(fragment: str = "", name: str = "index", **settings: Any) -> Any:
        page = open_page(f"{address}/{name}.html#~view=map&{fragment}", viewport=DESKTOP, **settings)
        page.wait_for_selector('.fim[data-state="done"]')
        page.wait_for_selector('.fim-map-cells[data-state="done"]')
        return page

    return open_


def verdict(page: Any, statement: showcase.Toy) -> str:
    return page.locator(f'.fim-statement[data-statement="{statement.id}"]').get_attribute("data-verdict")


@pytest.mark.browser
def test_a_cell_is_what_the_figure_says_there(open_map):
    page = open_map()
    seen = set()
    for place in ((0.2, 60), (0.5, 150), (0.95, 60), (0.95, 200), (0.7, 240)):
        page.evaluate(CLICK, place)
        page.wait_for_function("document.querySelector('.fim').dataset.state === 'done'")
        key = verdict(page, LEMMA)
        assert OUTCOMES[key] in page.locator(".fim-map-chosen").text_content()
        seen.add(key)
    assert len(seen) > 1
    sentence = page.locator(".fim-map-summary").text_content()
    assert "cells that satisfy its hypotheses" in sentence
    page.locator(".fim-map-table summary").click()
    page.wait_for_function("document.querySelectorAll('.fim-map-table td').length > 30")


@pytest.mark.browser
def test_the_arrow_keys_go_from_cell_to_cell(open_map):
    page = open_map()
    rates = []
    for _ in range(3):
        page.locator(".fim-map-cells").press("ArrowRight")
        rates.append(float(page.evaluate("document.querySelector('.fim').live.values()[0]")))
    assert rates == sorted(set(rates))


@pytest.mark.browser
def test_cells_whose_runs_fail_are_empty_and_say_why(open_map):
    page = open_map(name="undecided")
    why = "Not decided here: the matrix is singular, nearly singular or not finite."
    said = page.locator(".fim-map-summary").text_content()
    assert "cells that satisfy its hypotheses" in said
    assert re.search(rf"Empty cells: \d+\. {why}$", said)
    page.locator(".fim-map-table summary").click()
    page.locator(".fim-map-table tbody tr").first.wait_for()  # a fold says a task later that it was opened
    rows = page.locator(".fim-map-table tbody tr").all_text_contents()
    assert [set(row[1:]) == {"—"} for row in rows] == [False, False, True, False]
    page.evaluate(CLICK, (0.5, 185))
    page.locator(".fim-map-chosen", has_text=f": 0: {why}").wait_for()
    page.get_by_role("button", name="search for a counterexample").click()
    page.wait_for_function(
        "/nothing found in [1-9]/.test(document.querySelector('.fim-search p').textContent)"
    )


@pytest.mark.browser
def test_another_statement_and_other_axes_make_another_map(open_map):
    page = open_map()
    before = page.locator(".fim-map-summary").text_content()
    page.get_by_label("statement").select_option("1")
    page.wait_for_function(
        "(before) => document.querySelector('.fim-map-summary').textContent !== before", arg=before
    )
    page.get_by_label("across").select_option("start")
    assert page.get_by_label("upwards").input_value() != "start"


COUNTING = """() => {
    const { engine } = document.querySelector('.fim').live.map.background, make = engine.make.bind(engine);
    window.runs = 0;
    engine.make = (settings, isWanted) => { window.runs += settings.length; return make(settings, isWanted); };
}"""
"""Counts the runs that are asked for from now on."""


@pytest.mark.browser
def test_no_run_is_made_again_that_a_change_did_not_touch(open_map):
    page = open_map()
    page.evaluate(COUNTING)

    def runs_after(change: Callable[[], Any]) -> int:
        page.evaluate("window.runs = 0")
        change()
        asked = -1
        while asked < (asked := page.evaluate("window.runs")):
            page.wait_for_selector('.fim[data-state="done"]')
            page.wait_for_timeout(
                500
            )  # a map that begins again asks within a frame or, on a busy machine, a few
            page.wait_for_selector('.fim-map-cells[data-state="done"]')
        return asked

    def moved(values: dict[str, float]) -> int:
        return runs_after(
            lambda: page.evaluate("(values) => document.querySelector('.fim').live.set(values)", values)
        )

    assert moved({"rate": 0.21}) == 0  # the axes: the mark moves, and no cell changes
    assert moved({"start": 0.7}) == 0
    assert (
        runs_after(lambda: page.get_by_label("statement").select_option("1")) == 0
    )  # the same runs, judged anew
    assert runs_after(lambda: page.locator(".fim-map-table summary").click()) == 0
    tabs = page.get_by_role("tab")
    assert runs_after(lambda: (tabs.first.click(), tabs.last.click())) == 0
    assert moved({"steps": 50}) >= 64  # not an axis: every cell is another run
    assert moved({"steps": 60}) == 0  # known from before


@pytest.mark.browser
def test_the_signs_of_all_cells_are_one_path(open_map):
    page = open_map()
    assert page.locator(".fim-map-signs > *").count() <= 1
    assert page.locator(".fim-map-cells text").count() < 64


@pytest.mark.browser
def test_a_search_finds_what_is_wrong_and_leads_there(open_map):
    page = open_map()
    page.get_by_label("statement").select_option("1")
    page.get_by_role("button", name="search for a counterexample").click()
    page.get_by_role("button", name="go there").click(timeout=20_000)
    page.wait_for_function("document.querySelector('.fim').dataset.state === 'done'")
    assert verdict(page, CLAIM) == "contradicted"


@pytest.mark.browser
def test_a_search_that_finds_nothing_goes_on_until_it_is_stopped_and_says_just_that(open_map):
    page = open_map()
    page.get_by_role("button", name="search for a counterexample").click()
    page.wait_for_function(
        "/nothing found in [1-9]/.test(document.querySelector('.fim-search p').textContent)"
    )
    page.get_by_role("button", name="stop the search").click()
    said = page.locator(".fim-search p").text_content()
    assert "nothing found" in said
    assert "proves nothing" in said


def test_a_map_needs_two_controls():
    with pytest.raises(ValueError, match=r"map = 'rate', 'nothing': must be two of the controls"):
        showcase.descends(map=TruthMap("rate", "nothing"))
    with pytest.raises(ValueError, match="must be two of the controls"):
        showcase.descends(map=TruthMap("rate", "rate"))


@pytest.mark.parametrize("takes", [{}, {"start": 40}, {"enter 0": 40}, {"step": 40}, {"report": 40}])
def test_trials_pause_so_early_that_the_next_call_ends_in_time_and_before_each_that_takes_longer(takes):
    milliseconds = {"start": 1, "enter 0": 1, "step": 1, "report": 1, "watch": 1, **takes}
    job = json.dumps({"takes": milliseconds, "steps": 40, "runs": 4, "slice": 10})
    command = [*node.node(), str(ROOT / "tests" / "widgets" / "pauses.mjs"), job]
    done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert done["length"] == 4
    assert max(done["between"]) <= max(10, *milliseconds.values())


DEAR_CALLS = """() => {
  const { live } = document.querySelector('.fim');
  const [now, post] = [performance.now.bind(performance), scheduler.postTask.bind(scheduler)];
  let added = 0, calls = 0;
  window.most = 0;
  performance.now = () => now() + added;
  scheduler.postTask = (work, options) => post(() => { calls = 0; return work(); }, options);
  for (const kernel of Object.values(live.kernels)) {
    const { call } = kernel;
    kernel.call = (inputs, outputs) => {
      call(inputs, outputs);
      added += 100;
      window.most = Math.max(window.most, (calls += 1));
    };
  }
}"""
"""Every call of a kernel seems to take 100 milliseconds; counts those of one task."""


@pytest.mark.browser
def test_from_a_disk_the_page_has_its_turn_between_calls_that_take_long(site, open_page):
    page = open_page(f"{site.as_uri()}/index.html", viewport=DESKTOP)
    page.wait_for_selector('.fim[data-state="done"]')
    page.evaluate(DEAR_CALLS)
    page.get_by_role("tab").last.click()
    page.wait_for_selector(".fim-map-cells[data-state]")
    assert page.evaluate("window.most") == 1


@pytest.mark.browser
def test_from_a_disk_a_browser_that_cannot_tell_when_it_is_idle_fills_the_map_too(site, open_page):
    page = open_page(f"{site.as_uri()}/index.html", viewport=DESKTOP)
    page.evaluate("delete globalThis.scheduler")
    assert page.evaluate("globalThis.scheduler === undefined")
    page.get_by_role("tab").last.click()
    page.wait_for_selector('.fim-map-cells[data-state="done"]')
