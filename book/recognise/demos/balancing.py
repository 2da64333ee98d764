"""Lemmas 4.4 and 4.5, live: four class gradients balance themselves."""

from __future__ import annotations

from lib.cooccurrence.dynamics.balancing import DEFAULTS, balancing
from widgets import Live, controls, live
from widgets.panels import (
    Bar,
    BarChart,
    Caption,
    CurveChart,
    Level,
    Light,
    LiveVerdict,
    Row,
    Trace,
    Try,
    View,
)

TYPES = ("both targets", "only μ₁", "only μ₂", "neither")
TIME = "τ = N₀t"
SHARES = CurveChart(
    title="Share of each type in the sum of all gᵢ",
    x=TIME,
    x_scale="log",
    x_domain=(0.3, 1e6),
    domain=(0.0, 0.6),
    traces=(
        Trace("time", "shares", 0, "both", "first"),
        Trace("time", "shares", 1, "only μ₁", "second"),
        Trace("time", "shares", 2, "only μ₂", "query", "5 3"),
        Trace("time", "shares", 3, "neither", "eos"),
    ),
)
GOAL = BarChart(
    title="The shares at the end, and in the limit",
    labels=TYPES,
    bars=(Bar("shares", "at the end", "accent"), Bar("goal", "limit", "ink")),
    domain=(0.0, 0.6),
    x="share",
)
RATIOS = CurveChart(
    title="The sum of all gᵢ over the gaps of Lemma 4.5",
    x=TIME,
    x_scale="log",
    x_domain=(0.3, 1e6),
    domain=(0.0, 20.0),
    traces=(
        Trace("time", "ratios", 1, "negatives − positives", "confusing"),
        Trace("time", "ratios", 2, "positives − only μ₁", "second"),
        Trace("time", "ratios", 3, "positives − only μ₂", "query", "5 3"),
    ),
    levels=(Level("first_limit", ""), Level("second_limit", "")),
)
RATE = CurveChart(
    title="τ times the loss",
    x=TIME,
    x_scale="log",
    x_domain=(0.3, 1e6),
    domain=(0.0, 18.0),
    traces=(
        Trace("time", "rates", 0, "as it is", "ink", "5 3"),
        Trace("time", "rates", 1, "corrected", "accent"),
    ),
    levels=(Level("square", "‖g‖²"),),
)
LIGHTS = (
    Light("even", "as many samples with only μ₁ as with only μ₂"),
    Light("assumed", "types have the shares ½, ⅙, ⅙, ⅙"),
    Light("lasting", "in the limit all gaps are positive"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: the gaps are positive in the limit, and at the end of the run the ratios are bounded.",
        "Not yet: the gaps are positive in the limit, but at the end of the run a ratio is still out of bounds.",
        "Outside the lemmas: in the limit a gap is not positive, and a ratio has no bound.",
        "Beyond the lemmas: in the limit a gap is not positive, yet at the end of the run all ratios are bounded.",
    ),
    tones=("good", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "The two types with one target differ by {unbalance} of the smaller. The two other ratios end at {first} "
        "and {second}; the separator gives {first_limit} and {second_limit}.",
        "One of the gaps is still closed at the end of this run, or a type is far ahead. The separator gives the "
        "ratios {first_limit} and {second_limit}; run longer to see them.",
        "With these shares or so few samples a gap closes: the separator's ratios are {first_limit} and "
        "{second_limit}, where a dash means that there is none.",
    ),
)
CODE = (
    "from lib.cooccurrence.dynamics.balancing import balancing\nfrom lib.solve import run\n\n"
    "print(run(balancing(), {arguments}).report)"
)
TRIES = (
    Try(
        "Let four fifths of the samples with one target hold μ₁.",
        {"first": 0.8},
        "The two types part at first, and come closer again. With more samples they meet.",
    ),
    Try(
        "The same with 10 000 samples.",
        {"first": 0.8, "samples": 1e4},
        "Balance comes back by itself: the sums meet although one type has four times as many samples.",
    ),
    Try(
        "Let only a tenth of all samples hold both targets.",
        {"positive": 0.1},
        "A tenth of the samples ends with two fifths of the gradient, as before: shares of samples hardly matter.",
    ),
    Try(
        "Take 12 samples of 60 words.",
        {"samples": 12, "length": 60},
        "Irrelevant words do the work, and all samples learn alike: negatives weigh hardly more than positives.",
    ),
    Try(
        "Make the network infinitely wide and start at the mean.",
        {"width": controls.INFINITE, "random": 0},
        "τ times the loss tends to ‖g‖² without any correction.",
    ),
)


def demo() -> Live:
    """The demo of the automatic balancing."""
    view = View(
        panels=(SHARES, GOAL, RATIOS, RATE),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("(only μ₁ − only μ₂) over the smaller", "", "unbalance"),
            Row("all over negatives − positives", "first_limit", "first"),
            Row("all over positives − only μ₁", "second_limit", "second"),
            Row("τ times loss, corrected for N and ‖a‖²G", "square", "rate"),
            Row("loss at the end", "", "loss"),
            Row("N over N₀ at the end", "", "size"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        balancing(),
        view,
        name="balancing",
        more=("sigma_0", "sigma_1", "neurons", "layer", "learned", "random", "end"),
        samples=controls.logarithmic(DEFAULTS["samples"], 6, 1e6, "samples n"),
        positive=controls.linear(DEFAULTS["positive"], 0.02, 0.98, 0.005, "share with both targets"),
        single=controls.linear(
            round(DEFAULTS["single"], 3), 0.02, 0.98, 0.001, "of the others, with one target"
        ),
        first=controls.linear(DEFAULTS["first"], 0.02, 0.98, 0.005, "of these, with μ₁"),
        length=controls.whole(int(DEFAULTS["length"]), 4, 60, "words in a sample, L"),
        width=controls.width(DEFAULTS["width"]),
        seed=controls.seed(int(DEFAULTS["seed"])),
        sigma_0=controls.logarithmic(DEFAULTS["sigma_0"], 0.01, 10, "σ₀, in units of 1/√(Lm)"),
        sigma_1=controls.logarithmic(DEFAULTS["sigma_1"], 0.03, 10, "σ₁, in units of 1/√m₁"),
        neurons=controls.logarithmic(DEFAULTS["neurons"], 1, 1e4, "neurons m₁"),
        layer=controls.logarithmic(DEFAULTS["layer"], 0.01, 1, "|a| of the output layer"),
        learned=controls.switch(True, "attention learns"),
        random=controls.switch(True, "random start (off: its mean)"),
        end=controls.linear(DEFAULTS["end"], 2, 8, 0.1, "end of the run, log₁₀ τ"),
        evaluations=DEFAULTS["evaluations"],
    )
