"""What the page's theorem assumes and says."""

from __future__ import annotations

from book.ledger import Bounds, Ground, at_least, near, statement
from book.publish.templates.program import Report, descent


@statement(
    "my_paper.my-page",
    runs=descent,
    assumes={
        "pushed": ("it does not start on the hilltop, x₀ ≠ 0", lambda r, p: p.start != 0),
        "small": ("learning rate below one half", lambda r, p: p.rate < 0.5),
    },
    settled={"settled": ("steps enough to come to rest, or to leave both valleys", lambda r, p: r.settled)},
    good=lambda r: at_least(0.5, r.end, "|x| at the end"),
    holds_at={},
    fails_at={"start": 0.0},
    ranges={"start": (0.01, 1.2), "rate": (0.05, 0.4)},
    ground=Ground.OURS,
)
def my_page_ends_in_a_valley(r: Report) -> Bounds:
    """Descent ends in one of the two valleys, at |x| = 1."""
    return Bounds(near(1.0, r.end, "distance from the middle", absolute=1e-6))
