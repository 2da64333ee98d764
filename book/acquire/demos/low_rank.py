"""Proposition 3 and Lemmas 23 to 25, live: the fine-tuning gradient is almost of rank 1."""

from __future__ import annotations

from book.acquire.demos.multiplicity import FINE_TUNING, settings
from lib.knowledge.dynamics.low_rank import DEFAULTS, MOST_RANKS, low_rank
from widgets import Live, controls, live
from widgets.panels import (
    Bar,
    BarChart,
    Caption,
    Light,
    Line,
    LiveVerdict,
    Row,
    TimeChart,
    Try,
    View,
)

SPECTRUM = BarChart(
    title="Singular values of the first gradient, over its norm",
    labels=(*(f"σ{'₁₂₃₄'[i]}" for i in range(MOST_RANKS)), "all others"),
    bars=(Bar("values", "measured", "accent"), Bar("expected", "from n and the mean cosine", "ink")),
    domain=(0.0, 1.0),
    x="share of the norm",
)
ACCURACY = TimeChart(
    title="Accuracy on questions about unseen facts",
    series=(Line("accuracy", 0, "full", "first"), Line("accuracy", 1, "low rank", "second")),
    domain=(0.0, 1.0),
    x="fine-tuning steps",
    since=FINE_TUNING,
)
LEARNED = TimeChart(
    title="Accuracy on questions about fine-tuned facts",
    series=(Line("learned", 0, "full", "first"), Line("learned", 1, "low rank", "second", "5 3")),
    domain=(0.0, 1.0),
    x="fine-tuning steps",
    since=FINE_TUNING,
)
ALIGNED = TimeChart(
    title="Cosine between the format token and the first direction",
    series=(Line("aligned", 0, "low rank", "accent"),),
    domain=(0.0, 1.0),
    x="fine-tuning steps",
    since=FINE_TUNING,
)
LIGHTS = (
    Light("single", "rank 1, as in the paper"),
    Light("many", "at least as many fine-tuned facts as phrases"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "As good: at their best steps full and low-rank fine-tuning answer equally many unseen facts.",
        "Worse: at its best step low-rank fine-tuning answers fewer unseen facts.",
        "Better: at its best step low-rank fine-tuning answers more unseen facts.",
        "No fact is fine-tuned: the gradient is 0 and has no direction.",
    ),
    tones=("good", "warn", "good", "warn"),
)
APART = (
    "With {tuned} facts rank 1 misses {missed} of the first gradient's norm. At their best full fine-tuning gives "
    "out {best} of the unseen facts, low rank {best_low}."
)
CAPTION = Caption(
    field="story",
    texts=(
        "With {tuned} facts rank 1 misses {missed} of the first gradient's norm. Both give out {best} of the unseen "
        "facts at their best.",
        APART,
        APART,
        "No fact is fine-tuned, so there is no gradient.",
    ),
)
CODE = (
    "from lib.knowledge.dynamics.low_rank import low_rank\nfrom lib.solve import run\n\n"
    "print(run(low_rank(), {arguments}).report)"
)
TRIES = (
    Try(
        "Fine-tune three facts.",
        {"share": 0.1},
        "Three singular values, and no more: the rank is the number of facts.",
    ),
    Try(
        "Fine-tune all 32.",
        {"share": 1.0},
        "The first one stays where it was. It hardly depends on how many facts there are.",
    ),
    Try(
        "Allow rank 4.",
        {"ranks": 4},
        "The curve of low rank moves towards the full one, late in training only.",
    ),
    Try(
        "Take 60 steps.",
        {"steps": 60},
        "Rank 1 can only push along the format token, so it overfits sooner.",
    ),
)


def demo() -> Live:
    """The demo of low-rank fine-tuning."""
    view = View(
        panels=(SPECTRUM, ACCURACY, ALIGNED, LEARNED),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("first direction's cosine with the format token", "expected_aligned", "aligned"),
            Row("part of the norm that rank 1 misses", "expected_missed", "missed"),
            Row("mean cosine between two facts' gradients", "", "alike"),
            Row("unseen facts at the best step: full", "", "best"),
            Row("… low rank", "", "best_low"),
            Row("unseen facts at the end: full", "", "accuracy"),
            Row("… low rank", "", "accuracy_low"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        low_rank(),
        view,
        name="low_rank",
        more=("phrases", "multiplicity", "rate", "seed"),
        ranks=controls.whole(int(DEFAULTS["ranks"]), 1, MOST_RANKS, "rank"),
        **{
            **settings(DEFAULTS),
            "steps": controls.whole(int(DEFAULTS["steps"]), 0, 100, "fine-tuning steps", step=5),
        },
    )
