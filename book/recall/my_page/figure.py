"""The page's live figure."""

from __future__ import annotations

from book.recall.my_page.program import descent
from book.recall.my_page.statements import my_page_ends_in_a_valley
from widgets import Live, live
from widgets.panels import Level, Line, Said, TimeChart, Try

POSITION = TimeChart(
    title="Where descent is",
    series=(Line("x", 0, "x", "accent"),),
    domain=(-1.2, 1.2),
    levels=(Level(1.0, "a valley"), Level(-1.0, "the other")),
)
CAPTION = (
    Said("undecided", "It is still moving, at {end} from the middle. Allow more steps."),
    Said("concluded", "It has come to rest in a valley, {end} from the middle."),
    Said("", "It has come to rest {end} from the middle, in no valley."),
)
TRIES = (Try("Start on the hilltop.", {"start": 0.0}, "Nothing pushes it, so it stays."),)


def figure() -> Live:
    """Descent in a double well."""
    return live(descent(), my_page_ends_in_a_valley, panels=(POSITION,), caption=CAPTION, tries=TRIES, name="my_page")
