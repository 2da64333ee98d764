"""Huang et al.'s Algorithm 1, live, with a switch for the assumption that is dropped."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor

from book.recall.charts import LOSS, attention_lines
from book.recall.common import TOLERANCE, is_perturbed
from book.recall.scene import CONFUSING, PROMPT, SURE, TIPS, TRUE
from book.together.caption_conditions import holds
from book.together.lamps import Lamp, lamps_of, with_lamps
from book.together.menus import COLD, RECALL, dropping
from book.together.relaxed_recall import statements
from book.together.relaxed_recall.program import relaxed_recall
from book.together.relaxed_recall.statements import relaxed_answers, relaxed_pairs
from lib.recall.general import COOL
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Line, Row, StoryCard, TimeChart
from widgets.figure.scenes import Scene, Stop

ATTENTION = TimeChart(
    title="Attention from EoS",
    series=attention_lines("weights"),
    domain=(0.0, 1.0),
)
BELIEVED = TimeChart(
    title="How probable is each?",
    series=(
        Line("believed", 0, "true relation", "relation"),
        Line("believed", 1, "its rival", "confusing", "7 4"),
        Line("answered", 0, "answer, if told", "query", "2 3"),
    ),
    domain=(0.0, 1.0),
)
LOOKS_BACK = TimeChart(
    title="Attention from the relation, once it is named",
    series=attention_lines("asked"),
    domain=(0.0, 1.0),
)
pairs = holds(relaxed_pairs, "Theorem 2")
low = holds(relaxed_pairs, "Lemma 6")
certain = holds(relaxed_answers, "Theorem 3")
answers = holds(relaxed_answers, "Theorem 1")


def cold(r: Any, p: Any) -> Tensor:
    """Whether T is so low that Theorems 1 and 3 speak of it."""
    return p.temperature <= COOL


def warm(r: Any, p: Any) -> Tensor:
    """Whether T is so high that Theorem 2 and Lemma 6 speak of it."""
    return ~cold(r, p)


def whole(p: Any) -> Tensor:
    """Steps of the run."""
    return p.steps_1 + p.steps_2


LAMPS = (
    Lamp("2: attention in pairs", relaxed_pairs.says, "Theorem 2", whole, warm, "only if warmer"),
    Lamp("Lemma 6: low loss", relaxed_pairs.says, "Lemma 6", whole, warm, "only if warmer"),
    Lamp("3: sure of the relation", relaxed_answers.says, "Theorem 3", whole, cold, "only if colder"),
    Lamp("1: right answer", relaxed_answers.says, "Theorem 1", whole, cold, "only if colder"),
)
THEOREMS = lamps_of("Which theorems hold?", LAMPS)
SCENE = Scene(
    PROMPT,
    below=(THEOREMS,),
    beside=(TRUE, CONFUSING),
    stops=(
        Stop("stuck", 0, says="After stage 1 “capital of” has {believed[0]:%}, its rival {believed[1]:%}."),
        Stop("tips over", 1, passes=("lead", 0), says=TIPS),
        Stop("settled", 1, ""),
    ),
    predict=SURE,
)


def early(r: Any, p: Any) -> Tensor:
    """Whether the stages are too short to tell."""
    return ~((cold(r, p) & statements.long_after(r, p)) | (~cold(r, p) & statements.long_enough(r, p)))


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
        "Theorems 1 and 3 hold: the relation is named and the answer is right, both almost surely.",
    ),
    CaptionCase(
        lambda r, p: cold(r, p) & answers(r, p),
        "Theorem 1 holds: the answer is right. Theorem 3 fails: the relation is less certain than it promises.",
    ),
    CaptionCase(
        lambda r, p: cold(r, p) & certain(r, p),
        "Theorem 3 holds: the relation is certain. Theorem 1 fails: the answer is right with {answer:%}.",
    ),
    CaptionCase(
        cold,
        "Theorems 1 and 3 fail: the relation is not certain, so the answer is right with {answer:%}.",
    ),
    CaptionCase(
        lambda r, p: pairs(r, p) & low(r, p),
        "Theorem 2 and Lemma 6 hold: attention is equal inside each pair, and hardly any is elsewhere.",
    ),
    CaptionCase(pairs, "Theorem 2 holds, and Lemma 6 fails: the loss is {loss}, not below log 2."),
    CaptionCase(
        lambda r, p: low(r, p) & (r.leak > TOLERANCE) & (r.leak >= r.imbalance),
        f"Theorem 2 fails: Madrid and EoS keep {{leak}} of the attention, more than {TOLERANCE:g}. Lemma 6 holds.",
    ),
    CaptionCase(
        lambda r, p: low(r, p) & (r.imbalance > TOLERANCE),
        "Theorem 2 fails: inside a pair attention differs by {imbalance}. Lemma 6 holds.",
    ),
    CaptionCase(low, "Theorem 2 fails: both pairs get almost equal attention. Lemma 6 holds."),
    CaptionCase(None, "Theorem 2 and Lemma 6 fail: the loss is {loss}, not below log 2."),
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
        "The examples tie, a small push tips the balance, and each pair gets equal attention: Theorem 2 and Lemma 6. "
        "Theorems 1 and 3 ask for a lower temperature.",
        "",
        (PROMPT.title, THEOREMS.title),
    ),
    StoryCard(
        "Now with Adam.",
        with_dropped("adam"),
        "Another way down, the same pattern at the end. Momentum, a layer norm and a residual stream change as little.",
        "",
        (PROMPT.title, THEOREMS.title),
    ),
    StoryCard(
        "GELU in the place of the square.",
        with_dropped("gelu"),
        "One pair takes all the attention, as Theorem 2 allows. But other relations share this pair, so the right one "
        "stays unsure, and Lemma 6 fails.",
        "",
        (PROMPT.title, THEOREMS.title),
    ),
    StoryCard(
        "Let the weights decay.",
        with_dropped("decay"),
        "A thousandth in each step is enough: the scores stop growing, and about a hundredth of the attention stays on "
        "EoS.",
        "",
        (PROMPT.title, THEOREMS.title),
    ),
    StoryCard(
        "A second layer below.",
        with_dropped("layers"),
        "Now the words of a pair no longer come alike, and a pair’s attention is no longer equal. The loss is lower.",
        "",
        (PROMPT.title, THEOREMS.title),
    ),
    StoryCard(
        "Colder, with one large step.",
        with_dropped("none", **COLD),
        "Here Theorems 1 and 3 apply: the relation is certain, and so is the answer.",
        "",
        (TRUE.title, THEOREMS.title),
    ),
    StoryCard(
        "The same with biases of the keys.",
        with_dropped("biases", **COLD),
        "One bias serves both decoding steps. The large step turns it away from the examples: they are never read, and "
        "the relation is only guessed.",
        "",
        (PROMPT.title, THEOREMS.title),
    ),
)


@live_figure
def figure() -> Live:
    """Algorithm 1 with one assumption dropped."""
    return live(
        with_lamps(relaxed_recall(), LAMPS, lambda state: state.seen.step),
        relaxed_pairs,
        relaxed_answers,
        scene=SCENE,
        panels=(LOSS, ATTENTION, BELIEVED, LOOKS_BACK),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="relaxed-recall",
        more=("rate_1", "rate_2", "steps_1", "steps_2", "seed"),
    )
