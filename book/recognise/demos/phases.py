"""Theorems 3.1 and 3.2, live: a whole gradient flow in two phases, on a logarithmic clock."""

from __future__ import annotations

from lib.cooccurrence.dynamics.phases import DEFAULTS, two_phases
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

TIME = "τ = N₀t"
MOMENTS = (Level("half", "T₀.₅", axis="x"), Level("correct", "", axis="x"), Level("line", "T₁", axis="x"))
LOSSES = CurveChart(
    title="Loss by type of sample",
    x=TIME,
    x_scale="log",
    y_scale="log",
    x_domain=(0.3, 1e6),
    domain=(1e-6, 2),
    traces=(
        Trace("time", "losses", 0, "both", "first"),
        Trace("time", "losses", 1, "only μ₁", "second"),
        Trace("time", "losses", 2, "only μ₂", "query", "5 3"),
        Trace("time", "losses", 3, "neither", "eos"),
        Trace("time", "loss", 0, "mean", "ink", "2 3"),
    ),
    levels=MOMENTS,
)
OUTPUTS = CurveChart(
    title="The linear MLP on the three words, G(μ)",
    x=TIME,
    x_scale="log",
    x_domain=(0.3, 1e6),
    traces=(
        Trace("time", "output", 0, "G(μ₁)", "first"),
        Trace("time", "output", 1, "G(μ₂)", "second", "5 3"),
        Trace("time", "output", 2, "G(μ₃)", "confusing"),
    ),
    levels=(*MOMENTS, Level(0.0, "")),
)
SCORES = CurveChart(
    title="Growth of attention scores, in κ/(√m L N₀)",
    x=TIME,
    x_scale="log",
    x_domain=(0.3, 1e6),
    traces=(
        Trace("time", "grown", 3, "μ₂ ← μ₁", "first"),
        Trace("time", "grown", 1, "μ₁ ← μ₂", "second", "5 3"),
        Trace("time", "grown", 6, "μ₃ ← μ₁", "confusing"),
        Trace("time", "grown", 7, "μ₃ ← μ₂", "mismatched", "5 3"),
    ),
    levels=MOMENTS,
)
SINCE = BarChart(
    title="From which τ on it is true",
    labels=(
        "−G′(μ₃) > G′(μ₁), G′(μ₂)",
        "all samples right",
        "−G′(μ₃) < G′(μ₁) + G′(μ₂)",
        "signs of item 4",
        "score μ₂ ← μ₁ rises",
        "score μ₁ ← μ₂ rises",
        "score μ₃ ← μ₁ falls",
        "score μ₃ ← μ₂ falls",
        "v(μ₁)·v(μ₂) rises",
        "v(μ₁)·v(μ₃) falls",
        "v(μ₂)·v(μ₃) falls",
        "G(μ₁) rises",
        "G(μ₂) rises",
        "G(μ₃) falls",
    ),
    bars=(Bar("since", "", "accent"),),
    domain=(0.0, 40.0),
    x=TIME,
    levels=(Level("line", "T₁"),),
)
LIGHTS = (
    Light("wide", "m at least m₁"),
    Light("long", "m at least L²"),
    Light("many", "n at least L²"),
    Light("fit_0", "σ₀ within a factor 3 of 1/√(Lm)"),
    Light("fit_1", "σ₁ within a factor 3 of 1/√m₁"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: Condition 1 holds with its constants set to 1, and so do both theorems.",
        "Contradicted for this C: Condition 1 holds with its constants set to 1, yet a theorem fails.",
        "Outside the theorems: an item of Condition 1 is broken, and a theorem fails.",
        "Beyond the theorems: an item of Condition 1 is broken, yet both theorems hold.",
    ),
    tones=("good", "bad", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "All samples are right from τ = {correct} on, and the signs of Theorem 3.2 stand from T₁ on. At T₁ the "
        "loss is still {loss_1}; at the end it is {loss}.",
        "At T₁ all samples are right, but a sign of Theorem 3.2 is still missing there, or never comes. The "
        "ratio −G(μ₃)/G(μ₁) ends at {ratio}; the item needs it above 1.",
        "At T₁ not all samples are right, or a word is not aligned yet: the least margin there is {margin}. A "
        "larger C is needed, for the samples are right only from τ = {correct} on.",
    ),
)
CODE = (
    "from lib.cooccurrence.dynamics.phases import two_phases\nfrom lib.solve import run\n\n"
    "print(run(two_phases(), {arguments}).report)"
)
TRIES = (
    Try(
        "Set C to 10.",
        {"constant": 10.0},
        "Theorem 3.1 fails: with so short a Phase 1 some samples are still wrong at its end.",
    ),
    Try(
        "Make the network infinitely wide, start at the mean, and set C to 9.",
        {"width": controls.INFINITE, "random": 0, "constant": 9.0},
        "All samples are right at T₁, yet item 4 of Theorem 3.2 comes later: the two ends of Phase 1 differ.",
    ),
    Try(
        "Take samples of 10 words, 30 of them.",
        {"samples": 30, "length": 10},
        "The common word never falls behind far enough: its bar is missing for good. At 36 samples it is back.",
    ),
    Try(
        "Freeze attention.",
        {"learned": 0},
        "Scores stop moving. Nothing else does: not the losses, not G. In this regime attention has no part in it.",
    ),
    Try(
        "Let |a| be 0.06.",
        {"layer": 0.06},
        "As in a default linear layer: T₁ takes 300 times longer in t. In τ all of it looks much the same.",
    ),
)


def demo() -> Live:
    """The demo of the two phases."""
    view = View(
        panels=(LOSSES, OUTPUTS, SCORES, SINCE),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("T₀.₅ in τ", "", "half"),
            Row("all samples right from τ", "", "correct"),
            Row("item 4 of Theorem 3.2 from τ", "", "signs"),
            Row("T₁ = C/N₀ in the paper's time t", "", "unit"),
            Row("least margin at T₁", "", "margin"),
            Row("loss at T₁", "", "loss_1"),
            Row("loss at the end", "", "loss"),
            Row("change of ‖W_Kμ‖², ‖W_Qμ‖² in Phase 1, relative", "", "moved_k"),
            Row("change of ‖W_Vμ‖² in Phase 1, relative", "", "moved_v"),
            Row("change of N in Phase 1, relative", "", "moved_n"),
            Row("largest change of a score over √m in Phase 1", "", "moved_s"),
            Row("−G(μ₃) over the larger of G(μ₁), G(μ₂) at the end", "limit", "ratio"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        two_phases(),
        view,
        name="two_phases",
        more=("layer", "random", "neurons", "end"),
        samples=controls.logarithmic(DEFAULTS["samples"], 6, 1e6, "samples n"),
        length=controls.whole(int(DEFAULTS["length"]), 4, 40, "words in a sample, L"),
        width=controls.width(DEFAULTS["width"]),
        sigma_0=controls.logarithmic(DEFAULTS["sigma_0"], 0.01, 10, "σ₀, in units of 1/√(Lm)"),
        sigma_1=controls.logarithmic(DEFAULTS["sigma_1"], 0.01, 10, "σ₁, in units of 1/√m₁"),
        constant=controls.logarithmic(DEFAULTS["constant"], 1, 1000, "C in T₁ = C/N₀"),
        seed=controls.seed(int(DEFAULTS["seed"])),
        learned=controls.switch(True, "attention learns"),
        layer=controls.logarithmic(DEFAULTS["layer"], 0.01, 1, "|a| of the output layer"),
        random=controls.switch(True, "random start (off: its mean)"),
        neurons=controls.logarithmic(DEFAULTS["neurons"], 1, 1e4, "neurons m₁"),
        end=controls.linear(DEFAULTS["end"], 3, 6, 0.1, "end of the run, log₁₀ τ"),
        positive=DEFAULTS["positive"],
        single=DEFAULTS["single"],
        first=DEFAULTS["first"],
        evaluations=DEFAULTS["evaluations"],
    )
