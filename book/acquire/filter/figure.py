"""Propositions 1 and 2, live: attention leaves out the context, the MLP stores the facts."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from book.acquire.conditions import CONDITIONS
from book.acquire.filter.program import SHARE
from book.acquire.filter.scene import SCENE, shown
from book.acquire.filter.statements import SMALL_STEPS, near_optimal, proposition_1, proposition_2, stopped
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Level, Line, Row, StoryCard, TimeChart

ATTENTION = TimeChart(
    title="Attention in [context, subject, phrase]",
    series=(
        Line("in_phrase", 0, "context", "context"),
        Line("in_phrase", 1, "subject", "subject"),
        Line("in_phrase", 2, "phrase", "phrase"),
    ),
    domain=(0.0, 1.0),
)
SHORT = TimeChart(
    title="Attention in [context, subject]",
    series=(Line("in_subject", 0, "context", "context"), Line("in_subject", 1, "subject", "subject")),
    domain=(0.0, 1.0),
)
LOSSES = TimeChart(
    title="Loss above what is chance, at most 6 shown",
    series=(
        Line("capped", 0, "follower", "follower"),
        Line("capped", 1, "phrase", "phrase"),
        Line("capped", 2, "answer", "answer"),
    ),
    domain=(0.0, 6.0),
)
RATIO = TimeChart(
    title="Attention on the subject over that on the phrase: least and greatest",
    series=(Line("ratio_low", 0, "least", "one"), Line("ratio_high", 0, "greatest", "two")),
    domain=(0.5, 2.0),
    levels=(Level(0.8, ""), Level(1.2, "stage I: 0.8 to 1.2")),
)


def context_ignored(r: Any, p: Any) -> Tensor:
    """Attention on the context stays below 1/d from the end of stage I until the loss is near-optimal."""
    return r.most_context <= r.allowed


def comparable(r: Any, p: Any) -> Tensor:
    """Attention on the subject and on the phrase stays at least SHARE in that time."""
    return r.least_share >= SHARE


(_, filters), (_, slow), (_, small_steps) = CONDITIONS["filters"], CONDITIONS["slow"], SMALL_STEPS
CONTEXT_LEFT = "After stage I attention on the context comes to {most_context}; {allowed} is allowed."
UNEVEN = "The context is ignored, but attention on the phrase or the subject falls to {least_share}"
CAPTION = (
    CaptionCase(
        stopped,
        "Stopped: at these rates {dead:%} of the sentences have an answer with no active neuron left, so that nothing "
        "can be learned about it any more. Lower the rate of the stage in which the lines end.",
    ),
    CaptionCase(
        lambda r, p: ~context_ignored(r, p) & ~filters(r, p),
        CONTEXT_LEFT
        + " The rate of stage I is too small for the neurons of d that are active, and some prompts go on "
        "looking at the context.",
    ),
    CaptionCase(lambda r, p: ~context_ignored(r, p), CONTEXT_LEFT),
    CaptionCase(lambda r, p: ~comparable(r, p) & ~slow(r, p), UNEVEN + ": κ is too large."),
    CaptionCase(lambda r, p: ~comparable(r, p), UNEVEN + "."),
    CaptionCase(
        lambda r, p: p.steps_2 + p.steps_3 <= 0,
        "After two steps attention on the context is {most_context} at most; {allowed} is allowed. No step follows, "
        "and no fact is stored.",
    ),
    CaptionCase(
        lambda r, p: ~near_optimal(r, p) & ~small_steps(r, p),
        "The context is ignored, but the loss rises on the way and ends {excess} above its entropy: the steps of stage "
        "II or III are too large.",
    ),
    CaptionCase(
        lambda r, p: r.undecided_2,
        "The context is ignored. The loss is {excess} above its entropy and still falling: allow more steps.",
    ),
    CaptionCase(
        lambda r, p: ~near_optimal(r, p),
        "The context is ignored, but the loss comes to rest {excess} above its entropy.",
    ),
    CaptionCase(
        lambda r, p: ~r.concluded_2,
        "The context is ignored, and the loss ends {excess} above its entropy. But at the end of stage II some phrase "
        "has come to {phrase_2} times chance, or some answer to {answer_2} times: less than four.",
    ),
    CaptionCase(
        None,
        "From the second step on attention on the context is {most_context} at most; {allowed} is allowed. The loss "
        "ends {excess} above its entropy {entropy}.",
    ),
)
STORY = (
    StoryCard(
        "Take a third of stage I's rate.",
        {"rate_1": 0.7},
        "Attention on the context stays above 1/d: the scores move with the square of the rate.",
    ),
    StoryCard(
        "Go on with stage I's rate too large for the others.",
        {"rate_2": 60.0},
        "A large rate after stage I overshoots: features jump, and answers lose their active neurons.",
    ),
    StoryCard(
        "Set κ to 0.05.",
        {"kappa": 0.05},
        "Scores move faster beside the features. Attention on the phrase soon falls below 0.3.",
    ),
    StoryCard(
        "Make the context short: d = 109.",
        {"dimension": 109.0},
        "Stage I moves the phrase's own score, too: subject over phrase leaves [0.8, 1.2]. The second light goes out.",
    ),
    StoryCard(
        "State each fact once.",
        {"multiplicity": 1},
        "Nothing is chance any more but which phrase: the entropy is 0.",
    ),
)
ROWS = (
    Row("greatest attention on the context after stage I (Lemma 11)", "bound_1", "context_1"),
    Row("… at the end", "", "context_3"),
    Row("subject over phrase after stage I: least", "expected", "ratio_low_1"),
    Row("… greatest", "", "ratio_high_1"),
    Row("greatest after stage II (Lemma 13: at most 1.6)", "", "ratio_high_2"),
    Row("greatest at the end", "", "ratio_high_3"),
    Row("sentences whose answer has no active neuron", "", "dead"),
    Row("rate η̃₁ of stage I", "", "eta"),
)
MORE = ("phrases", "multiplicity", "steps_2", "steps_3", "seed")


@live_figure
def figure() -> Live:
    """Pre-training in its three stages."""
    return live(
        shown(),
        proposition_1,
        proposition_2,
        scene=SCENE,
        panels=(ATTENTION, LOSSES, SHORT, RATIO),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="filtering",
        more=MORE,
        only=("rate_1", "kappa", "dimension", "rate_2", "rate_3", *MORE),
    )
