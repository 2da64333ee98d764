"""The stored results were made from the code as it is: what is stale is renewed by its command."""

from book.ledger import registry, store


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
