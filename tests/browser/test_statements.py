"""The built book in a real Chromium: what a page says of a statement is what the command line says.

A reader opens a page, follows a link that puts every control somewhere by chance, and then another.
"""

from __future__ import annotations

import functools
import json
import random
from typing import Any
from urllib.parse import urlencode

import ipywidgets as ipw
import pytest

from book.statements import Found, assigned, find
from tests.browser.book import DESKTOP, HTML, live_pages, settled, shown
from tests.figures import FEW, defaults, drawn, limits_of
from tests.figures import figures as known
from tests.widgets.test_figures import torn
from widgets import Live
from widgets.live import flatten

CLOSE = 1e-6
PLACES = 2
DRAWS = 20
"""So many positions are tried for those at which torch itself is not torn apart by last digits."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@functools.cache
def positions(key: tuple[str, tuple[str, ...]]) -> list[dict[str, float]]:
    """Where to put a figure's controls, with no more steps than at first; each differs from where the page opens."""
    demo, chance = known()[key], random.Random(repr(key))
    start, found = defaults(demo), []
    for _ in range(DRAWS):
        one = drawn(demo, chance)
        one |= {limit: min(one[limit], start[limit], FEW) for limit in limits_of(demo) & set(demo.controls)}
        if one != start and not torn(demo, one, flatten(demo.figure.check(list(one.values())))):
            found.append(one)
        if len(found) == PLACES:
            return found
    raise AssertionError(f"{key[0]}: torch is torn apart at {DRAWS - len(found)} of {DRAWS} positions")


def differing(demo: Live, values: dict[str, float]) -> dict[str, float]:
    start = defaults(demo)
    return {name: value for name, value in values.items() if value != start[name]}


def address(demo: Live, values: dict[str, float]) -> dict[str, str]:
    """What the page's address says: for each control that has moved its name there, and its value or label."""
    found = {}
    for name, value in differing(demo, values).items():
        control = demo.controls[name]
        (called,) = [c.removeprefix("url-") for c in control._dom_classes if c.startswith("url-")]
        found[called] = label(control, value) if hasattr(control, "_options_full") else f"{value:.17g}"
    return found


def label(control: ipw.Widget, value: float) -> str:
    return next(str(text) for text, number in control._options_full if number == value)


def at_the_command_line(id: str, demo: Live, values: dict[str, float]) -> Found:
    """``python -m book.statements ID --at …``"""
    text = ",".join(f"{name}={json.dumps(value)}" for name, value in differing(demo, values).items())
    return find([id])[0].at(assigned(text))


@pytest.mark.parametrize("path", live_pages())
def test_a_page_says_what_the_command_line_says_at_its_address(open_page, serve, path):
    page = open_page(f"{serve(HTML)}/{path}", viewport=DESKTOP)
    settled(page)
    demos = [known()[figure.name, figure.parameters] for figure in shown(page)]
    assert all(demo.figure.spec["statements"] for demo in demos)
    for place in range(PLACES):
        settings = [positions((figure.name, figure.parameters))[place] for figure in shown(page)]
        go(page, demos, settings)
        for demo, values, said in zip(demos, settings, page.evaluate(SAID), strict=True):
            assert [claim["id"] for claim in said] == [s["id"] for s in demo.figure.spec["statements"]]
            for claim in said:
                assert_alike(claim, at_the_command_line(claim["id"], demo, values))


def go(page: Any, demos: list[Live], settings: list[dict[str, float]]) -> None:
    """Follow a link to these settings and wait until every figure has run there."""
    moved: dict[str, str] = {}
    for demo, values in zip(demos, settings, strict=True):
        moved |= address(demo, values)
    page.evaluate("(hash) => { location.hash = hash; }", f"#~{urlencode(moved)}")
    page.wait_for_function(ARRIVED, arg=[list(values.values()) for values in settings])
    settled(page)


ARRIVED = """(wanted) => [...document.querySelectorAll('.fim')].every(({ live }, i) =>
  live.values().every((value, j) => Math.abs(value - wanted[i][j]) <= 1e-12 * Math.abs(value)))"""

SAID = """() => [...document.querySelectorAll('.fim')].map((fim) =>
  [...fim.querySelectorAll('.fim-statement')].map((top) => {
    const id = top.dataset.statement;
    const below = (what) => [...fim.querySelectorAll(`.fim-below [data-statement="${id}"] [data-${what}]`)];
    return {
      id,
      key: top.dataset.verdict,
      chips: Object.fromEntries([...top.querySelectorAll('[data-chip]')].map((c) => [c.dataset.chip, c.dataset.state])),
      sentence: top.querySelector('.fim-verdict .fim-said').textContent,
      lights: below('light').map((light) => light.dataset.state),
      settled: below('settled').map((condition) => condition.dataset.state),
      bounds: below('bound').map(({ dataset, children: [name] }) =>
        [name.textContent, ...['low', 'measured', 'high', 'holds'].map((key) => dataset[key])]),
    };
  }))"""


def assert_alike(said: dict[str, Any], found: Found) -> None:
    """Chips, sentence, lights, conditions and bounds of a page, and the same of the command line."""
    assert (said["key"], said["sentence"]) == (found.key, found.sentence), found.configuration
    assert said["lights"] == [
        {1.0: "holds", 0.0: "violated"}.get(value, "other") for value in found.lights.values()
    ]
    assert said["settled"] == ["reached" if reached else "other" for reached in found.settled.values()]
    concluded = "undecided" if found.key == "undecided" else "holds" if found.concluded else "fails"
    assert said["chips"]["assumed"] == ("holds" if found.assumed else "broken")
    assert said["chips"]["concluded"] == concluded
    outcome = "none" if found.good is None else "good" if found.good.holds else "poor"
    assert said["chips"].get("good", "none") == outcome
    names, *numbers = zip(*said["bounds"], strict=True)
    assert list(names) == [bound.name for bound in found.bounds]
    for key, column in zip(("low", "measured", "high", "holds"), numbers, strict=True):
        expected = [float(getattr(bound, key)) for bound in found.bounds]
        assert list(map(float, column)) == pytest.approx(expected, rel=CLOSE, abs=1e-9, nan_ok=True), key
