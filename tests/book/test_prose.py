"""What prose must not say, because a reader could not follow it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from book.missing import typed_numbers
from tests import ROOT
from widgets.words import Block, blocks_of

ORDINAL = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth|last) (card|chart|light|label)s?\b"
    r"|\b(above|below) the charts\b|\blights? (is|are|goes) out\b"
)
"""A chart or a card is called by its name: scenes and folds leave no order to count in, and cards are added."""
INSTEAD = (
    (r"\bbeside the borders\b", "just inside and outside each hypothesis"),
    (r"\bbut for (its|the)\b", "except for"),
    (r"\bhunted\b", "searched for a counterexample"),
    (r"\b(meets?|met) a breach\b", "fits a second relation"),
    (r"\btoo hot\b", "too warm"),
    (r"\bwants? (more|as many)\b", "needs"),
)
"""What nobody would say aloud, and what to say instead."""
PAGES = sorted([*(ROOT / "book").glob("*.ipynb"), *(ROOT / "book").glob("*/*.ipynb")])
on_every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")


def prose(page: Path) -> str:
    """The text of a page's cells, without code."""
    cells = json.loads(page.read_text())["cells"]
    return "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


@on_every_page
def test_charts_and_cards_are_called_by_their_names(page):
    assert [match[0] for match in ORDINAL.finditer(prose(page))] == []


@on_every_page
def test_nothing_is_said_that_nobody_would_say_aloud(page):
    found = [(match[0], better) for pattern, better in INSTEAD for match in re.finditer(pattern, prose(page))]
    assert found == []


TYPED = Path(__file__).with_name("typed_numbers.txt")
"""The cards and captions that still type a number: a line goes once its run says it, and none is added."""
MOST_TYPED = 20


@on_every_page
def test_numbers_in_a_figures_words_are_those_of_its_run(page):
    name = str(page.relative_to(ROOT).with_suffix(""))
    found = {
        f"{name}: {{{block.kind}}} {block.head}"
        for block in blocks_of(name)
        if block.kind in ("card", "caption") and typed_numbers(block)
    }
    assert found == {line for line in TYPED.read_text().splitlines() if line.startswith(f"{name}: ")}


def test_ever_fewer_numbers_are_typed():
    lines = TYPED.read_text().splitlines()
    assert len(lines) <= MOST_TYPED
    assert {line.partition(":")[0] for line in lines} <= {
        str(page.relative_to(ROOT).with_suffix("")) for page in PAGES
    }


ONE_WORD = (
    (r"\b(wordings?|phrasings?)\b", "phrase"),
    (r"\bperturbations?\b", "push"),
    (r"\b(the|a|and) pass\b", "saddle, or ridge beside a valley"),
    (r"\bbalance tips\b|\btips? the balance\b", "the tie breaks"),
    (r"\bunavoidable\b", "lowest possible"),
    (r"\btiny steps\b", "gradient flow"),
    (r"\bresidual (link|stream)\b", "residual connection"),
    (r"\bcounted in squares\b", "of the squared norm"),
    (r"\b(heat|cool down|warm) (it|them|to|up)\b", "raise or lower the temperature"),
    (r"\bbelieved\b", "probability"),
)
"""One word a thing, as the glossary has it: what else figures might call it, and its word."""
STRAIGHT = re.compile(r"(?<=\w)'(?=\w)|(?<=s)'(?=\s)")
"""An apostrophe that a reader would see as a typewriter's."""
BARE = re.compile(r"(?<![\d.,])\d{5,}(?![\d.])|\d[eE][−-]?\d")
"""A number without commas between thousands, or one with a computer's power of ten."""
FIGURES = sorted(
    path for name in ("figure", "scene", "charts") for path in (ROOT / "book").glob(f"*/**/{name}.py")
)


def words_of(block: Block) -> Iterator[str]:
    """What readers see of a block: of lines with names what stands behind them."""
    if block.kind in ("fails", "verdict"):
        yield from yaml.safe_load(block.text).values()
    else:
        yield block.said
    if block.kind == "card":
        yield block.head


def in_figures(path: Path) -> Iterator[str]:
    """The strings with a space in a module, but for docstrings: titles, labels and what stops say."""
    tree = ast.parse(path.read_text())
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield from [node.value] if " " in node.value else []


SEEN = [
    *(
        (name, re.sub(r"{.*?}", "", words))
        for name in (str(page.relative_to(ROOT).with_suffix("")) for page in PAGES)
        for block in blocks_of(name)
        for words in words_of(block)
    ),
    *(
        (str(path.relative_to(ROOT)), re.sub(r"{.*?}", "", words))
        for path in FIGURES
        for words in in_figures(path)
    ),
]
"""What figures say but for their numbers, and where."""


@pytest.mark.parametrize(("pattern", "better"), ONE_WORD, ids=[better for _, better in ONE_WORD])
def test_figures_call_a_thing_by_one_word(pattern, better):
    found = [(where, words) for where, words in SEEN if re.search(pattern, words, re.IGNORECASE)]
    assert found == [], better


def test_apostrophes_in_figures_are_curly():
    assert [(where, words) for where, words in SEEN if STRAIGHT.search(words)] == []


def test_numbers_in_figures_are_written_as_in_a_book():
    assert [(where, words) for where, words in SEEN if BARE.search(words)] == []
