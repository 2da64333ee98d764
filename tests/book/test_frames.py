"""Runs as tables: what ``each`` makes of programs, functions and statements, and how ``show`` prints it."""

from typing import NamedTuple

import pandas as pd
import pytest
import torch

from book.frames import each, show
from book.ledger.bounds import Bounds, at_most, recorded
from book.ledger.statement import statement
from lib.program import run
from tests.widgets.showcase import descent


def square(side=1.0, whole=True):
    return {"area": torch.tensor(side**2), "corners": 4, "edge": torch.ones(3), "whole": whole}


@statement(
    "toy.square",
    measures=square,
    assumes={"whole": ("it is whole", lambda r, p: r.whole)},
    holds_at={},
    fails_at={"side": 2.0},
)
def small(r):
    """The area is at most 2."""
    return Bounds(at_most(2.0, r.area, "area"), recorded(r.corners, "corners"))


def rows(frame: pd.DataFrame) -> list[dict]:
    return frame.to_dict("records")


def test_a_program_is_run_at_every_combination_and_elsewhere_at_its_defaults():
    frame = each(descent, rate=[0.5, 0.2], start=[1.0, 0.5])
    assert list(frame.columns[:2]) == ["rate", "start"]
    assert frame[["rate", "start"]].values.tolist() == [[0.5, 1.0], [0.5, 0.5], [0.2, 1.0], [0.2, 0.5]]
    alone = run(descent(), rate=0.2, start=0.5).report
    assert frame.end[3] == pytest.approx(float(alone.end), rel=1e-12)
    assert frame.taken[3] == float(alone.taken)


def test_only_single_numbers_of_a_report_are_columns():
    assert list(each(square, side=[1.0, 2.0]).columns) == ["side", "area", "corners", "whole"]


def test_a_setting_with_one_value_is_no_column():
    assert rows(each(square, side=2.0, whole=False)) == [{"area": 4.0, "corners": 4.0, "whole": 0.0}]
    assert "side" not in each(square, side=[2.0])


def test_a_number_and_a_record_will_do():
    class Area(NamedTuple):
        area: float
        edge: torch.Tensor

    assert rows(each(lambda side: side**2, side=[2, 3])) == [
        {"side": 2, "value": 4.0},
        {"side": 3, "value": 9.0},
    ]
    assert rows(each(lambda side: Area(side**2, torch.ones(2)), side=range(1, 2))) == [{"area": 1.0}]


def test_a_word_is_one_value():
    assert rows(each(lambda word: len(word), word="affine")) == [{"value": 6.0}]
    assert list(each(lambda word: len(word), word=["affine", "all"]).word) == ["affine", "all"]


def test_a_statements_bounds_are_columns_and_whether_it_holds():
    assert rows(each(small, side=[1.0, 2.0])) == [
        {"side": 1.0, "area": 1.0, "corners": 4.0, "assumed": True, "concluded": True},
        {"side": 2.0, "area": 4.0, "corners": 4.0, "assumed": True, "concluded": False},
    ]


def test_a_setting_that_a_program_lacks_is_named():
    with pytest.raises(ValueError, match="'heat'"):
        each(descent, heat=[1, 2])


def text(shown) -> list[str]:
    return shown._repr_markdown_().splitlines()


def test_the_columns_named_are_shown_under_their_titles_in_that_order():
    frame = each(square, side=[1.0, 2 / 3])
    assert text(show(frame, area="$|a|^2$", side="side")) == [
        r"| $\|a\|^2$ | side |",
        "| --- | --- |",
        "| 1 | 1 |",
        "| 0.4444 | 0.6667 |",
    ]


def test_without_names_all_columns_are_shown():
    assert text(show(pd.DataFrame({"a": [1.5], "b": ["x"]})))[0] == "| a | b |"


def test_a_named_index_is_a_column_too():
    mean = each(square, side=[1.0, 2.0], whole=[True, False]).groupby("side").mean()
    assert text(show(mean, side="side", area="area"))[2:] == ["| 1 | 1 |", "| 2 | 4 |"]


def test_what_is_true_or_false_is_said_in_words():
    assert text(show(each(small, side=[1.0, 2.0]), side="side", concluded="it holds"))[2:] == [
        "| 1 | yes |",
        "| 2 | no |",
    ]
    assert text(show(pd.DataFrame({"a": [True], "b": [False]})))[2] == "| yes | no |"


def test_whole_numbers_are_printed_whole():
    frame = pd.DataFrame({"n": [10_007, 999_983], "x": [-70000.0, 12345.6], "m": [1e30, 2.0]})
    assert text(show(frame))[2:] == ["| 10007 | −70000 | 1e+30 |", "| 999983 | 1.235e+04 | 2 |"]


def test_a_negative_number_has_a_true_minus():
    assert text(show(pd.DataFrame({"a": [-0.5]})))[2] == "| −0.5 |"


def test_what_is_infinite_has_its_sign():
    assert text(show(pd.DataFrame({"a": [float("inf")], "b": [-float("inf")]})))[2] == "| ∞ | −∞ |"


def test_a_frame_shows_itself_as_text_where_there_is_no_markdown():
    assert "0.4444" in repr(show(each(square, side=[2 / 3]), area="area"))


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"columns = \['volume'\]: must be among side, area, corners, whole"):
        show(each(square, side=[1.0, 2.0]), volume="volume")
