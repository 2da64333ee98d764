"""Theorem 2, live: Algorithm 1 with three subjects."""

from __future__ import annotations

from book.recall.charts import EXAMPLES, LOG_2, LOSS, SLICE
from book.recall.saddle.program import warm_up
from book.recall.saddle.statements import theorem_2
from book.recall.scene import saddle, shown
from lib.recall.algorithm import ESCAPED
from widgets import Live, live
from widgets.panels import Level, Line, Row, Said, TimeChart, Try

ATTENTION = TimeChart(
    title="Attention from EoS",
    series=(
        *EXAMPLES,
        Line("attention", 4, "v₅  s₃", "query"),
        Line("attention", 5, "v₆  EoS", "eos"),
    ),
    domain=(0.0, 0.55),
)
PROBABILITY = TimeChart(
    title="Probability of the relations",
    series=(
        Line("shares", 0, "true r*", "relation"),
        Line("shares", 1, "confusing", "confusing", "7 4"),
        Line("shares", 2, "other four", "mismatched"),
    ),
    domain=(0.0, 1.0),
)
LANDSCAPE = SLICE._replace(
    levels=(LOG_2, Level("predicted_a", "a", axis="x"), Level("predicted_rest", "½ − a", axis="x"))
)
CAPTION = (
    Said(
        "concluded & endless",
        "Stage 1 spreads attention evenly over both examples, a saddle of the loss. The perturbation tips it over: "
        "one pair ends with {measured_a} on each of its tokens (the theory says {predicted_a}), the other with the "
        "rest. "
        "The true relation then has probability {probability}, the confusing one {confusing}.",
    ),
    Said(
        "!perturbed & !left",
        "Nothing was pushed along the way out, so nothing grows: the two examples share attention evenly, and the true "
        "relation is as likely as the confusing one ({probability} against {confusing}).",
    ),
    Said(
        "!left",
        "The two examples have almost the same attention. The true relation has probability {probability}, the "
        "confusing one {confusing}.",
    ),
    Said(
        "!small_steps",
        "The steps are too large: the loss rose on the way. It is now {measured_loss}, and the lowest is {lowest}.",
    ),
    Said(
        "!inside",
        "Too hot: the slice has no inner minimum, and the theorem predicts nothing. The lesser pair has {measured_a} "
        "on average, the true relation probability {probability}.",
    ),
    Said(
        "undecided",
        "The run has not settled: the lesser pair has {measured_a} on average, the theory says {predicted_a}.",
    ),
    Said(
        "!endless",
        "Stage 1 was cut short, so the query and EoS keep attention {leak}. The lesser pair has {measured_a} on each "
        "token; the theory, for stage 1 without end, says {predicted_a}.",
    ),
    Said(
        "!cold",
        "The run ends in the inner minimum, at loss {measured_loss}. But one pair alone, the end of the slice, is "
        "lower: {end_loss}.",
    ),
    Said("", "The run comes to rest at loss {measured_loss}; the lowest is {lowest}."),
)
ROWS = (
    Row("attention a of the lesser pair", "predicted_a", "measured_a"),
    Row("loss L₁ at the end", "predicted_loss", "measured_loss"),
    Row("loss at the end of the slice, x = 0", "", "end_loss"),
    Row(f"steps until |v₁ + v₂ − v₃ − v₄| > {ESCAPED:g}", "predicted_escape", "measured_escape"),
    Row("attention v₁ … v₆ at the end", "", "attention"),
    Row("probability of a₃ in the second decoding step", "", "answer"),
)
COLDER = Try(
    "Lower the temperature to 0.02.",
    {"temperature": 0.02},
    "Attention moves towards one third and two thirds, and the loss drops far below log 2.",
)
STUCK = Try(
    "Remove the perturbation.",
    {"perturbation_radius": 0},
    "A hypothesis breaks, the run stays at the saddle, and the theorem's conclusion fails.",
)
TRIES = (
    COLDER,
    Try(
        "Start 10,000 times closer to the saddle.",
        {"perturbation_radius": 1e-7},
        "The end is the same; only the escape comes later.",
    ),
    Try(
        "Draw another perturbation.",
        {"seed": 2},
        "The other pair wins: the sign of ξ along the escape direction decides it.",
    ),
    STUCK,
    Try(
        "Raise the temperature to 0.0895.",
        {"temperature": 0.0895},
        "The run still finds the inner minimum, but one pair alone is lower: the theorem fails.",
    ),
    Try(
        "Raise the temperature to 0.12.",
        {"temperature": 0.12},
        "No inner minimum is left, and nothing to settle in: one pair takes all the attention, ever more slowly.",
    ),
)
SCENE = saddle(1)


def figure() -> Live:
    """Algorithm 1 with three subjects, every setting a control."""
    return live(
        shown(warm_up()),
        theorem_2,
        scene=SCENE,
        panels=(ATTENTION, PROBABILITY, LOSS, LANDSCAPE),
        caption=CAPTION,
        rows=ROWS,
        tries=TRIES,
        name="saddle",
        more=("rate_1", "rate_2", "steps", "to_limit"),
    )


def front_door() -> Live:
    """The same for the landing page: three sliders, the scene."""
    return live(
        shown(warm_up()),
        theorem_2,
        scene=SCENE,
        panels=(ATTENTION, LANDSCAPE),
        caption=CAPTION,
        tries=(COLDER, STUCK),
        name="saddle",
        only=("temperature", "perturbation_radius", "seed"),
    )
