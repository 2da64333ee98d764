"""The experiments' page: figures that belong to any page, and words that come from the committed tables."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from book import figures
from book.recall import findings, plots
from lib.recall import experiments
from lib.sweep import read

TABLES = {number: read(f"recall-figure-{number}") for number in (2, 3, 4)}
TWO, THREE, FOUR = (TABLES[number].rows for number in (2, 3, 4))
WAYS = (plots.POSITIONS, plots.ALL, plots.DESCENT, plots.UNIT)


def drawn() -> dict[str, str]:
    """Every figure of the page."""
    return {
        "accuracy": plots.against_samples(THREE, WAYS).data,
        "second step": plots.against_samples(THREE, WAYS, "answer_accuracy").data,
        "collapse": plots.collapse(THREE).data,
        "looks": plots.looks(THREE, (8, 64)).data,
        "two examples": plots.attention(findings.figure_2(TWO, 2), 2, "Two").data,
        "three examples": plots.attention(findings.figure_2(TWO, 3), 3, "Three").data,
        "emergence": plots.emergence(FOUR).data,
        "pretrained": plots.attention(findings.figure_4(FOUR), 2, "Pretrained").data,
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


def test_words_are_whole():
    texts = [
        findings.in_short(TWO, THREE, FOUR),
        findings.settings(),
        findings.ceilings(TWO, THREE),
        findings.samples(THREE),
        findings.overfit(THREE),
        findings.second_step(THREE),
        findings.pattern(TWO),
        findings.pretrained(FOUR),
        findings.three_examples(FOUR),
        findings.pretrained_accuracy(FOUR),
        findings.account(TWO, THREE, FOUR),
        findings.one_pair(FOUR),
        findings.temperatures(THREE),
        findings.origins(*TABLES.values()),
    ]
    for text in texts:
        assert not re.search(r"\bnan\b|None|\{|Series", text.replace("^{KQ}", "")), text
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 2, text  # one table, or two


def test_no_run_is_above_the_bayes_ceiling():
    for rows in (TWO, THREE):
        assert (rows.accuracy <= rows.ceiling + 1e-5).all()  # tables keep six digits


def test_assumption_1_fails_in_every_run_as_the_page_says():
    for rows in (TWO, THREE, FOUR):
        assert (rows.violations > 0).all()


def test_the_tables_are_of_the_grids_that_the_commands_run():
    for number, grid in ((2, experiments.figure_2), (3, experiments.figure_3)):
        cells = grid(quick=False, large=False)
        looks = sum(len(experiments.STEPS[cell["trained"]]) * len(cell["samples"]) for cell in cells)
        assert len(TABLES[number].rows) == looks * experiments.SEEDS
        assert TABLES[number].provenance["command"] == f"python -m lib.recall.experiments figure-{number}"


def test_lists_read_as_sentences():
    assert figures.listed(["a"]) == "a"
    assert figures.listed(["a", "b"]) == "a and b"
    assert figures.listed(["a", "b", "c"]) == "a, b and c"
