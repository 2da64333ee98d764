"""The way to Jupyter Book 2: a copy of the book converts, and what it loses is known."""

import pytest

from tests import myst
from widgets import words

KINDS = (
    *("algorithm", "assumption", "conjecture", "corollary", "definition", "example", "lemma", "notation"),
    *("observation", "proposition", "property", "remark", "theorem"),
)
KNOWN = {
    # finding, uses and numbers of a statement's box, which no page prints
    *(f"unexpected option … provided (in prf:{kind})" for kind in KINDS),
    "label … replaced with …",
    # the words of a figure, which the page does not print either
    *(f"unknown directive: {kind}" for kind in words.KINDS),
    "unexpected option … provided (in card)",
    "required body not provided for directive: card",  # its words stand on another page
    *(f"unknown role: {role}" for role in ("measured", "by", "verdict", "outcome", "bar")),
    "No target for internal reference … was found.",  # headings that a cell prints
    "unexpected option … provided (in list-table)",  # widths
    "Gated node is not closed, expected a {solution-end} directive.",
    "Cross reference target was not found: term-unseen facts choose the step for each other <early stopping>",
}


@pytest.mark.whole
def test_every_page_converts_and_what_is_lost_is_known(tmp_path):
    reading = myst.read(myst.ROOT, tmp_path)
    assert set(myst.pages()) <= set(reading.pages)
    assert reading.widgets >= 24
    assert set(reading.complaints) <= KNOWN


def test_a_book_that_is_none_is_said_to_be_none(tmp_path):
    root = tmp_path / "root"
    (root / "book").mkdir(parents=True)
    for name in ("_config.yml", "_toc.yml"):
        (root / name).write_text("")
    folder = tmp_path / "copy"
    folder.mkdir()
    with pytest.raises(RuntimeError, match="mystmd reads nothing"):
        myst.read(root, folder)
