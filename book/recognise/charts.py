"""What figures share: charts over the logarithm of time, samples by type, and the caption of the two phases."""

from __future__ import annotations

from functools import partial

from book.recognise.two_phases import (
    LEAST,
    alignment,
    all_hold,
    came_to_the_end,
    correctness,
    directions,
    levels,
    remaining_loss,
    stillness,
)
from widgets.figure.panels import Bar, BarChart, CaptionCase, CurveChart, Level, Trace

TIME = "τ = N₀t"
T_1 = Level(lambda r, p: p.constant, "T₁")
GAPS = (
    "“the” falls fastest",
    "all samples right",
    "“the” not too fast",
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
)
"""What the theorems say of Phase 2, in the order of the gaps of :mod:`lib.recognise.gradient_flow`: Lemma 4.3 (first
and third), Theorem 3.1's second item (second), Theorem 3.2's fourth (fourth), first (the scores) and second (the value
products), and the signs behind its third (the last three)."""
over_log_time = partial(CurveChart, x=TIME, x_scale="log", x_domain=(0.3, 1e6))


def by_type(field: str, clock: str = "time") -> tuple[Trace, ...]:
    """A curve for each type of sample."""
    styles = (
        ("both", "both"),
        ("only Bob", "target-1"),
        ("only banana", "target-2", "5 3"),
        ("neither", "neither"),
    )
    return tuple(Trace(clock, field, kind, *style) for kind, style in enumerate(styles))


def four_scores(clock: str = "time") -> tuple[Trace, ...]:
    """The growth of the scores that Theorem 3.2 speaks of, key ← query, in the key's colour."""
    return (
        Trace(clock, "grown", 3, "banana ← Bob", "target-2"),
        Trace(clock, "grown", 1, "Bob ← banana", "target-1", "5 3"),
        Trace(clock, "grown", 6, "the ← Bob", "common"),
        Trace(clock, "grown", 7, "the ← banana", "common", "5 3"),
    )


MOMENTS = (
    Level("half", "T₀.₅", axis="x"),
    Level("correct", "", axis="x"),
    T_1._replace(axis="x"),
)
LOSSES = over_log_time(
    title="Loss by type of sample",
    y_scale="log",
    domain=(1e-6, 2),
    traces=(*by_type("losses"), Trace("time", "loss", 0, "mean", "run", "2 3")),
    levels=MOMENTS,
)
OUTPUTS = over_log_time(
    title="What each word adds to the output, G(μ)",
    traces=(
        Trace("time", "output", 0, "Bob", "target-1"),
        Trace("time", "output", 1, "banana", "target-2", "5 3"),
        Trace("time", "output", 2, "the", "common"),
    ),
    levels=(*MOMENTS, Level(0.0, "")),
)
SINCE = BarChart(
    title="From when on each claim is true",
    labels=GAPS,
    bars=(Bar("since", "", "measured"),),
    domain=(0.0, 40.0),
    x=TIME,
    levels=(T_1,),
)
CAPTION = (
    CaptionCase(
        lambda r, p: ~came_to_the_end(r, p),
        "The run was given up before its end: what comes later is not known.",
    ),
    CaptionCase(
        lambda r, p: ~all_hold(correctness(r)) & (r.margin_end <= 0),
        "At T₁ a sample is still wrong, the least margin is {margin}; and one is wrong at the end of the run.",
    ),
    CaptionCase(
        lambda r, p: ~all_hold(correctness(r)),
        "At T₁ a sample is still wrong: the least margin there is {margin}. All are correct from τ = {correct} on, so "
        "Theorem 3.1 needs a larger C.",
    ),
    CaptionCase(
        lambda r, p: ~all_hold(remaining_loss(r)),
        f"At T₁ all samples are correct, but the loss is down at {{loss_1}}, below {LEAST:g}: this T₁ is too late for "
        "Theorem 3.1, or the loss has gone too early.",
    ),
    CaptionCase(
        lambda r, p: ~all_hold(alignment(r)),
        "At T₁ all samples are correct, but not by the three words alone: one of G(μ₁), G(μ₂), −G(μ₃) is below "
        f"{LEAST:g} there.",
    ),
    CaptionCase(
        lambda r, p: ~all_hold(stillness(r)),
        "At T₁ all samples are correct, and the loss is still {loss_1}. But Phase 1 has moved more than the MLP: see "
        "the bounds of item 3.",
    ),
    CaptionCase(
        lambda r, p: ~all_hold(directions(r, p)) & (p.learned <= 0.5),
        "All items of Theorem 3.1 hold, and the loss ends at {loss}. Scores cannot move as Theorem 3.2 says: attention "
        "is frozen.",
    ),
    CaptionCase(
        lambda r, p: ~all_hold(directions(r, p)),
        "All items of Theorem 3.1 hold. Of Theorem 3.2 a score or a value product still moves the wrong way after T₁.",
    ),
    CaptionCase(
        lambda r, p: ~all_hold(levels(r, p)),
        "All items of Theorem 3.1 hold. Of Theorem 3.2 item 3 or 4 fails: in Phase 2 the least of the three sums is "
        "{least_sum}. The ratio −G(μ₃)/G(μ₁) ends at {ratio}, and tends to {limit}.",
    ),
    CaptionCase(
        None,
        "All items of both theorems hold. All samples are correct at T₁, where the loss is still {loss_1}; the signs "
        "of item 4 stand from τ = {signs} on. At the end the loss is {loss}.",
    ),
)
"""The caption names the first item that fails."""
