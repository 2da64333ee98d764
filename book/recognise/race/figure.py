"""Lemma 4.3, live: three numbers race to the max-margin direction, inside its cone or out of it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.recognise.charts import over_log_time
from book.recognise.race.program import comes_above_targets, ends_inside, race, ratio_lasts
from book.recognise.race.statements import forever, lemma_4_3
from lib.domain import INFINITE
from lib.program import with_outputs
from lib.recognise.gradient_flow import has_reached
from widgets import Live, live, live_figure
from widgets.figure.panels import (
    Area,
    Bar,
    BarChart,
    CaptionCase,
    Curve,
    CurveChart,
    Level,
    Path,
    Pick,
    Points,
    Row,
    StoryCard,
    Trace,
    TruthMap,
)
from widgets.figure.scenes import Predict, Scene, Step, Stop

LENGTHS = torch.arange(4, 41, dtype=torch.float64)
"""(37,) lengths for which the border of the cone is drawn."""
CONE = torch.tensor([1.0, 2.0], dtype=torch.float64)
"""The ratios between which Lemma 4.3's cone lies."""


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


RATIO = over_log_time(
    title="How fast “the” falls ÷ how fast Bob or banana rises",
    x_domain=(0.3, 1e8),
    domain=(0.0, 2.2),
    areas=(
        Area(
            lambda r, p: torch.tensor([1e-1, 1e8], dtype=torch.float64),
            lambda r, p: CONE[:1].expand(2),
            lambda r, p: CONE[1:].expand(2),
            "cone",
            "faint",
        ),
    ),
    traces=(
        Trace("time", "slopes", 0, "just now", "measured"),
        Trace("time", "ratio", 0, "so far", "run"),
    ),
    levels=(Level("limit", "limit"), Level("half", "T₀.₅", axis="x")),
)
PLANE = CurveChart(
    title="The race in the plane (grey: the cone)",
    x="Bob or banana, the larger G",
    y="“the”, −G(μ₃)",
    areas=(Area(ray, ray, lambda r, p: 2 * ray(r, p), "", "faint"),),
    series=(Curve(ray, lambda r, p: r.limit * ray(r, p), "max margin", "predicted", "5 3"),),
    path=Path("along", "away", "now"),
)
SCENE = Scene(
    RATIO,
    beside=(PLANE,),
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
        "Bob and banana rise, “the” falls. How many times as fast as the quicker of them?",
        "slopes",
        "how fast “the” falls ÷ how fast the quicker rises",
        (-1.0, 3.0),
    ),
)
PACE = BarChart(
    title="τ times the slopes, at the end",
    labels=("Bob", "banana", "the"),
    bars=(Bar("pace", "measured", "measured"), Bar("goal", "max margin", "predicted")),
    domain=(-3.0, 2.0),
    x="τ G′(μ)",
)
BORDER = CurveChart(
    title="Where the cone holds for ever",
    x="words in a sample, L",
    y="samples n",
    y_scale="log",
    x_domain=(4, 40),
    domain=(6, 1e6),
    areas=(
        Area(lengths, border, lambda r, p: torch.full_like(LENGTHS, 1e6), "for ever", "good"),
        Area(lengths, lambda r, p: torch.full_like(LENGTHS, 6.0), border, "not", "bad"),
    ),
    series=(
        Curve(lengths, border, "3(L + 1)", "predicted"),
        Curve(lengths, lambda r, p: LENGTHS**2, "L²", "rough", "5 3"),
    ),
    points=(Points(lambda r, p: p.length, lambda r, p: p.samples, "here", "run", "ring"),),
    pick=Pick(x="length", y="samples"),
)
CAPTION = (
    CaptionCase(
        lambda r, p: ~has_reached(r.last, 10**p.end),
        "The run was given up at τ = {last}, before its end. The separator's ratio is {limit}.",
    ),
    CaptionCase(
        lambda r, p: ends_inside(r, p) & ratio_lasts(r, p),
        "The ratio of the slopes is in the cone from τ = {half} on and ends at {slopes}; the separator's is {limit}.",
    ),
    CaptionCase(
        ends_inside,
        "The ratio of the slopes is {slopes} at the end, inside the cone, though the separator's is {limit}. "
        "Attention, a random start or too short a run keep them apart.",
    ),
    CaptionCase(
        comes_above_targets,
        "At the end the common word falls as fast as both targets rise together, or faster: that is outside the cone. "
        "The separator's ratio is {limit}.",
    ),
    CaptionCase(
        ratio_lasts,
        "At the end the common word falls no faster than the quicker target rises: that is outside the cone, though "
        "the separator's ratio is {limit}. Attention, a random start or too short a run keep them apart.",
    ),
    CaptionCase(
        None,
        "The irrelevant words do too much of the work. At the end the common word falls no faster than the quicker "
        "target rises, and the separator's ratio is {limit}, no more than 1.",
    ),
)
ROWS = (
    Row("τ from which −G′(μ₃) exceeds G′(μ₁), G′(μ₂)", "", "half"),
    Row("τ from which it is below their sum", "", "below"),
    Row("−G′(μ₃) over the larger target's, at the end", "limit", "slopes"),
    Row("−G(μ₃) over the larger target's, at the end", "limit", "ratio"),
    Row("loss times τN/N₀, corrected for ‖a‖²G", "square", "loss"),
)
FOLDED = ("sigma_0", "sigma_1", "neurons", "layer", "learned", "random", "end")
STORY = (
    StoryCard(
        "Who is ahead?",
        {},
        "The common word falls, both targets rise. Soon it falls faster than either rises, and slower than both "
        "together. Fewer samples, or longer ones: when does it lose its lead?",
    ),
    StoryCard(
        "Take 30 samples of 10 words.",
        {"samples": 30, "length": 10},
        "Below the border n = 3(L + 1) = 33: the ratio stays under 1 for ever.",
    ),
    StoryCard(
        "Take 1000 samples of 40 words.",
        {"samples": 1000, "length": 40},
        "Fewer than L² = 1600, which the paper requires, and no matter: the border is at 123.",
    ),
    StoryCard(
        "Take a million samples.",
        {"samples": 1e6},
        "Irrelevant words no longer count. The separator is (2, 2, −3), and the ratio ends at 3/2.",
    ),
    StoryCard(
        "Make the network infinitely wide and start at the mean.",
        {"width": INFINITE, "random": 0},
        "Slopes and separator agree to four digits.",
    ),
    StoryCard(
        "Set |a| to 0.03.",
        {"layer": 0.03},
        (
            "N₀ is small. Attention learns, and with it what F is made of: the ratio ends a little above the "
            "separator's."
        ),
    ),
)
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
        with_outputs(race(), turns),
        lemma_4_3,
        forever,
        scene=SCENE,
        panels=(RATIO, PLANE, PACE, BORDER),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        map=TruthMap(
            "samples", "length", lambda r, p: p.samples - 3 * (p.length + 1), "n = 3(L + 1), as proved here"
        ),
        name="race",
        more=FOLDED,
        only=("samples", "length", "width", "seed", *FOLDED),
    )
