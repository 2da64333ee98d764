"""Yang et al.'s training, live, with a switch for the assumption that is dropped."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor

from book.recognise.scene import ONLY_BOB, SENTENCES
from book.together.caption_conditions import holds
from book.together.lamps import Lamp, lamps_of, with_lamps
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
phase_1 = holds(relaxed_phase_1, "Theorem 3.1")
phase_2 = holds(relaxed_phase_2, "Theorem 3.2")
limit = holds(relaxed_limit, "Theorem 3.3")


def whole(p: Any) -> Tensor:
    """Steps of the run."""
    return p.steps_1 + 2 * p.steps_2


LAMPS = (
    Lamp("3.1: right early", relaxed_phase_1.says, "Theorem 3.1", lambda p: p.steps_1),
    Lamp("3.2: attention follows", relaxed_phase_2.says, "Theorem 3.2", whole),
    Lamp("3.3: losses vanish", relaxed_limit.says, "Theorem 3.3", whole),
)
THEOREMS = lamps_of("Which theorems hold?", LAMPS)
SCENE = Scene(
    SENTENCES,
    beside=(THEOREMS, LOSSES),
    stops=(
        Stop("T₁", 0, says="Phase 1 ends, at T₁. A sentence with both words has margin {margins[0]}."),
        Stop("halfway", 1, says="Halfway through Phase 2 the training loss is {losses[0]}."),
        Stop("end", 2),
    ),
    predict=ONLY_BOB,
)


def short(r: Any, p: Any) -> Tensor:
    """Whether a phase has no steps."""
    return (p.steps_1 == 0) | (p.steps_2 == 0)


FALLING = "the loss goes on falling"
AT_END = "the loss ends at {loss}"
CAPTION = (
    CaptionCase(short, f"A phase has no steps: {AT_END}."),
    CaptionCase(
        lambda r, p: phase_1(r, p) & phase_2(r, p) & limit(r, p),
        f"All three theorems hold: every sentence is right at T₁, and {FALLING}.",
    ),
    CaptionCase(
        lambda r, p: phase_2(r, p) & limit(r, p),
        f"Theorem 3.1 fails at this T₁. Theorems 3.2 and 3.3 hold: {FALLING}.",
    ),
    CaptionCase(
        lambda r, p: phase_1(r, p) & limit(r, p),
        f"Theorem 3.2 fails after this T₁. Theorems 3.1 and 3.3 hold: {FALLING}.",
    ),
    CaptionCase(limit, f"Theorems 3.1 and 3.2 fail with this T₁. Theorem 3.3 holds: {FALLING}."),
    CaptionCase(
        lambda r, p: phase_1(r, p) & phase_2(r, p),
        f"Theorems 3.1 and 3.2 hold, Theorem 3.3 fails: {AT_END}.",
    ),
    CaptionCase(phase_1, f"Theorem 3.1 holds, Theorems 3.2 and 3.3 fail: {AT_END}."),
    CaptionCase(phase_2, f"Theorem 3.2 holds, Theorems 3.1 and 3.3 fail: {AT_END}."),
    CaptionCase(None, f"All three theorems fail: {AT_END}."),
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
        "",
        (SENTENCES.title, THEOREMS.title, LOSSES.title),
    ),
    StoryCard(
        "Add biases.",
        with_dropped("biases"),
        "A bias says what all sentences have in common, so “the” need not, and its purple block is small. "
        "Theorems 3.1 and 3.2 fail. The loss jumps up first, and vanishes all the same.",
        "",
        (SENTENCES.title, THEOREMS.title, LOSSES.title),
    ),
    StoryCard(
        "Let the weights decay.",
        with_dropped("decay"),
        "The loss falls, and then rises again: all sentences stay right, but Theorems 3.2 and 3.3 fail.",
        "",
        (LOSSES.title, THEOREMS.title),
    ),
    StoryCard(
        "Call one sentence in ten by the wrong label.",
        with_dropped("noise"),
        "They are learned by heart, through their irrelevant words. New sentences of these words pay for it.",
        "",
        (LOSSES.title, THEOREMS.title),
    ),
    StoryCard(
        "Descend by Adam.",
        with_dropped("adam"),
        "Adam’s steps have one size, however small the gradient. So the other words, drawn grey, learn as fast as Bob.",
        "",
        (SENTENCES.title, THEOREMS.title),
    ),
    StoryCard(
        "Replace the linear MLP by GELU.",
        with_dropped("gelu"),
        "Near 0 GELU passes half of what it gets, so learning starts at half the speed: at the usual T₁ it is not as "
        "far as Theorem 3.1 says.",
        "T₁",
        (SENTENCES.title, THEOREMS.title),
    ),
)


@live_figure
def figure() -> Live:
    """Three theorems on one run, with one assumption dropped."""
    return live(
        with_lamps(relaxed_recognise(), LAMPS, lambda state: state.seen.step),
        relaxed_limit,
        relaxed_phase_1,
        relaxed_phase_2,
        scene=SCENE,
        panels=(WORDS, SCORES, NEW),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="relaxed-recognise",
        more=("rate", "steps_1", "steps_2", "seed"),
    )
