"""Table 3 of Xu and Chen: which models reach the entropy. On ten facts, and beside it the stored runs at its size."""

from __future__ import annotations

from book.acquire import table_3 as stored
from book.acquire.mlp.program import CROWDED, FAR, LEARNED, SUBJECTS, Outcome, four_models, settled
from book.acquire.table_3 import ANSWERED, NEAR
from book.ledger import Bounds, Ground, at_least, at_most, recorded, statement

WITH = stored.of("standard", "uniform")
WITHOUT = stored.of("attention").query("subjects == @stored.LARGE")


@statement(
    "acquire.table-3",
    runs=four_models,
    assumes={
        "bare": ("sentences have three tokens: no context before them", lambda r, p: p.noise <= 0),
        "crowded": (
            f"at least {CROWDED} times as many facts as dimensions",
            lambda r, p: CROWDED * p.width <= SUBJECTS,
        ),
    },
    settled={
        "trained": ("the models are trained at all", lambda r, p: p.steps > 0),
        "settled": (
            f"steps enough: as many again at the last pace would gain less than {LEARNED:g} with an MLP",
            settled,
        ),
    },
    good=lambda r: at_least(0.9, r.accuracy[0], "unseen facts answered right, standard model, last step"),
    holds_at={"noise": 0.0, "width": 3},
    fails_at={},
    seeds=5,
    chance=0.25,  # set after a hunt had met starts at which ten facts do without an MLP
    ranges={
        "width": [2, 3, 3, 3, 3, 4, 6],
        "noise": [0.0, 0.0, 0.0, 0.0, 1.0, 40.0],
        "multiplicity": (1, 3),
        "rate": [0.01, 0.02, 0.03],
        "seed": (0, 99),
        "steps": (200, 800),
    },
    ground=Ground.RECONSTRUCTED,
)
def table_3(r: Outcome) -> Bounds:
    """Models with an MLP come near the entropy and answer; attention alone stays far above."""
    return Bounds(
        at_most(LEARNED, r.standard_loss, "standard, loss over entropy"),
        at_most(LEARNED, r.uniform_loss, "uniform attention and MLP, loss over entropy"),
        at_least(FAR, r.attention_loss, "attention alone, loss over entropy"),
        at_least(FAR, WITHOUT.over.min(), "N = 1000 attention alone, loss over entropy"),
        at_most(NEAR, WITH.over.max(), "N = 1000 and 250 with MLP, loss over entropy"),
        at_least(
            ANSWERED,
            WITH.tuples_last.min(),
            "N = 1000 and 250 with MLP, answered on the printed split, last step",
        ),
        recorded(WITH.tuples_best.min(), "the printed split, best step in hindsight"),
        recorded(
            WITHOUT.tuples_last.min(), "N = 1000 attention alone, answered on the printed split, last step"
        ),
        recorded(WITH.facts_last.mean(), "N = 1000 and 250 with MLP, new facts answered, last step"),
        recorded(WITH.facts_best.mean(), "new facts, best step in hindsight"),
    )
