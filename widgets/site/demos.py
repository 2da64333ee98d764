"""The gallery of a book's live figures, and the bar on each page that leads to the next.

A chapter's page with a live figure is a demo. Its entry is stored when the page is written: the question it asks, its
main drawing, the controls at hand and the verdict at its defaults. Once all pages are written, the page that
holds ``<div id="gallery"></div>`` gets a card for each, by chapter, and each demo a bar that says which of how many it
is.
``<div class="fim-shown" data-demos="PAGE PAGE"></div>`` gets a picture of each page that it names, and a link to all
demos unless it has the class ``few``, too. With the class ``alone`` the pictures have no words, and lead nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from itertools import groupby
from pathlib import Path
from posixpath import relpath
from typing import NamedTuple

from docutils import nodes
from sphinx.environment import BuildEnvironment

from widgets.site import notes
from widgets.site.state import State
from widgets.site.stills import Still

SCENE = re.compile(r'<div[^>]*class="fim-scene".*?(?=<details|<figcaption|<progress)', re.DOTALL)
MAIN = re.compile(r'<div[^>]*class="fim-panel')
"""Its first panel, which is its main one."""
TONE = re.compile(r'<p\b(?=[^>]*class="fim-verdict)[^>]*data-tone="(\w+)"')
SIGNS = {"good": ("✓", "right"), "bad": ("✕", "wrong")}
"""By the tone of the verdict; any other says that nothing is promised at the defaults."""
NAME = re.compile(r'class="fim-claim-name"><a[^>]*>(.*?)</a>', re.DOTALL)
SYMBOL = re.compile(r" \(.*|( (?!I)\S{1,2})?(, (log|in units).*|, \S{1,2})?$")
"""What stands behind the words of a control's label."""
ID = re.compile(r'(\bid="|\burl\(#|\bhref="#)([\w-]+)')
PLACE = re.compile(r'<div id="gallery">.*?</div><!-- demos -->|<div id="gallery"></div>', re.DOTALL)
SHOWN = re.compile(
    r'(<div class="fim-shown[^"]*" data-demos="([^"]*)">)(?:</div>|.*?</div><!-- shown -->)', re.DOTALL
)
BAR = re.compile(r'<div class="header-article-item"><nav class="fim-demos".*?</nav></div>', re.DOTALL)
INDEX = re.compile(r"(?<=/)index$")
"""A chapter's first page."""
HEADER = re.compile(r'class="header-article-items__start">.*?</button></div>', re.DOTALL)
"""The theme's own buttons at the head of a page, which stay in sight while it scrolls."""


class Demo(NamedTuple):
    """A page with a live figure, as the gallery shows it: all but ``page`` is HTML."""

    page: str
    """Its name, such as "book/recall/saddle"."""
    question: str
    """Its heading."""
    drawing: str
    """The main drawing of its scene, at the defaults."""
    controls: tuple[str, ...]
    """What the sliders at hand set, without their symbols."""
    verdict: str
    """A sign for the verdict at the defaults, and the statement's name; empty without a statement."""


def store(
    folder: Path, page: str, doctree: nodes.document, state: State, stills: Mapping[str, Still]
) -> None:
    """Store the entry of a page in ``folder``; a page without a live figure has none any more."""
    drawn = [still for still in stills.values() if SCENE.search(still.html)]
    if not drawn:
        notes.write(folder, page, None)
        return
    title = next(doctree.findall(nodes.title)).astext()
    scene = SCENE.search(drawn[0].html)
    main = scene and MAIN.search(scene[0])
    tone, name = TONE.search(drawn[0].html), NAME.search(drawn[0].html)
    prefix = page.replace("/", "-")  # two chapters may have pages of one name
    demo = Demo(
        page,
        escape(title),
        _closed(ID.sub(rf"\1{prefix}-\2", scene[0][main.start() :] if scene and main else "")),
        tuple(escape(SYMBOL.sub("", label)) for label in _front(state)),
        short_verdict(tone[1], name[1]) if tone and name else "",
    )
    notes.write(folder, page, demo._asdict())


def short_verdict(tone: str, name: str) -> str:
    """ "✓ Lemma 6", with words for a reader who hears it."""
    sign, words = SIGNS.get(tone, ("○", "no promise here"))
    return f'<span class="sign" data-tone="{tone}" role="img" aria-label="{words}:">{sign}</span> {name}'


def _closed(fragment: str) -> str:
    """A fragment that begins with a ``div``, up to the end of that ``div``."""
    depth = 0
    for tag in re.finditer(r"<(/?)div\b[^>]*>", fragment):
        depth += -1 if tag[1] else 1
        if not depth:
            return fragment[: tag.end()]
    return fragment


def _front(state: State) -> Iterator[str]:
    """The labels of the controls beside the first figure."""
    for entry in state.values():
        if "fim-front" in entry["state"].get("_dom_classes", ()):
            for child in entry["state"]["children"]:
                yield state[child.removeprefix("IPY_MODEL_")]["state"].get("description", "")
            return


def fill(root: Path, folder: Path, env: BuildEnvironment) -> None:
    """Write the gallery, and the bars of the demos, which lead on in the order of the table of contents.

    Args:
        root: the site's folder.
        folder: where :func:`store` has put the entries.
    """
    files = {page: (root / page).with_suffix(".html") for page in env.found_docs}
    home = next(
        (page for page, path in files.items() if PLACE.search(path.read_text(encoding="utf-8"))), None
    )
    if home is None:
        return
    demos = list(_read(folder, env))
    titles = {
        page.rpartition("/")[0]: title.astext() for page, title in env.titles.items() if INDEX.search(page)
    }
    gallery = f'<div id="gallery">{_cards(demos, home, titles)}</div><!-- demos -->'
    _rewrite(files[home], lambda html: PLACE.sub(lambda _: gallery, html, count=1))
    for place, demo in enumerate(demos):
        _rewrite(files[demo.page], partial(_with_bar, bar=_bar(demos, place, home)))
    by_page = {demo.page: demo for demo in demos}
    for page, path in files.items():
        _rewrite(path, partial(_with_shown, page=page, home=home, demos=by_page))


def _read(folder: Path, env: BuildEnvironment) -> Iterator[Demo]:
    """The stored entries of the chapters' pages in order: neither the book's first page nor one beside it is a demo."""
    root = env.config.root_doc
    for page in _in_order(env, root):
        note = notes.read(folder, page)
        if page.rpartition("/")[0] != root.rpartition("/")[0] and note:
            yield Demo(**note)


def _in_order(env: BuildEnvironment, page: str) -> Iterator[str]:
    yield page
    for child in env.toctree_includes.get(page, ()):
        yield from _in_order(env, child)


def _with_bar(html: str, bar: str) -> str:
    """A page with this bar in its header, and no other."""
    return HEADER.sub(lambda header: header[0] + bar, BAR.sub("", html), count=1)


def _with_shown(html: str, page: str, home: str, demos: Mapping[str, Demo]) -> str:
    """A page with pictures of the demos that it names, and a link to all where it has one.

    Raises:
        ValueError: it names a page that is no demo.
    """

    def pictures(place: re.Match[str]) -> str:
        names = place[2].split()
        if astray := [name for name in names if name not in demos]:
            raise ValueError(
                f"{page}: {astray} must be pages with a live figure, such as {next(iter(demos))!r}"
            )
        if "alone" in place[1]:
            drawn = "".join(_drawing(demos[name], f"at-{place.start()}-") for name in names)
            return f"{place[1]}{drawn}</div><!-- shown -->"
        shown = "".join(f"<li>{_picture(demos[name], page)}</li>" for name in names)
        more = (
            "" if "few" in place[1] else f'<p><a href="{_address(page, home)}">All {len(demos)} demos</a></p>'
        )
        return f'{place[1]}<ul class="fim-gallery">{shown}</ul>{more}</div><!-- shown -->'

    return SHOWN.sub(pictures, html)


def _rewrite(path: Path, edit: Callable[[str], str]) -> None:
    before = path.read_text(encoding="utf-8")
    after = edit(before)
    if after != before:
        path.write_text(after, encoding="utf-8")


def _bar(demos: Sequence[Demo], place: int, home: str) -> str:
    """A bar that leads to the neighbours and to the gallery."""
    here = demos[place].page

    def to(step: int, sign: str, relation: str) -> str:
        if not 0 <= place + step < len(demos):
            return f'<span aria-hidden="true">{sign}</span>'
        demo = demos[place + step]
        address = _address(here, demo.page)
        return f'<a rel="{relation}" href="{address}" aria-label="{demo.question}" title="{demo.question}">{sign}</a>'

    count = f'<a href="{_address(here, home)}" title="all demos">{place + 1} of {len(demos)}</a>'
    nav = f'<nav class="fim-demos" aria-label="demos">{to(-1, "◀", "prev")}{count}{to(1, "▶", "next")}</nav>'
    return f'<div class="header-article-item">{nav}</div>'


def _cards(demos: Sequence[Demo], home: str, titles: Mapping[str, str]) -> str:
    """A card for each demo, below the heading of its chapter."""
    parts = []
    for chapter, members in groupby(demos, key=lambda demo: demo.page.rpartition("/")[0]):
        cards = "".join(_card(demo, home) for demo in members)
        heading = escape(titles.get(chapter, ""))
        parts.append(f"<h2>{heading}</h2>" * bool(heading) + f'<ul class="fim-gallery">{cards}</ul>')
    return "".join(parts)


def _card(demo: Demo, home: str) -> str:
    verdict = f"<small>{demo.verdict}</small>" * bool(demo.verdict)
    controls = f'<small class="moved">You move: {", ".join(demo.controls)}</small>' * bool(demo.controls)
    return f"<li>{_picture(demo, home)}{verdict}{controls}</li>"


def _picture(demo: Demo, here: str) -> str:
    """A demo's drawing and its question, which lead to it."""
    return f'<a href="{_address(here, demo.page)}">{_drawing(demo)}<b>{demo.question}</b></a>'


def _drawing(demo: Demo, prefix: str = "") -> str:
    """A demo's drawing; the prefix makes its ids its own where a page has it twice."""
    drawing = ID.sub(rf"\1{prefix}\2", demo.drawing) if prefix else demo.drawing
    return f'<span class="fim-picture" aria-hidden="true" inert>{drawing}</span>'


def _address(here: str, there: str) -> str:
    """The address of a page from another one."""
    return f"{relpath(there, here.rpartition('/')[0] or '.')}.html"
