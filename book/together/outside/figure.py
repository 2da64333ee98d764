"""The way out of Huang et al.'s saddle, live, with a switch for the rule of descent."""

from __future__ import annotations

from book.recall.charts import FROM_THE_SADDLE, LOSS
from book.recall.common import is_perturbed
from book.recall.scene import saddle, shown
from book.together.outside.program import ruled
from book.together.outside.statements import has_fallen, has_left, is_linear, other_rules, outgrows
from lib.recall.landscape import ESCAPED
from widgets import Live, live, live_figure
from widgets.figure.panels import Cases, Line, Row, TimeChart

DISTANCE = TimeChart(
    title="log₁₀ of the distance from the saddle along ε̃",
    series=(
        Line("distance", 1, "predicted", "predicted", "5 3"),
        Line("distance", 0, "measured", "measured"),
    ),
    domain=(-10.0, 0.5),
)
CAPTION: Cases = {
    "not perturbed": lambda r, p: ~is_perturbed(r, p),
    "not linear, left": lambda r, p: ~is_linear(r, p) & has_left(r, p),
    "not outgrows": lambda r, p: ~outgrows(r, p),
    "not left": lambda r, p: ~has_left(r, p),
    "fallen": has_fallen,
    "otherwise": None,
}
ROWS = (
    Row(f"steps until the pairs differ by {ESCAPED:g} in attention", "predicted_escape", "measured_escape"),
    Row("steps until the loss is below log 2", "", "fallen"),
    Row("logarithm of the growth in a step", "growth", ""),
    Row("growth that this weight decay would cancel", "cancelled", ""),
    Row("part of the push along the way out, ⟨ξ, ε̃⟩", "", "overlap"),
    Row("loss L₁ at the end", "lowest", "end_loss"),
)


@live_figure
def figure() -> Live:
    """Stage 2 from the saddle by four rules of descent."""
    return live(
        shown(ruled()),
        other_rules,
        scene=saddle(0),
        panels=(FROM_THE_SADDLE, LOSS, DISTANCE),
        caption=CAPTION,
        rows=ROWS,
        name="outside",
        more=("steps",),
    )
