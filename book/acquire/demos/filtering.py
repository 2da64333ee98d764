"""Propositions 1 and 2, live: attention leaves out the context, the MLP stores the facts."""

from __future__ import annotations

from lib.knowledge.dynamics.course import MOST_DRAWN, MOST_PHRASES
from lib.knowledge.dynamics.filtering import DEFAULTS, filtering
from widgets import Live, controls, live
from widgets.panels import Caption, Level, Light, Line, LiveVerdict, Row, TimeChart, Try, View

ATTENTION = TimeChart(
    title="Attention in [context, subject, phrase]",
    series=(
        Line("in_phrase", 0, "context", "eos"),
        Line("in_phrase", 1, "subject", "first"),
        Line("in_phrase", 2, "phrase", "relation"),
    ),
    domain=(0.0, 1.0),
)
SHORT = TimeChart(
    title="Attention in [context, subject]",
    series=(Line("in_subject", 0, "context", "eos"), Line("in_subject", 1, "subject", "first")),
    domain=(0.0, 1.0),
)
LOSSES = TimeChart(
    title="Loss above what is chance, at most 6 shown",
    series=(
        Line("capped", 0, "follower", "eos"),
        Line("capped", 1, "phrase", "relation"),
        Line("capped", 2, "answer", "query"),
    ),
    domain=(0.0, 6.0),
)
RATIO = TimeChart(
    title="Attention on the subject over that on the phrase: least and greatest",
    series=(Line("ratio_low", 0, "least", "accent"), Line("ratio_high", 0, "greatest", "second")),
    domain=(0.5, 2.0),
    levels=(Level(0.8, ""), Level(1.2, "stage I: 0.8 to 1.2")),
)
LIGHTS = (
    Light("alive", "every answer has an active neuron (Lemma 10)"),
    Light("small", "κ at most 0.01"),
    Light("filtered", "after stage I: attention on the context at most 1/(2d)"),
    Light("comparable", "after stage I: subject over phrase in [0.8, 1.2]"),
    Light("stored", "at the end: loss within 0.1 of the entropy"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: attention filters, stays balanced, and the loss comes near the entropy.",
        "Not so here: neurons are active and κ is small, yet a conclusion fails. Look at rates and steps.",
        "Outside: a hypothesis is broken, and a conclusion fails.",
        "Beyond: a hypothesis is broken, yet all conclusions hold.",
    ),
    tones=("good", "bad", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "After two steps attention on the context is {context_1} at most; {bound_1} is allowed. The loss ends {excess} "
        "above its entropy {entropy}.",
        "After stage I attention on the context is still {context_1}; {bound_1} is allowed. The rate of stage I is too "
        "small, and the context goes on speaking.",
        "Attention filters: {context_1} at most. But the loss ends {excess} above its entropy: not enough steps, or "
        "too large ones.",
        "Stopped: at these rates {dead} of the answers have no active neuron left, so that nothing can be learned "
        "about them any more. Lower the rate of the stage in which the lines end.",
        "Attention filters, and the loss ends {excess} above its entropy. But subject over phrase falls to "
        "{ratio_low_1} in stage I: d is too small for this rate.",
    ),
)
CODE = (
    "from lib.knowledge.dynamics.filtering import filtering\nfrom lib.solve import run\n\n"
    "print(run(filtering(), {arguments}).report)"
)
TRIES = (
    Try(
        "Take a third of stage I's rate.",
        {"rate_1": 0.7},
        "Attention on the context stays above 1/(2d): the scores move with the square of the rate.",
    ),
    Try(
        "Go on with stage I's rate too large for the others.",
        {"rate_2": 60.0},
        "A large rate after stage I overshoots: features jump, and answers lose their active neurons.",
    ),
    Try(
        "Set κ to 0.05.",
        {"kappa": 0.05},
        "Scores move faster beside the features. Subject and phrase do not stay comparable for long.",
    ),
    Try(
        "Make the context short: d = 109.",
        {"dimension": 109.0},
        "Two steps move the scores of the phrase visibly. The ratio leaves [0.8, 1.2] before the context is gone.",
    ),
    Try(
        "State each fact once.",
        {"multiplicity": 1},
        "Nothing is chance any more but which phrase: the entropy is 0.",
    ),
)


def demo() -> Live:
    """The demo of Propositions 1 and 2."""
    view = View(
        panels=(ATTENTION, LOSSES, SHORT, RATIO),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("greatest attention on the context after stage I", "bound_1", "context_1"),
            Row("… after stage II", "bound_2", "context_2"),
            Row("… at the end", "", "context_3"),
            Row("subject over phrase after stage I: least", "expected", "ratio_low_1"),
            Row("… greatest", "", "ratio_high_1"),
            Row("greatest after stage II (Lemma 13: at most 1.6)", "", "ratio_high_2"),
            Row("greatest at the end", "", "ratio_high_3"),
            Row("answers without an active neuron", "", "dead"),
            Row("rate η̃₁ of stage I", "", "eta"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        filtering(),
        view,
        name="filtering",
        more=("phrases", "multiplicity", "steps_2", "steps_3", "seed"),
        rate_1=controls.linear(DEFAULTS["rate_1"], 0.1, 4.0, 0.1, "stage I: rate over the predicted one"),
        rate_2=controls.choice(
            DEFAULTS["rate_2"], (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 20.0, 60.0), "stage II: η̃₂/N"
        ),
        rate_3=controls.choice(DEFAULTS["rate_3"], (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), "stage III: η̃₃/N"),
        kappa=controls.logarithmic(DEFAULTS["kappa"], 1e-4, 0.1, "κ = m/λ²"),
        dimension=controls.choice(
            DEFAULTS["dimension"], (109.0, 200.0, 400.0, 1000.0, 10_000.0), "dimension d = ‖o‖²"
        ),
        phrases=controls.whole(int(DEFAULTS["phrases"]), MOST_DRAWN, MOST_PHRASES, "phrases |R|"),
        multiplicity=controls.whole(int(DEFAULTS["multiplicity"]), 1, MOST_DRAWN, "multiplicity K"),
        steps_2=controls.whole(int(DEFAULTS["steps_2"]), 0, 100, "steps of stage II", step=5),
        steps_3=controls.whole(int(DEFAULTS["steps_3"]), 0, 100, "steps of stage III", step=5),
        seed=controls.seed(int(DEFAULTS["seed"])),
        steps_1=DEFAULTS["steps_1"],
    )
