"""Challenges: each can be met, and is not met to begin with; what is handed in is graded by torch."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from book.ledger.grade import grade, page_of, parse_goal, print_grades
from tests import ROOT

LINKS = [
    unescape(link)
    for link in re.findall(r'href="([^"]+#~goal=[^"]+)"', (ROOT / "book/teaching.md").read_text())
]
ANSWERS = (
    "temperature=0.0895",
    "temperature=0.02&perturbation_radius=1e-07&rate_2=50",
    "length=40",
    "share=0.25&multiplicity=5&phrases=6",
)
BASE = "https://example.org/book/"


@pytest.mark.parametrize(("link", "answer"), zip(LINKS, ANSWERS, strict=True))
def test_every_challenge_of_the_book_can_be_met_and_is_not_met_yet(link, answer):
    assert not all(result.met for result in grade(BASE + link))
    assert all(result.met for result in grade(f"{BASE}{link}&{answer}"))


def test_the_command_says_what_is_missing(capsys):
    link = BASE + LINKS[0]
    assert print_grades([f"{link}&temperature=0.0895"]) == 0
    assert print_grades([link]) == 1
    said = capsys.readouterr().out
    assert "✓ perturbation_radius at least 0.001: it is 0.001" in said
    assert (
        "✕ a hypothesis is broken and its conclusion fails: not here, its hypotheses and its conclusion hold"
        in said
    )


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        ("https://example.org/elsewhere.html#~goal=answer>=1", "must end in a page"),
        (BASE + "recall/saddle.html#~temperature=0.02", "must hold a challenge"),
        (BASE + "recall/saddle.html#~goal=answer>=1&nonsense=3", "no figure of book/recall/saddle knows"),
        (BASE + "recall/saddle.html#~goal=attention>=1", "no figure of book/recall/saddle knows"),
        (BASE + "recall/saddle.html#~goal=answer>=1&temperature=-1", "temperature = -1.0: must be"),
        (BASE + "recall/saddle.html#~goal=answer>=1&perturbation_radius=7", "must be one of"),
        (BASE + "recall/saddle.html#~goal=answer>=1&temperature=cold", "= cold: must be a number"),
    ],
)
def test_an_address_that_cannot_be_graded_is_named(address, wrong, capsys):
    assert print_grades([address]) == 2
    assert wrong in capsys.readouterr().err


@pytest.mark.parametrize(
    "before", ["", "/", "https://example.org/", "https://example.org/book/", "book/", "/x/"]
)
@pytest.mark.parametrize("page", ["recall/saddle", "recall/index", "index"])
@pytest.mark.parametrize("end", ["", ".html"])
def test_an_address_may_leave_out_host_folder_and_suffix(before, page, end):
    assert page_of(urlsplit(f"{before}{page}{end}").path) == f"book/{page}"


def test_a_page_is_not_part_of_a_word():
    assert page_of("/recall/my_saddle.html") is None
    assert page_of("/saddle.html") is None


@pytest.mark.parametrize(
    "goal", ["", "answer", "answer>=much", "answer=1", "verdict=good", "verdict<=1", "answer>=nan"]
)
def test_a_goal_that_is_none_is_named(goal):
    with pytest.raises(ValueError, match=f"goal = {re.escape(goal)}: must be"):
        parse_goal(goal)


def test_goals_stand_in_addresses_as_pages_write_them():
    assert [dict(parse_qsl(urlsplit(link).fragment.removeprefix("~")))["goal"] for link in LINKS][
        3
    ] == "best>=0.9,tuned<=8"
