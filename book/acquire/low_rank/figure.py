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
            "taken apart",
            FINE_TUNING,
            passes=("opened", 0),
            says="The strongest part makes {explained[0]:%} of the first step, counted in squares.",
        ),
        Stop(
            "most",
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
HOLD = "The strongest part, of rank {ranks:n}, holds {held:%} of the first step, counted in squares. "
CAPTION = (
    CaptionCase(none_tuned, "No fact is fine-tuned, so there is no gradient."),
    CaptionCase(lambda r, p: p.steps < 0.5, HOLD + "No step is made yet."),
    CaptionCase(
        lambda r, p: ~some_extracted_by_either(r, p),
        HOLD + "No unseen fact comes out, neither by whole steps nor by those of rank {ranks:n}.",
    ),
    CaptionCase(
        lambda r, p: (r.best - r.best_low).abs() < 1e-9,
        HOLD + "Steps of rank {ranks:n} unlock as many unseen facts as whole ones: {best:%} at their best.",
    ),
    CaptionCase(
        None,
        HOLD
        + "At their best, steps of rank {ranks:n} answer {best_low:%} of the unseen facts, and whole ones {best:%}.",
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
        "Look at the first step.",
        {},
        "Four people, and the question mark that all questions end with. Training says phrases less and answers more. "
        "Which column stands out?",
        "start",
        (GRADIENT.title,),
    ),
    StoryCard(
        "Take it apart.",
        {},
        "One column times one row, drawn at its edges, makes 93 % of the step, counted in squares: one direction. What "
        "is left is each person’s own.",
        "taken apart",
        (GRADIENT.title,),
    ),
    StoryCard(
        "Train along one direction only.",
        {},
        "That is enough: steps of rank 1 unlock the unseen facts as full steps do. Both come to 31 of 32, and later "
        "lose many again.",
        "",
        (ACCURACY.title,),
    ),
    StoryCard(
        "Fine-tune three facts.",
        {"share": 0.1},
        "Still one direction holds 94 % of the step. But with so little practice no unseen fact stays unlocked.",
        "",
        (GRADIENT.title, ACCURACY.title),
    ),
    StoryCard(
        "Fine-tune all 32.",
        {"share": 1.0},
        "Again it is 94 %. All 16 unseen facts come out, and stay, by either kind of step.",
        "",
        (ACCURACY.title,),
    ),
    StoryCard(
        "Turn the residual link off.",
        {"residual": 0.0},
        "This breaks a hypothesis of the second finding: the question mark loses its extra weight, and 39 % of the "
        "step is left over. Half of the unseen facts come out, by either kind of step.",
        "",
        (GRADIENT.title, ACCURACY.title),
    ),
    StoryCard(
        "Go on for 60 steps.",
        {"steps": 60},
        "Rank 1 pushes along the question mark only, so it forgets more: 6 facts of 32 are left, with full steps 11.",
        "",
        (ACCURACY.title,),
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
