"""A memory that is trained, then looked up in: temperature, multiplicity and perturbation radius of one model, live."""

from __future__ import annotations

import math

from book.recall.charts import LOSS as RECALL_LOSS
from book.recall.charts import attention_lines
from book.recall.common import is_perturbed
from book.recall.scene import CONFUSING, PROMPT, TRUE
from book.together.stored.program import stored_then_looked_up
from book.together.stored.statements import all_stored, stored_and_looked_up
from lib.recall.landscape import ESCAPED
from lib.together.memory import FACTS, LEAST_LEAD
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Level, Line, Row, StoryCard, TimeChart, TruthMap
from widgets.figure.scenes import Predict, Scene, Stop

ATTENDS = 1
"""The stage with which attention begins to learn."""
READ = PROMPT._replace(title="What the end of the prompt reads")
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
    title="Prompts named right, of 36",
    series=(Line("named", 0, "right", "relation"),),
    domain=(0.0, 36.0),
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
    READ,
    below=(TRUE, CONFUSING),
    beside=(NAMED,),
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
            says="The balance tips: “capital of” has {believed[0]:%}, its rival {believed[1]:%}.",
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
RIGHT = "{named:n} of 36 prompts are named right."
CAPTION = (
    CaptionCase(
        lambda r, p: p.multiplicity > p.phrases,
        "K = {asked_wordings:n} is more than R = {wordings:n}: no fact can be stated in more wordings than there are, "
        f"so each is stated in all of them. {RIGHT}",
    ),
    CaptionCase(
        lambda r, p: r.facts_stated < 0.5,
        "The memory stores nothing, since no fact is ever stated. There is nothing to look up: all relations stay "
        "equally likely.",
    ),
    CaptionCase(
        lambda r, p: r.lead <= LEAST_LEAD,
        "The memory stores nothing yet: it has had too few steps. There is nothing to look up.",
    ),
    CaptionCase(
        lambda r, p: ~all_stored(r, p),
        f"Of one kind of statement the memory completes only {{stored_least:%}}. {RIGHT}",
    ),
    CaptionCase(
        lambda r, p: r.known < 0.5,
        "What is stated determines the relation of no prompt: no two correct facts of a relation share a wording. "
        f"{RIGHT}",
    ),
    CaptionCase(
        lambda r, p: ~is_perturbed(r, p),
        f"Without a push the tie stays for ever, whatever the memory has learned. {RIGHT}",
    ),
    CaptionCase(
        lambda r, p: r.undecided,
        f"Too few steps to tell. {RIGHT}",
    ),
    CaptionCase(
        lambda r, p: r.concluded,
        "The learned memory works like one written by hand: the true relation gets {probability:%}, by hand "
        f"{{constructed_probability:%}}. {RIGHT}",
    ),
    CaptionCase(
        lambda r, p: r.between < ESCAPED / 2,
        f"Nothing breaks the tie: both examples keep almost equal attention. {RIGHT}",
    ),
    CaptionCase(
        lambda r, p: r.lesser < 0.02,
        f"One pair takes all the attention, and the relations that share this pair look alike. {RIGHT}",
    ),
    CaptionCase(None, f"One pair gets more attention than the other. {RIGHT}"),
)
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
STORY = (
    StoryCard(
        "Let it learn its facts.",
        {},
        "The memory starts from random numbers and reads each fact in four wordings, until it completes them all. But "
        "attention has not learned anything yet, and no prompt is named right.",
        "stored",
        (NAMED.title,),
    ),
    StoryCard(
        "Now train what it reads.",
        {},
        "The memory is frozen. Attention drops Madrid and spreads over both pairs, and then stops: “capital of” and "
        "its rival look equally good. No memory could tell them apart here.",
        "tie",
        (READ.title, TRUE.title, CONFUSING.title, NAMED.title),
    ),
    StoryCard(
        "Give it a push.",
        {},
        "One pair gets more attention than the other, and most prompts are named right. A memory written by hand "
        "leads to the same pattern.",
        "settled",
        (READ.title, NAMED.title),
    ),
    StoryCard(
        "State each fact once.",
        {"multiplicity": 1},
        "Every statement is still completed. But two facts seldom share a wording, so about half of the prompts are "
        "named right: a fact can be stored and yet not be looked up.",
        "",
        (READ.title, NAMED.title),
    ),
    StoryCard(
        "Leave out four of the 18 facts.",
        {"missing": 4 / FACTS},
        "Now hardly anything breaks the tie: the facts that are left are stored, but the two examples keep almost "
        "equal attention.",
        "",
        (READ.title, NAMED.title),
    ),
    StoryCard(
        "Raise the temperature to 0.12.",
        {"temperature": 0.12},
        "One pair takes all the attention. Two relations share that pair, so half of the prompts are named wrong.",
        "",
        (READ.title, NAMED.title),
    ),
)


@live_figure
def figure() -> Live:
    """The memory’s training, then attention’s, every setting a control."""
    return live(
        stored_then_looked_up(),
        stored_and_looked_up,
        scene=SCENE,
        panels=(MEMORY, NAMED, BELIEVED, LOSS, ATTENTION, EXCESS),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        map=TruthMap("temperature", "multiplicity"),
        name="stored",
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
