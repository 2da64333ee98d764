"""Boxes: what a page's notebook says of its statements."""

import json

import pytest

from book.ledger import boxes
from tests.book.ledger.web.test_quotes import BOX


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A function that writes a notebook with one cell of Markdown, and reads its boxes."""
    monkeypatch.setattr(boxes, "ROOT", tmp_path)

    def read(text):
        boxes.boxes_of.cache_clear()
        cell = {"cell_type": "markdown", "source": text.splitlines(keepends=True)}
        (tmp_path / "page.ipynb").write_text(json.dumps({"cells": [cell]}))
        return boxes.boxes_of("page")

    yield read
    boxes.boxes_of.cache_clear()


def test_a_box_has_head_text_and_options(page):
    (box,) = page(BOX).values()
    assert (box.name, box.title, box.text) == ("Lemma 1", "a toy", "The size is at most 2.")
    assert box.finding == (
        "It is {size:.3f}, and the finding is so long that it goes on in a second line: with a colon."
    )
    assert box.uses == ("toy.lemma-2",)
    assert box.numbers == ("Lemma 1", "Lemma 3")


def test_options_may_stand_on_lines_with_colons_or_be_left_out(page):
    known = page("```{prf:lemma} Lemma 1: a toy\n:label: toy.lemma-1\n:nonumber:\nText.\n```\n\nMore.")
    assert known == {"toy.lemma-1": boxes.Box("Lemma 1", "a toy", "Text.")}


def test_boxes_of_other_kinds_and_without_label_are_left_out(page):
    assert page("```{note} A note\n:label: x\nText.\n```\n\n```{prf:lemma} Lemma 1: a toy\nText.\n```") == {}


def test_an_option_that_is_none_is_named(page):
    with pytest.raises(
        ValueError, match=r"page.ipynb, box 'Lemma 1: a toy': Unknown option keys: \['findings'\]"
    ):
        page(BOX.replace("finding:", "findings:"))
