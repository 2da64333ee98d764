"""Yang et al.'s training, live, with a switch for the assumption that is dropped."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor

from book.recognise.scene import ONLY_BOB, SENTENCES
from book.together.caption_conditions import holds
from book.together.menus import RECOGNISE, dropping
from book.together.relaxed_recognise.program import relaxed_recognise
from book.together.relaxed_recognise.statements import relaxed_limit, relaxed_phase_1, relaxed_phase_2
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Level, Line, Row, StoryCard, TimeChart
from widgets.figure.scenes import Scene, Stop

WORDS = TimeChart(
    title="What the three words add, G(μ)",
    series=(
        Line("output", 0, "Bob", "target-1"),
        Line("output", 1, "banana", "target-2", "5 3"),
        Line("output", 2, "“the”", "common"),
    ),
    levels=(Level(0.0, ""),),
)
SCORES = TimeChart(
    title="Growth of four attention scores, over κ",
    series=(
        Line("grown", 1, "banana ← Bob", "target-2"),
        Line("grown", 0, "Bob ← banana", "target-1", "5 3"),
        Line("grown", 2, "“the” ← Bob", "common"),
        Line("grown", 3, "“the” ← banana", "common", "5 3"),
    ),
)
LOSSES = TimeChart(
    title="Loss",
    series=(Line("losses", 0, "training", "run"), Line("losses", 1, "unseen words", "other", "5 3")),
)
NEW = TimeChart(
    title="Worst margin of recombined sentences",
    series=(Line("recombined", 0, "margin", "measured"),),
    levels=(Level(0.0, "correct above"),),
)
SCENE = Scene(
    SENTENCES,
    beside=(WORDS, LOSSES),
    stops=(
        Stop(
            "T₁",
            0,
            says="This is T₁. A sentence with both words has margin {margins[0]}, one with Bob alone {margins[1]}.",
        ),
        Stop("halfway", 1, says="Halfway through Phase 2 the training loss is {losses[0]}."),
        Stop("end", 2),
    ),
    predict=ONLY_BOB,
)


phase_1 = holds(relaxed_phase_1, "Theorem 3.1")
phase_2 = holds(relaxed_phase_2, "Theorem 3.2")
limit = holds(relaxed_limit, "Theorem 3.3")


def short(r: Any, p: Any) -> Tensor:
    """Whether a phase has no steps."""
    return (p.steps_1 == 0) | (p.steps_2 == 0)


AT_T_1 = "at T₁ the loss is {loss_1} and the least margin {margin}"
AT_END = "the loss ends at {loss}"
CAPTION = (
    CaptionCase(short, "A phase has no steps: the loss ends at {loss}."),
    CaptionCase(
        lambda r, p: phase_1(r, p) & phase_2(r, p) & limit(r, p),
        f"Theorems 3.1, 3.2 and 3.3 hold: {AT_T_1}; {AT_END}.",
    ),
    CaptionCase(
        lambda r, p: phase_2(r, p) & limit(r, p),
        f"Theorem 3.1 fails at this T₁: {AT_T_1}. Theorems 3.2 and 3.3 hold: {AT_END}.",
    ),
    CaptionCase(
        lambda r, p: phase_1(r, p) & limit(r, p),
        f"Theorems 3.1 and 3.3 hold, Theorem 3.2 fails from this T₁ on: the least of its three sums is {{least_sum}}; "
        f"{AT_END}.",
    ),
    CaptionCase(
        limit,
        "Theorems 3.1 and 3.2 fail with this T₁: the least margin is {margin}, the least of the three sums "
        f"{{least_sum}}. Theorem 3.3 holds: {AT_END}.",
    ),
    CaptionCase(
        lambda r, p: phase_1(r, p) & phase_2(r, p),
        f"Theorems 3.1 and 3.2 hold, Theorem 3.3 fails: {AT_END}, on unseen words it goes like the steps to the power "
        "{unseen_power}.",
    ),
    CaptionCase(phase_1, f"Theorem 3.1 holds: {AT_T_1}. Theorems 3.2 and 3.3 fail: {AT_END}."),
    CaptionCase(
        phase_2,
        f"Theorem 3.2 holds, Theorems 3.1 and 3.3 fail: {AT_T_1}; {AT_END}, and recombined sentences get worse or "
        "attention strays.",
    ),
    CaptionCase(None, f"Theorems 3.1, 3.2 and 3.3 fail: {AT_T_1}; {AT_END}."),
)
ROWS = (
    Row("Theorem 3.1: loss at T₁", "", "loss_1"),
    Row("Theorem 3.1: least margin at T₁", "", "margin"),
    Row("Theorem 3.1: values’ products until T₁, change over κ", "", "moved"),
    Row("Theorem 3.2: least move of a score in a step, over κ", "", "score_move"),
    Row("Theorem 3.2: least of the three sums", "", "least_sum"),
    Row("Theorem 3.3: loss at the end", "", "loss"),
    Row("Theorem 3.3: least of the four scores’ growth, over κ", "", "grown"),
)
with_dropped = partial(dropping, RECOGNISE)
STORY = (
    StoryCard(
        "Train as in the paper.",
        with_dropped("none"),
        "Bob and banana push a sentence up, “the” pulls it down. All sentences are right early, while the loss is "
        "still high; then it falls for good.",
    ),
    StoryCard(
        "Add biases.",
        with_dropped("biases"),
        "A bias says what all sentences have in common, so “the” need not. Theorem 3.2’s sums lose a sign, yet the "
        "loss falls as before.",
    ),
    StoryCard(
        "Let the weights decay.",
        with_dropped("decay"),
        "The loss falls, and then rises again. What happens to the four attention scores?",
    ),
    StoryCard(
        "Call one sentence in ten by the wrong label.",
        with_dropped("noise"),
        "They are learned by heart, through their irrelevant words. New sentences of these words pay for it.",
    ),
    StoryCard(
        "Descend by Adam.",
        with_dropped("adam"),
        "Adam’s steps have one size, however small the gradient. So irrelevant words learn as fast as Bob.",
    ),
    StoryCard(
        "Replace the linear MLP by GELU.",
        with_dropped("gelu"),
        "Near 0 GELU passes half of what it gets: learning starts at half the speed, and goes the same way.",
    ),
)


@live_figure
def figure() -> Live:
    """Three theorems on one run, with one assumption dropped."""
    return live(
        relaxed_recognise(),
        relaxed_limit,
        relaxed_phase_1,
        relaxed_phase_2,
        scene=SCENE,
        panels=(SCORES, NEW),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="relaxed-recognise",
        more=("rate", "steps_1", "steps_2", "seed"),
    )
