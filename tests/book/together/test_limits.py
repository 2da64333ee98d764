"""One table of limits, one of notation."""

from __future__ import annotations

from html import escape as in_html

import pytest

from book.together.experiments.limits import LINES, SEEDS, cells, escape, facts_until_covered, swept
from book.together.experiments.outside import RUNS
from book.together.limits import chart, exponents, notation
from book.together.limits.statements import saddle_clock


def test_each_line_spans_a_decade_with_all_its_seeds():
    for name, line in LINES.items():
        assert exponents.fitted()[name].decades >= 1
        assert sum(cell["line"] == name for cell in cells(False)) == SEEDS * len(line.values)


def test_every_setting_enters_a_paper_or_it_says_why_not():
    entered = {(line.paper, line.setting) for line in LINES.values()}
    entered |= {(each.paper, each.setting) for each in exponents.KNOWN}
    expected = {(paper, setting) for paper in RUNS for setting in exponents.SETTINGS}
    assert not entered & set(exponents.ABSENT)
    assert entered | set(exponents.ABSENT) == expected


def test_the_saddles_laws_and_the_margins_are_as_predicted():
    for name, line in LINES.items():
        if line.paper != "acquire":
            assert exponents.as_predicted(line, exponents.fitted()[name]), name


def test_a_line_that_misses_nears_its_law_where_it_is_large():
    low, high = exponents.ends("acquire-coverage")
    assert abs(high - 1) < abs(low - 1)
    low, high = exponents.ends("acquire-multiplicity")
    assert abs(high - 1) < abs(low - 1)


def test_the_picture_has_a_strip_for_each_line_what_is_not_as_predicted_first_and_the_rest_by_paper():
    shown, lines = chart.chart().data, list(chart.entries())
    assert len(lines) == len(LINES) + len(exponents.KNOWN) == shown.count("<li>")
    assert chart.WORDS.keys() == LINES.keys()
    assert shown.index("<b>Not as predicted</b>") < shown.index("<b>Recognise</b>")
    for line in lines:
        below = shown.partition(f"<b>{line.paper if line.right else 'Not as predicted'}</b></li>")[2]
        words = f"<b>{in_html(line.setting)}:</b> {in_html(line.what)}"
        (place,) = [each for each in below.partition('class="paper"')[0].split("<li>") if words in each]
        assert chart.outcome(line) in place
        assert bool(line.note) is not line.right
        assert line.note in place
        assert line.low <= line.fitted <= line.high
    assert "Exponent predicted −1, measured −1.00." in shown
    assert "−0.00" not in shown


@pytest.mark.parametrize(
    ("exponent", "words"),
    [
        (-1.0, "a tenth"),
        (-0.96, "a tenth"),
        (0.0, "the same"),
        (1.04, "ten times"),
        (1.3, "20 times"),
        (-0.5, "0.32 times"),
    ],
)
def test_an_exponent_is_told_as_what_ten_times_as_much_does(exponent, words):
    assert chart.becomes(exponent) == words


def test_an_outcome_says_what_was_predicted():
    said = {line.setting: chart.outcome(line) for line in chart.entries()}
    assert said["width m"] == "a tenth, predicted less"
    assert said["neurons of the memory"] == "the same, as predicted"
    assert said["1/T"] == "2.8 times, predicted at most ten times"
    assert said["facts N"].endswith(" times, not ten times")


def test_the_picture_says_how_many_predictions_come_out_and_where_the_others_are():
    lines = list(chart.entries())
    missed = [line.paper for line in lines if not line.right]
    assert chart.finding().startswith(f"<b>{len(lines) - len(missed)} of {len(lines)} predictions")
    assert set(missed) == {"Acquire"}
    assert f"The {len(missed)} that are not are all in <i>Acquire</i>." in chart.finding()
    assert chart.finding() in chart.chart().data


def test_a_predicted_bound_is_met_below_it_and_a_number_close_to_it():
    met = [
        line.right
        for line in chart.entries()
        if line.predicted in ("< 0", "≤ 1") or line.setting == "facts N"
    ]
    assert sorted(met) == [False, True, True]


def test_twice_the_temperature_halves_the_wait():
    assert escape(0, temperature=0.008) == pytest.approx(escape(0, temperature=0.004) / 2, rel=0.05)


def test_one_phrase_a_fact_is_the_coupon_collectors_problem():
    assert facts_until_covered(60.0, 0) == pytest.approx(60, rel=0.1)


def test_an_unknown_line_is_refused():
    with pytest.raises(ValueError, match="line = 'depth': must be one of recognise-width"):
        swept("depth", 1.0, 0)


@pytest.mark.parametrize("symbol", list(notation.NOTATION))
def test_a_symbol_has_a_meaning_and_a_name_that_exists(symbol):
    for paper, use in notation.NOTATION[symbol].items():
        assert notation.meaning(paper, use)
        if use.code not in notation.PARAMETERS[paper]:
            notation.find(use.code)


def test_a_parameter_that_has_the_papers_symbol_stands_under_it():
    for paper, domains in notation.PARAMETERS.items():
        for name, domain in domains.items():
            if domain.symbol in notation.NOTATION:
                uses = notation.NOTATION[domain.symbol]
                assert paper in uses, (domain.symbol, paper)
                assert uses[paper].code == name or "." in uses[paper].code


def test_a_name_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="'Saddle' is not in"):
        notation.find("lib.recall.landscape.Saddle")
    with pytest.raises(ValueError, match="must begin with a module"):
        notation.find("nowhere.at.all")


def test_colder_than_the_law_s_temperatures_the_wait_grows_faster():
    result = saddle_clock(warmest=0.004, seed=1)
    assert result.key == "outside"
    assert result.report.temperature.exponent > 1.1
