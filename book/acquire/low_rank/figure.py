"""Proposition 3 and Lemmas 23 to 25, live: the fine-tuning gradient is almost of rank 1."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from book.acquire.charts import CONTROLS, FINE_TUNING, tuning
from book.acquire.extraction import none_tuned
from book.acquire.low_rank.program import low_rank
from book.acquire.low_rank.scene import FIRST_STEP, with_first_step
from book.acquire.low_rank.statements import rank_1, some_extracted_by_either, spectrum
from lib.acquire.low_rank import MOST_RANKS
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Bar, BarChart, Cases, Line, Row
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
    Line("accuracy", 0, "full steps", "measured"),
    Line("accuracy", 1, "main direction", "two"),
    Line("accuracy", 2, "question mark alone", "format", "5 3"),
)
BY = "{accuracy[0]:%} by full steps, {accuracy[1]:%} along the main direction"
SCENE = Scene(
    FIRST_STEP,
    beside=(ACCURACY,),
    stops=(
        Stop(
            "main direction",
            FINE_TUNING,
            passes=("opened", 0),
            says="The main direction holds {explained[0]:%} of the first step.",
        ),
        Stop(
            "most are right",
            FINE_TUNING,
            passes=("nearly", 0),
            says="Nearly all unseen facts are answered correctly: " + BY + ".",
        ),
        Stop(
            "the curves part",
            FINE_TUNING,
            passes=("apart", 0),
            says="The two kinds of steps part: unseen facts right, " + BY + ".",
        ),
        Stop("end", FINE_TUNING, says="The last step: unseen facts right, " + BY + "."),
    ),
    since=FINE_TUNING,
    predict=Predict(
        "with updates along one direction, how many of the unseen facts come out?",
        "accuracy",
        "share of unseen facts answered correctly, along one direction",
        (0.0, 1.0),
        component=1,
    ),
)
LEARNED = tuning(
    "Fine-tuned facts answered correctly",
    Line("learned", 0, "full steps", "measured"),
    Line("learned", 1, "main direction", "two", "5 3"),
)
ALIGNED = tuning(
    "Cosine between the question mark and the first direction", Line("aligned", 0, "main direction", "two")
)


def alike(r: Any, p: Any) -> Tensor:
    """At their best both kinds of steps unlock as many unseen facts."""
    return (r.best - r.best_low).abs() < 1e-9


CAPTION: Cases = {
    "no facts tuned": none_tuned,
    "no steps": lambda r, p: p.steps < 0.5,
    "neither extracts any": lambda r, p: ~some_extracted_by_either(r, p),
    "one direction, alike": lambda r, p: (p.ranks < 1.5) & alike(r, p),
    "one direction": lambda r, p: p.ranks < 1.5,
    "both extract alike": alike,
    "otherwise": None,
}
ROWS = (
    Row("first direction’s cosine with the question mark", "expected_aligned", "aligned"),
    Row("share of the squared norm that one direction leaves", "expected_left", "left"),
    Row("mean cosine between two facts’ gradients", "", "alike"),
    Row("unseen facts right at the end: full steps", "", "accuracy"),
    Row("… along the main direction", "", "accuracy_low"),
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
        with_first_step(low_rank()),
        spectrum,
        rank_1,
        scene=SCENE,
        panels=(SPECTRUM, ACCURACY, ALIGNED, LEARNED),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        name="low_rank",
        more=("steps", "phrases", "multiplicity", "rate", "seed"),
        only=("ranks", "residual", *CONTROLS),
        **controls.opens(low_rank(), multiplicity=6),
    )
