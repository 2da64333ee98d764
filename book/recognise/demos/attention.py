"""Theorem 3.3's attention, live: what it learns, and the same training with attention frozen."""

from __future__ import annotations

from lib.cooccurrence.dynamics.learned import DEFAULTS, learned_and_frozen
from widgets import Live, controls, live
from widgets.panels import (
    Bar,
    BarChart,
    Caption,
    CurveChart,
    HeatMap,
    Light,
    LiveVerdict,
    Row,
    Trace,
    Try,
    View,
)

WORDS = ("μ₁", "μ₂", "μ₃", "other")
ATTENTION = HeatMap(
    title="Attention times L, a sample with both targets",
    field="attention",
    rows=WORDS,
    columns=WORDS,
    x="query",
    y="key",
    domain=(0.0, 2.0),
    numbers=True,
)
MARGINS = CurveChart(
    title="The least margin while training",
    x="τ = N₀t",
    x_scale="log",
    x_domain=(0.3, 1e6),
    traces=(
        Trace("time", "learned", 0, "learned", "accent"),
        Trace("time", "uniform", 0, "made uniform", "confusing", "5 3"),
        Trace("time", "frozen", 0, "frozen", "ink", "2 3"),
    ),
)
SCORES = BarChart(
    title="Growth of scores, in κ/(√m L N₀)",
    labels=tuple(f"{key} ← {query}" for key in WORDS[:3] for query in WORDS[:3]),
    bars=(Bar("grown", "measured", "accent"), Bar("goal", "Γ log² τ, for large N₀", "ink")),
    x="C, key ← query",
)
TYPES = BarChart(
    title="Margin of each type at the end",
    labels=("both", "only μ₁", "only μ₂", "neither"),
    bars=(Bar("margins_learned", "learned", "accent"), Bar("margins_frozen", "frozen", "ink")),
    x="y F",
)
LIGHTS = (
    Light("lasting", "n > 3(L + 1): the separator lies in the cone"),
    Light("large", "N₀ at least 10"),
    Light("signs", "C₁₂, C₂₁ above 0 above C₃₁, C₃₂"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: the four scores have moved the theorem's way, and all samples are right.",
        "Contradicted here: n is large enough, but a score has moved the other way, or a sample is wrong.",
        "Outside: n is too small for the cone, and a score has moved the other way, or a sample is wrong.",
        "Beyond: n is too small for the cone, yet the four scores have moved the theorem's way.",
    ),
    tones=("good", "bad", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "Attention carries {share} of the least margin, {least_learned}: made uniform, {least_uniform} are left. "
        "But had it been frozen from the start, training would have come to {least_frozen}.",
        "Attention carries {share} of the least margin, {least_learned}: made uniform, {least_uniform} are left. "
        "Frozen from the start, training comes to {least_frozen}, almost the same.",
        "Attention is a burden to the least margin, {least_learned}: made uniform, it would be {least_uniform}. "
        "Frozen from the start, training comes to {least_frozen}.",
    ),
)
CODE = (
    "from lib.cooccurrence.dynamics.learned import learned_and_frozen\nfrom lib.solve import run\n\n"
    "print(run(learned_and_frozen(), {arguments}).report)"
)
TRIES = (
    Try(
        "Set σ₀ to 1 and |a| to 1, as in the paper.",
        {"sigma_0": 1.0, "layer": 1.0},
        "The heat map is blank: attention is uniform to three digits, and stays so. The three curves are one.",
    ),
    Try(
        "Let |a| be 0.06 and σ₀ be 4.5, as PyTorch's linear layers would.",
        {"layer": 0.06, "sigma_0": 4.5},
        "Attention moves by a few hundredths. Its part in the margin is small, its effect smaller still.",
    ),
    Try(
        "Set the width to 32.",
        {"width": 32.0},
        (
            "Attention is all but hard now. Taking it away ruins the network; never having had it costs less than a "
            "tenth."
        ),
    ),
    Try(
        "Stop at τ = 30.",
        {"end": 1.5},
        "The end of Phase 1: attention has hardly begun.",
    ),
    Try(
        "Start at the mean, m = 10⁶, |a| = 1, and run to 10⁸.",
        {"random": 0, "width": 1e6, "layer": 1.0, "sigma_0": 1.0, "end": 8.0},
        "Scores in their own unit come close to the closed form, though attention itself does not move.",
    ),
)


def demo() -> Live:
    """The demo of attention."""
    view = View(
        panels=(ATTENTION, MARGINS, SCORES, TYPES),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("κ/(mLN₀): what a score of one unit does", "", "effect"),
            Row("N₀", "", "start"),
            Row("least margin, attention learned", "", "least_learned"),
            Row("the same, its attention made uniform", "", "least_uniform"),
            Row("least margin, attention frozen", "", "least_frozen"),
            Row("loss, attention learned", "", "loss_learned"),
            Row("loss, attention frozen", "", "loss_frozen"),
            Row("n times the largest C with an irrelevant word", "", "random"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        learned_and_frozen(),
        view,
        name="attention",
        more=("length", "sigma_1", "neurons", "random"),
        end=controls.linear(DEFAULTS["end"], 0, 8, 0.1, "look at log₁₀ τ"),
        width=controls.width(DEFAULTS["width"]),
        layer=controls.logarithmic(DEFAULTS["layer"], 0.01, 1, "|a| of the output layer"),
        sigma_0=controls.logarithmic(DEFAULTS["sigma_0"], 0.1, 10, "σ₀, in units of 1/√(Lm)"),
        samples=controls.logarithmic(DEFAULTS["samples"], 6, 1e6, "samples n"),
        seed=controls.seed(int(DEFAULTS["seed"])),
        length=controls.whole(int(DEFAULTS["length"]), 4, 40, "words in a sample, L"),
        sigma_1=controls.logarithmic(DEFAULTS["sigma_1"], 0.1, 10, "σ₁, in units of 1/√m₁"),
        neurons=controls.logarithmic(DEFAULTS["neurons"], 1, 1e4, "neurons m₁"),
        random=controls.switch(True, "random start (off: its mean)"),
        learned=1,
        positive=DEFAULTS["positive"],
        single=DEFAULTS["single"],
        first=DEFAULTS["first"],
        evaluations=DEFAULTS["evaluations"],
    )
