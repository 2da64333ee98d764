"""One slider for each hypothesis of Theorems 3.1 and 3.2: move it until something breaks."""

from __future__ import annotations

from book.recognise.breaking.scene import SCENE, with_claims
from book.recognise.breaking.statements import condition_1
from book.recognise.charts import CAPTION, LOSSES, OUTPUTS, SINCE
from book.recognise.two_phases import two_phases
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, Row, StoryCard, TruthMap
from widgets.figure.scenes import Step

AT_1 = BarChart(
    title="G at the end of Phase 1",
    labels=("G(μ₁)", "G(μ₂)", "G(μ₃)"),
    bars=(Bar("signals", "", "measured"),),
    x="G(μ) at T₁",
)
SHOWN = ("positive", "single", "samples", "length", "width", "neurons", "sigma_0", "sigma_1", "seed")
FOLDED = ("first", "layer", "constant", "random", "learned", "end")
ROWS = (
    Row("the separator lies in the cone", "", "lasting", ("no", "yes")),
    Row("all samples correct from τ", "", "correct"),
    Row("−G(μ₃) over the larger target's at the end", "limit", "ratio"),
)
STORY = (
    StoryCard(
        "All hypotheses hold.",
        {},
        "Both theorems come out at these settings: at the end of Phase 1 the words have their signs, and Phase 2 "
        "keeps them. The next cards break one hypothesis at a time.",
    ),
    StoryCard(
        "Take 30 samples of 10 words.",
        {"samples": 30, "length": 10},
        "n is below 3(L + 1): a sign of Theorem 3.2 never comes.",
    ),
    StoryCard(
        "Take 60 samples of 10 words.",
        {"samples": 60, "length": 10},
        "n is still below L², but above 3(L + 1): the separator lies in the cone, though a random start may ask "
        "for a longer Phase 1.",
    ),
    StoryCard(
        "Make σ₁ ten times smaller.",
        {"sigma_1": 0.1},
        "Values grow as fast as the MLP. At τ = 40 the loss is gone, so Theorem 3.1's last item fails.",
    ),
    StoryCard(
        "Let one in ten samples hold both targets.",
        {"positive": 0.1},
        "The common word falls at once. Positive samples wait, and item by item things come later.",
    ),
    StoryCard(
        "Use 10,000 neurons on a width of 64.",
        {"neurons": 1e4, "width": 64.0},
        "m is far below m₁: N grows many times over in Phase 1, and the loss has gone by T₁.",
    ),
)
WHY = (
    Step("labels", OUTPUTS),
    Step("samples", AT_1),
    Step("start", LOSSES),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Both theorems, and a slider for each hypothesis."""
    return live(
        with_claims(two_phases()),
        condition_1,
        scene=SCENE,
        panels=(SINCE, LOSSES, OUTPUTS, AT_1),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        map=TruthMap("samples", "length"),
        name="breaking",
        more=FOLDED,
        only=(*SHOWN, *FOLDED),
    )
