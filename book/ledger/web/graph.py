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
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from book.ledger import store
from book.ledger.entries import capital, is_numbered, name
from book.ledger.web.templates import render
from book.paper import BY_ROOM
from widgets import bundle
from widgets.site import programs

PAGE = "book/graph"
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
FIRST = "recall.theorem-2"
"""The statement with which the page opens."""
Entries = Mapping[str, Mapping[str, Any]]


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.web.sphinx`."""
    app.connect("build-finished", _fill)


def add_scripts(app: Sphinx) -> None:
    """Have the page that is being written load what lets a reader choose statements and break hypotheses."""
    app.add_js_file(None, type="application/json", id="facts-programs", body="{}")
    app.add_js_file("examine.js", loading_method="defer")
    app.add_js_file(None, body=SCRIPT.read_text(encoding="utf-8"))


def html(known: Entries, titles: Mapping[str, str]) -> str:
    """The cards, and for each chapter a drawing, what no line leads to, and all as a list.

    Args:
        titles: of the pages.
    """
    graphs = laid_out(known)
    chapters = [
        {
            "name": paper.chapter,
            "room": room,
            "count": len(_of(room, known)),
            "graph": graphs[room],
            "alone": alone(room, known),
            "pages": _by_page(room, known, titles),
        }
        for room, paper in BY_ROOM.items()
    ]
    return render(
        "graph.html",
        known=known,
        chapters=chapters,
        first=FIRST,
        used_by={id: users(id, known) for id in known},
        anchor=anchor,
        short_name=short_name,
    )


def _of(room: str, known: Entries) -> Entries:
    """The statements of one paper."""
    return {id: entry for id, entry in known.items() if id.startswith(f"{room}.")}


def _by_page(room: str, known: Entries, titles: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """The titles of a chapter's pages, each with the ids of its statements."""
    pages: dict[str, list[str]] = {}
    for id, entry in _of(room, known).items():
        pages.setdefault(entry["page"], []).append(id)
    return [(titles[page], ids) for page, ids in pages.items()]


def alone(room: str, known: Entries) -> list[str]:
    """The statements of a paper that no line leads to or from."""
    joined = {id for line in lines(room, known) for id in line}
    return [id for id in _of(room, known) if id not in joined]


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
            "name": short_name(entry),
            "page": f"../{entry['page']}.html#{id}",
            "program": live[id].name,
            "scripts": live[id].scripts,
            "above": above(id, known),
        }
        for id, entry in known.items()
        if id in live
    }


def users(id: str, known: Entries) -> list[str]:
    """The statements whose proofs rest on this one."""
    return [user for user, entry in known.items() if id in entry["uses"]]


def above(id: str, known: Entries) -> list[str]:
    """All statements whose proofs rest on this one, directly or in the end, nearest first."""
    found: dict[str, None] = {}
    queue = [id]
    for here in queue:
        new = [user for user in users(here, known) if user not in found]
        found.update(dict.fromkeys(new))
        queue += new
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
    own = {id: entry["uses"] for id, entry in _of(room, known).items()}
    over = {used: set(above(used, known)) for uses in own.values() for used in uses}
    return [(used, id) for id, uses in own.items() for used in uses if not over[used] & set(uses)]


def laid_out(known: Entries) -> dict[str, dict[str, Any]]:
    """A drawing for each paper, of its statements and what they use: boxes, lines and heads with their places."""
    graphs = [_graph(room, known) for room in BY_ROOM]
    answer = bundle.run("layout.mjs", json.dumps(graphs), "the statements have no layout")
    return {room: _drawing(graph, known) for room, graph in zip(BY_ROOM, json.loads(answer), strict=True)}


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
    return [paper for paper in BY_ROOM if any(id.startswith(f"{paper}.") for id in ids)]


def _drawing(graph: dict[str, Any], known: Entries) -> dict[str, Any]:
    """A graph that has been laid out, as the template draws it."""
    places = graph["children"]
    papers = _papers([place["id"] for place in places])
    return {
        "width": graph["width"],
        "height": graph["height"],
        "heads": [_head(paper, places) for paper in papers if len(papers) > 1],
        "lines": list(map(_line, graph["edges"])),
        "boxes": [_box(place, known[place["id"]]) for place in places],
    }


def _head(paper: str, places: list[dict[str, Any]]) -> tuple[float, str]:
    """The middle of a paper's column, and its name."""
    left = [place["x"] for place in places if place["id"].startswith(f"{paper}.")]
    return (min(left) + max(left) + WIDTH) / 2, BY_ROOM[paper].chapter


def _line(edge: dict[str, Any]) -> dict[str, str]:
    """A line from a statement to one that uses it."""
    (section,) = edge["sections"]
    points = [section["startPoint"], *section.get("bendPoints", ()), section["endPoint"]]
    path = "L".join(f"{point['x']:g} {point['y']:g}" for point in points)
    return {"path": f"M{path}", "used": edge["sources"][0], "user": edge["targets"][0]}


def _box(place: dict[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """A statement's box, and the rows of its text with their heights."""
    first = place["y"] + AROUND / 2 + 12
    rows = [(first + LINE * row, text) for row, text in enumerate(_wrapped(entry))]
    return {**{key: place[key] for key in ("id", "x", "y", "width", "height")}, "rows": rows}


def _wrapped(entry: Mapping[str, Any]) -> list[str]:
    """What a statement is called, in the lines of its box; the first leaves room for the sign."""
    rows = textwrap.wrap(capital(short_name(entry)), LETTERS, initial_indent="  ", break_on_hyphens=False)
    return [row.strip() for row in rows]


def short_name(entry: Mapping[str, Any]) -> str:
    """What tells a statement from others: its name, or the title of one without a number."""
    if is_numbered(entry):
        return name(entry)
    return str(entry["title"]).removeprefix("the ").removeprefix("what ")


def anchor(id: str) -> str:
    """The place of a statement in the lists; one with a point in it would be a statement's place in the drawing."""
    return f"list-{id.replace('.', '-')}"
