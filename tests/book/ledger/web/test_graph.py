"""Which statement uses which: lines and columns, and a clear word where there can be none."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag

from book.ledger import registry
from book.ledger.entries import entries
from book.ledger.web import graph
from book.paper import CHAPTERS
from widgets.site.programs import Program

KNOWN = {e["id"]: e for e in entries()}
TITLES = {page: page for page in registry.pages()}


def entry(*uses: str) -> dict[str, object]:
    return {"uses": uses}


@cache
def drawings() -> dict[str, dict[str, Any]]:
    return graph.laid_out(KNOWN)


@cache
def page() -> BeautifulSoup:
    return BeautifulSoup(graph.html(KNOWN, TITLES), "html.parser")


@cache
def chapters() -> dict[str, Any]:
    """What the page has of each chapter."""
    return {
        paper.room: head.find_next_sibling("div")
        for paper, head in zip(CHAPTERS, page().select("h3"), strict=True)
    }


def boxes(drawing: dict[str, Any]) -> dict[str, tuple[float, ...]]:
    """The left edge, the top, the width and the height of each statement's box."""
    return {box["id"]: tuple(box[side] for side in ("x", "y", "width", "height")) for box in drawing["boxes"]}


def segments(path: str) -> list[tuple[list[float], list[float]]]:
    """The straight pieces of a line, from end to end."""
    points = [[float(number) for number in point.split()] for point in path[1:].split("L")]
    return list(pairwise(points))


def test_a_statement_stands_below_all_that_it_rests_on_or_to_the_right_of_it_among_papers():
    for room, drawing in drawings().items():
        place, along = boxes(drawing), 0 if room == "together" else 1
        for used, id in graph.lines(room, KNOWN):
            assert place[used][along] + place[used][2 + along] < place[id][along]
    drawn = set().union(*map(boxes, drawings().values()))
    listed = {id for room in drawings() for id in graph.alone(room, KNOWN)}
    assert drawn | listed == set(KNOWN)
    assert not drawn & listed


def test_no_line_passes_through_a_box_and_no_box_through_another():
    for drawing in drawings().values():
        inner = [(x + 1, y + 1, x + w - 1, y + h - 1) for x, y, w, h in boxes(drawing).values()]
        for line in drawing["lines"]:
            for start, end in segments(line["path"]):
                (left, right), (top, bottom) = (sorted(ends) for ends in zip(start, end, strict=True))
                assert left == right or top == bottom
                assert not [b for b in inner if left < b[2] and right > b[0] and top < b[3] and bottom > b[1]]
        for one, other in combinations(inner, 2):
            assert one[0] > other[2] or other[0] > one[2] or one[1] > other[3] or other[1] > one[3]


def test_a_drawing_is_as_wide_as_the_page_at_most_and_the_same_each_time():
    assert max(drawing["width"] for drawing in drawings().values()) <= 1200  # beside no table of contents
    drawn = [path["d"] for path in page().select("svg path")]  # each page has a layout of its own
    assert drawn == [line["path"] for drawing in drawings().values() for line in drawing["lines"]]


def test_each_statement_is_a_link_in_its_papers_drawing_and_in_the_list():
    for room, chapter in chapters().items():
        own = {id: f"../s/{id}.html" for id in KNOWN if id.startswith(f"{room}.")}
        drawn = {link["data-id"]: link["href"] for link in chapter.select(".graph-whole a")}
        assert drawn.items() >= own.items()
        listed = [link["href"] for link in chapter.select('.graph-list a[href^=".."]')]
        assert sorted(listed) == sorted(own.values())


def test_a_box_and_a_card_have_a_whole_name_and_no_two_of_a_paper_are_called_alike():
    for room, chapter in chapters().items():
        called = {}
        for box in chapter.select("svg a"):
            rows = [row.get_text().removeprefix(f"{sign(box)} ") for row in box.select("text")]
            called[str(box["data-id"])] = " ".join(rows)
            assert max(map(len, rows)) <= graph.LETTERS
        assert not [words for words in called.values() if "…" in words.replace(" : … : k", "")]
        own = [words for id, words in called.items() if id.startswith(f"{room}.")]
        assert len(set(own)) == len(own)
    for e, card in zip(KNOWN.values(), page().select(".graph-cards a"), strict=True):
        assert (card["data-id"], card["data-ground"]) == (e["id"], e["ground"])
        assert e["title"][1:] in card.get_text()
        assert card["data-uses"] == " ".join(e["uses"])
    assert graph.FIRST in KNOWN


def sign(box: Tag) -> str:
    return box.select("tspan.fim-sign")[0].get_text()


def test_the_list_nests_pages_statements_and_uses_and_says_each_statement_in_full_once():
    lists = page().select(".graph-list")
    items = {str(item["id"]): item for each in lists for item in each.select("li[id]")}
    assert sorted(items) == sorted(graph.anchor(id) for id in KNOWN)
    links = [str(link["href"]).removeprefix("#") for each in lists for link in each.select('a[href^="#"]')]
    assert set(links) <= set(items)
    assert len(links) == 2 * sum(len(e["uses"]) for e in KNOWN.values())  # from either end
    for id, e in KNOWN.items():
        item = items[graph.anchor(id)]
        heads = [head.get_text() for head in item.select("p")]
        groups = dict(zip(heads, item.select("details > ul"), strict=True))
        uses = groups["uses"].select("a") if e["uses"] else []
        assert {str(link["href"]) for link in uses} == {f"#{graph.anchor(used)}" for used in e["uses"]}
        assert e["title"] in item.get_text()
    assert max(len(node.find_parents("ul")) for each in lists for node in each.select("ul")) == 2


def test_the_lines_lead_to_all_that_a_statement_rests_on_and_none_follows_from_others():
    pairs = {
        (str(path["data-from"]), str(path["data-to"]))
        for path in page().select(".graph-whole path[data-from]")
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
    shown = [paper for paper in CHAPTERS if paper.room in lefts]  # those on which they rest, and their own
    assert list(lefts) == [paper.room for paper in shown]
    assert lefts.keys() >= {"recognise", "acquire", "recall", "together"}
    for before, after in pairwise(lefts.values()):
        assert max(before) < min(after)
    together = chapters()["together"]
    heads = [text.get_text() for text in together.select("svg > text")]
    assert heads == [paper.chapter for paper in shown]
    assert "Recall: Lemma 6" in together.select_one(".graph-list").get_text()


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
