"""What the figures of both pages on the two phases show: charts on a logarithmic clock, and the caption."""

from __future__ import annotations

from book.recognise.two_phases import LEAST
from widgets.panels import Bar, BarChart, CurveChart, Level, Said, Trace

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
CAPTION = (
    Said("!reached", "The run was given up before its end: what comes later is not known."),
    Said(
        "!right & !finally_right",
        "At T₁ a sample is still wrong, the least margin is {margin}; and one is wrong at the end of the run.",
    ),
    Said(
        "!right",
        "At T₁ a sample is still wrong: the least margin there is {margin}. All are right from τ = {correct} on, so "
        "Theorem 3.1 needs a larger C.",
    ),
    Said(
        "!large",
        f"At T₁ all samples are right, but the loss is down at {{loss_1}}, below {LEAST:g}: this T₁ is too late for "
        "Theorem 3.1, or the loss has gone too early.",
    ),
    Said(
        "!aligned",
        "At T₁ all samples are right, but not by the three words alone: one of G(μ₁), G(μ₂), −G(μ₃) is below "
        f"{LEAST:g} there.",
    ),
    Said(
        "!still",
        "At T₁ all samples are right, and the loss is still {loss_1}. But Phase 1 has moved more than the MLP: see the "
        "bounds of item 3.",
    ),
    Said(
        "!directed & !trained",
        "All items of Theorem 3.1 hold, and the loss ends at {loss}. Scores cannot move as Theorem 3.2 says: attention "
        "is frozen.",
    ),
    Said(
        "!directed",
        "All items of Theorem 3.1 hold. Of Theorem 3.2 a score or a value product still moves the wrong way after T₁.",
    ),
    Said(
        "!signed",
        "All items of Theorem 3.1 hold. Of Theorem 3.2 item 3 or 4 fails: in Phase 2 the least of the three sums is "
        "{least_sum}. The ratio −G(μ₃)/G(μ₁) ends at {ratio}, and tends to {limit}.",
    ),
    Said(
        "",
        "All items of both theorems hold. All samples are right at T₁, where the loss is still {loss_1}; the signs of "
        "item 4 stand from τ = {signs} on. At the end the loss is {loss}.",
    ),
)
"""Names the first item that fails."""
