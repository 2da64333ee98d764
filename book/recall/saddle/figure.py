"""Theorem 2, live: Algorithm 1 with three subjects."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.recall.charts import FROM_THE_SADDLE, LOG_2, LOSS, SLICE, attention_lines
from book.recall.common import is_perturbed, is_too_hot, never_rises
from book.recall.saddle.program import SUBJECTS, TwoStage, warm_up
from book.recall.saddle.statements import is_cold, is_endless, theorem_2
from book.recall.scene import (
    CAPITAL,
    CONFUSING,
    GAP,
    NAMED,
    PASS,
    SPAIN,
    STUCK,
    TIPS,
    TRUE,
    answering,
    saddle,
    shown,
)
from lib.program import with_outputs
from lib.recall.landscape import ESCAPED, has_left
from lib.recall.phases import thresholds
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, Cases, Level, Line, Row, TimeChart, TruthMap
from widgets.figure.scenes import Net, Scene, Step, Stop


def stronger_pair(r: TwoStage, p: Any) -> Tensor:
    """The attention that the theory predicts on each token of the stronger pair."""
    return 0.5 - r.predicted_a


def settled_at(r: Any, p: Any) -> Tensor:
    """The last step of stage 2, if by then the run has left the saddle and settled."""
    return torch.where(r.undecided | ~is_unequal(r, p), torch.nan, r.steps_taken)


def is_unequal(r: TwoStage, p: Any) -> Tensor:
    """Whether the two examples have unequal attention at the end."""
    return has_left(r.attention)


NUMBERS = {
    "threshold": lambda r, p: thresholds().lowest,
    "stronger": stronger_pair,
    "end_stronger": lambda r, p: torch.maximum(r.attention[:2].mean(), r.attention[2:4].mean()),
}
"""For the page's words: the temperature below which Theorem 2 applies, and attention on each word of the stronger pair,
as predicted and at the end."""
SEEN_APART = 0.005
"""Two losses that differ by less may be written with the same digits."""
ATTENTION = TimeChart(
    title="Attention from EoS",
    series=attention_lines(),
    domain=(0.0, 0.55),
)
PROBABILITY = TimeChart(
    title="Probability of the relations",
    series=(
        Line("shares", 0, "true r*", "relation"),
        Line("shares", 1, "confusing", "confusing", "7 4"),
        Line("shares", 2, "other four", "mismatched"),
    ),
    domain=(0.0, 1.0),
)
LANDSCAPE = SLICE._replace(
    levels=(LOG_2, Level("predicted_a", "a", axis="x"), Level(stronger_pair, "½ − a", axis="x"))
)
CAPTION: Cases = {
    "concluded": lambda r, p: r.concluded & is_endless(r, p),
    "no push": lambda r, p: ~is_perturbed(r, p) & ~is_unequal(r, p),
    "pairs even": lambda r, p: ~is_unequal(r, p),
    "loss rises": lambda r, p: ~never_rises(r, p),
    "too warm": is_too_hot,
    "too early to tell": lambda r, p: r.undecided,
    "stage 1 cut short": lambda r, p: ~is_endless(r, p),
    "one pair lower": lambda r, p: ~is_cold(r, p),
    "at the lowest loss": lambda r, p: r.measured_loss - r.lowest < SEEN_APART,
    "otherwise": None,
}
ROWS = (
    Row("attention a of the lesser pair", "predicted_a", "measured_a"),
    Row("loss L₁ at the end", "predicted_loss", "measured_loss"),
    Row("loss with attention on one pair alone", "", "end_loss"),
    Row(f"steps until the pairs differ by {ESCAPED:g} in attention", "predicted_escape", "measured_escape"),
    Row("attention on the six tokens at the end, v₁ … v₆", "", "attention"),
    Row("probability of the right answer in the second decoding step", "", "answer"),
)
SCENE = saddle(1, settled_at)
WHY = (
    Step(
        "relations",
        Net(
            "“Capital of”, and its rival crossed",
            TRUE.left,
            TRUE.right,
            (*TRUE.links, *CONFUSING.links),
            "matched",
            full=0.5,
        ),
        "stuck",
    ),
    Step(
        "query",
        TimeChart(
            "Attention on Paris and on Madrid",
            (Line("attention", 0, "Paris", "first"), Line("attention", 4, "Madrid", "query")),
            domain=(0.0, 0.3),
        ),
        "stuck",
    ),
    Step("tie", LOSS._replace(title="Loss of naming the relation"), "stuck"),
    Step("way-out", GAP, "tips over"),
    Step("pairs", FROM_THE_SADDLE._replace(title="Attention on the two pairs", since=1)),
    Step("valley", PASS),
)
TWO_STEPS = Scene(
    NAMED._replace(
        title="Above, the end looks for the relation; below, the relation looks for the answer",
        field="first_look",
        origin=5,
        below=("relation_attention", 6),
    ),
    beside=(
        BarChart(
            "How probable the words are",
            (CAPITAL.word, "its rival", "four others", "then Spain"),
            (Bar("said", "", CAPITAL.colour, when="now"),),
            (0.0, 1.0),
            x="probability",
            colours=(CAPITAL.colour, "confusing", "mismatched", SPAIN.colour),
        ),
    ),
    stops=(
        Stop(
            "Spain is found",
            0,
            passes=("found", 0),
            says="Given the relation, the model already finds Spain.",
        ),
        Stop("stuck", 0, says=STUCK),
        Stop("tips over", 1, passes=("lead", 0), says=TIPS),
        Stop("settled", 1, settled_at),
    ),
)
BOTH = TimeChart(
    title="Probability of what is correct",
    series=(
        Line("believed", 0, "capital of", "relation"),
        Line("answered", 2, "Spain", "query"),
    ),
    domain=(0.0, 1.0),
)
IN_TWO_STEPS: Cases = {
    "one word alone": lambda r, p: r.attention.amax() > 0.9,
    "unequal": is_unequal,
    "otherwise": None,
}


MAP = TruthMap(
    "temperature",
    "perturbation_radius",
    lambda r, p: thresholds().exists - p.temperature,
    "the highest temperature with a pairwise minimum",
)


@live_figure
def figure() -> Live:
    """Algorithm 1 with three subjects, every setting a control."""
    return live(
        shown(warm_up()),
        theorem_2,
        scene=SCENE,
        panels=(ATTENTION, PROBABILITY, LOSS, LANDSCAPE),
        caption=CAPTION,
        rows=ROWS,
        why=WHY,
        map=MAP,
        numbers=NUMBERS,
        name="saddle",
        more=("rate_1", "rate_2", "steps", "to_limit"),
    )


@live_figure(page="book/index")
def front_door() -> Live:
    """The figure of the landing page: three sliders, the scene."""
    return live(
        shown(warm_up()),
        theorem_2,
        scene=SCENE,
        panels=(ATTENTION, LANDSCAPE),
        caption=CAPTION,
        plays=True,
        map=MAP,
        numbers=NUMBERS,
        name="saddle",
        only=("temperature", "perturbation_radius", "seed"),
    )


@live_figure(page="book/recall/index")
def two_steps() -> Live:
    """The figure of the chapter's first page: both decoding steps."""
    return live(
        with_outputs(shown(warm_up()), _second_step),
        theorem_2,
        scene=TWO_STEPS,
        panels=(BOTH, ATTENTION),
        caption=IN_TWO_STEPS,
        map=MAP,
        numbers=NUMBERS,
        name="two_steps",
        only=("temperature", "perturbation_radius", "seed"),
    )


def _second_step(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
    known = torch.tensor(float(SUBJECTS), dtype=torch.float64)
    second = answering(state.omega, known, p.temperature)
    return {
        **second,
        "found": seen.answer - 0.5,
        "first_look": torch.nn.functional.pad(seen.weights, (0, 1)),
        "said": torch.cat([seen.believed, 1 - seen.believed.sum().reshape(1), second["answered"][2:3]]),
    }
