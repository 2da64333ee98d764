"""Huang et al.'s Algorithm 1, live, with a switch for the assumption that is dropped."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor

from book.recall.charts import LOSS, attention_lines
from book.recall.common import is_perturbed
from book.recall.scene import CONFUSING, NAMED, PROMPT, SURE, TIPS, TRUE
from book.together.caption_conditions import holds
from book.together.menus import COLD, RECALL, dropping
from book.together.relaxed_recall import statements
from book.together.relaxed_recall.program import relaxed_recall
from book.together.relaxed_recall.statements import relaxed_answers, relaxed_pairs
from lib.recall.general import COOL
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Line, Row, StoryCard, TimeChart
from widgets.figure.scenes import Scene, Stop

LOOKS_BACK = NAMED._replace(says="says “Spain”:", share=("answered", 0))
ATTENTION = TimeChart(
    title="Attention from EoS",
    series=attention_lines("weights"),
    domain=(0.0, 1.0),
)
BELIEVED = TimeChart(
    title="Probabilities",
    series=(
        Line("believed", 0, "true relation", "relation"),
        Line("believed", 1, "its rival", "confusing", "7 4"),
        Line("answered", 0, "right answer", "query", "2 3"),
    ),
    domain=(0.0, 1.0),
)
SCENE = Scene(
    PROMPT,
    below=(LOOKS_BACK,),
    beside=(TRUE, CONFUSING),
    stops=(
        Stop("stuck", 0, says="After stage 1 “capital of” has {believed[0]:%}, its rival {believed[1]:%}."),
        Stop("tips over", 1, passes=("lead", 0), says=TIPS),
        Stop("settled", 1, ""),
    ),
    predict=SURE,
)


pairs = holds(relaxed_pairs, "Theorem 2")
low = holds(relaxed_pairs, "Lemma 6")
certain = holds(relaxed_answers, "Theorem 3")
answers = holds(relaxed_answers, "Theorem 1")


def cold(r: Any, p: Any) -> Tensor:
    """Whether T is so low that Theorems 1 and 3 speak of it."""
    return p.temperature <= COOL


def early(r: Any, p: Any) -> Tensor:
    """Whether the stages are too short to tell."""
    return ~((cold(r, p) & statements.long_after(r, p)) | (~cold(r, p) & statements.long_enough(r, p)))


PAIRS = "attention differs by {imbalance} inside a pair, {leak} of it is on Madrid and EoS"
CAPTION = (
    CaptionCase(
        lambda r, p: (p.steps_1 == 0) | (p.steps_2 == 0),
        "One of the two stages has no steps: the loss is {loss}.",
    ),
    CaptionCase(
        lambda r, p: ~is_perturbed(r, p),
        "Without a push along the way out plain descent stays at the saddle. The loss is {loss}.",
    ),
    CaptionCase(early, "Too early to tell: these stages are too short. The loss is {loss}."),
    CaptionCase(
        lambda r, p: cold(r, p) & certain(r, p) & answers(r, p),
        "Theorems 1 and 3 hold: the right relation is missed with probability {unsure}, and the answer is right with "
        "{answer}.",
    ),
    CaptionCase(
        lambda r, p: cold(r, p) & answers(r, p),
        "Theorem 3 fails and Theorem 1 holds: the right relation is missed with probability {unsure}, and the answer "
        "is right with {answer}.",
    ),
    CaptionCase(
        lambda r, p: cold(r, p) & certain(r, p),
        "Theorem 3 holds and Theorem 1 fails: the right relation is missed with probability {unsure}, and the answer "
        "is right with {answer}.",
    ),
    CaptionCase(
        cold,
        "Theorems 1 and 3 fail: the right relation is missed with probability {unsure}, and the answer is right with "
        "{answer}.",
    ),
    CaptionCase(
        lambda r, p: pairs(r, p) & low(r, p),
        f"Theorem 2 and Lemma 6 hold: {PAIRS}, and the loss {{loss}} is below log 2.",
    ),
    CaptionCase(pairs, f"Theorem 2 holds and Lemma 6 fails: {PAIRS}, but the loss {{loss}} is above log 2."),
    CaptionCase(low, f"Theorem 2 fails and Lemma 6 holds: {PAIRS}, but the loss {{loss}} is below log 2."),
    CaptionCase(None, f"Theorem 2 and Lemma 6 fail: {PAIRS}, and the loss {{loss}} is above log 2."),
)
ROWS = (
    Row("Theorem 2: distance of a from ¼", "", "apart"),
    Row("Theorem 2: imbalance inside the pairs", "", "imbalance"),
    Row("Theorem 2: attention on Madrid and EoS", "", "leak"),
    Row("Lemma 6: loss L₁ at the end", "", "loss"),
    Row("Theorem 3: 1 − p(r*)", "", "unsure"),
    Row("Theorem 1: probability of the final answer", "", "answer"),
    Row("steps that plain descent waits at the saddle", "waits", ""),
)
with_dropped = partial(dropping, RECALL)
STORY = (
    StoryCard(
        "Train as in the paper.",
        with_dropped("none"),
        "The examples tie, a small push tips the balance, and each pair gets equal attention: Theorem 2 and Lemma 6.",
    ),
    StoryCard(
        "Now with Adam.",
        with_dropped("adam"),
        "Another way down, the same end. Momentum, a layer norm and a residual stream change as little.",
    ),
    StoryCard(
        "GELU in the place of the square.",
        with_dropped("gelu"),
        "Attention still takes each subject with its answer. Does the loss fall below log 2?",
    ),
    StoryCard(
        "Let the weights decay.",
        with_dropped("decay"),
        "A thousandth in each step is enough: the scores stop growing, and a little attention stays on Madrid and EoS.",
    ),
    StoryCard(
        "A second layer below.",
        with_dropped("layers"),
        "Now the words of a pair no longer come alike, and a pair’s attention is no longer equal. The loss is lower.",
    ),
    StoryCard(
        "Colder, with one large step.",
        with_dropped("none", **COLD),
        "Here Theorems 1 and 3 apply: the relation is certain, and so is the answer.",
    ),
    StoryCard(
        "The same with biases of the keys.",
        with_dropped("biases", **COLD),
        "One bias serves both decoding steps. The large step turns it away from the examples, and they are never read.",
    ),
)


@live_figure
def figure() -> Live:
    """Algorithm 1 with one assumption dropped."""
    return live(
        relaxed_recall(),
        relaxed_pairs,
        relaxed_answers,
        scene=SCENE,
        panels=(LOSS, ATTENTION, BELIEVED),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="relaxed-recall",
        more=("rate_1", "rate_2", "steps_1", "steps_2", "seed"),
    )
