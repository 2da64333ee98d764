"""The stored results were made from the code as it is: what is stale is renewed by its command."""

from book.ledger import registry, store


def test_every_statement_was_examined_with_this_code():
    """Else: ``python -m book statements --renew``."""
    entries = store.read_examined()
    assert entries.keys() == registry.statements().keys()
    assert [id for id, one in registry.statements().items() if not store.is_current(entries[id], one)] == []


def test_every_hunt_was_made_with_this_code():
    """Else: ``python -m book hunt TRIES ID … --renew``."""
    entries = store.read_hunt_entries()
    tested = {id: one for id, one in registry.statements().items() if not one.untested}
    assert entries.keys() == tested.keys()
    stale = [
        id for id, one in tested.items() if not store.is_current_hunt(entries[id], one, entries[id]["tries"])
    ]
    assert stale == []
