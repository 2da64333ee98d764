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
    CaptionCase,
    Curve,
    CurveChart,
    Level,
    Line,
    Pick,
    Points,
    Row,
    StoryCard,
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
    title="Lead of the query's score, ω₅ − max ωᵢ",
    series=(
        Line("gap", 1, "the lemma’s bound", "rough", "5 3"),
        Line("gap", 0, "measured", "measured"),
    ),
    domain=(0.0, 0.5),
)
WRONG = ERROR._replace(title="Chance of error, in powers of ten")
SCENE = Scene(
    NAMED,
    below=(LOOKUP,),
    beside=(WRONG,),
    stops=(
        Stop(
            "one large step",
            0,
            says="After one large step Madrid has {asked[4]:%} of the attention, and Spain is the answer with "
            "{answered[2]:%}.",
        ),
        Stop("end", 1),
    ),
    predict=Predict(
        "how much attention does Madrid get, from the first step to the last?",
        "asked",
        "attention on Madrid",
        (0.0, 1.0),
        component=4,
    ),
)
CAPTION = (
    CaptionCase(
        lambda r, p: r.concluded & (r.error_after < 0.001),
        "One large step, and the right answer is all but certain. No later step makes it worse than the lemma allows.",
    ),
    CaptionCase(
        lambda r, p: r.concluded,
        "One large step takes the error from {error_before} to {error_after}. The lemma's bound here is {error_bound}, "
        "and no later step goes above it.",
    ),
    CaptionCase(
        is_crowded,
        "Too warm for so many subjects: the answers that the prompt does not show add up. Right after the large step "
        "the error is {error_after}, at the end {error_end}; the lemma allows {error_bound} right after the step.",
    ),
    CaptionCase(
        is_large_enough,
        "The large step takes the error to {error_after}; the lemma's bound is {error_bound}. By the proof the step is "
        "large enough, yet one of the bounds under “Check the numbers” fails.",
    ),
    CaptionCase(
        lambda r, p: (r.error_after < 0.001) & (r.error_after > r.error_bound) & (r.needed_rate < math.inf),
        "Spain is all but certain. Yet the lemma promises a smaller error still, and the step is too small for its "
        "proof.",
    ),
    CaptionCase(
        lambda r, p: r.needed_rate < math.inf,
        "The large step is too small: France and Italy still compete. The error is {error_after}; the lemma's bound is "
        "{error_bound}. By the proof c₁ = {needed_rate} would be enough.",
    ),
    CaptionCase(
        None,
        "France and Italy still compete. The error is {error_after}; the lemma's bound is {error_bound}. At this "
        "temperature the proof's inequalities are not met by a step of any size.",
    ),
)
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
STORY = (
    StoryCard(
        "Name the relation, and look back.",
        {},
        "Before training, the named relation looks at all words alike. Each subject that it looks at speaks for its "
        "own answer. Which word should it look at?",
        "start",
        (NAMED.title, LOOKUP.title),
    ),
    StoryCard(
        "Take one large step.",
        {},
        "Madrid gets only a little more attention than the other words. At so low a temperature that little is enough: "
        "Spain wins.",
        "one large step",
    ),
    StoryCard(
        "Take a million subjects.",
        {"subjects": 1e6, "temperature": 0.0018},
        "Nothing changes except how low the temperature must be: it falls like 1/log\u00a0n.",
    ),
    StoryCard(
        "Take too small a step.",
        {"rate_1": 1.0},
        "Spain still wins, with an error of 1 in 50,000. But the lemma promises 1 in 85 million, the dashed line: a "
        "hypothesis fails, and so does the conclusion.",
        lights=(WRONG.title, NAMED.title),
    ),
    StoryCard(
        "Take too small a step, and cool down.",
        {"rate_1": 1.0, "temperature": 3e-4},
        "Ten times colder, and the conclusion still fails, because the bound falls with the error. The two meet "
        "just below T = 0.0001.",
        lights=(LOOKUP.title, WRONG.title),
    ),
    StoryCard(
        "Raise the temperature to 0.3.",
        {"temperature": 0.3},
        "Too warm for a thousand subjects: together the other answers are far more likely than Spain, and the "
        "conclusion fails.",
        "one large step",
    ),
    StoryCard(
        "Take a giant step, where it is warm.",
        {"rate_1": 100.0, "temperature": 0.05},
        "Warmer than the proof allows, yet the bound holds: one step puts nearly all attention on Madrid.",
    ),
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
        story=STORY,
        why=WHY,
        name="decoding",
        more=("rate_2", "seed", "steps"),
    )


def _shown(_seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
    return answering(state.omega, p.subjects, p.temperature)
