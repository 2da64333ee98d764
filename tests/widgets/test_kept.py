"""Translations on disk: done once for a figure of the book, anew for everything else."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import torch

from lib.domain import Domain
from lib.solve import Program
from widgets import kept
from widgets.live import Compiled, translate

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

    result: Compiled = kept.translation(Compiled, counted, what, VALUES, "figure")
    return result


def in_the_book(name: str = "book.demos") -> Callable[..., Compiled]:
    """``made``, as if a module of the book called it."""
    rooms: dict[str, Any] = {"__name__": name, "made": made}
    exec("def demo(*arguments): return made(*arguments)", rooms)
    found: Callable[..., Compiled] = rooms["demo"]
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Iterator[None]:
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    clear = kept.sources.cache_clear
    yield
    clear()


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
    monkeypatch.setattr(kept, "sources", lambda: "changed")
    in_the_book()(program(), count)
    made(program(), count)
    made(program(), count)
    assert len(count) == 5


def test_the_sources_hash_follows_every_file(tmp_path, monkeypatch):
    (tmp_path / "lib").mkdir()
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    seen = set()
    for text in ("a = 1", "a = 2", "a = 1"):
        (tmp_path / "lib" / "one.py").write_text(text)
        kept.sources.cache_clear()
        seen.add(kept.sources())
    assert len(seen) == 2
