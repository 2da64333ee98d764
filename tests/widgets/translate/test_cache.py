"""Translations on disk: done once for a figure of the book, anew for everything else."""

import os
import time
from typing import Any, NamedTuple

import pytest
import torch

from lib.domain import Domain
from lib.program import Program
from widgets.dependencies import ROOT
from widgets.figure import compiled
from widgets.figure.compiled import Compiled, _kernel, translate
from widgets.translate import cache, trace

VALUES = {"x": 2.0}


class Record(NamedTuple):
    x: torch.Tensor


def program(power: float = 2.0) -> Program:
    def report(ends: Any, p: Any) -> dict[str, torch.Tensor]:
        return {"y": p.x**power, "z": p.x * torch.tensor([1.0, float("nan"), power], dtype=torch.float64)}

    return Program(Record, (Domain("x"),), lambda p: (), (), lambda s, p: None, report)


def translated(what: Program, count: list[int], *identity: Any, file: str = "paper.py") -> Compiled:
    def counted() -> Compiled:
        count.append(1)
        return translate(what, VALUES)

    result: Compiled = cache.translation(Compiled, counted, ROOT / "book" / file, *identity)
    return result


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(cache, "FOLDER", tmp_path)


def test_a_figure_is_translated_once_and_read_back_the_same():
    count: list[int] = []
    first, second = translated(program(), count, "a"), translated(program(), count, "a")
    assert len(count) == 1
    assert first._replace(constants=second.constants) == second
    assert torch.equal(first.constants.nan_to_num(-1), second.constants.nan_to_num(-1))


def test_another_figure_another_file_or_another_source_is_translated_anew(monkeypatch):
    count: list[int] = []
    translated(program(), count, "a")
    translated(program(), count, "b")
    translated(program(), count, "a", file="sweep.py")
    monkeypatch.setattr(cache, "code_digest", lambda files: "changed")
    translated(program(), count, "a")
    assert len(count) == 4


def traced_kernel(function: Any) -> Any:
    """A kernel as a registered figure has it."""
    return _kernel(function, [torch.tensor(2.0, dtype=torch.float64)], "report", 0)


def test_code_that_comes_to_the_same_graph_is_written_once(monkeypatch):
    monkeypatch.setattr(compiled, "is_registered", lambda: True)
    written: list[str] = []
    write = trace.written

    def counted(module: Any, name: str, state: int) -> Any:
        written.append(name)
        return write(module, name, state)

    monkeypatch.setattr(trace, "written", counted)
    power = 2
    first = traced_kernel(lambda x: [x * x])
    same = traced_kernel(lambda number: [number.clone() * number if power == 3 else number * number])
    assert first.source == same.source
    assert len(written) == 1
    other = traced_kernel(lambda x: [x * x + 1])
    baked = [
        traced_kernel(lambda x, by=by: [x * torch.tensor([by, 1.0], dtype=torch.float64)])
        for by in (2.0, 3.0)
    ]
    assert len(written) == 4
    assert other.source != first.source
    assert not torch.equal(baked[0].constants, baked[1].constants)


def test_what_nobody_asks_for_is_forgotten(tmp_path):
    count: list[int] = []
    translated(program(), count, "a")
    (path,) = tmp_path.iterdir()
    cache.forget()
    assert path.exists()
    os.utime(path, (0, time.time() - 40 * 24 * 3600))
    cache.forget()
    assert not path.exists()
