"""What a test asks of any page that is open."""

from typing import Any

CLOSE = 1e-9


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
    """Open every fold of the controls and figures."""
    page.evaluate("document.querySelectorAll('.ctl details').forEach((fold) => (fold.open = true))")
    page.evaluate("() => new Promise((done) => setTimeout(() => requestAnimationFrame(done)))")
