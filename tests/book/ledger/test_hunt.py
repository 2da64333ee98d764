"""Hunts: what they draw, what they find, and that no contradiction they found is left standing."""

import dataclasses
import json
import random

import pytest

from book.__main__ import main
from book.ledger import hunt, registry, store
from book.ledger.bounds import Bounds, at_most
from book.ledger.statement import statement
from book.paper import PAPERS
from tests import ROOT

HUNTS = store.read_hunts()
TESTED = [each for each in registry.statements().values() if not each.untested]


def measured(size=1.0, weight=1.0, seed=0):
    """Something to say something about."""
    return {"size": size, "light": float(weight < 2), "luck": random.Random(seed).random()}


@statement(
    "toy.theorem-2",
    measures=measured,
    assumes={"light": ("the weight is below 2", lambda r, p: r.light)},
    fails_at={"size": 4.0, "weight": 3.0},
    ranges={"size": (1.0, 3.0), "weight": (0.5, 1.5), "seed": (0, 999)},
)
def toy(r):
    """The size is at most 2, which is not so."""
    return Bounds(at_most(2.0, r.size, "size"))


def test_a_hunt_finds_where_a_statement_fails_and_simplifies_it():
    result = hunt.hunt(toy, 60)
    assert len(result.drawn) == 60
    assert set(result.drawn) == {"h", "c"}
    assert set(result.border) >= {"c", "o"}
    assert not result.stands(toy)
    assert result.contradictions[0].keys() == {"size"}
    assert 2 < result.contradictions[0]["size"] <= 3
    assert result.broken["the weight is below 2"][0] == result.count("outside") + result.count("beyond")


def test_a_hunt_draws_the_same_again():
    assert hunt.hunt(toy, 30)._replace(seconds=0) == hunt.hunt(toy, 30)._replace(seconds=0)
    assert hunt.draw(toy, 7, "seed") == hunt.draw(toy, 7, "seed") != hunt.draw(toy, 8, "seed")


def test_a_range_of_spans_is_drawn_from_each_and_gone_along():
    spans = dataclasses.replace(toy, ranges={"size": [(1.0, 1.5), (1.0, 1.5), (2.5, 3.0)]})
    sizes = [hunt.draw(spans, place, "seed")["size"] for place in range(200)]
    assert all(1 <= size <= 1.5 or 2.5 <= size <= 3 for size in sizes)
    assert 100 < sum(size < 2 for size in sizes) < 160
    start, end = {"size": 1.5, "weight": 1.0}, {"size": 4.0, "weight": 3.0}
    assert hunt.between(spans, start, end, 0.5)["size"] == 2.75


def test_what_holds_everywhere_says_how_sure_that_is():
    result = hunt.hunt(dataclasses.replace(toy, ranges={"size": (0.5, 1.9)}, fails_at={"weight": 3.0}), 96)
    assert result.stands(toy)
    assert result.words.startswith("holds at 96 of 96 randomly drawn settings (95 % interval: at least 96%)")


def test_finitely_many_configurations_are_each_tried_once():
    few = dataclasses.replace(
        toy, ranges={"size": [1.0, 2.0, 2.0, 3.0], "seed": [0, 1]}, fails_at={"weight": 3.0}
    )
    result = hunt.hunt(few, 100)
    assert result.drawn == "hhhhcc"
    assert result.words.startswith("holds at 4 of 6 settings, all that there are; at ")
    assert [hunt.draw(few, place, "seed")["size"] for place in range(6)] == [1, 1, 2, 2, 3, 3]
    alone = hunt.hunt(dataclasses.replace(few, ranges={}), 100)
    assert alone.drawn == "h"
    assert alone.words.startswith("holds at the one setting that there is")


def test_the_search_closes_in_on_the_border():
    (inside,) = hunt.results_at(toy, [{"size": 1.0, "weight": 1.1}])
    start = dict(inside.configuration)
    seen, (outside,) = hunt.bisect_boundary(toy, [(start, hunt.failing(toy, start))])
    weights = [result.configuration["weight"] for result in seen]
    assert len(seen) == hunt.BISECTIONS
    assert min(abs(weight - 2) for weight in weights) < 2 * 2.0**-hunt.BISECTIONS
    assert outside is not None
    assert outside.configuration["weight"] == min(weight for weight in weights if weight >= 2)


def test_a_hunt_goes_to_the_borders_where_another_parameter_is_least_or_greatest():
    wide = dataclasses.replace(toy, ranges={**toy.ranges, "weight": (0.5, 4.0), "size": (0.25, 1.9)})
    result = hunt.hunt(wide, 20)
    assert result.reached["the weight is below 2"] > hunt.BISECTED
    assert not result.unreached
    edges = hunt.edge_configurations(wide, [{"size": 1.0, "weight": 1.0, "seed": 3}])
    assert [(edge["size"], edge["weight"]) for edge in edges] == [
        (0.25, 1.0),
        (1.9, 1.0),
        (1.0, 0.5),
        (1.0, 4.0),
    ]


def test_a_hypothesis_whose_border_no_way_came_to_is_named():
    both = {**toy.assumes, "small": ("the size is below 100", lambda r, p: r.size < 100)}
    assert hunt.hunt(dataclasses.replace(toy, assumes=both), 20).unreached == ["the size is below 100"]


def test_a_choice_that_fails_does_not_contradict_an_existence():
    free = dataclasses.replace(toy, ranges={"weight": (0.5, 1.5)}, holds_at={"size": 3.0})
    assert set(hunt.hunt(free, 10).drawn) == {"c"}
    assert set(hunt.hunt(dataclasses.replace(free, exists={"size": (0.5, 1.5)}), 10).drawn) == {"h"}


@pytest.mark.parametrize(("delta", "stands"), [(0.9, True), (0.001, False)])
def test_what_may_fail_by_chance_is_judged_by_its_share(delta, stands):
    by_chance = dataclasses.replace(
        toy, says=lambda r: Bounds(at_most(0.5, r.luck, "luck")), ranges={"seed": (0, 999)}, chance=delta
    )
    assert hunt.hunt(by_chance, 40).stands(by_chance) is stands


def test_every_statement_was_hunted_in():
    assert list(HUNTS) == [statement.id for statement in TESTED]


@pytest.mark.parametrize("statement", TESTED, ids=lambda statement: statement.id)
def test_no_contradiction_is_left_standing(statement):
    result = HUNTS[statement.id]
    assert result.stands(statement) or not statement.stands, result.contradictions
    assert result.admitted or not statement.stands
    assert result.ranges == json.loads(
        json.dumps({name: list(span) for name, span in statement.ranges.items()})
    )


QUICK = [
    each for each in TESTED if HUNTS[each.id].seconds <= len(HUNTS[each.id].drawn + HUNTS[each.id].border)
]
"""The statements of which a draw took at most a second, in the mean."""


@pytest.mark.parametrize("statement", QUICK, ids=lambda statement: statement.id)
def test_a_draw_comes_out_again(statement):
    result = HUNTS[statement.id]
    possible = [i for i, letter in enumerate(result.drawn) if letter != hunt.IMPOSSIBLE]
    place = random.Random(statement.id).choice(possible)
    configuration = hunt.draw(statement, place, result.seed)
    assert hunt.letters(hunt.results_at(statement, [configuration])) == result.drawn[place]


CONTRADICTED = [each for each in TESTED if HUNTS[each.id].contradictions]


@pytest.mark.parametrize("statement", CONTRADICTED, ids=lambda statement: statement.id)
def test_a_kept_contradiction_still_contradicts(statement):
    (result,) = hunt.results_at(statement, HUNTS[statement.id].contradictions[:1])
    assert result.key == "contradicted"


@pytest.mark.parametrize("paper", [paper.room for paper in PAPERS])
def test_every_number_of_the_paper_is_in_the_ledger(paper):
    known = {
        number
        for statement in registry.statements().values()
        if statement.id.startswith(f"{paper}.")
        for number in statement.numbers
    }
    assert set((ROOT / "book" / paper / "numbers.txt").read_text().splitlines()) <= known


def test_the_command_hunts_stores_and_goes_on(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(store, "HUNTS", tmp_path / "hunt.json")
    ids = ["recall.table-2", "recall.equation-18"]
    assert main(["hunt", "3", ids[0], "--renew"]) == 0
    first = store.HUNTS.read_text()
    assert "holds at" in capsys.readouterr().out
    assert main(["hunt", "3", *ids, "--renew"]) == 0
    assert ids[0] not in capsys.readouterr().out
    stored = json.loads(store.HUNTS.read_text())
    assert {entry["id"] for entry in stored} == set(ids)
    assert json.loads(first)[0] in stored
    assert {"commit", "torch", "tries", "made from"} <= set(stored[0])
