"""The page's live figure."""

from __future__ import annotations

from book.publish.templates.program import descent
from book.publish.templates.statements import my_page_ends_in_a_valley
from widgets import Live, live, live_figure
from widgets.figure.panels import Cases, Level, Line, TimeChart

POSITION = TimeChart(
    title="Where descent is",
    series=(Line("x", 0, "x", "run"),),
    domain=(-1.2, 1.2),
    levels=(Level(1.0, "a valley"), Level(-1.0, "the other")),
)
CAPTION: Cases = {
    "still moving": lambda r, p: r.undecided,
    "gone": lambda r, p: r.gone,
    "in a valley": lambda r, p: r.concluded,
    "in no valley": None,
}


@live_figure
def figure() -> Live:
    """Descent in a double well."""
    return live(descent(), my_page_ends_in_a_valley, panels=(POSITION,), caption=CAPTION, name="my_page")
