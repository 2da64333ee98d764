"""Proposition 3 and Lemmas 23 to 25, live: the fine-tuning gradient is almost of rank 1."""

from __future__ import annotations

from book.acquire.charts import CONTROLS, FINE_TUNING, tuning
from book.acquire.extraction import none_tuned
from book.acquire.low_rank.program import low_rank
from book.acquire.low_rank.scene import GRADIENT, with_first_gradient
from book.acquire.low_rank.statements import rank_1, some_extracted_by_either, spectrum
from lib.acquire.low_rank import MOST_RANKS
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, Line, Row, StoryCard
from widgets.figure.scenes import Predict, Scene, Stop

SPECTRUM = BarChart(
    title="Singular values of the first gradient, over its norm",
    labels=(*(f"σ{'₁₂₃₄'[i]}" for i in range(MOST_RANKS)), "all others"),
    bars=(Bar("values", "measured", "measured"), Bar("expected", "from n and the mean cosine", "predicted")),
    domain=(0.0, 1.0),
    x="share of the norm",
)
ACCURACY = tuning(
    "Accuracy on questions about unseen facts",
    Line("accuracy", 0, "full", "one"),
    Line("accuracy", 1, "low rank", "two"),
    Line("accuracy", 2, "format token alone", "format", "5 3"),
)
SCENE = Scene(
    ((GRADIENT,), (ACCURACY,)),
    (1.8, 1.0),
    (Stop("first correct", FINE_TUNING, passes=("accuracy", 0)), Stop("end", FINE_TUNING)),
    since=FINE_TUNING,
    predict=Predict(
        "with updates of rank 1, which share of the unseen facts comes out?",
        "accuracy",
        "share of unseen facts answered correctly, low rank",
        (0.0, 1.0),
        component=1,
    ),
)
LEARNED = tuning(
    "Accuracy on questions about fine-tuned facts",
    Line("learned", 0, "full", "one"),
    Line("learned", 1, "low rank", "two", "5 3"),
)
ALIGNED = tuning(
    "Cosine between the format token and the first direction", Line("aligned", 0, "low rank", "two")
)
MISSES = "At n = {tuned:n} rank 1 misses {missed:%} of the first gradient's norm. "
BEST = MISSES + "At their best full steps "
CAPTION = (
    CaptionCase(none_tuned, "No fact is fine-tuned, so there is no gradient."),
    CaptionCase(lambda r, p: p.steps < 0.5, MISSES + "No step is made yet."),
    CaptionCase(
        lambda r, p: ~some_extracted_by_either(r, p),
        MISSES + "No unseen fact comes out, by full steps or by those of rank {ranks:n}.",
    ),
    CaptionCase(
        lambda r, p: (r.best - r.best_low).abs() < 1e-9,
        BEST + "and those of rank {ranks:n} give out {best:%} of the unseen facts.",
    ),
    CaptionCase(None, BEST + "give out {best:%} of the unseen facts, those of rank {ranks:n} {best_low:%}."),
)
ROWS = (
    Row("first direction's cosine with the format token", "expected_aligned", "aligned"),
    Row("part of the norm that rank 1 misses", "expected_missed", "missed"),
    Row("mean cosine between two facts' gradients", "", "alike"),
    Row("unseen facts at the end: full", "", "accuracy"),
    Row("… low rank", "", "accuracy_low"),
)
STORY = (
    StoryCard(
        "Fine-tune three facts.",
        {"share": 0.1},
        "Three singular values, and no more: the rank is the number of facts.",
    ),
    StoryCard(
        "Fine-tune all 32.",
        {"share": 1.0},
        "The first one stays where it was. It hardly depends on how many facts there are.",
    ),
    StoryCard(
        "Turn the residual connection off.",
        {"residual": 0.0},
        "The format token's column pales, and the other directions count. Few unseen facts come out, at any rank.",
    ),
    StoryCard(
        "Allow rank 4.",
        {"ranks": 4},
        "The curve of low rank moves towards the full one, late in training only.",
    ),
    StoryCard(
        "Take 60 steps.",
        {"steps": 60},
        "Rank 1 can only push along the format token, so it overfits sooner.",
    ),
)


@live_figure
def figure() -> Live:
    """The first gradient's spectrum, and what comes of fine-tuning along its leading directions."""
    return live(
        with_first_gradient(low_rank()),
        spectrum,
        rank_1,
        scene=SCENE,
        panels=(SPECTRUM, ACCURACY, ALIGNED, LEARNED),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="low_rank",
        more=("steps", "phrases", "multiplicity", "rate", "seed"),
        only=("ranks", "residual", *CONTROLS),
    )
