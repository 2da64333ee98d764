"""Formulas, typeset when the book is built: pages need no MathJax, and show and speak them without scripts.

MathJax runs in Node and writes HTML, with MathML inside for screen readers. Its output is cached by TeX, so that a page
built anew typesets only what is new in it.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from widgets import node
from widgets.project import INSTALLED

SCRIPT = """
require(process.argv[1]).init({
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
MATHML_SCRIPT = """
require(process.argv[1]).init({
  loader: { load: ["input/tex-full"] },
  tex: { packages: ["base", "ams", "boldsymbol", "newcommand"] },
}).then((MathJax) => {
  const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
  process.stdout.write(JSON.stringify(formulas.map((tex) => MathJax.tex2mml(tex))));
});"""
MATHJAX = node.HERE / ("dist" if INSTALLED else "node_modules") / "mathjax" / "es5" / "node-main.js"
"""The installed package has the part of MathJax that writes MathML, and with that for companions what writes HTML."""
FONTS = MATHJAX.parent / "output" / "chtml" / "fonts" / "woff-v2"
SIZE = "mjx-container { font-size: 2.33ex; }\n"
"""A formula's size, as high as the words around it: in MathJax's fonts x is 0.43 em high."""
MATH_ELEMENT = re.compile(
    r'(<(span|div) class="math notranslate nohighlight[^"]*"[^>]*>)(.*?)(</\2>)', re.DOTALL
)
TEX_IN_ELEMENT = re.compile(r"\\\((.*)\\\)|\\\[(.*)\\\]|(\\begin\{.*\})", re.DOTALL)
TEX_IN_LABEL = re.compile(r"\$([^$]+)\$|\\\((.+?)\\\)")
GLYPH = re.compile(r"\bmjx-c[0-9A-F]+\b")
GLYPH_RULE = re.compile(rf"\n[^\n{{}}]*({GLYPH.pattern})[^{{}}]*\{{[^{{}}]*\}}\n")
"""A rule of the style sheet for one glyph; there are thousands."""
ERROR = re.compile(r'data-mjx-error="([^"]*)"')


class Formula(NamedTuple):
    """TeX, in a line of text or displayed."""

    tex: str
    display: bool = False

    @property
    def key(self) -> str:
        """The key of its HTML in the cache."""
        return f"{'display' if self.display else 'inline'} {self.tex}"


def typeset(formulas: Iterable[Formula], cache_folder: Path) -> dict[Formula, str]:
    """The HTML of each formula; what the cache in this folder lacks is made and stored.

    Raises:
        ValueError: MathJax cannot read one; the message has its TeX and what is wrong.
    """
    path = cache_folder / f"{hashlib.sha256(SCRIPT.encode()).hexdigest()[:16]}.json"
    cached: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    wanted = list(dict.fromkeys(formulas))
    if missing := [formula for formula in wanted if formula.key not in cached]:
        for formula, written in zip(missing, _run_mathjax(missing)["written"], strict=True):
            _check_read(formula, written)
            cached[formula.key] = written
        cache_folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(cached))
    return {formula: cached[formula.key] for formula in wanted}


def typeset_labels(texts: Iterable[str], cache_folder: Path) -> dict[str, str]:
    """The HTML of the formulas in labels and captions, by their TeX as it stands in HTML."""
    written = typeset(_formulas_in_labels(texts), cache_folder)
    return {_as_in_html(formula): text for formula, text in written.items()}


def mathml_of_labels(texts: Iterable[str]) -> dict[str, str]:
    """The formulas in labels and captions as MathML, which needs neither fonts nor a style sheet, by their TeX.

    Raises:
        ValueError: as :func:`typeset`.
    """
    formulas = list(dict.fromkeys(_formulas_in_labels(texts)))
    if not formulas:
        return {}
    command = [*node.node(), "-e", MATHML_SCRIPT, str(MATHJAX)]
    job = json.dumps([formula.tex for formula in formulas])
    process = subprocess.run(command, input=job, capture_output=True, text=True)
    if process.returncode:
        raise RuntimeError(f"MathJax failed:\n{process.stderr}")
    written = [" ".join(text.split("\n")) for text in json.loads(process.stdout)]
    for formula, text in zip(formulas, written, strict=True):
        _check_read(formula, text)
    return {_as_in_html(formula): text for formula, text in zip(formulas, written, strict=True)}


def typeset_pages(pages: Iterable[str], cache_folder: Path) -> list[str]:
    """Pages as Sphinx writes them, with their formulas typeset; what is typeset already stays.

    Raises:
        ValueError: as :func:`typeset`.
    """
    texts = list(pages)
    formulas = (_formula(match) for text in texts for match in _formulas_as_tex(text))
    written = typeset(formulas, cache_folder)
    return [MATH_ELEMENT.sub(lambda element: _replace_tex(element, written), text) for text in texts]


def _formulas_in_labels(texts: Iterable[str]) -> Iterator[Formula]:
    """The formulas that labels and captions hold between dollars or brackets."""
    matches = (match for text in texts for match in TEX_IN_LABEL.findall(text))
    return (Formula((dollars or parentheses).strip()) for dollars, parentheses in matches)


def _as_in_html(formula: Formula) -> str:
    """A formula's TeX as a script finds it in a page."""
    return html.escape(formula.tex, quote=False)


def _check_read(formula: Formula, written: str) -> None:
    """Refuse a formula that MathJax could not read: what it has written says so.

    Raises:
        ValueError: with the formula's TeX and what is wrong.
    """
    if error := ERROR.search(written):
        raise ValueError(f"formula {formula.tex!r}: {html.unescape(error[1])}")


def _run_mathjax(formulas: list[Formula]) -> dict[str, list[str]]:
    """MathJax's HTML of these formulas as ``written``, and its style sheet as ``style``."""
    command = [*node.node(), "-e", SCRIPT, str(MATHJAX)]
    job = json.dumps({"formulas": formulas})
    process = subprocess.run(command, input=job, capture_output=True, text=True)
    if process.returncode:
        raise RuntimeError(f"MathJax failed:\n{process.stderr}")
    output: dict[str, list[str]] = json.loads(process.stdout)
    return output


def copy_fonts(folder: Path) -> None:
    """Write the style sheet ``formulas.css`` into ``folder`` with its fonts beside it, unless it is there."""
    if not (folder / "formulas.css").exists():
        shutil.copytree(FONTS, folder, dirs_exist_ok=True)
        (folder / "formulas.css").write_text(f"{_run_mathjax([])['style']}\n{SIZE}")


def glyphs(pages: Iterable[str]) -> set[str]:
    """The glyphs that these pages' formulas need."""
    return {glyph for text in pages for glyph in GLYPH.findall(text)}


def used_rules(style: str, used: Collection[str]) -> str:
    """The style sheet without the glyphs that are not used."""
    return GLYPH_RULE.sub(lambda rule: rule[0] if rule[1] in used else "", style)


def _formulas_as_tex(text: str) -> Iterator[re.Match[str]]:
    """The TeX of a page's formulas that are not typeset yet."""
    return filter(None, (TEX_IN_ELEMENT.search(element[3]) for element in MATH_ELEMENT.finditer(text)))


def _formula(match: re.Match[str]) -> Formula:
    """The formula that :data:`TEX_IN_ELEMENT` has matched."""
    inline, display, environment = match.groups()
    return Formula(html.unescape(inline or display or environment).strip(), inline is None)


def _replace_tex(element: re.Match[str], written: dict[Formula, str]) -> str:
    """An element of :data:`MATH_ELEMENT` with HTML in place of its TeX."""
    return f"{element[1]}{TEX_IN_ELEMENT.sub(lambda match: written[_formula(match)], element[3])}{element[4]}"
