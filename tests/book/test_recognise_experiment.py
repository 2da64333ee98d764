"""The page of the paper's experiment: figures and sentences from the tables, and what the tables must show."""

import re

import pytest

from book.recognise import plots
from lib.cooccurrence import experiments
from lib.sweep import read

TABLE = read("recognise-figure-1").rows


def test_every_panel_says_its_numbers():
    for picture in (plots.paper(TABLE).data, plots.new_sentences(TABLE).data):
        labels = re.findall(r'<svg[^>]* role="img" aria-label="([^"]*)"', picture)
        assert len(labels) == 2
        for label in labels:
            assert "nan" not in label
            assert len(re.findall(r"\d", label)) > 5


def test_every_reading_has_its_row_and_no_number_is_missing():
    rows = plots.readings(TABLE).splitlines()[2:]
    assert [row.split("|")[1].strip() for row in rows] == list(experiments.READINGS)
    assert "nan" not in "".join(rows) + plots.apart(TABLE) + plots.frozen(TABLE)


@pytest.mark.parametrize("method", ["flow", "descent"])
def test_the_table_has_ten_seeds_of_figure_1_and_it_shows_what_the_paper_says(method):
    found = plots.summary(plots.runs(TABLE, method=method))
    assert len(found) == experiments.SEEDS
    assert float(found.rise.min()) > 0.01
    assert float(found.gain.min()) > 0
    assert float(found.right.max()) < 3000


def test_first_right_is_the_first_look_after_the_last_wrong_one():
    rows = plots.runs(TABLE)
    found = plots.summary(rows)
    for seed, right in enumerate(found.right):
        part = rows[rows.seed == seed]
        assert float(part[part.epoch >= right].margin.min()) > 0
        assert float(part[part.epoch < right].margin.iloc[-1]) <= 0


def test_the_engine_agrees_with_automatic_differentiation_over_the_whole_run():
    rows = read("recognise-agreement").rows
    assert set(rows.reading) == set(experiments.AGREEING)
    assert (rows.epochs == experiments.EPOCHS).all()
    assert float(rows.apart.max()) < 1e-9
    assert float(rows.moved.min()) > 1e-3
