"""Captions: the first text that applies is shown, and no number in it is missing."""

import pytest

from tests.widgets import showcase
from tests.widgets.program import called
from widgets import controls, live
from widgets.figure.panels import CaptionCase

REPORT = {
    "yes": [1],
    "no": [0],
    "half": [0.5],
    "third": [1 / 3],
    "none": [float("nan")],
    "steps": [1234567.0],
}
REST = CaptionCase(None, "rest")
NAN = float("nan")


def slow(r, p):
    return r.slow > 0.5


def texts(*texts):
    return called(
        "view/captions", "captionOf", *(([text], {**REPORT, "caption_cases": [1]}) for text in texts)
    )


@pytest.mark.parametrize(
    ("cases", "place"),
    [([1, 1], 0), ([0, 1], 1), ([0.5, 1], 1), ([NAN, 1], 1), ([0, 1, 1], 1)],
)
def test_the_first_case_whose_condition_is_true_is_shown(cases, place):
    caption = ["a", "b", "c"][: len(cases)]
    (spoken,) = called("view/captions", "captionOf", (caption, {"caption_cases": cases}))
    assert spoken == {"text": caption[place], "place": place, "defects": []}


def test_numbers_are_written_as_shares_and_counts():
    (said,) = texts("{third}, {third:%}, {third:n}, {steps:n}, {no:%}, {yes:%}")
    assert said["text"] == "0.333, 33\u00a0%, 0, 1,234,567, 0\u00a0%, 100\u00a0%"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.001, "less than 1\u00a0%"),
        (0.999, "more than 99\u00a0%"),
        (1 - 1e-12, "100\u00a0%"),
        (0.36, "36\u00a0%"),
    ],
)
def test_hardly_any_is_not_none_and_almost_all_is_not_all(share, text):
    (said,) = called("view/captions", "captionOf", (["{x:%}"], {"x": [share], "caption_cases": [1]}))
    assert said["text"] == text


def test_a_number_that_is_none_is_a_defect_that_tests_can_see():
    (said,) = texts("{none} and {none:%} after {steps:n}")
    assert said == {"text": "— and — after 1,234,567", "place": 0, "defects": ["none", "none"]}


@pytest.mark.parametrize(
    ("caption", "complaint"),
    [
        ((CaptionCase(slow, "x"),), "the last, and no other, must have none"),
        ((CaptionCase(None, "x"), CaptionCase(slow, "y")), "the last, and no other, must have none"),
        ((CaptionCase(None, "x"), CaptionCase(None, "y")), "the last, and no other, must have none"),
        ((CaptionCase(lambda r, p: r.fast, "x"), REST), "view names 'fast': the report has no such field"),
        ((CaptionCase(lambda r, p: p.fast, "x"), REST), "view names 'fast': the report has no such field"),
        (
            (CaptionCase(lambda r, p: r.judged_lights, "x"), REST),
            r"caption\[0\]: the condition has 2 numbers: must have 1",
        ),
        ((CaptionCase(None, "{end:f}"),), "a caption reads 'end:f'"),
        ((CaptionCase(None, "{ends:n}"),), r"view names \['ends'\]"),
        ((CaptionCase(lambda r, p: r.concluded_2, "x"), REST), "view names 'concluded_2'"),
    ],
)
def test_a_caption_that_could_fall_silent_or_reads_what_is_not_there_is_refused(caption, complaint):
    with pytest.raises(ValueError, match=complaint):
        live(showcase.descent(), showcase.LEMMA, caption=caption)


def test_a_plain_functions_figure_can_have_one():
    caption = (CaptionCase(lambda r, p: r.x > 0.5, "large"), REST)
    demo = live(lambda x: {"x": x}, caption=caption, x=controls.whole(1, 0, 2, "x"))
    assert demo.figure.spec["caption"] == ["large", "rest"]
    assert demo.figure.check([1.0]).report["caption_cases"].tolist() == [1, 1]
    assert demo.figure.check([0.0]).report["caption_cases"].tolist() == [0, 1]


def test_a_condition_sees_parameters_and_verdicts():
    caption = (CaptionCase(lambda r, p: r.concluded & (p.rate < 1), "quick"), REST)
    figure = live(showcase.descent(), showcase.LEMMA, caption=caption).figure
    names = [parameter["name"] for parameter in figure.spec["parameters"]]
    for rate, cases in ((0.5, [1, 1]), (1.5, [0, 1])):
        values = {**showcase_defaults(figure), "rate": rate}
        assert figure.check([values[name] for name in names]).report.caption_cases.tolist() == cases


def showcase_defaults(figure):
    return {parameter["name"]: parameter["default"] for parameter in figure.spec["parameters"]}
