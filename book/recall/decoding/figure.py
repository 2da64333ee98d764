"""Lemma 2, live: the second decoding step after one large gradient step, with up to a million subjects."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.recall.charts import constant, temperature
from book.recall.decoding.program import GRID, DecodingReport, decode, drawn_error
from book.recall.decoding.statements import is_large_enough, lemma_2
from book.recall.scene import LOOKUP, NAMED, answering
from lib.program import with_outputs
from lib.recall.general import allowed_error
from widgets import Live, live, live_figure
from widgets.figure.panels import (
    Bar,
    BarChart,
    Cases,
    Curve,
    CurveChart,
    Level,
    Line,
    Pick,
    Points,
    Row,
    TimeChart,
)
from widgets.figure.scenes import Predict, Scene, Step, Stop

GRID_T = constant(GRID)


def is_crowded(r: DecodingReport, p: Any) -> Tensor:
    """Whether the answers that are not shown are what competes with the right one after the large step."""
    return r.hidden_odds > torch.log(r.error_bound / 2)


ATTENTION = BarChart(
    title="Attention from the decoded relation after one large step",
    labels=("q₁  s₁", "q₂  a₁", "q₃  s₂", "q₄  a₂", "q₅  s₃", "q₆  EoS", "q₇  r*"),
    bars=(
        Bar("attention_before", "before", "faint"),
        Bar("attention_predicted", "by the printed gradient", "predicted"),
        Bar("attention_measured", "measured", "measured"),
    ),
    domain=(0.0, 1.0),
    x="attention",
)
TEMPERATURES = CurveChart(
    title="log₁₀ of the error 1 − p₂(a₃) after one large step",
    x="temperature T",
    x_scale="log",
    x_domain=(1e-4, 1.0),
    series=(
        Curve(GRID_T, "grid_error", "by the printed gradient", "predicted"),
        Curve(GRID_T, constant(drawn_error(allowed_error(GRID))), "the lemma’s bound", "rough", "5 3"),
    ),
    points=(Points(temperature, "now_error", "measured", "measured"),),
    levels=(Level("paper_T", "1/(40 log n)", axis="x"), Level("sharp_T", "16/(49 log n)", axis="x")),
    domain=(-12.0, 0.0),
    pick=Pick(x="temperature"),
)
ERROR = TimeChart(
    title="log₁₀ of the error 1 − p₂(a₃) while training",
    series=(
        Line("error", 1, "the lemma’s bound", "rough", "5 3"),
        Line("error", 0, "error", "measured"),
    ),
    domain=(-12.0, 0.0),
)
LEAD = TimeChart(
    title="Lead of the query’s score, ω₅ − max ωᵢ",
    series=(
        Line("gap", 1, "the lemma’s bound", "rough", "5 3"),
        Line("gap", 0, "measured", "measured"),
    ),
    domain=(0.0, 0.5),
)
WRONG = ERROR._replace(title="Chance of error, log₁₀")
SCENE = Scene(
    NAMED,
    beside=(LOOKUP, WRONG),
    stops=(
        Stop(
            "one large step",
            0,
            says="After one large step Madrid has {relation_attention[4]:%} of the attention, and Spain is the "
            "answer with {answered[2]:%}.",
        ),
        Stop("end", 1),
    ),
    predict=Predict(
        "how much attention does Madrid get, from the first step to the last?",
        "relation_attention",
        "attention on Madrid",
        (0.0, 1.0),
        component=4,
    ),
)
CAPTION: Cases = {
    "concluded, sure": lambda r, p: r.concluded & (r.error_after < 0.001),
    "concluded": lambda r, p: r.concluded,
    "crowded": is_crowded,
    "large enough": is_large_enough,
    "sure, above the bound, a rate would do": lambda r, p: (
        (r.error_after < 0.001) & (r.error_after > r.error_bound) & (r.needed_rate < math.inf)
    ),
    "a rate would do": lambda r, p: r.needed_rate < math.inf,
    "otherwise": None,
}
ROWS = (
    Row("size of the large step, η₁", "rate_large", ""),
    Row("size of the small steps, η₂ = c₂T²", "rate_small", ""),
    Row("lead ω₅ − max ωᵢ after the large step", "predicted_gap", "measured_gap"),
    Row("lead after the large step, at least 32η₁/(147T)", "printed_gap", ""),
    Row("lead at the end", "", "end_gap"),
    Row("error 1 − p₂(a₃) before training", "", "error_before"),
    Row("error after the large step", "error_bound", "error_after"),
    Row("error at the end", "error_limit", "error_end"),
    Row("c₁ that is enough by the proof", "needed_rate", ""),
)
WHY = (
    Step("answers", LOOKUP),
    Step("even", LOOKUP, "start"),
    Step("step", ATTENTION),
    Step("lead", LEAD),
    Step("stays", ERROR),
    Step("crowd", TEMPERATURES),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """The second decoding step alone."""
    return live(
        with_outputs(decode(), _shown),
        lemma_2,
        scene=SCENE,
        panels=(ATTENTION, TEMPERATURES, ERROR, LEAD),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        name="decoding",
        more=("rate_2", "seed", "steps"),
    )


def _shown(_seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
    return answering(state.omega, p.subjects, p.temperature)
