"""Captions: the first text that applies is shown, and no number in it is missing."""

import pytest

from tests.widgets import showcase
from tests.widgets.program import called
from widgets import controls, live
from widgets.figure.panels import CaptionCase, plain

REPORT = {
    "yes": [1],
    "no": [0],
    "half": [0.5],
    "third": [1 / 3],
    "none": [float("nan")],
    "steps": [1234567.0],
}
REST = CaptionCase("", "rest")


def texts(*captions):
    return called("captions", "spoken", *((plain(caption), REPORT) for caption in captions))


@pytest.mark.parametrize(
    ("when", "applies"),
    [
        ("yes", True),
        ("no", False),
        ("half", False),
        ("!half", True),
        ("!yes", False),
        ("yes & !no", True),
        ("yes & no", False),
        ("none", False),
        ("!none", False),  # a number that is none is on neither side
    ],
)
def test_a_text_is_said_when_its_fields_are_above_a_half(when, applies):
    (said,) = texts((CaptionCase(when, "this"), REST))
    assert said == {"text": "this" if applies else "rest", "defects": []}


def test_the_first_text_that_applies_is_said():
    (said,) = texts((CaptionCase("no", "a"), CaptionCase("yes", "b"), CaptionCase("yes", "c"), REST))
    assert said["text"] == "b"


def test_numbers_are_written_as_shares_and_counts():
    (said,) = texts((CaptionCase("", "{third}, {third:%}, {third:n}, {steps:n}, {no:%}, {yes:%}"),))
    assert said["text"] == "0.333, 33\u00a0%, 0, 1234567, 0\u00a0%, 100\u00a0%"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.001, "< 1\u00a0%"), (0.999, "> 99\u00a0%"), (1 - 1e-12, "100\u00a0%"), (0.36, "36\u00a0%")],
)
def test_hardly_any_is_not_none_and_almost_all_is_not_all(share, text):
    (said,) = called("captions", "spoken", ([{"when": "", "text": "{x:%}"}], {"x": [share]}))
    assert said["text"] == text


def test_a_number_that_is_none_is_a_defect_that_tests_can_see():
    (said,) = texts((CaptionCase("", "{none} and {none:%} after {steps:n}"),))
    assert said == {"text": "— and — after 1234567", "defects": ["none", "none"]}


@pytest.mark.parametrize(
    ("caption", "complaint"),
    [
        ((CaptionCase("slow", "x"),), "the last, and no other, must be ''"),
        ((CaptionCase("", "x"), CaptionCase("slow", "y")), "the last, and no other, must be ''"),
        ((CaptionCase("", "x"), CaptionCase("", "y")), "the last, and no other, must be ''"),
        ((CaptionCase("fast", "x"), REST), r"view names \['fast'\]"),
        ((CaptionCase("slow & !fast", "x"), REST), r"view names \['fast'\]"),
        ((CaptionCase("slow | apart", "x"), REST), r"a caption reads 'slow \| apart'"),
        ((CaptionCase("", "{end:f}"),), "a caption reads 'end:f'"),
        ((CaptionCase("", "{ends:n}"),), r"view names \['ends'\]"),
        ((CaptionCase("concluded_2", "x"), REST), r"view names \['concluded_2'\]"),
    ],
)
def test_a_caption_that_could_fall_silent_or_reads_what_is_not_there_is_refused(caption, complaint):
    with pytest.raises(ValueError, match=complaint):
        live(showcase.descent(), showcase.LEMMA, caption=caption)


def test_a_plain_functions_figure_can_have_one():
    demo = live(lambda x: {"x": x}, caption=(CaptionCase("x", "large"), REST), x=controls.whole(1, 0, 2, "x"))
    assert demo.figure.spec["caption"] == [{"when": "x", "text": "large"}, {"when": "", "text": "rest"}]
