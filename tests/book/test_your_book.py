"""The page "Live torch figures in your book": its trainings, its tables, and what it says of hosts."""

from __future__ import annotations

import json
import re
from inspect import getdoc

import pytest

from book.sweep import read
from book.your_book import tables
from book.your_book.examples import EXAMPLES
from tests import ROOT, hosts, ways
from widgets.figure import compiled

PAGE = ROOT / "book" / "your_book.ipynb"
NEARLY = 0.05
"""A share by which a size may differ from the stored one: other machines number variables alike, and more so."""


def test_the_stored_tables_are_of_what_is_tried_today():
    assert list(read("live-examples").rows.example) == [example.__name__ for example in EXAMPLES]
    assert list(read("live-ways").rows.way) == [*ways.WAYS, ways.KERNEL]
    assert list(read("live-hosts").rows.host) == list(hosts.HOSTS)
    assert [words for words in tables.examples().example if len(words) < 20] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.__name__)
def test_a_training_learns_and_is_as_large_as_the_page_says(example, monkeypatch):
    monkeypatch.setattr(compiled, "TRIAL_SECONDS", 0)
    figure = example()
    stored = read("live-examples").rows.set_index("example").loc[example.__name__]
    start = figure.figure.check([*_shortest(figure).values()])
    assert figure.report["loss"] < 0.75 * start.report["loss"]
    assert figure.kilobytes == pytest.approx(stored["kB of its own"], rel=NEARLY)
    assert stored["off from torch"] < 1e-9
    assert getdoc(example)


def _shortest(figure):
    """Where the figure's parameters stand, but for its steps, of which there are none."""
    return {p["name"]: p["default"] for p in figure.figure.spec["parameters"]} | {"steps": 0}


def test_what_is_refused_is_not_among_what_translates():
    operations = {name for names in tables.translated().operations for name in names.split(", ")}
    in_part = r"^(elimination|bitwise)"  # up to so many rows, or of booleans alone
    rows = tables.refused()
    rows = rows[~rows.refused.str.endswith("of what a slider changes")]
    refused = {
        name for names in rows.refused[~rows.instead.str.contains(in_part)] for name in names.split(", ")
    }
    assert {"matmul", "softmax", "sin", "sort", "convolution", "x[i]"} <= operations
    assert {"linalg_svd", "nonzero", "randn"} <= refused
    assert operations & refused == set()


def test_the_files_that_the_page_names_are_there():
    text = "".join("".join(cell["source"]) for cell in json.loads(PAGE.read_text())["cells"])
    named = re.findall(r"`((?:book|lib|tests|widgets)/[\w/.]*)`", text)
    assert len(named) >= 3
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.browser
@pytest.mark.parametrize("way", ["livetorch", "a script by hand"])
def test_a_way_is_as_large_as_the_page_says_and_has_torch_s_losses(way, tmp_path, browser):
    stored = read("live-ways").rows.set_index("way").loc[way]
    ways.WAYS[way](tmp_path)
    measured = ways.opened(browser, tmp_path, openings=1, moves=3)
    assert measured["kB"] == pytest.approx(stored["kB"], rel=NEARLY)
    assert {
        rate: loss for rate, loss in measured["losses"].items() if abs(loss - ways.in_torch(rate)[-1]) > 1e-9
    } == {}
