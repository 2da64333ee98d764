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
    CONFUSING,
    GAP,
    NAMED,
    NAMING,
    PASS,
    PROMPT,
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
from widgets.figure.panels import CaptionCase, Level, Line, Row, StoryCard, TimeChart, TruthMap
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
CAPTION = (
    CaptionCase(
        lambda r, p: r.concluded & is_endless(r, p),
        "One pair keeps {measured_a:%} on each word, as predicted, the other has the rest: “capital of” gets "
        "{probability:%}, its rival {confusing:%}.",
    ),
    CaptionCase(
        lambda r, p: ~is_perturbed(r, p) & ~is_unequal(r, p),
        "Without a push along the way out nothing grows: the pairs stay even, “capital of” has {probability:%}, its "
        "rival {confusing:%}.",
    ),
    CaptionCase(
        lambda r, p: ~is_unequal(r, p),
        "The two examples have almost the same attention. The true relation has {probability:%}, the confusing one "
        "{confusing:%}.",
    ),
    CaptionCase(
        lambda r, p: ~never_rises(r, p),
        "The steps are too large: the loss rose on the way. It ends at {measured_loss}.",
    ),
    CaptionCase(
        is_too_hot,
        "Too warm: no valley is left between, so the theorem predicts nothing. The lesser pair has {measured_a} "
        "on each token on average; the true relation has {probability:%}.",
    ),
    CaptionCase(
        lambda r, p: r.undecided,
        "The run has not come to rest. So far the lesser pair has {measured_a} on each token on average; the theory "
        "says {predicted_a}.",
    ),
    CaptionCase(
        lambda r, p: ~is_endless(r, p),
        "Stage 1 was cut short, so the query and EoS keep attention {leak}. The lesser pair has {measured_a} on each "
        "token; the theory, for stage 1 without end, says {predicted_a}.",
    ),
    CaptionCase(
        lambda r, p: ~is_cold(r, p),
        "The run ends in the valley, at loss {measured_loss}. But attention on one pair alone has a lower loss: "
        "{end_loss}.",
    ),
    CaptionCase(
        lambda r, p: r.measured_loss - r.lowest < SEEN_APART,
        "The run comes to rest at the lowest loss, {measured_loss}, but its attention is not the predicted one: the "
        "lesser pair has {measured_a} on each token on average.",
    ),
    CaptionCase(None, "The run comes to rest at loss {measured_loss}; the lowest is {lowest}."),
)
ROWS = (
    Row("attention a of the lesser pair", "predicted_a", "measured_a"),
    Row("loss L₁ at the end", "predicted_loss", "measured_loss"),
    Row("loss with attention on one pair alone", "", "end_loss"),
    Row(f"steps until the pairs differ by {ESCAPED:g} in attention", "predicted_escape", "measured_escape"),
    Row("attention on the six tokens at the end, v₁ … v₆", "", "attention"),
    Row("probability of the right answer in the second decoding step", "", "answer"),
)
GETS_STUCK = StoryCard(
    "Train, and watch it get stuck.",
    {},
    "Stage 1 spreads attention evenly. “Capital of” and its rival then look equally good, four other relations share "
    "the rest, and the loss cannot fall further. Which words should the prompt’s end look at?",
    "stuck",
    (PROMPT.title, TRUE.title, CONFUSING.title),
)
TIPS_OVER = StoryCard(
    "Give it a tiny push.",
    {},
    "A random push, far too small to see, grows step by step. “Capital of” needs Paris with France, its rival Paris "
    "with Italy. So it leads once Paris is ahead of Rome and France of Italy: by twice the rectangle.",
    "tips over",
    (GAP.title,),
)
SETTLES = StoryCard(
    "Let it settle.",
    {},
    "The ball has rolled off the pass into a valley. One pair keeps more attention for good, and “capital of” has won.",
    "settled",
    (PASS.title, PROMPT.title),
)
BOTH_STEPS = StoryCard(
    "First the relation, then the answer.",
    {},
    "The model first says which relation the examples share, and then looks up the answer. Train: the first step gets "
    "stuck and escapes, while the second learns to look at the relation just said.",
)
COLDER = StoryCard(
    "Lower the temperature to 0.02.",
    {"temperature": 0.02},
    "A third on each word of one pair, a sixth on each of the other. The lead is smaller, but the colder it is, the "
    "more a lead counts: the loss falls far below a coin toss.",
)
CERTAIN = COLDER._replace(
    text="A third on each word of one pair, a sixth on each of the other. The colder it is, the more such a difference "
    "counts: “capital of” is now far ahead."
)
NO_PUSH = StoryCard(
    "Remove the perturbation.",
    {"perturbation_radius": 0},
    "Without a push nothing can grow. This hypothesis of the theorem fails, and the run stays at the saddle.",
)
STORY = (
    GETS_STUCK,
    TIPS_OVER,
    SETTLES,
    COLDER,
    StoryCard(
        "Draw another perturbation.",
        {"seed": 2},
        "The other pair wins: the direction of the push decides.",
    ),
    NO_PUSH,
    StoryCard(
        "Raise the temperature to 0.0895.",
        {"temperature": 0.0895},
        "The run still ends in the valley, at loss 0.702. But one pair alone has 0.701: lower by a hair, too little to "
        "see, and the theorem’s conclusion fails.",
    ),
    StoryCard(
        "Raise the temperature to 0.12.",
        {"temperature": 0.12},
        "No valley is left to rest in: one pair takes all the attention, ever more slowly.",
    ),
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
    NAMING._replace(title="Step 1: name the relation"),
    below=(NAMED._replace(title="Step 2: name the answer", says="says “Spain”:", share=("answered", 2)),),
    stops=(
        Stop(
            "finds Spain", 0, passes=("found", 0), says="Given the relation, the model already finds Spain."
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
IN_TWO_STEPS = (
    CaptionCase(
        lambda r, p: r.attention.amax() > 0.9,
        "Step 1: the end of the prompt looks at one word alone. All relations that use this word look alike: "
        "“capital of” has probability {probability:%}, its rival {confusing:%}. Step 2: the relation, now in the "
        "prompt, looks back, and says Spain with {answer:%}.",
    ),
    CaptionCase(
        is_unequal,
        "Step 1: the end of the prompt looks at one pair more than at the other, and says “capital of” with "
        "probability {probability:%}, its rival with {confusing:%}. Step 2: the relation, now in the prompt, looks "
        "back, and says Spain with {answer:%}.",
    ),
    CaptionCase(
        None,
        "Step 1: the end of the prompt looks at both pairs almost alike, and says “capital of” with probability "
        "{probability:%}, its rival with {confusing:%}. Step 2: the relation, once named, looks back, and says Spain "
        "with {answer:%}.",
    ),
)


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
        story=STORY,
        why=WHY,
        map=MAP,
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
        story=(GETS_STUCK, TIPS_OVER, SETTLES, COLDER, NO_PUSH),
        plays=True,
        map=MAP,
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
        story=(BOTH_STEPS, CERTAIN, NO_PUSH),
        map=MAP,
        name="two_steps",
        only=("temperature", "perturbation_radius", "seed"),
    )


def _second_step(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
    known = torch.tensor(float(SUBJECTS), dtype=torch.float64)
    return {**answering(state.omega, known, p.temperature), "found": seen.answer - 0.5}
