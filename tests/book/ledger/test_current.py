"""The stored results were made from the code as it is: what is stale is renewed by its command."""

import pytest

from book.ledger import registry, store
from book.ledger.statement import Statement


def test_every_statement_was_examined_with_this_code():
    """Else: ``python -m book statements --renew``."""
    entries = store.read_examined()
    assert entries.keys() == registry.statements().keys()
    assert [id for id, one in registry.statements().items() if not store.is_current(entries[id], one)] == []


def test_every_statement_was_hunted_in_with_this_code():
    """Else: ``python -m book hunt 40 --renew --seconds 60``."""
    hunts = store.read_hunt_entries()
    tested = {id: one for id, one in registry.statements().items() if not one.untested}
    assert hunts.keys() == tested.keys()
    assert [
        id for id, one in tested.items() if not store.is_current_hunt(hunts[id], one, hunts[id]["tries"])
    ] == []


def test_other_words_in_a_box_are_stored_without_a_run(monkeypatch):
    lemma = registry.statements()["recall.lemma-1"]
    entry, box = store.read_examined()[lemma.id], lemma.box
    monkeypatch.setattr(Statement, "box", box._replace(title="a memory", finding="Ahead by {margin}."))
    assert store.is_examined(entry, lemma)
    assert not store.is_current(entry, lemma)
    renewed = store.reworded(entry, lemma)
    assert store.is_current(renewed, lemma)
    changed = {key for key in entry if renewed[key] != entry[key]}
    assert changed == {"title", "finding", "made from"}


def test_a_box_that_cannot_be_read_is_not_current(monkeypatch):
    lemma = registry.statements()["recall.lemma-1"]
    box = lemma.box
    monkeypatch.setattr(Statement, "box", box._replace(text=f"{box.text} And more."))
    entry = store.read_examined()[lemma.id]
    assert not store.is_current(entry, lemma)
    with pytest.raises(ValueError, match="belongs to no clause"):
        store.reworded(entry, lemma)


def test_an_edited_entry_is_examined_again():
    lemma = registry.statements()["recall.lemma-1"]
    entry = store.read_examined()[lemma.id]
    assert not store.is_examined({**entry, "verdict": "in use"}, lemma)
