"""Lemma 1, live: give the memory two tokens and read every score."""

from __future__ import annotations

from lib.recall.dynamics.memory import DEFAULTS, RELATIONS, SUBJECTS, recollect
from lib.recall.dynamics.pools import WIDTH
from widgets import Live, controls, live
from widgets.panels import Bar, BarChart, Caption, HeatMap, Level, Light, LiveVerdict, Row, Try, View

LOW = "₁₂₃₄₅₆₇₈"
S, A = tuple(f"s{i}" for i in LOW), tuple(f"a{i}" for i in LOW)


def _bars(title: str, labels: tuple[str, ...], measured: str, right: str, colour: str) -> BarChart:
    return BarChart(
        title=title,
        labels=labels,
        bars=(Bar(measured, "measured", colour), Bar(right, "right", "ink")),
        levels=(Level(1.0, "the others, as printed"),),
        domain=(0.0, 4.0),
        x="score",
    )


NEURONS = HeatMap(
    title="Neurons of the group that writes what is asked: (wᵀh)²",
    field="neurons",
    rows=S,
    columns=A,
    x="answer",
    y="subject",
    domain=(0.0, 4.0),
    numbers=True,
    colour="accent",
    emphasis="facts",
)
ANSWERS = _bars("Scores of the answers", A, "answers", "answers_right", "second")
SUBJECT_BARS = _bars("Scores of the subjects", S, "subjects_scores", "subjects_right", "first")
RELATION_BARS = BarChart(
    title="Scores of the relations",
    labels=tuple(f"r{i}" for i in range(1, RELATIONS + 1)),
    bars=(Bar("relations_scores", "measured", "relation"), Bar("relations_right", "right", "ink")),
    domain=(0.0, 4.0),
    x="score",
)
JOINED = HeatMap(
    title="How many relations join s and a",
    field="joined",
    rows=S,
    columns=A,
    x="answer",
    y="subject",
    numbers=True,
    colour="relation",
    emphasis="facts",
)
LIGHTS = (
    Light("bijections", "every relation is a bijection"),
    Light("orthonormal", "embeddings are orthonormal"),
    Light("stored", "some fact joins the two tokens"),
    Light("unique", "only one element completes them"),
    Light("assumption_1", "two pairs belong to at most one relation (Assumption 1)"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: the missing element has the highest score of all tokens, alone.",
        "Contradicted: the hypotheses hold, yet another token scores as high.",
        "Outside the lemma: a hypothesis is broken, and a wrong token scores as high or higher.",
        "Beyond the lemma: a hypothesis is broken, yet only right elements have the highest score.",
        "Confirmed as corrected: every relation that joins the two has the highest score, and no other token.",
        "The lemma is silent: no fact joins these two tokens.",
    ),
    tones=("good", "bad", "warn", "warn", "good", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "Given: subject {first_given} of {subjects} and relation {second_given} of {second_of}. Each answer's score is "
        "the sum of its column in the grid: {top} for the missing one, at most {rival} for all else.",
        "Given: subject {first_given} of {subjects} and answer {second_given} of {second_of}. A relation's score is "
        "the sum over its facts in the grid: {top} for the missing one, at most {rival} for all else.",
        "Given: answer {first_given} of {subjects} and relation {second_given} of {second_of}. Each subject's score is "
        "the sum of its row in the grid: {top} for the missing one, at most {rival} for all else.",
        "Given: tokens number {first_given} of {subjects} and {second_given} of {second_of}. They leave {completing} "
        "possibilities, and all of them score {top}: the input says no more. All else scores at most {rival}.",
        "Given: tokens number {first_given} of {subjects} and {second_given} of {second_of}. No fact joins them. "
        "The highest score is {rival}, and {maximisers} tokens have it: nothing is recalled.",
        "Given: tokens number {first_given} of {subjects} and {second_given} of {second_of}. What completes them "
        "scores {top}, but something else scores {rival}: the memory errs, or cannot decide.",
    ),
)
CODE = (
    "import torch\nfrom lib.recall.dynamics.memory import recollect\n\n"
    "values = dict({arguments})\n"
    "print(recollect(**{name: torch.tensor(value, dtype=torch.float64) for name, value in values.items()}))"
)
TRIES = (
    Try(
        "Ask for the relation.",
        {"ask": 1},
        "Four relations join this subject and this answer. All four tie at the top.",
    ),
    Try(
        "Ask for the subject.",
        {"ask": 2},
        "Row sums instead of column sums, and the same 4 against 2.",
    ),
    Try(
        "Let four subjects share an answer.",
        {"sharing": 4, "first": 5},
        "Their answer collects a 1 from each, and one more in the row of the subject given: the memory errs.",
    ),
    Try(
        "Keep only three random relations, and ask which one.",
        {"ask": 1, "family": 1, "relations": 3, "first": 1, "second": 1},
        "Most pairs are joined by no relation; then all relations score 2.",
    ),
    Try(
        "Give all embeddings a cosine of 0.1, and ask for the relation.",
        {"ask": 1, "overlap": 0.1},
        "The second light goes out. Neurons answer to tokens they do not hold, and an answer wins.",
    ),
)


def demo() -> Live:
    """The demo of Lemma 1: two tokens of a fact, every score of the memory."""
    view = View(
        panels=(NEURONS, ANSWERS, JOINED, SUBJECT_BARS, RELATION_BARS),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("score of what completes a fact", "top_right", "top"),
            Row("highest score of any other token", "rival_right", "rival"),
            Row("lead", "margin_right", "margin"),
            Row("tokens with the highest score", "completing", "maximisers"),
            Row("score of EoS", "", "eos"),
            Row("neurons, 3n²", "", "width"),
            Row("relations kept", "", "relations"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        recollect,
        view,
        name="memory",
        more=("sharing", "overlap", "seed"),
        ask=controls.menu(DEFAULTS["ask"], ("an answer", "a relation", "a subject"), "ask for"),
        first=controls.whole(DEFAULTS["first"], 1, WIDTH, "first token, number"),
        second=controls.whole(DEFAULTS["second"], 1, RELATIONS, "second token, number"),
        subjects=controls.choice(DEFAULTS["subjects"], SUBJECTS, "subjects n"),
        relations=controls.whole(DEFAULTS["relations"], 1, RELATIONS, "relations |R|, at most"),
        family=controls.menu(DEFAULTS["family"], ("affine maps", "random bijections"), "drawn from"),
        sharing=controls.whole(DEFAULTS["sharing"], 1, WIDTH, "subjects that share an answer"),
        overlap=controls.linear(DEFAULTS["overlap"], 0.0, 0.5, 0.01, "cosine between embeddings"),
        seed=controls.seed(DEFAULTS["seed"]),
    )
