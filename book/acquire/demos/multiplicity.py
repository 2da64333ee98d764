"""Theorem 2, live: accuracy on unseen facts while fine-tuning, by multiplicity, phrases and fine-tuning share."""

from __future__ import annotations

from typing import Any

from lib.knowledge.dynamics.course import FREQUENT, MOST_DRAWN, MOST_PHRASES
from lib.knowledge.dynamics.multiplicity import DEFAULTS, extraction
from widgets import Live, controls, live
from widgets.panels import Bar, BarChart, Caption, Light, Line, LiveVerdict, Row, TimeChart, Try, View

FINE_TUNING = 3
"""The stage with which charts of fine-tuning begin."""
ACCURACY = TimeChart(
    title="Accuracy on questions",
    series=(
        Line("accuracy", 1, "unseen frequent", "first"),
        Line("accuracy", 2, "unseen rare", "second"),
        Line("accuracy", 3, "fine-tuned", "eos", "5 3"),
    ),
    domain=(0.0, 1.0),
    x="fine-tuning steps",
    since=FINE_TUNING,
)
COVERAGE = BarChart(
    title="Fine-tuned facts stated with each phrase",
    labels=tuple(f"phrase {i + 1}" for i in range(MOST_PHRASES)),
    bars=(Bar("coverage", "", "relation"),),
    x="facts",
)
LIGHTS = (
    Light("enough", "every phrase is covered by a fine-tuned fact"),
    Light("acquired", "pre-training came within 0.1 of the entropy"),
    Light("early", "the last step is as good as the best"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: all phrases are covered, and at the best step nine in ten unseen facts are given out.",
        "Covered, yet not given out: being covered once is not enough.",
        "As Theorem 2's third item has it: a phrase is not covered, and unseen facts stay inaccessible.",
        "A phrase is not covered, or pre-training is unfinished; yet nine in ten unseen facts come out.",
    ),
    tones=("good", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "{tuned} facts were fine-tuned. Of the unseen ones {best} are answered right at step {best_step}, and "
        "{accuracy} at the end.",
        "{tuned} facts were fine-tuned. At step {best_step}, {best} of the unseen ones are answered right. More steps "
        "undo it: {accuracy} at the end.",
        "{tuned} facts were fine-tuned. At best, at step {best_step}, {best} of the unseen ones are answered right, "
        "although all are stored.",
        "No fact is fine-tuned, so nothing happens: the share rounds to 0 facts.",
    ),
)
CODE = (
    "from lib.knowledge.dynamics.multiplicity import extraction\nfrom lib.solve import run\n\n"
    "print(run(extraction(), {arguments}).report)"
)
TRIES = (
    Try(
        "State each fact only once.",
        {"multiplicity": 1},
        "A fine-tuned fact covers one phrase instead of three. Unseen facts come out late, or never.",
    ),
    Try(
        "State each fact six times.",
        {"multiplicity": 6},
        "All unseen facts come out within a few steps, rare ones too.",
    ),
    Try(
        "Use ten phrases.",
        {"phrases": 10},
        "The same facts must cover more phrases: accuracy falls (Theorem 2, and the paper's Figure 2 b).",
    ),
    Try(
        "Fine-tune only four facts.",
        {"share": 0.125},
        "Their answers rise along the format token faster than the phrases fall.",
    ),
    Try(
        "Fine-tune for 300 steps.",
        {"steps": 300},
        "What came out goes away again: Remark 4.",
    ),
)


def settings(defaults: dict[str, float], *more: str) -> dict[str, Any]:
    """The controls that all figures of fine-tuning share; what has none stays at its default."""
    kept = {name: defaults[name] for name in ("rate_1", "rate_2", "rate_3", "steps_1", "steps_2", "steps_3")}
    kept |= {"kappa": defaults["kappa"], "dimension": defaults["dimension"]}
    offered: dict[str, Any] = {
        "phrases": controls.whole(int(defaults["phrases"]), MOST_DRAWN, MOST_PHRASES, "phrases |R|"),
        "multiplicity": controls.whole(int(defaults["multiplicity"]), 1, MOST_DRAWN, "multiplicity K"),
        "seed": controls.seed(int(defaults["seed"])),
        "rate": controls.choice(defaults["rate"], (0.5, 1.0, 2.0, 4.0, 8.0), "fine-tuning rate η̃"),
        "steps": controls.whole(int(defaults["steps"]), 0, 300, "fine-tuning steps", step=5),
    }
    if "share" in defaults:
        offered["share"] = controls.linear(
            defaults["share"], 0.0, 1.0, 1 / FREQUENT, "share of the frequent facts fine-tuned"
        )
    return {**kept, **offered}


def demo() -> Live:
    """The demo of Theorem 2."""
    view = View(
        panels=(ACCURACY, COVERAGE),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("unseen facts at the best step, by covering", "predicted", "best"),
            Row("… the frequent ones", "predicted_frequent", "best_frequent"),
            Row("… the rare ones", "predicted_rare", "best_rare"),
            Row("unseen facts at the end", "", "accuracy"),
            Row("phrases covered", "expected", "covered"),
            Row("pre-training loss minus its entropy", "", "excess"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(extraction(), view, name="multiplicity", more=("rate",), **settings(DEFAULTS))
