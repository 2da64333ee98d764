"""Measured numbers in prose: quoted by name from the table that the pages print."""

import re

import pytest
from sphinx.cmd.build import build_main

from book.ledger import store
from book.ledger.entries import entries
from book.ledger.web import quotes
from tests import HTML

ENTRY = {
    "id": "toy.lemma-1",
    "holds at": {
        "bounds": [
            {"name": "size", "measured": 0.123456},
            {"name": "|x| at the end", "measured": -2e-7},
            {"name": "time", "measured": "inf"},
        ]
    },
    "fails at": {"bounds": [{"name": "size", "measured": 3.0}]},
}


@pytest.fixture
def ledger(monkeypatch):
    """A table with one statement."""
    monkeypatch.setattr(store, "read", lambda: {ENTRY["id"]: ENTRY})


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("toy.lemma-1 {size}", "0.1235"),
        ("toy.lemma-1 {size:.3f}", "0.123"),
        ("toy.lemma-1 {size:.0%}", "12%"),
        ("toy.lemma-1 {size where it fails:.1f}", "3.0"),
        ("toy.lemma-1 {|x| at the end:.0e}", "−2e−07"),
        ("toy.lemma-1 {time:.1f}", "inf"),
    ],
)
def test_a_number_is_quoted_by_its_name(ledger, text, number):
    assert quotes.quoted(text) == number


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("toy.lemma-2 {size}", "must be an id of the ledger"),
        ("toy.lemma-1 | size | .3f", r"and \{name:format\}"),
        ("toy.lemma-1 {size:.3f} {time}", r"and \{name:format\}"),
        ("toy.lemma-1", r"and \{name:format\}"),
        ("toy.lemma-1 {length}", r"must name one of size, \|x\| at the end, time, size where it fails"),
        ("toy.lemma-1 {sizes:.3f}", r"'toy.lemma-1 \{sizes:.3f\}': must name one of size"),
        ("toy.lemma-1 {time where it fails:.1f}", "must name one of size"),
        ("toy.lemma-1 {size:3 digits}", "Invalid format specifier"),
    ],
)
def test_what_is_not_there_is_named(ledger, text, complaint):
    with pytest.raises(ValueError, match=complaint):
        quotes.quoted(text)


def build(folder, text) -> int:
    """Build one page as the book is built, warnings being errors; 0 if there are none."""
    (folder / "conf.py").write_text("extensions = ['myst_parser', 'book.ledger.web.quotes']\n")
    (folder / "index.md").write_text(f"# A page\n\n{text}\n")
    return build_main(["-q", "-W", "-b", "html", str(folder), str(folder / "html")])


def test_a_page_holds_the_number(tmp_path):
    (entry,) = (entry for entry in entries() if entry["id"] == "recall.lemma-6")
    (curvature,) = (b for b in entry["holds at"]["bounds"] if b["name"] == "curvature along ε̃ at the saddle")
    text = "It is {measured}`recall.lemma-6 {curvature along ε̃ at the saddle:.3f}` there."
    assert build(tmp_path, text) == 0
    number = f"{curvature['measured']:.3f}".replace("-", "−")
    page = (tmp_path / "html" / "index.html").read_text()
    link = '<a class="record reference internal" href="s/recall.lemma-6.html">'
    assert f'It is {link}<span class="measured">{number}</span></a> there.' in page


def test_a_page_with_a_name_that_is_not_there_does_not_build(tmp_path, capsys):
    assert build(tmp_path, "It is {measured}`recall.lemma-6 {curve:.3f}` there.") != 0
    said = capsys.readouterr().err
    assert "index.md:3" in said
    assert "must name one of" in said


BOX = """```{prf:lemma} Lemma 1: a toy
---
label: toy.lemma-1
nonumber:
uses: toy.lemma-2
numbers: Lemma 1, Lemma 3
finding: >-
  It is {size:.3f}, and the finding is so long that it goes on in
  a second line: with a colon.
---
The size is at most 2.
```"""


def test_what_a_box_says_of_its_statement_is_read_and_not_printed(tmp_path):
    assert build(tmp_path, BOX) == 0
    page = (tmp_path / "html" / "index.html").read_text()
    assert "The size is at most 2." in page
    assert '<p class="admonition-title" id="toy.lemma-1">Lemma 1: a toy</p>' in page
    for hidden in ("finding", "a second line", "toy.lemma-2", "Lemma 3"):
        assert hidden not in page


def test_a_box_with_an_option_that_is_none_does_not_build(tmp_path, capsys):
    assert build(tmp_path, BOX.replace("finding:", "findings:")) != 0
    assert "Unknown option keys: ['findings']" in capsys.readouterr().err


@pytest.mark.parametrize("page", sorted({entry["page"] for entry in entries()}))
def test_every_statement_of_a_page_has_its_verdict_below_its_box(page):
    text = (HTML / page).with_suffix(".html").read_text()
    assert text.count('class="verdict') == sum(entry["page"] == page for entry in entries())


def test_a_share_is_drawn_before_its_number_and_never_said_to_be_nothing(tmp_path):
    share, least = "share of the excess loss left", "attention on the context, greatest"
    assert (
        build(
            tmp_path, f"{{bar}}`acquire.condition-1 {{{share}}}` {{bar}}`acquire.proposition-1 {{{least}}}`"
        )
        == 0
    )
    html = (tmp_path / "html" / "index.html").read_text()
    assert 'class="share" width="2.1"' in html
    assert ">2 %<" in html
    assert "&lt;1 %" in html


def test_what_is_no_share_is_refused(tmp_path, capsys):
    assert build(tmp_path, "{bar}`acquire.theorem-2-condition-1 {fine-tuned facts}`") != 0
    assert "must be a share from 0 to 1, and is 21" in capsys.readouterr().err


@pytest.mark.parametrize(("id", "says"), [("recall.figure-2", "✓ yes"), ("recall.figure-4-three", "✕ no")])
def test_an_outcome_says_in_a_word_what_the_verdict_says_in_full(tmp_path, id, says):
    assert build(tmp_path, f"{{outcome}}`{id}` {{verdict}}`{id}`") == 0
    html = (tmp_path / "html" / "index.html").read_text()
    short, full = re.findall(rf'<a class="reference internal" href="[^"]*#{id}"(.*?)</a>', html)
    assert says in short
    title = re.search(r'title="(.*?)"', short)
    assert title
    assert title[1] in full


def test_an_outcome_of_what_the_ledger_does_not_know_is_refused(tmp_path, capsys):
    assert build(tmp_path, "{outcome}`recall.figure-9`") != 0
    assert "must be an id of the ledger" in capsys.readouterr().err
