"""Formulas, typeset when the book is built: pages need no MathJax, and show and speak them without scripts.

MathJax runs in Node and writes HTML, with MathML inside for those who listen. What it wrote is kept by its TeX, so that
a page built anew typesets only what is new in it.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from widgets import node

FONTS = "mathjax/es5/output/chtml/fonts/woff-v2"
SCRIPT = """
require("mathjax").init({
  loader: { load: ["input/tex-full", "output/chtml", "adaptors/liteDOM", "a11y/assistive-mml"] },
  tex: { packages: ["base", "ams", "boldsymbol", "newcommand"] },
  chtml: { fontURL: ".", adaptiveCSS: false },
}).then(async (MathJax) => {
  const { adaptor } = MathJax.startup;
  const { formulas } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const written = [];
  for (const [tex, display] of formulas) {
    written.push(adaptor.outerHTML(await MathJax.tex2chtmlPromise(tex, { display })));
  }
  const style = adaptor.textContent(MathJax.chtmlStylesheet());
  process.stdout.write(JSON.stringify({ written, style }));
}).catch((error) => {
  console.error(error);
  process.exit(1);
});"""
SIZE = "mjx-container { font-size: 2.33ex; }\n"
"""As high as the words around it: in MathJax's fonts x is 0.43 em high."""
ELEMENT = re.compile(r'(<(span|div) class="math notranslate nohighlight[^"]*"[^>]*>)(.*?)(</\2>)', re.DOTALL)
TEX = re.compile(r"\\\((.*)\\\)|\\\[(.*)\\\]|(\\begin\{.*\})", re.DOTALL)
MATH = re.compile(r"\$([^$]+)\$|\\\((.+?)\\\)")
GLYPH = re.compile(r"\bmjx-c[0-9A-F]+\b")
RULE = re.compile(rf"\n[^\n{{}}]*({GLYPH.pattern})[^{{}}]*\{{[^{{}}]*\}}\n")
"""Of the style sheet, for one glyph; there are thousands."""
WRONG = re.compile(r'data-mjx-error="([^"]*)"')


class Formula(NamedTuple):
    """TeX, in a line of text or displayed."""

    tex: str
    display: bool = False

    @property
    def key(self) -> str:
        """What it is kept by."""
        return f"{'display' if self.display else 'inline'} {self.tex}"


def typeset(formulas: Iterable[Formula], kept: Path) -> dict[Formula, str]:
    """Each formula's HTML; what is not yet in the folder ``kept`` is made and put there.

    Raises:
        ValueError: MathJax cannot read one; the message has its TeX and what is wrong.
    """
    store = kept / f"{hashlib.sha256(SCRIPT.encode()).hexdigest()[:16]}.json"
    known: dict[str, str] = json.loads(store.read_text()) if store.exists() else {}
    wanted = list(dict.fromkeys(formulas))
    if missing := [formula for formula in wanted if formula.key not in known]:
        for formula, written in zip(missing, _run(missing)["written"], strict=True):
            if wrong := WRONG.search(written):
                raise ValueError(f"formula {formula.tex!r}: {html.unescape(wrong[1])}")
            known[formula.key] = written
        kept.mkdir(parents=True, exist_ok=True)
        store.write_text(json.dumps(known))
    return {formula: known[formula.key] for formula in wanted}


def inside(texts: Iterable[str], kept: Path) -> dict[str, str]:
    """The HTML of the formulas in labels and captions, by their TeX as it stands in HTML."""
    formulas = [Formula((a or b).strip()) for text in texts for a, b in MATH.findall(text)]
    return {html.escape(it.tex, quote=False): text for it, text in typeset(formulas, kept).items()}


def _run(formulas: list[Formula]) -> dict[str, list[str]]:
    asked = json.dumps({"formulas": formulas})
    done = subprocess.run(
        [*node.node(), "-e", SCRIPT], cwd=node.HERE, input=asked, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"MathJax failed:\n{done.stderr}")
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def provide(folder: Path) -> None:
    """Put the style sheet and its fonts into ``folder``, unless they are there."""
    if not (folder / "formulas.css").exists():
        shutil.copytree(node.HERE / "node_modules" / FONTS, folder, dirs_exist_ok=True)
        (folder / "formulas.css").write_text(f"{_run([])['style']}\n{SIZE}")


def needed(style: str, pages: Iterable[str]) -> str:
    """The style sheet with no glyphs but those of the pages' formulas."""
    used = {glyph for text in pages for glyph in GLYPH.findall(text)}
    return RULE.sub(lambda rule: rule[0] if rule[1] in used else "", style)


def within(pages: Iterable[str], kept: Path) -> list[str]:
    """Pages as Sphinx writes them with their formulas typeset; those that are typeset already stay.

    Raises:
        ValueError: as :func:`typeset`.
    """
    texts = list(pages)
    written = typeset((_formula(each) for text in texts for each in _elements(text)), kept)
    return [ELEMENT.sub(lambda found: _placed(found, written), text) for text in texts]


def _elements(text: str) -> Iterator[re.Match[str]]:
    """The TeX of a page's formulas that are not typeset yet."""
    return filter(None, (TEX.search(element[3]) for element in ELEMENT.finditer(text)))


def _formula(found: re.Match[str]) -> Formula:
    inline, display, environment = found.groups()
    return Formula(html.unescape(inline or display or environment).strip(), inline is None)


def _placed(element: re.Match[str], written: dict[Formula, str]) -> str:
    return f"{element[1]}{TEX.sub(lambda found: written[_formula(found)], element[3])}{element[4]}"
