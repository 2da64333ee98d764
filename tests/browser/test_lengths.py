"""What is folded, so that a reader scrolls less; for whole pages see test_scenes.py and test_phone.py."""

import pytest

from tests import HTML, PHONE
from tests.browser.reading import settled

LONGEST_ERRATA = 4600
"""Pixels of the page of errata on a phone."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


def test_who_comes_to_a_folded_statement_finds_it_open(open_page, home):
    page = open_page(f"{home}/book/recall/saddle.html#recall.lemma-5")
    settled(page)
    box = page.locator(".proof.lemma").first
    assert box.locator("p.verdict").is_visible()
    other = page.locator(".proof.lemma").nth(1)
    assert other.locator("p.verdict").is_hidden()
    other.locator("summary").click()
    assert other.locator("p.verdict").is_visible()


def test_on_a_phone_the_errata_fold_the_formulas_of_proofs(open_page, home):
    page = open_page(f"{home}/book/errata.html", viewport=PHONE, has_touch=True, is_mobile=True)
    height = "document.documentElement.scrollHeight"
    closed = page.evaluate(height)
    assert page.locator("details.erratum[data-told] .formulas").first.is_visible()  # of a statement
    of_a_proof = page.locator("details.erratum:not([data-told])").first
    group = of_a_proof.locator("xpath=ancestor::details[1]")
    group.locator("> summary").click()  # errata of proofs, where there are several, wait in a fold
    assert of_a_proof.locator("summary").is_visible()
    assert of_a_proof.locator(".formulas").is_hidden()
    of_a_proof.locator("summary").click()
    assert of_a_proof.locator(".formulas").is_visible()
    page.evaluate("document.querySelectorAll('details.erratum').forEach((fold) => { fold.open = true; })")
    assert closed < 0.65 * page.evaluate(height)  # a long formula takes one line, and is scrolled
    assert closed <= LONGEST_ERRATA
