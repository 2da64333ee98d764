"""What the figures of training share."""

from __future__ import annotations

from lib.acquire.course import SHARE
from widgets.figure.panels import Line, TimeChart

FINE_TUNING = 3
"""The stage with which charts of fine-tuning begin."""
CONTROLS = (SHARE.name, "multiplicity", "phrases", "steps", "rate", "seed")


def tuning(title: str, *series: Line, domain: tuple[float, float] | None = (0.0, 1.0)) -> TimeChart:
    """What is watched during fine-tuning."""
    return TimeChart(title=title, series=series, domain=domain, x="fine-tuning steps", since=FINE_TUNING)


def losses(title: str, follower: str, x: str = "gradient steps") -> TimeChart:
    """The parts of the pre-training loss above the lowest possible, cut off at 6; ``follower`` names the first."""
    return TimeChart(
        title=title,
        series=(
            Line("capped", 0, follower, "follower"),
            Line("capped", 1, "phrase", "phrase"),
            Line("capped", 2, "answer", "answer"),
        ),
        domain=(0.0, 6.0),
        x=x,
    )


ACCURACY = tuning(
    "Questions answered correctly",
    Line("accuracy", 3, "practised", "drilled"),
    Line("accuracy", 1, "unseen, frequent", "unseen", "6 4"),
    Line("accuracy", 2, "unseen, rare", "unseen"),
)
