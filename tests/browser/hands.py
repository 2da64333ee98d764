"""What a page does with every value that a reader might type, or an address might have, and that is none.

``python -m tests.browser.hands FOLDER`` prints a table of the built book in a folder, a line for each case.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from book.publish.chromium import launched
from tests import DESKTOP
from tests.browser.reading import settled

PAUSE = 230
"""Milliseconds after which the address has followed a control."""

WALK = """async ([pause, everything]) => {
  const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const nameIn = (model) => (model.get('_dom_classes') ?? []).find((one) => one.startsWith('url-'))?.slice(4);
  const frameOf = (name) => document.querySelector(`.ctl.url-${CSS.escape(name)}`);
  const textsFor = (model) => {
    if (model.get('_options_labels')) return ['', 'x', '0.123', '1e9', '__proto__'];
    if (typeof model.get('value') === 'boolean') return ['', 'x', '7', 'null'];
    if (typeof model.get('value') === 'string') return ['1, x', '1e9 1 1 1'];
    const [min, max, base] = ['min', 'max', 'base'].map((end) => model.get(end));
    const [low, high] = base ? [base ** min, base ** max] : [min, max];
    const [below, above] = base ? [low / 10, high * 10] : [low - 1, high + 1];
    return [below, above, '1e12', '-1e400', '', 'abc', 'NaN', '0x10', '<b>x</b>', '9'.repeat(2000)].map(String);
  };
  const go = async (hash) => {
    const changed = new Promise((done) => addEventListener('hashchange', () => setTimeout(done), { once: true }));
    location.hash = hash;
    await changed;
  };
  const figures = [...document.querySelectorAll('.fim')];
  const drawn = () => figures.map((fim) => fim.textContent).join(' ');
  const cases = [];
  const kinds = new Set();
  for (const model of factsRuntime.models.values()) {
    const name = nameIn(model);
    const frame = name && frameOf(name);
    if (!frame) continue;
    const field = frame.querySelector('input.ctl-readout, textarea');
    const label = model.get('description').replace(/ \\([^()]*\\)$/, '').toLowerCase();
    const texts = textsFor(model);
    const kind = [model.name, texts.length, Boolean(model.get('base')), Boolean(field)].join();
    const known = kinds.has(kind) && !everything;
    kinds.add(kind);
    for (const text of known ? [texts[cases.length % texts.length]] : texts) {
      for (const way of field ? ['address', 'field'] : ['address']) {
        const before = figures.map(({ live }) => String(live.run?.values));
        if (way === 'address') await go(`#~${new URLSearchParams({ [name]: text })}`);
        else {
          field.value = text;
          for (const event of ['input', 'change']) field.dispatchEvent(new Event(event));
          await rest(pause);
        }
        const said = [...frame.querySelectorAll('.ctl-problem:not([hidden])')]
          .concat(figures.map((fim) => fim.querySelector('.fim-error:not([hidden])'))).filter(Boolean)
          .map((line) => line.textContent).join(' ');
        const faults = {
          'another run': figures.some(({ live }, i) => live.run && String(live.run.values) !== before[i]),
          'no run': figures.some(({ live, dataset }) => !live.run || dataset.state === 'error'),
          'no scene': figures.some((fim) => !fim.querySelector('.fim-scene :is(svg, table)')),
          'a brace': /\\{\\w+/.test(drawn()),
          'nothing said': !said,
          'a code name': /must be|\\b\\w+ = |(?<!“)NaN/.test(said) && model.name !== 'TextareaModel',
          'no label': Boolean(said) && model.name !== 'TextareaModel' && !said.toLowerCase().includes(label),
          'not marked': !frame.querySelector('[aria-invalid="true"]'),
          'in the address': new URLSearchParams(location.hash.slice(2)).has(name),
        };
        cases.push({ name, text, way, said, faults: Object.keys(faults).filter((fault) => faults[fault]) });
        await go(location.hash === '#~' ? '#~&' : '#~');
      }
    }
  }
  return cases;
}"""
"""Every control of a page, by its address and by its field: what is wrong after each text that is no value of it.

Controls of one kind refuse by the same code: unless everything is wanted, each but the first has one text of its own.
"""


def main(folder: Path) -> None:
    with launched() as browser:
        page = browser.new_page(viewport={"width": DESKTOP["width"], "height": DESKTOP["height"]})
        cases, faults = 0, Counter[str]()
        for path in sorted((folder / "book").rglob("*.html")):
            if "widget-state+json" not in path.read_text():
                continue
            page.goto(path.as_uri())
            settled(page)
            for case in page.evaluate(WALK, [PAUSE, True]):
                cases += 1
                faults.update(case["faults"] or ["none"])
                case_key = [path.stem, case["name"], case["way"], case["text"][:20]]
                print(*case_key, ", ".join(case["faults"]) or "none", case["said"], sep="\t")
        print(cases, "cases:", ", ".join(f"{fault} {count}" for fault, count in faults.most_common()))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
