"""The drawing of what rests on what: a graph for each paper, from what each statement's box says that its proof uses.

Rows are layers: a statement stands below all that it rests on. Where statements rest on other papers', each paper has a
column instead. Each is a link to its page; a sign says its verdict, and the outline on what ground it stands. Below the
drawing the same stands as a list. Above the drawings a reader breaks a hypothesis, and the statements that rest on it
are examined again in the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx

from book.ledger import store
from book.ledger.tables import CHAPTERS, SIGNS, name, tone
from widgets.site import programs

PAGE = "book/graph"
PLACE = '<div id="statement-graph"></div>'
SCRIPT = Path(__file__).with_name("graph.js")
PROGRAMS = re.compile(r'(<script [^>]*id="facts-programs"[^>]*>).*?(?=</script>)', re.DOTALL)
"""What ``src/page/examine.js`` of the widgets reads, once all pages are written."""
ACROSS = 6
"""So many statements stand in a row; of a larger layer the others stand in further rows."""
WIDTH, HEIGHT = 114, 54
"""Pixels from one statement to the next, across and down."""
BOX = (106, 24)
COLUMN = 171
"""Pixels from one paper's column to the next."""
HEAD = 20
"""Pixels above columns, for the papers' names."""
BULGE = 30
"""Pixels by which a line inside a column stands out, at most."""
LETTERS = 14
"""Of a name, as far as a box has room for it."""
EXPLAINED = (
    "Choose a statement that has a live figure, and move its settings until a hypothesis breaks. The statements that "
    "rest on it are examined again in your browser, as far as they have a figure with such a setting, each by the code "
    "of its own figure. The drawings show what comes of it."
)
HOW = (
    '<span class="by-pointer">Point at a statement, or go to it by the Tab key.</span>'
    '<span class="by-touch">Tap a statement to see what it rests on. Tap it again to open its page.</span>'
)
"""The second where no pointer can point."""
Entries = Mapping[str, Mapping[str, Any]]


class Place(NamedTuple):
    """The middle of a statement's box, in pixels."""

    x: float
    y: float


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.quotes`."""
    app.connect("html-page-context", _draw)
    app.connect("build-finished", _fill)


def _draw(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the drawings into their page."""
    if pagename != PAGE or doctree is None:
        return
    known = store.read()
    titles = {page: node.astext() for page, node in app.env.titles.items()}
    drawings = "".join(
        f"<h2>{escape(paper.chapter)}</h2>{drawing(paper.room, known)}{listed(paper.room, known, titles)}"
        for paper in CHAPTERS
    )
    said = f'<p class="graph-said" role="status">{HOW}</p>'
    panel = f'<details class="fim-examine"><summary>Break a hypothesis</summary><p>{EXPLAINED}</p></details>'
    context["body"] = context["body"].replace(
        PLACE, f'<div class="statement-graph">{said}{panel}{drawings}</div>'
    )
    app.add_js_file(None, type="application/json", id="facts-programs", body="{}")
    app.add_js_file("examine.js", loading_method="defer")
    app.add_js_file(None, body=SCRIPT.read_text(encoding="utf-8"))


def _fill(app: Sphinx, exception: Exception | None) -> None:
    """Have the page know which statements have a figure, and so can be examined again."""
    path = Path(app.outdir) / f"{PAGE}.html"
    if exception or not path.exists():
        return
    known = store.read()
    live = programs.known(Path(app.doctreedir), dict.fromkeys(entry["page"] for entry in known.values()))
    listed = json.dumps(examinable(known, live)).replace("<", "\\u003c")
    text = path.read_text(encoding="utf-8")
    path.write_text(PROGRAMS.sub(lambda match: match[1] + listed, text), encoding="utf-8")


def examinable(known: Entries, live: Mapping[str, programs.Program]) -> dict[str, dict[str, Any]]:
    """The statements that can be examined in a page, with their programs and all that rest on them."""
    return {
        id: {
            "name": _called(entry),
            "page": f"../{entry['page']}.html#{id}",
            "program": live[id].name,
            "scripts": live[id].scripts,
            "above": above(id, known),
        }
        for id, entry in known.items()
        if id in live
    }


def above(id: str, known: Entries) -> list[str]:
    """All statements whose proofs rest on this one, directly or in the end, nearest first."""
    found: dict[str, None] = {}
    queue = [id]
    for here in queue:
        users = [user for user, entry in known.items() if here in entry["uses"] and user not in found]
        found.update(dict.fromkeys(users))
        queue += users
    return list(found)


def layers(known: Entries) -> list[list[str]]:
    """The statements by how much they rest on: each stands after all that it uses.

    Raises:
        ValueError: a statement uses one that is not there, or rests on itself in the end.
    """
    for id, entry in known.items():
        if missing := [used for used in entry["uses"] if used not in known]:
            raise ValueError(f"{id}: uses = {missing}: must be ids of statements")
    sorter = TopologicalSorter({id: entry["uses"] for id, entry in known.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        raise ValueError(f"statements rest on each other in a circle: {' → '.join(error.args[1])}") from error
    found = []
    order = list(known)
    while sorter.is_active():
        layer = sorted(sorter.get_ready(), key=order.index)
        found.append(layer)
        sorter.done(*layer)
    return found


def _rows(room: str, known: Entries) -> Iterator[list[str]]:
    """The rows of a paper's drawing."""
    for layer in layers(known):
        of_paper = [id for id in layer if id.startswith(f"{room}.")]
        yield from (of_paper[start : start + ACROSS] for start in range(0, len(of_paper), ACROSS))


def drawing(room: str, known: Entries) -> str:
    """A paper's statements and what they rest on, as SVG."""
    if foreign := _foreign(room, known):
        return _columns(room, known, foreign)
    rows = list(_rows(room, known))
    places = {
        id: Place((i + 0.5 + (ACROSS - len(row)) / 2) * WIDTH, (j + 0.5) * HEIGHT)
        for j, row in enumerate(rows)
        for i, id in enumerate(row)
    }
    edges = [
        _edge(used, id, _down(places[used], place))
        for id, place in places.items()
        for used in known[id]["uses"]
    ]
    return _svg((ACROSS * WIDTH, len(rows) * HEIGHT), edges, places, known)


def _svg(
    size: tuple[float, float],
    edges: Sequence[str],
    places: Mapping[str, Place],
    known: Entries,
    heads: str = "",
) -> str:
    boxes = "".join(_box(id, known[id], place) for id, place in places.items())
    return (
        f'<div class="pst-scrollable-table-container"><svg viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" '
        f'height="{size[1]}" role="group" aria-label="What rests on what, of {len(places)} statements">'
        f"<g>{''.join(edges)}</g>{heads}{boxes}</svg></div>"
    )


CHAPTER_OF = {paper.room: paper.chapter for paper in CHAPTERS}


def _foreign(room: str, known: Entries) -> dict[str, dict[str, list[str]]]:
    """What a paper's statements use of other papers, in their order, and which of them use it."""
    users: dict[str, dict[str, list[str]]] = {other: {} for other in CHAPTER_OF if other != room}
    for id, entry in known.items():
        for used in entry["uses"] if id.startswith(f"{room}.") else ():
            paper = used.partition(".")[0]
            if paper != room:
                users[paper].setdefault(used, []).append(id)
    return {paper: of_paper for paper, of_paper in users.items() if of_paper}


def _columns(room: str, known: Entries, foreign: dict[str, dict[str, list[str]]]) -> str:
    """A paper's statements, the last column, and to their left what they use of other papers, a column each."""
    own = [id for row in _rows(room, known) for id in row]
    most = max(map(len, foreign.values()))
    height = HEAD + HEIGHT * max(len(own), most)
    step = (height - HEAD) / most

    def column(i: int, rows: Mapping[str, float]) -> dict[str, Place]:
        return {id: Place((i + 0.5) * COLUMN, HEAD + step * row) for id, row in rows.items()}

    mine = column(len(foreign), {id: (j + 0.5) * most / len(own) for j, id in enumerate(own)})
    places = dict(mine)
    for i, users in enumerate(foreign.values()):
        nearest = sorted(users, key=lambda id: sum(mine[user].y for user in users[id]) / len(users[id]))
        lower = (i + 0.5) / len(foreign)  # each column a little, so that its lines pass between others' boxes
        rows = {id: int((j + 0.5) * most / len(nearest)) + lower for j, id in enumerate(nearest)}
        places |= column(i, rows)
    right = (len(foreign) - 0.5) * COLUMN + BOX[0] / 2
    edges = [
        _edge(
            used,
            id,
            _within(mine[used], place, height) if used in mine else _over(places[used], place, right),
        )
        for id, place in mine.items()
        for used in known[id]["uses"]
    ]
    heads = "".join(
        f'<text x="{(i + 0.5) * COLUMN:g}" y="12">{escape(CHAPTER_OF[paper])}</text>'
        for i, paper in enumerate((*foreign, room))
    )
    return _svg(((len(foreign) + 1) * COLUMN, height), edges, places, known, heads)


def _edge(used: str, user: str, path: str) -> str:
    """A line from a statement to one that rests on it."""
    return f'<path d="{path}" data-from="{used}" data-to="{user}"/>'


def _down(start: Place, end: Place) -> str:
    """From a box down to one in a later row."""
    top, bottom = start.y + BOX[1] / 2, end.y - BOX[1] / 2
    bend = (bottom - top) / 2
    return f"M{start.x:g} {top:g}C{start.x:g} {top + bend:g} {end.x:g} {bottom - bend:g} {end.x:g} {bottom:g}"


def _within(start: Place, end: Place, height: float) -> str:
    """From a box to one further down in the same column: further out, the further it is."""
    edge = start.x + BOX[0] / 2
    out = edge + BULGE * (0.3 + (end.y - start.y) / height) * 4 / 3
    return f"M{edge:g} {start.y:g}C{out:g} {start.y:g} {out:g} {end.y:g} {edge:g} {end.y:g}"


def _over(start: Place, end: Place, right: float) -> str:
    """From a box level to the right edge of all papers' columns, then to a box in the last one."""
    left, goal = start.x + BOX[0] / 2, end.x - BOX[0] / 2
    middle = (right + goal) / 2
    return f"M{left:g} {start.y:g}H{right:g}C{middle:g} {start.y:g} {middle:g} {end.y:g} {goal:g} {end.y:g}"


def _box(id: str, entry: Mapping[str, Any], place: Place) -> str:
    """A statement: a link to its page."""
    whole = _called(entry)
    short = whole if len(whole) <= LETTERS else f"{whole[: LETTERS - 1].rstrip()}…"
    words = escape(f"{name(dict(entry))}: {entry['title']}. {entry['in words']}")
    x, y = place.x - BOX[0] / 2, place.y - BOX[1] / 2
    sign = f'<tspan class="fim-sign">{SIGNS[entry["verdict"]]}</tspan>'
    return (
        f'<a href="../s/{id}.html" data-id="{id}" data-ground="{escape(entry["ground"])}" '
        f'class="{tone(entry["verdict"])}" aria-label="{words}"><title>{words}</title>'
        f'<rect x="{x:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="5"/>'
        f'<text x="{place.x:g}" y="{place.y + 4:g}">{sign} {escape(short)}</text></a>'
    )


def _called(entry: Mapping[str, Any]) -> str:
    """What tells a statement from others: its name, or the title of one without a number."""
    whole = name(dict(entry))
    return entry["title"].removeprefix("the ").removeprefix("what ") if whole.startswith("Finding") else whole


def listed(room: str, known: Entries, titles: Mapping[str, str]) -> str:
    """The same as a nested list: by page, each statement once, and below it what it rests on and what rests on it.

    Args:
        titles: of the pages.
    """
    own = {id: entry for id, entry in known.items() if id.startswith(f"{room}.")}
    pages = []
    for page in dict.fromkeys(entry["page"] for entry in own.values()):
        items = "".join(_item(id, known) for id, entry in own.items() if entry["page"] == page)
        pages.append(f"<li><details><summary>{escape(titles[page])}</summary><ul>{items}</ul></details></li>")
    return f'<details class="graph-list"><summary>As a list</summary><ul>{"".join(pages)}</ul></details>'


def _item(id: str, known: Entries) -> str:
    """A statement in full, with links to the places in the lists of all that it rests on and that rests on it."""
    entry = known[id]
    users = [user for user, of_user in known.items() if id in of_user["uses"]]
    groups = [(words, ids) for words, ids in (("rests on", entry["uses"]), ("used by", users)) if ids]
    told = ", ".join(f"{words} {len(ids)}" for words, ids in groups)
    room = id.partition(".")[0]
    lists = "".join(
        f"<p>{words}</p><ul>{''.join(f'<li>{_place(other, known, room)}</li>' for other in ids)}</ul>"
        for words, ids in groups
    )
    more = f"<details><summary>{told}</summary>{lists}</details>" if groups else ""
    return (
        f'<li id="{anchor(id)}">{SIGNS[entry["verdict"]]} <a href="../s/{id}.html">{escape(name(dict(entry)))}</a>: '
        f"{escape(entry['title'])}. {escape(entry['in words'].capitalize())}.{more}</li>"
    )


def anchor(id: str) -> str:
    """The place of a statement in the lists; one with a point in it would be a statement's place in the drawing."""
    return f"list-{id.replace('.', '-')}"


def _place(id: str, known: Entries, room: str) -> str:
    """A link to a statement's place in the lists: its name, and its chapter where that is another one."""
    paper = id.partition(".")[0]
    chapter = "" if paper == room else f"{CHAPTER_OF[paper]}: "
    return f'<a href="#{anchor(id)}">{escape(chapter + _called(known[id]))}</a>'
