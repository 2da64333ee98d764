"""The last hand on the pages that Sphinx has written, so that they work under a strict Content Security Policy.

With :data:`POLICY` a browser runs no script but the site's own files: what stands in a page's text, or in a button's
``onclick``, goes into files beside it, in the same order. Formulas are typeset, and what is loaded in vain is left out.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
from collections.abc import Iterable
from pathlib import Path

from widgets import typeset

POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
"""What a server may send with every page: scripts and fonts are the site's own files, and nothing is made from text."""
SCRIPT = re.compile(r"<script((?![^>]*\b(?:src|type)=)[^>]*)>(.*?)</script>", re.DOTALL)
HANDLER = re.compile(r'(<[a-z][^<>]*?)\sonclick="([^"]*)"')
SPARE = re.compile(
    r'<script[^>]* src="[^"]*/fontawesome/[^"]*"></script>\s*|<link rel="preload"[^>]*/fontawesome/[^>]*>\s*'
)
"""The theme's icons once more: a script of a megabyte that draws what its fonts already show, and all of these."""
NAMELESS = '<summary><span class="toctree-toggle"'
"""The arrows of the theme's sidebar."""
REACH = """
addEventListener("DOMContentLoaded", () => {
  const scrollable = [...document.querySelectorAll("mjx-container[display], .pst-scrollable-table-container, pre")];
  const reach = () => {
    for (const node of scrollable) {
      if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
      else node.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", reach);
  reach();
});
"""
"""What can be scrolled sideways can be reached by the keyboard, and nothing else is in its way."""


def finish(pages: Iterable[Path], static: Path, kept: Path) -> None:
    """Give these pages the last hand; those that have had it stay as they are.

    Args:
        static: the site's folder of scripts. ``kept``: where typeset formulas stay.

    Raises:
        ValueError: a formula cannot be read; no page is changed then.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in pages}
    changed = typeset.within(texts.values(), kept)
    for (path, text), now in zip(texts.items(), changed, strict=True):
        folder = Path(os.path.relpath(static, path.parent)).as_posix()
        if (now := _cleared(now, folder, static)) != text:
            path.write_text(now, encoding="utf-8")


def _cleared(text: str, folder: str, static: Path) -> str:
    """The page without scripts in its text; they lie in ``static``, which its addresses call ``folder``."""

    def filed(script: re.Match[str]) -> str:
        return f'<script{script[1]} src="{folder}/{_file(static, script[2])}"></script>'

    handlers: dict[str, None] = {}

    def listening(tag: re.Match[str]) -> str:
        code = html.unescape(tag[2])
        name = _name(code)
        nodes = f"""document.querySelectorAll('[data-click="{name}"]')"""
        listen = f'for (const node of {nodes}) node.addEventListener("click", function (event) {{ {code} }});'
        handlers[_file(static, listen)] = None
        return f'{tag[1]} data-click="{name}"'

    text = SPARE.sub("", text).replace(NAMELESS, NAMELESS.replace(">", ' aria-label="its pages">', 1))
    text = HANDLER.sub(listening, SCRIPT.sub(filed, text))
    if "</body>" not in text or _file(static, REACH) in text:
        return text
    last = [_file(static, REACH), *handlers]
    loaded = "".join(f'<script defer src="{folder}/{name}"></script>\n' for name in last)
    return text.replace("</body>", f"{loaded}</body>")


def _file(static: Path, code: str) -> str:
    """The script's place in ``static``, where it is put unless it is there."""
    path = static / "scripts" / f"{_name(code)}.js"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    return f"scripts/{path.name}"


def _name(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()[:16]
