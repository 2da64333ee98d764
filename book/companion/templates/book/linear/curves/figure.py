"""The page's live figure."""

from __future__ import annotations

from book.linear.curves.program import training
from book.linear.curves.statements import learning_curve
from livetorch import Live, live, live_figure
from livetorch.figure.panels import Cases, Line, Row, TimeChart, TruthMap
from livetorch.figure.scenes import Scene, Stop

STRENGTHS = TimeChart(
    title="Strength of each mode",
    series=(
        Line("strength", 0, "strongest mode", "one"),
        Line("strength", 1, "middle mode", "two"),
        Line("strength", 2, "weakest mode", "three"),
        Line("curve", 0, "predicted", "predicted", "4 3"),
        Line("curve", 1, "", "predicted", "4 3"),
        Line("curve", 2, "", "predicted", "4 3"),
    ),
    domain=(0.0, 3.0),
)
LEFT = TimeChart(title="What is left to learn", series=(Line("left", 0, "size of the error", "run"),))
SCENE = Scene(
    STRENGTHS,
    beside=(LEFT,),
    stops=(
        Stop(
            "strongest half learned",
            0,
            "strong_step",
            says="The strongest mode is at {strength[0]}, the weakest at {strength[2]}.",
        ),
        Stop("weakest half learned", 0, "weak_step", says="Now the weakest mode, too, is at {strength[2]}."),
    ),
)
CAPTION: Cases = {
    "too early to tell": lambda r, p: ~r.learned,
    "correlated": lambda r, p: p.correlation > 0,
    "unbalanced": lambda r, p: p.imbalance > 0,
    "large steps": lambda r, p: r.gap > 0.05,
    "on the curves": None,
}
ROWS = (
    Row("strongest mode half learned at time", lambda r, p: r.predicted_half[0], lambda r, p: r.half[0]),
    Row("weakest mode half learned at time", lambda r, p: r.predicted_half[2], lambda r, p: r.half[2]),
    Row("largest distance from the curve, as a share of s", "", "gap"),
)


@live_figure
def figure() -> Live:
    """Gradient descent on both layers, beside the paper's curves."""
    return live(
        training(),
        learning_curve,
        scene=SCENE,
        panels=(STRENGTHS, LEFT),
        caption=CAPTION,
        rows=ROWS,
        map=TruthMap("imbalance", "correlation"),
        name="curves",
        more=("weak", "rate", "steps"),
    )
