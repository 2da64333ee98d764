"""The built book: its pages by the table of contents, and what a page's figures say of themselves."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, NamedTuple

import torch
import yaml
from torch import Tensor

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 900}
CLOSE = 1e-9
WIDGETS = 'type="application/vnd.jupyter.widget-state+json"'


def pages() -> list[str]:
    """Every page of the table of contents."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    return [f"{path}.html" for path in _files(contents)]


def _files(entry: Any) -> list[str]:
    """The files of an entry and of all below it, in order."""
    if isinstance(entry, list):
        return [path for one in entry for path in _files(one)]
    own = [entry[name] for name in ("root", "file") if name in entry]
    return own + [p for name in ("parts", "chapters", "sections") for p in _files(entry.get(name, []))]


def live_pages() -> list[str]:
    """Those that hold a figure, as far as they are built."""
    return [path for path in pages() if (HTML / path).exists() and WIDGETS in (HTML / path).read_text()]


def settled(page: Any) -> None:
    """Wait until every figure of the page has finished its run."""
    page.wait_for_function(SETTLED)


SETTLED = """() => {
  const figures = [...document.querySelectorAll('.fim')];
  const shown = [...(window.factsRuntime?.models.values() ?? [])].filter((model) => model.name === 'AnyModel').length;
  return shown && figures.length >= shown && figures.every((figure) => figure.dataset.state === 'done');
}"""


TOUCHING = """() => [...document.querySelectorAll('.fim-ticks, .fim-names')].flatMap((axis) => {
  const texts = [...axis.children].map((text) => [text.textContent, text.getBoundingClientRect()]);
  return texts.flatMap(([one, a], i) => texts.slice(i + 1)
    .filter(([, b]) => a.left < b.right + 2 && b.left < a.right + 2 && a.top < b.bottom - 2 && b.top < a.bottom - 2)
    .map(([two]) => `${one} | ${two}`));
})"""
"""Texts of an axis that overlap or nearly touch."""

CUT = """() => [...document.querySelectorAll('svg text')].filter((text) => {
  const [own, frame] = [text, text.ownerSVGElement].map((node) => node.getBoundingClientRect());
  return own.width && getComputedStyle(text.ownerSVGElement).overflow !== 'visible' && (own.left < frame.left - 1
    || own.right > frame.right + 1 || own.top < frame.top - 1 || own.bottom > frame.bottom + 1);
}).map((text) => text.textContent)"""
"""Texts of a drawing that its edge cuts off."""


def unfold(page: Any) -> None:
    """Open every fold of the controls."""
    for fold in page.locator(".ctl details:not([open]) > summary").all():
        fold.click()


class Shown(NamedTuple):
    """What a figure of a page is and stands at."""

    name: str
    parameters: tuple[str, ...]
    values: list[float]
    numbers: Tensor
    """Every number of its run, as ``widgets.live.flatten`` lines them up."""


def shown(page: Any) -> list[Shown]:
    """Every figure of the page, in order."""
    return [
        Shown(
            one["name"],
            tuple(one["parameters"]),
            one["values"],
            torch.frombuffer(bytearray(base64.b64decode(one["numbers"])), dtype=torch.float64),
        )
        for one in page.evaluate(SHOWN)
    ]


SHOWN = """() => [...document.querySelectorAll('.fim')].map(({ live }) => {
  const bytes = new Uint8Array(Float64Array.from(live.run.numbers).buffer);
  const text = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, i) =>
    String.fromCharCode(...bytes.subarray(4096 * i, 4096 * (i + 1)))).join('');
  return {
    name: live.spec.name,
    parameters: live.spec.parameters.map((p) => p.name),
    values: live.values(),
    numbers: btoa(text),
  };
})"""
