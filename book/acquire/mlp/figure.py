"""What is the MLP for? Four models on the same facts, live."""

from __future__ import annotations

from book.acquire.mlp.program import NAMES, all_learned, attention_fails, four_models
from book.acquire.mlp.scene import COLOURS, CORRECT, DEMANDS, LOSSES, SCENE, shown
from book.acquire.mlp.statements import table_3
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Bar, BarChart, Cases, Line, Row, TimeChart
from widgets.figure.scenes import Step

ACCURACY = TimeChart(
    title="Unseen facts answered correctly",
    series=tuple(Line("accuracy", k, name, COLOURS[k]) for k, name in enumerate(NAMES)),
    domain=(0.0, 1.0),
)
NOISE = BarChart(
    title="Attention on the context, 0 where there is none",
    labels=NAMES,
    bars=(Bar("on_noise", "", "context"),),
    domain=(0.0, 1.0),
    x="fraction of the attention",
)
BEST = BarChart(
    title="Unseen facts after fine-tuning",
    labels=NAMES,
    bars=(Bar("best", "best step", "good"), Bar("accuracy", "last step", "run")),
    domain=(0.0, 1.0),
    x="fraction answered correctly",
)
CAPTION: Cases = {
    "no steps": lambda r, p: p.steps <= 0,
    "too early to tell": lambda r, p: r.undecided,
    "attention fails": attention_fails,
    "all learned": all_learned,
    "otherwise": None,
}
SHORT = ("standard", "uniform", "attention", "paper’s")
WHY = (
    Step("demands", DEMANDS._replace(x_label="phrases lead", y_label="California leads")),
    Step("losses", LOSSES),
    Step("context", NOISE._replace(labels=SHORT, x="fraction")),
    Step("unseen", BEST._replace(labels=SHORT, x="fraction correct")),
)
"""Beside the steps of *What to make of it*."""


@live_figure
def figure() -> Live:
    """The four models of Table 3 on ten facts."""
    return live(
        shown(),
        table_3,
        scene=SCENE,
        panels=(CORRECT, LOSSES, ACCURACY, NOISE, BEST),
        caption=CAPTION,
        rows=(
            Row("lowest possible loss: the entropy of the data", "", "entropy"),
            Row("the paper’s model: loss above it", "", "paper_loss"),
        ),
        why=WHY,
        name="four",
        more=("multiplicity", "rate", "tuning", "seed"),
        only=("noise", "width", "steps", "multiplicity", "rate", "tuning", "seed"),
        **controls.opens(four_models(), noise=0.0, width=3),
    )
