"""A memory that is trained, then looked up in: temperature, multiplicity and perturbation radius of one model, live."""

from __future__ import annotations

import math

import torch

from book.recall.charts import LOSS as RECALL_LOSS
from book.recall.charts import attention_lines
from book.recall.common import is_perturbed
from book.recall.scene import CONFUSING, TRUE
from book.together.stored.program import DOMAINS
from book.together.stored.scene import ATTENDS, SHELF, with_statements
from book.together.stored.statements import all_stored, stored_and_looked_up
from lib.recall.landscape import ESCAPED
from lib.together.lookup import PROMPTS
from lib.together.memory import LEAST_LEAD
from widgets import Live, live, live_figure
from widgets.figure import controls
from widgets.figure.panels import Cases, Level, Line, Row, TimeChart, TruthMap
from widgets.figure.scenes import Predict, Scene, Stop

MEMORY = TimeChart(
    title="Statements completed",
    series=(
        Line("stored", 0, "relation", "relation"),
        Line("stored", 1, "answer", "query", "5 3"),
        Line("stored", 2, "subject", "first", "2 3"),
    ),
    domain=(0.0, 1.0),
)
BELIEVED = TimeChart(
    title="Probability of the relation, all prompts",
    series=(
        Line("believed", 0, "true r*", "relation"),
        Line("believed", 1, "its rival", "confusing", "7 4"),
        Line("believed", 2, "other four", "mismatched"),
    ),
    domain=(0.0, 1.0),
    levels=(Level("constructed_probability", "by hand"),),
    since=ATTENDS,
)
NAMED = TimeChart(
    title=f"Prompts named right, of {len(PROMPTS)}",
    series=(Line("named", 0, "right", "relation"),),
    domain=(0.0, float(len(PROMPTS))),
)
LOSS = RECALL_LOSS._replace(since=ATTENDS)
ATTENTION = TimeChart(
    title="Attention from EoS",
    series=attention_lines("weights"),
    domain=(0.0, 0.55),
    since=ATTENDS,
)
EXCESS = TimeChart(
    title="The memory’s loss, above the lowest possible", series=(Line("excess", 0, "excess loss", "run"),)
)
SCENE = Scene(
    SHELF,
    beside=(NAMED, TRUE, CONFUSING),
    stops=(
        Stop(
            "stored",
            0,
            passes=("ready", 0),
            says="The memory completes every statement: all facts are stored. {named[0]:n} of 36 prompts are named "
            "right.",
        ),
        Stop(
            "tie",
            1,
            says="A tie: “capital of” has {believed[0]:%}, its rival {believed[1]:%}. {named[0]:n} of 36 prompts are "
            "named right.",
        ),
        Stop(
            "tips over",
            2,
            passes=("ahead", 0),
            says="The tie breaks: “capital of” has {believed[0]:%}, its rival {believed[1]:%}.",
        ),
        Stop("settled", 2, says="Attention has settled: {named[0]:n} of 36 prompts are named right."),
    ),
    predict=Predict(
        "how many of the 36 prompts are named right?",
        "named",
        "prompts named right",
        (0.0, 36.0),
    ),
)
CAPTION: Cases = {
    "more phrases than there are": lambda r, p: p.multiplicity > p.phrases,
    "no facts stated": lambda r, p: r.facts_stated < 0.5,
    "no lead": lambda r, p: r.lead <= LEAST_LEAD,
    "not all stored": lambda r, p: ~all_stored(r, p),
    "answer unknown": lambda r, p: r.known < 0.5,
    "not perturbed": lambda r, p: ~is_perturbed(r, p),
    "too early to tell": lambda r, p: r.undecided,
    "concluded": lambda r, p: r.concluded,
    "pairs still together": lambda r, p: r.between < ESCAPED / 2,
    "one pair alone": lambda r, p: r.lesser < 0.02,
    "otherwise": None,
}
ROWS = (
    Row(
        "loss L₁ after stage 1 (predicted: at least)",
        lambda r, p: 0 * r.tie_loss + math.log(2),
        "tie_loss",
    ),
    Row("T times the least curvature after stage 1", "", "curvature"),
    Row(
        f"steps until the pairs differ by {ESCAPED:g} in attention",
        "predicted_escape",
        "measured_escape",
    ),
    Row("loss L₁ at the end (predicted: with the constructed memory)", "constructed_loss", "loss"),
    Row("attention on each word of the lesser pair (likewise)", "constructed_lesser", "lesser"),
    Row("probability of the true relation (likewise)", "constructed_probability", "probability"),
    Row("prompts of 36 named right (predicted: those that the statements determine)", "known", "named"),
    Row("lead of the memory (constructed: 2)", "", "lead"),
    Row("asymmetry of the memory (constructed: 0)", "", "asymmetry"),
    Row("the memory’s loss, above the lowest possible", "", "excess"),
)

BY_NAME = {domain.name: domain for domain in DOMAINS}
PHRASES = {
    "multiplicity": "phrases per fact (K)",
    "phrases": "phrases in all (R)",
}
"""What the sliders say, as in the figures of *Acquire*."""


@live_figure
def figure() -> Live:
    """The memory’s training, then attention’s, every setting a control."""
    return live(
        with_statements(),
        stored_and_looked_up,
        scene=SCENE,
        panels=(MEMORY, NAMED, BELIEVED, LOSS, ATTENTION, EXCESS),
        caption=CAPTION,
        rows=ROWS,
        map=TruthMap("temperature", "multiplicity"),
        numbers={"prompts": lambda r, p: torch.full_like(r.named, len(PROMPTS))},
        name="stored",
        **{name: controls.of(BY_NAME[name]._replace(words=words)) for name, words in PHRASES.items()},
        more=(
            "missing",
            "wrong",
            "seed",
            "phrases",
            "memory_steps",
            "memory_rate",
            "rate_1",
            "rate_2",
            "steps",
        ),
    )
