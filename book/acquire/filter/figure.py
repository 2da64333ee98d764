"""Propositions 1 and 2, live: attention leaves out the context, the MLP stores the facts."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from book.acquire.conditions import CONDITIONS
from book.acquire.filter.program import SHARE
from book.acquire.filter.scene import HARDEST, SAYS, SCENE, shown
from book.acquire.filter.statements import SMALL_STEPS, near_optimal, proposition_1, proposition_2, stopped
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Level, Line, Row, StoryCard, TimeChart
from widgets.figure.scenes import Step

ATTENTION = TimeChart(
    title="Attention before the answer",
    series=(
        Line("in_phrase", 0, "context", "context"),
        Line("in_phrase", 1, "subject", "subject"),
        Line("in_phrase", 2, "phrase", "phrase"),
    ),
    domain=(0.0, 1.0),
)
SHORT = TimeChart(
    title="Attention before the phrase",
    series=(Line("in_subject", 0, "context", "context"), Line("in_subject", 1, "subject", "subject")),
    domain=(0.0, 1.0),
)
LOSSES = TimeChart(
    title="Loss above the unavoidable (cut off at 6)",
    series=(
        Line("capped", 0, "follower", "follower"),
        Line("capped", 1, "phrase", "phrase"),
        Line("capped", 2, "answer", "answer"),
    ),
    domain=(0.0, 6.0),
)
RATIO = TimeChart(
    title="Attention on the subject over attention on the phrase",
    series=(Line("ratio_low", 0, "least of all facts", "one"), Line("ratio_high", 0, "greatest", "two")),
    domain=(0.5, 2.0),
    levels=(Level(0.8, ""), Level(1.2, "allowed after stage I")),
)


def context_ignored(r: Any, p: Any) -> Tensor:
    """Attention on the context stays below 1/d from the end of stage I until the loss is near-optimal."""
    return r.most_context <= r.allowed


def comparable(r: Any, p: Any) -> Tensor:
    """Attention on the subject and on the phrase stays at least SHARE in that time."""
    return r.least_share >= SHARE


(_, filters), (_, slow), (_, small_steps) = CONDITIONS["filters"], CONDITIONS["slow"], SMALL_STEPS
CONTEXT_LEFT = "In some sentence the context still gets {most_context:%} of the attention"
UNEVEN = "The context is ignored, but attention on the phrase or the subject falls to {least_share:%}"
CAPTION = (
    CaptionCase(
        stopped,
        "Training stopped: for {dead:%} of the sentences no neuron of the answer is active any more, so nothing more "
        "can be learned about them. An earlier step was too large.",
    ),
    CaptionCase(
        lambda r, p: ~context_ignored(r, p) & ~filters(r, p),
        CONTEXT_LEFT + ": the first two steps are too small to drop it.",
    ),
    CaptionCase(lambda r, p: ~context_ignored(r, p), CONTEXT_LEFT + ", more than the proposition allows."),
    CaptionCase(lambda r, p: ~comparable(r, p) & ~slow(r, p), UNEVEN + ": attention learns too fast."),
    CaptionCase(lambda r, p: ~comparable(r, p), UNEVEN + "."),
    CaptionCase(
        lambda r, p: p.steps_2 + p.steps_3 <= 0,
        "After two steps the context is ignored. No step follows, and no fact is stored.",
    ),
    CaptionCase(
        lambda r, p: ~near_optimal(r, p) & ~small_steps(r, p),
        "The context is ignored, but the loss rises on the way and ends {excess} above the unavoidable: the steps of "
        "stage II or III are too large.",
    ),
    CaptionCase(
        lambda r, p: r.undecided_2,
        "The context is ignored. The loss is {excess} above the unavoidable and still falling, so it is too early to "
        "tell.",
    ),
    CaptionCase(
        lambda r, p: ~near_optimal(r, p),
        "The context is ignored, but the loss comes to rest {excess} above the unavoidable.",
    ),
    CaptionCase(
        lambda r, p: ~r.concluded_2,
        "The context is ignored, and the loss ends {excess} above the unavoidable. But after stage II the least "
        "probable phrase is {phrase_2} times as likely as by chance, and the least probable answer {answer_2} times. "
        "Proposition 2 requires four.",
    ),
    CaptionCase(
        None,
        "From the second step on the context is ignored, and the facts are stored: the loss ends {excess} above the "
        "unavoidable.",
    ),
)
STORY = (
    StoryCard(
        "Start with a loud context.",
        {},
        "It says nothing about Alice, yet all words get about equal attention. Which one will the model learn from "
        "first?",
        "start",
        (HARDEST.title,),
    ),
    StoryCard(
        "Take one step.",
        {},
        "The longest vector learns first: the context announces the word that follows it. It does so before "
        "California, too, where that is wrong.",
        "context heard",
        (SAYS.title,),
    ),
    StoryCard(
        "Take another.",
        {},
        "To stop the wrong announcement, attention leaves the context, even in the sentence that does worst. No fact "
        "is stored yet.",
        "step 2",
        (HARDEST.title,),
    ),
    StoryCard(
        "Let the facts be stored.",
        {},
        "What is left learns undisturbed: Alice and “was born in” together say California.",
        "stored",
        (SAYS.title,),
    ),
    StoryCard(
        "Take a third of stage I’s rate.",
        {"rate_1": 0.7},
        "This breaks a hypothesis. In the worst sentence the name still looks back, with 3 % of its attention: thirty "
        "times what is allowed.",
        "step 2",
        (HARDEST.title,),
    ),
    StoryCard(
        "Let attention learn fifty times faster.",
        {"kappa": 0.05},
        "Names tell answers apart better than phrases do, so attention drifts to them. In the worst sentence the "
        "phrase keeps 7 %.",
        "stored",
        (HARDEST.title,),
    ),
    StoryCard(
        "Take a short context.",
        {"dimension": 109.0},
        "The first steps now move the phrase’s score, too. In the worst sentence the name has less than half the "
        "attention of the phrase.",
        "step 2",
        (HARDEST.title,),
    ),
    StoryCard(
        "Go on with huge steps.",
        {"rate_2": 60.0},
        "The very next step overshoots: for more than half of the sentences no neuron is left that could learn the "
        "answer.",
        "",
        (SAYS.title,),
    ),
)
ROWS = (
    Row("greatest attention on the context after stage I (Lemma 11)", "bound_1", "context_1"),
    Row("… at the end", "", "context_3"),
    Row("attention on subject over phrase after stage I: least", "expected", "ratio_low_1"),
    Row("… greatest", "", "ratio_high_1"),
    Row("greatest after stage II (Lemma 13: at most 1.6)", "", "ratio_high_2"),
    Row("greatest at the end", "", "ratio_high_3"),
    Row("sentences whose answer has no active neuron", "", "dead"),
    Row("learning rate η̃₁ of stage I", "", "eta"),
)
MORE = ("phrases", "multiplicity", "steps_2", "steps_3", "seed")
WHY = (
    Step("context", LOSSES, "context heard"),
    Step("everywhere", SAYS._replace(says="right answer:"), "context heard"),
    Step("ignored", ATTENTION, "step 2"),
    Step("ratio", RATIO),
    Step("stored", SAYS._replace(says="right answer:")),
    Step("drift", ATTENTION),
)
"""Beside the steps of *Why it is true*."""


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
        why=WHY,
        name="filtering",
        more=MORE,
        only=("rate_1", "kappa", "dimension", "rate_2", "rate_3", *MORE),
    )
