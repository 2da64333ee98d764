"""Propositions 1 and 2, live: attention leaves out the context, the MLP stores the facts."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from book.acquire.conditions import CONDITIONS
from book.acquire.filter.program import SHARE
from book.acquire.filter.scene import LOSSES, SAYS, SCENE, shown
from book.acquire.filter.statements import SMALL_STEPS, near_optimal, proposition_1, proposition_2, stopped
from widgets import Live, live, live_figure
from widgets.figure.panels import Cases, Level, Line, Row, TimeChart
from widgets.figure.scenes import Step

ATTENTION = TimeChart(
    title="Attention before the answer",
    series=(
        Line("in_phrase", 0, "context", "context"),
        Line("in_phrase", 1, "subject", "subject"),
        Line("in_phrase", 2, "phrase", "phrase"),
    ),
    domain=(0.0, 1.0),
)
SHORT = TimeChart(
    title="Attention before the phrase",
    series=(Line("in_subject", 0, "context", "context"), Line("in_subject", 1, "subject", "subject")),
    domain=(0.0, 1.0),
)
RATIO = TimeChart(
    title="Attention on the subject over attention on the phrase",
    series=(Line("ratio_low", 0, "least of all facts", "one"), Line("ratio_high", 0, "greatest", "two")),
    domain=(0.5, 2.0),
    levels=(Level(0.8, ""), Level(1.2, "allowed after stage I")),
)


def context_ignored(r: Any, p: Any) -> Tensor:
    """Attention on the context stays below 1/d from the end of stage I until the loss is near-optimal."""
    return r.most_context <= r.allowed


def comparable(r: Any, p: Any) -> Tensor:
    """Attention on the subject and on the phrase stays at least SHARE in that time."""
    return r.least_share >= SHARE


(_, filters), (_, slow), (_, small_steps) = CONDITIONS["filters"], CONDITIONS["slow"], SMALL_STEPS
CAPTION: Cases = {
    "stopped": stopped,
    "context attended, no filter": lambda r, p: ~context_ignored(r, p) & ~filters(r, p),
    "context attended": lambda r, p: ~context_ignored(r, p),
    "not comparable, fast": lambda r, p: ~comparable(r, p) & ~slow(r, p),
    "not comparable": lambda r, p: ~comparable(r, p),
    "no steps for storing": lambda r, p: p.steps_2 + p.steps_3 <= 0,
    "steps too large": lambda r, p: ~near_optimal(r, p) & ~small_steps(r, p),
    "too early to tell": lambda r, p: r.undecided_2,
    "loss too high": lambda r, p: ~near_optimal(r, p),
    "not concluded": lambda r, p: ~r.concluded_2,
    "otherwise": None,
}
ROWS = (
    Row("greatest attention on the context after stage I (Lemma 11)", "bound_1", "context_1"),
    Row("… at the end", "", "context_3"),
    Row("attention on subject over phrase after stage I: least", "expected", "ratio_low_1"),
    Row("… greatest", "", "ratio_high_1"),
    Row("greatest after stage II (Lemma 13: at most 1.6)", "", "ratio_high_2"),
    Row("greatest at the end", "", "ratio_high_3"),
    Row("sentences whose answer has no active neuron", "", "dead"),
    Row("learning rate η̃₁ of stage I", "", "eta"),
)
MORE = ("phrases", "multiplicity", "steps_2", "steps_3", "seed")
WHY = (
    Step("context", LOSSES, "context heard"),
    Step("everywhere", SAYS._replace(says="hardest answer:"), "context heard"),
    Step("ignored", ATTENTION, "step 2"),
    Step("ratio", RATIO),
    Step("stored", SAYS._replace(says="hardest answer:")),
    Step("drift", ATTENTION),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Pre-training in its three stages."""
    return live(
        shown(),
        proposition_1,
        proposition_2,
        scene=SCENE,
        panels=(ATTENTION, LOSSES, SHORT, RATIO),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        name="filtering",
        more=MORE,
        only=("rate_1", "kappa", "dimension", "rate_2", "rate_3", *MORE),
    )
