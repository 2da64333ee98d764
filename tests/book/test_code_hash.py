"""What a stored result rests on is found: all that runs for it, and nothing beside it."""

import sys
from pathlib import Path

import pytest

from book import code_hash
from book.code_hash import LEFT_OUT, definitions, hash_of, proofs_of
from book.ledger import store
from book.ledger.registry import statements

SIZES = """
import torch
from lib.sums import three, total, unused

LIMIT = 3
TABLE = {}
TABLE["row"] = LIMIT
torch.set_printoptions(precision=4)

def size(values):
    '''What is large.'''
    return above(LIMIT, three(total(values, words="all of them")), "the total")  # more than three

def other():
    return TABLE
"""
SUMS = """
from lib import unit as u
from lib.unit import three

def total(values):
    return sum(map(u.one, values))

def unused():
    return 0
"""
PROOFS = """
from lib.sums import total
from lib.unit import two

@checked("toy.sum", "equation 1", "1 + 1 = 2")
def sum_by_adding():
    return total([1, 1]) == 2

@erratum("toy.unit", printed="1 = 2")
def unit_by_counting():
    return two(1) == 1

misprint("toy.unit", printed="2 = 3")
"""
UNIT = "def one(x):\n    return abs(x)\n\ndef two(x):\n    return x\n\ndef three(x):\n    return 3 * x\n"


@pytest.fixture
def house(tmp_path, monkeypatch):
    """Files of a library; a function that edits one and gives the hash of ``size``, or of a statement's proofs."""
    monkeypatch.setattr(code_hash, "ROOT", tmp_path)
    monkeypatch.setattr("widgets.dependencies.ROOT", tmp_path)
    monkeypatch.setattr("widgets.dependencies.TABLES", tmp_path)
    (tmp_path / "lib").mkdir()
    texts = {"sizes": SIZES, "sums": SUMS, "unit": UNIT, "proofs": PROOFS}

    def hash_after(name="sizes", old="", new="", of="size"):
        for each, text in texts.items():
            (tmp_path / "lib" / f"{each}.py").write_text(text.replace(old, new) if each == name else text)
        assert not old or old in texts[name]
        forget()
        proofs = proofs_of(of, tmp_path / "lib")
        return hash_of(*(proofs or [(tmp_path / "lib" / "sizes.py", of)]))

    yield hash_after
    forget()


def forget():
    for name in ("_parsed", "_names_of", "_named_by", "_source", "_statements"):
        getattr(code_hash, name).cache_clear()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sizes", "LIMIT = 3", "LIMIT = 4"),
        ("sizes", "precision=4", "precision=5"),
        ("sums", "sum(", "max("),
        ("unit", "abs(x)", "x"),
        ("unit", "3 * x", "4 * x"),
    ],
)
def test_a_change_at_any_remove_is_seen(house, name, old, new):
    assert house(name, old, new) != house()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sizes", "What is large.", "Whether it is large."),
        ("sizes", "  # more than three", ""),
        ("sizes", "all of them", "each"),
        ("sizes", 'words="all of them"', 'words="all of them", no_farther={"values": TABLE}'),
        ("sizes", '"the total"', 'f"the total, over {LIMIT}"'),
        ("sizes", "return TABLE", "return None"),
        ("sums", "return 0", "return 1"),
        ("unit", "    return x\n", "    return 2 * x\n"),
    ],
)
def test_a_change_beside_it_is_not(house, name, old, new):
    assert house(name, old, new) == house()


def test_a_table_that_is_filled_at_the_top_counts_with_what_fills_it(house):
    assert house("sizes", "LIMIT = 3", "LIMIT = 4", of="other") != house(of="other")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("proofs", "1 + 1 = 2", "2 + 2 = 4"), ("proofs", "== 2", "< 3"), ("sums", "sum(", "max(")],
)
def test_a_change_of_a_proof_or_of_its_formula_is_seen_by_its_statement_alone(house, name, old, new):
    assert house(name, old, new, of="toy.sum") != house(of="toy.sum")
    assert house(name, old, new, of="toy.unit") == house(of="toy.unit")


@pytest.mark.parametrize("old", ["1 = 2", "2 = 3"])
def test_errata_and_misprints_are_proofs(house, old):
    old = f'printed="{old}"'
    assert house("proofs", old, 'printed="0 = 1"', of="toy.unit") != house(of="toy.unit")
    assert house("proofs", old, 'printed="0 = 1"', of="toy.sum") == house(of="toy.sum")


def test_an_unknown_name_is_refused(house):
    with pytest.raises(ValueError, match=r"name = 'volume': must be defined in lib/sizes.py"):
        house(of="volume")


def test_a_string_that_is_an_id_names_the_statement():
    file = code_hash.ROOT / "book" / "recognise" / "experiments" / "hidden_constants.py"
    found = {each.file.name for each in definitions((file, "constants"))}
    assert {"statements.py", "real_flow.py"} <= found


QUICK = 0.3
"""Seconds up to which a statement's run is followed here, since following it takes several times as long."""


def test_all_code_that_runs_for_a_statement_is_found():
    table = store.read()
    followed = [
        each for each in statements().values() if not each.untested and table[each.id]["seconds"] < QUICK
    ]
    assert len(followed) > 20
    for statement in followed:
        spans: dict[Path, list[range]] = {}
        for each in definitions(store.place_of(statement), *store.RUN):
            spans.setdefault(each.file, []).append(lines_of(each.node))
        for file, line, name in code_run_by(statement):
            assert any(line in span for span in spans.get(file, [])), f"{statement.id} runs {name} of {file}"


def lines_of(node):
    first = min([node, *getattr(node, "decorator_list", [])], key=lambda each: each.lineno)
    return range(first.lineno, (node.end_lineno or 0) + 1)


@pytest.mark.parametrize(
    "statement",
    [each for each in statements().values() if each.errata or each.checked],
    ids=lambda each: each.id,
)
def test_every_proof_of_a_statement_is_found(statement):
    places = proofs_of(statement.id, code_hash.ROOT / statement.page)
    found = [(str(each.file), lines_of(each.node)) for each in definitions(*places)]
    proofs = [
        *(erratum.symbolic for erratum in statement.errata),
        *(each.passes for each in statement.checked),
    ]
    numbers = [each.numeric for each in statement.errata if each.numeric is not dict]
    for function in filter(None, [*proofs, *numbers]):
        code = getattr(function, "func", function).__code__  # that of a partial, too
        assert any(code.co_filename == file and code.co_firstlineno in lines for file, lines in found)


def code_run_by(statement):
    """The file, the first line and the name of each function of the library or the book that a run calls."""
    called = set()

    def note(frame, event, argument):
        if event == "call":
            called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        statement(**statement.holds_at)
    finally:
        sys.setprofile(None)
    rooms = [code_hash.ROOT / folder for folder in code_hash.FOLDERS]
    return {
        (Path(file), line, name)
        for file, line, name in called
        if any(map(Path(file).is_relative_to, rooms)) and not any(map(Path(file).is_relative_to, LEFT_OUT))
    }
