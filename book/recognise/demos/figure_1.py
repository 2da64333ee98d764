"""The paper's experiment, live: gradient descent with its settings beside the flow, for five readings of its start."""

from __future__ import annotations

from lib.cooccurrence.dynamics.figure_1 import DEFAULTS, READINGS, paper_run
from widgets import Live, controls, live
from widgets.panels import Caption, CurveChart, Level, Light, LiveVerdict, Row, Trace, Try, View

EPOCHS = "t, in epochs of rate 0.01"
DOMAIN = (1.0, 3e4)
CORRECT = (Level("correct", "all right", axis="x"),)


def _losses(title: str, field: str, mean: str, levels: tuple[Level, ...]) -> CurveChart:
    return CurveChart(
        title=title,
        x=EPOCHS,
        x_scale="log",
        x_domain=DOMAIN,
        domain=(0.0, 1.0),
        traces=(
            Trace("epoch", field, 0, "both", "first"),
            Trace("epoch", field, 1, "only μ₁", "second"),
            Trace("epoch", field, 2, "only μ₂", "query", "5 3"),
            Trace("epoch", field, 3, "neither", "eos"),
            Trace("epoch", mean, 0, "mean", "ink", "2 3"),
        ),
        levels=levels,
    )


FLOW = _losses("Figure 1 (b), gradient flow: loss by type", "flow", "loss", CORRECT)
DESCENT = _losses("The same, gradient descent", "descent", "descent_loss", ())
SCORES = CurveChart(
    title="Figure 1 (a), the flow: growth of scores S",
    x=EPOCHS,
    x_scale="log",
    x_domain=DOMAIN,
    traces=(
        Trace("epoch", "grown", 3, "μ₂ ← μ₁", "first"),
        Trace("epoch", "grown", 1, "μ₁ ← μ₂", "second", "5 3"),
        Trace("epoch", "grown", 6, "μ₃ ← μ₁", "confusing"),
        Trace("epoch", "grown", 7, "μ₃ ← μ₂", "mismatched", "5 3"),
    ),
    levels=(*CORRECT, Level(0.0, "")),
)
TEST = CurveChart(
    title="The flow's loss on training and on new sentences",
    x=EPOCHS,
    x_scale="log",
    y_scale="log",
    x_domain=DOMAIN,
    domain=(1e-3, 1.0),
    traces=(
        Trace("epoch", "loss", 0, "training", "ink", "2 3"),
        Trace("epoch", "unseen", 0, "unseen words", "accent"),
    ),
)
LIGHTS = (
    Light("wide", "m at least m₁ = 256"),
    Light("many", "n at least L²"),
    Light("sized", "d = 64 words suffice for distinct ones"),
    Light("fit_0", "σ₀ within a factor 3 of 1/√(Lm)"),
    Light("fit_1", "σ₁ within a factor 3 of 1/√m₁"),
    Light("unit", "|a| = 1"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Both parts of Figure 1 are seen here: the loss of samples with one target rises first, and the four scores "
        "end on their side. Phase 1 takes at least one in 300 of the paper's epochs.",
        "Both parts of Figure 1 are there, but Phase 1 is over within 100 of 30 000 epochs: only a logarithmic axis "
        "shows it.",
        "A feature of Figure 1 is missing here: the loss of samples with one target does not rise, or a score ends "
        "on the wrong side.",
    ),
    tones=("good", "warn", "bad"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "Descent follows the flow: at its last epoch G differs by {apart} of its size. All samples are right from "
        "epoch {correct} on.",
        "Descent leaves the flow: its rate times the largest curvature is {stiffness}, and at its last epoch G "
        "differs by {apart} times its size. The flow has all samples right from epoch {correct} on.",
        "Descent diverges at step {blown}: its rate times the largest curvature is {stiffness}, and above 2 a step "
        "overshoots. Choose a smaller rate. The flow has all samples right from epoch {correct} on.",
    ),
)
CODE = (
    "from lib.cooccurrence.dynamics.figure_1 import paper_run\nfrom lib.solve import run\n\n"
    "print(run(paper_run(), {arguments}).report)"
)
TRIES = (
    Try(
        "Take uniform weights and a = ±1, as in section 2.2.",
        {"reading": 2, "rate": 0.01},
        "Phase 1 is over before epoch 50. On the paper's linear axis of 30 000 epochs it would be a hairline.",
    ),
    Try(
        "Take normal weights and a = ±1, at the paper's rate.",
        {"reading": 0, "rate": 0.01},
        "Descent overshoots: its rate times the curvature is above 2. After a jump it finds its way all the same.",
    ),
    Try(
        "Raise the rate to 30.",
        {"rate": 30.0},
        "Descent diverges in a few steps, and the figure says at which.",
    ),
    Try(
        "Use the paper's own rate, 0.01.",
        {"rate": 0.01},
        "A thousand epochs are not even Phase 1. They lie on the flow to four digits.",
    ),
    Try(
        "Take 18 samples of 30 words.",
        {"samples": 18.0, "length": 30},
        "n is below 3(L + 1): the loss on unseen words rises in the end, while the training loss vanishes.",
    ),
)


def demo() -> Live:
    """The demo of Figure 1."""
    view = View(
        panels=(FLOW, DESCENT, SCORES, TEST),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("N₀", "", "pace"),
            Row("rate times the largest curvature at the mean start", "", "stiffness"),
            Row("all samples right from epoch (flow)", "", "correct"),
            Row("Phase 1's part of the paper's epochs", "", "part"),
            Row("rise of the loss of samples with one target", "", "rises"),
            Row("least growth of the four scores, on their side", "", "scores"),
            Row("training loss at the end, flow", "", "loss"),
            Row("loss of new sentences, unseen words", "", "unseen"),
            Row("loss at descent's last epoch", "", "descent_loss"),
            Row("the limit's least margin, unseen words", "", "least_unseen"),
            Row("the same, training words recombined", "", "least_recombined"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        paper_run(),
        view,
        name="figure_1",
        more=("epochs", "width", "random"),
        reading=controls.menu(int(DEFAULTS["reading"]), READINGS, "Kaiming initialization"),
        rate=controls.learning_rate(DEFAULTS["rate"], 1e-3, 100, "learning rate of descent"),
        samples=controls.logarithmic(DEFAULTS["samples"], 6, 1e4, "samples n"),
        length=controls.whole(int(DEFAULTS["length"]), 4, 40, "words in a sample, L"),
        seed=controls.seed(int(DEFAULTS["seed"])),
        epochs=controls.whole(int(DEFAULTS["epochs"]), 10, 1000, "epochs of descent", step=10),
        width=controls.choice(DEFAULTS["width"], (32.0, 64.0, 128.0, 256.0, 512.0, 1024.0), "width m"),
        random=controls.switch(True, "random start (off: its mean)"),
        evaluations=DEFAULTS["evaluations"],
    )
