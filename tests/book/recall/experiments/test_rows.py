"""The experiments' page: figures that belong to any page, and rows that come from the committed tables."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from book import figures
from book.recall.experiments import plots, rows
from book.recall.experiments import sweeps as experiments
from book.sweep import read

TABLES = dict(
    zip((2, 3, 4), map(read, ("recall-figure-2", "recall-figure-3", "recall-figure-4")), strict=True)
)
TWO, THREE, FOUR = (TABLES[number].rows for number in (2, 3, 4))
WARM = rows.by_adam(FOUR).query("activation == 'x²' and width == 256 and pretraining_temperature == 1")
LEARNED = rows.by_adam(FOUR, 3).query("pretraining_temperature == 1")
WAYS = (plots.POSITIONS, plots.ALL, plots.DESCENT, plots.UNIT)


def drawn() -> dict[str, str]:
    """Every figure of the page."""
    return {
        "ways": plots.ways_compared(THREE).data,
        "patterns": plots.patterns(rows.drawn(TWO, 2), LEARNED).data,
        "accuracy": plots.against_samples(THREE, WAYS).data,
        "second step": plots.against_samples(THREE, WAYS, "answer_accuracy").data,
        "collapse": plots.collapse(THREE).data,
        "looks": plots.looks(THREE, (8, 64)).data,
        "two examples": plots.attention(rows.drawn(TWO, 2), 2, "Two").data,
        "three examples": plots.attention(rows.drawn(TWO, 3), 3, "Three").data,
        "emergence": plots.emergence(FOUR).data,
        "pretrained": plots.attention(WARM, 2, "Pretrained").data,
        "learned": plots.learned(FOUR).data,
    }


@pytest.fixture(scope="module")
def pictures():
    return drawn()


def test_every_panel_says_its_numbers(pictures):
    for name, picture in pictures.items():
        labels = re.findall(r'<svg[^>]* role="img" aria-label="([^"]*)"', picture)
        assert len(labels) == picture.count("<svg") >= 2, name
        for label in labels:
            assert len(re.findall(r"\d\.\d+", label)) >= 2, (name, label)
            assert "nan" not in label, (name, label)


def test_every_panel_is_well_formed_and_takes_the_pages_ink(pictures):
    for name, picture in pictures.items():
        for panel in re.findall(r"<svg.*?</svg>", picture, re.DOTALL):
            ElementTree.fromstring(panel)
            assert "currentColor" in panel, name
            assert figures.INK not in panel, name
            assert not re.search(r'<svg[^>]* (width|height)="', panel), name


def test_every_name_is_given_once_and_every_reference_has_one(pictures):
    page = "".join(pictures.values())
    names = re.findall(r' id="([^"]+)"', page)
    assert len(names) == len(set(names)) > 0
    assert set(re.findall(r'(?:href="|url\()#([\w-]+)', page)) == set(names)


def test_captions_come_from_the_numbers(pictures):
    for name, picture in pictures.items():
        caption = re.findall(r"<figcaption[^>]*>(.*)</figcaption>", picture)[0]
        assert re.search(r"\d", caption), name
        assert "nan" not in caption, name


def test_the_rows_that_the_page_speaks_of_are_there():
    for part in (rows.drawn(TWO, 2), rows.drawn(TWO, 3)):
        assert len(part) == experiments.SEEDS
    assert set(rows.grid(THREE).way) == set(WAYS)
    assert (rows.grid(THREE).behind > -1e-5).all()
    assert set(rows.eight(THREE).samples) == {8}
    assert set(rows.by_adam(FOUR, 3).examples) == {3}
    assert rows.of(rows.drawn(TWO, 2).emerged) == f"{experiments.SEEDS} of {experiments.SEEDS}"


def test_a_tables_origin_names_its_command():
    origins = rows.origins(list(TABLES.values()))
    assert all(origins.command.str.contains("recall.experiments figure-"))


def test_no_run_is_above_the_bayes_ceiling():
    for table in (TWO, THREE):
        assert (table.accuracy <= table.ceiling + 1e-5).all()  # tables keep six digits


def test_assumption_1_fails_in_every_run_as_the_page_says():
    for table in (TWO, THREE, FOUR):
        assert (table.violations > 0).all()


def test_the_tables_are_of_the_grids_that_the_commands_run():
    for number, grid in ((2, experiments.figure_2), (3, experiments.figure_3)):
        cells = grid(quick=False, large=False)
        looks = sum(len(experiments.STEPS[cell["trained"]]) * len(cell["samples"]) for cell in cells)
        assert len(TABLES[number].rows) == looks * experiments.SEEDS
        assert TABLES[number].provenance["command"].endswith(f"recall.experiments figure-{number}")


def test_lists_read_as_sentences():
    assert figures.listed(["a"]) == "a"
    assert figures.listed(["a", "b"]) == "a and b"
    assert figures.listed(["a", "b", "c"]) == "a, b and c"
