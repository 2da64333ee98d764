"""The statements: as stored, able to fail, and not contradicted."""

import pytest
from livetorch.ledger import registry, store
from livetorch.ledger.examine import examine

STATEMENTS = registry.statements()
each = pytest.mark.parametrize("id", STATEMENTS)


@each
def test_it_comes_out_as_stored(id):
    outcome = examine(STATEMENTS[id])
    assert outcome.as_recorded
    assert store.as_json(outcome)["verdict"] == store.read_examined()[id]["verdict"]
    assert store.is_current(store.read_examined()[id], STATEMENTS[id])


@each
def test_no_run_contradicts_it(id):
    found = store.read_hunts()[id]
    assert found.admitted >= 20
    assert found.count("contradicted") == 0
    assert found.stands(STATEMENTS[id])


@pytest.mark.parametrize(("name", "value"), [("imbalance", 1.0), ("correlation", 0.5), ("rate", 0.05)])
def test_each_hypothesis_can_be_broken_and_the_conclusion_fails(name, value):
    statement = STATEMENTS["linear.learning-curve"]
    assert statement().key == "holds"
    assert statement(**{name: value}).key == "outside"
