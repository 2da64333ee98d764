"""What a companion lacks is said, statement by statement, from tables in which something is left out."""

import json
from collections import Counter

import pytest

from book import missing
from book.ledger import registry, store
from book.missing import NOT_TESTED, typed_numbers
from widgets.words import Block

LEMMA = registry.find(["recall.lemma-6"])[0]


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Changes the statement's entries in a copy of both tables."""

    def change(of_examined=lambda _entry: None, of_hunt=lambda _entry: None):
        for name, change_of in (("STATEMENTS", of_examined), ("HUNTS", of_hunt)):
            entries = json.loads(getattr(store, name).read_text())
            kept = [entry for entry in entries if entry["id"] != LEMMA.id or change_of(entry) is not False]
            place = tmp_path / f"{name}.json"
            place.write_text(json.dumps(kept))
            monkeypatch.setattr(store, name, place)

    return change


def todo():
    return [gap.what for gap in missing.of_statement(LEMMA) if gap.what != NOT_TESTED]


def never(_entry):
    return False


def edited(entry):
    entry["made from"] = "elsewhere"


def unreached(entry):
    entry["reached"] = dict.fromkeys(entry["reached"], 0)


@pytest.mark.parametrize(
    ("of_examined", "of_hunt", "said"),
    [
        (never, lambda _: None, "was never examined"),
        (edited, lambda _: None, "was not examined since it changed"),
        (lambda _: None, never, "was never hunted in"),
        (lambda _: None, edited, "was not hunted in since it changed"),
        (lambda _: None, unreached, "has a hypothesis whose border was not sought"),
    ],
)
def test_what_is_missing_of_a_statement_is_said(tables, of_examined, of_hunt, said):
    before = todo()
    tables(of_examined, of_hunt)
    assert (Counter(todo()) - Counter(before)).keys() == {said}


def test_the_command_counts_what_is_missing(capsys):
    status = missing.main()
    lines = capsys.readouterr().out.splitlines()
    assert status in (0, 1)
    assert f"{len(registry.find())} statements" in lines
    assert not any("was never examined" in line for line in lines)


def test_a_number_is_typed_unless_it_is_a_name_or_what_a_card_sets():
    def numbers(text, **options):
        return typed_numbers(Block("card", "", options, text))

    assert numbers("After 36 steps") == {"36"}
    assert numbers("Lemma 6 and {steps:n} steps at 1,000", set="steps=1000") == set()
