"""Which statement uses which: lines and columns, and a clear word where there can be none."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from itertools import accumulate, combinations, pairwise

import pytest

from book.ledger import graph, registry
from book.ledger.tables import entries
from book.paper import CHAPTERS
from widgets.site.programs import Program

KNOWN = {e["id"]: e for e in entries()}
TITLES = {page: page for page in registry.pages()}


def entry(*uses: str) -> dict[str, object]:
    return {"uses": uses}


@cache
def drawings() -> dict[str, str]:
    return graph.drawings(KNOWN)


def boxes(html: str) -> dict[str, tuple[float, ...]]:
    """The left edge, the top, the width and the height of each statement's box."""
    ids = re.findall(r'data-id="(.*?)"', html)
    rects = re.findall(r'<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"', html)
    return {id: tuple(map(float, rect)) for id, rect in zip(ids, rects, strict=True)}


def segments(path: str) -> list[tuple[list[float], list[float]]]:
    """The straight pieces of a line, from end to end."""
    points = [[float(number) for number in point.split()] for point in path[1:].split("L")]
    return list(pairwise(points))


def test_a_statement_stands_below_all_that_it_rests_on_or_to_the_right_of_it_among_papers():
    for room, html in drawings().items():
        place, along = boxes(html), 0 if room == "together" else 1
        for used, id in graph.lines(room, KNOWN):
            assert place[used][along] + place[used][2 + along] < place[id][along]
    drawn = set().union(*map(boxes, drawings().values()))
    listed = {id for room in drawings() for id in re.findall(r'data-id="(.*?)"', graph.alone(room, KNOWN))}
    assert drawn | listed == set(KNOWN)
    assert not drawn & listed


def test_no_line_passes_through_a_box_and_no_box_through_another():
    for html in drawings().values():
        inner = [(x + 1, y + 1, x + w - 1, y + h - 1) for x, y, w, h in boxes(html).values()]
        for path in re.findall(r'<path d="(.*?)"', html):
            for start, end in segments(path):
                (left, right), (top, bottom) = (sorted(ends) for ends in zip(start, end, strict=True))
                assert left == right or top == bottom
                assert not [b for b in inner if left < b[2] and right > b[0] and top < b[3] and bottom > b[1]]
        for one, other in combinations(inner, 2):
            assert one[0] > other[2] or other[0] > one[2] or one[1] > other[3] or other[1] > one[3]


def test_a_drawing_is_as_wide_as_the_page_at_most_and_the_same_each_time():
    widths = [float(re.findall(r'<svg .*? width="(.*?)"', html)[0]) for html in drawings().values()]
    assert max(widths) <= 1200  # beside no table of contents
    assert graph.drawings(KNOWN) == drawings()


def test_each_statement_is_a_link_in_its_papers_drawing_and_in_the_list():
    listed = {paper.room: graph.listed(paper.room, KNOWN, TITLES) for paper in CHAPTERS}
    drawn = {room: html + graph.alone(room, KNOWN) for room, html in drawings().items()}
    for id in KNOWN:
        room = id.partition(".")[0]
        assert f'href="../s/{id}.html" data-id="{id}"' in drawn[room]
        assert listed[room].count(f'href="../s/{id}.html"') == 1


def test_a_box_and_a_card_have_a_whole_name_and_no_two_of_a_paper_are_called_alike():
    for room, html in drawings().items():
        called = {}
        for id, box in re.findall(r'data-id="(.*?)".*?<rect .*?/>(.*?)</a>', html):
            rows = re.findall(r"<text [^>]*>(.*?)</text>", box)
            called[id] = " ".join(re.sub("<tspan.*?</tspan>", "", row).strip() for row in rows)
            assert "…" not in called[id].replace(" : … : k", "")
            assert max(map(len, rows)) <= graph.LETTERS + len('<tspan class="fim-sign">●</tspan> ')
        own = [words for id, words in called.items() if id.startswith(f"{room}.")]
        assert len(set(own)) == len(own)
    for id, e in KNOWN.items():
        card = graph.card(id, KNOWN)
        assert escape(e["title"][1:]) in card
        assert f'data-uses="{" ".join(e["uses"])}"' in card
    assert graph.FIRST in KNOWN


def test_the_list_nests_pages_statements_and_uses_and_says_each_statement_in_full_once():
    lists = "".join(graph.listed(paper.room, KNOWN, TITLES) for paper in CHAPTERS)
    places = re.findall(r'<li id="(.*?)">', lists)
    assert sorted(places) == sorted(graph.anchor(id) for id in KNOWN)
    links = re.findall(r'<a href="#(.*?)">', lists)
    assert set(links) <= set(places)
    assert len(links) == 2 * sum(len(e["uses"]) for e in KNOWN.values())  # from either end
    for id, e in KNOWN.items():
        (item,) = re.findall(rf'<li id="{graph.anchor(id)}">(.*?)(?=<li id=|$)', lists, re.DOTALL)
        words = item.partition("<p>used by</p>")[0]
        assert all(f"#{graph.anchor(used)}" in words for used in e["uses"])
        assert escape(e["title"]) in item
    assert max(accumulate(1 if tag == "<ul>" else -1 for tag in re.findall("</?ul>", lists))) == 3


def test_the_lines_lead_to_all_that_a_statement_rests_on_and_none_follows_from_others():
    pairs = {
        tuple(pair)
        for html in drawings().values()
        for pair in re.findall(r'data-from="(.*?)" data-to="(.*?)"', html)
    }
    uses = {(used, id) for id, e in KNOWN.items() for used in e["uses"]}
    assert pairs < uses  # none is made up
    fewer = {id: {"uses": [used for used, user in pairs if user == id]} for id in KNOWN}
    for used, user in uses:
        assert user in graph.above(used, fewer)
    for used, user in pairs:
        without = {**fewer, user: {"uses": [other for other in fewer[user]["uses"] if other != used]}}
        assert user not in graph.above(used, without)


def test_each_paper_has_a_column_beside_those_that_rest_on_several():
    lefts: dict[str, list[float]] = {}
    for id, (left, *_) in boxes(drawings()["together"]).items():
        lefts.setdefault(id.partition(".")[0], []).append(left)
    assert list(lefts) == [paper.room for paper in CHAPTERS]
    for before, after in pairwise(lefts.values()):
        assert max(before) < min(after)
    heads = re.findall(r'<text x="[^"]*" y="12">(.*?)</text>', drawings()["together"])
    assert heads == [paper.chapter for paper in CHAPTERS]
    assert "Recall: Lemma 6" in graph.listed("together", KNOWN, TITLES)


def test_a_circle_or_a_statement_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="rest on each other in a circle: "):
        graph.check({"a": entry("b"), "b": entry("a")})
    with pytest.raises(ValueError, match=r"a: uses = \['c'\]: must be ids of statements"):
        graph.check({"a": entry("c")})


def test_what_can_be_examined_again_names_its_program_and_all_that_rests_on_it():
    live = {"recall.lemma-6": Program("p", ["recall.lemma-6"], ["programs/a.js", "kernels/b.js"])}
    ((id, found),) = graph.examinable(KNOWN, live).items()
    assert id == "recall.lemma-6"
    assert found["scripts"] == ["programs/a.js", "kernels/b.js"]
    assert "recall.theorem-2" in found["above"]
    for user in found["above"]:
        assert {id, *found["above"]} & set(KNOWN[user]["uses"])
    assert graph.above("c", {"a": entry("b"), "b": entry("c"), "c": entry()}) == ["b", "a"]
