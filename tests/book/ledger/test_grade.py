"""Challenges: each can be met, and is not met to begin with; what is handed in is graded by torch."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from book.errors import BadInput
from book.ledger.grade import grade, page_of, print_class, print_grades
from book.publish.guides import lessons
from tests import ROOT
from widgets.figure.live import Figure
from widgets.goals import parse_goal

LINKS = [
    unescape(link)
    for link in re.findall(r'href="([^"]+#~goal=[^"]+)"', (ROOT / "book/teaching.md").read_text())
]
KEY = [answer["address"] for lesson in lessons() for answer in lesson.answers]
"""The answers that the lecturer's guides give."""
BASE = "https://example.org/book/"


def goal_of(link):
    return dict(parse_qsl(urlsplit(link).fragment.removeprefix("~")))["goal"]


@pytest.fixture(autouse=True, scope="module")
def each_run_once():
    """The same few runs are graded again and again: each takes place once."""
    check = Figure.check
    runs = {}

    def checked(figure, values):
        key = (figure.spec["name"], *values)
        if key not in runs:
            runs[key] = check(figure, values)
        return runs[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "check", checked)
        yield


@pytest.mark.parametrize(("link", "answer"), zip(LINKS, KEY, strict=True))
def test_every_challenge_of_the_book_is_met_by_its_answer_key_and_not_before(link, answer):
    assert goal_of(answer) == goal_of(link)
    assert not all(result.met for result in grade(BASE + link))
    assert all(result.met for result in grade(BASE + answer))


def test_the_command_says_what_is_missing(capsys):
    link = f"{BASE}recall/saddle.html#~goal=verdict=outside,perturbation_radius>=0.001"
    assert print_grades([f"{link}&temperature=0.0895"]) == 0
    assert print_grades([link]) == 1
    said = capsys.readouterr().out
    assert "✓ perturbation_radius at least 0.001: it is 0.001" in said
    assert (
        "✕ a hypothesis is broken and its conclusion fails: not here, its hypotheses and its conclusion hold"
        in said
    )


def test_a_class_hands_in_a_file_and_its_table_says_who_has_met_what(tmp_path, capsys):
    link = f"{BASE}recall/saddle.html#~goal=verdict=outside"
    answers = tmp_path / "answers.csv"
    answers.write_text(
        f'# Monday\nAda Lovelace,"{link}&temperature=0.0895"\n\n{link}\nBob\thttps://example.org/elsewhere.html\n'
    )
    assert print_class([str(answers)]) == 2
    head, *rows, _, sum_line = capsys.readouterr().out.splitlines()
    assert head.split() == ["who", "page", "challenge", "missing"]
    assert [re.split(r" {2,}", row)[:3] for row in rows] == [
        ["Ada Lovelace", "book/recall/saddle", "met"],
        ["line 4", "book/recall/saddle", "not met"],
        ["Bob", "no answer", rows[2].split("  ")[-1]],
    ]
    assert "✕ a hypothesis is broken" in rows[1]
    assert "must end in a page of the book" in rows[2]
    assert sum_line == "1 of 3 have met their challenge."


def test_a_file_without_an_answer_is_named(tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text("# nobody\n")
    with pytest.raises(BadInput, match="must hold an address on each line"):
        print_class([str(empty)])


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
    assert goal_of(LINKS[3]) == "best>=0.9,tuned<=14"
