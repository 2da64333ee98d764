"""The gallery of a book's live figures, and the bar on each page that leads to the next.

A chapter's page with a live figure is a demo. Its entry is stored when the page is written: the question it asks and
the verdict at its defaults. Once all pages are written, each demo has a bar that says which of how many it is, and each
``<li data-demo="PAGE#MOMENT">ANSWER</li>`` on the page that holds ``<div id="gallery">`` is a card: a picture of that
moment (:func:`widgets.site.stills.pictures` says how it is named), the question, the answer and the verdict.
``<div class="fim-shown" data-demos="PAGE#MOMENT PAGE">`` gets a picture of each page that it names, of its end where no
moment is named, and a link to all demos unless it has the class ``few``, too. With the class ``alone`` the pictures
have no words, and lead nowhere.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from itertools import pairwise
from pathlib import Path
from posixpath import relpath
from typing import NamedTuple

from docutils import nodes
from sphinx.environment import BuildEnvironment

from widgets.site import notes, stills
from widgets.site.state import State
from widgets.site.stills import Still

SCENE = 'class="fim-scene"'
TONE = re.compile(r'<p\b(?=[^>]*class="fim-verdict)[^>]*data-tone="(\w+)"')
SIGNS = {"good": ("✓", "right"), "bad": ("✕", "wrong")}
"""By the tone of the verdict; any other says that nothing is promised at the defaults."""
NAME = re.compile(r'class="fim-claim-name"><a[^>]*>(.*?)</a>', re.DOTALL)
ID = re.compile(r'(\bid="|\burl\(#|\bhref="#)([\w-]+)')
GALLERY = '<div id="gallery">'
CARD = re.compile(
    r'(<li data-demo="([^"]*)">)(?:<a .*?</a><!-- demo -->)?(.*?)(?:<small>.*?</small>)?</li>', re.DOTALL
)
SHOWN = re.compile(
    r'(<div class="fim-shown[^"]*" data-demos="([^"]*)">)(?:</div>|.*?</div><!-- shown -->)', re.DOTALL
)
NAMED = re.compile(r'data-demos?=\\?"([^"\\]*)')
"""The moments that a page names, in its text, in its notebook, or as built."""
BAR = re.compile(r'<div class="header-article-item"><nav class="fim-demos".*?</nav></div>', re.DOTALL)
HEADER = re.compile(r'class="header-article-items__start">.*?</button></div>', re.DOTALL)
"""The theme's own buttons at the head of a page, which stay in sight while it scrolls."""


class Demo(NamedTuple):
    """A page with a live figure, as the gallery shows it: all but ``page`` is HTML."""

    page: str
    """Its name, such as "book/recall/saddle"."""
    question: str
    """Its heading."""
    verdict: str
    """A sign for the verdict at the defaults, and the statement's name; empty without a statement."""


Pictures = Mapping[tuple[str, str], str]
"""Drawings by page and moment."""


def keep_state(folder: Path, page: str, state: State) -> None:
    """Store in ``folder`` what a page's pictures are drawn from."""
    notes.write(folder / "states", page, state)


def store(folder: Path, page: str, doctree: nodes.document, drawn: Mapping[str, Still]) -> None:
    """Store the entry of a page in ``folder``; a page without a live figure has none any more."""
    html = next((still.html for still in drawn.values() if SCENE in still.html), "")
    if not html:
        notes.write(folder, page, None)
        return
    title = next(doctree.findall(nodes.title)).astext()
    tone, name = TONE.search(html), NAME.search(html)
    verdict = short_verdict(tone[1], name[1]) if tone and name else ""
    notes.write(folder, page, Demo(page, escape(title), verdict)._asdict())


def short_verdict(tone: str, name: str) -> str:
    """ "✓ Lemma 6", with words for a reader who hears it."""
    sign, words = SIGNS.get(tone, ("○", "no promise here"))
    return f'<span class="sign" data-tone="{tone}" role="img" aria-label="{words}:">{sign}</span> {name}'


def fill(root: Path, folder: Path, env: BuildEnvironment) -> None:
    """Write the gallery, and the bars of the demos, which lead on in the order of the table of contents.

    Args:
        root: the site's folder.
        folder: where :func:`store` has put the entries; it keeps the pictures, too.

    Raises:
        ValueError: a page names one that is no demo, or the gallery's cards are in another order.
    """
    files = {page: (root / page).with_suffix(".html") for page in env.found_docs}
    texts = {page: path.read_text(encoding="utf-8") for page, path in files.items()}
    home = next((page for page, html in texts.items() if GALLERY in html), None)
    if home is None:
        return
    demos = {demo.page: demo for demo in _read(folder, env)}
    _rewrite(files[home], partial(_with_missing, demos=list(demos)))
    texts[home] = files[home].read_text(encoding="utf-8")
    cards = [_moment(card)[0] for _, card, _ in CARD.findall(texts[home])]
    if cards != list(demos):
        raise ValueError(f"{home}: its cards {cards} must be the demos {list(demos)}")
    wanted = moments_in(texts.values())
    if astray := wanted.keys() - demos.keys():
        raise ValueError(f"{sorted(astray)} must be pages with a live figure, such as {next(iter(demos))!r}")
    pictures = _draw(folder, wanted)
    for place, demo in enumerate(demos.values()):
        _rewrite(files[demo.page], partial(_with_bar, bar=_bar(list(demos.values()), place, home)))
    _rewrite(files[home], partial(_with_cards, home=home, demos=demos, pictures=pictures))
    for page, path in files.items():
        _rewrite(path, partial(_with_shown, page=page, home=home, demos=demos, pictures=pictures))


def _moment(name: str) -> tuple[str, str]:
    """A page and a moment of its figure's run, as "PAGE#MOMENT" names them: at the defaults if it names none."""
    page, _, moment = name.partition("#")
    return page, moment or "0"


def moments_in(texts: Iterable[str]) -> dict[str, list[str]]:
    """The moments that these texts of pages have pictures of, by the pages with the figures."""
    named = {_moment(name) for text in texts for names in NAMED.findall(text) for name in names.split()}
    moments = defaultdict(list)
    for page, moment in sorted(named):
        moments[page].append(moment)
    return dict(moments)


def draw(folder: Path, page: str, moments: Sequence[str]) -> dict[str, str]:
    """Pictures of these moments of a page's figure, once :func:`keep_state` has stored its state in the folder."""
    return stills.pictures(notes.read(folder / "states", page), moments, folder / "pictures")


def _draw(folder: Path, wanted: Mapping[str, Sequence[str]]) -> Pictures:
    """Draw these moments of these pages, several pages at a time."""
    with ThreadPoolExecutor(os.cpu_count()) as beside:
        drawn = beside.map(partial(draw, folder), wanted, wanted.values())
        return {
            (page, moment): html
            for page, by in zip(wanted, drawn, strict=True)
            for moment, html in by.items()
        }


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


def _with_missing(html: str, demos: Sequence[str]) -> str:
    """The gallery's page with a card, as yet without an answer, behind its neighbour's for each demo that has none."""
    known = {_moment(card[2])[0]: card[0] for card in CARD.finditer(html)}
    for before, page in pairwise(demos):
        if page not in known and before in known:
            known[page] = f'<li data-demo="{page}"></li>'
            html = html.replace(known[before], f"{known[before]}\n{known[page]}", 1)
    return html


def _with_cards(html: str, home: str, demos: Mapping[str, Demo], pictures: Pictures) -> str:
    """The gallery's page with a picture, a question and a verdict around each answer."""

    def card(place: re.Match[str]) -> str:
        page, moment = _moment(place[2])
        demo = demos[page]
        verdict = f"<small>{demo.verdict}</small>" * bool(demo.verdict)
        picture = _picture(demo, home, pictures[page, moment], f"at-{place.start()}-")
        return f"{place[1]}{picture}<!-- demo -->{place[3]}{verdict}</li>"

    return CARD.sub(card, html)


def _with_shown(html: str, page: str, home: str, demos: Mapping[str, Demo], pictures: Pictures) -> str:
    """A page with pictures of the demos that it names, and a link to all where it has one."""

    def shown(place: re.Match[str]) -> str:
        drawn = [
            (demos[name], pictures[name, moment], f"at-{place.start()}-{i}-")
            for i, (name, moment) in enumerate(map(_moment, place[2].split()))
        ]
        if "alone" in place[1]:
            alone = "".join(_drawing(drawing, prefix) for _, drawing, prefix in drawn)
            return f"{place[1]}{alone}</div><!-- shown -->"
        cards = "".join(
            f"<li>{_picture(demo, page, drawing, prefix)}</li>" for demo, drawing, prefix in drawn
        )
        more = (
            "" if "few" in place[1] else f'<p><a href="{_address(page, home)}">All {len(demos)} demos</a></p>'
        )
        return f'{place[1]}<ul class="fim-gallery">{cards}</ul>{more}</div><!-- shown -->'

    return SHOWN.sub(shown, html)


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


def _picture(demo: Demo, here: str, drawing: str, prefix: str) -> str:
    """A demo's drawing and its question, which lead to it."""
    return f'<a href="{_address(here, demo.page)}">{_drawing(drawing, prefix)}<b>{demo.question}</b></a>'


def _drawing(drawing: str, prefix: str) -> str:
    """A drawing; the prefix makes its ids its own where a page has it twice."""
    own = ID.sub(rf"\1{prefix}\2", drawing)
    return f'<span class="fim-picture" aria-hidden="true" inert>{own}</span>'


def _address(here: str, there: str) -> str:
    """The address of a page from another one."""
    return f"{relpath(there, here.rpartition('/')[0] or '.')}.html"
