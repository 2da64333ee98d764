"""Post-processing of the HTML that Sphinx has written, so that it works under a strict Content Security Policy.

With :data:`POLICY` a browser runs no script but the site's own files: what stands in a page's text, or in a button's
``onclick``, goes into files beside it, in the same order. Formulas are typeset, all style sheets become one, and what
is loaded or drawn in vain is left out: the first figure comes the sooner.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from widgets.site import fonts, metadata, typeset
from widgets.site.hashed import short_hash, write_hashed

POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
"""What a server may send with every page: scripts and fonts are the site's own files, and nothing is made from text."""
INLINE_SCRIPT = re.compile(r"<script((?![^>]*\b(?:src|type)=)[^>]*)>(.*?)</script>", re.DOTALL)
CLICK_HANDLER = re.compile(r'(<[a-z][^<>]*?)\sonclick="([^"]*)"')
HASHED_FILE = re.compile(r"\b[a-z]+/[0-9a-f]{16}\.(?:js|css)\b")
"""A script or a style sheet that :func:`~widgets.site.hashed.write_hashed` has named, with its folder."""
STYLE_SHEET_LINK = (
    r'<link(?=[^>]* rel="stylesheet")(?![^>]* media=)[^>]*'
    r' href="{}/([^"?]*)[^"]*"(?: data-of="(.*?)")?[^>]*>\s*'
)
"""A style sheet that a page loads from this folder, or one that :func:`_with_one_style_sheet` put in place of several,
whose names are in ``data-of``."""
CSS_IMPORT = re.compile(r'@import "(.*?)";')
CSS_URL = re.compile(r"""url\((["']?)(?!["'#/]|[a-z]+:)(.*?)\1\)""")
"""A relative address in a style sheet."""
THEMES_CHOICE = 'localStorage.getItem("theme") || "auto"'
"""How the theme's first script chooses light or dark; a later one chooses rightly, once all is drawn."""
RIGHT_CHOICE = """{ light: "light", dark: "dark" }[document.documentElement.dataset.mode]
      ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")"""
"""How the later one chooses. In the first script nothing is styled twice, and nothing flashes."""
UNUSED_ICONS = re.compile(
    r'<script[^>]* src="[^"]*/fontawesome/[^"]*"></script>\s*|<link rel="preload"[^>]*/fontawesome/[^>]*>\s*'
)
"""The theme's icons as a script of a megabyte; its fonts already show them, and need not be loaded ahead."""
UNLABELLED_TOGGLE = '<summary><span class="toctree-toggle"'
"""The theme's sidebar has arrows that say nothing to a screen reader."""
FIGURES = re.compile(r'class="[^"]*\bfim-live\b|id="gallery"')
"""What a page with figures has, or with the pictures of all of them."""
BODY, BODY_WITH_FIGURES = "<body ", '<body class="has-figures" '
"""A page's contents as the theme begins them, and as :func:`_marked` does."""
FOR_KEYBOARDS = """
addEventListener("DOMContentLoaded", () => {
  const scrollable = "span.math, div.math > mjx-container, .pst-scrollable-table-container, .statement-map, pre";
  const sizes = new ResizeObserver((seen) => {
    const measured = seen.map(({ target }) => [target, target.scrollWidth > target.clientWidth + 1]);
    for (const [node, isWide] of measured) {
      if (isWide) node.tabIndex = 0;
      else node.removeAttribute("tabindex");
    }
  });
  for (const node of document.querySelectorAll(scrollable)) sizes.observe(node);
  for (const button of document.querySelectorAll(".admonition-title > .toggle-button"))
    button.setAttribute("aria-label", button.parentElement.innerText.trim());
});
"""
"""What can be scrolled sideways can be reached by the keyboard, and nothing else is in its way. What the theme's
buttons fold has a title, which is their name."""
UNNAMED_FOLD = '<summary aria-label="Toggle hidden content">'
"""A fold of MyST-NB, which has words of its own."""


def post_process(root: Path, cache_folder: Path, address: str = "", documents: Sequence[str] = ()) -> None:
    """Rewrite a site's pages for :data:`POLICY`; pages already rewritten stay as they are.

    Scripts and style sheets of earlier builds that no page loads any more are removed.

    Args:
        root: the site's folder.
        cache_folder: where typeset formulas are stored between builds.
        address: where the site will be published; then it gets what :mod:`widgets.site.metadata` writes.
        documents: the pages made from the author's documents, the first first, as paths from the site's folder.

    Raises:
        ValueError: a formula cannot be read; no page is changed then.
    """
    static = root / "_static"
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.html"))}
    typeset_texts = dict(zip(texts, typeset.typeset_pages(texts.values(), cache_folder), strict=True))
    typeset_texts = {path: _marked(text) for path, text in typeset_texts.items()}
    if address:
        typeset_texts |= metadata.describe(typeset_texts, root, address.rstrip("/"), documents)
    loaded: set[str] = set()
    used = typeset.glyphs(typeset_texts.values())

    @cache
    def merge(names: tuple[str, ...]) -> str:
        whole = "\n".join(_read_style_sheet(static, name) for name in names)
        return write_hashed(static / "styles", typeset.used_rules(whole, used), "css")

    for path, text in typeset_texts.items():
        folder = Path(os.path.relpath(static, path.parent)).as_posix()
        text = _with_one_style_sheet(_without_inline_scripts(text, folder, static), folder, merge)
        loaded.update(HASHED_FILE.findall(text))
        if text != texts[path]:
            path.write_text(text, encoding="utf-8")
    _remove_unused(static, loaded)
    if address:
        metadata.write_sitemap(root, address.rstrip("/"), documents, documents[0])


def _marked(text: str) -> str:
    """The page, told on its body if it has figures: it is laid out for them before a browser has read as far."""
    if BODY_WITH_FIGURES in text or not FIGURES.search(text):
        return text
    return text.replace(BODY, BODY_WITH_FIGURES, 1)


def _remove_unused(static: Path, loaded: set[str]) -> None:
    """Delete the files of :func:`~widgets.site.hashed.write_hashed` that no page loads."""
    for path in static.glob("*/*"):
        name = f"{path.parent.name}/{path.name}"
        if HASHED_FILE.fullmatch(name) and name not in loaded:
            path.unlink()


def _without_inline_scripts(text: str, folder: str, static: Path) -> str:
    """The page without scripts in its text; they lie in ``static``, which the page's addresses call ``folder``."""

    def address(code: str) -> str:
        return f"{folder}/{write_hashed(static / 'scripts', code)}"

    def as_file(script: re.Match[str]) -> str:
        code = script[2]
        if THEMES_CHOICE in code:
            code = code.replace(THEMES_CHOICE, RIGHT_CHOICE) + fonts.PRELOAD
        return f'<script{script[1]} src="{address(code)}"></script>'

    handlers: dict[str, None] = {}

    def as_listener(tag: re.Match[str]) -> str:
        code = html.unescape(tag[2])
        name = short_hash(code)
        nodes = f"""document.querySelectorAll('[data-click="{name}"]')"""
        listen = f'for (const node of {nodes}) node.addEventListener("click", function (event) {{ {code} }});'
        handlers[address(listen)] = None
        return f'{tag[1]} data-click="{name}"'

    text = UNUSED_ICONS.sub("", text).replace(UNNAMED_FOLD, "<summary>")
    text = text.replace(UNLABELLED_TOGGLE, UNLABELLED_TOGGLE.replace(">", ' aria-label="its pages">', 1))
    text = CLICK_HANDLER.sub(as_listener, INLINE_SCRIPT.sub(as_file, text))
    keyboards = address(FOR_KEYBOARDS)
    if keyboards in text:
        return text
    tags = "".join(f'<script defer src="{script}"></script>\n' for script in (keyboards, *handlers))
    return text.replace("</body>", f"{tags}</body>")


def _with_one_style_sheet(text: str, folder: str, merge: Callable[[tuple[str, ...]], str]) -> str:
    """The page with one style sheet in place of all: nothing is drawn before the last has come.

    Args:
        folder: the site's own files, as the page's addresses call them.
        merge: writes one style sheet from those with these names; returns its address in ``folder``.
    """
    link = re.compile(STYLE_SHEET_LINK.format(re.escape(folder)))
    links = list(link.finditer(text))
    if not links:
        return text
    names = tuple(name for match in links for name in (match[2] or match[1]).split())
    merged = f'<link rel="stylesheet" href="{folder}/{merge(names)}" data-of="{" ".join(names)}" />\n'
    begin = links[0].start()
    return text[:begin] + merged + link.sub("", text[begin:])


def _read_style_sheet(static: Path, name: str) -> str:
    """A style sheet with what it imports; relative addresses are those from the folder of the merged ones."""
    path = static / name

    def relative(url: re.Match[str]) -> str:
        return f'url("{Path(os.path.relpath(path.parent / url[2], static / "styles")).as_posix()}")'

    text = CSS_URL.sub(relative, path.read_text(encoding="utf-8"))
    return CSS_IMPORT.sub(
        lambda match: _read_style_sheet(static, os.path.join(Path(name).parent, match[1])), text
    )
