"""Goals of cards: not met where the card begins, and met at the settings that its page has for the tests.

The runs are the page's own, in Node, a few times as fast as torch: ``test_figures.py`` compares the two.
"""

from __future__ import annotations

import pytest

from book.gallery import figures
from book.ledger.grade import grades_of
from tests.book.test_agreement import report_of
from tests.figures import defaults, figure_named
from tests.widgets.program import in_the_page
from widgets.goals import parse_goal
from widgets.words import blocks_of, settings_in

WITH_GOALS = {
    name: goals
    for name, figure in figures().items()
    if (
        goals := {
            block.head: block.options["met"] for block in blocks_of(figure.page) if "goal" in block.options
        }
    )
}
"""The settings that meet them, by the cards' titles, by figures."""


@pytest.mark.parametrize("name", WITH_GOALS)
def test_a_goal_is_met_at_its_settings_and_not_where_it_is_set(name):
    demo = figure_named(name)
    cards = {card["title"]: card for card in demo.figure.spec["story"] if card["goal"]}
    assert cards.keys() == WITH_GOALS[name].keys()
    begins = [defaults(demo) | card["values"] for card in cards.values()]
    answers = [
        begin | settings_in(title, WITH_GOALS[name][title])
        for title, begin in zip(cards, begins, strict=True)
    ]
    goals = [parse_goal(card["goal"]) for card in cards.values()]
    missing = [
        [grade for grade in grades_of(demo, goal, values, report) if not grade.met]
        for goal, values, report in zip(
            [*goals, *goals], [*begins, *answers], reports(demo, [*begins, *answers]), strict=True
        )
    ]
    for title, before, after in zip(cards, missing, missing[len(cards) :], strict=False):
        assert before != [], title
        assert after == [], title


def reports(demo, settings):
    """The numbers of the page's report at each of these settings, by their fields."""
    for _, numbers in in_the_page(demo.figure, settings):
        fields = report_of(demo, numbers)
        yield {field: values[0] for field, values in fields.items() if len(values) == 1}
