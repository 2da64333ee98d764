"""The drawings with which the places of the book open say what the ledger says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest
from docutils import nodes
from docutils.nodes import make_id
from myst_parser.config.main import MdParserConfig
from myst_parser.mdit_to_docutils.base import make_document
from myst_parser.parsers.docutils_ import Parser

from book.ledger.entries import entries, name
from book.ledger.proofs import Rank
from book.ledger.web import errata, pictures, places
from book.ledger.web.templates import macros
from book.paper import CHAPTERS
from book.sketch import WIDTH
from tests import ROOT

ENTRIES = entries()


def page(text: str) -> nodes.document:
    """A page of Markdown, as far as docutils reads it."""
    document = make_document(parser_cls=Parser)
    document.settings.myst_enable_extensions = MdParserConfig().enable_extensions
    document.settings.report_level = 5
    Parser().parse(text, document)
    return document


def test_each_statement_has_a_sign_and_each_verdict_a_link_that_lists_its_statements():
    shown = pictures.verdicts()
    tally = Counter(entry["verdict"] for entry in ENTRIES)
    assert shown.count("<i>") == len(ENTRIES)
    links = dict(re.findall(r'<a href="#\?verdict=([^"]*)">.*?<b>(\d+)</b></a>', shown))
    assert links == {verdict.replace(" ", "+"): str(count) for verdict, count in tally.items()}
    for paper in CHAPTERS:
        own = [entry for entry in ENTRIES if entry["id"].startswith(f"{paper.room}.")]
        (words,) = re.findall(
            rf'<b>{paper.chapter}</b><span class="signs" role="img" aria-label="([^"]*)"', shown
        )
        assert sum(map(int, re.findall(r"\d+", words))) == len(own)


def test_what_is_right_mended_and_not_reproduced_is_all_that_was_judged():
    (caption,) = re.findall(r"<figcaption>(.*?)</figcaption>", pictures.verdicts())
    judged, right, mended, fallen = map(int, re.findall(r"\d+", caption))
    assert judged == right + mended + fallen
    assert fallen == sum(entry["verdict"] == "not reproduced" for entry in ENTRIES)


def test_each_erratum_has_a_sign_and_each_number_leads_to_its_list():
    shown, listed = pictures.wrong(), errata.wrong().data
    assert shown.count("<i>") == sum(len(entry["errata"]) for entry in ENTRIES)
    cells = re.findall(r'<td><a href="#([^"]*)">(\d+)</a>', shown)
    for anchor, count in cells:
        assert f'<span id="{anchor}"></span>' in listed
        section = listed.partition(f'<span id="{anchor}"></span>')[2].partition('<span id="')[0]
        assert section.count('<details class="erratum"') == int(count)
    right = [int(count) for count in re.findall(r"<td>(\d+)</td></tr>", shown)]
    assert sum(right) == sum(len(entry["checked"]) for entry in ENTRIES)


def test_the_errata_that_the_page_tells_first_are_of_statements():
    told = "".join(nbformat.read(ROOT / "book" / "errata.ipynb", 4).cells[0].source)
    some = {
        make_id(f"{name(entry)}: {each['where']}"): each
        for entry in ENTRIES
        for each in entry["errata"]
        if each["rank"] == Rank.STATEMENT
    }
    leads = re.findall(r'<a href="#([^"]*)">', told)
    assert len(leads) == 4
    assert set(leads) <= set(some)
    whole = some["lemma-10-lemma-10-the-number-of-steps"]
    for formula in (whole["paper"], whole["right"]):
        assert re.sub(r"\s", "", formula) in re.sub(r"\s", "", told)


def test_words_of_a_formula_are_text_that_breaks_into_lines():
    def inline(formula: str) -> str:
        return str(macros("formulas.html").inline(errata.parts(formula)))

    assert inline(r"\text{if } x < y") == f"if {inline('x < y')}"
    assert inline("x < y") == r'<span class="math notranslate nohighlight">\(x &lt; y\)</span>'
    assert inline(r"\text{a & b}") == "a &amp; b"
    assert inline(r"\{x : \text{odd}\}").startswith("<span")


def test_the_formulas_of_a_text_are_set():
    shown = str(macros("formulas.html").with_math("a < $x$"))
    assert shown == r'a &lt; <span class="math notranslate nohighlight">\(x\)</span>'


def test_a_closed_erratum_says_its_fate_by_a_sign_that_is_explained():
    shown = pictures.wrong()
    for summary in re.findall(r'class="erratum".*?<summary>(.*?)</summary>', errata.wrong().data):
        sign, role = re.findall(r'^<span class="(\w+)" aria-hidden="true">(.)</span>', summary)[0][::-1]
        (fate,) = re.findall(r'<span class="survival">(.*?)</span>', summary)
        assert f'<span class="{role}" aria-hidden="true">{sign}</span> the statement {fate}</span>' in shown


def test_the_sentences_name_words_that_the_glossary_explains():
    glossary = (ROOT / "book" / "glossary.md").read_text()
    plain = {"subject", "answer", "pair"}
    called = {word.called for some in pictures.SENTENCES.values() for word in some} - {""}
    assert [name for name in called - plain if f"\n{name}\n  " not in glossary] == []
    shown = pictures.words()
    assert shown.count("<svg") == shown.count('role="img" aria-label="') == len(pictures.SENTENCES)
    boxes = re.findall(r'<rect x="([\d.]+)" y="28.0" width="([\d.]+)"', shown)
    assert max(float(x) + float(width) for x, width in boxes) == pytest.approx(WIDTH, abs=0.2)


def test_the_lesson_is_drawn_from_the_pages_tables_which_agree():
    document = page((ROOT / "book" / "teaching.md").read_text())
    lessons = [parts for parts in map(pictures.lesson_of, document.findall(nodes.table)) if parts]
    assert len(lessons) == 3
    assert lessons[0] == lessons[1] == lessons[2]
    ends = [part.end for part in lessons[0]]
    assert [part.start for part in lessons[0]] == [0, *ends[:-1]]
    shown = pictures.lesson(document)
    assert all(f">{part.words}</text>" in shown for part in lessons[0])
    assert "Predict from minute 15 to 20" in shown


def test_what_is_not_there_is_named():
    with pytest.raises(
        ValueError, match=r"^book/atlas: data-place = 'verdict': must be one of index, graph, verdicts, wrong"
    ):
        places.fill(page('<div data-place="verdict"></div>'), "book/atlas", {})
    with pytest.raises(ValueError, match="headed minutes"):
        pictures.lesson(page("# No table"))


def test_a_place_holds_what_it_asks_for():
    document = page('# All\n\n<div data-place="wrong"></div>\n\nEnd.')
    places.fill(document, "book/errata", {})
    (shown,) = document.findall(nodes.raw)
    assert shown.astext() == pictures.wrong()


def test_all_that_can_be_shown_stands_in_a_page():
    sources = [*(ROOT / "book").glob("*.md"), *(ROOT / "book").glob("*.ipynb")]
    placed = re.findall(r'<div data-place=\\?"(\w+)', "".join(map(Path.read_text, sources)))
    assert sorted(placed) == sorted(places.PLACES)
