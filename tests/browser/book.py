"""The built book: its pages by the table of contents, and what a page's figures say of themselves."""

from __future__ import annotations

import base64
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import ipywidgets as ipw
import torch
from torch import Tensor

from book.ledger import registry
from tests import HTML
from tests.browser.reading import settled
from tests.figures import differing, figure_shown
from widgets import Live, OwnData

WIDGETS = 'type="application/vnd.jupyter.widget-state+json"'

WITH_A_TABLE_FIRST = {"book/together/outside.html"}
"""Where the figure does not follow the first lines."""


def pages() -> list[str]:
    """Every page of the table of contents."""
    return [f"{page}.html" for page in registry.pages()]


@functools.cache
def live_pages() -> list[str]:
    """Those that hold a figure, as far as they are built."""
    return [path for path in pages() if (HTML / path).exists() and WIDGETS in (HTML / path).read_text()]


def judging_pages() -> list[str]:
    """Those of them whose figures judge a statement, and have a map: the loops of torch do not."""
    return [path for path in live_pages() if path != "book/loops.html"]


class Shown(NamedTuple):
    """The position of a figure's controls, and its numbers there."""

    values: list[float]
    numbers: Tensor
    """Every number of its run, in the order of ``widgets.figure.compiled.flatten``."""


def shown(page: Any) -> list[Shown]:
    """Every figure of the page, in order."""
    return [
        Shown(
            figure["values"],
            torch.frombuffer(bytearray(base64.b64decode(figure["numbers"])), dtype=torch.float64),
        )
        for figure in page.evaluate(SHOWN)
    ]


SHOWN = """() => [...document.querySelectorAll('.fim')].map(({ live }) => {
  const bytes = new Uint8Array(Float64Array.from(live.run.numbers).buffer);
  const text = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, i) =>
    String.fromCharCode(...bytes.subarray(4096 * i, 4096 * (i + 1)))).join('');
  return { values: live.values(), numbers: btoa(text) };
})"""


def demos_of(page: Any) -> list[Live]:
    """The functions' own figures that the page's are made from, in order."""
    demos = []
    for spec in page.evaluate(NAMES):
        demo = figure_shown(spec["name"], tuple(spec["parameters"]), urlsplit(page.url).path)
        assert demo, f"the figure {spec['name']!r} comes from no function of a figure.py"
        demos.append(demo)
    return demos


NAMES = """() => [...document.querySelectorAll('.fim')].map(({ live: { spec } }) =>
  ({ name: spec.name, parameters: spec.parameters.map((p) => p.name) }))"""


def go(page: Any, demos: list[Live], settings: Sequence[dict[str, float]]) -> None:
    """Follow a link to these settings and wait until every figure has run there."""
    moved: dict[str, str] = {}
    for demo, values in zip(demos, settings, strict=True):
        moved |= address(demo, values)
    page.evaluate(FOLLOW, f"#~{urlencode(moved)}")
    page.wait_for_function(ARRIVED, arg=[list(values.values()) for values in settings])
    settled(page)


FOLLOW = """(hash) => {
  if (location.hash === hash) dispatchEvent(new HashChangeEvent('hashchange'));
  else location.hash = hash;
}"""
"""Controls that moved a moment ago are not in the address yet: it may already say where to go."""

ARRIVED = """(wanted) => [...document.querySelectorAll('.fim')].every(({ live }, i) =>
  live.values().every((value, j) => Math.abs(value - wanted[i][j]) <= 1e-12 * Math.abs(value)))"""


def address(demo: Live, values: dict[str, float]) -> dict[str, str]:
    """What the page's address says: for each control that has moved its name there, and its value or label."""
    settings, different = {}, differing(demo, values)
    for name, control in demo.controls.items():
        (address_name,) = [c.removeprefix("url-") for c in control._dom_classes if c.startswith("url-")]
        if name in demo.own:
            if any(domain.name in different for domain in demo.own[name].domains(name)):
                settings[address_name] = pasted(demo.own[name], name, values)
        elif name in different:
            value = different[name]
            settings[address_name] = (
                label(control, value) if hasattr(control, "_options_full") else f"{value:.17g}"
            )
    return settings


def pasted(own: OwnData, name: str, values: dict[str, float]) -> str:
    """What a reader pastes to have these numbers."""
    count, *numbers = (values[domain.name] for domain in own.domains(name))
    width = len(own.columns)
    rows = [numbers[width * row : width * (row + 1)] for row in range(int(count))]
    return "\n".join(", ".join(f"{number:.17g}" for number in row) for row in rows)


def label(control: ipw.Widget, value: float) -> str:
    """The label of a control's choice that has this value."""
    return next(str(text) for text, number in control._options_full if number == value)
