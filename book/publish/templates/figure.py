"""The page's live figure."""

from __future__ import annotations

from book.publish.templates.program import descent
from book.publish.templates.statements import my_page_ends_in_a_valley
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Level, Line, StoryCard, TimeChart

POSITION = TimeChart(
    title="Where descent is",
    series=(Line("x", 0, "x", "run"),),
    domain=(-1.2, 1.2),
    levels=(Level(1.0, "a valley"), Level(-1.0, "the other")),
)
CAPTION = (
    CaptionCase(lambda r, p: r.undecided, "It is still moving, {end} from the middle."),
    CaptionCase(
        lambda r, p: r.gone,
        "Its steps are too long: it has left both valleys, and is {end} from the middle.",
    ),
    CaptionCase(lambda r, p: r.concluded, "It has come to rest in a valley, {end} from the middle."),
    CaptionCase(None, "It has come to rest {end} from the middle, in no valley."),
)
STORY = (
    StoryCard(
        "Let it roll.",
        {},
        "It starts a little to the right of a hilltop. Into which of the two valleys will it roll?",
        "start",
        (POSITION.title,),
    ),
    StoryCard("Start on the hilltop.", {"start": 0.0}, "Nothing pushes it, so it stays."),
)


@live_figure
def figure() -> Live:
    """Descent in a double well."""
    return live(
        descent(), my_page_ends_in_a_valley, panels=(POSITION,), caption=CAPTION, story=STORY, name="my_page"
    )
