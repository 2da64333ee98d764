"""Xu and Chen's training, live, with a switch for the assumption that is dropped."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor

from book.acquire.charts import tuning
from book.acquire.scene import PROMPT
from book.figures import listed
from book.together.caption_conditions import holds
from book.together.lamps import Lamp, lamps_of, with_lamps
from book.together.menus import ACQUIRE, dropping
from book.together.relaxed_acquire.program import relaxed_acquire
from book.together.relaxed_acquire.statements import relaxed_filter, relaxed_first_gradient, relaxed_stages
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Level, Line, Row, StoryCard, TimeChart
from widgets.figure.scenes import Predict, Scene, Stop

LOSSES = TimeChart(
    title="Loss above the unavoidable (cut off at 6)",
    series=(
        Line("capped", 0, "after context", "follower"),
        Line("capped", 1, "phrase", "phrase"),
        Line("capped", 2, "answer", "answer"),
    ),
    domain=(0.0, 6.0),
    x="steps of each stage",
)
ACCURACY = tuning(
    "Questions answered correctly",
    Line("accuracy", 0, "unseen", "unseen"),
    Line("accuracy", 1, "fine-tuned", "drilled", "5 3"),
)
ATTENTION = TimeChart(
    title="Attention before the answer",
    series=(
        Line("in_phrase", 0, "context", "context"),
        Line("in_phrase", 1, "subject", "subject"),
        Line("in_phrase", 2, "phrase", "phrase"),
    ),
    domain=(0.0, 1.0),
)
EXTREMES = TimeChart(
    title="Attention, over all sentences",
    series=(
        Line("context", 0, "context, greatest", "context"),
        Line("share", 0, "subject or phrase, least", "subject"),
    ),
    domain=(0.0, 1.0),
    levels=(Level(0.3, "Proposition 1"),),
)
SAID = (
    (
        "Proposition 1",
        holds(relaxed_filter, "Proposition 1"),
        "attention keeps too much of the context, or too little of subject or phrase",
    ),
    ("Proposition 2", holds(relaxed_stages, "Proposition 2"), "a stage ends before its part is learned"),
    (
        "Theorem 2",
        holds(relaxed_stages, "Theorem 2"),
        "{wrong:%} of the unseen facts stay wrong, after pre-training to {excess} above the unavoidable loss",
    ),
    (
        "Proposition 3",
        holds(relaxed_first_gradient, "Proposition 3"),
        "the first step of fine-tuning moves other things than it says",
    ),
)
"""Each statement, when it holds, and what is seen if it fails."""


def pretrained(p: Any) -> Tensor:
    """Steps of pre-training."""
    return p.steps_1 + p.steps_2 + p.steps_3


LAMPS = (
    Lamp("P1: context left out", relaxed_filter.says, "Proposition 1", lambda p: p.steps_1),
    Lamp("P2: learned in order", relaxed_stages.says, "Proposition 2", pretrained),
    Lamp("P3: right first push", relaxed_first_gradient.says, "Proposition 3", pretrained),
    Lamp("T2: unseen come out", relaxed_stages.says, "Theorem 2", lambda p: pretrained(p) + p.steps),
)
THEOREMS = lamps_of("Which propositions and theorems hold?", LAMPS)
SCENE = Scene(
    PROMPT,
    below=(THEOREMS,),
    beside=(ACCURACY,),
    stops=(
        Stop(
            "stage I over",
            0,
            says="After two steps the context gets {in_phrase[0]:%} of the attention, Alice {in_phrase[1]:%}.",
        ),
        Stop(
            "pre-trained",
            2,
            says="Pre-training is over: every answer has a probability of {chance[1]:%} or more.",
        ),
        Stop(
            "end",
            3,
            says="{accuracy[0]:%} of the unseen facts come out, {accuracy[1]:%} of the fine-tuned ones.",
        ),
    ),
    predict=Predict(
        "the context has the largest gradient. What attention does it get?",
        "in_phrase",
        "attention on the context",
        (0.0, 1.0),
    ),
)


def case(held: tuple[bool, ...]) -> CaptionCase:
    """What is said of a run in which these statements hold, and the others fail."""

    def condition(r: Any, p: Any) -> Tensor:
        return torch.stack(
            [holds(r, p) == says for (_, holds, _), says in zip(SAID, held, strict=True)]
        ).all()

    if all(held):
        return CaptionCase(
            condition, "All four hold: facts are stored, and almost all of the unseen ones come out."
        )
    missed = [(name, seen) for (name, _, seen), says in zip(SAID, held, strict=True) if not says]
    failing, reason = [name for name, _ in missed], missed[0][1]
    verb = "fail, the first since" if len(failing) > 1 else "fails:"
    return CaptionCase(condition if any(held) else None, f"{listed(failing)} {verb} {reason}.")


CAPTION = (
    CaptionCase(
        lambda r, p: (p.steps_2 == 0) | (p.steps_3 == 0) | (p.steps == 0),
        "A stage has no steps: pre-training ends {excess} above the unavoidable loss.",
    ),
    *(case(held) for held in product((True, False), repeat=len(SAID))),
)
ROWS = (
    Row("Proposition 1: attention on the context, greatest", "", "context"),
    Row("Proposition 1: attention on subject or phrase, least", "", "share"),
    Row("Proposition 2: loss after the context, end of stage I", "", "follower_1"),
    Row("Proposition 2: p(r) over chance, least, end of stage II", "", "phrase_2"),
    Row("Proposition 2: p(a) over chance, least, end of stage II", "", "answer_2"),
    Row("Proposition 2: loss above its entropy", "", "excess"),
    Row("Theorem 2: share of the unseen facts that are wrong", "", "wrong"),
    Row("Proposition 3: phrases, along p over along a subject", "", "phrases"),
    Row("Proposition 3: along p, answers and phrases over all others", "", "others"),
)
with_dropped = partial(dropping, ACQUIRE)
STORY = (
    StoryCard(
        "Train as in the paper.",
        with_dropped("none"),
        "Two large steps make attention leave out the context. Then the facts are stored, and a few questions bring "
        "almost all of them out.",
        "",
        (PROMPT.title, THEOREMS.title),
    ),
    StoryCard(
        "Replace ReLU by GELU.",
        with_dropped("gelu"),
        "Storing does not need the kink of ReLU: GELU differs from it by at most 0.17, and logits decide by several "
        "units. The unseen facts come out.",
        "",
        (ACCURACY.title, THEOREMS.title),
    ),
    StoryCard(
        "Take the residual stream away.",
        with_dropped("residual"),
        "Fine-tuning needs it: it adds the last token, which all questions share. Without it an answer moves along "
        "its own subject just as far, and the other subjects gain little.",
        "",
        (ACCURACY.title, THEOREMS.title),
    ),
    StoryCard(
        "Normalise what the MLP sees.",
        with_dropped("norm"),
        "Filtering needs a context of great length, which makes its gradient large. A layer norm makes it as long as "
        "any other input: after two steps its arc is still there.",
        "stage I over",
        (PROMPT.title, THEOREMS.title),
    ),
    StoryCard(
        "Descend with momentum.",
        with_dropped("momentum"),
        "Filtering needs all of its second step, but momentum goes on where the first one went. In some sentences, not "
        "in this one, the context keeps up to 5 % of the attention.",
        "stage I over",
        (PROMPT.title, THEOREMS.title),
    ),
    StoryCard(
        "Call one answer in ten wrong.",
        with_dropped("noise"),
        "Storing needs right answers: Proposition 2 speaks of all, and now one in ten is learned wrong. Attention "
        "does not mind, but long practice loses most of the unseen facts.",
        "",
        (ACCURACY.title, THEOREMS.title),
    ),
    StoryCard(
        "Divide scores by a root, at a larger rate.",
        with_dropped("scale", rate_1=8.0),
        "Filtering needs steps that suit the scores: divided by a root, attention moves too little at the old rate. At "
        "8 in place of 2.2 the arc from the context is gone again.",
        "",
        (PROMPT.title, THEOREMS.title),
    ),
)


@live_figure
def figure() -> Live:
    """Three propositions and a theorem on one run, with one assumption dropped."""
    return live(
        with_lamps(relaxed_acquire(), LAMPS, lambda state: state.step),
        relaxed_filter,
        relaxed_stages,
        relaxed_first_gradient,
        scene=SCENE,
        panels=(EXTREMES, LOSSES, ATTENTION),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="relaxed-acquire",
        more=("rate", "steps_2", "steps_3", "steps", "seed"),
    )
