"""Where a statement is true: maps from Python agree with single runs, and say what is wrong with a request."""

from __future__ import annotations

import pytest

from book.errors import BadInput
from book.ledger.registry import statements
from book.truth_map import judged_apart, truth_map

LEMMA_2 = statements()["recall.lemma-2"]


def test_a_map_has_what_each_run_comes_to():
    drawn = truth_map(LEMMA_2, temperature=(0.002, 0.2), subjects=[11, 101, 1009], size=3, steps=40)
    assert len(drawn.table) == 9
    for row in drawn.table.itertuples():
        here = LEMMA_2(temperature=row.temperature, subjects=row.subjects, steps=40)
        assert (row.outcome, row.assumed, row.concluded) == (here.key, here.assumed, here.concluded)
    inside = drawn.table.assumed.sum()
    assert f"of the {inside} cells that could be judged" in drawn.sentence
    assert "<svg" in drawn._repr_html_()


def test_a_cell_may_be_made_apart():
    (row,) = judged_apart("recall.lemma-2", '{"temperature": 0.01, "subjects": 101, "steps": 40}')
    assert row["outcome"] == LEMMA_2(temperature=0.01, subjects=101, steps=40).key


def test_without_ends_an_axis_goes_as_far_as_its_slider():
    drawn = truth_map(LEMMA_2, temperature=None, subjects=[11, 101], size=4, steps=20)
    low, high = drawn.table.temperature.min(), drawn.table.temperature.max()
    assert (low, high) == pytest.approx((1e-4, 0.9), rel=0.01)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"temperature": None}, r"axes = \['temperature'\]: must be two parameters"),
        (
            {"temperature": [0.1], "subjects": [11, 101]},
            r"temperature = \[0.1\]: must have two values or more",
        ),
        ({"temperature": None, "nonsense": None}, "nonsense = None: must be a list of values or two ends"),
    ],
)
def test_a_bad_request_is_one_sentence(settings, complaint):
    with pytest.raises(BadInput, match=complaint):
        truth_map(LEMMA_2, **settings)
