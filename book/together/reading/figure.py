"""A detector that names the relation and a memory that answers from the name, learned together, live."""

from __future__ import annotations

import math

from book.recall.charts import LOG_2
from book.recognise.scene import SENTENCES as STACKS
from book.together.reading.program import APART, DOMAINS, reading_together
from book.together.reading.statements import answers_alone, answers_only, is_exchanged, is_perturbed
from widgets import Live, live, live_figure
from widgets.figure import controls
from widgets.figure.panels import Cases, Line, Row, TimeChart, TruthMap
from widgets.figure.scenes import Link, Net, Predict, Scene, Stop, Token

TOGETHER = 0.75
"""Detection and recall come together if the earlier takes so much of the later's time."""
SENTENCES = STACKS._replace(title="Which sentences mean “capital of”?", field="words")
MEMORY = Net(
    "What each code word recalls for Paris",
    (Token("capital of", "r₁", "relation"), Token("twin in", "r₀", "confusing")),
    (Token("France", "r₁(s)", "relation"), Token("Italy", "r₀(s)", "confusing")),
    (
        Link(0, 0, "relation"),
        Link(0, 1, "relation"),
        Link(1, 0, "confusing"),
        Link(1, 1, "confusing"),
    ),
    "paris",
    full=1.0,
)
RIGHT = TimeChart(
    title="How probable is each right choice?",
    series=(
        Line("right", 2, "right answer", "run"),
        Line("right", 0, "right code word", "relation"),
        Line("right", 1, "right fact for a code word", "query", "5 3"),
    ),
    domain=(0.0, 1.0),
)
LOSS = TimeChart(title="Loss of the answers", series=(Line("loss", 0, "loss", "run"),), levels=(LOG_2,))
MARGINS = TimeChart(
    title="Margins yF of the sentences",
    series=(
        Line("margins", 0, "both", "both"),
        Line("margins", 1, "only Bob", "target-1"),
        Line("margins", 2, "only banana", "target-2", "5 3"),
        Line("margins", 3, "neither", "neither"),
    ),
)
SCENE = Scene(
    SENTENCES,
    beside=(MEMORY, RIGHT),
    stops=(
        Stop(
            "tie",
            0,
            says="The tie: the memory knows both answers of each city, but no code word tells which is "
            "asked for. The right answer has {right[2]:%}.",
        ),
        Stop(
            "reads",
            1,
            passes=("detected", 0),
            says="The detector, which reads the sentence, says the right code word with {right[0]:%}.",
        ),
        Stop(
            "recalls",
            1,
            passes=("recalled", 0),
            says="The memory tells the code words apart: of two answers it gives one its own with {right[1]:%}.",
        ),
        Stop("end", 1, says="The right answer has {right[2]:%}, the right code word {right[0]:%}."),
    ),
    predict=Predict(
        "how will the probability of the right code word move?",
        "right",
        "probability of the right code word",
        (0.0, 1.0),
    ),
)
CAPTION: Cases = {
    "answers alone, not perturbed": lambda r, p: answers_alone(r, p) & ~is_perturbed(r, p),
    "answers alone, answer never right": lambda r, p: answers_alone(r, p) & (r.first == math.inf),
    "exchanged": is_exchanged,
    "nothing happens": lambda r, p: (r.first == math.inf) | (r.waited == 0),
    "no tie": lambda r, p: p.tie_steps == 0,
    "answers alone, waits as long": lambda r, p: answers_alone(r, p) & (r.waited >= TOGETHER),
    "answer later": lambda r, p: r.lag > 0,
    "otherwise": None,
}
ROWS = (
    Row(
        "loss before the push (predicted: at least)",
        lambda r, p: 0 * r.tie_loss + math.log(2),
        "tie_loss",
    ),
    Row(
        f"steps until the kinds of sentences differ by {APART:g} in F",
        "predicted_escape",
        "measured_escape",
    ),
    Row("growth in a step at the tie", "growth", ""),
    Row("steps until sentences are told apart", "", "detects"),
    Row("steps until code words are told apart", "", "recalls"),
    Row("probability of the right answer", "", "answered"),
    Row("probability of the right code word", "", "named"),
    Row("share of the right answer by its own code word", "", "own"),
)

BY_NAME = {domain.name: domain for domain in DOMAINS}
SAYS = {
    "tie_steps": "steps before the push",
    "labels": "hint: what is asked",
    "statements": "hint: the facts",
}
"""What its sliders say here."""


@live_figure
def figure() -> Live:
    """Both models from answers, every setting a control."""
    return live(
        reading_together(),
        answers_only,
        scene=SCENE,
        panels=(RIGHT, LOSS, MARGINS),
        caption=CAPTION,
        rows=ROWS,
        map=TruthMap("temperature", "perturbation_radius"),
        name="reading",
        more=("multiplicity", "seed", "rate_detector", "rate_memory", "tie_steps", "steps"),
        **{name: controls.of(BY_NAME[name]._replace(words=words)) for name, words in SAYS.items()},
    )
