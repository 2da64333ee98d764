"""Theorems 3.1 and 3.2, live: a whole gradient flow in two phases, on a logarithmic clock."""

from __future__ import annotations

import math

import ipywidgets as ipw

from book.recognise.charts import CAPTION, LOSSES, MOMENTS, OUTPUTS, SINCE, four_scores, over_log_time
from book.recognise.phases.statements import theorem_3_1, theorem_3_2
from book.recognise.scene import MOVED, PLANE, PULLS, SCENE, SENTENCES, with_scene
from book.recognise.two_phases import DOMAINS, two_phases
from widgets import Live, live, live_figure
from widgets.figure import controls
from widgets.figure.panels import Row
from widgets.figure.scenes import Step

SCORES = over_log_time(
    title="How much attention scores have grown, in a small unit", traces=four_scores(), levels=MOMENTS
)
FOLDED = ("layer", "random", "neurons", "end")
ROWS = (
    Row("T₀.₅ in τ", "", "half"),
    Row("all samples correct from τ", "", "correct"),
    Row("T₁ = C/N₀ in the paper’s time t", "", "unit"),
    Row("loss at the end", "", "loss"),
    Row("−G(μ₃) over the larger of G(μ₁), G(μ₂) at the end", "limit", "ratio"),
)
NUMBERS = {"of_guessing": lambda r, p: r.loss_1 / math.log(2)}
"""For the page's words: the loss at T₁ over that of guessing."""
SHORT_PULLS = PULLS._replace(
    left=tuple(kind._replace(word=kind.word.replace("only ", "")) for kind in PULLS.left)
)
WHY = (
    Step("clock", OUTPUTS, "Phase 1 ends"),
    Step("start", SHORT_PULLS, "start"),
    Step("common", OUTPUTS),
    Step("all", LOSSES),
    Step("scores", SCORES),
    Step("end", PLANE),
)
"""Beside the steps of *Why it is true*."""


def _end_of_phase_1() -> ipw.Widget:
    """The control of C, in words that need no symbol."""
    (domain,) = (each for each in DOMAINS if each.name == "constant")
    return controls.of(domain._replace(words="Phase 1 ends at time τ"))


@live_figure
def figure() -> Live:
    """Both theorems on one run."""
    return live(
        with_scene(two_phases()),
        theorem_3_1,
        theorem_3_2,
        scene=SCENE,
        panels=(PLANE, LOSSES, OUTPUTS, SCORES, SINCE),
        caption=CAPTION,
        numbers=NUMBERS,
        rows=ROWS,
        why=WHY,
        constant=_end_of_phase_1(),
        name="two_phases",
        more=FOLDED,
        only=("constant", "samples", "length", "width", "sigma_0", "sigma_1", "seed", "learned", *FOLDED),
    )


@live_figure(page="book/recognise/index")
def first_page() -> Live:
    """The figure of the chapter's first page: three sliders, the stacks, and beside them attention and the pulls."""
    return live(
        with_scene(two_phases()),
        theorem_3_1,
        theorem_3_2,
        scene=SCENE._replace(main=SENTENCES, beside=(MOVED, PULLS)),
        panels=(OUTPUTS,),
        caption=CAPTION,
        numbers=NUMBERS,
        constant=_end_of_phase_1(),
        name="two_phases",
        only=("constant", "samples", "length"),
    )
