"""Sweeps: what is stored is what was found, in order, with its origin."""

import functools
import hashlib
import inspect
import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

from book import sweep as module
from book.__main__ import main
from book.acquire.experiments.__main__ import GPT_2
from book.acquire.experiments.predicted import predicted
from book.errors import BadInput
from book.experiments import Experiment, all_tables, has_larger_grid, is_stale, of_paper
from book.paper import ROOMS
from book.sweep import provenance, read, sweep

EVERY_EXPERIMENT = [(paper, name) for paper in ROOMS for name in of_paper(paper)]
GRID = [{"base": base, "kind": kind} for base in (3, 1, 2) for kind in ("a", "b")]


def powers(base: int, kind: str) -> list[dict[str, float | str]]:
    """Two rows for each configuration; the second replaces what was asked by what was used."""
    return [{"power": 2, "value": base**2 / 3}, {"power": 3, "value": base**3 / 3, "kind": kind.upper()}]


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


def counting(calls, luck=True):
    """``powers``, with the luck to get past 2 or without it, and a list of what it was called for."""

    def function(base: int, kind: str) -> list[dict[str, float | str]]:
        calls.append((base, kind))
        if base == 2 and not luck:
            raise RuntimeError("no luck at 2")
        return powers(base, kind)

    return function


def test_rows_are_written_as_they_come_and_a_sweep_goes_on_where_it_was_stopped(
    tmp_path,
):
    calls: list[tuple[int, str]] = []
    partial = tmp_path / "t.partial.jsonl"
    with pytest.raises(RuntimeError, match="no luck at 2"):
        sweep(counting(calls, luck=False), GRID, "t", folder=tmp_path)
    _, *done = [json.loads(line) for line in partial.read_text().splitlines()]
    assert [row["base"] for one in done for row in one["rows"]] == [3] * 4 + [1] * 4
    with pytest.raises(ValueError, match=r"name = 't': there is no t.csv in"):
        read("t", tmp_path)
    with partial.open("a") as file:
        file.write('{"place": 4, "ro')  # killed while it wrote
    calls.clear()
    table = sweep(counting(calls), GRID, "t", folder=tmp_path)
    assert calls == [(2, "a"), (2, "b")]
    whole = sweep(powers, GRID, "whole", folder=tmp_path).rows
    assert table.rows.drop(columns="seconds").equals(whole.drop(columns="seconds"))
    assert not partial.exists()


def test_a_sweep_that_is_killed_while_it_takes_up_its_rows_loses_none(tmp_path, monkeypatch):
    calls: list[tuple[int, str]] = []
    with pytest.raises(RuntimeError, match="no luck at 2"):
        sweep(counting(calls, luck=False), GRID, "t", folder=tmp_path)

    def killed(*_):
        raise KeyboardInterrupt

    original = Path.replace
    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        sweep(counting(calls), GRID, "t", folder=tmp_path)
    monkeypatch.setattr(Path, "replace", original)
    calls.clear()
    sweep(counting(calls), GRID, "t", folder=tmp_path)
    assert calls == [(2, "a"), (2, "b")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.json"]


def greedy(base: int, kind: str) -> list[dict[str, float | str]]:
    """``powers``, but for 2 with more memory than any machine has."""
    if base == 2:
        torch.empty(2**50)
    return powers(base, kind)


def test_out_of_memory_is_one_clear_sentence_and_nothing_is_half_written(tmp_path):
    with pytest.raises(
        MemoryError,
        match=r"^out of memory at \{'base': 2, .*\}; what is done is kept: ask for a smaller size",
    ):
        sweep(greedy, GRID, "t", folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["t.partial.jsonl"]


@pytest.mark.parametrize("change", ["code", "grid"])
def test_a_sweep_begins_anew_if_something_else_is_asked(tmp_path, monkeypatch, change):
    calls: list[tuple[int, str]] = []
    with pytest.raises(RuntimeError, match="no luck at 2"):
        sweep(counting(calls, luck=False), GRID, "t", folder=tmp_path)
    if change == "code":
        monkeypatch.setattr(module, "made_from", lambda function: "changed")
    calls.clear()
    grid = GRID if change == "code" else GRID[::-1]
    sweep(counting(calls), grid, "t", folder=tmp_path)
    assert len(calls) == len(grid)


def test_a_table_is_stale_once_its_code_has_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "DATA", tmp_path)
    experiment = Experiment(powers, lambda quick, large: GRID, {})
    assert is_stale("t", experiment)
    sweep(powers, GRID, "t", folder=tmp_path)
    assert not is_stale("t", experiment)
    monkeypatch.setattr(module, "made_from", lambda function: "changed")
    assert is_stale("t", experiment)


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


@pytest.fixture(scope="module")
def author():
    """A function that runs an author's own script in a folder, which sweeps a function of its own, outside the book."""

    def run(folder, more="", guard=""):
        script = folder / "own.py"
        script.write_text(
            "from pathlib import Path\nfrom book.sweep import sweep\n"
            'def squares(x):\n    return [{"y": x * x}]\n'
            f'{guard}sweep(squares, [{{"x": 1}}, {{"x": 2}}], "own", folder=Path(__file__).parent{more})\n'
        )
        root = str(Path(module.__file__).parents[1])
        return subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, "PYTHONPATH": root},
            cwd=folder,
            capture_output=True,
            text=True,
        )

    return run


@pytest.fixture(scope="module")
def swept(author, tmp_path_factory):
    """The folder of such a script that has run once."""
    folder = tmp_path_factory.mktemp("author")
    assert author(folder).returncode == 0
    return folder


def test_an_authors_own_function_is_swept_and_its_file_is_named(swept):
    rows, story = read("own", swept)
    assert rows.y.tolist() == [1, 4]
    assert story["sources"]["own.py"] is None
    assert story["sources"]["book/sweep.py"]
    assert str(swept) not in str(story)


def test_a_changed_script_makes_its_table_anew(author, swept):
    before = read("own", swept).provenance["made from"]
    assert author(swept).returncode == 0
    assert read("own", swept).provenance["made from"] == before
    assert author(swept, more=" ").returncode == 0
    assert read("own", swept).provenance["made from"] != before


def test_several_workers_in_a_script_without_a_guard_are_refused_by_a_sentence(author, tmp_path):
    pytest.importorskip("distributed")
    done = author(tmp_path, more=", workers=2")
    assert done.returncode == 1
    assert (
        'workers = 2: a script that asks for several workers must do so below `if __name__ == "__main__":`'
        in done.stderr.splitlines()[-1]
    )


def test_a_function_without_source_is_refused_by_a_sentence(tmp_path):
    function = eval("lambda x: [{'y': x}]")
    with pytest.raises(BadInput, match="must be a function whose source can be read"):
        sweep(function, [{"x": 1}], "t", folder=tmp_path)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x:1"])
def test_a_scheduler_that_does_not_answer_is_named(tmp_path, monkeypatch, address):
    pytest.importorskip("distributed")
    monkeypatch.setattr(module, "ANSWERS_WITHIN", 0.5)
    with pytest.raises(BadInput, match=f"^workers = {address}: no Dask scheduler answers there within"):
        sweep(powers, GRID, "t", workers=address, folder=tmp_path)


def test_provenance_names_no_folder_of_this_machine():
    assert str(Path(module.__file__).parents[1]) not in str(provenance())


@pytest.fixture(scope="module")
def cluster():
    """``distributed.LocalCluster``, but that a cluster which was asked for before is there still."""
    distributed = pytest.importorskip("distributed")
    original = distributed.LocalCluster
    with ExitStack() as stack:

        @functools.cache
        def kept(**settings):
            return nullcontext(stack.enter_context(original(**settings)))

        yield kept


@pytest.fixture
def dask(cluster, monkeypatch):
    monkeypatch.setattr("distributed.LocalCluster", cluster)


@pytest.mark.usefixtures("dask")
def test_dask_gives_the_same_table(tmp_path):
    alone = sweep(powers, GRID, "one", folder=tmp_path).rows
    together = sweep(powers, GRID, "two", workers=2, folder=tmp_path).rows
    assert together.drop(columns="seconds").equals(alone.drop(columns="seconds"))


def mortal(base: int, kind: str, mark: str) -> list[dict[str, float | str]]:
    """``powers``; the first worker that comes to 2 dies of it."""
    if base == 2 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return powers(base, kind)


@pytest.mark.usefixtures("dask")
def test_a_worker_that_dies_loses_nothing(tmp_path):
    grid = [{**one, "mark": str(tmp_path / "dead")} for one in GRID]
    together = sweep(mortal, grid, "two", workers=2, folder=tmp_path).rows
    assert (tmp_path / "dead").exists()
    alone = sweep(mortal, grid, "one", folder=tmp_path).rows
    assert together.drop(columns="seconds").equals(alone.drop(columns="seconds"))


def test_without_dask_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        ModuleNotFoundError,
        match=r"^workers: more than one, .* needs distributed; .* --editable '\.\[cluster\]'$",
    ):
        sweep(powers, GRID, "t", workers=2, folder=tmp_path)


@pytest.mark.parametrize("words", EVERY_EXPERIMENT, ids=" ".join)
@pytest.mark.parametrize("size", ["--quick", "", "--large"])
def test_every_command_asks_for_what_its_function_takes(monkeypatch, words, size):
    paper, name = words
    table = f"{paper}-{name}" + size.replace("--", "-")
    experiment = all_tables()[f"{paper}-{name}"]
    if size == "--large" and not has_larger_grid(experiment):
        assert main(["experiments", paper, name, size]) == 2
        return
    requests: dict[str, Any] = {}

    def stored(*given, **more):
        requests.update(given=given, **more)
        return module.Table(pd.DataFrame([{"x": 1}]), {})

    monkeypatch.setattr(module, "sweep", stored)
    address = "tcp://there:8786"
    assert main(["experiments", paper, name, *filter(None, [size]), "--workers", address]) == 0
    function, cells, stored_as = requests["given"]
    assert stored_as == table
    assert requests["workers"] == address
    for cell in cells:
        inspect.signature(function).bind(**cell)
    assert len({str(cell) for cell in cells}) == len(cells)
    assert json.loads(json.dumps(requests["settings"])) == requests["settings"]


def test_bad_input_is_one_clear_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"^configurations = \[\]: must be at least one$"):
        sweep(powers, [], "t", folder=tmp_path)
    with pytest.raises(
        ValueError, match=r"^workers = 0: must be at least 1, or the address of a Dask scheduler$"
    ):
        sweep(powers, GRID, "t", workers=0, folder=tmp_path)


CHEAP = 8.0
"""Seconds that a configuration may have taken to be made again here."""
FLOAT_32 = (
    *(name for name, one in all_tables().items() if one in GPT_2.values() and one.function is not predicted),
    "together-gpt2",
    "together-outside-gpt2",
)
"""Rounding differs from machine to machine, and long training makes much of it."""
ROUNDING = {"rel": 1e-3, "abs": 1e-6}
CHAOTIC: dict[str, dict[str, object]] = {
    "acquire-five-tokens": {"way": "uniform, adamw"},
    "acquire-table-3": {"seed": 2},
    "recall-figure-4": {"activation": "relu"},
}
"""Configurations of float32 tables that last digits change; other quick ones are made again."""
TABLES = 9
"""The others have no configuration that is so quick."""


@functools.cache
def cheapest():
    """The fastest configuration of each table that can be made again in a test, with its rows."""
    found = {}
    for name, experiment in sorted(all_tables().items()):
        if name in FLOAT_32:
            continue
        stored = read(name).rows
        runs = (stored.seconds != stored.seconds.shift()).cumsum()  # a configuration's rows share their time
        configurations, groups = experiment.cells(False, False), [rows for _, rows in stored.groupby(runs)]
        if len(groups) != len(configurations):
            continue
        chaotic = CHAOTIC.get(name, {"": ""}).items()
        pairs = zip(configurations, groups, strict=True)
        quick = [
            pair for pair in pairs if pair[1].seconds.iloc[0] <= CHEAP and not chaotic <= pair[0].items()
        ]
        if quick:
            found[name] = min(quick, key=lambda pair: pair[1].seconds.iloc[0])
    return found


@pytest.mark.parametrize("name", cheapest())
def test_stored_rows_come_out_again(name):
    configuration, rows = cheapest()[name]
    rows_now = [{**configuration, **row} for row in all_tables()[name].function(**configuration)]
    assert_alike(pd.DataFrame(rows_now), rows.drop(columns="seconds"), ROUNDING)


def test_most_tables_have_a_configuration_that_is_quick_enough_to_be_made_again():
    assert len(cheapest()) >= TABLES


def assert_alike(rows_now, stored, tolerance):
    assert len(rows_now) == len(stored)
    for column in rows_now:
        for new, old in zip(rows_now[column], stored[column], strict=True):
            if isinstance(new, (int, float)) and not isinstance(new, bool):
                assert float(old) == pytest.approx(float(new), **tolerance, nan_ok=True), column
            else:
                assert str(old) == str(new), column
