"""The paper's experiment, Figure 1 (a) and (b) with Appendix A, and the test loss of Theorem 3.3."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, above, at_least, at_most, below, near, recorded, statement
from book.recognise.experiments.paper_model import EPOCHS, RATE
from book.recognise.figure_1.program import Report, paper_run
from book.recognise.new_sentence_losses import LossPowers, WrongShares, loss_powers, wrong_shares

LARGE = 1.0
"""An output |F| at the start above which Lemma 4.2's F is not small."""
CLOSE = 0.05
"""The most by which G may differ between descent and flow, in parts of its size, if descent is to follow the flow."""


def steps_are_small(r: Report, p: Any) -> Tensor:
    """Whether no step of descent raises the loss."""
    return r.rise < 1e-9


def ends_right(r: Report, p: Any) -> Tensor:
    """Whether the flow has all training samples right at its end."""
    return r.margin > 0


def comes_to_the_end(r: Report, p: Any) -> Tensor:
    """Whether the flow comes to the last epoch."""
    return r.time >= EPOCHS * RATE


def follows_the_flow(r: Report, p: Any) -> Tensor:
    """Whether descent is close to the flow at its end; it is not where it diverged."""
    return r.apart <= CLOSE


ASSUMED = {
    "many": ("n at least L²", lambda r, p: p.samples >= p.length**2),
    "quiet": (f"outputs are small at the start: |F| below {LARGE:g}", lambda r, p: r.output < LARGE),
    "small_steps": (
        "learning rate small enough: the loss never rises over a step of descent",
        steps_are_small,
    ),
}
SETTLED = {
    "right": ("Phase 1 ends: all training samples come right", ends_right),
    "ended": ("the flow comes to the last of 30 000 epochs", comes_to_the_end),
}
RANGES = {"reading": [3, 4], "rate": (0.01, 1.0), "epochs": (100, 1000), "seed": (0, 99)}
NORMAL = {"reading": 0, "rate": 0.01, "epochs": 100}
"""Normal weights and a = ±1: large outputs, and steps that overshoot."""
MOST_EARLY = 0.2
"""The part of the scores' change that Phase 1 may have, if they are hardly to change in it."""
LEAST_RISE = 0.01
"""A rise of the loss that can be seen in the figure."""


@statement(
    "recognise.theorem-3-3-loss",
    measures=loss_powers,
    assumes={"many": ("n at least 3L²", lambda r, p: p.samples >= 3 * p.length**2)},
    holds_at={"samples": 120, "length": 6},
    fails_at={"samples": 60, "length": 5},
    ranges={"samples": (40.0, 1e5), "length": (4, 20)},
)
def theorem_3_3_loss(r: LossPowers) -> Bounds:
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
        1 / 300, r.part * (r.given_up == 0), "Phase 1's part of the epochs, if descent gets there"
    ),
    holds_at={},
    fails_at=NORMAL,
    seeds=10,
    ranges=RANGES,
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
)
def figure_1_b(r: Report) -> Bounds:
    """In Phase 1 the loss of samples with both targets falls, of those with one rises and falls; then all four fall."""
    return Bounds(
        below(0.0, r.fall, "largest change over a step of Phase 1 of the loss of samples with both targets"),
        at_least(LEAST_RISE, r.rises, "rise of the loss of samples with one target"),
        at_most(r.correct, r.peaked, "epoch at which it is largest; all are right from the epoch"),
        below(0.0, r.climb, "largest change of a loss over a step of Phase 2"),
        at_most(CLOSE, r.apart, "descent and flow: difference of G, over its size"),
    )


@statement(
    "recognise.figure-1-test",
    measures=wrong_shares,
    assumes={"recur": ("irrelevant words recur", lambda r, p: p.words == "drawn")},
    holds_at={"words": "drawn"},
    fails_at={"words": "distinct"},
    ground=Ground.OURS,
)
def figure_1_test(r: WrongShares) -> Bounds:
    """The separator that training tends to is wrong on some new sentences, at each of ten training sets."""
    return Bounds(
        above(0.0, r.least, "least share of new sentences wrong"),
        recorded(r.mean, "mean"),
        recorded(r.most, "largest"),
    )
