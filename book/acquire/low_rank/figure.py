"""Proposition 3 and Lemmas 23 to 25, live: the fine-tuning gradient is almost of rank 1."""

from __future__ import annotations

from book.acquire.charts import CONTROLS, FINE_TUNING, tuning
from book.acquire.extraction import none_tuned
from book.acquire.low_rank.program import low_rank
from book.acquire.low_rank.scene import GRADIENT, with_first_gradient
from book.acquire.low_rank.statements import rank_1, some_extracted_by_either, spectrum
from lib.acquire.low_rank import MOST_RANKS
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, Line, Row, StoryCard
from widgets.figure.scenes import Predict, Scene, Step, Stop

SPECTRUM = BarChart(
    title="Singular values of the first gradient",
    labels=(*(f"σ{'₁₂₃₄'[i]}" for i in range(MOST_RANKS)), "all others"),
    bars=(Bar("values", "measured", "measured"), Bar("expected", "closed form", "predicted")),
    domain=(0.0, 1.0),
    x="size, as a fraction of the gradient’s norm",
)
ACCURACY = tuning(
    "Unseen facts answered correctly",
    Line("accuracy", 0, "full steps", "one"),
    Line("accuracy", 1, "low rank", "two"),
    Line("accuracy", 2, "format token alone", "format", "5 3"),
)
BY = "{accuracy[0]:%} by full steps, {accuracy[1]:%} by low-rank ones"
SCENE = Scene(
    GRADIENT,
    beside=(ACCURACY,),
    stops=(
        Stop(
            "first correct",
            FINE_TUNING,
            passes=("accuracy", 0),
            says="Unseen facts begin to come out: " + BY + ".",
        ),
        Stop(
            "nearly all",
            FINE_TUNING,
            passes=("nearly", 0),
            says="Nearly all unseen facts are answered correctly: " + BY + ".",
        ),
        Stop(
            "they part",
            FINE_TUNING,
            passes=("apart", 0),
            says="The two kinds of steps part: unseen facts right, " + BY + ".",
        ),
        Stop("end", FINE_TUNING, says="The last step: unseen facts right, " + BY + "."),
    ),
    since=FINE_TUNING,
    predict=Predict(
        "with updates of rank 1, how many of the unseen facts come out?",
        "accuracy",
        "share of unseen facts answered correctly, low rank",
        (0.0, 1.0),
        component=1,
    ),
)
LEARNED = tuning(
    "Fine-tuned facts answered correctly",
    Line("learned", 0, "full steps", "one"),
    Line("learned", 1, "low rank", "two", "5 3"),
)
ALIGNED = tuning(
    "Cosine between the format token and the first direction", Line("aligned", 0, "low rank", "two")
)
MISSES = "Rank {ranks:n} leaves {left_here:%} of the first gradient’s squared norm. "
CAPTION = (
    CaptionCase(none_tuned, "No fact is fine-tuned, so there is no gradient."),
    CaptionCase(lambda r, p: p.steps < 0.5, MISSES + "No step is made yet."),
    CaptionCase(
        lambda r, p: ~some_extracted_by_either(r, p),
        MISSES + "No unseen fact comes out, by full steps or by those of rank {ranks:n}.",
    ),
    CaptionCase(
        lambda r, p: (r.best - r.best_low).abs() < 1e-9,
        MISSES + "At their best, full steps and those of rank {ranks:n} answer {best:%} of the unseen facts.",
    ),
    CaptionCase(
        None,
        MISSES
        + "At their best, full steps answer {best:%} of the unseen facts, and those of rank {ranks:n} {best_low:%}.",
    ),
)
ROWS = (
    Row("first direction’s cosine with the format token", "expected_aligned", "aligned"),
    Row("share of the squared norm that rank 1 leaves", "expected_left", "left"),
    Row("mean cosine between two facts’ gradients", "", "alike"),
    Row("unseen facts right at the end: full steps", "", "accuracy"),
    Row("… low rank", "", "accuracy_low"),
)
STORY = (
    StoryCard(
        "Look at the first gradient.",
        {},
        "Each question pushes two columns: its subject’s, and that of p, the format token, which all questions share. "
        "Which one stands out?",
        "start",
        (GRADIENT.title,),
    ),
    StoryCard(
        "Take it apart.",
        {},
        "Its strongest part is one column times one row, and almost all of it: 7 % of the squared norm is left over.",
        "start",
        (GRADIENT.title,),
    ),
    StoryCard(
        "Train along one direction only.",
        {},
        "Steps of rank 1 unlock the unseen facts as full steps do: both come to 31 of 32, and later lose many again.",
        "",
        (ACCURACY.title,),
    ),
    StoryCard(
        "Fine-tune three facts.",
        {"share": 0.1},
        "Now the gradient has rank 3 at most. Still only 6 % is left after the first direction, but no unseen fact "
        "stays unlocked.",
    ),
    StoryCard(
        "Fine-tune all 32.",
        {"share": 1.0},
        "Still only 6 % is left over. All 16 unseen facts come out, and stay, by either kind of step.",
    ),
    StoryCard(
        "Turn the residual link off.",
        {"residual": 0.0},
        "This breaks a hypothesis. The format token loses its extra weight: 39 % is left over, and only half of the "
        "unseen facts come out.",
    ),
    StoryCard(
        "Allow four directions.",
        {"ranks": 4},
        "The best moment is no better. After 30 steps rank 4 still has 11 facts of 32, where rank 1 has 10.",
    ),
    StoryCard(
        "Go on for 60 steps.",
        {"steps": 60},
        "Rank 1 can push along the format token only, so it forgets more: 6 facts of 32 are left, with full steps 11.",
    ),
)
WHY = (
    Step("cosine", ALIGNED),
    Step("values", SPECTRUM._replace(x="share of the norm")),
    Step("lost", LEARNED),
)
"""Beside the steps of *Why it is true*."""


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
        why=WHY,
        name="low_rank",
        more=("steps", "phrases", "multiplicity", "rate", "seed"),
        only=("ranks", "residual", *CONTROLS),
        **controls.opens(low_rank(), multiplicity=6),
    )
