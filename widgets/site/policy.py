"""The last hand on the pages that Sphinx has written, so that they work under a strict Content Security Policy.

With :data:`POLICY` a browser runs no script but the site's own files: what stands in a page's text, or in a button's
``onclick``, goes into files beside it, in the same order. Formulas are typeset, and what is loaded or drawn in vain is
left out: the first figure comes the sooner.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
from collections.abc import Callable, Mapping, Set
from functools import cache
from pathlib import Path

from widgets.site import previews, typeset

POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
"""What a server may send with every page: scripts and fonts are the site's own files, and nothing is made from text."""
SCRIPT = re.compile(r"<script((?![^>]*\b(?:src|type)=)[^>]*)>(.*?)</script>", re.DOTALL)
HANDLER = re.compile(r'(<[a-z][^<>]*?)\sonclick="([^"]*)"')
FILED = re.compile(r"\b[a-z]+/[0-9a-f]{16}\.(?:js|css)\b")
"""A script or a style sheet that :func:`filed` has named, by its folder."""
STYLES = r'<link(?=[^>]* rel="stylesheet")(?![^>]* media=)[^>]* href="{}/([^"?]*)[^"]*"(?: data-of="(.*?)")?[^>]*>\s*'
"""A style sheet that a page loads from this folder, or one of :func:`_gathered`, which says what is in it."""
IMPORT = re.compile(r'@import "(.*?)";')
PLACE = re.compile(r"""url\((["']?)(?!["'#/]|[a-z]+:)(.*?)\1\)""")
THEME = 'localStorage.getItem("theme") || "auto"'
"""What the theme's first script takes for the page's colours; a later one takes the right ones, once all is drawn."""
COLOURS = """{ light: "light", dark: "dark" }[document.documentElement.dataset.mode]
      ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")"""
"""Those that the later one takes: so nothing is styled twice, and nothing flashes."""
SPARE = re.compile(
    r'<script[^>]* src="[^"]*/fontawesome/[^"]*"></script>\s*|<link rel="preload"[^>]*/fontawesome/[^>]*>\s*'
)
"""The theme's icons once more: a script of a megabyte that draws what its fonts already show, and all of these."""
TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
CANONICAL = 'rel="canonical"'
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
MISSING = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>No such page</title>
<h1>No such page</h1><p>The book begins <a href="{address}/book/index.html">here</a>.</p></html>
"""
MOVED = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8" /><title>Moved</title><link rel="canonical" href="{place}" />
<script src="{script}"></script><meta http-equiv="refresh" content="1; url={place}" />
<h1>Moved</h1><p>This page is now <a href="{place}">here</a>.</p></html>
"""
ONWARD = 'location.replace(document.querySelector("link").href + location.hash);'
"""What an address sets goes along; without scripts only the page."""
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


def finish(root: Path, kept: Path, address: str = "", moved: Mapping[str, str] | None = None) -> None:
    """Give a site's pages the last hand; those that have had it stay as they are. Files that none loads any more go.

    Args:
        root: the site's folder. ``kept``: where typeset formulas stay.
        address: where the site will be published; then it gets a sitemap, a page for what is not found, and pages that
            say their own address and have a picture.
        moved: pages' old names, "book/recall/saddle", with their new ones; old addresses lead on.

    Raises:
        ValueError: a formula cannot be read, or a page has moved nowhere; no page is changed then.
    """
    static = root / "_static"
    for old, new in (moved or {}).items():
        _lead(root, f"{old}.html", f"{new}.html")
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.html"))}
    changed = typeset.within(texts.values(), kept)
    shown = _pictures(dict(zip(texts, changed, strict=True)), root) if address else {}
    loaded: set[str] = set()

    @cache
    def styles(names: tuple[str, ...]) -> str:
        whole = "\n".join(_style(static, name) for name in names)
        return filed(static / "styles", typeset.needed(whole, changed), "css")

    for (path, text), now in zip(texts.items(), changed, strict=True):
        folder = Path(os.path.relpath(static, path.parent)).as_posix()
        now = _gathered(_cleared(now, folder, static), folder, styles)
        if address and static not in path.parents:
            now = _addressed(now, address.rstrip("/"), path.relative_to(root), shown.get(path))
        loaded.update(FILED.findall(now))
        if now != text:
            path.write_text(now, encoding="utf-8")
    for path in static.glob("*/*"):
        if FILED.fullmatch(name := f"{path.parent.name}/{path.name}") and name not in loaded:
            path.unlink()
    if address:
        _publish(root, address.rstrip("/"), {f"{old}.html" for old in moved or ()})


def _pictures(pages: dict[Path, str], root: Path) -> dict[Path, str]:
    """Draw the book's pages that have no picture yet; returns what the pictures show, in words."""
    fresh = {
        path: text for path, text in pages.items() if root / "book" in path.parents and CANONICAL not in text
    }
    places = {_picture(root, path.relative_to(root)): text for path, text in fresh.items()}
    return dict(zip(fresh, previews.draw(places), strict=True))


def _picture(root: Path, page: Path) -> Path:
    """Where the picture of a page lies."""
    return (root / "_static" / "pictures" / page).with_suffix(".png")


def _addressed(text: str, site: str, page: Path, shown: str | None) -> str:
    """The page with what shows it where its address is shared: its own address, its title, and its picture."""
    title = TITLE.search(text)
    if not title or CANONICAL in text:
        return text
    address = f"{site}/{page.as_posix()}"
    said = {"type": "article", "url": address, "title": title[1].strip()}
    if shown:
        place = f"{site}/{_picture(Path(), page).as_posix()}"
        said |= {
            "image": place,
            "image:width": "1200",
            "image:height": "630",
            "image:alt": html.escape(shown),
        }
    lines = [f'<meta property="og:{name}" content="{value}" />' for name, value in said.items()]
    large = ['<meta name="twitter:card" content="summary_large_image" />'] if shown else []
    return text.replace(
        "</title>", "\n".join(("</title>", f'<link {CANONICAL} href="{address}" />', *lines, *large)), 1
    )


def _lead(root: Path, old: str, new: str) -> None:
    """Have an old address lead to the new one."""
    path = root / old
    if not (root / new).is_file() or (
        path.exists() and "<title>Moved<" not in path.read_text(encoding="utf-8")
    ):
        raise ValueError(f"moved_pages: {old} to {new}: must be from where no page is to where one is")
    script = root / "_static" / filed(root / "_static" / "scripts", ONWARD)
    place, loads = (Path(os.path.relpath(end, path.parent)).as_posix() for end in (root / new, script))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(MOVED.format(place=place, script=loads), encoding="utf-8")


def _publish(root: Path, address: str, moved: Set[str]) -> None:
    """Write the sitemap, and what a server shows at an address that has no page."""
    found = {path.relative_to(root).as_posix() for path in (root / "book").rglob("*.html")}
    places = "".join(f"<url><loc>{address}/{place}</loc></url>" for place in sorted(found - moved))
    (root / "sitemap.xml").write_text(
        f'<?xml version="1.0" encoding="utf-8"?><urlset xmlns="{SITEMAP}">{places}</urlset>\n'
    )
    (root / "404.html").write_text(MISSING.format(address=address), encoding="utf-8")


def _cleared(text: str, folder: str, static: Path) -> str:
    """The page without scripts in its text; they lie in ``static``, which its addresses call ``folder``."""

    def address(code: str) -> str:
        return f"{folder}/{filed(static / 'scripts', code)}"

    def outside(script: re.Match[str]) -> str:
        return f'<script{script[1]} src="{address(script[2].replace(THEME, COLOURS))}"></script>'

    handlers: dict[str, None] = {}

    def listening(tag: re.Match[str]) -> str:
        code = html.unescape(tag[2])
        name = digest(code)
        nodes = f"""document.querySelectorAll('[data-click="{name}"]')"""
        listen = f'for (const node of {nodes}) node.addEventListener("click", function (event) {{ {code} }});'
        handlers[address(listen)] = None
        return f'{tag[1]} data-click="{name}"'

    text = SPARE.sub("", text).replace(NAMELESS, NAMELESS.replace(">", ' aria-label="its pages">', 1))
    text = HANDLER.sub(listening, SCRIPT.sub(outside, text))
    reach = address(REACH)
    if reach in text:
        return text
    loaded = "".join(f'<script defer src="{place}"></script>\n' for place in (reach, *handlers))
    return text.replace("</body>", f"{loaded}</body>")


def _gathered(text: str, folder: str, styles: Callable[[tuple[str, ...]], str]) -> str:
    """The page with one style sheet in place of all: nothing is drawn before the last has come."""
    link = re.compile(STYLES.format(re.escape(folder)))
    found = list(link.finditer(text))
    if not found:
        return text
    names = tuple(name for each in found for name in (each[2] or each[1]).split())
    one = f'<link rel="stylesheet" href="{folder}/{styles(names)}" data-of="{" ".join(names)}" />\n'
    begin = found[0].start()
    return text[:begin] + one + link.sub("", text[begin:])


def _style(static: Path, name: str) -> str:
    """A style sheet with what it imports, as it would stand in the folder of :func:`_gathered` ones."""
    path = static / name

    def moved(place: re.Match[str]) -> str:
        return f'url("{Path(os.path.relpath(path.parent / place[2], static / "styles")).as_posix()}")'

    text = PLACE.sub(moved, path.read_text(encoding="utf-8"))
    return IMPORT.sub(lambda found: _style(static, os.path.join(Path(name).parent, found[1])), text)


def filed(folder: Path, code: str, kind: str = "js") -> str:
    """Put a file into the folder, by a name that its code decides; returns folder and name, for an address."""
    path = folder / f"{digest(code)}.{kind}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    return f"{folder.name}/{path.name}"


def digest(code: str) -> str:
    """A name for code, or for anything made from it."""
    return hashlib.sha256(code.encode()).hexdigest()[:16]
