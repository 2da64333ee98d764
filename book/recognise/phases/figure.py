"""Theorems 3.1 and 3.2, live: a whole gradient flow in two phases, on a logarithmic clock."""

from __future__ import annotations

from book.recognise.charts import CAPTION, LOSSES, MOMENTS, OUTPUTS, SINCE, four_scores, over_log_time
from book.recognise.phases.statements import theorem_3_1, theorem_3_2
from book.recognise.scene import PLANE, PULLS, SCENE, SENTENCES, with_scene
from book.recognise.two_phases import two_phases
from lib.domain import INFINITE
from widgets import Live, live, live_figure
from widgets.figure.panels import Row, StoryCard
from widgets.figure.scenes import Step

SCORES = over_log_time(
    title="Growth of attention scores, in κ/(√m L N₀)", traces=four_scores(), levels=MOMENTS
)
FOLDED = ("layer", "random", "neurons", "end")
ROWS = (
    Row("T₀.₅ in τ", "", "half"),
    Row("all samples correct from τ", "", "correct"),
    Row("T₁ = C/N₀ in the paper's time t", "", "unit"),
    Row("loss at the end", "", "loss"),
    Row("−G(μ₃) over the larger of G(μ₁), G(μ₂) at the end", "limit", "ratio"),
)
STORY = (
    StoryCard(
        "Train through Phase 1.",
        {},
        "Each stack adds up what a sentence’s words say. At T₁ all stacks stand upright: every kind of sentence is "
        "classified correctly. Which word pulls the stacks of single words down?",
        "T₁",
        (SENTENCES.title,),
    ),
    StoryCard(
        "Go on to the end of Phase 2.",
        {},
        "The point in the wedge is the whole network in two numbers. Inside the wedge all sentences are right, and "
        "training goes on to the dashed line.",
        "end",
        (PLANE.title,),
    ),
    StoryCard(
        "Set C to 10.",
        {"constant": 10.0},
        "Theorem 3.1 fails with this T₁: after so short a Phase 1 some samples are still wrong.",
    ),
    StoryCard(
        "Set C to 200.",
        {"constant": 200.0},
        "Now T₁ is too late: all samples are correct, but the loss has gone and the values have moved.",
    ),
    StoryCard(
        "Make the network infinitely wide, start at the mean, and set C to 9.",
        {"width": INFINITE, "random": 0, "constant": 9.0},
        "All samples are correct at T₁, yet item 4 of Theorem 3.2 comes later: the two ends of Phase 1 differ.",
    ),
    StoryCard(
        "Take samples of 10 words, 30 of them.",
        {"samples": 30, "length": 10},
        "The common word never falls behind far enough: its bar is missing for good. At 36 samples it is back.",
    ),
    StoryCard(
        "Freeze attention.",
        {"learned": 0},
        "Scores stop moving. Nothing else does: not the losses, not G. In this regime attention has no part in it.",
    ),
    StoryCard(
        "Let |a| be 0.06.",
        {"layer": 0.06},
        "As in a default linear layer: T₁ takes 300 times longer in t, and the values have moved with the MLP by then.",
    ),
)
SHORT_PULLS = PULLS._replace(
    left=tuple(kind._replace(word=kind.word.replace("only ", "")) for kind in PULLS.left)
)
WHY = (
    Step("clock", OUTPUTS, "T₁"),
    Step("start", SHORT_PULLS, "start"),
    Step("common", OUTPUTS),
    Step("all", LOSSES),
    Step("scores", SCORES),
    Step("end", PLANE),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Both theorems on one run."""
    return live(
        with_scene(two_phases()),
        theorem_3_1,
        theorem_3_2,
        scene=SCENE,
        panels=(LOSSES, OUTPUTS, SCORES, SINCE),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        name="two_phases",
        more=FOLDED,
        only=("constant", "samples", "length", "width", "sigma_0", "sigma_1", "seed", "learned", *FOLDED),
    )


@live_figure(page="book/recognise/index")
def first_page() -> Live:
    """The same for the chapter's first page: three sliders, the scene."""
    return live(
        with_scene(two_phases()),
        theorem_3_1,
        theorem_3_2,
        scene=SCENE,
        panels=(OUTPUTS,),
        caption=CAPTION,
        story=STORY[:4],
        name="two_phases",
        only=("constant", "samples", "length"),
    )
