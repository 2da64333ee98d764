"""Xu and Chen's training, live, with a switch for the assumption that is dropped."""

from __future__ import annotations

from book.acquire.charts import losses, tuning
from book.acquire.scene import PROMPT
from book.together.lamps import cases, lamps, lamps_of, opens, with_lamps
from book.together.relaxed import ACQUIRE
from book.together.relaxed_acquire.program import relaxed_acquire
from book.together.relaxed_acquire.statements import relaxed_filter, relaxed_first_gradient, relaxed_stages
from widgets import Live, live, live_figure
from widgets.figure.panels import Level, Line, Row, TimeChart
from widgets.figure.scenes import Predict, Scene, Stop

LOSSES = losses("Loss above the lowest possible (cut off at 6)", "after context", "steps of each stage")
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
LAMPS = lamps("acquire", relaxed_filter, relaxed_stages, relaxed_first_gradient)
THEOREMS = lamps_of("What still holds?", LAMPS)
SCENE = Scene(
    PROMPT,
    beside=(THEOREMS, ACCURACY),
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


CAPTION = {
    "a stage without steps": lambda r, p: (p.steps_2 == 0) | (p.steps_3 == 0) | (p.steps == 0),
    **cases(LAMPS),
}
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
        name="relaxed-acquire",
        more=("rate", "steps_2", "steps_3", "steps", "seed"),
        **opens(ACQUIRE, "noise"),
    )
