"""Sweeps: what is stored is what was found, in order, with its origin."""

import builtins
import hashlib
import importlib
import inspect
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from book import sweep as module
from book.sweep import command, provenance, read, sweep

EVERY_EXPERIMENT = [
    (paper, name)
    for paper in ("recognise", "acquire", "recall")
    for name in importlib.import_module(f"book.{paper}.experiments.__main__").EXPERIMENTS
]
GRID = [{"base": base, "kind": kind} for base in (3, 1, 2) for kind in ("a", "b")]


def powers(base: int, kind: str) -> list[dict[str, float | str]]:
    """Two rows for each configuration; the second replaces what was asked by what was used."""
    return [{"power": 2, "value": base**2 / 3}, {"power": 3, "value": base**3 / 3, "kind": kind.upper()}]


def fails_at_two(base: int, kind: str) -> list[dict[str, float | str]]:
    if base == 2:
        raise RuntimeError("no luck at 2")
    return powers(base, kind)


def test_a_table_has_every_row_in_the_order_asked(tmp_path):
    rows, story = sweep(powers, GRID, "t", settings={"rate": 0.1}, folder=tmp_path)
    assert list(rows.columns) == ["base", "kind", "power", "value", "seconds"]
    assert rows.base.tolist() == [3, 3, 3, 3, 1, 1, 1, 1, 2, 2, 2, 2]
    assert rows.kind.tolist() == ["a", "A", "b", "B"] * 3
    assert rows.value.tolist() == pytest.approx(
        [9 / 3, 27 / 3] * 2 + [1 / 3] * 4 + [4 / 3, 8 / 3] * 2, rel=1e-5
    )
    assert (story["configurations"], story["rows"], story["settings"]) == (6, 12, {"rate": 0.1})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.json"]


def test_a_stored_table_reads_back_the_same(tmp_path):
    stored = sweep(powers, GRID, "t", folder=tmp_path)
    again = read("t", tmp_path)
    assert again.rows.equals(stored.rows)
    assert again.provenance == stored.provenance


def test_rows_are_written_as_they_come(tmp_path):
    with pytest.raises(RuntimeError, match="no luck at 2"):
        sweep(fails_at_two, GRID, "t", folder=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "t.partial.jsonl").read_text().splitlines()]
    assert [row["base"] for row in rows] == [3] * 4 + [1] * 4  # all before the first with base 2
    with pytest.raises(ValueError, match=r"name = 't': there is no t.csv in"):
        read("t", tmp_path)


def test_provenance_names_the_commit_and_the_very_sources():
    story = provenance()
    root = Path(module.__file__).parents[1]
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=False
    )
    assert story["commit"] == (commit.stdout.strip() or None)
    content = (root / "book" / "sweep.py").read_bytes()
    blob = hashlib.sha1(b"blob " + str(len(content)).encode() + b"\0" + content).hexdigest()
    assert story["sources"]["book/sweep.py"] == blob
    assert set(story) >= {"command", "date", "dirty", "python", "torch", "device", "threads"}


def test_provenance_names_no_folder_of_this_machine():
    assert str(Path(module.__file__).parents[1]) not in str(provenance())


def test_dask_gives_the_same_table(tmp_path):
    pytest.importorskip("distributed")
    alone = sweep(powers, GRID, "one", folder=tmp_path).rows
    together = sweep(powers, GRID, "two", workers=2, folder=tmp_path).rows
    assert together.drop(columns="seconds").equals(alone.drop(columns="seconds"))


def test_without_dask_the_error_says_what_to_install(tmp_path, monkeypatch):
    original = builtins.__import__

    def without(name, *rest, **named):
        if name == "distributed":
            raise ModuleNotFoundError(name)
        return original(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match=r"needs Dask; install it with pip install '\.\[cluster\]'"):
        sweep(powers, GRID, "t", workers=2, folder=tmp_path)


@pytest.mark.parametrize("words", EVERY_EXPERIMENT, ids=" ".join)
@pytest.mark.parametrize("size", ["--quick", "", "--large"])
def test_every_command_asks_for_what_its_function_takes(monkeypatch, words, size):
    paper, name = words
    experiments = importlib.import_module(f"book.{paper}.experiments.__main__").EXPERIMENTS
    if size == "--large" and paper != "recall":
        with pytest.raises(SystemExit):
            command(paper, experiments, [name, size])
        return
    asked: dict[str, Any] = {}
    monkeypatch.setattr(module, "sweep", lambda *given, **more: asked.update(given=given, **more))
    command(paper, experiments, [name, *filter(None, [size]), "--workers", "tcp://there:8786"], large=True)
    function, cells, table = asked["given"]
    assert table == f"{paper}-{name}" + size.replace("--", "-")
    assert asked["workers"] == "tcp://there:8786"
    for cell in cells:
        inspect.signature(function).bind(**cell)
    assert len({str(cell) for cell in cells}) == len(cells)
    assert json.loads(json.dumps(asked["settings"])) == asked["settings"]


def test_bad_input_is_one_clear_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"^configurations = \[\]: must be at least one$"):
        sweep(powers, [], "t", folder=tmp_path)
    with pytest.raises(
        ValueError, match=r"^workers = 0: must be at least 1, or the address of a Dask scheduler$"
    ):
        sweep(powers, GRID, "t", workers=0, folder=tmp_path)
