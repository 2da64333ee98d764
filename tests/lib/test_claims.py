"""The registry and its command line: verdicts that can fail."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

from lib import claims
from lib.claims import Verdict

STORED = json.loads((Path(__file__).parents[2] / "book" / "data" / "claims.json").read_text())


@pytest.mark.parametrize("claim", claims.find(), ids=lambda claim: claim.id)
def test_a_claim_holds_where_it_must_and_fails_where_it_must(claim):
    outcome = claims.examine(claim)
    assert all(outcome.evidence.hypotheses.values())
    assert outcome.evidence.conclusion is (claim.recorded is not Verdict.NOT_REPRODUCED)
    assert not all(outcome.broken.hypotheses.values())
    assert not outcome.broken.conclusion
    assert outcome.verdict is claim.recorded
    assert_stored(claims.as_json(outcome))


def assert_stored(entry):
    """The table that the pages print says what examining the claim says: `make claims` renews it."""
    (stored,) = [other for other in STORED if other["id"] == entry["id"]]
    assert set(stored) == set(entry)
    for key in set(entry) - {"seconds", "holds at", "fails at", "errata"}:
        assert stored[key] == entry[key], key
    for place in ("holds at", "fails at"):
        for key in entry[place]:
            assert_near(stored[place][key], entry[place][key])
    for old, new in zip(stored["errata"], entry["errata"], strict=True):
        assert {key: old[key] for key in old if key != "numbers"} == {
            key: new[key] for key in new if key != "numbers"
        }
        assert_near(old["numbers"], new["numbers"])


def assert_near(old, new):
    """Numbers agree as far as another processor's rounding lets them, all else exactly."""
    if not isinstance(new, dict):
        assert old == new
        return
    assert set(old) == set(new)
    for key, value in new.items():
        exact = isinstance(value, (bool, str)) or not isinstance(value, (int, float))
        assert old[key] == (value if exact else pytest.approx(value, rel=1e-3, abs=1e-6)), key


def test_the_stored_table_holds_every_claim_in_order():
    assert [entry["id"] for entry in STORED] == list(claims.registry())


def test_a_check_that_cannot_fail_is_not_confirmed():
    claim = claims.registry()["recall.table-2"]
    idle = dataclasses.replace(claim, fails_at=claim.holds_at)
    assert claims.examine(idle).verdict is Verdict.NOT_REPRODUCED


def test_a_claim_that_fails_where_it_must_hold_is_not_confirmed():
    claim = claims.registry()["recall.table-2"]
    wrong = dataclasses.replace(claim, holds_at=claim.fails_at)
    assert claims.examine(wrong).verdict is Verdict.NOT_REPRODUCED


def test_an_erratum_that_sympy_does_not_bear_out_is_not_confirmed():
    claim = claims.registry()["recall.theorem-4-proof"]
    doubtful = dataclasses.replace(claim.errata[0], symbolic=lambda: False)
    assert claims.examine(dataclasses.replace(claim, errata=(doubtful,))).verdict is Verdict.NOT_REPRODUCED


def test_a_claim_with_sharper_hypotheses_says_so():
    claim = claims.registry()["recall.table-2"]
    assert claims.examine(dataclasses.replace(claim, sharpened=True)).verdict is Verdict.ONLY_WHERE


def test_a_claim_whose_hypotheses_nothing_meets_is_vacuous():
    claim = claims.registry()["recall.table-2"]
    assert claims.examine(dataclasses.replace(claim, vacuous=True)).verdict is Verdict.VACUOUS


def test_a_formula_listed_as_right_that_does_not_pass_is_not_confirmed():
    claim = claims.registry()["recall.table-2"]
    doubtful = claims.Check("nowhere", "1 = 2", "sympy", lambda: False)
    assert claims.examine(dataclasses.replace(claim, checked=(doubtful,))).verdict is Verdict.NOT_REPRODUCED


def test_the_module_runs_as_a_command():
    command = [sys.executable, "-m", "lib.claims", "recall.table-2"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith(
        "recall.table-2"
    )


def test_the_command_prints_json(capsys):
    assert claims.main(["--json", "recall.theorem-4-proof"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    wanted = "id paper kind number title page statement finding verdict errata checked seconds"
    assert set(entry) == {*wanted.split(), "holds at", "fails at"}
    assert entry["verdict"] == "confirmed after correction"
    assert entry["holds at"]["conclusion"] is True
    assert entry["fails at"]["conclusion"] is False
    assert all(erratum["proved"] is True for erratum in entry["errata"])
    assert all(isinstance(value, float) for value in entry["holds at"]["measured"].values())


def test_the_command_prints_a_table(capsys):
    assert claims.main(["recall.table-2"]) == 0
    assert "recall.table-2" in capsys.readouterr().out


def test_the_command_fails_when_a_verdict_is_not_the_recorded_one(monkeypatch, capsys):
    claim = claims.registry()["recall.table-2"]
    monkeypatch.setitem(
        claims._registry, claim.id, dataclasses.replace(claim, recorded=Verdict.NOT_REPRODUCED)
    )
    assert claims.main([claim.id]) == 1
    assert "recorded: not reproduced" in capsys.readouterr().out


def test_an_unknown_id_is_named(capsys):
    assert claims.main(["recall.theorem-99"]) == 2
    assert "id = 'recall.theorem-99': must be one of recognise." in capsys.readouterr().err


def test_two_claims_cannot_share_an_id():
    with pytest.raises(ValueError, match="must be new to the registry"):
        claims.register(claims.registry()["recall.table-2"])
