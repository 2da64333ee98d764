"""Beyond the ranges: settings are moved where no hunt draws, borders are reached from there or it is said why not."""

import dataclasses

import pytest

from book.__main__ import main
from book.ledger import beyond, hunt, registry, store
from book.ledger.bounds import Bounds, at_most
from book.ledger.settings import setting_names
from book.ledger.statement import statement

HUNTS, BEYOND = store.read_hunts(), store.read_beyond()
TRIED = [one for one in registry.find() if one.id in HUNTS and beyond.is_worthwhile(HUNTS[one.id])]


def measured(size=1.0, weight=1.0, kept=True, seed=0):
    """Something to say something about."""
    return {"size": size, "weight": weight, "kept": kept}


@statement(
    "toy.theorem-3",
    measures=measured,
    assumes={
        "kept": ("it is kept", lambda r, p: r.kept),
        "light": ("the weight is below 2", lambda r, p: r.weight < 2),
        "very_light": ("the weight is below 20", lambda r, p: r.weight < 20),
        "some": ("the size is positive", lambda r, p: r.size > 0),
    },
    fails_at={"size": 6.0, "weight": 30.0},
    ranges={"size": (1.0, 2.0), "weight": (0.5, 1.0), "seed": (0, 999)},
)
def toy(r):
    """The size is at most 4, which is so in the range, but not beyond it."""
    return Bounds(at_most(4.0, r.size, "size"))


def run(one, tries=20):
    return beyond.beyond(one, hunt.hunt(one, tries))


def test_what_the_ranges_leave_out_is_contradicted():
    result = run(toy)
    assert hunt.hunt(toy, 20).stands(toy)
    assert "c" in result.moved["size"]
    assert set(result.moved["kept"]) == {"b"}, "a hypothesis is broken, and the bound holds"
    assert "seed" not in result.moved
    (simple,) = result.contradictions
    assert simple.keys() == {"size"}
    assert not result.stands(toy, hunt.hunt(toy, 20))


def test_a_setting_with_a_reason_is_left_where_it_is():
    kept = dataclasses.replace(toy, no_farther={"size": "the law ends at 4"})
    assert "size" not in run(kept).moved
    assert not run(kept).contradictions


def test_a_border_is_reached_or_it_is_said_why_not():
    result = run(toy)
    assert result.borders["it is kept"] == ""
    assert result.borders["the size is positive"].startswith("none of ")
    assert "another" in result.borders["the weight is below 20"]
    assert "the weight is below 2" not in result.borders, "the hunt reached it"


@pytest.mark.parametrize(
    ("span", "farther"),
    [
        ((1.0, 4.0), (1 / 3, 12.0)),
        ((0.1, 0.9), (0.1 / 3, 1.0)),
        ((0, 10), (0, 30)),
        ((4, 10), (1, 30)),
        ([0, 1], [0, 1]),
        ([True], [False, True]),
        (["gd", "adam"], []),
        ([[1, 2], [2, 4]], []),
    ],
)
def test_how_far_an_argument_goes(span, farther):
    assert beyond._farther(span) == pytest.approx(farther) if farther else beyond._farther(span) == []


def test_every_statement_whose_runs_are_short_was_run_beyond_its_ranges_with_this_code():
    """Else: ``python -m book beyond --renew``."""
    assert [one.id for one in TRIED if not store.is_current_beyond(one)] == []


@pytest.mark.parametrize("statement", TRIED, ids=lambda statement: statement.id)
def test_nothing_is_contradicted_beyond_the_ranges(statement):
    result = BEYOND[statement.id]
    assert result.stands(statement, HUNTS[statement.id]) or not statement.stands, result.contradictions


@pytest.mark.parametrize(
    "statement", [one for one in registry.find() if one.no_farther], ids=lambda statement: statement.id
)
def test_what_goes_no_farther_is_a_setting(statement):
    assert statement.no_farther.keys() <= set(setting_names(statement))


def test_the_command_stores_and_goes_on(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(store, "BEYOND", tmp_path / "beyond.json")
    assert main(["beyond", "recall.table-2", "--renew"]) == 0
    assert "recall.table-2" in capsys.readouterr().out
    assert store.read_beyond().keys() == {"recall.table-2"}
    assert main(["beyond", "recall.table-2", "--renew"]) == 0
    assert "recall.table-2" not in capsys.readouterr().out
