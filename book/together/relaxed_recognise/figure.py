"""Yang et al.'s training, live, with a switch for the assumption that is dropped."""

from __future__ import annotations

from book.recognise.scene import ONLY_BOB, SENTENCES
from book.together.lamps import cases, lamps, lamps_of, opens, with_lamps
from book.together.relaxed import RECOGNISE
from book.together.relaxed_recognise.program import relaxed_recognise
from book.together.relaxed_recognise.statements import relaxed_limit, relaxed_phase_1, relaxed_phase_2
from widgets import Live, live, live_figure
from widgets.figure.panels import Level, Line, Row, TimeChart
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
LAMPS = lamps("recognise", relaxed_phase_1, relaxed_phase_2, relaxed_limit)
THEOREMS = lamps_of("What still holds?", LAMPS)
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


CAPTION = {"short": lambda r, p: (p.steps_1 == 0) | (p.steps_2 == 0), **cases(LAMPS)}
ROWS = (
    Row("Theorem 3.1: loss at T₁", "", "loss_1"),
    Row("Theorem 3.1: least margin at T₁", "", "margin"),
    Row("Theorem 3.1: values’ products until T₁, change over κ", "", "moved"),
    Row("Theorem 3.2: least move of a score in a step, over κ", "", "score_move"),
    Row("Theorem 3.2: least of the three sums", "", "least_sum"),
    Row("Theorem 3.3: loss at the end", "", "loss"),
    Row("Theorem 3.3: least of the four scores’ growth, over κ", "", "grown"),
)


@live_figure
def figure() -> Live:
    """Three theorems on one run, with one assumption dropped."""
    return live(
        with_lamps(relaxed_recognise(), LAMPS, lambda state: state.seen.step),
        relaxed_phase_1,
        relaxed_phase_2,
        relaxed_limit,
        scene=SCENE,
        panels=(WORDS, SCORES, NEW),
        caption=CAPTION,
        rows=ROWS,
        name="relaxed-recognise",
        more=("rate", "steps_1", "steps_2", "seed"),
        **opens(RECOGNISE, "biases"),
    )
