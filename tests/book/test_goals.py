"""Goals of cards: not met where the card begins, and met at the settings that its page has for the tests."""

from __future__ import annotations

import pytest

from book.gallery import figures
from book.ledger.grade import graded, parse_goal
from tests.figures import defaults, figure_named
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
    for title, card in cards.items():
        begin = defaults(demo) | card["values"]
        met = begin | settings_in(title, WITH_GOALS[name][title])
        conditions = parse_goal(card["goal"])
        assert not all(grade.met for grade in graded(demo, conditions, begin)), title
        assert [grade for grade in graded(demo, conditions, met) if not grade.met] == [], title
