"""A network of sines that learns a square wave: the first training of the page."""

from __future__ import annotations

from book.your_book.examples import waves
from widgets import Live, live_figure
from widgets.figure.panels import Cases

CAPTION: Cases = {
    "no better than a constant": lambda r, p: r.loss >= (r.target**2).mean(),
    "learned": lambda r, p: r.loss < 0.1,
    "otherwise": None,
}


@live_figure
def figure() -> Live:
    """The loss, and the network's curve on the points it is trained on."""
    return waves(caption=CAPTION, name="waves")
