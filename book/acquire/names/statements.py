"""Figure 4 and Table 2 with a small GPT-2: facts with names, asked in words."""

from __future__ import annotations

from book.acquire.names import tables
from book.acquire.names.tables import Figure4, Table2
from book.ledger import Bounds, Ground, above, at_least, recorded, statement

CLEAR = 2.0
"""A change counts from so many standard errors on, over five starts."""


@statement(
    "acquire.figure-4",
    measures=tables.figure_4,
    assumes={"begun": ("fine-tuning has begun", lambda r, p: p.when != "start")},
    holds_at={"when": "chosen"},
    fails_at={"when": "start"},
    ranges={"when": ["chosen", "last", "best"]},
    ground=Ground.RECONSTRUCTED,
)
def figure_4(r: Figure4) -> Bounds:
    """Exact match on unseen films rises with the number of phrasings, and with the number of fine-tuned films."""
    return Bounds(
        at_least(
            -CLEAR, r.change, "least change from one number of phrasings to the next, in standard errors"
        ),
        at_least(CLEAR, r.gain, "gain from one phrasing to eight, in standard errors"),
        at_least(-CLEAR, r.tuned_change, "least change from one n_ft to the next, in standard errors"),
        at_least(CLEAR, r.tuned_gain, "gain from 24 films to 144, in standard errors"),
        recorded(r.last, "change from four phrasings to eight, in standard errors"),
        recorded(r.most, "exact match at most"),
        recorded(r.learned, "sentences that are learned, at least"),
        *(recorded(value, f"exact match at K = {k}") for k, value in r.accuracy.items()),
    )


@statement(
    "acquire.table-2",
    measures=tables.table_2,
    assumes={"popular": ("popular facts are told in more phrasings", lambda r, p: p.multiplicity > 1)},
    holds_at={"multiplicity": 4},
    fails_at={"multiplicity": 1},
    ranges={"multiplicity": [4]},
    ground=Ground.RECONSTRUCTED,
    stands=False,
)
def table_2(r: Table2) -> Bounds:
    """Fine-tuned on popular facts the network answers more unseen questions than fine-tuned on rare ones."""
    return Bounds(
        above(CLEAR * r.error, r.more, "difference"),
        above(r.even, r.more, "the same, beside that of facts told equally often"),
        recorded(r.frequent, "after popular facts"),
        recorded(r.rare, "after rare ones"),
        recorded(r.error, "its standard error"),
        recorded(r.even, "difference where none is told more often"),
    )
