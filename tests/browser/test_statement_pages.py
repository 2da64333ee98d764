"""The index of all statements, and a page for each of them."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from book.ledger import registry
from book.ledger.proofs import Survival
from book.ledger.web import records
from tests import DESKTOP, HTML, PHONE
from tests.browser.book import pages
from tests.browser.reading import OUT_OF_REACH

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]
INDEX = "book/atlas.html"
ADDRESS = re.compile(r'\b(?:href|src)="([^"]*)"')
SCREENS = 13
MOST_BYTES = 15_000_000
"""The size of all statement pages together."""
IDS = list(registry.statements())
ROWS = "table.ledger-index tbody tr"


def shown(page):
    return page.locator(f"{ROWS}:not([hidden])").count()


def test_each_statement_has_a_page_and_a_row_with_its_old_anchor():
    index = (HTML / INDEX).read_text()
    for id in IDS:
        page = (HTML / "s" / f"{id}.html").read_text()
        assert f'href="../s/{id}.html"' in index
        assert f'<span id="{id}"></span>' in index
        assert "BibTeX" in page
        (sheets,) = re.findall(r'data-of="([^"]*)"', page)
        assert {"formulas/formulas.css", "figure.css", "demos.css"} <= set(sheets.split())


def test_a_statement_with_a_figure_has_its_map_as_a_drawing():
    whole = 0
    drawn = []
    for id in IDS:
        page = (HTML / "s" / f"{id}.html").read_text()
        whole += len(page.encode())
        if "Where is it true?" in page:
            drawn.append(id)
            article = page[page.index("<article") : page.index("</article>")]
            assert f"../{registry.statements()[id].page}.html#~view=map" in article
            assert 'class="fim-map-outcomes"' in article
            said = ("could be judged", "at which the hypotheses hold")
            assert any(words in article for words in said)
    assert {"recall.theorem-2", "acquire.theorem-2", "recognise.theorem-3-1"} <= set(drawn)
    assert whole < MOST_BYTES


def test_a_statements_page_is_whole_on_paper(open_page, home):
    page = open_page(f"{home}/s/recall.lemma-10.html", viewport=DESKTOP)
    page.emulate_media(media="print")
    (title,) = page.locator("h1:visible").all_inner_texts()
    assert title.startswith("Lemma 10: ")
    for part in ("table", "figure.statement-map", "section#errata h3"):
        assert page.locator(part).count() == page.locator(f"{part}:visible").count() > 0, part


def test_every_address_on_a_statements_page_leads_somewhere():
    known: dict[str, str] = {}
    for path in sorted((HTML / "s").glob("*.html")):
        text = path.read_text()
        article = text[text.index("<article") : text.index("</article>")]
        for address in set(ADDRESS.findall(article)):
            there, _, anchor = unquote(address).partition("#")
            if re.match(r"[a-z]+:", there):
                continue
            file = (path.parent / there).resolve() if there else path
            assert file.exists(), f"{path.name}: {address}"
            if anchor and not anchor.startswith("~") and file.suffix == ".html":  # ~: settings
                whole = known.setdefault(str(file), file.read_text())
                assert f'id="{anchor}"' in whole, f"{path.name}: {address}"


@pytest.mark.parametrize("path", [path for path in pages() if (HTML / path).exists()])
def test_every_quoted_number_of_a_page_leads_to_the_record_that_it_comes_from(path):
    """Numbers in sentences, verdicts below boxes, rows of closing tables, and tables and charts of stored runs."""
    article = BeautifulSoup((HTML / path).read_text(), "html.parser").select_one("article")
    assert article is not None
    quoted = [number.find_parent("a", class_="record") for number in article.select(".measured")]
    verdicts = [
        line.find("a", href=re.compile(r"\bs/[^/]*\.html$")) for line in article.select(".proof p.verdict")
    ]
    closing = [table for table in article.select("table") if "what was found" in table.get_text()]
    rows = [row.select_one("a.record") for table in closing for row in table.select("tbody tr")]
    stored = article.select(".stored-runs a")
    for link in [*quoted, *verdicts, *rows, *stored]:
        assert link is not None
        assert ((HTML / path).parent / str(link["href"])).resolve().is_file(), link["href"]
    names = [Path(str(link["href"])).stem for link in article.select(".stored-runs a.record")]
    assert names == records.tables_of(path.removesuffix(".html"))


def test_records_hold_every_statement():
    with (HTML / "s" / "ledger.csv").open(encoding="utf-8") as file:
        assert [row["id"] for row in csv.DictReader(file)] == IDS
    table = pd.read_parquet(HTML / "s" / "ledger.parquet")
    assert table["id"].tolist() == IDS
    errata = json.loads((HTML / "s" / "errata.json").read_text())
    assert {entry["statement"] for entry in errata} <= set(IDS)
    assert {entry["survival"] for entry in errata} <= set(Survival)
    dataset = json.loads((HTML / "s" / "ledger.jsonld").read_text())
    assert dataset["name"] == "Facts in Motion"
    assert [claim["@id"] for claim in dataset["hasPart"]] == [f"{id}.html" for id in IDS]


WIDEST = 8
"""Statement pages with the longest formulas: what is too wide for a phone is found there first."""


def longest_formula(path: Path) -> int:
    """How many characters the longest formula of a page has."""
    return max(
        (formula.count("<mjx-c ") for formula in path.read_text().split("<mjx-container ")[1:]), default=0
    )


def test_on_a_phone_formulas_tables_and_maps_of_statements_fit_or_can_be_scrolled(open_page, home):
    for path in sorted((HTML / "s").glob("*.html"), key=longest_formula)[-WIDEST:]:
        page = open_page(f"{home}/s/{path.name}", viewport=PHONE, has_touch=True, is_mobile=True)
        assert page.evaluate(OUT_OF_REACH) == [], path.name
        letters = page.locator(".statement-map svg text").evaluate_all(
            "(texts) => texts.map((text) => text.getBoundingClientRect().height)"
        )
        assert min(letters, default=11) >= 11, path.name


@pytest.mark.parametrize(("viewport", "screens"), [(DESKTOP, SCREENS), (PHONE, 20)])
def test_the_index_takes_a_few_screens_and_fits_its_screen(open_page, home, viewport, screens):
    page = open_page(f"{home}/{INDEX}", viewport=viewport)
    assert page.evaluate("document.documentElement.scrollHeight") <= screens * viewport["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_filters_show_what_is_asked_for_and_the_address_says_it(open_page, home):
    page = open_page(f"{home}/{INDEX}", viewport=DESKTOP)
    assert shown(page) == len(IDS)
    page.get_by_label("chapter").select_option("recall")
    page.get_by_label("words").fill("theorem saddle")
    page.get_by_label("words").fill("theorem")
    some = shown(page)
    assert 0 < some < sum(id.startswith("recall.") for id in IDS)
    address = page.url
    assert address.endswith("#?words=theorem&paper=recall")
    page.goto("about:blank")
    page.goto(address)
    assert shown(page) == some


def test_a_sign_of_the_picture_lists_the_statements_that_have_it(open_page, home):
    page = open_page(f"{home}/{INDEX}", viewport=PHONE)
    link = page.locator(".tally .key a", has_text="not reproduced")
    count = int(link.locator("b").inner_text())
    link.click()
    rows = page.locator(".ledger-index tbody tr:visible")
    page.wait_for_function(
        "(count) => [...document.querySelectorAll('.ledger-index tbody tr')]"
        ".filter((row) => row.checkVisibility()).length === count",
        arg=count,
    )
    assert set(rows.evaluate_all("(rows) => rows.map((row) => row.dataset.verdict)")) == {"not reproduced"}
    page.wait_for_function(
        "() => { const { top } = document.querySelector('.ledger-filters').getBoundingClientRect();"
        " return top >= 0 && top < innerHeight / 2; }"
    )


def test_an_address_with_an_unknown_filter_is_told_so_and_the_rest_is_followed(open_page, home):
    page = open_page(f"{home}/{INDEX}#?paper=recall&colour=red&verdict=wonderful", viewport=DESKTOP)
    said = page.locator(".ledger-filters output").text_content()
    assert "colour, verdict = wonderful, which is not here" in said
    assert shown(page) == sum(id.startswith("recall.") for id in IDS)


def test_a_column_is_sorted_on_asking(open_page, home):
    page = open_page(f"{home}/{INDEX}", viewport=DESKTOP)
    table = page.locator("table.ledger-index").first
    table.get_by_role("button", name="verdict").click()
    verdicts = table.locator("tbody td:nth-child(3)").all_text_contents()
    assert verdicts == sorted(verdicts, key=lambda text: verdicts.index(text))
    first = verdicts[0]
    table.get_by_role("button", name="verdict").click()
    assert table.locator("tbody td:nth-child(3)").first.text_content() != first
