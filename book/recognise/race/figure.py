"""Lemma 4.3, live: three numbers race to the max-margin direction, inside its cone or out of it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.recognise.charts import over_log_time
from book.recognise.common import END_OF_PHASE_1
from book.recognise.race.program import State, comes_above_targets, ends_inside, race, ratio_lasts
from book.recognise.race.statements import forever, lemma_4_3
from lib.program import with_outputs
from lib.recognise import orbit
from lib.recognise.gradient_flow import has_reached
from lib.recognise.setting import scaled
from widgets import Live, live, live_figure
from widgets.figure.panels import (
    Area,
    Bar,
    BarChart,
    Cases,
    Curve,
    CurveChart,
    Level,
    Path,
    Pick,
    Points,
    Row,
    Trace,
    TruthMap,
)
from widgets.figure.scenes import Predict, Scene, Step, Stop

LENGTHS = torch.arange(4, 41, dtype=torch.float64)
"""(37,) lengths for which the border of the cone is drawn."""
SLOWEST, FASTEST = -0.5, 2.6
"""The ends of the axis of ratios."""
ONLY_BOB = 1
"""The place of this kind of sentence among the four."""


def lengths(r: Any, p: Any) -> Tensor:
    """:data:`LENGTHS`, (37,)."""
    return LENGTHS


def border(r: Any, p: Any) -> Tensor:
    """3(L + 1), the least number of samples for which the cone lasts, (37,)."""
    return 3 * (LENGTHS + 1)


def ray(r: Any, p: Any) -> Tensor:
    """The ends of the rays in the plane, on its horizontal axis, (2,)."""
    reach = torch.clamp(r.along, min=1.0)
    return torch.stack([torch.zeros_like(reach), reach])


def turns(seen: Any, _state: Any, _p: Any) -> dict[str, Tensor]:
    """What is above zero once the common word falls faster than either target rises."""
    return {"leads": seen.slopes.reshape(1) - 1}


def votes(seen: Any, state: State, p: Any) -> dict[str, Tensor]:
    """What Bob, “the” and all other words add to the output of a sentence with Bob alone, and that output, (4,)."""
    sizes, _ = scaled(p, p.learned)
    here = state.flow.orbit
    bob, _, the = here.blocks.output[:3]
    output = orbit.outputs(here, sizes)[ONLY_BOB]
    return {"votes": torch.stack([bob, the, output - bob - the, output])}


def watched(seen: Any, state: State, p: Any) -> dict[str, Tensor]:
    """What the scene shows beside what the program watches."""
    return turns(seen, state, p) | votes(seen, state, p)


def at(ratio: float) -> Any:
    """A level of the ratio, along the axis of time, (2,)."""
    return lambda r, p: torch.full_like(always(r, p), ratio)


def always(r: Any, p: Any) -> Tensor:
    """The ends of the axis of time, (2,)."""
    return torch.tensor([1e-1, 1e8], dtype=torch.float64)


RATIO = over_log_time(
    title="Speed of “the” ÷ speed of Bob or banana",
    x_domain=(0.3, 1e8),
    domain=(0.0, FASTEST),
    areas=(
        Area(always, at(2.0), at(FASTEST), "too fast", "bad"),
        Area(always, at(1.0), at(2.0), "just right", "good"),
        Area(always, at(SLOWEST), at(1.0), "too slow", "bad"),
    ),
    traces=(Trace("time", "slopes", 0, "“the”", "common"),),
    levels=(Level("limit", "theory"), Level(END_OF_PHASE_1, "Phase 1 ends", axis="x")),
)
PLANE = CurveChart(
    title="Green: “the” outvotes one, not both",
    x="how much Bob or banana says yes",
    y="how much “the” says no",
    areas=(Area(ray, ray, lambda r, p: 2 * ray(r, p), "", "good"),),
    series=(Curve(ray, lambda r, p: r.limit * ray(r, p), "theory", "predicted", "5 3"),),
    path=Path("along", "away", "now"),
)
VOTES = BarChart(
    title="Who decides a sentence with Bob alone?",
    labels=("Bob", "“the”", "other words", "sum"),
    bars=(Bar("votes", "", "measured", "now"),),
    x="← no, yes →",
    colours=("target-1", "common", "other", "run"),
)
SCENE = Scene(
    RATIO,
    beside=(VOTES,),
    stops=(
        Stop(
            "“the” takes the lead",
            0,
            passes=("leads", 0),
            says="“the” now falls {slopes} times as fast as the quicker of Bob and banana rises.",
        ),
        Stop("end", 0, says="“the” falls {slopes} times as fast as the quicker of Bob and banana rises."),
    ),
    predict=Predict(
        "Bob and banana rise, “the” falls. How much faster than the quicker of the two?",
        "slopes",
        "how fast “the” falls ÷ how fast the quicker rises",
        (-1.0, 3.0),
    ),
)
PACE = BarChart(
    title="How fast the words move at the end",
    labels=("Bob", "banana", "the"),
    bars=(Bar("pace", "measured", "measured"), Bar("goal", "theory", "predicted")),
    domain=(-3.0, 2.0),
    x="speed times training time",
)
BORDER = CurveChart(
    title="Where “the” keeps its lead for ever",
    x="words in a sentence",
    y="sentences",
    y_scale="log",
    x_domain=(4, 40),
    domain=(6, 1e6),
    areas=(
        Area(lengths, border, lambda r, p: torch.full_like(LENGTHS, 1e6), "for ever", "good"),
        Area(lengths, lambda r, p: torch.full_like(LENGTHS, 6.0), border, "not", "bad"),
    ),
    series=(
        Curve(lengths, border, "border", "predicted"),
        Curve(lengths, lambda r, p: LENGTHS**2, "the paper’s n = L²", "rough", "5 3"),
    ),
    points=(Points(lambda r, p: p.length, lambda r, p: p.samples, "here", "run", "ring"),),
    pick=Pick(x="length", y="samples"),
)
CAPTION: Cases = {
    "not end reached": lambda r, p: ~has_reached(r.last, 10**p.end),
    "ends inside, ratio lasts": lambda r, p: ends_inside(r, p) & ratio_lasts(r, p),
    "ends inside": ends_inside,
    "comes above targets": comes_above_targets,
    "ratio lasts": ratio_lasts,
    "otherwise": None,
}
ROWS = (
    Row("τ from which −G′(μ₃) exceeds G′(μ₁), G′(μ₂)", "", "half"),
    Row("τ from which it is below their sum", "", "below"),
    Row("−G′(μ₃) over the larger target’s, at the end", "limit", "slopes"),
    Row("−G(μ₃) over the larger target’s, at the end", "limit", "ratio"),
    Row("loss times τN/N₀, corrected for ‖a‖²G", "square", "loss"),
)
FOLDED = ("sigma_0", "sigma_1", "neurons", "layer", "learned", "random", "end")
WHY = (
    Step("pull", PACE),
    Step("rest", RATIO),
    Step("border", BORDER),
    Step("plane", PLANE),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Lemma 4.3 and its border on one run."""
    return live(
        with_outputs(race(), watched),
        lemma_4_3,
        forever,
        scene=SCENE,
        panels=(RATIO, PLANE, PACE, BORDER),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        map=TruthMap(
            "samples", "length", lambda r, p: p.samples - 3 * (p.length + 1), "n = 3(L + 1), as proved here"
        ),
        name="race",
        more=FOLDED,
        only=("samples", "length", "width", "seed", *FOLDED),
    )
