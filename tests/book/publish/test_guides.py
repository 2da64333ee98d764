"""Guides for lecturers: each lesson has its table, its notes and its answers, and what is printed says them all."""

import re

import pytest

from book.__main__ import main
from book.publish import guides
from book.publish.guides import LETTERS, drawing, guide, lessons
from tests import HTML, ROOT


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_is_one_of_the_page_in_class_and_its_cards_are_there(lesson):
    assert f"### {lesson.heading}\n" in (ROOT / "book/teaching.md").read_text()
    notebook = (ROOT / "book" / f"{lesson.page}.ipynb").read_text()
    assert "{admonition} For the lecturer" in notebook
    assert len(lesson.cards) == 3
    assert max(lesson.cards) <= notebook.count("```{card}")
    assert lesson.answers


def test_every_note_begins_with_the_word_of_a_slide():
    heads = "Question|Predict|Run|Cards|Theorem|Result|Why"
    for path in (ROOT / "book").glob("*/*.ipynb"):
        for block in re.findall(r"\{admonition\} For the lecturer(.*?)```", path.read_text(), re.DOTALL):
            notes = re.findall(r'"- (.*)', block)
            assert notes
            assert [note for note in notes if not re.match(rf"\*\*({heads})\.\*\* ", note)] == [], path


def test_a_guide_has_everything_and_one_right_answer_a_question():
    lesson = lessons()[0]
    question = {
        "curves": [[0, 1], [1, 0], [1, 1]],
        "right": 1,
        "domain": [0, 1],
        "asks": "how will it move?",
        "says": ["Who draws this forgets < the push.", "", "Who draws this is slow."],
        "ran": "It falls & stays.",
        "at": "Push.",
    }
    text = guide(lesson, "<table>minutes</table>", ["a note"], [question])
    assert "<table>minutes</table>" in text
    assert "<li>a note</li>" in text
    assert "Push. How will it move?" in text
    assert (
        "<b>B is the run.</b> It falls &amp; stays.<br><b>A.</b> Who draws this forgets &lt; the push.<br><b>C.</b>"
        in text
    )
    assert text.count("<svg") == len(LETTERS)
    assert all(answer["says"] in text for answer in lesson.answers)


def test_a_drawn_curve_runs_from_edge_to_edge():
    points = re.findall(r"([\d.]+),([\d.]+)", drawing([0.0, 0.5, 1.0], [0.0, 1.0]))
    assert [float(x) for x, _ in points] == [20.0, 128.0, 236.0]
    assert [float(y) for _, y in points] == [146.0, 75.0, 4.0]


def test_a_lesson_that_is_none_is_named(capsys):
    if not HTML.exists():
        pytest.skip("the book is not built: make book")
    assert main(["guides", "physics"]) == 2
    assert capsys.readouterr().err == "physics: must be one of recall, recognise, acquire\n"


@pytest.mark.browser
@pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book")
def test_a_guide_is_printed_with_the_page_s_own_runs(open_page, home, monkeypatch, tmp_path):
    """The three questions have different runs, and the right answer is not always the same letter."""
    page = open_page(f"{home}/book/recall/saddle.html")
    printed = []
    monkeypatch.setattr(page, "pdf", lambda **how: printed.append(page.locator("article").inner_text()))
    guides.write(page, home, lessons()[0], tmp_path / "guide.pdf")
    (text,) = printed
    assert "0–5" in text
    assert "let the class sketch" in text
    assert "stays at the saddle" in text  # what the card says of its run
    assert len({*re.findall(r"(\w) is the run", text)}) > 1
    assert len(re.findall(r"[ABC]\. Who draws this", text)) == 6
    assert "forgets the push" in text
    assert page.locator(".guide svg").count() == 9
    assert "Challenge 2" in text
