"""Translations on disk: done once for a figure of the book, anew for everything else."""

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pytest
import torch

from lib.domain import Domain
from lib.program import Program
from widgets.dependencies import ROOT
from widgets.figure.live import Compiled, translate
from widgets.translate import cache

VALUES = {"x": 2.0}


class Record(NamedTuple):
    x: torch.Tensor


def program(power: float = 2.0) -> Program:
    def report(ends: Any, p: Any) -> dict[str, torch.Tensor]:
        return {"y": p.x**power, "z": p.x * torch.tensor([1.0, float("nan"), power], dtype=torch.float64)}

    return Program(Record, (Domain("x"),), lambda p: (), (), lambda s, p: None, report)


def made(what: Program, count: list[int]) -> Compiled:
    def counted(program: Program, values: dict[str, float]) -> Compiled:
        count.append(1)
        return translate(program, values)

    result: Compiled = cache.translation(Compiled, counted, counted, what, VALUES, "figure")
    return result


def in_the_book(name: str = "book.paper") -> Callable[..., Compiled]:
    """``made``, as if a module of the book called it."""
    rooms: dict[str, Any] = {"__name__": name, "__file__": str(ROOT / "book" / "paper.py"), "made": made}
    exec("def demo(*arguments): return made(*arguments)", rooms)
    found: Callable[..., Compiled] = rooms["demo"]
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(cache, "FOLDER", tmp_path)


def test_a_figure_of_the_book_is_translated_once_and_read_back_the_same():
    count: list[int] = []
    demo = in_the_book()
    first, second = demo(program(), count), demo(program(), count)
    assert len(count) == 1
    assert first._replace(constants=second.constants) == second
    assert torch.equal(first.constants.nan_to_num(-1), second.constants.nan_to_num(-1))


def test_another_maker_another_source_or_no_book_is_translated_anew(monkeypatch):
    count: list[int] = []
    in_the_book()(program(), count)
    in_the_book("book.others")(program(), count)
    monkeypatch.setattr(cache, "digest", lambda files: "changed")
    in_the_book()(program(), count)
    made(program(), count)
    made(program(), count)
    assert len(count) == 5


def test_what_differs_only_in_what_it_closes_over_is_another_figure():
    count: list[int] = []
    demo = in_the_book()
    square, cube = demo(program(2.0), count), demo(program(3.0), count)
    assert len(count) == 2
    assert square.kernels != cube.kernels
    assert demo(program(3.0), count).kernels == cube.kernels
    assert len(count) == 2


def test_defaults_partials_tensors_and_methods_tell_figures_apart():
    def power(p: Any, exponent: float = 2.0) -> Any:
        return p.x**exponent

    tables = [torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])]
    reports: list[Callable[..., Any]] = [
        power,
        partial(power, exponent=2.0),
        partial(power, exponent=3.0),
        *(lambda p, table=table: p.x * table for table in tables),
        *(Scaled(factor).report for factor in (1.0, 2.0)),
    ]
    told = [tuple(cache.described(program()._replace(report=report))) for report in reports]
    assert len(set(told)) == len(told)
    again = [tuple(cache.described(program()._replace(report=report))) for report in reports]
    assert told == again


class Scaled:
    """An object whose method is a report."""

    def __init__(self, factor: float):
        self.factor = factor

    def report(self, p: Any) -> Any:
        return p.x * self.factor


def test_what_nobody_asks_for_is_forgotten(tmp_path):
    count: list[int] = []
    demo = in_the_book()
    demo(program(), count)
    (path,) = tmp_path.iterdir()
    cache.forget()
    assert path.exists()
    os.utime(path, (0, time.time() - 40 * 24 * 3600))
    cache.forget()
    assert not path.exists()
