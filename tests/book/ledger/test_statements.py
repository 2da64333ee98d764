"""The ledger and its command line: one definition of each theorem, and verdicts that can fail."""

import dataclasses
import graphlib
import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from book.__main__ import main
from book.ledger import examine, proofs, registry, store
from book.ledger.bounds import Bounds, at_most, near, recorded, true
from book.ledger.boxes import ROOT, Box
from book.ledger.clauses import ROLE
from book.ledger.entries import is_rounding
from book.ledger.examine import Verdict
from book.ledger.proofs import Rank, Survival
from book.ledger.statement import NOT_THIS_ONE, Ground, Statement, statement
from book.ledger.template import fill

HERE = Path(__file__).parent
STORED = store.read_examined()
LEDGER = list(registry.statements().values())
NAMED = re.compile(
    r"\{[^{}]*\}|\]\([^)]*\)|(?:Theorems?|Lemmas?|Definition|Assumption|Corollary|Sections?) "
    r"\d+(?:\.\d+)*(?:(?:, | and )\d+\.\d+)*"
)
NUMBER = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.])")


def measured(size=1.0, broken=False):
    """Something to say something about."""
    return {"size": size, "whole": not broken}


@statement(
    "toy.theorem-1",
    measures=measured,
    assumes={"whole": ("nothing is broken", lambda r, p: r.whole)},
    holds_at={"size": 1.0},
    fails_at={"size": 3.0, "broken": True},
)
def toy(r):
    """The size is at most 2."""
    return Bounds(at_most(2.0, r.size, "size"), recorded(r.size / 2, "half of it"))


@pytest.mark.parametrize("statement", LEDGER, ids=lambda statement: f"{statement.page}: {statement.id}")
def test_a_statement_holds_where_it_must_and_fails_where_it_must(statement):
    outcome = examine.examine(statement, seeds_tried(statement))
    if not statement.untested:
        assert outcome.evidence.assumed
        assert outcome.evidence.concluded is statement.stands
        assert outcome.broken.assumed is bool(statement.planted)
        assert not outcome.broken.concluded
    assert outcome.as_recorded
    assert False not in outcome.proved
    assert all(outcome.passed)
    old, new = STORED[statement.id], json.loads(json.dumps(store.as_json(outcome)))
    if len(outcome.evidence.runs) < statement.seeds:
        for place in ("holds at", "fails at"):
            assert_no_worse(old[place], new[place])
        old, new = ({**entry, **dict.fromkeys(OVER_SEEDS)} for entry in (old, new))
    assert_near(old, new)


OVER_SEEDS = ("holds at", "fails at", "finding")
"""What an entry has from all of its seeds."""


FEW = 1
"""Seeds at which a statement of several is examined here."""


def seeds_tried(statement):
    """How many seeds to examine: few, if the statement's entry has all of them, made from this very code."""
    entry = STORED[statement.id]
    all_alike = statement.stands and not entry["fails at"]["holding"]
    return FEW if all_alike and store.is_current(entry, statement) else statement.seeds


def assert_no_worse(of_all, few):
    """At few of the seeds no hypothesis fails alone, and no bound is closer to failing than at the worst of all."""
    for words, kept in of_all["hypotheses"].items():
        assert few["hypotheses"][words] or not kept, words
    for old, new in zip(of_all["bounds"], few["bounds"], strict=True):
        assert old["name"] == new["name"]
        if new["must be"]:
            slack = 1e-3 * abs(float(old["measured"])) + 1e-6
            assert room(old) == -math.inf or room(new) >= room(old) - slack, old["name"]
        elif old["measured"] != "nan":
            assert_near(old, new, old["name"])  # a number without a bound is that of the first seed


def room(bound):
    """How far inside its interval a stored bound lies; −∞ where it is no number."""
    low, measured, high = (float(bound[key]) for key in ("low", "measured", "high"))
    return -math.inf if math.isnan(measured) else min(measured - low, high - measured)


def assert_near(old, new, where=""):
    """The table that the pages print says what examining says, as far as another processor's rounding lets it."""
    if where.endswith(("/seconds", "/made from")):
        return
    if isinstance(new, dict):
        assert list(old) == list(new), where
        for key in new:
            if key == "headroom" and is_rounding(new):
                continue
            assert_near(old[key], new[key], f"{where}/{key}")
    elif isinstance(new, list):
        assert len(old) == len(new), where
        for i, (mine, yours) in enumerate(zip(old, new, strict=True)):
            assert_near(mine, yours, f"{where}/{i}")
    elif isinstance(new, float) and not isinstance(old, str):
        assert old == pytest.approx(new, rel=1e-3, abs=1e-6), where
    else:
        assert old == new, where


def test_the_stored_table_holds_every_statement_in_order():
    assert list(STORED) == [statement.id for statement in LEDGER]


def test_no_id_that_was_ever_published_has_vanished():
    assert set((HERE / "ids.txt").read_text().split()) <= {statement.id for statement in LEDGER}


def test_what_a_proof_rests_on_comes_before_it():
    order = graphlib.TopologicalSorter({statement.id: statement.uses for statement in LEDGER})
    order.prepare()  # raises where statements rest on each other


@pytest.mark.parametrize("statement", LEDGER, ids=lambda statement: statement.id)
def test_a_statement_stands_in_its_pages_box_and_can_be_drawn(statement):
    name, title, text, *_ = statement.box
    assert name
    assert title
    assert text
    assert statement.says.__doc__
    if statement.untested:
        return
    drawn = statement.draw(random.Random(0))
    assert set(drawn) >= set(statement.holds_at)
    numbers = [
        name
        for name, value in statement.holds_at.items()
        if isinstance(value, (int, float)) and value not in (0, 1)
    ]
    assert statement.ranges or not numbers


@pytest.mark.parametrize("statement", LEDGER, ids=lambda statement: statement.id)
def test_numbers_in_texts_are_settings_or_come_from_the_evidence(statement):
    entry = STORED[statement.id]
    places = (entry["holds at"], entry["fails at"])
    settings = [value for at in places for value in _numbers_in(at["configuration"])] + list(
        statement.constants
    )
    bounds = [bound for at in places for bound in at["bounds"]]
    constants = [bound[end] for bound in bounds for end in ("low", "high")]
    for text in NUMBER.findall(NAMED.sub("", statement.finding)):
        assert _among(text, [*settings, *constants]), f"{text} in the finding: quote it by name, {{name}}"
    for text in NUMBER.findall(NAMED.sub("", ROLE.sub("", statement.box.text))):
        assert _among(text, [*settings, *constants, *(bound["measured"] for bound in bounds)]), text


def _numbers_in(value):
    if isinstance(value, dict):
        return [number for item in value.values() for number in _numbers_in(item)]
    if isinstance(value, list):
        return [number for item in value for number in _numbers_in(item)]
    return [value] if isinstance(value, (int, float)) else []


def _among(text, values):
    """Whether a printed decimal is one of the values, to the digits that are printed."""
    digits = len(text.partition(".")[2])
    numbers = [float(value) for value in values if value not in ("inf", "-inf", "nan")]
    return any(f"{abs(number) * factor:.{digits}f}" == text for number in numbers for factor in (1, 100))


def test_a_bound_says_what_it_asks_for():
    assert at_most(2.0, 1.0, "x").words == "≤ 2"
    assert near(2.0, 2.0, "x").words == "= 2"
    assert true(False, "x").words == "= 1"
    assert not at_most(2.0, float("nan"), "x").holds


def test_a_check_that_cannot_fail_is_not_confirmed():
    idle = dataclasses.replace(toy, fails_at=toy.holds_at)
    assert examine.examine(toy).verdict is Verdict.CONFIRMED
    assert examine.examine(idle).verdict is Verdict.NOT_REPRODUCED


def test_a_planted_error_must_be_found_where_every_hypothesis_holds():
    error = ("the size is tripled", {"size": 3.0})
    identity = dataclasses.replace(toy, fails_at={}, planted=error)
    assert examine.examine(identity).verdict is Verdict.CONFIRMED
    for missed in ({"size": 1.0}, {"size": 3.0, "broken": True}):
        idle = dataclasses.replace(identity, planted=("nothing", missed))
        assert examine.examine(idle).verdict is Verdict.NOT_REPRODUCED
    with pytest.raises(ValueError, match="either fails_at or planted"):
        dataclasses.replace(toy, planted=error)


def test_a_statement_that_fails_where_it_must_hold_is_not_confirmed():
    wrong = dataclasses.replace(toy, holds_at=toy.fails_at)
    assert examine.examine(wrong).verdict is Verdict.NOT_REPRODUCED


@pytest.fixture
def no_proofs_yet(monkeypatch):
    """What a test declares is forgotten after it."""
    monkeypatch.setattr(proofs, "_ERRATA", {})
    monkeypatch.setattr(proofs, "_CHECKED", {})


@pytest.mark.usefixtures("no_proofs_yet")
def test_an_erratum_that_sympy_does_not_bear_out_is_not_confirmed():
    declare = proofs.erratum(
        toy.id,
        rank=Rank.STATEMENT,
        where="nowhere",
        printed="1 = 2",
        right="1 = 1",
        survival=Survival.ONCE_CORRECTED,
        survives="It does.",
        numbers=dict,
    )
    corrected = dataclasses.replace(toy, ground=Ground.CORRECTED)
    declare(lambda: True)
    assert examine.examine(corrected).verdict is Verdict.CORRECTED
    declare(lambda: False)
    assert examine.examine(corrected).verdict is Verdict.NOT_REPRODUCED


@pytest.mark.usefixtures("no_proofs_yet")
def test_an_erratum_says_whether_its_statement_survives_and_does_not_contradict_its_rank():
    said: dict[str, Any] = {"where": "nowhere", "printed": "1 = 2", "right": "1 = 1", "survives": "It does."}
    with pytest.raises(TypeError, match="survival"):
        proofs.misprint(toy.id, **said)
    with pytest.raises(TypeError, match="survival"):
        proofs.erratum(toy.id, rank=Rank.PROOF, numbers=dict, **said)
    with pytest.raises(ValueError, match="must be one of"):
        proofs.erratum(toy.id, rank=Rank.STATEMENT, numbers=dict, survival=Survival.AS_PRINTED, **said)
    with pytest.raises(ValueError, match="must be one of"):
        proofs.misprint(toy.id, survival=Survival.NOT_AT_ALL, **said)


def test_no_statement_is_confirmed_as_printed_that_falls_or_survives_only_once_it_is_corrected_itself():
    for id, known in registry.statements().items():
        worst = {erratum.survival for erratum in known.errata if erratum.rank is Rank.STATEMENT}
        if worst:
            not_as_printed = (
                Verdict.CORRECTED,
                Verdict.ONLY_WHERE,
                Verdict.ELSEWHERE,
                Verdict.NOT_REPRODUCED,
            )
            assert STORED[id]["verdict"] in not_as_printed, id
        if Survival.NOT_AT_ALL in worst:
            assert STORED[id]["verdict"] != Verdict.CORRECTED, id


def test_proofs_are_in_the_same_order_whichever_module_is_imported_first():
    code = (
        "import book.recall.general.proofs.lemma_11\n"
        "from book.ledger import registry\n"
        "print(*(erratum.where for erratum in registry.statements()['recall.equations-19-31'].errata), sep='\\n')"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == [
        erratum["where"] for erratum in STORED["recall.equations-19-31"]["errata"]
    ]


FOUND = """
import importlib, sys
for package in sys.argv[1:]:
    for name in [name for name in sys.modules if name.startswith(package)]:
        del sys.modules[name]  # another package may have imported it
    importlib.import_module(package)
    print(package, *(name for name in sys.modules if name.startswith(f"{package}.")))
"""


def test_no_module_of_proofs_is_left_out():
    folders = sorted((ROOT / "book").glob("*/*/proofs"))
    packages = [".".join(folder.relative_to(ROOT).parts) for folder in folders]
    command = [sys.executable, "-c", FOUND, *packages]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    imported = {words[0]: set(words[1:]) for words in map(str.split, printed.splitlines())}
    assert len(folders) > 1
    for folder, package in zip(folders, packages, strict=True):
        modules = {f"{package}.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__"}
        assert modules <= imported[package]


@pytest.mark.usefixtures("no_proofs_yet")
def test_a_formula_checked_as_right_that_does_not_pass_is_not_confirmed():
    proofs.checked(toy.id, "nowhere", "1 = 2", "sympy")(lambda: False)
    assert examine.examine(toy).verdict is Verdict.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({"ground": Ground.SHARPENED}, Verdict.ONLY_WHERE),
        ({"ground": Ground.RECONSTRUCTED}, Verdict.RECONSTRUCTED),
        ({"vacuous": True}, Verdict.VACUOUS),
    ],
)
def test_a_verdict_says_on_what_ground_it_stands(change, verdict):
    assert examine.examine(dataclasses.replace(toy, **change)).verdict is verdict


def test_a_run_says_which_of_five_things_it_comes_to():
    existence = dataclasses.replace(toy, exists={"size": (0.5, 1.5)})
    unsettled = dataclasses.replace(toy, settled={"whole": ("the run is whole", lambda r, p: r.whole)})
    assert toy(size=1.0).key == "holds"
    assert toy(size=3.0).key == "contradicted"
    assert toy(size=3.0, broken=True).key == "outside"
    assert toy(size=1.0, broken=True).key == "beyond"
    assert unsettled(size=1.0, broken=True).key == "undecided"
    assert unsettled(size=1.0, broken=True).sentence.startswith("The theorem makes no promise here: “")
    assert unsettled(size=1.0, broken=True).sentence.endswith("“the run is whole” has not been reached.")
    expected = NOT_THIS_ONE.replace("{bound}", "“size” is not as predicted").replace("{kind}", "theorem")
    assert existence(size=3.0).sentence == expected


HOLE = re.compile(r"(?<![\w\\}^_])\{[^{}]*\w \w[^{}]*\}")
"""Words in braces that belong to no command of LaTeX."""


def test_no_finding_is_left_with_a_hole():
    assert {id: entry["finding"] for id, entry in STORED.items() if HOLE.search(entry["finding"])} == {}
    assert HOLE.search("a loss of {Lemma 6: loss at the end:.3f}")


def test_a_name_with_a_colon_is_quoted_like_any_other():
    said = fill(
        "{Lemma 6: loss at the end:.1f} at most {Lemma 6: loss}", {"Lemma 6: loss at the end": 0.57}, str
    )
    assert said == "0.6 at most {Lemma 6: loss}"


def test_a_finding_quotes_the_evidence_by_name(monkeypatch):
    finding = "The size is {size:.2f}, and {size where it fails} where it fails; $\\tfrac{1}{2}$ stays."
    box = Box("Theorem 1", "a toy", "The size is at most 2 {by}`size`.", finding)
    monkeypatch.setattr(Statement, "box", box)
    outcome = examine.examine(toy)
    said = store.finding(
        toy,
        {
            "holds at": store.evidence_of(toy.holds_at, outcome.evidence),
            "fails at": store.evidence_of(toy.fails_at, outcome.broken),
        },
    )
    assert said == "The size is 1.00, and 3 where it fails; $\\tfrac{1}{2}$ stays."


def test_a_statement_is_measured_on_one_thing():
    with pytest.raises(ValueError, match="either runs or measures"):
        Statement(id="toy.nothing", says=toy.says, holds_at={}, fails_at={})


def test_the_module_runs_as_a_command_and_examines_statements_without_widgets():
    code = (
        "import runpy, sys; sys.argv = ['book', 'statements', 'recall.table-2']\n"
        "try: runpy.run_module('book', run_name='__main__')\n"
        "finally: print({'ipywidgets', 'anywidget', 'IPython', 'widgets'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("recall.table-2")
    assert done.stdout.splitlines()[-1] == "set()"


def test_the_command_prints_json(capsys):
    assert main(["statements", "--json", "recall.lemma-6"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    about = "id paper kind number numbers title page statement source ground uses"
    wanted = f"{about} clauses loose planted finding verdict errata checked seconds"
    assert set(entry) == {*wanted.split(), "holds at", "fails at", "in words", "made from"}
    assert entry["verdict"] == "confirmed"
    assert (entry["kind"], entry["number"]) == ("lemma", "6")
    assert {"name", "measured", "low", "high", "holds"} <= set(entry["holds at"]["bounds"][0])


def test_the_command_examines_at_a_configuration(capsys):
    assert main(["at", "recall.lemma-6", "temperature=0.087", "seed=3"]) == 0
    assert "Does not apply here: the temperature is too high; " in capsys.readouterr().out


def test_the_command_fails_when_a_verdict_is_not_the_recorded_one(monkeypatch, capsys):
    statement = registry.statements()["recall.table-2"]
    monkeypatch.setitem(registry.statements(), statement.id, dataclasses.replace(statement, stands=False))
    assert main(["statements", statement.id]) == 1
    assert "recorded: does not stand" in capsys.readouterr().out
