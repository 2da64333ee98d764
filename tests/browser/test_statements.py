"""The built book in a real Chromium: what a page says of a statement is what the command line says.

A reader opens a page, and follows a link that puts every control somewhere by chance.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from book.ledger.registry import find
from book.ledger.results import RunResult
from book.ledger.settings import parse_settings
from tests import HTML
from tests.browser.book import demos_of, go, judging_pages
from tests.browser.reading import settled
from tests.figures import defaults, drawn, few, key, shortened
from tests.widgets.figure.test_figures import is_chaotic
from widgets import Live
from widgets.figure.compiled import flatten

CLOSE = 1e-6
FEW = 60
"""Steps at most: whole runs are compared with torch in ``tests/widgets/figure/test_figures.py``."""
DRAWS = 20
"""Positions tried until one is found at which last digits do not change torch's own result."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


def positions(demo: Live) -> Iterator[dict[str, float]]:
    """Random positions of a figure's controls, with few steps; each differs from where the page opens."""
    chance, start = random.Random(repr(key(demo))), defaults(demo)
    for _ in range(DRAWS):
        position = shortened(demo, drawn(demo, chance), min(FEW, few(demo)), by_hand=True)
        if position != start:
            yield position


def at_the_command_line(id: str, demo: Live, values: dict[str, float]) -> RunResult:
    """``python -m book at ID …``"""
    words = [f"{name}={json.dumps(value)}" for name, value in values.items()]
    return find([id])[0].at(parse_settings(words))


@pytest.mark.parametrize("path", judging_pages())
def test_a_page_says_what_the_command_line_says_at_its_address(stand_at, path):
    page = stand_at(path)
    settled(page)
    demos = demos_of(page)
    assert all(demo.figure.spec["statements"] for demo in demos)
    for settings in zip(*map(positions, demos), strict=False):
        go(page, demos, settings)
        pairs = []
        for demo, values, claims in zip(demos, settings, page.evaluate(CLAIMS), strict=True):
            assert [claim["id"] for claim in claims] == [s["id"] for s in demo.figure.spec["statements"]]
            pairs += [(claim, at_the_command_line(claim["id"], demo, values)) for claim in claims]
        unlike = [problem for claim, result in pairs for problem in differences(claim, result)]
        if not unlike or not any(map(apart, demos, settings)):
            assert unlike == []
            return
    raise AssertionError(f"torch is torn apart by last digits at all of {DRAWS} positions")


def apart(demo: Live, values: dict[str, float]) -> bool:
    """Whether torch itself is torn apart there."""
    return is_chaotic(demo, values, flatten(demo.figure.check(list(values.values()))))


CLAIMS = r"""() => [...document.querySelectorAll('.fim')].map((fim) =>
  [...fim.querySelectorAll('.fim-statement')].map((top) => {
    const id = top.dataset.statement;
    const below = (what) => [...fim.querySelectorAll(`.fim-below [data-statement="${id}"] [data-${what}]`)];
    return {
      id,
      key: top.dataset.verdict,
      states: { assumed: top.dataset.assumed, concluded: top.dataset.concluded, good: top.dataset.good },
      sentence: [...top.querySelectorAll('.fim-verdict .fim-said > :not(.fim-unseen)')]
        .map(({ textContent }) => textContent).join('').replace(/\u00a0(?=[✓✕]$)/, ' '), // where a page breaks no line
      lights: below('light').map((light) => light.dataset.state),
      settled: below('settled').map((condition) => condition.dataset.state),
      bounds: below('bound').map(({ dataset, children: [name] }) =>
        [name.textContent, ...['low', 'measured', 'high', 'holds'].map((key) => dataset[key])]),
    };
  }))"""


def differences(claim: dict[str, Any], result: RunResult) -> Iterator[str]:
    """Between states, sentence, lights, conditions and bounds of a page, and those of the command line."""
    lights = [{1.0: "holds", 0.0: "violated"}.get(value, "other") for value in result.lights.values()]
    concluded = "undecided" if result.key == "undecided" else "holds" if result.concluded else "fails"
    outcome = "none" if result.good is None else "good" if result.good.holds else "poor"
    names, *columns = zip(*claim["bounds"], strict=True)
    pairs: dict[str, tuple[Any, Any]] = {
        "verdict": ((claim["key"], claim["sentence"]), (result.key, result.sentence)),
        "lights": (claim["lights"], lights),
        "settled": (
            claim["settled"],
            ["reached" if reached else "other" for reached in result.settled.values()],
        ),
        "assumed": (claim["states"]["assumed"], "holds" if result.assumed else "broken"),
        "concluded": (claim["states"]["concluded"], concluded),
        "good": (claim["states"].get("good", "none"), outcome),
        "names": (list(names), [bound.name for bound in result.bounds]),
    }
    for what, column in zip(("low", "measured", "high", "holds"), columns, strict=True):
        expected = [float(getattr(bound, what)) for bound in result.bounds]
        pairs[what] = (list(map(float, column)), pytest.approx(expected, rel=CLOSE, abs=1e-9, nan_ok=True))
    for what, (page, command) in pairs.items():
        if page != command:
            yield f"{claim['id']} at {result.configuration}, {what}: {page} in the page, {command} at the command line"
