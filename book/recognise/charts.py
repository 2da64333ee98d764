"""What figures share: charts over the logarithm of time, samples by type, and the caption of the two phases."""

from __future__ import annotations

from functools import partial

from book.recognise.two_phases import (
    alignment,
    all_hold,
    came_to_the_end,
    correctness,
    directions,
    levels,
    remaining_loss,
    stillness,
)
from widgets.figure.panels import Bar, BarChart, Cases, CurveChart, Level, Trace

TIME = "training time τ"
T_1 = Level(lambda r, p: p.constant, "Phase 1 ends")
GAPS = (
    "“the” falls fastest",
    "all sentences right",
    "“the” not too fast",
    "three words decide",
    "Bob looks at banana",
    "banana looks at Bob",
    "Bob looks less at “the”",
    "banana looks less at “the”",
    "Bob’s value to banana’s",
    "Bob’s from that of “the”",
    "banana’s from it",
    "Bob rises",
    "banana rises",
    "“the” falls",
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
    title="Loss by kind of sentence",
    y_scale="log",
    domain=(1e-6, 2),
    traces=(*by_type("losses"), Trace("time", "loss", 0, "mean", "run", "2 3")),
    levels=MOMENTS,
)
OUTPUTS = over_log_time(
    title="What each word says: yes above 0, no below",
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
CAPTION: Cases = {
    "given up": lambda r, p: ~came_to_the_end(r, p),
    "wrong, and wrong at the end": lambda r, p: ~all_hold(correctness(r)) & (r.margin_end <= 0),
    "wrong when Phase 1 ends": lambda r, p: ~all_hold(correctness(r)),
    "loss too low": lambda r, p: ~all_hold(remaining_loss(r)),
    "a word says too little": lambda r, p: ~all_hold(alignment(r)),
    "too much has moved": lambda r, p: ~all_hold(stillness(r)),
    "moves otherwise, attention frozen": lambda r, p: ~all_hold(directions(r, p)) & (p.learned <= 0.5),
    "moves otherwise": lambda r, p: ~all_hold(directions(r, p)),
    "three words not enough": lambda r, p: ~all_hold(levels(r, p)),
    "otherwise": None,
}
"""The caption names the first item that fails."""
