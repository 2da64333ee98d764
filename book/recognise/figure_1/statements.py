"""The paper's experiment, Figure 1 (a) and (b) with Appendix A, and the test loss of Theorem 3.3."""

from __future__ import annotations

from typing import Any

from book.ledger import Bounds, Check, Ground, above, at_least, at_most, below, near, recorded, statement
from book.recognise.figure_1 import new_sentences, table
from book.recognise.figure_1.program import CLOSE, LARGE, Report, paper_run

ASSUMED = {
    "many": ("n at least L²", lambda r, p: r.many),
    "quiet": (f"outputs are small at the start: |F| below {LARGE:g}", lambda r, p: r.quiet),
    "small_steps": (
        "learning rate small enough: the loss never rises over a step of descent",
        lambda r, p: r.small_steps,
    ),
}
SETTLED = {
    "right": ("Phase 1 ends: all training samples come right", lambda r, p: r.right),
    "ended": ("the flow comes to the last of 30 000 epochs", lambda r, p: r.ended),
}
RANGES = {"reading": [3, 4], "rate": (0.01, 1.0), "epochs": (100, 1000), "seed": (0, 99)}
NORMAL = {"reading": 0, "rate": 0.01, "epochs": 100}
"""Normal weights and a = ±1: large outputs, and steps that overshoot."""
MOST_EARLY = 0.2
"""The part of the scores' change that Phase 1 may have, if they are hardly to change in it."""
LEAST_RISE = 0.01
"""A rise of the loss that can be seen in the figure."""
RUNS = ("recognise.definition-2-1", "recognise.equations-1-2")
STORED = Check(
    "Appendix A: the stored runs of 30 000 epochs",
    "the first 100 epochs of seed 0, by descent and by the flow, trained again",
    "full model",
    table.is_still_found,
)


@statement(
    "recognise.theorem-3-3-loss",
    measures=new_sentences.growth,
    assumes={
        "more_than_enough": ("n above 3(L + 1)", lambda r, p: r.more_than_enough),
        "for_all": ("n enough for sentences that recombine the training words", lambda r, p: r.for_all),
    },
    holds_at={"samples": 120, "length": 6},
    fails_at={"samples": 60, "length": 5},
    ranges={"samples": (40.0, 1e5), "length": (4, 20)},
    ground=Ground.SHARPENED,
    listed_checks=(
        Check(
            "The number of samples that recombined words need, $n = 6p$",
            r"$3p^2 > (10L - 17)p + (L - 2)^2$",
            "sympy",
            new_sentences.enough_by_sympy,
        ),
    ),
)
def theorem_3_3_loss(r: Any) -> Bounds:
    """Both losses fall like powers of τ, the training loss like 1/τ, and the worst new sentence comes right."""
    return Bounds(
        near(-1.0, r.power, "power of τ in the training loss", absolute=0.02),
        below(0.0, r.unseen_power, "power in the loss on sentences of unseen words"),
        near(-r.least_unseen, r.unseen_power, "the same, against the separator's margin", absolute=0.02),
        above(
            0.0,
            r.recombined,
            "growth of the worst margin of recombined sentences, over the training margin's",
        ),
        recorded(r.least_recombined, "the same of the separator"),
        recorded(r.enough_for_all, "n needed for all of them"),
    )


@statement(
    "recognise.figure-1-a",
    runs=paper_run,
    assumes=ASSUMED,
    settled=SETTLED,
    good=lambda r: at_least(
        1 / 300, r.part * (1 - r.diverged), "Phase 1's part of the epochs, if descent gets there"
    ),
    holds_at={},
    fails_at=NORMAL,
    seeds=10,
    ranges=RANGES,
    listed_checks=(
        Check(
            "Figure 1 (a), ten seeds at the paper's scale, by descent and by the flow",
            "four scores part in Phase 2, hardly before, all signs right; normal weights and a = ±1 move them before",
            "full model",
            lambda: table.parts_late(MOST_EARLY),
        ),
        STORED,
    ),
)
def figure_1_a(r: Report) -> Bounds:
    """All four scores move to their side in Phase 2 and hardly before, and descent does what the flow does."""
    return Bounds(
        above(0.0, r.gain, "least growth of a score in Phase 2, on its side"),
        at_most(MOST_EARLY, r.early, "part of the scores' change that Phase 1 has"),
        at_most(CLOSE, r.apart, "descent and flow: difference of G, over its size"),
    )


@statement(
    "recognise.figure-1-b",
    runs=paper_run,
    assumes=ASSUMED,
    settled=SETTLED,
    good=lambda r: at_most(0.1, r.descent_loss, "loss at descent's last epoch"),
    holds_at={},
    fails_at=NORMAL,
    seeds=10,
    ranges=RANGES,
    listed_checks=(
        Check(
            "Figure 1 (b), ten seeds at the paper's scale, by descent and by the flow",
            "the loss with one target rises first; all four losses fall in Phase 2",
            "full model",
            lambda: table.rises_first(LEAST_RISE),
        ),
        STORED,
    ),
)
def figure_1_b(r: Report) -> Bounds:
    """The loss of samples with one target rises and falls in Phase 1, all four losses fall in Phase 2."""
    return Bounds(
        at_least(LEAST_RISE, r.rises, "rise of the loss of samples with one target"),
        at_most(r.correct, r.peaked, "epoch at which it is largest; all are right from the epoch"),
        below(0.0, r.climb, "largest change of a loss over a step of Phase 2"),
        at_most(CLOSE, r.apart, "descent and flow: difference of G, over its size"),
    )


@statement(
    "recognise.figure-1-test",
    measures=new_sentences.wrong,
    assumes={"recur": ("irrelevant words recur", lambda r, p: r.recur)},
    holds_at={"words": "drawn"},
    fails_at={"words": "distinct"},
    ground=Ground.OURS,
)
def figure_1_test(r: Any) -> Bounds:
    """The separator that training tends to is wrong on some new sentences, at each of ten training sets."""
    return Bounds(
        above(0.0, r.least, "least share of new sentences wrong"),
        recorded(r.mean, "mean"),
        recorded(r.most, "largest"),
    )
