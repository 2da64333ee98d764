"""GPT-2 beside one layer: the tables are of the same facts, and the figure shows what they hold."""

from itertools import product

import pandas as pd
import pytest

from book.acquire.tables import errors, stored
from book.acquire.transformer import program, tables
from lib.solve import run


def test_both_models_learn_and_are_asked_about_the_same_facts():
    gpt, one = stored("transformer"), stored("predicted")
    key = [*tables.CELL, "seed", "reach", "when"]
    for positions in (False, True):
        rows = gpt[gpt.positions == positions].set_index(key)
        both = rows[["covered", "once"]].join(one.set_index(key)[["covered", "once"]], suffixes=("", "_one"))
        assert len(both) == len(one)
        assert (both.covered == both.covered_one).all()
        assert (both.once - both.once_one).abs().max() == 0
    assert (gpt.told == 1).all()


def test_the_figure_shows_the_means_of_the_table():
    for k, r, n, positions, moment in product((1, 8), (8, 32), (3, 40), (0, 1), (0, 2)):
        how = {"multiplicity": k, "phrases": r, "tuned": n, "positions": positions, "moment": moment}
        found = run(program.beside(), **{name: float(value) for name, value in how.items()}).report
        rows = tables.both(bool(positions), tables.MOMENTS[moment])
        here = rows[(rows.multiplicity == k) & (rows.phrases == r) & (rows.tuned == n)]
        assert float(found.here_gpt) == pytest.approx(here.gpt.mean())
        assert float(found.here_spread) == pytest.approx(here.gpt.std())
        assert float(found.here_one) == pytest.approx(here.one.mean())
        assert float(found.here_tuned) == n


def test_a_number_between_those_of_the_grid_goes_to_the_nearest():
    found = run(program.beside(), tuned=20.0).report
    assert float(found.here_tuned) == 24


def made(one):
    """A table in which GPT-2's accuracy rises with K, R and n_ft alike in all seeds."""
    cells = product((1, 2, 4), (8, 16, 32), (3, 6, 12), range(4))
    rows = [{"multiplicity": k, "phrases": r, "tuned": n, "seed": s} for k, r, n, s in cells]
    frame = pd.DataFrame(rows).assign(gpt=lambda x: 100 * x.multiplicity + x.phrases + x.tuned / 100)
    return frame.assign(one=one(frame.gpt), once=-frame.gpt)


def test_rank_correlations_are_of_order_alone(monkeypatch):
    monkeypatch.setattr(tables, "both", lambda positions, when: made(lambda gpt: gpt**3))
    found = tables.ranks(False, "chosen")
    assert found == {
        "ceiling": pytest.approx(1),
        "one": pytest.approx(1),
        "once": pytest.approx(-1),
        "cells": 27,
    }
    assert tables.along(False, "chosen", "phrases") == {"one": pytest.approx(1), "once": pytest.approx(-1)}
    assert tables.ranks(False, "chosen", 16)["cells"] == 9


def test_a_rate_is_chosen_by_facts_that_are_not_counted(monkeypatch):
    rows = [
        {"way": "full", "rate": rate, "seed": seed, "others": others, "right": right}
        for rate, others, right in ((0.1, 0.5, 0.9), (0.2, 0.7, 0.3))
        for seed in (0, 1)
    ]
    made = pd.DataFrame(rows).assign(when="last", positions=False, multiplicity=1)
    monkeypatch.setattr(tables, "stored", lambda name: made)
    found = tables.low_rank(False, 1).loc["full"]
    assert (found.rate, found.right) == (0.2, pytest.approx(0.3))


def test_a_change_is_measured_in_standard_errors_over_seeds():
    changes = pd.DataFrame([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]])
    assert errors(changes).tolist() == pytest.approx([2 * 3**0.5, 0])
