"""Facts with names: what the page says in words is so."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from book.acquire.names import tables
from book.acquire.names.plot import APART, side_by_side
from book.acquire.tables import stored


def test_what_the_page_says_of_films_is_so():
    films = stored("acquire-director")
    assert (films.told == 1).all()
    by = films.groupby(["multiplicity", "tuned", "when"])[["exact", "f1"]].mean()
    assert (by.f1 >= by.exact).all()
    chosen = by.exact.xs("chosen", level="when")
    assert 0.4 < chosen.max() < 0.6  # half at best
    at = by.exact.loc[8, 96]
    assert at["best"] >= at["last"] > at["chosen"]


def test_what_the_page_says_of_capitals_is_so():
    once, often = (tables.table_2(k) for k in (1, 4))
    gains = [getattr(often, way) - getattr(once, way) for way in ("frequent", "rare")]
    assert min(gains) > 5 * abs(often.more)


def test_a_film_is_followed_from_a_wrong_answer_to_the_right_one():
    lines = tables.followed("Crimson Valley")
    assert list(lines.when) == [
        "4 wordings, before practice",
        "1 wording, after practice",
        "4 wordings, after practice",
    ]
    assert [answer[0] for answer in lines.says] == ["✕", "✕", "✓"]
    assert lines.says.iloc[-1] == "✓ Nils Rossetti"
    rows = stored("acquire-answers").query("multiplicity == 4")
    assert lines.right.iloc[-1] == f"{(rows.after == rows.director).sum()} of {len(rows)}"


def test_lines_of_several_starts_stand_beside_each_other():
    rows = pd.DataFrame({"n": [8, 8, 32, 32] * 2, "share": [0.1, 0.3, 0.5, 0.7] * 2, "K": [1] * 4 + [2] * 4})
    axes = Figure().add_subplot()
    side_by_side(rows, x="n", y="share", hue="K", ax=axes, palette={1: "red", 2: "blue"})
    first, second = axes.lines
    assert np.asarray(first.get_ydata()) == pytest.approx([0.2, 0.6])
    assert np.asarray(second.get_xdata()) - np.asarray(first.get_xdata()) == pytest.approx([APART] * 2)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["8", "32"]
