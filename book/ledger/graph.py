"""Which statement uses which: one at a time, and a graph for each paper, from what each box says that its proof uses.

The page opens with one statement between what it uses and what uses it; each is a card that leads on. The
graphs are folded below. ELK lays them out: a statement stands below all that it rests on. Where statements rest on
other papers', they stand to their right, and each paper has a column. A sign and a colour say a verdict, and the
outline on what ground it stands. What no line leads to stands in a list, and so does all of it, nested. A reader
breaks a hypothesis, and the statements that rest on it are examined again in the page.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from book.ledger import store
from book.ledger.tables import SIGNS, capital, is_numbered, name, tone
from book.paper import CHAPTERS
from widgets import bundle
from widgets.site import programs

PAGE = "book/graph"
PLACE = '<div id="statement-graph"></div>'
SCRIPT = Path(__file__).with_name("graph.js")
PROGRAMS = re.compile(r'(<script [^>]*id="facts-programs"[^>]*>).*?(?=</script>)', re.DOTALL)
"""What ``src/page/examine.js`` of the widgets reads, once all pages are written."""
WIDTH, LINE, AROUND = 158, 15, 10
"""Pixels: a box's width, the height of a line of its text, and what is above and below the text together."""
LETTERS = 24
"""The most letters of a line in a box."""
MARGIN, HEAD = 2, 26
"""Pixels around a drawing, and above one with several papers, for their names."""
LAYOUT = {
    "elk.algorithm": "layered",
    "elk.edgeRouting": "ORTHOGONAL",
    "elk.layered.mergeEdges": True,  # lines from one statement have a common trunk
    "elk.spacing.nodeNode": 14,
    "elk.spacing.edgeNode": 7,
    "elk.spacing.edgeEdge": 6,
    "elk.spacing.componentComponent": 16,
    "elk.layered.spacing.nodeNodeBetweenLayers": 30,
    "elk.layered.spacing.edgeNodeBetweenLayers": 9,
    "elk.layered.spacing.edgeEdgeBetweenLayers": 6,
}
"""Options of ELK, in pixels: https://eclipse.dev/elk/reference/options.html."""
ROWS = {
    "elk.direction": "DOWN",
    "elk.layered.layering.strategy": "COFFMAN_GRAHAM",
    "elk.layered.layering.coffmanGraham.layerBound": 6,
    "elk.layered.nodePlacement.strategy": "SIMPLE",  # the narrowest
    "elk.aspectRatio": 1.2,  # of what no line joins to the rest, beside it
}
"""For the statements of one paper: so many in a row that a laptop shows them."""
COLUMNS = {
    "elk.direction": "RIGHT",
    "elk.partitioning.activate": True,
    "elk.separateConnectedComponents": False,
    "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
}
"""For the statements of several papers."""
EXPLAINED = (
    "Choose a statement that has a live figure, and move its settings until a hypothesis breaks. The statements that "
    "use it are examined again in your browser, as far as they have a figure with such a setting, each by the code "
    "of its own figure. The drawings show what comes of it."
)
FIRST = "recall.theorem-2"
"""The statement with which the page opens."""
WHOLE = (
    '<h2>All of it, chapter by chapter</h2><p class="graph-whole">In a drawing, a statement stands below what its '
    "proof uses. A line that follows from others is left out. Point at a statement, or tap it, to light up all "
    "that it uses and all that use it.</p>"
)
Entries = Mapping[str, Mapping[str, Any]]


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
    drawn = drawings(known)
    cards = "".join(card(id, known) for id in known)
    chosen = (
        f'<div class="graph-chosen" data-first="{FIRST}"><p class="graph-said" role="status"></p></div>'
        f'<div class="graph-cards" hidden>{cards}</div>'
    )
    panel = f'<details class="fim-examine"><summary>Break a hypothesis</summary><p>{EXPLAINED}</p></details>'
    shown = "".join(
        _chapter(paper.chapter, paper.room, drawn[paper.room], known, titles) for paper in CHAPTERS
    )
    context["body"] = context["body"].replace(
        PLACE, f'<div class="statement-graph">{chosen}{panel}{WHOLE}{shown}</div>'
    )
    app.add_js_file(None, type="application/json", id="facts-programs", body="{}")
    app.add_js_file("examine.js", loading_method="defer")
    app.add_js_file(None, body=SCRIPT.read_text(encoding="utf-8"))


def _chapter(chapter: str, room: str, drawn: str, known: Entries, titles: Mapping[str, str]) -> str:
    """A chapter's drawing, what no line leads to, and all as a list, folded."""
    count = sum(id.startswith(f"{room}.") for id in known)
    drawing = (
        f'<details class="graph-whole"><summary>The drawing: {count} statements</summary>'
        f"{drawn}{alone(room, known)}</details>"
    )
    return f"<h3>{escape(chapter)}</h3><div>{drawing}{listed(room, known, titles)}</div>"


def card(id: str, known: Entries) -> str:
    """A statement in full: its sign, name and title, its chapter, and the ids of what it uses."""
    entry = known[id]
    called, title = name(dict(entry)), capital(entry["title"])
    if not is_numbered(entry):
        called, title = title, called
    return (
        f'<a href="../s/{id}.html" data-id="{id}" data-uses="{" ".join(entry["uses"])}" '
        f'data-ground="{escape(entry["ground"])}" class="{tone(entry["verdict"])}">'
        f'<b><span class="fim-sign">{SIGNS[entry["verdict"]]}</span> {escape(called)}</b> '
        f"<span>{escape(title)}</span> <small>{escape(CHAPTER_OF[id.partition('.')[0]])}</small>"
        f"<em>{escape(entry['in words'].capitalize())}, {escape(entry['ground'])}</em></a>"
    )


def alone(room: str, known: Entries) -> str:
    """The statements of a paper that no line leads to or from; nothing if there is none."""
    joined = {id for line in lines(room, known) for id in line}
    rest = [id for id in known if id.startswith(f"{room}.") and id not in joined]
    items = "".join(
        f'<li><a href="../s/{id}.html" data-id="{id}" data-ground="{escape(known[id]["ground"])}">'
        f'<span class="fim-sign {tone(known[id]["verdict"])}">{SIGNS[known[id]["verdict"]]}</span> '
        f"{escape(name(dict(known[id])))}</a>: {escape(known[id]['title'])}</li>"
        for id in rest
    )
    return f'<p>On their own:</p><ul class="graph-alone">{items}</ul>' * bool(rest)


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


def check(known: Entries) -> None:
    """Refuse statements that cannot be drawn.

    Raises:
        ValueError: a statement uses one that is not there, or rests on itself in the end.
    """
    for id, entry in known.items():
        if missing := [used for used in entry["uses"] if used not in known]:
            raise ValueError(f"{id}: uses = {missing}: must be ids of statements")
    try:
        TopologicalSorter({id: entry["uses"] for id, entry in known.items()}).prepare()
    except CycleError as error:
        raise ValueError(f"statements rest on each other in a circle: {' → '.join(error.args[1])}") from error


def lines(room: str, known: Entries) -> list[tuple[str, str]]:
    """The pairs of a statement and one of this paper that uses it, without those that follow from other pairs."""
    check(known)
    own = {id: entry["uses"] for id, entry in known.items() if id.startswith(f"{room}.")}
    over = {used: set(above(used, known)) for uses in own.values() for used in uses}
    return [(used, id) for id, uses in own.items() for used in uses if not over[used] & set(uses)]


CHAPTER_OF = {paper.room: paper.chapter for paper in CHAPTERS}


def drawings(known: Entries) -> dict[str, str]:
    """A drawing for each paper, of its statements and what they use, as SVG."""
    graphs = [_graph(room, known) for room in CHAPTER_OF]
    laid_out = bundle.run("layout.mjs", json.dumps(graphs), "the statements have no layout")
    return {room: _svg(graph, known) for room, graph in zip(CHAPTER_OF, json.loads(laid_out), strict=True)}


def _graph(room: str, known: Entries) -> dict[str, Any]:
    """A paper's statements and what they rest on, as ELK reads it."""
    drawn = lines(room, known)
    joined = {id for line in drawn for id in line}
    ids = [id for id in known if id in joined]
    papers = _papers(ids)
    options, top = (COLUMNS, HEAD) if len(papers) > 1 else (ROWS, MARGIN)
    padding = f"[top={top},left={MARGIN},bottom={MARGIN},right={MARGIN}]"
    children = [
        {
            "id": id,
            "width": WIDTH,
            "height": LINE * len(_wrapped(known[id])) + AROUND,
            "layoutOptions": {"elk.partitioning.partition": papers.index(id.partition(".")[0])},
        }
        for id in ids
    ]
    edges = [{"id": f"{used} {id}", "sources": [used], "targets": [id]} for used, id in drawn]
    return {
        "id": room,
        "layoutOptions": {**LAYOUT, **options, "elk.padding": padding},
        "children": children,
        "edges": edges,
    }


def _papers(ids: list[str]) -> list[str]:
    """The papers that these statements are from."""
    return [paper for paper in CHAPTER_OF if any(id.startswith(f"{paper}.") for id in ids)]


def _svg(graph: dict[str, Any], known: Entries) -> str:
    """A graph that has been laid out."""
    places = graph["children"]
    papers = _papers([place["id"] for place in places])
    heads = "".join(_head(paper, places) for paper in papers if len(papers) > 1)
    edges = "".join(map(_edge, graph["edges"]))
    boxes = "".join(_box(place, known[place["id"]]) for place in places)
    width, height = graph["width"], graph["height"]
    return (
        f'<div class="pst-scrollable-table-container"><svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="group" aria-label="Which statement uses which, of {len(places)}">'
        f"<g>{edges}</g>{heads}{boxes}</svg></div>"
    )


def _head(paper: str, places: list[dict[str, Any]]) -> str:
    """A paper's name above its statements."""
    left = [place["x"] for place in places if place["id"].startswith(f"{paper}.")]
    return f'<text x="{(min(left) + max(left) + WIDTH) / 2:g}" y="12">{escape(CHAPTER_OF[paper])}</text>'


def _edge(edge: dict[str, Any]) -> str:
    """A line from a statement to one that uses it."""
    (section,) = edge["sections"]
    points = [section["startPoint"], *section.get("bendPoints", ()), section["endPoint"]]
    path = "L".join(f"{point['x']:g} {point['y']:g}" for point in points)
    return f'<path d="M{path}" data-from="{edge["sources"][0]}" data-to="{edge["targets"][0]}"/>'


def _box(place: dict[str, Any], entry: Mapping[str, Any]) -> str:
    """A statement: a link to its page."""
    words = escape(f"{name(dict(entry))}: {entry['title']}. {entry['in words']}")
    id, x, y = place["id"], place["x"], place["y"]
    sign = f'<tspan class="fim-sign">{SIGNS[entry["verdict"]]}</tspan> '
    text = "".join(
        f'<text x="{x + WIDTH / 2:g}" y="{y + AROUND / 2 + LINE * row + 12:g}">{sign * (not row)}{escape(line)}'
        "</text>"
        for row, line in enumerate(_wrapped(entry))
    )
    return (
        f'<a href="../s/{id}.html" data-id="{id}" data-ground="{escape(entry["ground"])}" '
        f'class="{tone(entry["verdict"])}" aria-label="{words}"><title>{words}</title>'
        f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{place["height"]:g}" rx="5"/>{text}</a>'
    )


def _wrapped(entry: Mapping[str, Any]) -> list[str]:
    """What a statement is called, in the lines of its box; the first leaves room for the sign."""
    rows = textwrap.wrap(capital(_called(entry)), LETTERS, initial_indent="  ", break_on_hyphens=False)
    return [row.strip() for row in rows]


def _called(entry: Mapping[str, Any]) -> str:
    """What tells a statement from others: its name, or the title of one without a number."""
    if is_numbered(entry):
        return name(dict(entry))
    return entry["title"].removeprefix("the ").removeprefix("what ")


def listed(room: str, known: Entries, titles: Mapping[str, str]) -> str:
    """The graph as a nested list: by page, each statement once, and below it what it uses and what uses it.

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
    """A statement in full, with links to the places in the lists of all that it uses and that use it."""
    entry = known[id]
    users = [user for user, of_user in known.items() if id in of_user["uses"]]
    groups = [(words, ids) for words, ids in (("uses", entry["uses"]), ("used by", users)) if ids]
    counts = ", ".join(f"{words} {len(ids)}" for words, ids in groups)
    room = id.partition(".")[0]
    lists = "".join(
        f"<p>{words}</p><ul>{''.join(f'<li>{_place(other, known, room)}</li>' for other in ids)}</ul>"
        for words, ids in groups
    )
    more = f"<details><summary>{counts}</summary>{lists}</details>" if groups else ""
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
