"""What rests on what: layers, and a clear word where there can be none."""

from __future__ import annotations

import re
from html import escape
from itertools import accumulate

import pytest

from book.ledger import graph, registry
from book.ledger.tables import CHAPTERS, entries
from widgets.site.programs import Program

TITLES = {page: page for page in registry.pages()}


def entry(*uses: str) -> dict[str, object]:
    return {"uses": uses}


def test_a_statement_stands_below_all_that_it_rests_on():
    known = {e["id"]: e for e in entries()}
    level = {id: depth for depth, layer in enumerate(graph.layers(known)) for id in layer}
    assert level.keys() == registry.statements().keys()
    assert all(level[used] < level[id] for id, e in known.items() for used in e["uses"])


def test_each_statement_is_a_link_in_its_papers_drawing_and_in_the_list():
    known = {e["id"]: e for e in entries()}
    drawn = {paper.room: graph.drawing(paper.room, known) for paper in CHAPTERS}
    listed = {paper.room: graph.listed(paper.room, known, TITLES) for paper in CHAPTERS}
    for id in known:
        room = id.partition(".")[0]
        assert f'href="../s/{id}.html" data-id="{id}"' in drawn[room]
        assert listed[room].count(f'href="../s/{id}.html"') == 1


def test_the_list_nests_pages_statements_and_uses_and_says_each_statement_in_full_once():
    known = {e["id"]: e for e in entries()}
    lists = "".join(graph.listed(paper.room, known, TITLES) for paper in CHAPTERS)
    places = re.findall(r'<li id="(.*?)">', lists)
    assert sorted(places) == sorted(graph.anchor(id) for id in known)
    links = re.findall(r'<a href="#(.*?)">', lists)
    assert set(links) <= set(places)
    assert len(links) == 2 * sum(len(e["uses"]) for e in known.values())  # from either end
    for id, e in known.items():
        (item,) = re.findall(rf'<li id="{graph.anchor(id)}">(.*?)(?=<li id=|$)', lists, re.DOTALL)
        words = item.partition("<p>used by</p>")[0]
        assert all(f"#{graph.anchor(used)}" in words for used in e["uses"])
        assert escape(e["title"]) in item
    assert max(accumulate(1 if tag == "<ul>" else -1 for tag in re.findall("</?ul>", lists))) == 3


def test_every_use_is_a_line_also_of_another_papers_statement():
    known = {e["id"]: e for e in entries()}
    drawn = "".join(graph.drawing(paper.room, known) for paper in CHAPTERS)
    lines = re.findall(r'data-from="(.*?)" data-to="(.*?)"', drawn)
    assert sorted(lines) == sorted((used, id) for id, e in known.items() for used in e["uses"])


def test_statements_that_rest_on_another_papers_stand_in_a_column_each_and_no_line_passes_behind_a_box():
    known = {e["id"]: e for e in entries()}
    html = graph.drawing("together", known)
    boxes = re.findall(r'<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"', html)
    ids = re.findall(r'data-id="(.*?)\.', html)
    edges = {
        paper: {float(x) for (x, *_), of in zip(boxes, ids, strict=True) if of == paper} for paper in ids
    }
    assert [len(lefts) for lefts in edges.values()] == [1] * 4
    assert max(edges, key=lambda paper: max(edges[paper])) == "together"
    assert "Recall: Lemma 6" in graph.listed("together", known, TITLES)
    for start, level, right in re.findall(r'd="M(\S+) (\S+)H(\S+)C', html):
        for x, y, _, high in (map(float, box) for box in boxes):
            assert not (float(start) < x < float(right) and y <= float(level) <= y + high)


def test_a_circle_or_a_statement_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="rest on each other in a circle: "):
        graph.layers({"a": entry("b"), "b": entry("a")})
    with pytest.raises(ValueError, match=r"a: uses = \['c'\]: must be ids of statements"):
        graph.layers({"a": entry("c")})


def test_what_can_be_examined_again_names_its_program_and_all_that_rests_on_it():
    known = {e["id"]: e for e in entries()}
    live = {"recall.lemma-6": Program("p", ["recall.lemma-6"], ["programs/a.js", "kernels/b.js"])}
    ((id, found),) = graph.examinable(known, live).items()
    assert id == "recall.lemma-6"
    assert found["scripts"] == ["programs/a.js", "kernels/b.js"]
    assert "recall.theorem-2" in found["above"]
    for user in found["above"]:
        assert {id, *found["above"]} & set(known[user]["uses"])
    assert graph.above("c", {"a": entry("b"), "b": entry("c"), "c": entry()}) == ["b", "a"]
