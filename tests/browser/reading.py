"""Questions that tests ask of any open page: has it settled, and do its labels overlap?"""

from typing import Any

CLOSE = 1e-9


def settled(page: Any) -> None:
    """Wait until every figure of the page has finished its run, and shows its end."""
    page.wait_for_function(SETTLED)
    page.evaluate(
        "() => document.querySelectorAll('.fim').forEach(({ live }) => live?.scene.waiting && live.scene.goTo(1))"
    )


SETTLED = """() => {
  const figures = [...document.querySelectorAll('.fim')];
  const shown = [...(window.factsRuntime?.models.values() ?? [])].filter((model) => model.name === 'AnyModel').length;
  return figures.length && figures.length >= shown && figures.every((figure) => figure.dataset.state === 'done');
}"""


def open_settings(page: Any) -> None:
    """On a phone, show the settings in the place of the card."""
    for switch in page.locator(".fim-switch:visible").all():
        if switch.get_attribute("aria-pressed") == "false":
            page.locator(".fim-stage").first.evaluate(
                "(stage) => stage.scrollIntoView()"
            )  # as a reader has it
            page.wait_for_timeout(300)  # the sheet takes its place once the page stands still
            switch.click()


def turn_to(page: Any, **values: float) -> None:
    """Turn the cards of the page's first story to the one that sets these values, and wait for its run."""
    story = page.locator(".fim").first.evaluate("({ live }) => [live.story.place, ...live.spec.story]")
    steps = 1 + [card["values"] for card in story[1:]].index(values) - 1 - story[0]
    for _ in range(abs(steps)):
        page.get_by_role("button", name=f"the {'next card' if steps > 0 else 'card before'}").first.click()
        page.wait_for_function(SETTLED)  # a click while a card plays ends its play


APART = """(one, two) => {
  const [turned, other] = [one, two].map((text) => text.getScreenCTM());
  const isSlanted = Math.abs(turned.b) > 1e-3 && Math.abs(turned.a * other.b - turned.b * other.a) < 1e-3;
  if (!isSlanted) return false;
  const [near, far] = [one, two].map((text) => text.getBBox());
  const size = (text) => parseFloat(getComputedStyle(text).fontSize); // a box has room above and below the letters
  const { x, y } = new DOMPoint(far.x, far.y + far.height / 2).matrixTransform(turned.inverse().multiply(other));
  return Math.abs(near.y + near.height / 2 - y) >= Math.max(size(one), size(two))
    || x > near.x + near.width || x + far.width < near.x;
}"""
"""Whether two texts that are turned alike do not touch, though their boxes overlap."""

TOUCHING = """() => [...document.querySelectorAll('.fim-ticks, .fim-names')].flatMap((axis) => {
  const texts = [...axis.children].map((text) => [text, text.getBoundingClientRect()]);
  return texts.flatMap(([one, a], i) => texts.slice(i + 1)
    .filter(([two, b]) => a.left < b.right + 2 && b.left < a.right + 2 && a.top < b.bottom - 2 && b.top < a.bottom - 2
      && !(APART)(one, two))
    .map(([two]) => `${one.textContent} | ${two.textContent}`));
})""".replace("APART", APART)
"""Texts of an axis that overlap or nearly touch."""

HIDING = """(zoom) => [...document.querySelectorAll('.fim svg')].flatMap((svg) => {
  const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim() && text.checkVisibility())
    .map((text) => [text.textContent, text.getBoundingClientRect(), text]);
  const touching = texts.flatMap(([one, a, first], i) => texts.slice(i + 1)
    .filter(([, b, second]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4 * (zoom ?? 1) && !(APART)(first, second))
    .map(([two]) => `${one} | ${two}`));
  const window = svg.querySelector('clipPath rect')?.getBBox();
  const inside = ({ x, y }) => x >= window.x && x <= window.x + window.width
    && y >= window.y && y <= window.y + window.height;
  const labels = texts.filter(([, , text]) => !text.closest('.fim-ticks'));
  const hidden = [...svg.querySelectorAll('.fim-lines path')].flatMap((path) => {
    const [matrix, length] = [path.getScreenCTM(), Math.floor(path.getTotalLength() / 2)];
    const reach = 16 * Math.hypot(matrix.a, matrix.b, matrix.c, matrix.d);
    const at = (i) => path.getPointAtLength(2 * i);
    const near = ({ x, y }) => labels.some(([, box]) => x > box.left - reach && x < box.right + reach
      && y > box.top - reach && y < box.bottom + reach);
    const points = Array.from({ length: Math.ceil(length / 8) }, (_, i) => 8 * i)
      .filter((i) => near(at(i).matrixTransform(matrix)))
      .flatMap((i) => Array.from({ length: Math.min(8, length - i) }, (_, j) => at(i + j)))
      .filter(inside).map((point) => point.matrixTransform(matrix));
    return labels.map(([label, box]) => [label, 2 * points.filter(({ x, y }) =>
      x > box.left + 1 && x < box.right - 1 && y > box.top + 3 && y < box.bottom - 3).length]);
  });
  const hiding = hidden.filter(([, pixels]) => pixels > 26).map(([label, pixels]) => `${label} hides ${pixels} pixels`);
  return [...touching, ...hiding];
})""".replace("APART", APART)
"""Labels of a drawing that overlap, or stand on more of a curve than twice their own height.

A point of a curve takes long: of eight, two pixels apart, the others are asked for if the first may reach a label.
"""

THIRDS = """async () => {
  const overlaps = [];
  for (const share of [0, 0.5, 1]) {
    for (const { live } of document.querySelectorAll('.fim')) {
      const limits = live.spec.stages.map(({ limit }) => live.spec.parameters[limit].name);
      live.set(Object.fromEntries(live.moving.filter(({ name, track }) => track && !limits.includes(name))
        .map(({ name, track: { min, max, base }, choices, integer }) => {
          const place = min + share * (max - min);
          const value = choices ? choices[Math.round(share * (choices.length - 1))] : base ? base ** place : place;
          return [name, integer ? Math.round(value) : value];
        })));
      while (live.root.dataset.state === 'running') await new Promise(requestAnimationFrame);
      if (live.root.dataset.state === 'done') overlaps.push(...(HIDING)().map((what) => `${share}: ${what}`));
    }
  }
  return overlaps;
}""".replace("HIDING", HIDING)
"""The same with all sliders at their lower ends, in the middle, and at their upper ends."""

CUT = """() => [...document.querySelectorAll('svg text')].filter((text) => {
  const [box, frame] = [text, text.ownerSVGElement].map((node) => node.getBoundingClientRect());
  return box.width && getComputedStyle(text.ownerSVGElement).overflow !== 'visible' && (box.left < frame.left - 1
    || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
}).map((text) => text.textContent)"""
"""Texts of a drawing that its edge cuts off."""


OUT_OF_REACH = """async () => {
  const folds = [...document.querySelectorAll('.bd-article details:not([open], .fim-predict)')];
  const hidden = [...document.querySelectorAll('.toggle-hidden')];
  folds.forEach((fold) => { fold.open = true; });
  hidden.forEach((box) => box.classList.remove('toggle-hidden'));
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  await frame();
  const wide = [...document.querySelectorAll('mjx-math, table, .fim-step svg, .statement-map svg')].filter((one) => {
    if (!one.checkVisibility()) return false;
    const { width, right } = one.getBoundingClientRect();
    if (!width || right <= 1) return one.matches('mjx-math, svg');
    for (let box = one.parentElement; box; box = box.parentElement) {
      const { overflowX, display, backgroundImage } = getComputedStyle(box), edge = box.getBoundingClientRect().right;
      if (display === 'inline' || overflowX === 'visible' || right <= edge + 1) continue;
      return !(['auto', 'scroll'].includes(overflowX) && edge <= innerWidth && box.tabIndex === 0
        && backgroundImage.includes('gradient'));
    }
    return right > innerWidth + 1;
  }).map((one) => one.textContent.slice(0, 60) || one.parentElement.outerHTML.slice(-200));
  folds.forEach((fold) => { fold.open = false; });
  hidden.forEach((box) => box.classList.add('toggle-hidden'));
  return wide;
}"""
"""Formulas, tables and small drawings, in folds too, of no width or wider than a box that cuts them: what is wider must
be scrolled in its own box, by touch and by keys, and have a shadow at its edge."""


def look_closer(page: Any, wanted: bool = True) -> None:
    """Show the drawings of all scenes, or only what stands beside the main ones."""
    page.evaluate(
        """(wanted) => [...document.querySelectorAll('.fim-closer')]
          .filter((button) => (button.getAttribute('aria-expanded') === 'true') !== wanted)
          .forEach((button) => button.click())""",
        wanted,
    )


def unfold(page: Any) -> None:
    """Open every fold of the controls and figures, but predictions: these hide what is shown; look closer at scenes."""
    page.evaluate(
        "document.querySelectorAll('.ctl details:not(.fim-predict)').forEach((fold) => (fold.open = true))"
    )
    look_closer(page)
    page.evaluate("() => new Promise((done) => setTimeout(() => requestAnimationFrame(done)))")
