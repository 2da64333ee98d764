"""Lemma 6, live: stage 2 of Algorithm 1 from the saddle, with three subjects."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.recall.charts import FROM_THE_SADDLE, LOSS, constant, temperature
from book.recall.common import is_perturbed
from book.recall.escape.program import GRID, RADII, Escape, escape
from book.recall.escape.statements import has_fallen, has_left, lemma_6
from book.recall.scene import PASS, TRUE, shown
from lib.program import with_outputs
from lib.recall.algorithm import perturbation
from lib.recall.escape import GRADIENT_LIPSCHITZ, printed_curvature, saddle_spectrum
from lib.recall.landscape import ESCAPE_DIRECTION, ESCAPED
from lib.recall.phases import thresholds
from widgets import Live, live, live_figure
from widgets.figure.panels import (
    Bar,
    BarChart,
    Cases,
    Curve,
    CurveChart,
    Line,
    Pick,
    Points,
    Row,
    TimeChart,
    Trace,
)
from widgets.figure.scenes import Predict, Scene, Step, Stop

_GRID_T = torch.logspace(-2, 1, 81, dtype=torch.float64)
CURVATURE_T = constant(_GRID_T)
RIGHT_CURVATURE = constant(8 * _GRID_T * saddle_spectrum(_GRID_T)[:, 0])
PRINTED_CURVATURE = constant(8 * _GRID_T * printed_curvature(_GRID_T))
PREDICTED_RADII = constant(GRID)
MEASURED_RADII = constant(torch.tensor(RADII, dtype=torch.float64))
LARGEST_RATE = constant(torch.tensor(1 / GRADIENT_LIPSCHITZ, dtype=torch.float64))
"""c₂ at which η₂ = 1/ℓ."""


def radius(r: Escape, p: Any) -> Tensor:
    """The perturbation radius of the run."""
    return p.perturbation_radius


FARTHEST = 0.3
"""log₁₀ of the distance up to which the prediction is drawn: the run slows down before."""
DISTANCE = TimeChart(
    title="log₁₀ of the distance from the saddle along ε̃",
    series=(
        Line("distance", 1, "predicted", "predicted", "5 3"),
        Line("distance", 0, "measured", "measured"),
    ),
    domain=(-4.0, 0.5),
)
SHOWN = 1.6
"""The chart goes on until this many times the steps in which the prediction comes to its end."""
AWAY = CurveChart(
    title="Distance from the saddle, log₁₀ (along a straight line it grows by one factor a step)",
    x="gradient steps",
    traces=(
        Trace("shown_step", "distance", 0, "measured", "measured"),
        Trace("shown_step", "foretold", 0, "predicted", "rough", "6 4"),
    ),
    domain=DISTANCE.domain,
)
"""Without the long rest in the valley, and what the prediction comes to once it has long stopped holding."""
SCENE = Scene(
    AWAY,
    beside=(PASS, TRUE),
    stops=(
        Stop(
            "below log 2",
            0,
            passes=("below_log_2", 0),
            says="The loss falls below log 2. Near the saddle each step took the run {factor} times as far from it.",
        ),
        Stop("settled", 0, "rests"),
    ),
    predict=Predict(
        "how does the distance from the saddle grow? (−3 is a thousandth)",
        "distance",
        "log₁₀ of the distance from the saddle",
        (-4.0, 0.5),
    ),
)
CURVATURE = CurveChart(
    title="Curvature along ε̃ at the saddle, times 8T",
    x="temperature T",
    x_scale="log",
    x_domain=(0.01, 10.0),
    series=(
        Curve(CURVATURE_T, RIGHT_CURVATURE, "correct", "predicted"),
        Curve(CURVATURE_T, PRINTED_CURVATURE, "as printed", "bad", "5 3"),
    ),
    points=(Points(temperature, "measured", "measured", "measured"),),
    domain=(-1.05, -0.7),
    pick=Pick(x="temperature"),
)
SPECTRUM = BarChart(
    title="Curvature at the saddle in four directions, times 8T",
    labels=("½(1,1,−1,−1) = ε̃", "½(1,1,1,1)", "½(1,−1,1,−1)", "½(1,−1,−1,1)"),
    bars=(Bar("spectrum", "", "measured"),),
    x="eigenvalue of the Hessian, times 8T",
)
TIMES = CurveChart(
    title="Steps until the saddle is left",
    x="size of the push, r",
    y="steps",
    x_scale="log",
    x_domain=(1e-10, 1.0),
    series=(Curve(PREDICTED_RADII, "predicted", "predicted", "predicted", "5 3"),),
    points=(
        Points(MEASURED_RADII, "runs", "measured", "measured", "ring"),
        Points(radius, "measured_escape", "this run", "run"),
    ),
    domain=(0.0, 10.0),
    pick=Pick(x="perturbation_radius"),
)
CAPTION: Cases = {
    "fallen, not left": lambda r, p: has_fallen(r, p) & ~has_left(r, p),
    "fallen, starts away": lambda r, p: has_fallen(r, p) & (r.predicted_escape < 1),
    "fallen": has_fallen,
    "not perturbed": lambda r, p: ~is_perturbed(r, p),
    "not left, too early to tell": lambda r, p: ~has_left(r, p) & r.undecided,
    "too early to tell": lambda r, p: r.undecided,
    "steps too large": lambda r, p: p.temperature < thresholds().below_log_2,
    "otherwise": None,
}
PAIRS = ("none", "first", "second")
ROWS = (
    Row(f"steps until the pairs differ by {ESCAPED:g} in attention", "predicted_escape", "measured_escape"),
    Row("steps until the loss is below log 2", "", "fallen"),
    Row("curvature along ε̃ as printed", "printed_curvature", "curvature"),
    Row("growth of the distance in a step", "grows", "grew"),
    Row("pair that wins", "predicted_winner", "measured_winner", PAIRS),
    Row("part of the push along the way out, ⟨ξ, ε̃⟩", "", "overlap"),
    Row("loss L₁ at the end", "lowest", "end_loss"),
    Row("loss at the saddle, above log 2", "", "gap"),
    Row("fall of the loss since the saddle", "", "gain"),
    Row("largest c₂ with η₂ ≤ 1/ℓ, as T falls", LARGEST_RATE, ""),
)
WHY = (
    Step(
        "directions",
        SPECTRUM._replace(labels=("ε̃ = + + − −", "+ + + +", "+ − + −", "+ − − +"), x="curvature"),
    ),
    Step("curvature", CURVATURE),
    Step("growth", DISTANCE),
    Step("time", TIMES),
    Step("winner", FROM_THE_SADDLE),
    Step("below", LOSS),
)
"""Beside the steps of *Why it is true*."""


def growth(curvature: Tensor, p: Any) -> Tensor:
    """The factor 1 − η₂λ by which a step multiplies the distance from the saddle, along a direction of curvature λ."""
    return 1 - p.rate_2 * p.temperature**2 * curvature


def _growing(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
    line = seen.distance[1:]
    holds = (line < FARTHEST) & (p.perturbation_radius > 0)
    factor = growth(saddle_spectrum(p.temperature)[0], p)
    push = perturbation(p.seed, p.perturbation_radius)[:4]
    began = (push @ torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)).abs().clamp(min=1e-12)
    end = SHOWN * (FARTHEST - torch.log10(began)) / torch.log10(factor)
    return {
        "factor": factor.reshape(1),
        "foretold": torch.where(holds, line, torch.nan),
        "shown_step": torch.minimum(state.step, torch.ceil(end)).reshape(1),
        "below_log_2": math.log(2) - seen.loss,
    }


def _growth(reported: Any, ends: Any, p: Any) -> dict[str, Tensor]:
    rests = (ends[0].moving[0] < 0.5) & torch.isfinite(reported.measured_escape)
    return {
        "grows": growth(reported.right_curvature, p),
        "grew": growth(reported.curvature, p),
        "rests": torch.where(rests, ends[0].step, torch.nan),
        "escaped": torch.tensor(ESCAPED, dtype=torch.float64),
    }


@live_figure
def figure() -> Live:
    """Stage 2 alone, its escape predicted from the curvature at the saddle."""
    return live(
        with_outputs(shown(escape()), _growing, _growth),
        lemma_6,
        scene=SCENE,
        panels=(FROM_THE_SADDLE, LOSS, DISTANCE, TIMES, CURVATURE, SPECTRUM),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        name="escape",
        more=("steps",),
    )
